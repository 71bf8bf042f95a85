//! The tables of papers, measured here.

use veilset_bench::{BenchError, Case, Measurement, Net, Sizes};
use veilset_crypto::Group;
use veilset_protocols::{Choices, Reveal, SetEncoding, Shape, find};

use crate::Failure;
use crate::grid::Grid;
use crate::{fhe_psi, kissner_song, mqrpmt, pros, rosulek_trieu};

/// A paper's measurements.
pub(crate) struct Paper {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Where it appeared.
    pub(crate) source: &'static str,
    /// What else a reader of the tables must know.
    pub(crate) notes: &'static str,
    /// Sizes that are measured if nothing else is asked for.
    pub(crate) sizes: &'static [Sizes],
    /// Its tables.
    pub(crate) tables: &'static [PaperTable],
    /// Draws what was measured, as SVG.
    pub(crate) plot: Option<fn(&[Measured]) -> String>,
}

/// A table of a paper.
pub(crate) struct PaperTable {
    /// Its number and subject.
    pub(crate) title: &'static str,
    /// What it holds.
    pub(crate) content: Content,
}

/// What a table holds.
pub(crate) enum Content {
    /// Protocols down, sizes across.
    Protocols(Protocols),
    /// Anything else.
    Grid(MeasureGrid),
}

/// What the tables are asked for.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The sizes of sets.
    pub(crate) sizes: &'a [Sizes],
    /// Runs of which a cell is the mean; `None` for the table's own number.
    pub(crate) runs: Option<u32>,
}

/// Measures what it is asked for, and tells what it has done.
pub(crate) type MeasureGrid = fn(Asked<'_>, &mut dyn FnMut(&str)) -> Result<Grid, Failure>;

/// Protocols down, sizes across.
pub(crate) struct Protocols {
    /// The sizes; `None` for those that the run is asked for.
    pub(crate) sizes: Option<&'static [Sizes]>,
    /// Threads of each party; a row for each.
    pub(crate) threads: &'static [usize],
    /// What is compared.
    pub(crate) rows: &'static [Entry],
}

/// What was measured for a table.
pub(crate) enum Measured {
    /// Of protocols.
    Lines(Vec<Line>),
    /// Of anything else.
    Grid(Grid),
}

/// What a row measures.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    /// The protocol's id.
    pub(crate) protocol: &'static str,
    /// The group.
    pub(crate) group: Group,
    /// How a set travels; `None` for the protocol's default.
    pub(crate) digest: Option<SetEncoding>,
    /// Seconds over the local network that the protocol's authors published, of sizes; `None` if they are not known.
    pub(crate) published: Option<fn(Sizes) -> Option<f64>>,
}

/// Every paper.
pub(crate) static PAPERS: &[Paper] =
    &[mqrpmt::PAPER, kissner_song::PAPER, rosulek_trieu::PAPER, pros::PAPER, fhe_psi::PAPER];

/// A row with what was measured: for each size, the local and the wide network.
pub(crate) struct Line {
    /// What was measured.
    pub(crate) entry: Entry,
    /// Threads of each party.
    pub(crate) threads: usize,
    /// Over the local and the wide network, a pair for each size.
    pub(crate) cells: Vec<[Measurement; 2]>,
}

impl Paper {
    /// The paper called `name`.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        PAPERS.iter().find(|paper| paper.name == name)
    }

    /// All of its tables, each at the sizes that are right for its title, of one run.
    #[cfg(test)]
    pub(crate) fn measured<'a>(&self, sizes: impl Fn(&str) -> &'a [Sizes]) -> Vec<Measured> {
        let measure = |table: &PaperTable| {
            let asked = Asked { sizes: sizes(table.title), runs: Some(1) };
            table.measure(asked, &mut |_| ())
        };
        self.tables.iter().map(|table| measure(table).expect("it runs")).collect()
    }
}

impl Measured {
    /// The grid, of a table that is one.
    #[cfg(test)]
    pub(crate) fn grid(&self) -> &Grid {
        match self {
            Self::Grid(grid) => grid,
            Self::Lines(_) => unreachable!("grids alone"),
        }
    }
}

/// A run of `protocol` with `size` elements a side, one thread each and nothing between them.
pub(crate) fn in_memory(protocol: &'static str, size: usize) -> Case {
    Case::new(protocol, Sizes::equal(size))
}

impl PaperTable {
    /// Measures the table at the sizes that are asked for, if it has none of its own; `done` hears of each step.
    ///
    /// # Errors
    /// When a run fails or its result is wrong.
    pub(crate) fn measure(
        &self,
        asked: Asked<'_>,
        done: &mut dyn FnMut(&str),
    ) -> Result<Measured, Failure> {
        match &self.content {
            Content::Protocols(protocols) => {
                protocols.measure(asked.sizes, done).map(Measured::Lines)
            }
            Content::Grid(measure) => measure(asked, done).map(Measured::Grid),
        }
    }

