//! The tables of a paper, measured here.

use veilset_crypto::Group;
use veilset_protocols::{Digest, find};

use crate::{BenchError, Case, Measurement, Net};

/// A paper's measurements.
pub struct Paper {
    /// Its name on the command line.
    pub name: &'static str,
    /// Where it appeared.
    pub source: &'static str,
    /// Its tables.
    pub tables: &'static [PaperTable],
}

/// A table: protocols down, sizes across.
pub struct PaperTable {
    /// Its number and subject.
    pub title: &'static str,
    /// The sizes of both sets; `None` for those that the run is asked for.
    pub sizes: Option<&'static [usize]>,
    /// Threads of each party; a row for each.
    pub threads: &'static [usize],
    /// What is compared.
    pub rows: &'static [Entry],
}

/// What a row measures.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The protocol's id.
    pub protocol: &'static str,
    /// The group.
    pub group: Group,
    /// How a set travels; `None` for the protocol's default.
    pub digest: Option<Digest>,
}

/// Every paper.
pub static PAPERS: &[Paper] = &[Paper {
    name: "mqrpmt",
    source: "eprint 2022/652, section 7",
    tables: &[
        PaperTable {
            title: "Table 1: mqRPMT (its server counts)",
            sizes: None,
            threads: &[1, 4],
            rows: &[
                with("mqrpmt-dh", Digest::Bloom),
                with("mqrpmt-dh", Digest::Shuffled),
                with("mqrpmt-dh", Digest::Sorted),
            ],
        },
        PaperTable {
            title: "Table 2: PSI",
            sizes: None,
            threads: &[1],
            rows: &[
                on("mqrpmt-dh-intersect", Group::P256Uncompressed),
                on("mqrpmt-dh-intersect", Group::P256),
                on("mqrpmt-dh-intersect", Group::Curve25519),
                on("dh", Group::Curve25519),
            ],
        },
        PaperTable {
            title: "Table 3: PSI on small sets",
            sizes: Some(&[1 << 8, 1 << 9, 1 << 10]),
            threads: &[1],
            rows: &[on("mqrpmt-dh-intersect", Group::Curve25519), on("dh", Group::Curve25519)],
        },
        three("Table 4: PSI-card", &groups("mqrpmt-dh")),
        three("Table 5: PSI-card-sum", &groups("mqrpmt-dh-sum")),
        three("Table 6: PSU", &groups("mqrpmt-dh-union")),
        three("Table 7: private-ID", &[on("private-id", Group::Curve25519)]),
    ],
}];

const fn on(protocol: &'static str, group: Group) -> Entry {
    Entry { protocol, group, digest: None }
}

const fn with(protocol: &'static str, digest: Digest) -> Entry {
    Entry { protocol, group: Group::Curve25519, digest: Some(digest) }
}

/// The paper's ♦, ▼ and ★.
const fn groups(protocol: &'static str) -> [Entry; 3] {
    [
        on(protocol, Group::P256Uncompressed),
        on(protocol, Group::P256),
        on(protocol, Group::Curve25519),
    ]
}

const fn three(title: &'static str, rows: &'static [Entry]) -> PaperTable {
    PaperTable { title, sizes: None, threads: &[1], rows }
}

/// A row with what was measured: for each size, the local and the wide network.
pub struct Line {
    /// What was measured.
    pub entry: Entry,
    /// Threads of each party.
    pub threads: usize,
    /// Over the local and the wide network, a pair for each size.
    pub cells: Vec<[Measurement; 2]>,
}

impl Paper {
    /// The paper called `name`.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        PAPERS.iter().find(|paper| paper.name == name)
    }
}

impl PaperTable {
    /// Measures the table over `sizes`, if it has none of its own; `done` hears of each line.
    ///
    /// # Errors
    /// When a run fails or its result is wrong.
    pub fn measure(
        &self,
        sizes: &[usize],
        mut done: impl FnMut(&Line),
    ) -> Result<Vec<Line>, BenchError> {
        let sizes = self.sizes.unwrap_or(sizes);
        let mut lines = Vec::new();
        for entry in self.rows {
            for threads in self.threads {
                let cells = sizes.iter().map(|size| entry.measure(*size, *threads));
                let line = Line {
                    entry: *entry,
                    threads: *threads,
                    cells: cells.collect::<Result<_, _>>()?,
                };
                done(&line);
                lines.push(line);
            }
        }
        Ok(lines)
    }

    /// The table in Markdown.
    #[must_use]
    pub fn markdown(&self, lines: &[Line]) -> String {
        let mut text = format!("### {}\n\n| protocol | group | set | threads |", self.title);
        let sizes = lines.first().map_or(&[][..], |line| &line.cells);
        for [lan, _] in sizes {
            let n = lan.case.sender;
            let power = n.is_power_of_two().then(|| format!("2^{}", n.ilog2()));
            let n = power.unwrap_or_else(|| n.to_string());
            text.push_str(&format!(" {n}: MB | LAN, s | WAN, s |"));
        }
        text.push_str(&format!("\n|{}\n", "---|".repeat(4 + 3 * sizes.len())));
        lines.iter().for_each(|line| text.push_str(&line.markdown()));
        text
    }
}

impl Entry {
    fn measure(&self, size: usize, threads: usize) -> Result<[Measurement; 2], BenchError> {
        let on = |net| {
            let case = Case {
                protocol: self.protocol,
                group: Some(self.group),
                digest: self.digest,
                sender: size,
                receiver: size,
                threads,
                net,
            };
            case.measure()
        };
        Ok([on(Net::Lan)?, on(Net::Wan)?])
    }
}

impl Line {
    fn markdown(&self) -> String {
        let Entry { protocol, group, digest } = self.entry;
        let digest = digest.or_else(|| Some(find(protocol)?.spec().params().digest));
        let set = digest.map_or("", Digest::name);
        let mut text = format!("| `{protocol}` | {} | {set} | {} |", group.name(), self.threads);
        for [lan, wan] in &self.cells {
            let bytes = (lan.bytes_sender + lan.bytes_receiver) as f64;
            let (lan, wan) = (lan.seconds, wan.seconds);
            text.push_str(&format!(" {:.3} | {lan:.3} | {wan:.3} |", bytes / 1e6));
        }
        text + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_name_protocols_that_there_are() {
        for paper in PAPERS {
            assert!(Paper::find(paper.name).is_some());
            for entry in paper.tables.iter().flat_map(|table| table.rows) {
                let spec = find(entry.protocol).expect(entry.protocol).spec();
                assert!(spec.groups.contains(&entry.group), "{}", spec.id);
                assert!(entry.digest.is_none_or(|digest| spec.digests.contains(&digest)));
            }
        }
    }

    #[test]
    fn a_table_has_a_line_an_entry_and_thread() {
        let table = &PAPERS[0].tables[0];
        let lines = table.measure(&[64], |_| {}).expect("it runs");
        assert_eq!(lines.len(), 6);
        let text = table.markdown(&lines);
        assert!(text.contains("| 2^6: MB | LAN, s | WAN, s |"), "{text}");
        assert!(lines.iter().all(|line| line.cells[0][1].seconds > 0.08), "{text}");
    }
}
