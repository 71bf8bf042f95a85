//! Text and tables that fit where they are shown.

use std::io::{IsTerminal, stdout};

use comfy_table::{ContentArrangement, Table, presets};
use veilset::voice;

/// The columns that people have at least, and the most that a line is read at.
const NARROWEST: usize = 40;

/// Columns by which the further lines of a long sentence are set in.
pub(crate) const INDENT: usize = 2;

/// Columns under these words; see [`plain`].
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = plain();
    table.set_header(header.to_vec());
    table
}

/// A table without lines between its rows. On a terminal, and wherever COLUMNS says how wide it is, its cells are wrapped;
/// in a pipe each row is a line.
pub(crate) fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if let Some(width) = width_of_output() {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    }
    table
}

/// The width that what goes to standard output must fit, if any.
pub(crate) fn width_of_output() -> Option<usize> {
    let terminal = || stdout().is_terminal().then(|| Table::new().width()).flatten();
    told().or_else(|| terminal().map(usize::from)).and_then(at_least)
}

/// The width that what goes to standard error must fit, if it is a terminal.
pub(crate) fn width_of_voice() -> Option<usize> {
    let mut table = Table::new();
    table.use_stderr();
    let terminal = || table.width().map(usize::from);
    let width = if voice::is_seen() { told().or_else(terminal) } else { None };
    width.and_then(at_least)
}

/// A terminal that says nothing of its width has none.
fn at_least(width: usize) -> Option<usize> {
    (width > 0).then_some(width.max(NARROWEST))
}

fn told() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// `text` in lines of at most `width` columns where its words allow that, all but the first of them set in by `indent`.
pub(crate) fn wrapped(text: &str, width: Option<usize>, indent: usize) -> String {
    let Some(width) = width else { return text.to_owned() };
    let (mut lines, mut used) = (String::new(), 0);
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        } else if !lines.is_empty() {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let text = "leaks: each side learns one thing";
        assert_eq!(wrapped(text, None, 2), text);
        assert_eq!(wrapped(text, Some(16), 2), "leaks: each side\n  learns one\n  thing");
        assert_eq!(wrapped("unbreakable", Some(4), 2), "unbreakable");
        assert_eq!(wrapped("a unbreakable b", Some(4), 1), "a\n unbreakable\n b");
    }
}
