//! The reads and writes of a send by the number of denominations that the payer holds. The database
//! always contains the same number of coins. The depth of its tree therefore does not change.

use super::record;
use crate::{
    fixture::{counted, fill, memory, ok},
    plot::{Chart, Line},
};
use keyscape::{U256, store::Count};
use keyscape_bank::{
    Address, Coin, Coins, Error, Keeper, keeper,
    layout::bank::{BALANCES, LAYOUT},
    values::CoinMessage,
};
use serde_json::{Value, json};
use std::fmt::Write;

/// The numbers of denominations that the payer holds, one per measurement.
pub const SIZES: [u32; 4] = [1, 100, 10_000, 1_000_000];
/// The number of balances in the database, without those of the payee.
const TOTAL: u32 = 1_000_000;
/// The number of rows that one transaction writes when it fills a database.
const FILLED_AT_ONCE: usize = 50_000;

/// The cost of one send.
#[derive(Clone, Debug)]
pub struct Point {
    /// The design that stores the coins.
    pub design: &'static str,
    /// The number of denominations that the payer holds.
    pub denoms: u32,
    /// The reads and writes.
    pub count: Count,
}

const PAYER: [u8; 20] = [1; 20];
const PAYEE: [u8; 20] = [2; 20];

fn other(number: u32) -> [u8; 20] {
    let mut address = [3; 20];
    address[16..].copy_from_slice(&number.to_be_bytes());
    address
}

fn denom(number: u32) -> String {
    format!("coin{number:07}")
}

/// Returns the owner of the coin with a number.
fn owner(number: u32, denoms: u32) -> [u8; 20] {
    if number < denoms { PAYER } else { other(number) }
}

/// Counts the cost of a send in both designs.
#[must_use]
pub fn measure() -> Vec<Point> {
    let mut points = Vec::new();
    for denoms in SIZES {
        eprintln!("counting what a send costs with {denoms} denominations");
        points.push(Point { design: ROWS, denoms, count: by_row(denoms) });
    }
    for denoms in SIZES {
        points.push(Point { design: RECORD, denoms, count: by_record(denoms) });
    }
    points
}

const ROWS: &str = "a row for each balance";
const RECORD: &str = "all coins in one record";

fn by_row(denoms: u32) -> Count {
    let db = memory(&[&LAYOUT]);
    fill(&db, 0..TOTAL.into(), FILLED_AT_ONCE, |tx, number| {
        let number = ok(u32::try_from(number));
        let coin = Coin::new(&denom(number), 1_000_u32)?;
        let owner = ok(Address::new(owner(number, denoms).to_vec()));
        Ok::<(), Error>(BALANCES.put(tx, (&owner, &coin.denom), coin.amount)?)
    });
    let (payer, payee) = (ok(Address::new(&PAYER[..])), ok(Address::new(&PAYEE[..])));
    let sent = ok(Coin::new(&denom(0), 1_u32));
    ok(db.write(|tx| {
        Keeper::default().create_account(tx, &payer)?;
        Keeper::default().create_account(tx, &payee)?;
        keeper::set_balance(tx, &payee, &Coin { amount: U256::new(1_000), ..sent.clone() })
    }));
    let sent = ok(Coins::try_from(sent));
    counted(&db, |tx| drop(ok(Keeper::default().send(tx, 0, &payer, &payee, &sent))))
}

fn by_record(denoms: u32) -> Count {
    let coin = |number| CoinMessage { denom: denom(number), amount: "1000".to_owned() };
    let db = record::empty();
    ok(db.write(|tx| {
        record::put(tx, &PAYER, (0..denoms).map(coin).collect());
        record::put(tx, &PAYEE, vec![coin(0)]);
        Ok::<(), keyscape::Error>(())
    }));
    fill(&db, denoms.into()..TOTAL.into(), FILLED_AT_ONCE, |tx, number| {
        let number = ok(u32::try_from(number));
        record::put(tx, &other(number), vec![coin(number)]);
        Ok::<(), keyscape::Error>(())
    });
    counted(&db, |tx| record::send(tx, &PAYER, &PAYEE, &denom(0), U256::ONE))
}

/// Appends the counts as Markdown.
pub fn markdown(points: &[Point], plot: Option<&str>, text: &mut String) {
    let _ = write!(
        text,
        "\n## What a send costs as the payer holds more\n\nCounted, not timed: one coin between two \
         accounts that have it. The database always contains {TOTAL} coins.\n\n\
         | design | denominations held | rows read by key | rows written | rows read by cursors | \
         bytes read | bytes written |\n|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for Point { design, denoms, count } in points {
        let _ = writeln!(
            text,
            "| {design} | {denoms} | {} | {} | {} | {} | {} |",
            count.gets,
            count.puts + count.deletes,
            count.rows,
            count.bytes_read,
            count.bytes_written,
        );
    }
    if let Some(plot) = plot {
        let _ = writeln!(text, "\n![Bytes of a send by denominations held]({plot})");
    }
}

/// Returns the plot of the bytes.
#[must_use]
pub fn chart(points: &[Point]) -> Chart {
    let line = |design: &'static str| {
        let of = points.iter().filter(move |point| point.design == design);
        let bytes = |count: Count| (count.bytes_read + count.bytes_written) as f64;
        Line {
            title: format!("{design}: bytes read and written"),
            points: of.map(|point| (f64::from(point.denoms), bytes(point.count))).collect(),
        }
    };
    let lines = if points.is_empty() { Vec::new() } else { vec![line(ROWS), line(RECORD)] };
    Chart {
        across: "denominations that the payer holds",
        unit: "bytes a send",
        marks: SIZES.map(f64::from).to_vec(),
        lines,
    }
}

/// Returns the counts as JSON.
#[must_use]
pub fn json(points: &[Point]) -> Value {
    let points = points.iter().map(|Point { design, denoms, count }| {
        json!({
            "design": design,
            "denominations": denoms,
            "coins_in_all": TOTAL,
            "gets": count.gets,
            "puts": count.puts,
            "deletes": count.deletes,
            "cursor_rows": count.rows,
            "bytes_read": count.bytes_read,
            "bytes_written": count.bytes_written,
        })
    });
    points.collect()
}
