//! Values from the command line: merges `field=value` pairs and JSON.

use super::{InputError, json};
use serde_json::Value as Json;

/// A value from the command line.
#[derive(Clone, Debug)]
pub enum Argument {
    /// The text after `=`.
    Text(String),
    /// A JSON value that is not an object.
    Json(Json),
    /// Named parts: an object, or dotted paths.
    Parts(Parts),
}

/// Named parts, in the order of the arguments.
pub type Parts = Vec<(String, Argument)>;

impl From<Json> for Argument {
    fn from(json: Json) -> Self {
        match json {
            Json::Object(map) => {
                Self::Parts(map.into_iter().map(|(name, json)| (name, json.into())).collect())
            }
            json => Self::Json(json),
        }
    }
}

/// Merges pairs and a JSON object. `example` is a pair that the error of a wrong one shows.
pub fn collect(pairs: &[String], json: Option<&str>, example: &str) -> Result<Parts, InputError> {
    let mut parts = Vec::new();
    if let Some(text) = json {
        let json: Json = json::parse(text)
            .map_err(|error| InputError::without_help(format!("`--json` is not JSON: {error}")))?;
        let Argument::Parts(object) = Argument::from(json) else {
            let field = example.split('=').next().unwrap_or(example);
            let help = format!("for example `{{\"{field}\": …}}`");
            return Err(InputError::new("`--json` is not an object", help));
        };
        parts = object;
    }
    for pair in pairs {
        let Some((path, value)) = pair.split_once('=').filter(|(path, _)| !path.is_empty()) else {
            let (given, example) = (pair.clone(), example.to_owned());
            return Err(InputError::NotPair { given, example });
        };
        let names: Vec<&str> = path.split('.').collect();
        if insert(&mut parts, &names, Argument::Text(value.to_owned())).is_none() {
            return Err(InputError::without_help(format!("field `{path}` is given twice")));
        }
    }
    Ok(parts)
}

/// Inserts a value at a path; `None` if the path already has one.
fn insert(parts: &mut Parts, path: &[&str], value: Argument) -> Option<()> {
    let (first, rest) = path.split_first()?;
    let known = parts.iter_mut().find(|(name, _)| name == first);
    match (known, rest) {
        (None, []) => parts.push(((*first).to_owned(), value)),
        (None, rest) => {
            let mut inner = Vec::new();
            insert(&mut inner, rest, value)?;
            parts.push(((*first).to_owned(), Argument::Parts(inner)));
        }
        (Some((_, Argument::Parts(inner))), [_, ..]) => insert(inner, rest, value)?,
        (Some(_), _) => return None,
    }
    Some(())
}
