//! Resolves the values of rows.

use super::{Resolver, types::is_codec};
use crate::{
    Diagnostic,
    descriptor::{Descriptor, Message},
    diagnostic::did_you_mean,
    model::{RowValue, TypedValue},
    syntax::{ast, value_words},
};
use keyscape_codec::wrapper::Wrapper;
use std::sync::Arc;

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
            let descriptor = self.descriptor(name).ok()?.map(Arc::new);
            return Some(RowValue::Proto(Message { name: name.text.clone(), descriptor }));
        };
        let codec = ast::Name { text: wrapper.codec_name().to_owned(), span: name.span };
        let ty = self.type_expr(&named(codec))?;
        let text = format!("proto {}", wrapper.name());
        Some(RowValue::Typed(TypedValue { ty, text, wrapper: Some(wrapper) }))
    }

    /// Finds a message in the descriptor sets that its file imports. A message in none of them has
    /// no descriptor. Fails after reporting an error.
    fn descriptor(&mut self, name: &ast::Name) -> Result<Option<Descriptor>, ()> {
        let Some(imports) = self.imports.get(name.span.file.0 as usize) else { return Ok(None) };
        let mut found: Vec<Descriptor> = Vec::new();
        for descriptor in imports.sets.iter().flat_map(|set| set.find(&name.text)) {
            // Several sets may contain the same file.
            if !found.iter().any(|known| known.full_name == descriptor.full_name) {
                found.push(descriptor);
            }
        }
        if found.len() > 1 {
            let names: Vec<String> =
                found.iter().map(|found| format!("`{}`", found.full_name)).collect();
            let message = format!("`{}` is the name of several messages", name.text);
            let help = format!("import a descriptor set with only one of {}", names.join(", "));
            self.report(Diagnostic::error(name.span, message).help(help));
            return Err(());
        }
        Ok(found.pop())
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
            let codec = ty.leaf().filter(|_| !bare).map(|leaf| leaf.codec.text());
            let text = codec.unwrap_or_else(|| name.to_owned());
            return Some(RowValue::Typed(TypedValue { ty, text, wrapper: None }));
        }
        if !is_codec(name) && keyscape_codec::int_type(name).is_none() {
            return self.own_type(&expr.name);
        }
        let ty = self.type_expr(&whole(expr))?;
        Some(RowValue::Typed(TypedValue { ty, text: name.to_owned(), wrapper: None }))
    }

    /// Resolves a type of the program. A name in lower case that is similar to a codec, or to the
    /// keyword of another form, is an error.
    fn own_type(&mut self, name: &ast::Name) -> Option<RowValue> {
        let is_lower = name.text.starts_with(|first: char| first.is_ascii_lowercase());
        let known = value_words().chain(keyscape_codec::names().iter().copied());
        match did_you_mean(&name.text, known) {
            Some(help) if is_lower => {
                let message = format!("`{}` is not a form of a value", name.text);
                let help = format!("{help} (a type of the program begins with a capital letter)");
                self.reject(Diagnostic::error(name.span, message).help(help))
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
