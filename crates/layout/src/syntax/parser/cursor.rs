//! Access to the tokens, and errors about the current token.

use super::{NEST_LIMIT, Parser, Role};
use crate::{
    Diagnostic, Span,
    syntax::{
        ast::Name,
        keyword::Keyword,
        lexer::{Comment, Token, TokenKind, slice},
        report::quote,
    },
};
use std::fmt::Display;

impl<'s> Parser<'s> {
    /// Returns the token at a distance. After the last token, returns the end of the file.
    pub(super) fn nth(&self, ahead: usize) -> Token {
        let tokens = &self.lexed.tokens;
        let at = self.position.saturating_add(ahead);
        tokens.get(at).or(tokens.last()).copied().unwrap_or_default()
    }

    pub(super) fn current(&self) -> Token {
        self.nth(0)
    }

    /// Consumes and returns the current token. Does not advance at the end of the file.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.current();
        if token.kind != TokenKind::End {
            self.position += 1;
            self.last = self.span(token);
            self.expected.clear();
        }
        token
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.current().kind == kind
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Whether the current token is this keyword. If not, records the keyword as expected.
    pub(super) fn at_word(&mut self, word: Keyword) -> bool {
        let found = self.current().word == Some(word);
        if !found {
            self.expected.push(word);
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: Keyword) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn text(&self, token: Token) -> &'s str {
        slice(self.source, token.start, token.end)
    }

    pub(super) fn span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// Returns the span from the start of `first` to the end of the last consumed token.
    pub(super) fn span_from(&self, first: Span) -> Span {
        first.to(self.last)
    }

    /// Records the role of the current token for the formatter.
    pub(super) fn mark(&mut self, role: Role) {
        self.mark_at(self.position, role);
    }

    pub(super) fn mark_at(&mut self, position: usize, role: Role) {
        if let Some(place) = self.roles.get_mut(position) {
            *place = role;
        }
    }

    /// Reports an error at the current token, unless one has been reported there.
    pub(super) fn report(&mut self, make: impl FnOnce(&Self, Span) -> Diagnostic) {
        let token = self.current();
        let again = self.mistaken_at.replace(self.position) == Some(self.position);
        if again || token.after_stray {
            return;
        }
        let mut reports = core::mem::take(&mut self.reports);
        reports.push(|| make(self, self.span(token)));
        self.reports = reports;
    }

    /// Reports that something else was expected at the current token.
    pub(super) fn report_expected(&mut self, what: impl Display) {
        self.report(|parser, span| parser.expected(what, span));
    }

    /// Returns the error that something else was expected at the current token.
    pub(super) fn expected(&self, what: impl Display, span: Span) -> Diagnostic {
        Diagnostic::error(span, format!("expected {what}, found {}", self.found()))
            .label(format!("expected {what}"))
    }

    /// Describes the current token for a message.
    pub(super) fn found(&self) -> String {
        match self.current() {
            Token { kind: TokenKind::End, .. } => "the end of the file".to_owned(),
            token => quote(self.text(token)).to_string(),
        }
    }

    /// Parses a name. `what` describes it in messages.
    pub(super) fn name(&mut self, what: impl Display) -> Option<Name> {
        let token = self.current();
        match token.kind {
            TokenKind::Name if !self.declaration_follows() => {
                self.bump();
                Some(self.to_name(token))
            }
            TokenKind::Text => {
                self.report(|parser, span| {
                    parser.expected(what, span).help("write a name without quotes")
                });
                self.bump();
                None
            }
            _ => {
                self.report_expected(what);
                None
            }
        }
    }

    /// Parses a name, or returns an empty one.
    pub(super) fn name_or_missing(&mut self, what: impl Display) -> Name {
        let span = self.span(self.current());
        self.name(what)
            .unwrap_or(Name { text: String::new(), span: Span { end: span.start, ..span } })
    }

