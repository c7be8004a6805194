//! Resolves the values of rows.

use super::{Resolver, did_you_mean, types::is_codec};
use crate::{
    Diagnostic,
    model::{RowValue, Type, TypedValue},
    syntax::ast,
};
use keyscape_codec::wrapper::Wrapper;

impl Resolver<'_> {
    /// Resolves the value of a row. Returns `None` after reporting an error.
    pub(super) fn row_value(&mut self, value: &ast::ValueExpr) -> Option<RowValue> {
        Some(match &value.kind {
            ast::ValueExprKind::Empty => RowValue::Empty,
            ast::ValueExprKind::Const(lit) => RowValue::Const(lit.bytes.clone()),
            ast::ValueExprKind::Json(name) => RowValue::Json(name.as_ref().map(|n| n.text.clone())),
            ast::ValueExprKind::Proto(name) => self.message(name)?,
            ast::ValueExprKind::Type(expr) => self.value_type(expr)?,
        })
    }

    /// Resolves a protobuf message: a well-known wrapper, or a message of the program.
    fn message(&mut self, name: &ast::Name) -> Option<RowValue> {
        let Some(wrapper) = Wrapper::find(&name.text) else {
            return Some(RowValue::Proto(name.text.clone()));
        };
        let codec = ast::Name { text: wrapper.codec_name().to_owned(), span: name.span };
        let ty = self.type_expr(&named(codec))?;
        let text = format!("proto {}", wrapper.name());
        Some(RowValue::Typed(TypedValue { ty, text, wrapper: Some(wrapper) }))
    }

    /// Resolves a codec, a declared type, or a type of the program.
    fn value_type(&mut self, expr: &ast::TypeExpr) -> Option<RowValue> {
        let name = expr.name.text.as_str();
        let bare = expr.args.is_empty()
            && expr.length.is_none()
            && expr.domain.is_none()
            && expr.shown.is_none();
        let declared = self.find_type(expr.span.file, name).is_some();
        if declared || !bare {
            let ty = self.type_expr(expr)?;
            let text = match &*ty {
                Type::Leaf(leaf) if !bare => leaf.codec.text(),
                _ => name.to_owned(),
            };
            return Some(RowValue::Typed(TypedValue { ty, text, wrapper: None }));
        }
        if !is_codec(name) && keyscape_codec::int_type(name).is_none() {
            return self.own_type(&expr.name);
        }
        let ty = self.type_expr(&whole(expr))?;
        Some(RowValue::Typed(TypedValue { ty, text: name.to_owned(), wrapper: None }))
    }
}

impl Resolver<'_> {
    /// Resolves a type of the program. A name in lower case that is similar to a codec is an error.
    fn own_type(&mut self, name: &ast::Name) -> Option<RowValue> {
        let is_lower = name.text.starts_with(|first: char| first.is_ascii_lowercase());
        match did_you_mean(&name.text, keyscape_codec::names().iter().copied()) {
            Some(help) if is_lower => {
                let message = format!("`{}` is not a codec", name.text);
                let help = format!("{help} (a type of the program begins with a capital letter)");
                self.report(Diagnostic::error(name.span, message).help(help));
                None
            }
            _ => Some(RowValue::Own(name.text.clone())),
        }
    }
}

/// Creates a type expression from a name.
fn named(name: ast::Name) -> ast::TypeExpr {
    let span = name.span;
    ast::TypeExpr { name, args: Vec::new(), length: None, domain: None, shown: None, span }
}

/// Adds the widest length to `dec`, `text` and `bytes`, because a value ends with its row.
fn whole(expr: &ast::TypeExpr) -> ast::TypeExpr {
    let mut expr = expr.clone();
    let span = expr.span;
    match expr.name.text.as_str() {
        "dec" => {
            let wide = named(ast::Name { text: "u256".to_owned(), span });
            expr.args.push(ast::TypeArg::Type(wide));
        }
        "text" | "bytes" => {
            expr.length = Some(ast::Range { low: None, high: None, inclusive: false, span });
        }
        _ => {}
    }
    expr
}
