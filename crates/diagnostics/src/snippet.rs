//! Source lines with marks below them, drawn by `annotate-snippets`.

use super::{
    escape::{escaped, is_command},
    message::Label,
    style,
};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use anstyle::Style;
use keyscape_layout::{FileId, Source, Sources};
use std::ops::Range;

/// The width of a snippet in columns. Longer lines are shortened around their marks.
const WIDTH: usize = 160;

/// Appends snippets for some labels, one per file. The first file is that of the first label.
pub(super) fn render(labels: &[Label], sources: &Sources, main: Style, out: &mut String) {
    let mut files: Vec<FileId> = Vec::new();
    for label in labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    let snippets = files.iter().filter_map(|&file| {
        let labels = labels.iter().filter(|label| label.span.file == file);
        Some(snippet(sources.get(file)?, &labels.collect::<Vec<_>>()))
    });
    // The level determines only the style of the main place.
    let group = Group::with_level(Level::ERROR).elements(snippets);
    let renderer = Renderer::styled().error(main).context(style::FRAME).line_num(style::FRAME);
    out.push_str(&renderer.term_width(WIDTH).render(&[group]));
    out.push('\n');
}

/// Describes the lines of a file that some labels refer to.
fn snippet<'a>(source: &'a Source, labels: &[&'a Label]) -> Snippet<'a, Annotation<'a>> {
    let first = labels.iter().map(|label| label.span.start).min().unwrap_or_default();
    let end = labels.iter().map(|label| label.span.end).max().unwrap_or_default();
    let (first, last) = (source.position(first).line, source.position(end).line);
    let (start, (last_start, last_text)) = (source.line(first).0, source.line(last));
    let text = source.text.get(start..last_start + last_text.len()).unwrap_or_default();
    let annotations = labels.iter().map(|label| {
        let kind = if label.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let span = inside(text, label.span.start as usize..label.span.end as usize, start);
        let annotation = kind.span(span);
        if label.text.is_empty() { annotation } else { annotation.label(escaped(&label.text)) }
    });
    let snippet = Snippet::source(harmless(text)).path(escaped(&source.path)).line_start(first);
    snippet.annotations(annotations)
}

/// Returns the part of a span that is inside a text, which starts at the offset `start`. The
/// library panics if a span ends outside its text.
fn inside(text: &str, span: Range<usize>, start: usize) -> Range<usize> {
    let [from, to] = [span.start, span.end].map(|offset| {
        let offset = offset.saturating_sub(start).min(text.len());
        (0..=offset).rev().find(|&offset| text.is_char_boundary(offset)).unwrap_or(0)
    });
    from..to.max(from)
}

/// Replaces characters that a terminal would obey by characters with as many bytes, so that spans
/// stay valid. The library replaces those of ASCII itself.
fn harmless(text: &str) -> String {
    let replacement = |char: char| match char.len_utf8() {
        2 if is_command(char) => '·',
        3 if is_command(char) => '\u{fffd}',
        _ => char,
    };
    text.chars().map(replacement).collect()
}

#[cfg(test)]
mod tests {
    use crate::{plain, rejected};
    use keyscape_layout::{Diagnostic, Rejected, Span};
    use unicode_width::UnicodeWidthStr;

    fn shown(text: &str, start: usize, end: usize) -> String {
        let span = Span { start: start as u32, end: end as u32, ..Span::default() };
        let error = Diagnostic::error(span, "wrong");
        plain(&rejected(&Rejected::of_file("l.keys", text, vec![error])))
    }

    #[test]
    fn marks_of_long_lines_are_below_the_marked_text() {
        for before in ["\t".repeat(60), "漢".repeat(100), "a".repeat(200), "\t".repeat(30)] {
            for after in ["", "b".repeat(300).as_str(), "\t".repeat(60).as_str()] {
                let shown = shown(&format!("{before}!{after}"), before.len(), before.len() + 1);
                let column = |mark: char| {
                    let line = shown.lines().rfind(|line| line.contains(mark))?;
                    line.split(mark).next().map(UnicodeWidthStr::width)
                };
                assert!(column('!').is_some() && column('!') == column('^'), "{shown}");
            }
        }
    }

    #[test]
    fn a_terminal_obeys_no_character_of_a_source_line() {
        let text = "store \u{1b}\u{7f}\u{9b}\u{61c}\u{200e}\u{2028}\u{202e}\u{2069}!";
        let shown = shown(text, 6, text.len());
        let unsafe_char = |char: char| char != '\n' && super::is_command(char);
        assert!(!shown.contains(unsafe_char), "{shown:?}");
        assert!(shown.contains("^^^^^^^^^"), "{shown}");
    }

    #[test]
    fn spans_outside_the_text_or_inside_a_character_are_drawn() {
        for (start, end) in [(0, 99), (99, 99), (1, 1), (2, 1), (1, 2), (0, 0)] {
            for text in ["", "ü\n", "a\r\nü", "\n\n"] {
                assert!(shown(text, start, end).contains("l.keys:"), "{text:?} {start} {end}");
            }
        }
    }
}
