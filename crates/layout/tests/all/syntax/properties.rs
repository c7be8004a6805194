//! Properties of all files.

use crate::syntax::{
    examples,
    generator::{Choices, Generator, scatter},
};
use keyscape_layout::{
    FileId,
    syntax::{format, parse},
};
use proptest::prelude::*;

/// Formats the syntax tree of a file without its spans.
fn tree(source: &str) -> String {
    let (file, diagnostics) = parse(source, FileId(0));
    assert!(diagnostics.is_empty(), "{source}\n{diagnostics:#?}");
    let debug = format!("{file:?}");
    let mut parts = debug.split("Span { ");
    let mut tree = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        tree.push_str(part.split_once(" }").expect("a span has an end").1);
    }
    tree
}

/// Checks the properties of every text, whether or not it follows the grammar.
fn check_any(source: &str) {
    let (_, diagnostics) = parse(source, FileId(0));
    for diagnostic in &diagnostics {
        for span in diagnostic.related.iter().map(|(span, _)| *span).chain([diagnostic.span]) {
            let text = source.get(span.start as usize..span.end as usize);
            assert!(text.is_some(), "not on character boundaries: {diagnostic:?}");
        }
        assert!(!diagnostic.label.is_empty(), "{diagnostic:?}");
        assert!(!diagnostic.message.ends_with('.'), "{diagnostic:?}");
        assert!(!diagnostic.message.contains('\n'), "{diagnostic:?}");
        assert!(!diagnostic.message.starts_with(char::is_uppercase), "{diagnostic:?}");
    }
    assert!(diagnostics.is_sorted_by_key(|diagnostic| diagnostic.span.start));
    match format(source) {
        Err(messages) => assert_eq!(messages, diagnostics),
        Ok(formatted) => {
            assert!(diagnostics.is_empty());
            assert_eq!(tree(&formatted), tree(source), "{source}\n---\n{formatted}");
            assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "{source}\n---\n{formatted}");
        }
    }
}

/// Whether a text contains all comments in order, each at the end of a line.
fn holds_comments(text: &str, comments: &[String]) -> bool {
    let mut lines = text.lines();
    comments.iter().all(|comment| lines.any(|line| line.ends_with(comment.as_str())))
}

fn letters(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

const SOUP: [&str; 61] = [
    "map",
    "a",
    "b",
    "=",
    "0x00",
    "0x1",
    "\"t\"",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ":",
    ",",
    ".",
    "..",
    "..=",
    "->",
    "|",
    "-",
    "1",
    "2_0",
    "99999999999999999999999999999999999999999",
    "type",
    "namespace",
    "family",
    "store",
    "import",
    "scan",
    "all",
    "by",
    "as",
    "also",
    "in",
    "of",
    "reads",
    "if",
    "is",
    "not",
    "and",
    "or",
    "shown",
    "from",
    "value",
    "field",
    "accept",
    "split",
    "at",
    "first",
    "r\"x\"",
    "br#\"y\"#",
    "// c\n",
    "/// d\n",
    "\n",
    "\n\n",
    ";",
    "'",
    "é",
    "\\",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_files_parse_and_their_format_keeps_every_token_and_comment(seed: u64) {
        let mut choices = Choices::new(seed);
        let tokens = Generator::file(&mut choices);
        let (source, comments) = scatter(&tokens, &mut choices);
        let plain = tokens.join(" ");
        // `scatter` adds comments between the tokens, which change only documentation.
        prop_assert!(parse(&plain, FileId(0)).1.is_empty(), "{plain}\n{:#?}", parse(&plain, FileId(0)).1);
        check_any(&source);
        let formatted = format(&source).map_err(|messages| TestCaseError::fail(format!("{messages:#?}\n{source}")))?;
        prop_assert_eq!(letters(&formatted), letters(&source));
        prop_assert!(holds_comments(&formatted, &comments), "{}", formatted);
        prop_assert!(!formatted.lines().any(|line| line.ends_with(' ')), "{}", formatted);
        prop_assert!(!formatted.contains("\n\n\n") && !formatted.starts_with('\n'));
    }

    #[test]
    fn white_space_does_not_change_the_tree(seed: u64) {
        let mut choices = Choices::new(seed);
        let tokens = Generator::file(&mut choices);
        let lines = tokens.join("\n");
        prop_assert_eq!(tree(&lines), tree(&tokens.join(" ")));
        prop_assert_eq!(format(&lines).map(|it| letters(&it)), Ok(letters(&lines)));
    }

    #[test]
    fn token_soup_is_parsed_or_rejected(words in prop::collection::vec(prop::sample::select(&SOUP[..]), 0..40)) {
        check_any(&words.join(" "));
        check_any(&words.concat());
    }

    #[test]
    fn any_text_is_parsed_or_rejected(source in "\\PC{0,60}") {
        check_any(&source);
    }

    #[test]
    fn real_layouts_with_pieces_cut_or_moved_are_parsed_or_rejected(
        example in 0..examples::ALL.len(), cut in 0..4000_usize, length in 0..40_usize, target in 0..4000_usize,
        word in prop::sample::select(&SOUP[..]), action in 0..3,
    ) {
        let (_, source) = examples::ALL[example];
        let boundary = |at: usize| (at % (source.len() + 1)..=source.len()).find(|at| source.is_char_boundary(*at)).unwrap_or(0);
        let (start, target) = (boundary(cut), boundary(target));
        let end = boundary((start + length).min(source.len()));
        let mutated = match action {
            0 => format!("{}{}", &source[..start], &source[end..]),
            1 => format!("{}{word}{}", &source[..start], &source[start..]),
            _ => format!("{}{}{}", &source[..target], &source[start..end], &source[target..]),
        };
        check_any(&mutated);
    }
}

#[test]
fn real_layouts_keep_their_tree() {
    for (_, source) in examples::ALL {
        check_any(source);
    }
}

/// A single missing token causes only a few diagnostics.
#[test]
fn one_missing_token_causes_few_reports() {
    for (name, source) in examples::ALL {
        let words: Vec<_> = source.split_inclusive([' ', '\n']).collect();
        for missing in 0..words.len() {
            let kept = |(at, word): (usize, &&str)| {
                if at == missing { String::new() } else { (*word).to_owned() }
            };
            let mutated: String = words.iter().enumerate().map(kept).collect();
            let messages = parse(&mutated, FileId(0)).1;
            assert!(messages.len() <= 3, "{name} without {:?}: {messages:#?}", words[missing]);
        }
    }
}
