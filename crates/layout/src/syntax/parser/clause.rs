//! Clauses of keyspaces.

use super::{Parser, Role, recovery::Resume};
use crate::{
    Diagnostic,
    syntax::{
        ast::{
            Accept, Asked, Clause, Cut, FieldPath, HashField, Name, Scan, Seg, Split, ValueExpr,
            ValueExprKind,
        },
        keyword::Keyword,
        report::quote,
        token::TokenKind,
    },
};

impl Parser<'_> {
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
                _ => match self.suggestion(|word| word.starts_clause() || word.starts_item()) {
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
        Some(match word {
            Keyword::Scan => Clause::Scan(self.scan()),
            Keyword::In => Clause::In(self.name("the name of an allocated range")?),
            Keyword::Unique => Clause::Unique(start),
            Keyword::Counted => Clause::Counted(start),
            Keyword::Ranked => Clause::Ranked(start),
            Keyword::Member => Clause::Member(self.type_expr("the type of the members")?),
            Keyword::Score => Clause::Score(self.type_expr("the type of the scores")?),
            Keyword::Field => Clause::HashField(self.hash_field(doc)),
            Keyword::Split => Clause::Split(self.split()?),
            Keyword::Deprecated => {
                let (reason, _) = self.plain_text("the reason in quotes")?;
                Clause::Deprecated(reason, self.span_from(start))
            }
            _ => Clause::Accept(self.accept()?),
        })
    }

    fn scan(&mut self) -> Scan {
        let start = self.last;
        let mut scan = Scan {
            leading: Vec::new(),
            by: Vec::new(),
            asked: None,
            also: Vec::new(),
            span: start,
        };
        if !self.eat_word(Keyword::All) {
            scan.leading = self.scan_paths();
        }
        if self.eat_word_at_wrap(Keyword::By) {
            scan.by = self.field_paths("a field to order by");
        }
        if self.eat_word_at_wrap(Keyword::As) {
            scan.asked = Some(self.asked());
        }
        if self.eat_word_at_wrap(Keyword::Also) {
            scan.also = self.names("the name of a keyspace");
        }
        scan.span = self.span_from(start);
        scan
    }

    fn eat_word_at_wrap(&mut self, word: Keyword) -> bool {
        if self.at_word(word) {
            self.mark(Role::Wrap);
        }
        self.eat_word(word)
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
        let mut paths = Vec::new();
        loop {
            let Some(path) = self.field_path(what) else { return paths };
            paths.push(path);
            if !self.eat(TokenKind::Comma) {
                return paths;
            }
        }
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
        let end = if self.at(TokenKind::DotDot) {
            self.mark(Role::Wrap);
            self.bump();
            Some(self.bound("the end of the scan"))
        } else {
            None
        };
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
        if self.at(TokenKind::Arrow) {
            self.mark(Role::Wrap);
            self.bump();
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
        let scan = match self.eat_word_at_wrap(Keyword::Scan) {
            true => self.scan_name(),
            false => None,
        };
        let with = match self.eat_word_at_wrap(Keyword::With) {
            true => self.name("the name of the other keyspace"),
            false => None,
        };
        self.mark(Role::Wrap);
        let (reason, _) = self.plain_text("the reason in quotes")?;
        Some(Accept { rule, scan, with, reason, span: self.span_from(start) })
    }

    /// Parses the name of a scan: its leading fields, or `all`.
    fn scan_name(&mut self) -> Option<Name> {
        const WANTED: &str = "the leading fields of the scan, or `all`";
        let mut name = self.dotted_name(WANTED)?;
        while self.eat(TokenKind::Comma) {
            let next = self.dotted_name(WANTED)?;
            name.text.push(',');
            name.text.push_str(&next.text);
            name.span = name.span.to(next.span);
        }
        Some(name)
    }
}
