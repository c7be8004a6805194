//! Markdown of the specification for the terminal.

use keyscape_diagnostics::style::{self, paint};

/// Renders headings, bold text, code and code blocks with colours instead of their marks.
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let heading = line.trim_start_matches('#');
        let rendered = if in_block {
            format!("    {line}")
        } else if heading.len() < line.len() && heading.starts_with(' ') {
            paint(style::TITLE, heading.trim_start())
        } else {
            spans(line)
        };
        out.push_str(&rendered);
        out.push('\n');
    }
    out
}

/// Renders bold text and code within a line.
fn spans(line: &str) -> String {
    let mut out = String::new();
    for (index, part) in line.split('`').enumerate() {
        if index % 2 == 1 {
            out.push_str(&paint(style::HELP, format_args!("`{part}`")));
            continue;
        }
        for (index, part) in part.split("**").enumerate() {
            match index % 2 {
                1 => out.push_str(&paint(style::TITLE, part)),
                _ => out.push_str(part),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyscape_diagnostics::plain;

    #[test]
    fn marks_become_colours() {
        let text = "## Title\n\n**Claim.** Two `a**b` keys.\n\n```keys\nstore s\n```\n";
        let rendered = markdown(text);
        assert_eq!(plain(&rendered), "Title\n\nClaim. Two `a**b` keys.\n\n    store s\n");
        assert!(rendered.contains('\u{1b}'), "{rendered:?}");
    }
}
