//! The network of section 4.4, TCP with a header of 32 bits and without Nagle's algorithm, and figure 6, what it takes.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Instant;

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use veilset_bench::BenchError;

use crate::Failure;
use crate::grid::{Grid, Scatter};
use crate::paper::Asked;

/// Bytes of the longest message: a polynomial under a key of 4096 bits.
const LONGEST: usize = 2048;

/// One end of a connection.
pub(super) struct Wire(TcpStream);

impl Wire {
    /// Both ends, over the loopback interface.
    pub(super) fn pair() -> io::Result<[Self; 2]> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let left = TcpStream::connect(listener.local_addr()?)?;
        let (right, _) = listener.accept()?;
        left.set_nodelay(true)?;
        right.set_nodelay(true)?;
        Ok([Self(left), Self(right)])
    }

    /// Header and payload in one system call.
    pub(super) fn send(&mut self, payload: &[u8]) -> io::Result<()> {
        let header = u32::try_from(payload.len()).map_err(io::Error::other)?;
        self.0.write_all(&[&header.to_be_bytes(), payload].concat())
    }

    pub(super) fn receive(&mut self) -> io::Result<Vec<u8>> {
        let mut header = [0; 4];
        self.0.read_exact(&mut header)?;
        let length = u32::from_be_bytes(header) as usize;
        if length > LONGEST {
            return Err(io::Error::other("a message is longer than any of the protocol's"));
        }
        let mut payload = vec![0; length];
        self.0.read_exact(&mut payload)?;
        Ok(payload)
    }
}

/// Round trips that are timed at once, and how often; the paper's are 100,000 and 50.
const ROUND_TRIPS: u32 = 5_000;
const REPEATS: u32 = 10;

/// Payloads, in bits: the paper's go up by 8.
fn payloads() -> impl Iterator<Item = usize> {
    [8].into_iter().chain((64..=2048).step_by(64))
}

/// Those of which the table has a row.
fn printed(bits: &str) -> bool {
    matches!(bits, "8" | "256" | "512" | "1024" | "1536" | "2048")
}

pub(super) fn round_trips(asked: Asked<'_>, done: &mut dyn FnMut(&str)) -> Result<Grid, Failure> {
    let mut grid = Grid::new(&["payload, bits", "round trip, µs"]).printing(printed);
    for bits in payloads() {
        let times = round_trip(bits / 8, asked.runs.unwrap_or(REPEATS))?;
        grid.push(vec![bits.to_string(), Scatter::of(times.into_iter()).digits(2)]);
    }
    done("round trips over the loopback interface");
    Ok(grid)
}

/// Microseconds of a round trip, measured so often.
fn round_trip(bytes: usize, repeats: u32) -> Result<Vec<f64>, Failure> {
    let [mut here, mut there] = Wire::pair()?;
    let mut payload = vec![0; bytes];
    ChaCha20Rng::from_seed([13; 32]).fill_bytes(&mut payload);
    thread::scope(|scope| {
        let echo = scope.spawn(move || {
            (0..repeats * ROUND_TRIPS)
                .try_for_each(|_| there.receive().and_then(|p| there.send(&p)))
        });
        let mut times = Vec::new();
        for _ in 0..repeats {
            let started = Instant::now();
            for _ in 0..ROUND_TRIPS {
                here.send(&payload)?;
                here.receive()?;
            }
            times.push(started.elapsed().as_secs_f64() * 1e6 / f64::from(ROUND_TRIPS));
        }
        echo.join().map_err(|_| BenchError::Threads)??;
        Ok(times)
    })
}
