//! Lists of declarations: a file, or the body of a family or namespace.

use super::{Opener, Parser, Role, recovery::Resume};
use crate::{
    Diagnostic,
    syntax::{
        ast::{Decl, File, NamespaceItem},
        keyword::Keyword,
        report::quote,
        token::TokenKind,
    },
};
use std::fmt::Display;

/// The owner of a list of declarations.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    File,
    Family,
    Namespace,
}

impl Container {
    fn admits(self, word: Keyword) -> bool {
        match word {
            Keyword::Store | Keyword::Import => self == Self::File,
            Keyword::Family => self != Self::Namespace,
            Keyword::Allocate | Keyword::Reserve | Keyword::Deprecated => self == Self::Namespace,
            _ => word.starts_item(),
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::File => "outside a namespace",
            Self::Family => "inside a family",
            Self::Namespace => "inside a namespace",
        }
    }
}

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let doc = self.file_docs();
        let decls = declarations(self.items(Container::File));
        File { doc, decls }
    }

    /// Parses `"{" items "}"`. `what` names the owner, such as "the namespace `dex`".
    pub(super) fn body(&mut self, place: Container, what: impl Display) -> Vec<NamespaceItem> {
        if !self.at(TokenKind::OpenBrace) {
            self.report_expected("`{`");
            self.skip_to_body();
        }
        let opener = if self.at(TokenKind::OpenBrace) {
            self.mark(Role::Body);
            match self.open() {
                Some(opener) => Some(opener),
                None => return Vec::new(),
            }
        } else {
            None
        };
        let items = self.items(place);
        self.close_body(opener, what);
        items
    }

    fn skip_to_body(&mut self) {
        while !matches!(
            self.current().kind,
            TokenKind::OpenBrace | TokenKind::CloseBrace | TokenKind::End
        ) && !self.item_likely()
        {
            self.bump();
        }
    }

    fn close_body(&mut self, opener: Option<Opener>, what: impl Display) {
        self.mark(Role::BodyEnd);
        if !self.eat(TokenKind::CloseBrace)
            && let Some(opener) = opener
        {
            self.report(|parser, span| {
                let label = match parser.at(TokenKind::End) {
                    true => "expected `}` at the end of the file",
                    false => "expected `}` before this",
                };
                let error = Diagnostic::error(span, format!("{what} is not closed"))
                    .label(label)
                    .related(opener.span, "opened here");
                match parser.current().word {
                    Some(Keyword::Store) => error.help("declare a `store` outside of all braces"),
                    _ => error,
                }
            });
            self.forgiven += 1;
        }
        if opener.is_some() {
            self.leave();
        }
    }

    fn items(&mut self, place: Container) -> Vec<NamespaceItem> {
        let mut items = Vec::new();
        loop {
            let token = self.current();
            match (token.kind, token.word) {
                (TokenKind::End, _) => return items,
                (TokenKind::CloseBrace, _) if place != Container::File => return items,
                (TokenKind::CloseBrace, _) => self.unmatched_brace(),
                // A store inside braces means that a closing brace is missing.
                (_, Some(Keyword::Store)) if place != Container::File => return items,
                (_, Some(word)) if word.starts_item() => {
                    self.check_admitted(place, word);
                    items.extend(self.item(word));
                }
                _ => items.extend(self.unknown_item(place)),
            }
        }
    }

    fn unmatched_brace(&mut self) {
        if self.forgiven > 0 {
            self.forgiven -= 1;
        } else {
            self.report(|_, span| {
                Diagnostic::error(span, "unmatched `}`")
                    .label("expected a declaration or the end of the file")
            });
        }
        self.bump();
    }

    fn check_admitted(&mut self, place: Container, word: Keyword) {
        // After a skipped brace, the container of this item is unknown.
        if !place.admits(word) && self.forgiven == 0 {
            self.report(|_, span| {
                let word = quote(word.text());
                Diagnostic::error(span, format!("{word} is not allowed {}", place.text()))
                    .label("expected another declaration")
            });
        }
    }

    /// Reports a token that starts no declaration. Parses a misspelt declaration as the suggested
    /// one.
    fn unknown_item(&mut self, place: Container) -> Option<NamespaceItem> {
        let token = self.current();
        if token.word.is_some_and(Keyword::starts_clause) {
            self.report(|parser, span| {
                Diagnostic::error(span, format!("{} without a keyspace", parser.found()))
                    .label("expected a declaration")
                    .help("clauses follow the keyspace that they say something about")
            });
            self.skip_to(Resume::Item);
            return None;
        }
        let suggestion = match self.looks_like_namespace() {
            true => Some(Keyword::Namespace),
            false => self.suggestion(|word| place.admits(word)),
        };
        let keyspace = self.looks_like_keyspace();
        let named = matches!(self.nth(1).kind, TokenKind::Name | TokenKind::Text | TokenKind::Hex);
        if keyspace && suggestion.is_none() {
            self.report(|parser, span| {
                Diagnostic::error(span, format!("unknown kind of keyspace {}", parser.found()))
                    .label("expected a declaration")
                    .help(
                        "the kinds are `item`, `map`, `index`, `sequence`, `hash`, `set`, `zset` \
                         and `queue`",
                    )
            });
        } else {
            self.report_unexpected("a declaration", suggestion);
        }
        match suggestion {
            Some(word) if word.starts_item() && named => self.item(word),
            None if keyspace => self.item(Keyword::Map),
            _ => {
                self.skip_to(Resume::Item);
                None
            }
        }
    }
}

/// Returns the declarations among the items. Outside namespaces, the others have been reported.
pub(super) fn declarations(items: Vec<NamespaceItem>) -> Vec<Decl> {
    items
        .into_iter()
        .filter_map(|item| match item {
            NamespaceItem::Decl(decl) => Some(decl),
            NamespaceItem::Allocate { .. } | NamespaceItem::Retired { .. } => None,
        })
        .collect()
}
