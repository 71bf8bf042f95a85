//! Messages of the facade, which name the command line's flags, for somebody who writes Python.

/// The text with each flag as the keyword argument that stands for it; commands in backquotes stay as they are.
pub(crate) fn in_python(text: &str) -> String {
    text.split('`')
        .enumerate()
        .map(|(place, part)| if place % 2 == 0 { keywords(part) } else { format!("`{part}`") })
        .collect()
}

fn keywords(text: &str) -> String {
    let text = text.replace("with -o", "with output=");
    // Where there are several, they are in a list.
    let text = text.replace("--peer for each", "peers= for each");
    let mut flags = text.split("--");
    let mut out = flags.next().unwrap_or_default().to_owned();
    for part in flags {
        let end = part.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(part.len());
        let (flag, rest) = part.split_at(end);
        out.push_str(&keyword(flag));
        // What follows a flag is its value where it is quoted.
        out.push_str(
            rest.strip_prefix(' ').filter(|value| value.starts_with('\'')).unwrap_or(rest),
        );
    }
    out
}

/// The argument that a flag without its dashes has become.
fn keyword(flag: &str) -> String {
    match flag {
        "" => "--".to_owned(),
        "key" => "on=".to_owned(),
        "file" => "a table".to_owned(),
        "learner" => "learners=".to_owned(),
        "force" | "new-list" => format!("{}=True", flag.replace('-', "_")),
        _ => format!("{}=", flag.replace('-', "_")),
    }
}
