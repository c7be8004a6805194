//! Transfers between accounts by several clients at once.

use super::{
    Failure,
    typed::{done, shop},
};
use keyscape_bench_compare::plot::{Chart, Line};
use serde_json::{Value, json};
use std::{
    fmt::Write as _,
    panic::resume_unwind,
    thread,
    time::{Duration, Instant},
};
use tokio::runtime::Builder;
use tokio_postgres::{Client, Error, NoTls, Statement, error::SqlState, types::ToSql};

const CLIENTS: [usize; 5] = [1, 2, 4, 8, 16];
const TIME: Duration = Duration::from_secs(3);
/// The accounts with low and with high contention.
const ACCOUNTS: [u64; 2] = [10_000, 10];
const BALANCE: u64 = 1_000_000;

/// The transfers per second of some clients.
pub(crate) struct Point {
    is_typed: bool,
    accounts: u64,
    clients: usize,
    per_second: f64,
}

pub(crate) fn measure(url: &str) -> Result<Vec<Point>, Failure> {
    let mut points = Vec::new();
    for accounts in ACCOUNTS {
        let db = keyscape_store_postgres::create(
            &format!("{url}?schema=transfers{accounts}"),
            &shop::LAYOUT,
        )?;
        db.write(|tx| {
            (0..accounts).try_for_each(|account| shop::ACCOUNTS.put(tx, account, BALANCE))
        })?;
        let table = format!("transfers_raw_{accounts}");
        raw_table(url, &table, accounts)?;
        for clients in CLIENTS {
            let typed = per_second(clients, |client| {
                let db = &db;
                let mut step = client as u64;
                move || {
                    let (from, to) = pair(&mut step, accounts);
                    done(db.write(|tx| {
                        let [taken, given] =
                            [from, to].map(|account| shop::ACCOUNTS.get(tx, account));
                        shop::ACCOUNTS.put(tx, from, taken?.unwrap_or_default() - 1)?;
                        shop::ACCOUNTS.put(tx, to, given?.unwrap_or_default() + 1)
                    }));
                }
            });
            let raw =
                per_second(clients, |client| raw_client(url, &table, accounts, client as u64));
            for (is_typed, per_second) in [(true, typed), (false, raw)] {
                points.push(Point { is_typed, accounts, clients, per_second });
            }
        }
        let state = db.read()?;
        let total: u64 = (0..accounts)
            .map(|account| done(shop::ACCOUNTS.get(&state, account)).unwrap_or_default())
            .sum();
        assert_eq!(total, accounts * BALANCE, "transfers keep the total");
    }
    Ok(points)
}

/// Chooses two different accounts.
fn pair(step: &mut u64, accounts: u64) -> (u64, u64) {
    *step = step.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let from = (*step >> 33) % accounts;
    let to = (from + 1 + (*step >> 13) % (accounts - 1)) % accounts;
    (from, to)
}

