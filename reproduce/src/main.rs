//! `reproduce`: the tables and figures of the papers whose protocols veilset has, measured on this machine.

mod fhe_psi;
mod grid;
mod kissner_song;
mod mqrpmt;
mod over_group;
mod page;
mod paper;
mod plot;
mod pros;
mod rosulek_trieu;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use veilset::{units, voice};
use veilset_bench::{BenchError, Sizes};
use veilset_crypto::SafePrimeError;
use veilset_poly::PolyError;
use veilset_protocols::ProtocolError;

use crate::page::Page;
use crate::paper::{Asked, Measured, PAPERS, Paper};

/// Measure the tables of a paper and print them in Markdown
#[derive(Parser)]
#[command(name = "reproduce", version, max_term_width = 80)]
struct Args {
    /// mqrpmt, kissner-song, rosulek-trieu, pros or fhe-psi
    #[arg(value_parser = paper)]
    paper: &'static Paper,
    /// Set sizes, each for both parties or as SENDERxRECEIVER [default: the paper's]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = |text: &str| units::sizes(text).map(Sizes::from))]
    sizes: Vec<Sizes>,
    /// Runs of which a cell is the mean, where single runs scatter [default: the table's own number]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: Option<u32>,
    /// Measure only tables whose titles have this in them
    #[arg(long, value_name = "TEXT", conflicts_with = "plot")]
    table: Option<String>,
    /// Draw what was measured into this file, as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Measure nothing, and draw the tables that this page has
    #[arg(long, value_name = "FILE", requires = "plot", conflicts_with_all = ["sizes", "runs", "write"])]
    drawn_from: Option<PathBuf>,
    /// Put the tables into this file, between its lines <!-- paper NAME --> and <!-- end -->
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// Why there are no tables.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// A run failed, or its result is wrong.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A protocol failed over a paper's group.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The paper's groups could not be generated.
    #[error(transparent)]
    Group(#[from] SafePrimeError),
    /// A run of the program's own kind failed.
    #[error(transparent)]
    Run(#[from] veilset::Error),
    /// A polynomial algorithm was asked for what its field cannot do.
    #[error(transparent)]
    Arithmetic(#[from] PolyError),
    /// A file was not read or written, or a connection broke.
    #[error(transparent)]
    File(#[from] io::Error),
    /// No table has the text in its title.
    #[error("no table of {paper} has {text:?} in its title")]
    NoTable { paper: &'static str, text: String },
    /// A page has no place for the tables.
    #[error("{0}")]
    Page(String),
}

fn main() -> ExitCode {
    voice::end_at_panics("reproduce");
    veilset::end_at_excess(|why| voice::say(format_args!("error: {why}")));
    match run(&Args::parse(), &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            voice::say(format_args!("error: {failure}"));
            ExitCode::FAILURE
        }
    }
}

/// Measures, and prints the tables to `out`.
fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let paper = args.paper;
    if let Some(page) = &args.drawn_from {
        let tables = Page::open(page, paper.name)?.grids().into_iter();
        return draw(args, &tables.map(Measured::Grid).collect::<Vec<_>>());
    }
    let sizes = if args.sizes.is_empty() { paper.sizes } else { &args.sizes };
    let page = args.write.as_deref().map(|path| Page::open(path, paper.name)).transpose()?;
    voice::say(format_args!("{}: {}", paper.source, paper.notes));
    let text = args.table.clone().unwrap_or_default();
    let tables: Vec<_> = paper.tables.iter().filter(|table| table.title.contains(&text)).collect();
    if tables.is_empty() {
        return Err(Failure::NoTable { paper: paper.name, text });
    }
    let (mut texts, mut all) = (Vec::new(), Vec::new());
    for table in tables {
        let mut done = |step: &str| voice::say(format_args!("{step} done"));
        let measured = table.measure(Asked { sizes, runs: args.runs }, &mut done)?;
        // At once, for the next may take an hour.
        let markdown = table.markdown(&measured);
        writeln!(out, "{markdown}")?;
        texts.push(markdown + "\n");
        all.push(measured);
    }
    writeln!(out)?;
    draw(args, &all)?;
    let titles: Vec<&str> = paper.tables.iter().map(|table| table.title).collect();
    page.map_or(Ok(()), |page| page.write(texts, &titles))
}

/// The paper's pictures, if they are asked for and there are some.
fn draw(args: &Args, tables: &[Measured]) -> Result<(), Failure> {
    match (&args.plot, args.paper.plot) {
        (Some(file), Some(plot)) => Ok(std::fs::write(file, plot(tables))?),
        _ => Ok(()),
    }
}

/// A paper's name.
fn paper(text: &str) -> Result<&'static Paper, String> {
    let names = || PAPERS.iter().map(|paper| paper.name).collect::<Vec<_>>().join(", ");
    Paper::find(text).ok_or_else(|| format!("papers: {}", names()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const CALL: &str = "cargo run --release -p veilset-reproduce -- ";

    /// What `reproduce` prints, or why it does not.
    fn reproduce(arguments: &str) -> Result<String, String> {
        let words = std::iter::once("reproduce").chain(arguments.split_whitespace());
        let args = Args::try_parse_from(words).map_err(|error| error.to_string())?;
        let mut out = Vec::new();
        run(&args, &mut out).map_err(|failure| failure.to_string())?;
        Ok(String::from_utf8(out).expect("text"))
    }

    #[test]
    fn every_command_of_the_page_is_one() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/RESULTS.md");
        let page = fs::read_to_string(page).expect("the page is there");
        let commands: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(CALL)).collect();
        let names = commands.iter().map(|command| {
            let words = std::iter::once("reproduce").chain(command.split_whitespace());
            let args = Args::try_parse_from(words).expect(command);
            assert!(!args.sizes.is_empty(), "{command}");
            args.paper.name
        });
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.dedup();
        let mut papers: Vec<&str> = PAPERS.iter().map(|paper| paper.name).collect();
        papers.sort_unstable();
        assert_eq!(names, papers);
    }

    #[test]
    fn pictures_show_what_the_page_says() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = folder.join("RESULTS.md");
        for paper in PAPERS {
            let tables = Page::open(&page, paper.name).expect("a place for it").grids();
            // Pictures of lists have more sizes than their tables print.
            let Some(plot) = paper.plot.filter(|_| paper.name != "pros") else { continue };
            let drawn = plot(&tables.into_iter().map(Measured::Grid).collect::<Vec<_>>());
            let picture = fs::read_to_string(folder.join(format!("{}.svg", paper.name)));
            let again = format!("{}: --drawn-from draws it again", paper.name);
            assert!(drawn == picture.expect("a picture"), "{again}");
        }
    }

    #[test]
    fn a_paper_is_printed_as_tables() {
        // Each other paper's tables are filled by its own test.
        let tables = reproduce("mqrpmt --sizes 2^4 --runs 1").expect("it runs");
        assert_eq!(tables.matches("\n|---|").count(), 10);
        let one = reproduce("kissner-song --table fewer --sizes 2^3").expect("it runs");
        assert_eq!(one.matches("\n|---|").count(), 1);
    }

    #[test]
    fn what_cannot_be_reproduced_is_refused() {
        let refused = |arguments: &str, why: &str| {
            let told = reproduce(arguments).expect_err("refused");
            assert!(told.contains(why), "{told}");
        };
        refused("none", "papers: mqrpmt, kissner-song, rosulek-trieu, pros, fhe-psi");
        refused("pros --sizes 0", "sizes go from 1 to 2^31");
        refused("pros --table none", "no table of pros has \"none\" in its title");
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        refused(&format!("pros --sizes 8 --write {page}"), "has no lines <!-- paper pros -->");
    }
}