    /// The table in Markdown.
    pub(crate) fn markdown(&self, measured: &Measured) -> String {
        let text = match measured {
            Measured::Lines(lines) => markdown(lines),
            Measured::Grid(grid) => grid.markdown(),
        };
        format!("### {}\n\n{text}", self.title)
    }
}

impl Protocols {
    fn measure(&self, sizes: &[Sizes], done: &mut dyn FnMut(&str)) -> Result<Vec<Line>, Failure> {
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
                done(entry.protocol);
                lines.push(line);
            }
        }
        Ok(lines)
    }
}

fn markdown(lines: &[Line]) -> String {
    let published = lines.iter().any(|line| line.entry.published.is_some());
    let mut text = "| protocol | group | set | threads |".to_owned();
    let sizes = lines.first().map_or(&[][..], |line| &line.cells);
    for [lan, _] in sizes {
        text.push_str(&format!(" {}: MB | LAN, s | WAN, s |", sides(lan.case.sizes)));
        text.push_str(if published { " its paper: LAN, s |" } else { "" });
    }
    let columns = 4 + (3 + usize::from(published)) * sizes.len();
    text.push_str(&format!("\n|{}\n", "---|".repeat(columns)));
    lines.iter().for_each(|line| text.push_str(&line.markdown(published)));
    text
}

/// A size, as a power of two if it is one.
pub(crate) fn power(size: usize) -> String {
    let power = size.is_power_of_two().then(|| format!("2^{}", size.ilog2()));
    power.unwrap_or_else(|| size.to_string())
}

/// One size, or both.
pub(crate) fn sides(sizes: Sizes) -> String {
    let [sender, receiver] = [sizes.sender, sizes.receiver].map(power);
    if sender == receiver { sender } else { format!("{sender} × {receiver}") }
}

/// What both parties send; the cost model, which a test holds to what is measured.
pub(crate) fn modelled_bytes(protocol: &'static str, sizes: Sizes) -> Result<f64, Failure> {
    Ok(modelled_sides(protocol, sizes)?.iter().sum())
}

/// What the sender sends, and the receiver.
pub(crate) fn modelled_sides(protocol: &'static str, sizes: Sizes) -> Result<[f64; 2], Failure> {
    let found = find(protocol).ok_or(BenchError::Unknown(protocol))?;
    let cost = found.cost(Shape::of_sets(
        sizes.sender as u64,
        sizes.receiver as u64,
        Reveal::Receiver,
        found.spec().defaults(),
    ));
    Ok([cost.sender, cost.receiver].map(|side| side.bytes_sent))
}

impl Entry {
    fn choices(&self) -> Choices {
        let has_groups = find(self.protocol).is_some_and(|p| p.spec().defaults().group.is_some());
        let group = has_groups.then_some(self.group);
        Choices { group, digest: self.digest, ..Choices::default() }
    }

    /// Over the local and the wide network.
    pub(crate) fn measure(
        &self,
        sizes: Sizes,
        threads: usize,
    ) -> Result<[Measurement; 2], Failure> {
        let on = |net| {
            let case = Case::new(self.protocol, sizes);
            Case { choices: self.choices(), threads, net, ..case }.measure()
        };
        Ok([on(Net::Lan)?, on(Net::Wan)?])
    }
}

impl Line {
    fn markdown(&self, published: bool) -> String {
        let Entry { protocol, group, digest, published: figures } = self.entry;
        let digest = digest.or_else(|| find(protocol)?.spec().defaults().digest);
        let set = digest.map_or("", SetEncoding::name);
        let mut text = format!("| `{protocol}` | {} | {set} | {} |", group.name(), self.threads);
        for [lan, wan] in &self.cells {
            let bytes = (lan.bytes_sender + lan.bytes_receiver) as f64;
            let (lan, wan, sizes) = (lan.seconds, wan.seconds, lan.case.sizes);
            text.push_str(&format!(" {:.3} | {lan:.3} | {wan:.3} |", bytes / 1e6));
            if published {
                let figure = figures.and_then(|figures| figures(sizes));
                text.push_str(&format!(
                    " {} |",
                    figure.map_or_else(String::new, |s| s.to_string())
                ));
            }
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
            let rows = paper.tables.iter().filter_map(|table| match &table.content {
                Content::Protocols(protocols) => Some(protocols.rows),
                Content::Grid(_) => None,
            });
            for entry in rows.flatten() {
                let spec = find(entry.protocol).expect(entry.protocol).spec();
                assert!(spec.takes(entry.choices()), "{}", spec.id);
            }
        }
    }

    #[test]
    fn a_table_has_a_line_an_entry_and_thread() {
        let table = &PAPERS[0].tables[0];
        let asked = Asked { sizes: &[Sizes::equal(64)], runs: None };
        let measured = table.measure(asked, &mut |_| ()).expect("it runs");
        let text = table.markdown(&measured);
        let Measured::Lines(lines) = measured else { unreachable!("protocols") };
        assert_eq!(lines.len(), 6);
        assert!(text.contains("| 2^6: MB | LAN, s | WAN, s |"), "{text}");
        assert!(lines.iter().all(|line| line.cells[0][1].seconds > 0.08), "{text}");
    }
}
