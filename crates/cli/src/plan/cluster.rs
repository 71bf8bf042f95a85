//! `veilset plan --cluster`: the price of a run between two clusters.

use comfy_table::Table;
use veilset::json;
use veilset::planner::{
    Calibration, Cluster, ClusterPrice, Fit, INNER_BITS_PER_SECOND, Link, PlannedRun,
};

use super::args::{ClusterArgs, PlanArgs};
use super::planned;
use crate::error::Failure;
use crate::layout::{INDENT, plain, width_of_output, wrapped};
use crate::units::{show_bits, show_bytes, show_duration};

/// The sizes of both lists where nobody names any.
const SIZES: [u64; 3] = [100_000_000, 1_000_000_000, 10_000_000_000];
/// The threads of a worker where nobody names them.
const THREADS: usize = 4;

/// Prices the run at one size, or at several.
pub(super) fn run(args: &PlanArgs) -> Result<(), Failure> {
    let planned = PlannedRun {
        link: args.link.unwrap_or(Link { bits_per_second: 10e9, ..Link::default() }),
        threads: args.threads.unwrap_or(THREADS),
        ..planned(args)
    };
    let cluster = cluster(&args.cluster);
    let machine = Calibration::measure().map_err(veilset::Error::from)?;
    let sizes = match (args.rows, args.peer_rows) {
        (Some(rows), Some(peer_rows)) => vec![(rows, peer_rows)],
        _ => SIZES.map(|rows| (rows, rows)).to_vec(),
    };
    let price =
        |(rows, peer_rows)| cluster.price_of(&PlannedRun { rows, peer_rows, ..planned }, &machine);
    let prices = sizes.into_iter().map(price).collect::<Result<Vec<_>, _>>();
    let prices = prices.map_err(veilset::Error::from)?;
    if args.json {
        print_line!("{}", json::of_clusters(&planned, &cluster, &machine, &prices))?;
        return Ok(());
    }
    print_line!("{}", table(&prices))?;
    for line in remarks(&planned, &cluster, &prices) {
        print_line!("{}", wrapped(&line, width_of_output(), INDENT))?;
    }
    Ok(())
}

fn cluster(args: &ClusterArgs) -> Cluster {
    Cluster {
        workers: args.workers,
        within: args.within,
        worker_memory: args.worker_memory,
        price: args.price,
        egress: args.egress,
    }
}

/// A column for each size.
fn table(prices: &[ClusterPrice]) -> Table {
    let mut table = plain();
    let mut row = |name: &str, cell: &dyn Fn(&ClusterPrice) -> String| {
        let cells = std::iter::once(name.to_owned()).chain(prices.iter().map(cell));
        table.add_row(cells.collect::<Vec<_>>());
    };
    row("rows", &|price| price.rows[0].to_string());
    row("peer's rows", &|price| price.rows[1].to_string());
    row("pieces", &|price| price.pieces.to_string());
    row("workers a side", &|price| price.workers.to_string());
    row("time", &|price| show_duration(price.time));
    row("  preparing", &|price| show_duration(price.preparing));
    row("  computing", &|price| show_duration(price.computing));
    row("  link", &|price| show_duration(price.link));
    row("you send", &|price| show_bytes(price.sent[0]));
    row("peer sends", &|price| show_bytes(price.sent[1]));
    row("memory a worker", &|price| show_bytes(price.worker_memory as f64));
    row("object store", &|price| show_bytes(price.stored[0]));
    row("peer's object store", &|price| show_bytes(price.stored[1]));
    row("you pay", &|price| format!("{:.2}", price.cost[0]));
    row("peer pays", &|price| format!("{:.2}", price.cost[1]));
    table
}