/// Runs clients at once, and returns their work per second.
fn per_second<W: FnMut()>(clients: usize, client: impl Fn(usize) -> W + Sync) -> f64 {
    let start = Instant::now();
    let count: u64 = thread::scope(|scope| {
        let runs: Vec<_> = (0..clients)
            .map(|number| {
                let client = &client;
                scope.spawn(move || {
                    let mut work = client(number);
                    let start = Instant::now();
                    let mut count = 0;
                    while start.elapsed() < TIME {
                        work();
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        runs.into_iter().map(|run| run.join().unwrap_or_else(|panic| resume_unwind(panic))).sum()
    });
    count as f64 / start.elapsed().as_secs_f64()
}

fn raw_table(url: &str, table: &str, accounts: u64) -> Result<(), Failure> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        client
            .batch_execute(&format!(
                "create table {table} (key bytea primary key, value bytea not null)"
            ))
            .await?;
        let keys: Vec<_> = (0..accounts).map(|account| account.to_be_bytes().to_vec()).collect();
        let values = vec![BALANCE.to_be_bytes().to_vec(); keys.len()];
        let put = format!("insert into {table} select * from unnest($1::bytea[], $2::bytea[])");
        client.execute(&put, &[&keys, &values]).await?;
        Ok(())
    })
}

/// Returns a client by hand, which runs a transfer again after a conflict.
fn raw_client(url: &str, table: &str, accounts: u64, number: u64) -> impl FnMut() + use<> {
    let runtime = done(Builder::new_current_thread().enable_all().build());
    let (client, connection) = done(runtime.block_on(tokio_postgres::connect(url, NoTls)));
    runtime.spawn(connection);
    let settings = "set plan_cache_mode = force_generic_plan; set enable_seqscan = off; \
                    set enable_bitmapscan = off; set enable_sort = off";
    done(runtime.block_on(client.batch_execute(settings)));
    let prepare = |sql: String| done(runtime.block_on(client.prepare(&sql)));
    let get = prepare(format!("select value from {table} where key = $1"));
    let put = prepare(format!(
        "insert into {table} select * from unnest($1::bytea[], $2::bytea[]) \
         on conflict (key) do update set value = excluded.value"
    ));
    let mut step = number;
    move || {
        let (from, to) = pair(&mut step, accounts);
        loop {
            match runtime.block_on(transfer(&client, [&get, &put], from, to)) {
                Ok(()) => return,
                Err(error) if is_conflict(&error) => {
                    done(runtime.block_on(client.batch_execute("rollback")));
                }
                Err(error) => done(Err::<(), _>(error)),
            }
        }
    }
}

fn is_conflict(error: &Error) -> bool {
    let conflicts = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
    error.code().is_some_and(|code| conflicts.contains(code))
}

async fn transfer(
    client: &Client,
    [get, put]: [&Statement; 2],
    from: u64,
    to: u64,
) -> Result<(), Error> {
    client.batch_execute("begin isolation level serializable").await?;
    let mut balances = [0; 2];
    for (balance, account) in balances.iter_mut().zip([from, to]) {
        let row = client.query_one(get, &[&account.to_be_bytes().as_slice()]).await?;
        *balance = row.get::<_, &[u8]>(0).try_into().map_or(0, u64::from_be_bytes);
    }
    let keys = [from, to].map(|account| account.to_be_bytes().to_vec());
    let values = [balances[0] - 1, balances[1] + 1].map(|value| value.to_be_bytes().to_vec());
    let (keys, values) = (keys.as_slice(), values.as_slice());
    let parameters: [&(dyn ToSql + Sync); 2] = [&keys, &values];
    let put = client.execute(put, &parameters);
    futures_util::future::try_join(put, client.batch_execute("commit")).await.map(drop)
}

fn title(is_typed: bool, accounts: u64) -> String {
    let who = if is_typed { "Keyscape" } else { "by hand" };
    format!("{who}, {accounts} accounts")
}

pub(crate) fn chart(points: &[Point]) -> Chart {
    let sides = ACCOUNTS.into_iter().flat_map(|accounts| [(true, accounts), (false, accounts)]);
    let lines = sides.map(|(is_typed, accounts)| Line {
        title: title(is_typed, accounts),
        points: points
            .iter()
            .filter(|point| point.is_typed == is_typed && point.accounts == accounts)
            .map(|point| (point.clients as f64, point.per_second))
            .collect(),
    });
    Chart {
        across: "clients",
        unit: "transfers per second",
        marks: CLIENTS.map(|clients| clients as f64).to_vec(),
        lines: lines.collect(),
    }
}

pub(crate) fn markdown(points: &[Point], plot: Option<&str>, text: &mut String) {
    let _ = write!(
        text,
        "\n## Transfers per second\n\nEach client moves 1 between two random accounts in a \
         serializable transaction: begin, two reads, and both writes with the commit. Conflicts are \
         run again. {} seconds for each number; server and clients share the machine.\n\n| clients |",
        TIME.as_secs()
    );
    let sides: Vec<(bool, u64)> =
        ACCOUNTS.into_iter().flat_map(|accounts| [(true, accounts), (false, accounts)]).collect();
    for (is_typed, accounts) in &sides {
        let _ = write!(text, " {} |", title(*is_typed, *accounts));
    }
    let _ = writeln!(text, "\n|---:|---:|---:|---:|---:|");
    for clients in CLIENTS {
        let _ = write!(text, "| {clients} |");
        for (is_typed, accounts) in &sides {
            let of = |point: &&Point| {
                (point.is_typed, point.accounts, point.clients) == (*is_typed, *accounts, clients)
            };
            let _ = write!(
                text,
                " {:.0} |",
                points.iter().find(of).map_or(0.0, |point| point.per_second)
            );
        }
        text.push('\n');
    }
    if let Some(plot) = plot {
        let _ = writeln!(text, "\n![Transfers per second by clients]({plot})");
    }
}

pub(crate) fn json(points: &[Point]) -> Value {
    let point = |point: &Point| {
        json!({
            "side": if point.is_typed { "keyscape" } else { "raw" },
            "accounts": point.accounts,
            "clients": point.clients,
            "per_second": point.per_second,
        })
    };
    points.iter().map(point).collect()
}
