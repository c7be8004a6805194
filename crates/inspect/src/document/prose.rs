//! Doc comments of a layout: paragraphs of words and code.

/// A piece of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// Words.
    Text(String),
    /// Text between backquotes.
    Code(String),
}

/// Returns the paragraphs of a doc comment. Only backquotes are markup.
pub fn paragraphs(lines: &[String]) -> Vec<Vec<Run>> {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        let line = line.trim();
        match paragraphs.last_mut().filter(|_| open) {
            _ if line.is_empty() => open = false,
            Some(last) => {
                last.push(' ');
                last.push_str(line);
            }
            None => {
                paragraphs.push(line.to_owned());
                open = true;
            }
        }
    }
    paragraphs.iter().map(|text| runs(text)).collect()
}

/// Returns the first paragraph of a doc comment.
pub fn first(lines: &[String]) -> Vec<Run> {
    paragraphs(lines).into_iter().next().unwrap_or_default()
}

/// Divides a text into words and the code between backquotes.
pub fn runs(text: &str) -> Vec<Run> {
    let text = clean(text);
    let mut runs = Vec::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('`') {
        let Some((code, rest_of_text)) = after.split_once('`').filter(|(code, _)| !code.is_empty())
        else {
            break;
        };
        if !before.is_empty() {
            runs.push(Run::Text(before.to_owned()));
        }
        runs.push(Run::Code(code.to_owned()));
        rest = rest_of_text;
    }
    if !rest.is_empty() {
        runs.push(Run::Text(rest.to_owned()));
    }
    runs
}

/// Returns a text on one line, without control characters and changes of direction.
pub fn clean(text: &str) -> String {
    text.chars()
        .map(|char| match char {
            '\n' | '\r' | '\t' => ' ',
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                char::REPLACEMENT_CHARACTER
            }
            char if char.is_control() => char::REPLACEMENT_CHARACTER,
            char => char,
        })
        .collect()
}
