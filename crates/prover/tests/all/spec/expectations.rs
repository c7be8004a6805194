//! The expectations in the comments of a layout.

use crate::spec::examples::bytes;
use keyscape_prover::Rule;

/// The expected verdict of a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expectation {
    /// `error: part`: an error whose message contains this text.
    Error(String),
    /// `proved`: all claims are proved.
    Proved,
    /// `refuted KS001 "key" with other`: these keys refute a claim.
    Refuted { rule: Rule, keys: Vec<Vec<u8>>, with: Option<String> },
    /// `warned KS003 "key"`: a claim is proved with a warning that shows these keys or values.
    Warned { rule: Rule, keys: Vec<Vec<u8>> },
    /// `unknown KS003`: a claim is not decided.
    Unknown(Rule),
    /// `accepted KS001`: a claim fails and is accepted.
    Accepted(Rule),
    /// `idle`: an acceptance matches no failing claim.
    Idle,
}

/// Returns the expectations of a layout with their lines, counted from one.
pub(crate) fn expectations(layout: &str) -> Result<Vec<(usize, Expectation)>, String> {
    let mut found = Vec::new();
    for (index, line) in layout.lines().enumerate() {
        let Some(comment) = comment(line) else { continue };
        if let Some(part) = comment.strip_prefix("error: ") {
            found.push((index + 1, Expectation::Error(part.to_owned())));
            continue;
        }
        for part in comment.split("; ") {
            let parsed = parse(part).ok_or_else(|| format!("`{part}` is no expectation"))?;
            found.push((index + 1, parsed));
        }
    }
    Ok(found)
}

/// Returns the comment at the end of a line, if it begins with the keyword of an expectation.
fn comment(line: &str) -> Option<&str> {
    const WORDS: [&str; 7] =
        ["error: ", "proved", "refuted ", "warned ", "unknown ", "accepted ", "idle"];
    let (_, comment) = line.rsplit_once("// ")?;
    WORDS.iter().any(|word| comment.starts_with(word)).then_some(comment.trim_end())
}

fn parse(part: &str) -> Option<Expectation> {
    let (word, rest) = part.split_once(' ').unwrap_or((part, ""));
    Some(match (word, rest) {
        ("proved", "") => Expectation::Proved,
        ("idle", "") => Expectation::Idle,
        ("unknown", code) => Expectation::Unknown(rule(code)?),
        ("accepted", code) => Expectation::Accepted(rule(code)?),
        ("refuted", rest) => {
            let (code, keys) = rest.split_once(' ').unwrap_or((rest, ""));
            let (keys, with) = match keys.rsplit_once("with ") {
                Some((keys, with)) => (keys, Some(with.to_owned())),
                None => (keys, None),
            };
            Expectation::Refuted { rule: rule(code)?, keys: keys_in(keys)?, with }
        }
        ("warned", rest) => {
            let (code, keys) = rest.split_once(' ')?;
            Expectation::Warned { rule: rule(code)?, keys: keys_in(keys)? }
        }
        _ => return None,
    })
}

fn keys_in(text: &str) -> Option<Vec<Vec<u8>>> {
    text.trim_end().split(" before ").filter(|key| !key.is_empty()).map(bytes).collect()
}

fn rule(code: &str) -> Option<Rule> {
    Rule::ALL.into_iter().find(|rule| rule.code() == code)
}
