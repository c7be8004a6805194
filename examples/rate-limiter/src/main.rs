//! Ten requests of two clients, with a limit of three per minute.
#![expect(clippy::print_stdout, reason = "the example shows its result")]

use keyscape_example_rate_limiter::{
    Limit, allow, expire,
    limits::{Client, LAYOUT, Route},
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "limits.redb".to_owned());
    let db = keyscape_store_redb::open_or_create(&file, &LAYOUT)?;
    let limit = Limit { requests: 3, window: 60 };
    let route = Route::new("search")?;
    for now in 0..10_u64 {
        let client = Client::new(if now % 2 == 0 { "ann" } else { "bob" })?;
        let answer = if allow(&db, &client, &route, now, limit)? { "allowed" } else { "refused" };
        println!("{now:>2} s  {client}  {answer}");
    }
    println!("{} old windows deleted", expire(&db, 60, 1_000)?);
    Ok(())
}
