//! Suggestions for misspelt names.

use keyscape_layout::most_similar;

/// Returns `did you mean …?`, or the list of names.
pub fn help(given: &str, what: &str, names: &[impl AsRef<str>]) -> String {
    match (most_similar(given, names.iter().map(AsRef::as_ref)), names) {
        (Some(name), _) => format!("did you mean `{name}`?"),
        (None, []) => format!("there are no {what}"),
        (None, names) => format!("{what}: {}", list(names)),
    }
}

/// Returns names in backticks, joined with commas; the first dozen of many.
pub fn list(names: &[impl AsRef<str>]) -> String {
    const MOST: usize = 12;
    let shown = names.iter().take(MOST).map(|name| format!("`{}`", name.as_ref()));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}
