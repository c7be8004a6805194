//! Formats a syntax tree as short text without spans: `(map balances key=[…] …)`.

use keyscape_layout::syntax::ast::*;

pub(crate) fn file(file: &File) -> String {
    let docs = file.doc.iter().map(|line| format!("!{line}"));
    docs.chain(file.decls.iter().map(decl)).collect::<Vec<_>>().join("\n")
}

fn join<T>(parts: &[T], part: impl Fn(&T) -> String) -> String {
    parts.iter().map(part).collect::<Vec<_>>().join(" ")
}

fn docs(doc: &[String]) -> String {
    doc.iter().map(|line| format!("/{line}/ ")).collect()
}

fn name(name: &Name) -> String {
    name.text.clone()
}

fn some<T>(label: &str, value: Option<&T>, part: impl Fn(&T) -> String) -> String {
    value.map(|value| format!(" {label}={}", part(value))).unwrap_or_default()
}

fn many<T>(label: &str, values: &[T], part: impl Fn(&T) -> String) -> String {
    if values.is_empty() { String::new() } else { format!(" {label}=[{}]", join(values, part)) }
}

fn decl(decl: &Decl) -> String {
    match decl {
        Decl::Import(it) => {
            format!("(import {}{})", it.path.text, some("as", it.alias.as_ref(), name))
        }
        Decl::Store(it) => format!(
            "{}(store {}{}{}{})",
            docs(&it.doc),
            it.name.text,
            if it.structures { " structures" } else { "" },
            some("on", it.backend.as_ref(), name),
            some("version", it.version.as_ref(), u64::to_string),
        ),
        Decl::Family(it) => {
            format!("{}(family {}: {})", docs(&it.doc), it.name.text, join(&it.decls, self::decl))
        }
        Decl::Type(it) => format!("{}(type {} {})", docs(&it.doc), it.name.text, body(&it.body)),
        Decl::Namespace(it) => format!(
            "{}(namespace {} [{}]: {})",
            docs(&it.doc),
            it.name.text,
            join(&it.prefix, lit),
            join(&it.items, item)
        ),
        Decl::Keyspace(it) => format!(
            "{}({:?} {}{}{} key=[{}]{}{}{})",
            docs(&it.doc),
            it.kind,
            it.name.text,
            some("of", it.of.as_ref(), name),
            some("was", it.was.as_ref(), name),
            join(&it.key, seg),
            some("value", it.value.as_ref(), value),
            some("reads", it.reads.as_ref(), value),
            it.clauses.iter().map(|it| format!(" {}", clause(it))).collect::<String>(),
        ),
    }
}

fn item(item: &NamespaceItem) -> String {
    match item {
        NamespaceItem::Allocate { name, low, high, .. } => {
            format!("(allocate {} {} {})", name.text, lit(low), lit(high))
        }
        NamespaceItem::Retired { deprecated, prefix, reason, .. } => {
            let word = if *deprecated { "deprecated" } else { "reserve" };
            format!("({word} {} {reason:?})", lit(prefix))
        }
        NamespaceItem::Decl(it) => decl(it),
    }
}

fn body(body: &TypeBody) -> String {
    match body {
        TypeBody::Expr(it) => texpr(it),
        TypeBody::Composite(segs) => format!("composite[{}]", join(segs, seg)),
        TypeBody::Enum(values) => format!("enum[{}]", join(values, |it| format!("{:?}", it.text))),
        TypeBody::Variant(arms) => {
            format!(
                "variant[{}]",
                join(arms, |it| format!("{}[{}]", it.name.text, join(&it.segs, seg)))
            )
        }
    }
}

fn seg(seg: &Seg) -> String {
    match seg {
        Seg::Lit(it) => lit(it),
        Seg::Field(it) => format!(
            "{{{}{}{}{}}}",
            it.name.text,
            some("was", it.was.as_ref(), name),
            it.ty.as_ref().map(|ty| format!(":{}", texpr(ty))).unwrap_or_default(),
            it.from_value.as_ref().map(|from| format!(" {from}")).unwrap_or_default()
        ),
        Seg::Option(it) => {
            format!("option[{}{}]", join(&it.segs, self::seg), some("if", it.guard.as_ref(), cond))
        }
        Seg::Wrap(it) => format!("wrap {}[{}]", it.codec.text, join(&it.segs, self::seg)),
        Seg::Derived(it) => format!(
            "{{={}({}){}}}",
            it.function.text,
            join(&it.fields, |name| name.text.clone()),
            some("", it.length.as_ref(), range)
        ),
    }
}

fn lit(lit: &Lit) -> String {
    let bytes = bytes(lit);
    lit.function.as_ref().map_or(bytes.clone(), |function| format!("{}({bytes})", function.text))
}

