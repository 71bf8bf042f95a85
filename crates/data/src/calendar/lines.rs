//! Content lines (RFC 5545, section 3.1), with the line on which each begins.

use super::time::Bad;

/// `NAME;PARAM=value:VALUE`, unfolded.
pub(super) struct Line {
    /// From 1.
    pub(super) number: u64,
    /// In capitals.
    pub(super) name: String,
    parameters: Vec<(String, String)>,
    pub(super) value: String,
}

impl Line {
    /// A parameter's value, without its quotes.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(parameter, _)| parameter == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether this is `BEGIN:` or `END:` of something, and of what, in capitals.
    pub(super) fn bracket(&self) -> Option<(bool, String)> {
        let begins = match self.name.as_str() {
            "BEGIN" => true,
            "END" => false,
            _ => return None,
        };
        Some((begins, self.value.trim().to_ascii_uppercase()))
    }
}

/// All lines of a file but empty ones.
pub(super) fn lines(text: &str) -> Result<Vec<Line>, (u64, Bad)> {
    let mut unfolded: Vec<(u64, String)> = Vec::new();
    let physical = text.strip_prefix('\u{feff}').unwrap_or(text).split('\n');
    for (number, line) in (1..).zip(physical) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match (line.strip_prefix([' ', '\t']), unfolded.last_mut()) {
            (Some(rest), Some((_, before))) => before.push_str(rest),
            _ if line.is_empty() => {}
            _ => unfolded.push((number, line.to_owned())),
        }
    }
    let parsed = unfolded.iter().map(|(number, line)| {
        parse(*number, line).ok_or((*number, "no content line, which is NAME:VALUE"))
    });
    parsed.collect()
}

fn parse(number: u64, line: &str) -> Option<Line> {
    let end = line.find([';', ':'])?;
    let is_name = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let (name, mut rest) = line.split_at(end);
    let mut parameters = Vec::new();
    while let Some(parameter) = rest.strip_prefix(';') {
        let (name, after) = parameter.split_once('=')?;
        let end = outside_quotes(after)?;
        let value = after[..end].trim_matches('"').to_owned();
        parameters.push((is_name(name).then(|| name.to_ascii_uppercase())?, value));
        rest = &after[end..];
    }
    let value = rest.strip_prefix(':')?.to_owned();
    is_name(name).then(|| Line { number, name: name.to_ascii_uppercase(), parameters, value })
}

/// Where a parameter's value ends: the first `;` or `:` that no quotes enclose.
fn outside_quotes(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.find(|c| {
        quoted ^= c == '"';
        !quoted && matches!(c, ';' | ':')
    })
}
