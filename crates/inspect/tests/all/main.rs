//! Tests of the public functions.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test whose layout is wrong fails")]

mod documents;
mod inputs;
mod messages;

use keyscape_layout::{Layout, NoImports, read};

fn layout(text: &str) -> Layout {
    let layout = read("s.keys", text, &mut NoImports);
    let Ok(layout) = layout else { panic!("{layout:?}") };
    layout
}
