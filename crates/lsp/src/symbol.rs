//! The outline of a document.

use crate::location::LineIndex;
use keyscape_layout::{
    Span, kind_name,
    syntax::ast::{self, Decl, NamespaceItem},
};
use lsp_types::{DocumentSymbol, SymbolKind};

/// Returns the declarations of a document. Declarations are nested in their store, family and
/// namespace.
pub(crate) fn symbols(tree: &ast::File, text: &str) -> Vec<DocumentSymbol> {
    let index = LineIndex::new(text);
    let mut outline: Vec<DocumentSymbol> = Vec::new();
    for decl in &tree.decls {
        let Some(symbol) = symbol(decl, &index) else { continue };
        match outline.last_mut().filter(|last| last.kind == SymbolKind::MODULE) {
            // A store contains the declarations up to the next store.
            Some(store) if symbol.kind != SymbolKind::MODULE => {
                store.range.end = store.range.end.max(symbol.range.end);
                store.children.get_or_insert_default().push(symbol);
            }
            _ => outline.push(symbol),
        }
    }
    outline
}

fn symbol(decl: &Decl, index: &LineIndex<'_>) -> Option<DocumentSymbol> {
    let inner = |decls: Vec<&Decl>| decls.into_iter().filter_map(|d| symbol(d, index)).collect();
    Some(match decl {
        Decl::Import(_) => return None,
        Decl::Store(store) => make(index, &store.name, "store", SymbolKind::MODULE, store.span),
        Decl::Type(ty) => make(index, &ty.name, "type", SymbolKind::STRUCT, ty.span),
        Decl::Keyspace(keyspace) => {
            let kind = kind_name(keyspace.kind);
            make(index, &keyspace.name, kind, SymbolKind::FIELD, keyspace.span)
        }
        Decl::Family(family) => DocumentSymbol {
            children: Some(inner(family.decls.iter().collect())),
            ..make(index, &family.name, "family", SymbolKind::NAMESPACE, family.span)
        },
        Decl::Namespace(namespace) => {
            let decls = namespace.items.iter().filter_map(|item| match item {
                NamespaceItem::Decl(decl) => Some(decl),
                _ => None,
            });
            DocumentSymbol {
                children: Some(inner(decls.collect())),
                ..make(index, &namespace.name, "namespace", SymbolKind::NAMESPACE, namespace.span)
            }
        }
    })
}

#[expect(deprecated, reason = "the protocol's type has a deprecated field without a default")]
fn make(
    index: &LineIndex<'_>,
    name: &ast::Name,
    detail: &str,
    kind: SymbolKind,
    span: Span,
) -> DocumentSymbol {
    DocumentSymbol {
        name: name.text.clone(),
        detail: Some(detail.to_owned()),
        kind,
        tags: None,
        deprecated: None,
        range: index.range(span),
        selection_range: index.range(name.span),
        children: None,
    }
}
