//! Renders text, code and tables as Markdown. Escapes everything that a layout contains, so its
//! text cannot become markup.

use crate::output::document::prose::{Run, clean};

/// Escapes text for Markdown and HTML.
pub(super) fn text(text: &str) -> String {
    let text = clean(text);
    let mut escaped = String::new();
    for (index, char) in text.chars().enumerate() {
        match char {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '!' => {
                escaped.extend(['\\', char]);
            }
            '#' | '+' | '-' | '=' | ':' if index == 0 => escaped.extend(['\\', char]),
            '.' | ')' if is_number(&escaped) => escaped.extend(['\\', char]),
            char => escaped.push(char),
        }
    }
    escaped
}

/// Whether the preceding text could be the number of a list item.
fn is_number(before: &str) -> bool {
    !before.is_empty() && before.bytes().all(|byte| byte.is_ascii_digit())
}

/// Renders code. Code that contains `|` would break a Markdown table, so it becomes escaped HTML.
pub(super) fn code(code: &str) -> String {
    let code = clean(code);
    if code.is_empty() {
        return String::new();
    }
    if code.contains('|') {
        return format!("<code>{}</code>", entities(&code));
    }
    let longest = code.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if code.starts_with(['`', ' ']) || code.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{code}{pad}{fence}")
}

/// Replaces special characters of Markdown and HTML by numeric entities. In code, backslashes would
/// be shown.
fn entities(text: &str) -> String {
    let plain =
        |char: char| char.is_alphanumeric() || " .,:;/()".contains(char) || !char.is_ascii();
    let entity = |char: char| format!("&#{};", char as u32);
    text.chars().map(|char| if plain(char) { char.to_string() } else { entity(char) }).collect()
}

/// Renders text and code.
pub(super) fn runs(runs: &[Run]) -> String {
    runs.iter()
        .map(|run| match run {
            Run::Text(words) => text(words),
            Run::Code(found) => code(found),
        })
        .collect()
}

/// Renders a table, or nothing if it has no rows. Cells must be Markdown.
pub(super) fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut lines = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for row in rows {
        lines.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    lines.push('\n');
    lines
}
