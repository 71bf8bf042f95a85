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
use crate::paper::{PAPERS, Paper};

/// Measure the tables of a paper and print them in Markdown
#[derive(Parser)]
#[command(name = "reproduce", version, max_term_width = 80)]
struct Args {
    /// mqrpmt, kissner-song, rosulek-trieu, pros or fhe-psi
    #[arg(value_parser = paper)]
    paper: &'static Paper,
    /// Set sizes, each for both parties or as SENDERxRECEIVER [default: the paper's]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = sizes)]
    sizes: Vec<Sizes>,
    /// Draw what was measured into this file, as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
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
    /// A polynomial algorithm was asked for what its field cannot do.
    #[error(transparent)]
    Arithmetic(#[from] PolyError),
    /// A file was not read or written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// A page has no place for the tables.
    #[error("{0}")]
    Page(String),
}

fn main() -> ExitCode {
    voice::end_at_panics("reproduce");
    veilset::end_at_excess(|why| voice::say(format_args!("error: {why}")));
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            voice::say(format_args!("error: {failure}"));
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Failure> {
    let paper = args.paper;
    let sizes = if args.sizes.is_empty() { paper.sizes } else { &args.sizes };
    let page = args.write.as_deref().map(|path| Page::open(path, paper.name)).transpose()?;
    voice::say(format_args!("{}: {}", paper.source, paper.notes));
    let (mut text, mut all) = (String::new(), Vec::new());
    for table in paper.tables {
        let mut done = |step: &str| voice::say(format_args!("{step} done"));
        let measured = table.measure(sizes, &mut done)?;
        text.push_str(&table.markdown(&measured));
        text.push('\n');
        all.push(measured);
    }
    writeln!(io::stdout(), "{text}")?;
    if let (Some(file), Some(plot)) = (&args.plot, paper.plot) {
        std::fs::write(file, plot(&all))?;
    }
    page.map_or(Ok(()), |page| page.write(&text))
}

/// A paper's name.
fn paper(text: &str) -> Result<&'static Paper, String> {
    let names = || PAPERS.iter().map(|paper| paper.name).collect::<Vec<_>>().join(", ");
    Paper::find(text).ok_or_else(|| format!("papers: {}", names()))
}

fn sizes(text: &str) -> Result<Sizes, String> {
    let [sender, receiver] = units::sizes(text)?;
    Ok(Sizes { sender, receiver })
}
