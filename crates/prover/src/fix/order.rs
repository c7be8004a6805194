//! Keys that sort as their values do.

use super::{
    change::Change,
    length::most,
    retype::{call_span, without_codec},
    separate,
    site::parting,
    view::View,
    written::{codec_expr, inner_codec, with_length, words_expr},
};
use keyscape_codec::{Order, PrefixOrder, Uint};
use keyscape_layout::{
    fields,
    model::Type,
    syntax::ast::{Decl, TypeArg, TypeBody, TypeDecl, TypeExpr, each_decl},
};

/// Enums of the fields in whose order rows come, with their texts in the order of their bytes.
pub(super) fn declaration(view: &View<'_>) -> Vec<Vec<Change>> {
    let Some(scan) = view.scan() else { return Vec::new() };
    let is_by = |ty: &Type, name: &String| matches!(ty, Type::Enum(_)) && scan.by.contains(name);
    let found = fields(&view.keyspace().key).into_iter().filter(|f| is_by(&f.ty, &f.name));
    found.filter_map(|field| sorted(view, view.layout.sources.text(field.ty_span?))).collect()
}

fn sorted(view: &View<'_>, name: &str) -> Option<Vec<Change>> {
    let mut found = None;
    each_decl(view.layout.decls(), &mut |decl| {
        if let Decl::Type(TypeDecl { name: known, body: TypeBody::Enum(values), .. }) = decl
            && known.text == name
        {
            found = Some(values);
        }
    });
    let values = found?;
    let mut sorted: Vec<_> = values.iter().collect();
    sorted.sort_by(|a, b| a.text.as_bytes().cmp(b.text.as_bytes()));
    let pairs = values.iter().zip(sorted).filter(|(here, there)| here.span != there.span);
    let written = |span| view.layout.sources.text(span);
    Some(pairs.map(|(here, there)| Change::replace(here.span, written(there.span))).collect())
}

/// A byte behind the field in which two rows part that sorts before all that can go on there.
pub(super) fn terminate(view: &View<'_>) -> Option<Vec<Change>> {
    let site = parting(view)?;
    let byte = match site.leaf.codec.order() {
        Order::Ordered { prefix: PrefixOrder::ShorterFirst } => 0x00,
        Order::Ordered { prefix: PrefixOrder::LongerFirst } => 0xff,
        Order::Misordered { .. } | Order::Tied { .. } | Order::Unknown(_) => return None,
    };
    if site.may_hold(byte) {
        return None;
    }
    separate::behind(&site, byte)
}

/// A codec that sorts as its values do.
pub(super) fn retype(view: &View<'_>) -> Option<Vec<Change>> {
    let site = parting(view)?;
    let expr = codec_expr(view, &site)?;
    Some(vec![Change::replace(call_span(view, expr), ordered(view, expr)?)])
}

/// The same where texts and bytes have an end of their own.
pub(super) fn retype_escaped(view: &View<'_>) -> Option<Vec<Change>> {
    let site = parting(view)?;
    let expr = codec_expr(view, &site)?;
    let inner = behind_length(expr)?;
    let text = format!("escaped({})", view.layout.sources.text(inner.span));
    Some(vec![Change::replace(call_span(view, expr), text)])
}

/// Replaces a codec by its argument.
pub(super) fn unwrapped(view: &View<'_>) -> Option<Vec<Change>> {
    without_codec(view, codec_expr(view, &parting(view)?)?)
}

/// Behind a length, values of one length only: the longest, since most values have that.
pub(super) fn one_length(view: &View<'_>) -> Option<Vec<Change>> {
    let site = parting(view)?;
    let expr = codec_expr(view, &site)?;
    behind_length(expr)?;
    let words = words_expr(view, expr)?;
    Some(vec![with_length(view, words, &most(words)?.to_string())?])
}

/// Returns the argument of a codec with a length prefix.
fn behind_length(expr: &TypeExpr) -> Option<&TypeExpr> {
    let is_length = expr.name.text.starts_with("len");
    inner_codec(expr).filter(|_| is_length)
}

fn ordered(view: &View<'_>, expr: &TypeExpr) -> Option<String> {
    if let Some(inner) = behind_length(expr) {
        // Without a pattern it may hold the byte that would end it.
        let words = words_expr(view, inner)?;
        let has_pattern = words.args.iter().any(|arg| matches!(arg, TypeArg::Regex { .. }));
        return has_pattern.then(|| format!("nul({})", view.layout.sources.text(inner.span)));
    }
    let argument = expr.args.iter().find_map(|arg| match arg {
        TypeArg::Type(inner) => Some(inner),
        _ => None,
    });
    match (expr.name.text.as_str(), argument) {
        ("rfc3339", _) => Some("time_text".to_owned()),
        ("sign_i64", _) => Some("flip(i64)".to_owned()),
        ("dec" | "leb128" | "compact" | "compact_size" | "f64_of", Some(of)) => {
            fixed(&of.name.text)
        }
        ("desc", Some(inner)) => {
            let rest = view
                .layout
                .text()
                .get(call_span(view, inner).end as usize..inner.span.end as usize)?;
            Some(format!("desc({}{rest})", ordered(view, inner)?))
        }
        (name, None) => {
            let of = name.strip_suffix("le").or_else(|| name.strip_suffix("be")).unwrap_or(name);
            keyscape_codec::int_type(of)?;
            fixed(of)
        }
        _ => None,
    }
}

/// The codec of fixed width that sorts integers of a type.
pub(super) fn fixed(of: &str) -> Option<String> {
    let int = keyscape_codec::int_type(of)?;
    Some(match (int.signed, int.bits) {
        (true, _) => format!("flip({of})"),
        (false, 8) => of.to_owned(),
        (false, _) => format!("{of}be"),
    })
}

/// Decimals with leading zeros, where there is such a codec.
pub(super) fn padded(view: &View<'_>) -> Option<Vec<Change>> {
    if !keyscape_codec::names().contains(&"dec0") {
        return None;
    }
    let site = parting(view)?;
    let expr = codec_expr(view, &site).filter(|expr| expr.name.text == "dec")?;
    let [TypeArg::Type(of)] = expr.args.as_slice() else { return None };
    let int = keyscape_codec::int_type(&of.name.text).filter(|int| !int.signed)?;
    let most = Uint::MAX >> (Uint::BITS - int.bits);
    let text = format!("dec0({})[{}]", of.name.text, most.to_string().len());
    Some(vec![Change::replace(call_span(view, expr), text)])
}
