//! Text to syntax tree and back: lexer, parser, formatter.
pub mod ast;
/// stub
pub fn parse(_: &str, _: crate::FileId) -> (ast::File, Vec<crate::Diagnostic>) { Default::default() }
