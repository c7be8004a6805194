//! Prints one line: an item up to its clauses, or a clause. Wraps a line that is too wide.

use super::{INDENT, Printer, WIDTH};
use crate::syntax::{parser::Role, token::TokenKind};
use core::ops::Range;

/// The format of the alternatives of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arms {
    /// All alternatives are on one line, or there are none.
    Joined,
    /// Each alternative has its own line.
    Split,
}

impl Printer<'_> {
    /// Writes the tokens of a line at the end of the text.
    pub(super) fn line(&mut self, tokens: Range<usize>, indent: usize) {
        let arms = self.arms(tokens.clone(), indent);
        // The columns of continuation lines and of the bars of split alternatives. Bars are below
        // the first bar, or below the `=` if the first alternative has none.
        let mut wrapped = indent + INDENT;
        let mut bars = None;
        for at in tokens.clone() {
            let role = self.role(at);
            let bar = role == Role::Arm && arms == Arms::Split;
            let first_bar = bar && self.kind(at.saturating_sub(1)) == TokenKind::Equals;
            let target = bars.filter(|_| bar && !first_bar).unwrap_or(wrapped);
            let too_wide = || self.column > wrapped && self.overflows(at, tokens.end);
            if at == tokens.start {
                // The comments before the first token precede the line.
            } else if !self.comments(at).is_empty() {
                self.comments_within_line(at, target);
            } else if (bar && !first_bar) || (role == Role::Wrap && too_wide()) {
                self.start_line(target, false);
            } else if self.spaced(at) {
                self.push(" ");
            }
            if first_bar {
                bars = Some(self.column);
                wrapped = self.column + INDENT;
            } else if bars.is_none() && self.kind(at) == TokenKind::Equals {
                bars = Some(self.column);
            }
            self.push(self.token_text(at));
        }
    }

    fn comments_within_line(&mut self, at: usize, target: usize) {
        for comment in self.comments(at) {
            if comment.own_line {
                self.start_line(target, false);
            } else {
                self.push("  ");
            }
            self.push_comment(*comment);
        }
        self.start_line(target, false);
    }

    fn arms(&self, tokens: Range<usize>, indent: usize) -> Arms {
        if !tokens.clone().any(|at| self.role(at) == Role::Arm) {
            return Arms::Joined;
        }
        let commented = tokens.clone().skip(1).any(|at| !self.comments(at).is_empty());
        let wide = indent + self.width(tokens) > WIDTH;
        if commented || wide { Arms::Split } else { Arms::Joined }
    }

    /// Whether the tokens up to the next possible break do not fit on the line.
    fn overflows(&self, at: usize, end: usize) -> bool {
        let breaks = |next: &usize| {
            matches!(self.role(*next), Role::Wrap | Role::Arm) || !self.comments(*next).is_empty()
        };
        let piece_end = (at + 1..end).find(breaks).unwrap_or(end);
        self.column + usize::from(self.spaced(at)) + self.width(at..piece_end) > WIDTH
    }

    /// Returns the width of tokens on one line.
    fn width(&self, tokens: Range<usize>) -> usize {
        let space = |at: usize| usize::from(at > tokens.start && self.spaced(at));
        tokens.clone().map(|at| space(at) + self.token_text(at).chars().count()).sum()
    }

    fn kind(&self, at: usize) -> TokenKind {
        self.token(at).map_or(TokenKind::End, |token| token.kind)
    }

    fn spaced(&self, at: usize) -> bool {
        spaced(self.kind(at.saturating_sub(1)), self.kind(at), self.role(at))
    }
}

/// Whether a space separates two tokens. `role` is the role of the second one.
fn spaced(before: TokenKind, after: TokenKind, role: Role) -> bool {
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
