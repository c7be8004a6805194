//! Fixes for keys that do not sort like their values.

use super::{
    edit::Edit,
    expr::{codec_expr, inner_codec, types_in, used_expr, words_expr},
    literal::byte_after,
    problem::Problem,
    retype::{call_span, of_fixed_width, with_codec, without_codec},
    site::differing_site,
};
use keyscape_codec::{Order, PrefixOrder, Uint};
use keyscape_layout::{
    Span, fields,
    model::Type,
    syntax::ast::{TypeArg, TypeBody, TypeExpr},
};

/// Writes the values of an enum that rows are sorted by as numbers, in their declared order. The
/// enum becomes a variant whose arms are single bytes. An arm must have the name of its value,
/// because programs write and read values by their names.
pub(super) fn numbered(problem: &Problem<'_>) -> Vec<Vec<Edit>> {
    let Some(scan) = problem.scan() else { return Vec::new() };
    let is_by = |ty: &Type, name: &String| matches!(ty, Type::Enum(_)) && scan.by.contains(name);
    let found = fields(&problem.keyspace().key).into_iter().filter(|f| is_by(&f.ty, &f.name));
    let edits = found.filter_map(|field| {
        numbered_enum(problem, problem.layout.sources.text(field.ty_span?))
            .map(|change| vec![change])
    });
    edits.collect()
}

fn numbered_enum(problem: &Problem<'_>, name: &str) -> Option<Edit> {
    let values = problem.types().find_map(|decl| match &decl.body {
        TypeBody::Enum(values) if decl.name.text == name => Some(values),
        _ => None,
    })?;
    let span = values.first()?.span.to(values.last()?.span);
    let mut arms = String::new();
    for (number, value) in values.iter().enumerate() {
        let tag = u8::try_from(number).ok()?;
        let space = if number == 0 { "" } else { " " };
        // Texts such as `"in-progress"` cannot be the name of an arm.
        let is_name = value.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            return None;
        }
        arms.push_str(&format!("{space}| {} 0x{tag:02x}", value.text));
    }
    Some(Edit::replace(span, arms))
}

/// Adds a byte after the first differing field that sorts before all continuations of the field.
pub(super) fn terminate(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let site = differing_site(problem)?;
    let byte = match site.leaf.codec.order() {
        Order::Ordered { prefix: PrefixOrder::ShorterFirst } => 0x00,
        Order::Ordered { prefix: PrefixOrder::LongerFirst } => 0xff,
        Order::Misordered { .. } | Order::Tied { .. } | Order::Unknown(_) => return None,
    };
    if site.may_hold(byte) {
        return None;
    }
    byte_after(&site, byte)
}

/// Replaces the codec by one that sorts like its values.
pub(super) fn retype(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let expr = codec_expr(problem, &differing_site(problem)?)?;
    Some(vec![with_codec(problem, expr, ordered(problem, expr)?)])
}

/// Replaces a length prefix of text or bytes by a terminator.
pub(super) fn retype_escaped(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let expr = codec_expr(problem, &differing_site(problem)?)?;
    let inner = problem.layout.sources.text(inside_length(expr)?.span);
    Some(vec![with_codec(problem, expr, format!("escaped({inner})"))])
}

/// Replaces a codec by its argument.
pub(super) fn unwrapped(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    without_codec(problem, codec_expr(problem, &differing_site(problem)?)?)
}

/// Gives the integers of the first differing field a fixed width.
pub(super) fn fixed_width(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let site = differing_site(problem)?;
    // A type of another file is replaced at its use.
    let expr = codec_expr(problem, &site).or_else(|| used_expr(problem, &site))?;
    let text = of_fixed_width(problem, site.leaf, expr).into_iter().next()?;
    Some(vec![with_codec(problem, expr, text)])
}

/// Replaces decimals by decimals with leading zeros.
pub(super) fn padded(problem: &Problem<'_>) -> Option<Vec<Edit>> {
    let expr =
        codec_expr(problem, &differing_site(problem)?).filter(|expr| expr.name.text == "dec")?;
    let [TypeArg::Type(of)] = expr.args.as_slice() else { return None };
    Some(vec![with_codec(problem, expr, padded_decimal(&of.name.text)?)])
}

/// Returns the argument of a codec with a length prefix.
fn inside_length(expr: &TypeExpr) -> Option<&TypeExpr> {
    let is_length = expr.name.text.starts_with("len");
    inner_codec(expr).filter(|_| is_length)
}

fn ordered(problem: &Problem<'_>, expr: &TypeExpr) -> Option<String> {
    if let Some(inner) = inside_length(expr) {
        // Without a pattern, the value may contain the terminator.
        let words = words_expr(problem, inner)?;
        let has_pattern =
            words.args.iter().any(|arg| matches!(arg, TypeArg::Regex { negated: false, .. }));
        return has_pattern.then(|| format!("nul({})", problem.layout.sources.text(inner.span)));
    }
    match (expr.name.text.as_str(), types_in(expr).next()) {
        ("rfc3339", _) => Some("time_text".to_owned()),
        ("sign_i64", _) => Some("flip(i64)".to_owned()),
        ("dec" | "leb128" | "compact" | "compact_size" | "f64_of", Some(of)) => {
            fixed(&of.name.text)
        }
        ("desc", Some(inner)) => {
            let rest = Span { start: call_span(problem, inner).end, ..inner.span };
            let rest = problem.layout.sources.text(rest);
            Some(format!("desc({}{rest})", ordered(problem, inner)?))
        }
        (name, None) => {
            let of = name.strip_suffix("le").or_else(|| name.strip_suffix("be")).unwrap_or(name);
            keyscape_codec::int_type(of)?;
            fixed(of)
        }
        _ => None,
    }
}

/// Returns the codec of fixed width that sorts integers of a type.
pub(super) fn fixed(of: &str) -> Option<String> {
    let int = keyscape_codec::int_type(of)?;
    Some(match (int.signed, int.bits) {
        (true, _) => format!("flip({of})"),
        (false, 8) => of.to_owned(),
        (false, _) => format!("{of}be"),
    })
}

/// Returns the codec of decimals with leading zeros for an unsigned type.
pub(super) fn padded_decimal(of: &str) -> Option<String> {
    let int = keyscape_codec::int_type(of).filter(|int| !int.signed)?;
    let max = Uint::MAX >> (Uint::BITS - int.bits);
    Some(format!("dec0({of})[{}]", max.to_string().len()))
}
