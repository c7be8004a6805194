//! Names in a document, and the declarations that they refer to.

use crate::analysis::Analysis;
use keyscape_layout::{
    Span,
    syntax::ast::{
        Arm, ClauseKind, Cond, Decl, FieldPath, File, Keyspace, Name, Seg, TypeArg, TypeBody,
        TypeExpr, ValueExpr, ValueExprKind, all_decls, all_fields,
    },
};
use lsp_types::{Location, Position};

/// A name of a declaration, or a reference to one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// A type, or a codec; `alias.Type` for a type of an import.
    Type(String),
    /// A keyspace.
    Keyspace(String),
    /// The path of an import.
    Import(String),
    /// A field of a keyspace: the name of the keyspace and the outermost field.
    Field(String, String),
}

/// Returns the name at a position, with its place.
pub(crate) fn reference_at(tree: &File, offset: usize) -> Option<(Reference, Span)> {
    let mut found = Vec::new();
    all_decls(&tree.decls).into_iter().for_each(|decl| references(decl, &mut found));
    let is_at = |span: Span| (span.start as usize..=span.end as usize).contains(&offset);
    found.into_iter().find(|(_, span)| is_at(*span))
}

/// Returns the place of the declaration of the name at a position.
pub(crate) fn definition(analysis: &Analysis, position: Position) -> Option<Location> {
    let tree = analysis.trees().first()?;
    let keyspace = |name: &str| tree.keyspaces().find(|keyspace| keyspace.name.text == name);
    let (reference, _) = reference_at(tree, analysis.offset(position))?;
    let span = match reference {
        Reference::Type(name) => find_type(analysis, &name)?,
        Reference::Keyspace(name) => keyspace(&name)?.name.span,
        Reference::Field(name, field) => {
            let fields = all_fields(&keyspace(&name)?.key).into_iter();
            fields.map(|field| &field.name).find(|name| name.text == field)?.span
        }
        Reference::Import(path) => {
            let (_, file) = analysis.imports().find(|(import, _)| import.path.text == path)?;
            Span { file, ..Span::default() }
        }
    };
    analysis.location(span)
}

/// Returns the place of the declaration of a type.
pub(crate) fn find_type(analysis: &Analysis, name: &str) -> Option<Span> {
    let (alias, name) = match name.split_once('.') {
        Some((alias, name)) => (Some(alias), name),
        None => (None, name),
    };
    let imports = analysis
        .imports()
        .filter(|(import, _)| import.alias.as_ref().map(|alias| alias.text.as_str()) == alias);
    let own = analysis.trees().first().filter(|_| alias.is_none());
    let imported = imports.filter_map(|(_, file)| analysis.trees().get(file.0 as usize));
    let names = own.into_iter().chain(imported).flat_map(File::types).map(|ty| &ty.name);
    names.filter(|declared| declared.text == name).map(|declared| declared.span).next()
}

type References = Vec<(Reference, Span)>;

fn references(decl: &Decl, found: &mut References) {
    match decl {
        Decl::Import(import) => {
            found.push((Reference::Import(import.path.text.clone()), import.path.span));
        }
        Decl::Type(ty) => {
            found.push((Reference::Type(ty.name.text.clone()), ty.name.span));
            match &ty.body {
                TypeBody::Expr(expr) => type_expr(expr, found),
                TypeBody::Composite(segs) => in_key(segs, None, found),
                TypeBody::Variant(arms) => {
                    arms.iter().for_each(|Arm { segs, .. }| in_key(segs, None, found));
                }
                TypeBody::Enum(_) => {}
            }
        }
        Decl::Keyspace(keyspace) => in_keyspace(keyspace, found),
        Decl::Store(_) | Decl::Family(_) | Decl::Namespace(_) => {}
    }
}

fn in_keyspace(keyspace: &Keyspace, found: &mut References) {
    let name = &keyspace.name.text;
    let to_keyspace = |of: &Name| (Reference::Keyspace(of.text.clone()), of.span);
    found.push(to_keyspace(&keyspace.name));
    found.extend(keyspace.of.as_ref().map(to_keyspace));
    in_key(&keyspace.key, Some(name), found);
    let values = [&keyspace.value, &keyspace.reads].into_iter().flatten();
    values.for_each(|of| value(of, found));
    for clause in &keyspace.clauses {
        match &clause.kind {
            ClauseKind::Scan(scan) => {
                let field = |path: &FieldPath| {
                    let first = path.names.first()?;
                    Some((Reference::Field(name.clone(), first.text.clone()), path.span))
                };
                found.extend(scan.leading.iter().chain(&scan.by).filter_map(field));
                found.extend(scan.also.iter().map(to_keyspace));
                for segs in scan.asked.iter().flat_map(|of| [Some(&of.start), of.end.as_ref()]) {
                    in_key(segs.map_or(&[], Vec::as_slice), Some(name), found);
                }
            }
            ClauseKind::Member(ty) | ClauseKind::Score(ty) => type_expr(ty, found),
            ClauseKind::HashField(field) => {
                in_key(&field.key, None, found);
                value(&field.value, found);
            }
            ClauseKind::Accept(accept) => found.extend(accept.with.as_ref().map(to_keyspace)),
            _ => {}
        }
    }
}

fn value(value: &ValueExpr, found: &mut References) {
    if let ValueExprKind::Type(ty) = &value.kind {
        type_expr(ty, found);
    }
}

/// Collects the names in the segments of a keyspace, or of a type.
fn in_key(segs: &[Seg], keyspace: Option<&String>, found: &mut References) {
    for seg in segs {
        match seg {
            Seg::Field(field) => {
                if let Some(ty) = &field.ty {
                    type_expr(ty, found);
                }
                found.extend(keyspace.map(|of| in_field(of, &field.name)));
            }
            Seg::Option(option) => {
                in_key(&option.segs, keyspace, found);
                if let (Some(guard), Some(of)) = (&option.guard, keyspace) {
                    in_guard(guard, of, found);
                }
            }
            Seg::Wrap(wrap) => in_key(&wrap.segs, keyspace, found),
            Seg::Derived(derived) => {
                if let Some(of) = keyspace {
                    found.extend(derived.fields.iter().map(|name| in_field(of, name)));
                }
            }
            Seg::Lit(_) => {}
        }
    }
}

fn in_guard(guard: &Cond, keyspace: &String, found: &mut References) {
    match guard {
        Cond::Is { field, .. } | Cond::In { field, .. } => found.push(in_field(keyspace, field)),
        Cond::And(all) | Cond::Or(all) => {
            all.iter().for_each(|guard| in_guard(guard, keyspace, found));
        }
    }
}

fn in_field(keyspace: &str, field: &Name) -> (Reference, Span) {
    (Reference::Field(keyspace.to_owned(), field.text.clone()), field.span)
}

fn type_expr(expr: &TypeExpr, found: &mut References) {
    found.push((Reference::Type(expr.name.text.clone()), expr.name.span));
    for arg in &expr.args {
        if let TypeArg::Type(inner) = arg {
            type_expr(inner, found);
        }
    }
}
