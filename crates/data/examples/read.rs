//! How fast a list becomes keys, by threads.
//!
//! ```text
//! cargo run --release -p veilset-data --example read -- FILE KEY THREADS…
//! ```
//!
//! FILE is a list in any format, KEY such as `email:email`, and each of THREADS a number of threads.

#![expect(clippy::print_stdout, reason = "a benchmark says what it measured")]

use std::error::Error;
use std::time::{Duration, Instant};

use rayon::ThreadPoolBuilder;
use veilset_data::{KeySet, KeySpec, Source, Table};

/// What the stages of reading a list take.
struct Times {
    rows: usize,
    file: Duration,
    keys: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, key, threads @ ..] = &arguments[..] else {
        return Err("usage: read FILE KEY THREADS…".into());
    };
    let (source, key) = (Source::new(file), key.parse()?);
    println!("| threads | rows | file | keys | rows a second |\n|---|---|---|---|---|");
    for threads in threads {
        let pool = ThreadPoolBuilder::new().num_threads(threads.parse()?).build()?;
        let Times { rows, file, keys } = pool.install(|| measure(&source, &key))?;
        let a_second = rows as f64 / (file + keys).as_secs_f64();
        println!(
            "| {threads} | {rows} | {:.2} s | {:.2} s | {a_second:.3e} |",
            file.as_secs_f64(),
            keys.as_secs_f64()
        );
    }
    Ok(())
}

fn measure(source: &Source, key: &KeySpec) -> Result<Times, veilset_data::DataError> {
    let start = Instant::now();
    let table = Table::read(source, None)?;
    let file = start.elapsed();
    let keys = KeySet::build(&table, key)?;
    Ok(Times { rows: keys.rows(), file, keys: start.elapsed() - file })
}
