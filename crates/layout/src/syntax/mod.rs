//! Lexer, parser and formatter.
//!
//! The lexer splits a file into tokens and comments. The parser converts the tokens to a syntax
//! tree and records which of them start a line. The formatter prints the same tokens with other
//! white space. This module does not resolve names.

#[allow(clippy::large_enum_variant, reason = "a tree is built once and then walked by reference")]
pub mod ast;

mod keyword;
mod lexer;
mod literal;
mod parser;
mod printer;
mod report;

pub use keyword::{clause_words, declaration_words, value_words};
pub use lexer::decode_utf8;
pub use parser::{parse, parse_migration};
pub use printer::format;
