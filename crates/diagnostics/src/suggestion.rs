//! Suggestions for misspelt names.

/// Returns the closest of some names, if one is close enough.
pub fn closest<'n>(given: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), name))
        .filter(|(distance, name)| *distance * 3 <= name.len().max(given.len()))
        .min()
        .map(|(_, name)| name)
}

/// Returns `did you mean …?`, or the list of names.
pub fn help(given: &str, what: &str, names: &[&str]) -> String {
    if let Some(name) = closest(given, names.iter().copied()) {
        return format!("did you mean `{name}`?");
    }
    match names {
        [] => format!("there are no {what}"),
        names => format!("{what}: {}", list(names)),
    }
}

/// Returns names in backticks, joined with commas; the first dozen of many.
pub fn list(names: &[&str]) -> String {
    const MOST: usize = 12;
    let mut text = names.iter().take(MOST).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}