fn remarks(planned: &PlannedRun, cluster: &Cluster, prices: &[ClusterPrice]) -> Vec<String> {
    let id = prices.first().map(|price| price.spec.id).unwrap_or_default();
    let within = show_duration(cluster.within);
    let late = prices.iter().filter_map(|price| too_late(price, &within));
    let sought = cluster.workers.is_none();
    let rule = sought.then(|| format!("workers: the fewest that end within {within}"));
    let Link { bits_per_second, round_trip } = planned.link;
    let assumed = [
        format!(
            "{} by {id}, {} threads a worker; computing and link overlap in part",
            planned.wanted.operation, planned.threads
        ),
        format!(
            "assumed: {} and {} between the clusters, {} a worker inside them, this machine's measured speed",
            show_bits(bits_per_second),
            show_duration(round_trip),
            show_bits(INNER_BITS_PER_SECOND)
        ),
        format!(
            "assumed: {:.2} a worker an hour, {:.2} a GB sent, {} of memory a worker",
            cluster.price,
            cluster.egress,
            show_bytes(cluster.worker_memory as f64)
        ),
    ];
    late.chain(rule).chain(assumed).collect()
}

/// Why a size takes longer than it may.
fn too_late(price: &ClusterPrice, within: &str) -> Option<String> {
    let rows = price.rows[0].max(price.rows[1]);
    match price.fit {
        Fit::Given | Fit::Fewest => None,
        Fit::Link { least } => Some(format!(
            "{rows} rows: over this link no number of workers ends within {within}; the least bandwidth that would do is {}",
            show_bits(rounded_up(least))
        )),
        Fit::Never => Some(format!(
            "{rows} rows: no number of workers ends within {within} over any link; these are the fastest"
        )),
    }
}

/// A bandwidth that is shown as no less than it is.
fn rounded_up(bits_per_second: f64) -> f64 {
    let step = if bits_per_second < 1e9 { 1e6 } else { 1e8 };
    (bits_per_second / step).ceil() * step
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use veilset::Learn;
    use veilset::planner::{Speed, Wanted};
    use veilset::registry::{Operation, Security};

    use super::*;

    fn asked() -> (PlannedRun, Calibration) {
        let wanted = Wanted::new(Operation::Count, Security::SemiHonest, Learn::Me);
        let planned = PlannedRun {
            wanted,
            rows: 10_000_000_000,
            keys: 1,
            peer_rows: 10_000_000_000,
            values: 1,
            groups: None,
            blind: false,
            peer_values: 0,
            lent_groups: None,
            products: 0,
            factor_bytes: 1,
            row_bytes: Some(32),
            link: Link { bits_per_second: 1e9, round_trip: Duration::from_millis(20) },
            threads: 4,
        };
        let speed = Speed { multiplication: 5e-6, map: 5e-7, on_device: false };
        (planned, Calibration::with(|_| speed, 1e-7))
    }

    #[test]
    fn a_price_reads_as_a_column() {
        let (planned, machine) = asked();
        let cluster = Cluster { workers: Some(64), ..Cluster::default() };
        let price = cluster.price_of(&planned, &machine).expect("it has a price");
        let text = table(&[price]).to_string();
        let lines: Vec<String> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|line| !line.starts_with(['─', '═', '╌']))
            .collect();
        assert_eq!(lines, COLUMN);
    }

    /// 105,000 core seconds on 256 cores and 64 turns of two openings; 3.32 Tbit at 1 Gbit/s.
    const COLUMN: [&str; 15] = [
        "rows 10000000000",
        "peer's rows 10000000000",
        "pieces 4096",
        "workers a side 64",
        "time 56.3 min",
        "preparing 43.2 s",
        "computing 6.8 min",
        "link 55.5 min",
        "you send 320.01 GB",
        "peer sends 415.35 GB",
        "memory a worker 634.5 MB",
        "object store 1280.00 GB",
        "peer's object store 1280.00 GB",
        "you pay 40.01",
        "peer pays 44.77",
    ];

    #[test]
    fn a_slow_link_is_said() {
        let (planned, machine) = asked();
        let cluster = Cluster { within: Duration::from_secs(1800), ..Cluster::default() };
        let prices = [cluster.price_of(&planned, &machine).expect("it has a price")];
        let lines = remarks(&planned, &cluster, &prices);
        assert_eq!(lines.len(), 5);
        let late = "10000000000 rows: over this link no number of workers ends within 30.0 min; the least bandwidth that would do is 1.9 Gbit/s";
        assert_eq!(lines[0], late);
        assert_eq!(lines[1], "workers: the fewest that end within 30.0 min");
        assert!(lines[3].starts_with("assumed: 1.0 Gbit/s and 20 ms between the clusters"));
    }
}
