//! Type expressions of the syntax tree, and edits of them.

use super::{edit::Edit, problem::Problem, site::Site};
use keyscape_codec::quoted;
use keyscape_layout::{
    Span,
    model::Type,
    syntax::ast::{ClauseKind, Decl, Seg, TypeArg, TypeBody, TypeExpr, all_decls, all_fields},
};

/// Returns the expression at a place of the main file.
pub(super) fn expr_at<'a>(problem: &Problem<'a>, span: Span) -> Option<&'a TypeExpr> {
    fn find(expr: &TypeExpr, span: Span) -> Option<&TypeExpr> {
        match expr.span == span {
            true => Some(expr),
            false => types_in(expr).find_map(|inner| find(inner, span)),
        }
    }
    outer_exprs(problem.layout.decls()).into_iter().find_map(|expr| find(expr, span))
}

/// Returns the expression of a leaf's codec, if it is in the main file.
pub(super) fn codec_expr<'a>(problem: &Problem<'a>, site: &Site<'_>) -> Option<&'a TypeExpr> {
    expr_at(problem, site.leaf.span)
}

/// Returns the expression of a leaf's type in the key, or in the declaration of its type.
pub(super) fn used_expr<'a>(problem: &Problem<'a>, site: &Site<'_>) -> Option<&'a TypeExpr> {
    let direct = matches!(&*site.field.ty, Type::Leaf(_));
    let here = site.field.ty_span.filter(|_| direct).and_then(|span| expr_at(problem, span));
    here.or_else(|| codec_expr(problem, site))
}

/// Returns the expression that declares the integers of a leaf.
pub(super) fn domain_expr<'a>(problem: &Problem<'a>, site: &Site<'_>) -> Option<&'a TypeExpr> {
    let used = used_expr(problem, site);
    used.filter(|expr| expr.domain.is_some()).or_else(|| codec_expr(problem, site)).or(used)
}

/// Returns the `text` or `bytes` expression inside an expression such as `len8(text(…))`.
pub(super) fn words_expr<'a>(problem: &Problem<'a>, expr: &'a TypeExpr) -> Option<&'a TypeExpr> {
    if matches!(expr.name.text.as_str(), "text" | "bytes") {
        return Some(expr);
    }
    let declared = problem.types().find_map(|decl| match &decl.body {
        TypeBody::Expr(declared) if decl.name.text == expr.name.text => Some(declared),
        _ => None,
    });
    if let Some(declared) = declared {
        return words_expr(problem, declared);
    }
    types_in(expr).find_map(|inner| words_expr(problem, inner))
}

/// Returns the codec that is the argument of another codec.
pub(super) fn inner_codec(expr: &TypeExpr) -> Option<&TypeExpr> {
    let needs_order = |inner: &TypeExpr| {
        keyscape_codec::int_type(&inner.name.text).is_some_and(|int| int.bits > 8)
    };
    types_in(expr).find(|inner| !needs_order(inner))
}

/// Returns the name of the integer type inside an expression: `u8` in `pad_right(dec(u8))[1]`.
pub(super) fn integer_type(expr: &TypeExpr) -> Option<&str> {
    let name = expr.name.text.as_str();
    let bare = name.strip_suffix("be").or_else(|| name.strip_suffix("le")).unwrap_or(name);
    if keyscape_codec::int_type(bare).is_some() {
        return Some(bare);
    }
    types_in(expr).find_map(integer_type)
}

/// Returns the expression or inner expression that declares a range of integers.
pub(super) fn ranged(expr: &TypeExpr) -> Option<&TypeExpr> {
    if expr.domain.is_some() {
        return Some(expr);
    }
    types_in(expr).find_map(ranged)
}

pub(super) fn types_in(expr: &TypeExpr) -> impl Iterator<Item = &TypeExpr> {
    expr.args.iter().filter_map(|arg| match arg {
        TypeArg::Type(inner) => Some(inner),
        _ => None,
    })
}

/// Excludes values that contain some bytes from an expression.
pub(super) fn excluding(expr: &TypeExpr, bytes: &[u8]) -> Option<Edit> {
    if !matches!(expr.name.text.as_str(), "text" | "bytes") {
        return None;
    }
    let literal = literal_text(bytes);
    Some(match expr.args.last() {
        Some(last) => Edit::after(last.span(), format!(", not {literal}")),
        None => Edit::after(expr.name.span, format!("(not {literal})")),
    })
}

/// Sets the range of integers of an expression.
pub(super) fn with_domain(expr: &TypeExpr, range: &str) -> Edit {
    match (&expr.domain, &expr.shown) {
        (Some(domain), _) => Edit::replace(domain.span, range),
        (None, Some(shown)) => Edit::before(shown.span, format!("in {range} ")),
        (None, None) => Edit::after(expr.span, format!(" in {range}")),
    }
}

/// Sets the range of lengths of an expression.
pub(super) fn with_length(problem: &Problem<'_>, expr: &TypeExpr, range: &str) -> Option<Edit> {
    if let Some(length) = &expr.length {
        return Some(Edit::replace(length.span, range));
    }
    let Some(last) = expr.args.last() else {
        return Some(Edit::after(expr.name.span, format!("[{range}]")));
    };
    let from = last.span().end as usize;
    let close = from + problem.layout.text().get(from..)?.find(')')?;
    let close = Span { start: close as u32, end: close as u32 + 1, ..expr.span };
    Some(Edit::after(close, format!("[{range}]")))
}

/// Wraps an expression in a codec.
pub(super) fn wrapped(problem: &Problem<'_>, expr: &TypeExpr, codec: &str) -> Edit {
    let end = expr.shown.as_ref().map_or(expr.span.end, |shown| shown.span.start);
    let text = problem.layout.sources.text(Span { end, ..expr.span }).trim_end();
    let end = expr.span.start + text.len() as u32;
    Edit::replace(Span { end, ..expr.span }, format!("{codec}({text})"))
}

/// Returns bytes in the notation of layouts.
pub(super) fn literal_text(bytes: &[u8]) -> String {
    if bytes.is_empty() { "0x".to_owned() } else { quoted(bytes) }
}

/// Returns all expressions that are not inside another expression.
fn outer_exprs(decls: &[Decl]) -> Vec<&TypeExpr> {
    fn in_segs(segs: &[Seg]) -> impl Iterator<Item = &TypeExpr> {
        all_fields(segs).into_iter().filter_map(|field| field.ty.as_ref())
    }
    let mut found = Vec::new();
    for decl in all_decls(decls) {
        match decl {
            Decl::Type(decl) => match &decl.body {
                TypeBody::Expr(expr) => found.push(expr),
                TypeBody::Composite(segs) => found.extend(in_segs(segs)),
                TypeBody::Variant(arms) => {
                    found.extend(arms.iter().flat_map(|arm| in_segs(&arm.segs)));
                }
                TypeBody::Enum(_) => {}
            },
            Decl::Keyspace(keyspace) => {
                found.extend(in_segs(&keyspace.key));
                for clause in &keyspace.clauses {
                    match &clause.kind {
                        ClauseKind::Member(expr) | ClauseKind::Score(expr) => found.push(expr),
                        ClauseKind::HashField(field) => found.extend(in_segs(&field.key)),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    found
}
