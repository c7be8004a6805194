//! Readers and a writer at the same time: 200 readers load pages while a writer commits rows.
//!
//! Arguments: the seconds, and the number of readers.
#![expect(clippy::print_stdout, reason = "the program reports its figures")]

use keyscape_inspect::database::SavedLayout;
use keyscape_layout::{NoImports, read as read_layout};
use keyscape_store::{Db, Layout, StoreError, StoreId};
use std::{
    error::Error,
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

const LAYOUT: &str =
    "store shop\nmap orders = \"o/\" {order: u64be} -> text\n    scan all by order\n";

const PATHS: [&str; 5] = [
    "/",
    "/keyspace/shop/orders",
    "/keyspace/shop/orders?size=100&dir=back",
    "/decode?key=6f2f0000000000000001",
    "/search?q=order",
];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let (seconds, readers) = (numbers.next().unwrap_or(30), numbers.next().unwrap_or(200));
    let folder = tempfile::tempdir()?;
    let layout =
        read_layout("shop.keys", LAYOUT, &mut NoImports).map_err(|error| format!("{error:?}"))?;
    let path = folder.path().join("load.redb");
    let create = |layout: &Layout<'_>| keyscape_store_redb::create(&path, layout);
    let db = SavedLayout::of(&layout).lend(&[], create)?;
    let routes = keyscape_explorer::router(db.clone(), layout)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))?;
    let address = listener.local_addr()?;
    thread::spawn(move || runtime.block_on(async { axum::serve(listener, routes).await }));
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let is_over = Arc::clone(&is_over);
        thread::spawn(move || write(&db, &is_over))
    };
    let before = memory();
    let end = Instant::now() + Duration::from_secs(seconds);
    let readers: Vec<_> =
        (0..readers).map(|reader| thread::spawn(move || read(address, reader, end))).collect();
    let mut used = Vec::new();
    while Instant::now() < end {
        used.push(memory());
        thread::sleep(Duration::from_millis(200));
    }
    let (mut times, mut errors) = (Vec::new(), Vec::new());
    for reader in readers {
        let (some, failed) = reader.join().map_err(|_| "a reader panicked")?;
        times.extend(some);
        errors.extend(failed);
    }
    is_over.store(true, Ordering::Relaxed);
    let commits = writer.join().map_err(|_| "the writer panicked")??;
    times.sort_unstable();
    let at =
        |per_mille: usize| times.get(times.len() * per_mille / 1000).copied().unwrap_or_default();
    let longest = times.last().copied().unwrap_or_default();
    println!("{} pages in {seconds} s, {} errors, {commits} commits", times.len(), errors.len());
    println!("latency: median {:.1?}, 99 % {:.1?}, longest {longest:.1?}", at(500), at(990));
    let max = used.iter().copied().max().unwrap_or(before);
    let half = used.get(used.len() / 2).copied().unwrap_or(before);
    println!("memory: {before} KiB before, {half} KiB at half time, {max} KiB at most");
    for error in errors.iter().take(5) {
        println!("error: {error}");
    }
    // Each reader holds one connection and at most one page; the engine caches written pages.
    let is_bounded = max < before + (256 << 10);
    Ok(if errors.is_empty() && is_bounded { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Commits rows, ten at a time, until it is stopped. Returns the number of commits.
fn write(db: &Db, is_over: &AtomicBool) -> Result<u64, StoreError> {
    let (mut number, mut commits): (u64, u64) = (0, 0);
    while !is_over.load(Ordering::Relaxed) {
        db.write(|tx| {
            for _ in 0..10 {
                number += 1;
                let key = [&b"o/"[..], &number.to_be_bytes()].concat();
                tx.put(StoreId::of("shop"), &key, format!("order {number}").as_bytes())?;
            }
            Ok::<_, StoreError>(())
        })?;
        commits += 1;
    }
    Ok(commits)
}

/// Loads pages until the end. Returns the times and the errors.
fn read(address: SocketAddr, reader: u64, end: Instant) -> (Vec<Duration>, Vec<String>) {
    let (mut times, mut errors) = (Vec::new(), Vec::new());
    for path in PATHS.iter().cycle().skip(reader as usize % PATHS.len()) {
        if Instant::now() >= end {
            break;
        }
        let start = Instant::now();
        match load(address, path) {
            Ok(()) => times.push(start.elapsed()),
            Err(error) => errors.push(format!("{path}: {error}")),
        }
    }
    (times, errors)
}

fn load(address: SocketAddr, path: &str) -> Result<(), Box<dyn Error>> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    match answer.starts_with(b"HTTP/1.1 200") {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(answer.get(..60).unwrap_or(&answer)).into()),
    }
}

/// Returns the resident memory of the process in KiB; 0 if the system does not say.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}