fn bytes(lit: &Lit) -> String {
    match String::from_utf8(lit.bytes.clone()) {
        Ok(text) if lit.is_text => format!("{text:?}"),
        _ => {
            format!("0x{}", lit.bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
    }
}

fn cond(cond: &Cond) -> String {
    match cond {
        Cond::Is { field, negated, value } => {
            format!("{}{}{:?}", field.text, if *negated { "!=" } else { "==" }, value.text)
        }
        Cond::In { field, range: it } => format!("{} in {}", field.text, range(it)),
        Cond::And(all) => format!("and({})", join(all, self::cond)),
        Cond::Or(any) => format!("or({})", join(any, self::cond)),
    }
}

fn int(int: &Int) -> String {
    format!("{}{}", if int.negative { "-" } else { "" }, int.magnitude)
}

fn range(range: &Range) -> String {
    let end = |end: &Option<Int>| end.as_ref().map(int).unwrap_or_default();
    format!("{}..{}{}", end(&range.low), if range.inclusive { "=" } else { "" }, end(&range.high))
}

fn regex(pattern: &str, bytes: bool) -> String {
    format!("{}/{pattern}/", if bytes { "b" } else { "" })
}

fn arg(arg: &TypeArg) -> String {
    match arg {
        TypeArg::Type(it) => texpr(it),
        TypeArg::Regex { pattern, bytes, negated: false, .. } => regex(pattern, *bytes),
        TypeArg::Regex { pattern, bytes, .. } => {
            format!("!{}", regex(pattern, *bytes))
        }
        TypeArg::NotLit(it) => format!("!{}", lit(it)),
        TypeArg::Named { name, value } => format!("{}={}", name.text, lit(value)),
        TypeArg::Lit(it) => lit(it),
        TypeArg::Int(it) => int(it),
    }
}

fn texpr(ty: &TypeExpr) -> String {
    let args =
        if ty.args.is_empty() { String::new() } else { format!("({})", join(&ty.args, arg)) };
    let length = ty.length.as_ref().map(|it| format!("[{}]", range(it))).unwrap_or_default();
    let domain = ty.domain.as_ref().map(|it| format!("<{}>", range(it))).unwrap_or_default();
    let shown = ty.shown.as_ref().map(|it| format!("~{}({})", it.name.text, join(&it.args, lit)));
    format!("{}{args}{length}{domain}{}", ty.name.text, shown.unwrap_or_default())
}

fn value(value: &ValueExpr) -> String {
    match &value.kind {
        ValueExprKind::Empty => "empty".to_owned(),
        ValueExprKind::Const(it) => format!("const:{}", lit(it)),
        ValueExprKind::Json(ty) => format!("json:{}", ty.as_ref().map(name).unwrap_or_default()),
        ValueExprKind::Proto(it) => format!("proto:{}", it.text),
        ValueExprKind::Type(it) => texpr(it),
    }
}

fn clause(clause: &Clause) -> String {
    match &clause.kind {
        ClauseKind::Scan(it) => {
            let path = |path: &FieldPath| path.names.iter().map(name).collect::<Vec<_>>().join(".");
            let asked = |it: &Asked| {
                let end = it.end.as_ref().map(|end| format!(" .. {}", join(end, seg)));
                format!("[{}{}]", join(&it.start, seg), end.unwrap_or_default())
            };
            let (by, also) = (many("by", &it.by, path), many("also", &it.also, name));
            let asked = some("as", it.asked.as_ref(), asked);
            format!("(scan{}{by}{asked}{also})", many("on", &it.leading, path))
        }
        ClauseKind::In(it) => format!("(in {})", it.text),
        ClauseKind::Unique => "(unique)".to_owned(),
        ClauseKind::Counted => "(counted)".to_owned(),
        ClauseKind::Ranked => "(ranked)".to_owned(),
        ClauseKind::Member(it) => format!("(member {})", texpr(it)),
        ClauseKind::Score(it) => format!("(score {})", texpr(it)),
        ClauseKind::HashField(it) => format!(
            "{}(field {}{} [{}] {})",
            docs(&it.doc),
            it.name.text,
            some("was", it.was.as_ref(), name),
            join(&it.key, seg),
            value(&it.value)
        ),
        ClauseKind::Split(it) => {
            let cut = match it.cut {
                Cut::Every => "every",
                Cut::First => "first",
                Cut::Last => "last",
            };
            format!("(split {cut} {})", lit(&it.separator))
        }
        ClauseKind::Accept(it) => format!(
            "(accept {}{}{} {:?})",
            it.rule.text,
            some("scan", it.scan.as_ref(), name),
            some("with", it.with.as_ref(), name),
            it.reason
        ),
        ClauseKind::Deprecated(reason) => format!("(deprecated {reason:?})"),
    }
}
