//! What identifies companies, accounts and hosts, in the one spelling that each has; and digests in the place of addresses and numbers.

use sha2::{Digest, Sha256};

/// Digits of a SHA-256 in hexadecimal.
const DIGEST: usize = 64;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The host of an e-mail address, of an address on the web, or alone: lower case, without `www.` and a last point.
pub(crate) fn domain(text: &str, out: &mut String) -> Option<()> {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    };
    // Elsewhere it is of another address, to which a query or a path leads.
    let rest = match text.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => rest,
        _ => text,
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        Some(_) => return None,
        None => host,
    };
    let host: String = host.chars().flat_map(char::to_lowercase).collect();
    let mut host = host.strip_suffix('.').unwrap_or(&host);
    // A host that is nothing else keeps it: www.com is one.
    while let Some(rest) = host.strip_prefix("www.").filter(|rest| rest.contains('.')) {
        host = rest;
    }
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
    };
    (host.contains('.') && host.split('.').all(is_label)).then(|| out.push_str(host))
}

/// ISO 13616: capital letters and digits, whose check digits are right.
pub(crate) fn iban(text: &str, out: &mut String) -> Option<()> {
    const LENGTHS: std::ops::RangeInclusive<usize> = 15..=34;
    let iban = capitals(text)?;
    let bytes = iban.as_bytes();
    let shaped = LENGTHS.contains(&bytes.len())
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..4].iter().all(u8::is_ascii_digit);
    // Letters stand for 10 to 35, and the first four characters come last.
    let digit = |rest: u32, byte: &u8| match byte {
        b'0'..=b'9' => (10 * rest + u32::from(byte - b'0')) % 97,
        _ => (100 * rest + u32::from(byte - b'A') + 10) % 97,
    };
    let is_right = || bytes[4..].iter().chain(&bytes[..4]).fold(0, digit) == 1;
    (shaped && is_right()).then(|| out.push_str(&iban))
}

/// A number of the European Union's value-added tax: two letters, and two to twelve letters and digits, one digit at least. Greece writes
/// GR or EL; EL is the Union's.
pub(crate) fn vat(text: &str, out: &mut String) -> Option<()> {
    const LENGTHS: std::ops::RangeInclusive<usize> = 4..=14;
    let number = capitals(text)?;
    let (country, rest) = number.split_at_checked(2)?;
    let shaped = LENGTHS.contains(&number.len())
        && country.bytes().all(|byte| byte.is_ascii_uppercase())
        && rest.bytes().any(|byte| byte.is_ascii_digit());
    shaped.then(|| {
        out.push_str(if country == "GR" { "EL" } else { country });
        out.push_str(rest);
    })
}

/// A whole number without zeros before it.
pub(crate) fn number(text: &str, out: &mut String) -> Option<()> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = text.trim_start_matches('0');
    out.push_str(if digits.is_empty() { "0" } else { digits });
    Some(())
}

/// Letters and digits of ASCII in capitals; spaces, points and dashes are left out, and anything else is no such text.
fn capitals(text: &str) -> Option<String> {
    let kept = text.chars().filter(|c| !matches!(c, ' ' | '\u{a0}' | '.' | '-'));
    kept.map(|c| c.is_ascii_alphanumeric().then_some(c.to_ascii_uppercase())).collect()
}

/// A SHA-256 in hexadecimal digits as it is, in lower case; or that of what `read` makes of the text.
pub(crate) fn hashed(
    text: &str,
    out: &mut String,
    read: impl FnOnce(&str, &mut String) -> Option<()>,
) -> Option<()> {
    if text.len() == DIGEST && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        out.extend(text.chars().map(|c| c.to_ascii_lowercase()));
        return Some(());
    }
    let mut plain = String::new();
    read(text, &mut plain)?;
    for byte in Sha256::digest(plain.as_bytes()) {
        out.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
    }
    Some(())
}
