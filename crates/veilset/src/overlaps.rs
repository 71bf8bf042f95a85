//! How many keys several lists have in common: as a table, and as a picture.

use std::fmt::Write;

use veilset_protocols::Outcome;
use veilset_session::listed;

use crate::Done;

/// The lists of a run, and how many keys each two and all have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedKeys {
    /// The lists, in the order of their parties' keys.
    pub lists: Vec<ListSize>,
    /// Each two lists, then all.
    pub shared: Vec<Shared>,
}

/// A list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSize {
    /// What this side calls its party; "you" for its own.
    pub name: String,
    /// Its number of distinct keys.
    pub distinct: u64,
}

/// What some lists have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The places of these lists.
    pub of: Vec<usize>,
    /// How many distinct keys all of them have.
    pub count: u64,
}

impl Done {
    /// How many keys each two lists have, and all, where that is what was computed.
    #[must_use]
    pub fn shared_keys(&self) -> Option<SharedKeys> {
        let (Outcome::Overlaps(overlaps), Some(own)) = (&self.report.outcome, self.report.place)
        else {
            return None;
        };
        let list = |name: &str, distinct| ListSize { name: name.to_owned(), distinct };
        let peers = self.report.peers.iter();
        let mut lists: Vec<_> = peers.map(|peer| list(&peer.name, peer.distinct)).collect();
        lists.insert(own, list("you", self.report.distinct));
        let pairs = overlaps.pairs.iter();
        let mut shared: Vec<_> =
            pairs.map(|(of, count)| Shared { of: of.to_vec(), count: *count }).collect();
        shared.push(Shared { of: (0..lists.len()).collect(), count: overlaps.common });
        Some(SharedKeys { lists, shared })
    }
}

/// Lengths of the picture: its width, a line's height, and the way from one list's column to the next.
const WIDTH: usize = 480;
const LINE: usize = 26;
const STEP: usize = 24;

/// Where the first column stands, and the first line below the letters.
const LEFT: usize = 16;
const TOP: usize = 40;

/// What is kept beside the longest bar for its number.
const ROOM: usize = 90;

impl SharedKeys {
    /// The names of the lists at these places, as "ann, bob and you".
    #[must_use]
    pub fn names(&self, of: &[usize]) -> String {
        let names: Vec<&str> = of.iter().map(|place| self.lists[*place].name.as_str()).collect();
        listed(&names)
    }

