//! Errors in arguments and values.

use super::key::KeyError;
use keyscape_codec::{ShownError, ValueError};
use keyscape_diagnostics::{datum::short, suggestion};
use keyscape_layout::EncodeError;

/// An argument that does not fit the layout.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("there is no {what} `{given}`")]
    Unknown { what: &'static str, given: String, kinds: &'static str, known: Vec<String> },
    #[error("several stores have a keyspace `{given}`")]
    Ambiguous { given: String, candidates: Vec<String> },
    #[error("`{given}` is not a hash, so it has no fields to decode")]
    NotHash { given: String, hashes: Vec<String> },
    #[error("`{given}` is not a queue")]
    NotQueue { given: String, queues: Vec<String> },
    #[error("`{given}` is not of the form `field=value`")]
    NotPair { given: String, example: String },
    #[error(
        "`{given}` is not a condition: write a path, one of `=`, `!=`, `<`, `<=`, `>`, `>=`, and a \
         value, such as `value.status=open`"
    )]
    NotCondition { given: String },
    #[error("`--json` is not JSON: {source}")]
    Json { source: serde_json::Error },
    #[error("`--json` is not an object")]
    JsonObject { first: String },
    #[error("field `{path}` is given twice")]
    Twice { path: String },
    #[error("`{field}` is not a leading field of scan `{scan}`")]
    NotLeading { field: String, scan: String, leading: Vec<String> },
    #[error("both `{hash}` and `{field}` have a field `{name}`")]
    BothKeys { name: String, hash: String, field: String },
    #[error("the value of {what} is missing")]
    NoValue { what: String },
    #[error("{what} takes no value, and `{given}` was given")]
    TakesNone { what: String, given: String },
    #[error("the lease would end at {until}, which is not after {now}")]
    LeaseEnded { now: u64, until: u64 },
    #[error("stdin cannot be both the layout and {what}")]
    Stdin { what: &'static str },
    #[error("`{path}` is an input of this command")]
    OutputIsInput { path: String },
    #[error("`{path}` is a database")]
    OutputIsDatabase { path: String },
    #[error("`{argument}` is not of the form `git:REF:PATH`")]
    GitArgument { argument: String },
    #[error("cannot read `{path}` of `{commit}`: {reason}")]
    Git { commit: String, path: String, reason: String },
    #[error("cursor `{given}`: {why}")]
    Cursor { given: String, why: String },
    #[error("the value is not JSON: {source}")]
    ValueJson { source: serde_json::Error },
    #[error("the value is not a message `{message}`: {source}")]
    Message { message: String, source: serde_json::Error },
    #[error("the descriptor set of `{message}` lacks a file that it imports")]
    NoDescriptor { message: String },
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("{source}")]
    Encode { source: EncodeError, fields: Vec<String> },
}

/// A value that does not fit its field.
#[derive(Debug, thiserror::Error)]
#[error("{}", field_words(path, reason))]
pub struct FieldError {
    /// The path of the field.
    pub path: String,
    pub reason: FieldReason,
}

fn field_words(path: &str, reason: &FieldReason) -> String {
    match reason {
        FieldReason::Unknown { .. } => format!("there is no field `{path}`"),
        reason => format!("field `{path}`: {reason}"),
    }
}

