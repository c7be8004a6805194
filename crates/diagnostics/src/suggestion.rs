//! Suggestions for misspelt names.

use keyscape_layout::did_you_mean;

/// Returns `did you mean …?`, or the list of names.
pub fn help(given: &str, what: &str, names: &[impl AsRef<str>]) -> String {
    if let Some(help) = did_you_mean(given, names.iter().map(AsRef::as_ref)) {
        return help;
    }
    match names {
        [] => format!("there are no {what}"),
        names => format!("{what}: {}", list(names)),
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