    /// Parses names joined with dots.
    pub(super) fn dotted_name(&mut self, what: impl Display) -> Option<Name> {
        let first = self.name(what)?;
        self.joined(first, TokenKind::Dot, '.', |parser| parser.name("a name after the dot"))
    }

    /// Parses further parts of a name, each after a separator.
    pub(super) fn joined(
        &mut self,
        mut name: Name,
        separator: TokenKind,
        sign: char,
        part: impl Fn(&mut Self) -> Option<Name>,
    ) -> Option<Name> {
        while self.eat(separator) {
            let part = part(self)?;
            name.text.push(sign);
            name.text.push_str(&part.text);
            name.span = name.span.to(part.span);
        }
        Some(name)
    }

    pub(super) fn names(&mut self, what: &str) -> Vec<Name> {
        self.comma_separated(|parser| parser.name(what))
    }

    /// Parses parts up to one without a comma after it, or with an error.
    pub(super) fn comma_separated<T>(&mut self, part: impl Fn(&mut Self) -> Option<T>) -> Vec<T> {
        let mut parts = Vec::new();
        while let Some(part) = part(self) {
            parts.push(part);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        parts
    }

    /// Parses the part after an optional keyword.
    pub(super) fn after_word<T>(
        &mut self,
        word: Keyword,
        part: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        if self.eat_word(word) { part(self) } else { None }
    }

    pub(super) fn to_name(&self, token: Token) -> Name {
        Name { text: self.text(token).to_owned(), span: self.span(token) }
    }

    /// Parses the `=` of a declaration or field.
    pub(super) fn equals(&mut self, of: impl Display) {
        if self.eat(TokenKind::Equals) {
            return;
        }
        self.report(|parser, span| {
            let has_minus = parser.at(TokenKind::Minus);
            Diagnostic::error(span, format!("missing `=` in {of}"))
                .label("expected `=` before this")
                .optional_help(has_minus.then_some("names have no `-`; write `_` instead"))
        });
        self.eat(TokenKind::Colon);
    }

    /// Consumes an opening bracket and enters one level. At the nesting limit, reports an error,
    /// skips to the closing bracket and returns `None`.
    pub(super) fn open(&mut self) -> Option<Token> {
        let token = self.current();
        if self.brackets.len() >= NEST_LIMIT {
            self.report(|_, span| {
                Diagnostic::error(span, "nested too deeply")
                    .label(format!("expected at most {NEST_LIMIT} levels"))
            });
            self.skip_balanced();
            return None;
        }
        self.bump();
        self.brackets.push(token.kind);
        Some(token)
    }

    /// Leaves one level. Each successful [`Parser::open`] needs one call.
    pub(super) fn leave(&mut self) {
        self.brackets.pop();
    }

    /// Returns the comments between the last token and the current one.
    pub(super) fn comments(&self) -> &'s [Comment] {
        let before = self.position.checked_sub(1).and_then(|at| self.lexed.tokens.get(at));
        let start = before.map_or(0, |token| token.comments_end as usize);
        let end = self.current().comments_end as usize;
        self.lexed.comments.get(start..end).unwrap_or_default()
    }

    /// Returns the lines of `///` before the current token that have their own line.
    pub(super) fn docs(&self) -> Vec<String> {
        self.doc_lines("///").filter(|line| !line.starts_with('/')).map(doc_text).collect()
    }

    /// Returns the lines of `//!` before the first token.
    pub(super) fn file_docs(&self) -> Vec<String> {
        self.doc_lines("//!").map(doc_text).collect()
    }

    fn doc_lines(&self, marker: &'static str) -> impl Iterator<Item = &'s str> {
        let source = self.source;
        self.comments().iter().filter(|comment| comment.own_line).filter_map(move |comment| {
            slice(source, comment.start, comment.end).strip_prefix(marker)
        })
    }
}

fn doc_text(line: &str) -> String {
    line.strip_prefix(' ').unwrap_or(line).to_owned()
}
