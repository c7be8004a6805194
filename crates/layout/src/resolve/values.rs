//! What rows hold.

use super::{Resolver, types::is_codec};
use crate::{
    model::{RowValue, Type, TypedValue},
    syntax::ast,
};

impl Resolver<'_> {
    /// What a row holds; `None` if it has a mistake, which has been reported.
    pub(super) fn row_value(&mut self, value: &ast::ValueExpr) -> Option<RowValue> {
        Some(match &value.kind {
            ast::ValueExprKind::Empty => RowValue::Empty,
            ast::ValueExprKind::Const(lit) => RowValue::Const(lit.bytes.clone()),
            ast::ValueExprKind::Json(name) => RowValue::Json(name.as_ref().map(|n| n.text.clone())),
            ast::ValueExprKind::Proto(name) => RowValue::Proto(name.text.clone()),
            ast::ValueExprKind::Type(expr) => self.value_type(expr)?,
        })
    }

    /// A codec, a declared type, or a name that only the program knows.
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
            return Some(RowValue::Typed(TypedValue { ty, text }));
        }
        if !is_codec(name) && keyscape_codec::int_type(name).is_none() {
            return Some(RowValue::Own(name.to_owned()));
        }
        let ty = self.type_expr(&whole(expr))?;
        Some(RowValue::Typed(TypedValue { ty, text: name.to_owned() }))
    }
}

/// A value ends with its row, so these names alone say enough.
fn whole(expr: &ast::TypeExpr) -> ast::TypeExpr {
    let mut expr = expr.clone();
    let span = expr.span;
    match expr.name.text.as_str() {
        "dec" => {
            let name = ast::Name { text: "u256".to_owned(), span };
            let (args, length, domain, shown) = (Vec::new(), None, None, None);
            let wide = ast::TypeExpr { name, args, length, domain, shown, span };
            expr.args.push(ast::TypeArg::Type(wide));
        }
        "text" | "bytes" => {
            expr.length = Some(ast::Range { low: None, high: None, inclusive: false, span });
        }
        _ => {}
    }
    expr
}
