//! JSON whose objects have no member twice.

use serde::de::{Deserialize, Error};
use std::{borrow::Cow, collections::HashSet};

/// Parses JSON. serde_json would keep the last of two members with one name.
///
/// # Errors
/// If the text is not JSON of this type, or an object in it has a member twice.
pub fn parse<'de, T: Deserialize<'de>>(text: &'de str) -> serde_json::Result<T> {
    match repeated_member(text) {
        Some(name) => {
            Err(serde_json::Error::custom(format_args!("the member `{name}` occurs twice")))
        }
        None => serde_json::from_str(text),
    }
}

/// Returns the name of a member that occurs twice in one object. The text need not be JSON.
fn repeated_member(text: &str) -> Option<Cow<'_, str>> {
    // The names in each open object; `None` for an open array.
    let mut open: Vec<Option<HashSet<Cow<'_, str>>>> = Vec::new();
    let mut is_name_next = false;
    let mut rest = text;
    while let Some(at) = rest.find(['"', '{', '[', '}', ']', ',']) {
        let (sign, after) = rest.get(at..)?.split_at(1);
        rest = after;
        match sign {
            "{" => open.push(Some(HashSet::new())),
            "[" => open.push(None),
            "}" | "]" => drop(open.pop()),
            "\"" => {
                let (content, after) = split_string(rest)?;
                rest = after;
                if let (true, Some(Some(names))) = (is_name_next, open.last_mut()) {
                    let name = unescaped(content);
                    if names.contains(&name) {
                        return Some(name);
                    }
                    names.insert(name);
                }
            }
            _ => {}
        }
        is_name_next = matches!(sign, "{" | ",") && matches!(open.last(), Some(Some(_)));
    }
    None
}

/// Splits a text after the end of the string that it begins in.
fn split_string(text: &str) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| match (is_escaped, byte) {
        (true, _) => {
            is_escaped = false;
            false
        }
        (false, b'\\') => {
            is_escaped = true;
            false
        }
        (false, byte) => byte == b'"',
    })?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

fn unescaped(content: &str) -> Cow<'_, str> {
    if !content.contains('\\') {
        return Cow::Borrowed(content);
    }
    let text: Option<String> = serde_json::from_str(&format!("\"{content}\"")).ok();
    text.map_or(Cow::Borrowed(content), Cow::Owned)
}
