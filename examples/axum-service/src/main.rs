//! Serves notes on port 3000.

use keyscape_example_axum_service::{notes::LAYOUT, routes};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "notes.redb".to_owned());
    let routes = routes(keyscape_store_redb::open_or_create(&file, &LAYOUT)?)?;
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
        axum::serve(listener, routes).await
    })?;
    Ok(())
}
