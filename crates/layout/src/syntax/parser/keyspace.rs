//! `kind NAME [of NAME] [was NAME] = segments [-> value [reads value]] clauses`

use super::{Parser, Role, recovery::Resume};
use crate::{
    Diagnostic,
    syntax::{
        ast::{Keyspace, KeyspaceKind, Name, Seg},
        keyword::Keyword,
        report::quote,
        token::TokenKind,
    },
};
use std::fmt::Display;

impl Parser<'_> {
    /// Parses a keyspace after the keyword of its kind.
    pub(super) fn keyspace(&mut self, kind: KeyspaceKind, doc: Vec<String>) -> Keyspace {
        let start = self.last;
        let name = self.name_or_missing("the name of the keyspace");
        let of = match self.eat_word(Keyword::Of) {
            true => self.name("the name of the map"),
            false => None,
        };
        let was = self.was();
        let what = quote(&name.text);
        self.equals(what);
        let mut key = self.key(format_args!("the key of {what}"));
        while !self.at(TokenKind::Arrow) && !self.keyspace_continues() {
            self.skip_to(Resume::Key);
            key.extend(self.segments(Role::Wrap));
        }
        let (mut value, mut reads) = (None, None);
        self.mark_wrap();
        if self.eat(TokenKind::Arrow) {
            value = self.value(format_args!("the value of {what}"));
            self.mark_wrap();
            if self.eat_word(Keyword::Reads) {
                reads = self.value("the value that is read");
            }
        }
        let clauses = self.clauses();
        let span = self.span_from(start);
        Keyspace { doc, kind, name, of, was, key, value, reads, clauses, span }
    }

    /// Parses the name in an older layout, after `was`.
    pub(super) fn was(&mut self) -> Option<Name> {
        let follows = self.at_word(Keyword::Was) && self.nth(1).kind == TokenKind::Name;
        if !follows {
            return None;
        }
        self.bump();
        self.name("the name in the older layout")
    }

    /// Parses the segments of a key, at least one.
    pub(super) fn key(&mut self, what: impl Display) -> Vec<Seg> {
        let after = self.last;
        let segs = self.segments(Role::Wrap);
        if !segs.is_empty() {
            return segs;
        }
        let token = self.current();
        let ends = matches!(token.kind, TokenKind::Arrow | TokenKind::End | TokenKind::CloseBrace)
            || token.word.is_some_and(|word| word.starts_clause() || word.starts_item());
        self.report(|parser, span| {
            if ends {
                return Diagnostic::error(after, format!("{what} is empty"))
                    .label("expected a literal or a field after this")
                    .help("a key looks like `0x01 {id: u64be}`");
            }
            let found = parser.found();
            let error = Diagnostic::error(span, format!("expected a segment, found {found}"))
                .label(
                    "expected a literal such as `0x02`, a field in braces or an option in brackets",
                );
            match parser.segment_help() {
                Some(help) => error.help(help),
                None => error,
            }
        });
        segs
    }

    /// Whether the token after a key can be a clause or the next declaration. Reports other tokens,
    /// unless they are misspelt keywords.
    fn keyspace_continues(&mut self) -> bool {
        let token = self.current();
        let known = matches!(token.kind, TokenKind::End | TokenKind::CloseBrace)
            || token.word.is_some_and(|word| word.starts_clause() || word.starts_item());
        if known || self.looks_like_keyspace() {
            return true;
        }
        let misspelt = self.suggestion(|word| word.starts_clause() || word.starts_item());
        if misspelt.is_some() {
            return true;
        }
        self.report(|parser, span| {
            let found = parser.found();
            let error = Diagnostic::error(span, format!("unexpected {found} in a key"))
                .label("expected a segment, `->`, a clause or a declaration");
            match parser.segment_help() {
                Some(help) => error.help(help),
                None => error,
            }
        });
        false
    }

    /// Returns advice on how to turn the current token into a segment.
    fn segment_help(&self) -> Option<String> {
        let token = self.current();
        let text = self.text(token);
        match token.kind {
            TokenKind::Name if token.word.is_none() => {
                Some(format!("write a field in braces: {}", quote(&format!("{{{text}}}"))))
            }
            TokenKind::Int => Some("hex literals start with `0x`".to_owned()),
            _ => None,
        }
    }

    fn mark_wrap(&mut self) {
        let token = self.current();
        if token.kind == TokenKind::Arrow || token.word == Some(Keyword::Reads) {
            self.mark(Role::Wrap);
        }
    }
}
