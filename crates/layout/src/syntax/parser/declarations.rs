//! Declarations: those of a file, and those in the body of a family or namespace.

use super::{Parser, Role, recovery::Resume};
use crate::{
    Diagnostic,
    syntax::{
        ast::{Decl, Family, File, Import, Namespace, NamespaceItem, Store, TypeDecl},
        keyword::Keyword,
        lexer::{Token, TokenKind},
        literal,
        report::quote,
    },
};
use std::fmt::Display;

/// The owner of a list of declarations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
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
    fn body(&mut self, place: Container, what: impl Display) -> Vec<NamespaceItem> {
        if !self.at(TokenKind::OpenBrace) {
            self.report_expected("`{`");
            self.skip_to_body();
        }
        let mut opener = None;
        if self.at(TokenKind::OpenBrace) {
            self.mark(Role::Body);
            opener = self.open();
            if opener.is_none() {
                return Vec::new();
            }
        }
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

    fn close_body(&mut self, opener: Option<Token>, what: impl Display) {
        self.mark(Role::BodyEnd);
        if !self.eat(TokenKind::CloseBrace)
            && let Some(opener) = opener
        {
            self.report(|parser, span| {
                let label = match parser.at(TokenKind::End) {
                    true => "expected `}` at the end of the file",
                    false => "expected `}` before this",
                };
                let is_store = parser.current().word == Some(Keyword::Store);
                Diagnostic::error(span, format!("{what} is not closed"))
                    .label(label)
                    .related(parser.span(opener), "opened here")
                    .optional_help(is_store.then_some("declare a `store` outside of all braces"))
            });
            self.skipped_braces += 1;
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
        if self.skipped_braces > 0 {
            self.skipped_braces -= 1;
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
        if !place.admits(word) && self.skipped_braces == 0 {
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
                    .help("write a clause after the keyspace that it belongs to")
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

    /// Parses the item that `word` starts. The current token is this word, possibly misspelt.
    fn item(&mut self, word: Keyword) -> Option<NamespaceItem> {
        self.mark(Role::Item);
        let doc = self.docs();
        self.bump();
        Some(NamespaceItem::Decl(match word {
            Keyword::Import => Decl::Import(self.import()?),
            Keyword::Store => Decl::Store(self.store(doc)),
            Keyword::Family => Decl::Family(self.family(doc)),
            Keyword::Type => Decl::Type(self.type_decl(doc)?),
            Keyword::Namespace => Decl::Namespace(self.namespace(doc)),
            Keyword::Allocate => return self.allocate(),
            Keyword::Reserve | Keyword::Deprecated => return self.retired(word),
            _ => Decl::Keyspace(self.keyspace(word.keyspace_kind()?, doc)),
        }))
    }

    fn import(&mut self) -> Option<Import> {
        let start = self.last;
        let path = self.plain_text("the path of a file in quotes")?;
        let alias = self.after_word(Keyword::As, |parser| parser.name("a name for the import"));
        Some(Import { path, alias, span: self.span_from(start) })
    }

    fn store(&mut self, doc: Vec<String>) -> Store {
        const PARTS: [Keyword; 3] = [Keyword::Structures, Keyword::On, Keyword::Version];
        let start = self.last;
        let name = self.name_or_missing("the name of the store");
        let mut store =
            Store { doc, name, structures: false, backend: None, version: None, span: start };
        let mut next = 0;
        while let Some(part) = PARTS.into_iter().position(|word| self.at_word(word)) {
            if part < next {
                self.report(|parser, span| {
                    let found = parser.found();
                    Diagnostic::error(span, format!("{found} comes too late or twice"))
                        .label("expected the next declaration")
                        .help("write `store NAME structures on BACKEND version NUMBER`")
                });
            }
            next = next.max(part + 1);
            self.bump();
            match part {
                0 => store.structures = true,
                1 => store.backend = self.name("the name of the backend"),
                _ => store.version = self.version(),
            }
        }
        store.span = self.span_from(start);
        store
    }

    fn version(&mut self) -> Option<u64> {
        let token = self.current();
        if token.kind != TokenKind::Int {
            self.report_expected("a version number");
            return None;
        }
        let number = literal::number(self.text(token), &mut |_| {});
        let version = u64::try_from(number).ok();
        if version.is_none() {
            self.report(|parser, span| {
                Diagnostic::error(span, format!("the number {} is too large", parser.found()))
                    .label("expected at most 2^64 - 1")
            });
        }
        self.bump();
        version
    }

    fn family(&mut self, doc: Vec<String>) -> Family {
        let start = self.last;
        let name = self.name_or_missing("the name of the family");
        let items = self.body(Container::Family, format_args!("the family {}", quote(&name.text)));
        Family { doc, name, decls: declarations(items), span: self.span_from(start) }
    }

    fn type_decl(&mut self, doc: Vec<String>) -> Option<TypeDecl> {
        let start = self.last;
        let name = self.name_or_missing("the name of the type");
        self.equals(format_args!("the type {}", quote(&name.text)));
        let body = self.type_body(&name)?;
        Some(TypeDecl { doc, name, body, span: self.span_from(start) })
    }

    fn namespace(&mut self, doc: Vec<String>) -> Namespace {
        let start = self.last;
        let name = self.name_or_missing("the name of the namespace");
        let what = format!("the namespace {}", quote(&name.text));
        self.equals(&what);
        let mut prefix = Vec::new();
        while self.at_literal() || self.at_hashed_literal() {
            self.mark(Role::Wrap);
            prefix.extend(match self.at_literal() {
                true => self.literal("a literal"),
                false => self.hashed_literal(),
            });
        }
        if prefix.is_empty() {
            self.report(|_, span| {
                Diagnostic::error(span, format!("{what} has no prefix"))
                    .label("expected a literal such as `0x02` before this")
            });
        }
        let items = self.body(Container::Namespace, &what);
        Namespace { doc, name, prefix, items, span: self.span_from(start) }
    }

    fn allocate(&mut self) -> Option<NamespaceItem> {
        let start = self.last;
        let name = self.name_or_missing("the name of the range");
        let low = self.literal("the first prefix of the range");
        if !self.eat(TokenKind::DotDotEq) {
            self.report_expected("`..=`");
            self.eat(TokenKind::DotDot);
        }
        let high = self.literal("the last prefix of the range");
        if low.is_none() || high.is_none() {
            self.skip_unless_item();
        }
        Some(NamespaceItem::Allocate { name, low: low?, high: high?, span: self.span_from(start) })
    }

    fn retired(&mut self, word: Keyword) -> Option<NamespaceItem> {
        let start = self.last;
        let prefix = self.literal("the prefix");
        let reason = self.reason();
        if prefix.is_none() || reason.is_none() {
            self.skip_unless_item();
        }
        let span = self.span_from(start);
        let deprecated = word == Keyword::Deprecated;
        Some(NamespaceItem::Retired { deprecated, prefix: prefix?, reason: reason?, span })
    }
}

/// Returns the declarations among the items. Outside namespaces, the others have been reported.
fn declarations(items: Vec<NamespaceItem>) -> Vec<Decl> {
    items
        .into_iter()
        .filter_map(|item| match item {
            NamespaceItem::Decl(decl) => Some(decl),
            NamespaceItem::Allocate { .. } | NamespaceItem::Retired { .. } => None,
        })
        .collect()
}
