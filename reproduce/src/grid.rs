//! A table of any content.

/// Columns with names, and rows of text.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    /// The names of the columns.
    pub(crate) columns: Vec<String>,
    /// As many cells a row as there are columns; empty where there is nothing to say.
    pub(crate) rows: Vec<Vec<String>>,
    /// Which rows are printed, by their first cells; the others are for pictures alone.
    printed: fn(&str) -> bool,
}

impl Grid {
    pub(super) fn new(columns: &[&str]) -> Self {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        Self { columns, rows: Vec::new(), printed: |_| true }
    }

    pub(super) fn printing(self, printed: fn(&str) -> bool) -> Self {
        Self { printed, ..self }
    }

    pub(super) fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.columns.len(), "a cell for each column");
        self.rows.push(row);
    }

    /// The first table of a text in Markdown.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let cells = |line: &str| {
            let cells = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
            Some(cells.map(str::to_owned).collect::<Vec<_>>())
        };
        let mut lines = text.lines();
        let columns = lines.find_map(cells)?;
        let rows = lines.skip(1).map_while(cells).collect();
        Some(Self { columns, rows, printed: |_| true })
    }

    /// In Markdown.
    pub(crate) fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = format!("|{}\n", "---|".repeat(self.columns.len()));
        let printed =
            self.rows.iter().filter(|row| row.first().is_some_and(|cell| (self.printed)(cell)));
        let rows: String = printed.map(|row| line(row)).collect();
        line(&self.columns) + &rule + &rows
    }
}

/// Seconds to three digits, or nothing.
pub(super) fn seconds(value: Option<f64>) -> String {
    match value {
        None => String::new(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 1.0 => format!("{value:.2}"),
        Some(value) => format!("{value:.4}"),
    }
}

/// What several runs took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scatter {
    pub(super) mean: f64,
    /// The standard deviation of a sample, of two runs or more.
    deviation: Option<f64>,
}

/// Runs of which a cell is the mean where nothing else is asked for, and seconds after which there are no more.
const MOST_RUNS: u32 = 10;
const ENOUGH: f64 = 4.0;

impl Scatter {
    /// Of `runs` measurements, or of up to [`MOST_RUNS`], of which none begins after [`ENOUGH`] seconds of others.
    pub(super) fn measured<E>(
        runs: Option<u32>,
        mut measure: impl FnMut() -> Result<f64, E>,
    ) -> Result<Self, E> {
        let mut values = Vec::new();
        for _ in 0..runs.unwrap_or(MOST_RUNS) {
            values.push(measure()?);
            if runs.is_none() && values.iter().sum::<f64>() >= ENOUGH {
                break;
            }
        }
        Ok(Self::of(values.iter().copied()))
    }

    pub(super) fn of(values: impl ExactSizeIterator<Item = f64> + Clone) -> Self {
        let count = values.len() as f64;
        let mean = values.clone().sum::<f64>() / count;
        let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
        Self { mean, deviation: (count > 1.0).then(|| (squares / (count - 1.0)).sqrt()) }
    }

    /// The mean, and how far runs lie from it.
    pub(super) fn seconds(self) -> String {
        self.text(|value| seconds(Some(value)))
    }

    /// The same with so many digits behind the point.
    pub(super) fn digits(self, digits: usize) -> String {
        self.text(|value| format!("{value:.digits$}"))
    }

    fn text(self, number: impl Fn(f64) -> String) -> String {
        let mean = number(self.mean);
        self.deviation.map_or_else(|| mean.clone(), |spread| format!("{mean} ± {}", number(spread)))
    }
}

/// The number that a cell begins with.
pub(super) fn number(cell: &str) -> Option<f64> {
    cell.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_runs_have_a_mean_and_a_deviation() {
        let one = Scatter::of([0.25].into_iter());
        assert_eq!((one.mean, one.seconds().as_str()), (0.25, "0.2500"));
        let three = Scatter::of([1.0, 2.0, 6.0].into_iter());
        assert_eq!((three.seconds(), three.digits(0)), ("3.00 ± 2.65".into(), "3 ± 3".into()));
        assert_eq!((number(&three.seconds()), number("")), (Some(3.0), None));
    }

    #[test]
    fn what_takes_long_is_measured_once() {
        let runs = |asked, seconds| {
            let mut runs = 0;
            let measure = || {
                runs += 1;
                Ok::<_, ()>(seconds)
            };
            Scatter::measured(asked, measure).expect("it runs");
            runs
        };
        assert_eq!([runs(None, 0.1), runs(None, 1.5), runs(None, 60.0)], [10, 3, 1]);
        assert_eq!([runs(Some(1), 0.1), runs(Some(20), 60.0)], [1, 20]);
    }

    #[test]
    fn a_grid_is_a_table_in_markdown() {
        let mut grid = Grid::new(&["k", "s"]);
        grid.push(vec!["2".into(), seconds(Some(0.25))]);
        grid.push(vec!["3".into(), seconds(None)]);
        let text = grid.markdown();
        assert_eq!(text, "| k | s |\n|---|---|\n| 2 | 0.2500 |\n| 3 |  |\n");
        let read = Grid::read(&format!("### T\n\n{text}\n| other |\n")).expect("a table");
        assert_eq!((read.columns, read.rows), (grid.columns.clone(), grid.rows.clone()));
        assert!(Grid::read("no table").is_none());
        let one = grid.printing(|k| k == "3");
        assert_eq!(
            (one.rows.len(), one.markdown().as_str()),
            (2, "| k | s |\n|---|---|\n| 3 |  |\n")
        );
    }
}
