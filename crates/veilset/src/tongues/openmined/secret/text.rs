//! What stands in a file with the key of an exchange.

use std::collections::BTreeMap;
use std::fmt::Write;

use veilset_crypto::P256Prp;
use zeroize::Zeroizing;

use super::{LONGEST, Owner, Secret};

/// The line by which such a file is known.
const FORMAT: (&str, &str) = ("openmined", "1");

/// The lines of a key of this side's.
pub(super) fn written(secret: &Secret, owner: Owner) -> Zeroizing<String> {
    // With room for all, so that none is left where there was too little.
    let mut text = Zeroizing::new(String::with_capacity(LONGEST));
    text.push_str("# The key of an exchange by OpenMined's PSI. Whoever has it reads what was sent: show it to nobody.\n");
    let (format, version) = FORMAT;
    let _ = writeln!(text, "{format} = {version}\nowner = \"{}\"", owner.name());
    let _ = writeln!(text, "reveal = {}\nitems = {}", secret.reveal, secret.items);
    text.push_str("key = \"");
    put_hex(&secret.key, &mut text);
    text.push_str("\"\n");
    if let Some(list) = &secret.list {
        text.push_str("list = \"");
        put_hex(list, &mut text);
        text.push_str("\"\n");
    }
    text
}

fn members(text: &str) -> BTreeMap<&str, &str> {
    text.lines().filter_map(|line| line.split_once(" = ")).collect()
}

/// Whether a text is of such a file, of either side and whatever its version.
pub(super) fn is_one(text: &str) -> bool {
    members(text).contains_key(FORMAT.0)
}

/// Reads the lines that [`written`] writes, without copies of what is secret.
pub(super) fn parse(text: &str, owner: Owner) -> Result<Secret, &'static str> {
    let members = members(text);
    let text_of = |name| members.get(name)?.strip_prefix('"')?.strip_suffix('"');
    if members.get(FORMAT.0) != Some(&FORMAT.1) {
        return Err("it has no line `openmined = 1`");
    }
    if text_of("owner") != Some(owner.name()) {
        return Err("it is the other side's");
    }
    let key = text_of("key").and_then(unhex).map(Zeroizing::new);
    let key = key.filter(|key| P256Prp::new(key).is_some()).ok_or("its key is none")?;
    let reveal = members.get("reveal").and_then(|reveal| reveal.parse().ok());
    let reveal = reveal.ok_or("`reveal` is missing")?;
    let items = members.get("items").and_then(|items| items.parse().ok());
    let items = items.ok_or("`items` is missing")?;
    let list = text_of("list").and_then(unhex);
    if owner == Owner::Client && list.is_none() {
        return Err("`list` is missing");
    }
    Ok(Secret { key, reveal, items, list })
}

fn put_hex(bytes: &[u8; 32], out: &mut String) {
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
}

fn unhex(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}
