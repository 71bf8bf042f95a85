//! Rows on a terminal: what a peer sent is text there, and commands nothing.

use std::io::{self, Write};

/// Passes text on with `?` for each byte of a control character but tabs and line ends.
pub(super) struct ForTerminal<W> {
    inner: W,
    /// Whether the byte before may begin one of the controls U+0080 to U+009F in UTF-8.
    began: bool,
}

impl<W: Write> ForTerminal<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, began: false }
    }
}

impl<W: Write> Write for ForTerminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let shown: Vec<u8> = bytes
            .iter()
            .map(|byte| {
                let second = std::mem::replace(&mut self.began, *byte == 0xc2);
                let control = matches!(byte, 0x00..=0x08 | 0x0b | 0x0c | 0x0e..=0x1f | 0x7f)
                    || second && matches!(byte, 0x80..=0x9f);
                if control { b'?' } else { *byte }
            })
            .collect();
        self.inner.write_all(&shown)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_shown_and_not_obeyed() {
        let mut shown = Vec::new();
        let mut terminal = ForTerminal::new(&mut shown);
        for part in ["a\tb\r\n\u{1b}[2Jé\u{7f}", "x\u{9b}"] {
            terminal.write_all(part.as_bytes()).expect("to memory");
        }
        // In two writes, too.
        terminal.write_all(&[0xc2]).expect("to memory");
        terminal.write_all(&[0x9b, 0xc3, 0x9f]).expect("to memory");
        assert_eq!(shown, b"a\tb\r\n?[2J\xc3\xa9?x\xc2?\xc2?\xc3\x9f");
    }
}
