//! A service that stores notes, and shows its own database under `/explorer`.

keyscape::layout!("notes.keys");

use axum::{
    Router,
    extract::{Path, State},
    http::StatusCode,
    routing::post,
};
use keyscape::{Error, store::Db};
use notes::NOTES;

/// Returns the routes of the service.
///
/// # Errors
/// The layout in the database cannot be read.
pub fn routes(db: Db) -> Result<Router, keyscape_explorer::ExplorerError> {
    let layout = keyscape_explorer::saved_layout(&db)?;
    let explorer = keyscape_explorer::router(db.clone(), layout)?;
    let notes = Router::new().route("/notes/{user}", post(add).get(list)).with_state(db);
    Ok(notes.nest("/explorer", explorer))
}

/// Adds a note, and returns its number.
async fn add(
    State(db): State<Db>,
    Path(user): Path<u32>,
    text: String,
) -> Result<String, StatusCode> {
    let number = db.write(|tx| {
        let last = NOTES.prefix_user(user).reverse().first(tx)?;
        let number = last.map_or(1, |(key, _)| key.number + 1);
        NOTES.put(tx, (user, number), &text)?;
        Ok::<_, Error>(number)
    });
    number.map(|number| format!("{number}\n")).map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

/// Lists the notes of a user, one per line.
async fn list(State(db): State<Db>, Path(user): Path<u32>) -> Result<String, StatusCode> {
    let list = || -> Result<String, Error> {
        let state = db.read()?;
        let rows = NOTES.prefix_user(user).scan(&state)?;
        rows.map(|row| row.map(|(key, text)| format!("{} {text}\n", key.number))).collect()
    };
    list().map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}
