//! Text to syntax tree and back: lexer, parser, formatter.
//!
//! The lexer cuts a file into tokens and comments. The parser reads the tokens and notes which of
//! them start a line. The formatter writes the same tokens again with other white space. Nothing
//! here resolves names.

#[allow(clippy::large_enum_variant, reason = "a tree is built once and then walked by reference")]
pub mod ast;

mod encoding;
mod keyword;
mod lexer;
mod literal;
mod parser;
mod printer;
mod report;
mod token;

pub use encoding::decode_utf8;
pub use keyword::{clause_words, declaration_words};
pub use parser::{parse, parse_migration};
pub use printer::format;
