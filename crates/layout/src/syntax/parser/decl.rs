//! Declarations other than keyspaces and types.

use super::{
    Parser, Role,
    body::{Container, declarations},
};
use crate::{
    Diagnostic, Span,
    syntax::{
        ast::{Decl, Family, Import, Lit, Namespace, NamespaceItem, Store, TypeDecl},
        keyword::Keyword,
        literal,
        report::quote,
        token::TokenKind,
    },
};

impl Parser<'_> {
    /// Parses the item that `word` starts. The current token is this word, possibly misspelt.
    pub(super) fn item(&mut self, word: Keyword) -> Option<NamespaceItem> {
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
        let (path, path_span) = self.plain_text("the path of a file in quotes")?;
        let alias = match self.eat_word(Keyword::As) {
            true => self.name("a name for the import"),
            false => None,
        };
        Some(Import { path, path_span, alias, span: self.span_from(start) })
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
                        .help("the order is `store NAME structures on BACKEND version NUMBER`")
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

    fn version(&mut self) -> Option<(u64, Span)> {
        let token = self.current();
        if token.kind != TokenKind::Int {
            self.report_expected("a version number");
            return None;
        }
        let number = literal::number(self.text(token), &mut |_| {});
        let Ok(version) = u64::try_from(number) else {
            self.report(|parser, span| {
                Diagnostic::error(span, format!("the number {} is too large", parser.found()))
                    .label("expected at most 2^64 - 1")
            });
            self.bump();
            return None;
        };
        self.bump();
        Some((version, self.last))
    }

    fn family(&mut self, doc: Vec<String>) -> Family {
        let start = self.last;
        let name = self.name_or_missing("the name of the family");
        let decls = declarations(
            self.body(Container::Family, format_args!("the family {}", quote(&name.text))),
        );
        Family { doc, name, decls, span: self.span_from(start) }
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
        loop {
            if self.at_literal() {
                self.mark(Role::Wrap);
                prefix.extend(self.literal("a literal"));
            } else if self.at_hashed_literal() {
                self.mark(Role::Wrap);
                prefix.extend(self.hashed_literal());
            } else {
                break;
            }
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
        let reason = self.plain_text("the reason in quotes");
        if prefix.is_none() || reason.is_none() {
            self.skip_unless_item();
        }
        let (reason, _) = reason?;
        let span = self.span_from(start);
        let deprecated = word == Keyword::Deprecated;
        Some(NamespaceItem::Retired { deprecated, prefix: prefix?, reason, span })
    }

    /// Parses `0x02` or `"text"`. `what` describes it in messages.
    pub(super) fn literal(&mut self, what: &str) -> Option<Lit> {
        let token = self.current();
        let text = self.text(token);
        let bytes = match token.kind {
            TokenKind::Hex => literal::hex_bytes(text, &mut |_| {}),
            TokenKind::Text => literal::text_bytes(text, &mut |_| {}),
            _ => {
                self.report(|parser, span| not_a_literal(parser, what, span));
                return None;
            }
        };
        self.bump();
        let is_text = token.kind == TokenKind::Text;
        Some(Lit { bytes, is_text, function: None, span: self.span(token) })
    }

    /// Parses a quoted text that is not a part of keys and must be UTF-8.
    pub(super) fn plain_text(&mut self, what: &str) -> Option<(String, Span)> {
        let token = self.current();
        if token.kind != TokenKind::Text {
            self.report_expected(what);
            return None;
        }
        let bytes = literal::text_bytes(self.text(token), &mut |_| {});
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            self.report(|parser, span| {
                Diagnostic::error(span, format!("{} is not UTF-8", parser.found()))
                    .label(format!("expected {what}"))
            });
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        self.bump();
        Some((text, self.last))
    }
}

fn not_a_literal(parser: &Parser<'_>, what: &str, span: Span) -> Diagnostic {
    let error = Diagnostic::error(span, format!("expected {what}, found {}", parser.found()))
        .label(format!("expected {what}"));
    error.help(match parser.current().kind {
        TokenKind::Int => "hex literals start with `0x`",
        _ => "a literal looks like `0x02` or `\"text\"`",
    })
}