/// The reason why a value does not fit its field.
#[derive(Debug, thiserror::Error)]
pub enum FieldReason {
    #[error("there is no such field")]
    Unknown { name: String, known: Vec<String> },
    #[error("it has no part `{name}`")]
    NoParts { name: String },
    #[error("`{}` is not one of its {what}", short(given))]
    Choice { given: String, what: &'static str, known: Vec<String> },
    #[error("expected {expected}, got {given}")]
    Shape { expected: String, given: &'static str },
    #[error("{}", not_an_integer(given, *what, *position))]
    Digit { given: String, what: Option<char>, position: usize, allowed: String },
    #[error("`{}` is not a number", short(given))]
    Float { given: String },
    #[error("`{given}` is not an integer that JSON represents exactly")]
    Inexact { given: String, allowed: String },
    #[error("`{given}` is not written as an integer")]
    Fraction { given: String, allowed: String },
    #[error("`{}` is not a byte string", short(given))]
    NotHex { given: String },
    #[error("`{}`: {source}", short(given))]
    Hex { given: String, source: KeyError },
    #[error("`{}`: {source}", short(given))]
    Shown { given: String, source: ShownError },
    #[error("{}", outside(given, source))]
    Value { given: String, source: ValueError },
    #[error("`{}` is outside its domain", short(given))]
    Outside { given: String, allowed: String },
}

fn not_an_integer(given: &str, what: Option<char>, position: usize) -> String {
    match what {
        Some(what) => {
            let given = short(given);
            format!("`{given}` is not an integer: `{what}` at position {position} is not a digit")
        }
        None if given.is_empty() => "the value is empty".to_owned(),
        None => format!("`{}` has no digits", short(given)),
    }
}

fn outside(given: &str, error: &ValueError) -> String {
    let given = short(given);
    match error {
        ValueError::Character { index, what, .. } => {
            format!("`{what}` at position {} of `{given}` is not allowed", index + 1)
        }
        ValueError::Incomplete { .. } => format!("`{given}` ends too early"),
        _ => format!("`{given}` is outside its domain"),
    }
}

impl InputError {
    /// Returns the `help:` line.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Unknown { given, kinds, known, .. } => {
                Some(suggestion::help(given, kinds, known))
            }
            Self::Ambiguous { candidates, .. } => {
                Some(format!("choose one of {}", suggestion::list(candidates)))
            }
            Self::GitArgument { .. } => {
                Some("write a commit and a file, such as `git:main:shop.keys`".to_owned())
            }
            Self::Git { .. } => Some("the path is relative to the current directory".to_owned()),
            Self::NotHash { hashes, .. } if hashes.is_empty() => {
                Some("the layout has no hashes".to_owned())
            }
            Self::NotHash { hashes, .. } => Some(format!("hashes: {}", suggestion::list(hashes))),
            Self::NotQueue { queues, .. } if queues.is_empty() => {
                Some("the layout has no queues".to_owned())
            }
            Self::NotQueue { queues, .. } => Some(format!("queues: {}", suggestion::list(queues))),
            Self::NotPair { example, .. } => Some(format!("for example `{example}`")),
            Self::JsonObject { first } => Some(format!("for example `{{\"{first}\": …}}`")),
            Self::NotLeading { leading, .. } if leading.is_empty() => {
                Some("this scan takes no fields".to_owned())
            }
            Self::NotLeading { leading, .. } => {
                Some(format!("this scan takes {}", suggestion::list(leading)))
            }
            Self::Field(error) => error.reason.help(),
            Self::Encode { source: EncodeError::Missing { .. }, fields } => {
                Some(format!("fields: {}", suggestion::list(fields)))
            }
            Self::BothKeys { .. } => {
                Some("use `import`, which has separate objects \"hash\" and \"fields\"".to_owned())
            }
            Self::NoValue { .. } => Some("put the value after `--`".to_owned()),
            Self::ValueJson { source } if source.to_string().starts_with("recursion limit") => {
                Some("nest JSON at most 127 deep".to_owned())
            }
            Self::ValueJson { .. } => Some("put JSON text in double quotes".to_owned()),
            Self::Message { .. } => {
                Some("write the fields as JSON with their names in the `.proto` file".to_owned())
            }
            Self::NoDescriptor { .. } => Some(
                "write the set with its imports: `protoc --include_imports`, or `buf build`"
                    .to_owned(),
            ),
            Self::Stdin { .. } => Some("use a file for the layout".to_owned()),
            Self::LeaseEnded { .. } => Some("give a later `--until`".to_owned()),
            Self::OutputIsInput { .. } | Self::OutputIsDatabase { .. } => {
                Some("choose another output file".to_owned())
            }
            Self::Cursor { .. } => {
                Some("use a cursor printed by the same scan, with the same fields".to_owned())
            }
            // clap prints the error of a condition, and no help.
            Self::NotCondition { .. }
            | Self::TakesNone { .. }
            | Self::Json { .. }
            | Self::Twice { .. }
            | Self::Encode { .. } => None,
        }
    }
}

impl FieldReason {
    fn help(&self) -> Option<String> {
        match self {
            Self::Unknown { name, known } => Some(suggestion::help(name, "fields", known)),
            Self::Choice { given, what, known } => Some(suggestion::help(given, what, known)),
            Self::Inexact { allowed, .. } => {
                Some(format!("expected {allowed}; write a large integer as text, in quotes"))
            }
            Self::Fraction { allowed, .. } => {
                Some(format!("expected {allowed}, without a fraction or an exponent"))
            }
            Self::NotHex { .. } => Some("write bytes as `0x` and hexadecimal digits".to_owned()),
            Self::Shown { .. } => {
                Some("bytes can also be written as `0x` and hexadecimal digits".to_owned())
            }
            Self::Outside { allowed, .. } | Self::Digit { allowed, .. } => {
                Some(format!("expected {allowed}"))
            }
            Self::Value { source, .. } => match source {
                ValueError::Kind { expected: allowed }
                | ValueError::Outside { allowed }
                | ValueError::Character { allowed, .. }
                | ValueError::Incomplete { allowed } => Some(format!("expected {allowed}")),
                _ => None,
            },
            Self::Float { .. } => Some("expected a number".to_owned()),
            Self::NoParts { .. } => {
                Some("leave the part out; the value is not composite".to_owned())
            }
            Self::Shape { .. } | Self::Hex { .. } => None,
        }
    }
}
