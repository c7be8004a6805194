//! Text to syntax tree and back: lexer, parser, formatter.
pub mod ast;
