//! The outline of a document.

use crate::analysis::Analysis;
use keyscape_layout::{
    Span, kind_name,
    syntax::ast::{Decl, Name},
};
use lsp_types::{DocumentSymbol, SymbolKind};

/// Returns the declarations of a document. Declarations are nested in their store, family and
/// namespace.
pub(crate) fn symbols(analysis: &Analysis) -> Vec<DocumentSymbol> {
    let mut outline: Vec<DocumentSymbol> = Vec::new();
    for decl in analysis.trees().first().into_iter().flat_map(|tree| &tree.decls) {
        let Some(symbol) = symbol(decl, analysis) else { continue };
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

fn symbol(decl: &Decl, analysis: &Analysis) -> Option<DocumentSymbol> {
    let inside = |decl| symbol(decl, analysis);
    let make = |name, detail, kind, span| make(analysis, name, detail, kind, span);
    Some(match decl {
        Decl::Import(_) => return None,
        Decl::Store(store) => make(&store.name, "store", SymbolKind::MODULE, store.span),
        Decl::Type(ty) => make(&ty.name, "type", SymbolKind::STRUCT, ty.span),
        Decl::Keyspace(keyspace) => {
            make(&keyspace.name, kind_name(keyspace.kind), SymbolKind::FIELD, keyspace.span)
        }
        Decl::Family(family) => DocumentSymbol {
            children: Some(family.decls.iter().filter_map(inside).collect()),
            ..make(&family.name, "family", SymbolKind::NAMESPACE, family.span)
        },
        Decl::Namespace(namespace) => DocumentSymbol {
            children: Some(namespace.decls().filter_map(inside).collect()),
            ..make(&namespace.name, "namespace", SymbolKind::NAMESPACE, namespace.span)
        },
    })
}

#[expect(deprecated, reason = "the protocol's type has a deprecated field without a default")]
fn make(
    analysis: &Analysis,
    name: &Name,
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
        range: analysis.range(span),
        selection_range: analysis.range(name.span),
        children: None,
    }
}
