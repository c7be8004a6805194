//! Keyspaces: `kind NAME [of NAME] [was NAME] = segments [-> value [reads value]] clauses`.

use super::{Parser, Role, recovery::Resume};
use crate::{
    Diagnostic,
    syntax::{
        ast::{
            Accept, Asked, Clause, ClauseKind, Cut, FieldPath, HashField, Keyspace, KeyspaceKind,
            Name, Scan, Seg, Split, TypeExpr, ValueExpr, ValueExprKind,
        },
        keyword::Keyword,
        lexer::{Token, TokenKind},
        report::quote,
    },
};
use std::fmt::Display;

impl Parser<'_> {
    /// Parses a keyspace after the keyword of its kind.
    pub(super) fn keyspace(&mut self, kind: KeyspaceKind, doc: Vec<String>) -> Keyspace {
        let start = self.last;
        let name = self.name_or_missing("the name of the keyspace");
        let of = self.after_word(Keyword::Of, |parser| parser.name("the name of the map"));
        let was = self.was();
        let what = quote(&name.text);
        self.equals(what);
        let mut key = self.key(format_args!("the key of {what}"));
        while !self.at(TokenKind::Arrow) && !self.keyspace_continues() {
            self.skip_to(Resume::Key);
            key.extend(self.segments(Role::Wrap));
        }
        let (mut value, mut reads) = (None, None);
        if self.eat_at_wrap(TokenKind::Arrow) {
            value = self.value(format_args!("the value of {what}"));
            if self.eat_word_at_wrap(Keyword::Reads) {
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
        let ends = self.at(TokenKind::Arrow) || self.keyspace_ends();
        self.report(|parser, span| {
            if ends {
                return Diagnostic::error(after, format!("{what} is empty"))
                    .label("expected a literal or a field after this")
                    .help("write a key such as `0x01 {id: u64be}`");
            }
            let found = parser.found();
            let label =
                "expected a literal such as `0x02`, a field in braces or an option in brackets";
            Diagnostic::error(span, format!("expected a segment, found {found}"))
                .label(label)
                .optional_help(parser.segment_help())
        });
        segs
    }

    /// Whether the token after a key can be a clause or the next declaration. Reports other tokens,
    /// unless they are misspelt keywords.
    fn keyspace_continues(&mut self) -> bool {
        if self.keyspace_ends()
            || self.looks_like_keyspace()
            || self.suggestion(Keyword::starts_part).is_some()
        {
            return true;
        }
        self.report(|parser, span| {
            let found = parser.found();
            Diagnostic::error(span, format!("unexpected {found} in a key"))
                .label("expected a segment, `->`, a clause or a declaration")
                .optional_help(parser.segment_help())
        });
        false
    }

    /// Whether a clause, the next declaration, or the end of the body or file starts here.
    fn keyspace_ends(&self) -> bool {
        let token = self.current();
        matches!(token.kind, TokenKind::End | TokenKind::CloseBrace)
            || token.word.is_some_and(Keyword::starts_part)
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

    /// Parses `empty`, `const lit`, `json [NAME]`, `proto NAME` or a type.
    pub(super) fn value(&mut self, what: impl Display) -> Option<ValueExpr> {
        let start = self.span(self.current());
        let kind = if self.eat_word(Keyword::Empty) {
            ValueExprKind::Empty
        } else if self.eat_word(Keyword::Const) {
            ValueExprKind::Const(self.literal("the constant")?)
        } else if self.eat_word(Keyword::Json) {
            ValueExprKind::Json(self.json_type())
        } else if self.eat_word(Keyword::Proto) {
            ValueExprKind::Proto(self.message_name()?)
        } else {
            ValueExprKind::Type(self.value_type(what)?)
        };
        Some(ValueExpr { kind, span: self.span_from(start) })
    }

    /// Parses the name after `proto`, which may be a keyword if it does not start the next clause
    /// or declaration.
    fn message_name(&mut self) -> Option<Name> {
        let what = "the name of a message after `proto`";
        let token = self.current();
        // A keyword or the end follows a name. A name follows the keyword of a clause.
        let next = self.nth(1);
        let goes_on = follows_value(token) && next.kind == TokenKind::Name && !follows_value(next);
        if goes_on || self.looks_like_keyspace() {
            self.report_expected(what);
            return None;
        }
        self.name(what)
    }

    /// Parses the name after `json`. A keyword starts the next clause or declaration instead.
    fn json_type(&mut self) -> Option<Name> {
        let token = self.current();
        if token.kind != TokenKind::Name || follows_value(token) || self.looks_like_keyspace() {
            return None;
        }
        self.bump();
        Some(self.to_name(token))
    }

    fn value_type(&mut self, what: impl Display) -> Option<TypeExpr> {
        const JOINTS: &[TokenKind] =
            &[TokenKind::Dot, TokenKind::OpenParen, TokenKind::OpenBracket];
        const WORDS: &[Keyword] = &[Keyword::In, Keyword::Shown, Keyword::Reads];
        if !self.fits_as_name(JOINTS, WORDS) {
            self.report_expected(what);
            return None;
        }
        self.type_expr(what)
    }

    /// Parses the clauses of a keyspace, up to the next declaration.
    pub(super) fn clauses(&mut self) -> Vec<Clause> {
        let mut clauses = Vec::new();
        loop {
            let token = self.current();
            match token.word {
                Some(word) if word.starts_clause() || self.at_deprecated_keyspace() => {
                    clauses.extend(self.clause(word));
                }
                Some(word) if word.starts_item() => return clauses,
                _ if matches!(token.kind, TokenKind::End | TokenKind::CloseBrace) => {
                    return clauses;
                }
                _ if self.looks_like_keyspace() => return clauses,
                _ => match self.suggestion(Keyword::starts_part) {
                    Some(word) if word.starts_item() => return clauses,
                    suggestion => clauses.extend(self.unknown_clause(suggestion)),
                },
            }
        }
    }

    fn unknown_clause(&mut self, suggestion: Option<Keyword>) -> Option<Clause> {
        self.report_unexpected("a clause or a declaration", suggestion);
        match suggestion {
            Some(word) if word.starts_clause() => self.clause(word),
            _ => {
                self.skip_to(Resume::Clause);
                None
            }
        }
    }

    /// Parses the clause that `word` starts. The current token is this word, possibly misspelt.
    fn clause(&mut self, word: Keyword) -> Option<Clause> {
        self.mark(Role::Clause);
        let doc = self.docs();
        self.bump();
        let start = self.last;
        let kind = match word {
            Keyword::Scan => ClauseKind::Scan(self.scan()),
            Keyword::In => ClauseKind::In(self.name("the name of an allocated range")?),
            Keyword::Unique => ClauseKind::Unique,
            Keyword::Counted => ClauseKind::Counted,
            Keyword::Ranked => ClauseKind::Ranked,
            Keyword::Member => ClauseKind::Member(self.type_expr("the type of the members")?),
            Keyword::Score => ClauseKind::Score(self.type_expr("the type of the scores")?),
            Keyword::Field => ClauseKind::HashField(self.hash_field(doc)),
            Keyword::Split => ClauseKind::Split(self.split()?),
            Keyword::Deprecated => ClauseKind::Deprecated(self.reason()?),
            _ => ClauseKind::Accept(self.accept()?),
        };
        Some(Clause { kind, span: self.span_from(start) })
    }

    fn scan(&mut self) -> Scan {
        let start = self.last;
        let (mut leading, mut by, mut also) = (Vec::new(), Vec::new(), Vec::new());
        if !self.eat_word(Keyword::All) {
            leading = self.scan_paths();
        }
        if self.eat_word_at_wrap(Keyword::By) {
            by = self.field_paths("a field to order by");
        }
        let asked = self.eat_word_at_wrap(Keyword::As).then(|| self.asked());
        if self.eat_word_at_wrap(Keyword::Also) {
            also = self.names("the name of a keyspace");
        }
        Scan { leading, by, asked, also, span: self.span_from(start) }
    }

    fn eat_word_at_wrap(&mut self, word: Keyword) -> bool {
        if self.at_word(word) {
            self.mark(Role::Wrap);
        }
        self.eat_word(word)
    }

    fn eat_at_wrap(&mut self, kind: TokenKind) -> bool {
        if self.at(kind) {
            self.mark(Role::Wrap);
        }
        self.eat(kind)
    }

    fn scan_paths(&mut self) -> Vec<FieldPath> {
        const JOINTS: &[TokenKind] = &[TokenKind::Dot, TokenKind::Comma];
        const WORDS: &[Keyword] = &[Keyword::By, Keyword::As, Keyword::Also];
        if !self.fits_as_name(JOINTS, WORDS) {
            let after = self.last;
            self.report(|_, _| {
                Diagnostic::error(after, "`scan` without fields")
                    .label("expected the leading fields after this")
                    .help("for all keys of the keyspace, write `scan all`")
            });
            return Vec::new();
        }
        self.field_paths("the name of a field")
    }

    fn field_paths(&mut self, what: &str) -> Vec<FieldPath> {
        self.comma_separated(|parser| parser.field_path(what))
    }

    fn field_path(&mut self, what: &str) -> Option<FieldPath> {
        let first = self.name(what)?;
        let start = first.span;
        let mut names = vec![first];
        while self.eat(TokenKind::Dot) {
            names.push(self.name("the name of a field")?);
        }
        Some(FieldPath { names, span: self.span_from(start) })
    }

    fn asked(&mut self) -> Asked {
        let start = self.last;
        let from = self.bound("the start of the scan");
        let has_end = self.eat_at_wrap(TokenKind::DotDot);
        let end = has_end.then(|| self.bound("the end of the scan"));
        Asked { start: from, end, span: self.span_from(start) }
    }

    /// Parses the segments after `as` or `..`. The first one stays on the same line.
    fn bound(&mut self, what: &str) -> Vec<Seg> {
        let first = self.position;
        let segs = self.key(what);
        self.mark_at(first, Role::Plain);
        segs
    }

    fn hash_field(&mut self, doc: Vec<String>) -> HashField {
        let start = self.last;
        let name = self.name_or_missing("the name of the field");
        let was = self.was();
        let what = format!("the field {}", quote(&name.text));
        self.equals(&what);
        let key = self.key(&what);
        let mut value = None;
        if self.eat_at_wrap(TokenKind::Arrow) {
            value = self.value(format_args!("the value of {what}"));
        } else {
            self.report(|_, span| {
                Diagnostic::error(span, format!("{what} has no value"))
                    .label("expected `->` before this")
                    .help("if it holds nothing, write `-> empty`")
            });
        }
        let value = value.unwrap_or(ValueExpr { kind: ValueExprKind::Empty, span: self.last });
        HashField { doc, name, was, key, value, span: self.span_from(start) }
    }

    fn split(&mut self) -> Option<Split> {
        let start = self.last;
        if !self.eat_word(Keyword::At) {
            self.report_expected("`at` and a separator");
            return None;
        }
        let cut = if self.eat_word(Keyword::First) {
            Cut::First
        } else if self.eat_word(Keyword::Last) {
            Cut::Last
        } else {
            Cut::Every
        };
        let separator = self.literal("the separator")?;
        Some(Split { cut, separator, span: self.span_from(start) })
    }

    fn accept(&mut self) -> Option<Accept> {
        let start = self.last;
        let rule = self.name_or_missing("the rule that is accepted, such as `KS001`");
        let scan = if self.eat_word_at_wrap(Keyword::Scan) { self.scan_name() } else { None };
        let with = match self.eat_word_at_wrap(Keyword::With) {
            true => self.name("the name of the other keyspace"),
            false => None,
        };
        self.mark(Role::Wrap);
        let reason = self.reason()?;
        Some(Accept { rule, scan, with, reason, span: self.span_from(start) })
    }

    /// Parses the name of a scan: its leading fields, or `all`.
    fn scan_name(&mut self) -> Option<Name> {
        let path =
            |parser: &mut Self| parser.dotted_name("the leading fields of the scan, or `all`");
        let first = path(self)?;
        self.joined(first, TokenKind::Comma, ',', path)
    }
}

/// Whether a token is a keyword that can follow a value.
fn follows_value(token: Token) -> bool {
    token.word.is_some_and(|word| word.starts_part() || word == Keyword::Reads)
}
