//! Lists: `list(TYPE)[min..=max]`.

use super::Resolver;
use crate::{
    Diagnostic,
    model::{List, Type},
    syntax::ast,
};
use keyscape_codec::LengthRange;
use std::sync::Arc;

/// The highest number of elements of a list.
const MAX_ELEMENTS: u32 = 64;

impl Resolver<'_> {
    /// Resolves `list(TYPE)[min..=max]`.
    pub(super) fn list(&mut self, expr: &ast::TypeExpr) -> Option<Arc<Type>> {
        let ([ast::TypeArg::Type(element)], Some(range)) = (expr.args.as_slice(), &expr.length)
        else {
            self.report(
                Diagnostic::error(expr.span, "a list needs an element type and a range")
                    .help("write `list(TYPE)[1..=8]`"),
            );
            return None;
        };
        if expr.domain.is_some() || expr.shown.is_some() {
            self.report(
                Diagnostic::error(expr.span, "a list is not a single value")
                    .help("put `in` and `shown as` after the type of its elements"),
            );
            return None;
        }
        let LengthRange { min, max } = match beyond_u32(range) {
            true => LengthRange { min: 0, max: None },
            false => self.length(range)?,
        };
        let Some(max) = max.filter(|max| *max <= MAX_ELEMENTS) else {
            self.error(range.span, format!("a list has at most {MAX_ELEMENTS} elements"));
            return None;
        };
        if max == 0 {
            self.error(range.span, "a list must have room for an element");
            return None;
        }
        let element_type = self.type_expr(element)?;
        if element_type.length().least == 0 {
            let message = "an element of a list may not be empty";
            self.report(
                Diagnostic::error(element.span, message)
                    .help("give it a domain without the empty value, or a length prefix"),
            );
            return None;
        }
        Some(Arc::new(Type::List(List { element: element_type, min, max })))
    }
}

/// Whether an end of the range is too large for a length.
pub(super) fn beyond_u32(range: &ast::Range) -> bool {
    let mut ends = [&range.low, &range.high].into_iter().flatten();
    ends.any(|end| !end.negative && u32::try_from(end.magnitude).is_err())
}
