//! Names in a document, and the declarations that they refer to.

use crate::analysis::Analysis;
use keyscape_layout::{
    Span,
    syntax::ast::{
        Arm, Asked, ClauseKind, Cond, Decl, FieldPath, File, Import, Keyspace, Name, Seg, TypeArg,
        TypeBody, TypeExpr, ValueExpr, ValueExprKind, all_decls, all_fields,
    },
};
use lsp_types::{Location, Position};

/// A name of a declaration, or a reference to one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reference<'a> {
    /// A type, or a codec; `alias.Type` for a type of an import.
    Type(&'a str),
    /// A keyspace.
    Keyspace(&'a Keyspace),
    /// A field of a keyspace: its outermost field.
    Field(&'a Keyspace, &'a str),
    /// An import.
    Import(&'a Import),
}

/// Returns the name at a position, with its span.
pub(crate) fn reference_at(tree: &File, offset: usize) -> Option<(Reference<'_>, Span)> {
    let is_at = |span: Span| (span.start as usize..=span.end as usize).contains(&offset);
    // Keyspaces of different stores may have the same name.
    let stores = tree.decls.chunk_by(|_, next| !matches!(next, Decl::Store(_)));
    stores.map(References::of).flat_map(|references| references.found).find(|(_, at)| is_at(*at))
}

/// Returns the location of the declaration of the name at a position.
pub(crate) fn definition(analysis: &Analysis, position: Position) -> Option<Location> {
    let (reference, _) = reference_at(analysis.trees().first()?, analysis.offset(position))?;
    let span = match reference {
        Reference::Type(name) => find_type(analysis, name)?,
        Reference::Keyspace(keyspace) => keyspace.name.span,
        Reference::Field(keyspace, name) => {
            let fields = all_fields(&keyspace.key).into_iter().map(|field| &field.name);
            fields.into_iter().find(|field| field.text == name)?.span
        }
        Reference::Import(import) => {
            let (_, file) = analysis.imports().find(|(other, _)| other.span == import.span)?;
            Span { file, ..Span::default() }
        }
    };
    analysis.location(span)
}

/// Returns the span of the name in the declaration of a type.
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

/// The names in the declarations of one store.
struct References<'a> {
    keyspaces: Vec<&'a Keyspace>,
    found: Vec<(Reference<'a>, Span)>,
}

impl<'a> References<'a> {
    fn of(decls: &'a [Decl]) -> Self {
        let decls = all_decls(decls);
        let keyspaces = decls.iter().filter_map(|decl| match decl {
            Decl::Keyspace(keyspace) => Some(keyspace),
            _ => None,
        });
        let mut references = Self { keyspaces: keyspaces.collect(), found: Vec::new() };
        decls.into_iter().for_each(|decl| references.decl(decl));
        references
    }

    fn decl(&mut self, decl: &'a Decl) {
        match decl {
            Decl::Import(import) => {
                self.found.push((Reference::Import(import), import.path.span));
            }
            Decl::Type(ty) => {
                self.found.push((Reference::Type(&ty.name.text), ty.name.span));
                match &ty.body {
                    TypeBody::Expr(expr) => self.type_expr(expr),
                    TypeBody::Composite(segs) => self.key(segs, None),
                    TypeBody::Variant(arms) => {
                        arms.iter().for_each(|Arm { segs, .. }| self.key(segs, None));
                    }
                    TypeBody::Enum(_) => {}
                }
            }
            Decl::Keyspace(keyspace) => self.keyspace(keyspace),
            Decl::Store(_) | Decl::Family(_) | Decl::Namespace(_) => {}
        }
    }

    fn keyspace(&mut self, keyspace: &'a Keyspace) {
        self.found.push((Reference::Keyspace(keyspace), keyspace.name.span));
        self.keyspace_names(&keyspace.of);
        self.key(&keyspace.key, Some(keyspace));
        [&keyspace.value, &keyspace.reads].into_iter().flatten().for_each(|of| self.value(of));
        for clause in &keyspace.clauses {
            match &clause.kind {
                ClauseKind::Scan(scan) => {
                    let field = |path: &'a FieldPath| {
                        let first = path.names.first()?;
                        Some((Reference::Field(keyspace, &first.text), path.span))
                    };
                    self.found.extend(scan.leading.iter().chain(&scan.by).filter_map(field));
                    self.keyspace_names(&scan.also);
                    if let Some(Asked { start, end, .. }) = &scan.asked {
                        self.key(start, Some(keyspace));
                        self.key(end.as_deref().unwrap_or_default(), Some(keyspace));
                    }
                }
                ClauseKind::Member(ty) | ClauseKind::Score(ty) => self.type_expr(ty),
                ClauseKind::HashField(field) => {
                    self.key(&field.key, None);
                    self.value(&field.value);
                }
                ClauseKind::Accept(accept) => self.keyspace_names(&accept.with),
                _ => {}
            }
        }
    }

    /// Adds names of keyspaces of the same store.
    fn keyspace_names(&mut self, names: impl IntoIterator<Item = &'a Name>) {
        for name in names {
            let found = self.keyspaces.iter().find(|keyspace| keyspace.name.text == name.text);
            self.found.extend(found.map(|keyspace| (Reference::Keyspace(keyspace), name.span)));
        }
    }

    fn value(&mut self, value: &'a ValueExpr) {
        if let ValueExprKind::Type(ty) = &value.kind {
            self.type_expr(ty);
        }
    }

    /// Adds the names in the segments of a keyspace, or of a type.
    fn key(&mut self, segs: &'a [Seg], keyspace: Option<&'a Keyspace>) {
        for seg in segs {
            match seg {
                Seg::Field(field) => {
                    field.ty.iter().for_each(|ty| self.type_expr(ty));
                    self.field(keyspace, &field.name);
                }
                Seg::Option(option) => {
                    self.key(&option.segs, keyspace);
                    option.guard.iter().for_each(|guard| self.guard(guard, keyspace));
                }
                Seg::Wrap(wrap) => self.key(&wrap.segs, keyspace),
                Seg::Derived(derived) => {
                    derived.fields.iter().for_each(|name| self.field(keyspace, name));
                }
                Seg::Lit(_) => {}
            }
        }
    }

    fn guard(&mut self, guard: &'a Cond, keyspace: Option<&'a Keyspace>) {
        match guard {
            Cond::Is { field, .. } | Cond::In { field, .. } => self.field(keyspace, field),
            Cond::And(all) | Cond::Or(all) => {
                all.iter().for_each(|guard| self.guard(guard, keyspace));
            }
        }
    }

    fn field(&mut self, keyspace: Option<&'a Keyspace>, name: &'a Name) {
        let field = |keyspace| (Reference::Field(keyspace, &name.text), name.span);
        self.found.extend(keyspace.map(field));
    }

    fn type_expr(&mut self, expr: &'a TypeExpr) {
        self.found.push((Reference::Type(&expr.name.text), expr.name.span));
        for arg in &expr.args {
            if let TypeArg::Type(inner) = arg {
                self.type_expr(inner);
            }
        }
    }
}
