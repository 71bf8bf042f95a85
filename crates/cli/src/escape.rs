//! Text that a peer chose, on a terminal.

use serde_json::Value;

/// A value as one line of JSON in which what would steer a terminal is escaped.
pub(crate) fn json_line(value: &Value) -> String {
    let mut line = String::new();
    // Only in strings can such characters stand.
    for c in value.to_string().chars() {
        if steers(c) {
            let mut units = [0; 2];
            line.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            line.push(c);
        }
    }
    line
}

/// A peer's text: what would steer a terminal is escaped.
pub(crate) fn shown(label: &str) -> String {
    let mut text = String::new();
    for c in label.chars() {
        if steers(c) { text.extend(c.escape_default()) } else { text.push(c) }
    }
    text
}

fn steers(c: char) -> bool {
    c.is_control() || is_format(c)
}

/// Characters that are not seen and change how others are shown: Unicode's general category Cf as far as it has no shape
/// of its own, and the two separators of lines and paragraphs.
fn is_format(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_steers_a_terminal_is_escaped_and_other_text_is_not() {
        for plain in ["first", "naïve “x” \\ 'y'", "हिन्दी", "e\u{301}", "漢字 😀"]
        {
            assert_eq!(shown(plain), plain);
        }
        assert_eq!(shown("a\u{1b}[2J\n\u{9b}"), "a\\u{1b}[2J\\n\\u{9b}");
        assert_eq!(shown("x\u{202e}y\u{2067}z\u{200f}"), "x\\u{202e}y\\u{2067}z\\u{200f}");
        assert_eq!(shown("\u{e0041}\u{feff}\u{2028}"), "\\u{e0041}\\u{feff}\\u{2028}");
    }

    #[test]
    fn json_of_such_text_is_the_same_json_and_steers_nothing() {
        let value = json!({ "a": "x\u{9b}y\u{202e}z\u{e0041}é", "b": [1, null, "\n"] });
        let line = json_line(&value);
        assert_eq!(serde_json::from_str::<Value>(&line).expect("JSON"), value);
        assert!(!line.chars().any(steers), "{line}");
        assert!(line.contains("\\u009b") && line.contains("\\udb40\\udc41") && line.contains('é'));
    }
}