    /// The picture as a file of SVG: a line for each group of lists, with a point for each list of it and a bar for its number. Marks stand out
    /// of light and of dark ground.
    #[must_use]
    pub fn svg(&self) -> String {
        let most = self.shared.iter().map(|shared| shared.count).max().unwrap_or(0).max(1);
        let start = LEFT + self.lists.len() * STEP + 4;
        let bars = (WIDTH - start.min(WIDTH - ROOM - 1) - ROOM) as f64;
        let legend = TOP + self.shared.len() * LINE;
        let height = legend + self.lists.len() * LINE;
        let mut svg = String::new();
        let width = WIDTH.max(start + ROOM + 1);
        let title = format!("What {} lists have in common", self.lists.len());
        writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"13\" role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n\
             <style>text {{ fill: #1a1a1a }} .in {{ fill: #1f6f8b }} .out {{ fill: #8a8f98 }} .link {{ stroke: #1f6f8b; stroke-width: 3 }} \
             .bar {{ fill: #1f6f8b }} .all {{ fill: #b4552d }} \
             @media (prefers-color-scheme: dark) {{ text {{ fill: #ececec }} .in, .bar {{ fill: #5fb3ce }} .link {{ stroke: #5fb3ce }} .all {{ fill: #e08a5f }} }}</style>"
        )
        .expect("to memory");
        for place in 0..self.lists.len() {
            let x = LEFT + place * STEP;
            let letter = letter(place);
            writeln!(svg, "<text x=\"{x}\" y=\"18\" text-anchor=\"middle\">{letter}</text>")
                .expect("to memory");
        }
        for (line, shared) in self.shared.iter().enumerate() {
            self.put_line(&mut svg, shared, TOP + line * LINE, (start, bars / most as f64));
        }
        for (place, ListSize { name, distinct }) in self.lists.iter().enumerate() {
            let (y, letter, name) = (legend + place * LINE + 5, letter(place), escaped(name));
            writeln!(svg, "<text x=\"{LEFT}\" y=\"{y}\">{letter}  {name}, {distinct} keys</text>")
                .expect("to memory");
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn put_line(&self, svg: &mut String, shared: &Shared, y: usize, (start, scale): (usize, f64)) {
        let x = |place: usize| LEFT + place * STEP;
        let (first, last) = (shared.of.first(), shared.of.last());
        if let (Some(first), Some(last)) = (first, last) {
            let (x1, x2) = (x(*first), x(*last));
            writeln!(svg, "<line x1=\"{x1}\" x2=\"{x2}\" y1=\"{y}\" y2=\"{y}\" class=\"link\"/>")
                .expect("to memory");
        }
        for place in 0..self.lists.len() {
            let (radius, class) = if shared.of.contains(&place) { (6, "in") } else { (4, "out") };
            let x = x(place);
            writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" class=\"{class}\"/>")
                .expect("to memory");
        }
        let width = (shared.count as f64 * scale).max(1.5);
        let class = if shared.of.len() == self.lists.len() { "bar all" } else { "bar" };
        let (top, base, end) = (y - 7, y + 5, start as f64 + width + 6.0);
        writeln!(
            svg,
            "<rect x=\"{start}\" y=\"{top}\" width=\"{width:.1}\" height=\"14\" rx=\"2\" class=\"{class}\"/>\
             <text x=\"{end:.1}\" y=\"{base}\">{}</text>",
            shared.count
        )
        .expect("to memory");
    }
}

/// A list's letter, and behind Z a number.
fn letter(place: usize) -> String {
    u8::try_from(place)
        .ok()
        .filter(|place| *place < 26)
        .map_or_else(|| (place + 1).to_string(), |place| char::from(b'A' + place).to_string())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_three() -> SharedKeys {
        let list = |name: &str, distinct| ListSize { name: name.to_owned(), distinct };
        let shared = |of: &[usize], count| Shared { of: of.to_vec(), count };
        SharedKeys {
            lists: vec![list("R&D", 40), list("you", 30), list("eve", 17)],
            shared: vec![
                shared(&[0, 1], 20),
                shared(&[0, 2], 10),
                shared(&[1, 2], 0),
                shared(&[0, 1, 2], 6),
            ],
        }
    }

    #[test]
    fn the_picture_has_a_line_for_each_group_and_all_names() {
        let keys = of_three();
        let svg = keys.svg();
        assert_eq!(svg.matches("<rect ").count(), 4);
        assert_eq!(svg.matches("class=\"in\"").count(), 2 + 2 + 2 + 3);
        assert_eq!(svg.matches("class=\"bar all\"").count(), 1);
        for text in ["R&amp;D, 40 keys", "B  you, 30 keys", ">20</text>", ">0</text>", ">6</text>"]
        {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert_eq!(keys.names(&[0, 1, 2]), "R&D, you and eve");
        // The longest bar is as long as there is room, and a number of keys is to scale.
        let widths: Vec<f64> = svg
            .split("<rect ")
            .skip(1)
            .map(|rect| rect.split(" width=\"").nth(1).expect("one"))
            .map(|rest| rest.split('"').next().expect("one").parse().expect("a number"))
            .collect();
        assert!((widths[0] - 2.0 * widths[1]).abs() < 0.2, "{widths:?}");
    }

    #[test]
    fn sixty_four_lists_have_a_picture() {
        let list = |place: usize| ListSize { name: format!("p{place}"), distinct: 1 };
        let shared = vec![Shared { of: (0..64).collect(), count: 1 }];
        let svg = SharedKeys { lists: (0..64).map(list).collect(), shared }.svg();
        assert!(svg.contains(">64</text>") && svg.contains(">Z</text>"));
    }
}
