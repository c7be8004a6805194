//! Suggestions for misspelt names.

use keyscape_layout::most_similar;

/// Returns `did you mean …?`, or the list of names.
pub fn help(name: &str, what: &str, names: &[impl AsRef<str>]) -> String {
    match (most_similar(name, names.iter().map(AsRef::as_ref)), names) {
        (Some(similar), _) => format!("did you mean `{similar}`?"),
        (None, []) => format!("there are no {what}"),
        (None, names) => format!("{what}: {}", list(names)),
    }
}

/// Returns names in backticks, joined with commas; the first dozen of many.
pub fn list(names: &[impl AsRef<str>]) -> String {
    const MAX_LISTED: usize = 12;
    let shown = names.iter().take(MAX_LISTED).map(|name| format!("`{}`", name.as_ref()));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if names.len() > MAX_LISTED {
        text.push_str(&format!(" and {} more", names.len() - MAX_LISTED));
    }
    text
}
