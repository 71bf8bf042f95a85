//! What a relay carries: rooms that are open at once, and bytes a second through some of them, beside a plain TCP pipe.
//!
//! `veilset relay --listen 127.0.0.1:7000 --connections 2000`, then
//! `cargo run --release -p veilset-relay --example rooms -- ws://127.0.0.1:7000 500 1`: 500 rooms, of which 1 is busy. What the relay's
//! memory is, its process says: `grep VmRSS /proc/$(pidof veilset)/status`.

#![allow(clippy::print_stdout)]

use std::env;
use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use veilset_reach::wire::{Room, Side};
use veilset_reach::{Proxies, RelayUrl, Relayed, join};

/// How long the busy ones send.
const TIME: Duration = Duration::from_secs(4);

/// What is written at once: a TLS record.
const PIECE: usize = 16 << 10;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [url, rooms, busy] = args.as_slice() else {
        return Err("say which relay, how many rooms, and how many of them are busy".into());
    };
    let (url, rooms, busy): (RelayUrl, u32, usize) = (url.parse()?, rooms.parse()?, busy.parse()?);
    println!("a plain pipe: {:.0} MB a second", plain_pipe()? / 1e6);
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let start = Instant::now();
        let mut entering = JoinSet::new();
        for room in 0..rooms {
            let url = url.clone();
            entering.spawn(async move {
                tokio::join!(enter(&url, room, Side::First), enter(&url, room, Side::Second))
            });
        }
        let pairs = entering.join_all().await;
        println!("{rooms} rooms open in {:?}: press enter to end", start.elapsed());
        let mut pairs = pairs.into_iter();
        let mut sending = JoinSet::new();
        for (one, other) in pairs.by_ref().take(busy) {
            sending.spawn(carry(one, other));
        }
        let bytes: f64 = sending.join_all().await.into_iter().sum();
        println!("through {busy} of them: {:.0} MB a second", bytes / 1e6);
        let idle: Vec<_> = pairs.collect();
        let waiting = tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0]));
        let _ = waiting.await;
        drop(idle);
    });
    Ok(())
}

async fn enter(url: &RelayUrl, room: u32, side: Side) -> Relayed {
    let mut name = [0; 32];
    name[..4].copy_from_slice(&room.to_le_bytes());
    join(url, &Room(name), side, &Proxies::default(), || ()).await.expect("there is room")
}

/// Bytes a second from one end to the other.
async fn carry(mut one: Relayed, mut other: Relayed) -> f64 {
    let start = Instant::now();
    let sending = tokio::spawn(async move {
        while start.elapsed() < TIME {
            one.write_all(&[7; PIECE]).await.expect("open");
        }
        one.shutdown().await.expect("open");
        one
    });
    let (mut bytes, mut piece) = (0, vec![0; PIECE]);
    loop {
        match other.read(&mut piece).await.expect("open") {
            0 => break,
            count => bytes += count,
        }
    }
    let time = start.elapsed();
    drop(sending.await);
    bytes as f64 / time.as_secs_f64()
}

/// The same from one thread to another, through a third that copies.
fn plain_pipe() -> std::io::Result<f64> {
    let (near, far) = (TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?);
    let (near_addr, far_addr) = (near.local_addr()?, far.local_addr()?);
    thread::spawn(move || -> std::io::Result<()> {
        let (mut from, mut to) = (near.accept()?.0, TcpStream::connect(far_addr)?);
        let mut piece = vec![0; PIECE];
        loop {
            match from.read(&mut piece)? {
                0 => return Ok(()),
                count => to.write_all(&piece[..count])?,
            }
        }
    });
    let mut one = TcpStream::connect(near_addr)?;
    let mut other = far.accept()?.0;
    let start = Instant::now();
    let sending = thread::spawn(move || -> std::io::Result<()> {
        while start.elapsed() < TIME {
            one.write_all(&[7; PIECE])?;
        }
        Ok(())
    });
    let (mut bytes, mut piece) = (0, vec![0; PIECE]);
    loop {
        match other.read(&mut piece)? {
            0 => break,
            count => bytes += count,
        }
    }
    let time = start.elapsed();
    sending.join().expect("no panic")?;
    Ok(bytes as f64 / time.as_secs_f64())
}
