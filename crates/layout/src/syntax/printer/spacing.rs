//! The space between two tokens of one line.

use crate::syntax::{parser::Role, token::TokenKind};

/// Whether a space separates two tokens. `role` is the role of the second one.
pub(super) fn spaced(before: TokenKind, after: TokenKind, role: Role) -> bool {
    use TokenKind::{
        CloseBrace, CloseBracket, CloseParen, Colon, Comma, Dot, DotDot, DotDotEq, Int, Minus,
        OpenBrace, OpenBracket, OpenParen,
    };
    let tight = role == Role::Tight
        || matches!(before, OpenParen | OpenBracket | OpenBrace | Dot | Minus)
        || matches!(after, CloseParen | CloseBracket | CloseBrace | Comma | Colon | Dot)
        || matches!((before, after), (Int, DotDot | DotDotEq) | (DotDot | DotDotEq, Int | Minus));
    !tight
}
