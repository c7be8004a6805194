//! Names in a document, and the declarations that they refer to.

use crate::{
    analysis::{Analysis, file_uri},
    location::LineIndex,
};
use keyscape_layout::{
    FileId, Source, Span,
    syntax::{
        ast::{
            Arm, Clause, Cond, Decl, FieldPath, File, Keyspace, Name, Seg, TypeArg, TypeBody,
            TypeExpr, ValueExpr, ValueExprKind, all_decls,
        },
        parse,
    },
};
use lsp_types::{Location, Position, Range};

/// A name that refers to a declaration, or that declares something.
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
    let tree = analysis.tree();
    let offset = LineIndex::new(analysis.text()).offset(position);
    let (reference, _) = reference_at(&tree, offset)?;
    let here = |span: Span| analysis.location(span);
    match reference {
        Reference::Type(name) => {
            let (source, span) = find_type(analysis, &tree, &name)?;
            Some(Location::new(file_uri(source)?, LineIndex::new(&source.text).range(span)))
        }
        Reference::Keyspace(name) => here(find_keyspace(&tree, &name)?.name.span),
        Reference::Field(keyspace, field) => {
            here(find_field(&find_keyspace(&tree, &keyspace)?.key, &field)?)
        }
        Reference::Import(path) => {
            let main = analysis.sources().files().first()?;
            let file = analysis.sources().linked(&path, &main.path)?;
            Some(Location::new(file_uri(file)?, Range::default()))
        }
    }
}

/// Returns the file and the place of the declaration of a type.
pub(crate) fn find_type<'a>(
    analysis: &'a Analysis,
    tree: &File,
    name: &str,
) -> Option<(&'a Source, Span)> {
    let main = analysis.sources().files().first()?;
    let (alias, name) = match name.split_once('.') {
        Some((alias, name)) => (Some(alias), name),
        None => (None, name),
    };
    if alias.is_none()
        && let Some(span) = type_in(tree, name)
    {
        return Some((main, span));
    }
    tree.decls.iter().find_map(|decl| {
        let Decl::Import(import) = decl else { return None };
        if import.alias.as_ref().map(|alias| alias.text.as_str()) != alias {
            return None;
        }
        let file = analysis.sources().linked(&import.path, &main.path)?;
        let (imported, _) = parse(&file.text, FileId::default());
        Some((file, type_in(&imported, name)?))
    })
}

fn type_in(tree: &File, name: &str) -> Option<Span> {
    tree.decls.iter().find_map(|decl| match decl {
        Decl::Type(ty) if ty.name.text == name => Some(ty.name.span),
        _ => None,
    })
}

/// Returns the declaration of a keyspace.
pub(crate) fn find_keyspace<'a>(tree: &'a File, name: &str) -> Option<&'a Keyspace> {
    all_decls(&tree.decls).into_iter().find_map(|decl| match decl {
        Decl::Keyspace(keyspace) => (keyspace.name.text == name).then_some(keyspace),
        _ => None,
    })
}

fn find_field(segs: &[Seg], name: &str) -> Option<Span> {
    segs.iter().find_map(|seg| match seg {
        Seg::Field(field) if field.name.text == name => Some(field.name.span),
        Seg::Option(option) => find_field(&option.segs, name),
        Seg::Wrap(wrap) => find_field(&wrap.segs, name),
        _ => None,
    })
}

type References = Vec<(Reference, Span)>;

fn references(decl: &Decl, found: &mut References) {
    match decl {
        Decl::Import(import) => {
            found.push((Reference::Import(import.path.clone()), import.path_span));
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
        match clause {
            Clause::Scan(scan) => {
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
            Clause::Member(ty) | Clause::Score(ty) => type_expr(ty, found),
            Clause::HashField(field) => {
                in_key(&field.key, None, found);
                value(&field.value, found);
            }
            Clause::Accept(accept) => found.extend(accept.with.as_ref().map(to_keyspace)),
            Clause::In(_)
            | Clause::Unique(_)
            | Clause::Counted(_)
            | Clause::Ranked(_)
            | Clause::Split(_)
            | Clause::Deprecated(..) => {}
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
                let fields = derived.fields.iter();
                found.extend(keyspace.into_iter().flat_map(|of| {
                    fields.clone().map(|name| in_field(of, name)).collect::<Vec<_>>()
                }));
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
