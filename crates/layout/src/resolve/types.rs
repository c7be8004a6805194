//! Resolves types to codecs, composites, enums and variants.

use super::{
    MAX_DEPTH, MAX_PLACES, Resolver, did_you_mean, foreign_type::codec_for, lists::beyond_u32,
};
use crate::{
    Diagnostic, FileId, Span,
    model::{Arm, Enum, Leaf, NamedType, Type},
    syntax::ast,
};
use keyscape_codec::{
    Arg, BuildError, BuildReason, Call, Codec, IntBounds, Language, LengthRange, Uint, shown_names,
};
use std::{collections::HashSet, sync::Arc};

/// The highest number of texts of an enum. All pairs of texts are compared.
const MAX_TEXTS: usize = 1024;
/// The highest length of a text of an enum.
const MAX_TEXT: usize = 1024;

/// A declared type, resolved at its first use.
pub(super) enum Entry<'a> {
    Declared(&'a ast::TypeDecl),
    /// In progress. Another use is a cycle.
    Open,
    /// `None` if it has an error, which has been reported.
    Resolved(Option<Arc<Type>>),
}

impl<'a> Resolver<'a> {
    /// Collects all type declarations, then resolves each, which reports errors in unused types.
    pub(super) fn declare_types(&mut self) {
        let mut order = Vec::new();
        for (index, tree) in self.trees.iter().enumerate() {
            let file = FileId(index as u32);
            for decl in declared(tree) {
                let key = (file, decl.name.text.clone());
                if is_codec(&decl.name.text) || decl.name.text == "list" {
                    let message = format!("`{}` is the name of a codec", decl.name.text);
                    self.error(decl.name.span, message);
                } else if let Some(Entry::Declared(first)) = self.types.get(&key) {
                    let message = format!("type `{}` is declared twice", decl.name.text);
                    let first = first.name.span;
                    self.report(
                        Diagnostic::error(decl.name.span, message)
                            .related(first, "first declared here"),
                    );
                } else {
                    self.types.insert(key.clone(), Entry::Declared(decl));
                    order.push(key);
                }
            }
        }
        for (file, name) in order {
            self.named_type(file, &name);
        }
    }

    /// Returns the declared types without errors, in the order of files and declarations.
    pub(super) fn declared_types(&self) -> Vec<NamedType> {
        let mut found = Vec::new();
        for (index, tree) in self.trees.iter().enumerate() {
            for decl in declared(tree) {
                let key = (FileId(index as u32), decl.name.text.clone());
                if let Some(Entry::Resolved(Some(ty))) = self.types.get(&key) {
                    let (name, doc) = (decl.name.text.clone(), decl.doc.clone());
                    found.push(NamedType { name, doc, ty: ty.clone(), span: decl.name.span });
                }
            }
        }
        found
    }

    /// Returns the type with a name that a file declares.
    fn named_type(&mut self, file: FileId, name: &str) -> Option<Arc<Type>> {
        let key = (file, name.to_owned());
        let decl = match self.types.get(&key)? {
            Entry::Resolved(resolved) => return resolved.clone(),
            Entry::Open => {
                self.types.insert(key, Entry::Resolved(None));
                return None;
            }
            Entry::Declared(decl) => *decl,
        };
        self.types.insert(key.clone(), Entry::Open);
        self.depth += 1;
        let resolved = if self.depth > MAX_DEPTH {
            let message = format!("types are nested more than {MAX_DEPTH} deep");
            self.error(decl.name.span, message);
            None
        } else {
            self.type_body(decl)
        };
        self.depth -= 1;
        // The type was used while in progress, so it contains itself.
        let cyclic = matches!(self.types.get(&key), Some(Entry::Resolved(None)));
        if cyclic {
            let message = format!("type `{name}` contains itself");
            self.error(decl.name.span, message);
        }
        let resolved = if cyclic { None } else { resolved };
        self.types.insert(key, Entry::Resolved(resolved.clone()));
        resolved
    }

    fn type_body(&mut self, decl: &ast::TypeDecl) -> Option<Arc<Type>> {
        let ty = match &decl.body {
            // Copy the type, because each declaration has its own `Arc`.
            ast::TypeBody::Expr(expr) => {
                return self.type_expr(expr).map(|ty| Arc::new((*ty).clone()));
            }
            ast::TypeBody::Composite(segs) => {
                let segments = self.segments(segs, None)?;
                if !self.check_cases(&segments, decl.span) {
                    return None;
                }
                Type::Composite(segments)
            }
            ast::TypeBody::Enum(values) => self.enumeration(values)?,
            ast::TypeBody::Variant(arms) => self.variant(arms)?,
        };
        if ty.places() > MAX_PLACES {
            let message = format!("type `{}` has more than {MAX_PLACES} parts", decl.name.text);
            self.error(decl.name.span, message);
            return None;
        }
        Some(Arc::new(ty))
    }

    fn enumeration(&mut self, values: &[ast::EnumValue]) -> Option<Type> {
        let mut seen = HashSet::new();
        let mut fine = values.len() <= MAX_TEXTS;
        if let Some(value) = values.get(MAX_TEXTS) {
            let message = format!("an enum may have at most {MAX_TEXTS} texts");
            self.report(
                Diagnostic::error(value.span, message)
                    .help("use a text with a regular expression for an open set of words"),
            );
        }
        for value in values {
            if !seen.insert(&value.text) {
                self.error(value.span, format!("`{}` occurs twice in this enum", value.text));
                fine = false;
            }
            if value.text.len() > MAX_TEXT {
                let message = format!("a text of an enum may have at most {MAX_TEXT} bytes");
                self.error(value.span, message);
                fine = false;
            }
        }
        let texts: Vec<String> = values.iter().map(|value| value.text.clone()).collect();
        let bytes = texts.iter().map(|text| text.clone().into_bytes()).collect();
        fine.then_some(Type::Enum(Enum { texts, bytes }))
    }

    fn variant(&mut self, arms: &[ast::Arm]) -> Option<Type> {
        let mut seen = HashSet::new();
        let mut resolved = Some(Vec::new());
        for arm in arms {
            if !seen.insert(&arm.name.text) {
                self.error(arm.name.span, format!("arm `{}` occurs twice", arm.name.text));
                resolved = None;
            }
            match self.segments(&arm.segs, None) {
                Some(segments) if self.check_cases(&segments, arm.span) => {
                    if let Some(list) = &mut resolved {
                        let name = arm.name.text.clone();
                        list.push(Arm { name, segments, span: arm.span });
                    }
                }
                _ => resolved = None,
            }
        }
        resolved.map(Type::Variant)
    }

    /// Resolves a type expression.
    pub(super) fn type_expr(&mut self, expr: &ast::TypeExpr) -> Option<Arc<Type>> {
        let name = expr.name.text.as_str();
        if let Some((file, name)) = self.find_type(expr.span.file, name) {
            let ty = self.named_type(file, &name)?;
            return self.refine(expr, ty);
        }
        if name == "list" {
            return self.list(expr);
        }
        if name.contains('.') || !(is_codec(name) || keyscape_codec::int_type(name).is_some()) {
            self.unknown_type(expr);
            return None;
        }
        let codec = self.codec(expr)?;
        let language = self.language(&codec, expr.span)?;
        let shown = self.shown(expr, &codec)?;
        Some(Arc::new(Type::Leaf(Leaf { codec, language, shown, span: expr.span })))
    }

    pub(super) fn find_type(&self, file: FileId, name: &str) -> Option<(FileId, String)> {
        let exists = |file: FileId, name: &str| self.types.contains_key(&(file, name.to_owned()));
        if exists(file, name) {
            return Some((file, name.to_owned()));
        }
        let imports = self.imports.get(file.0 as usize)?;
        if let Some((alias, inner)) = name.split_once('.') {
            let (_, target) = imports.named.iter().find(|(known, _)| known == alias)?;
            return exists(*target, inner).then(|| (*target, inner.to_owned()));
        }
        let target = imports.direct.iter().find(|&&target| exists(target, name))?;
        Some((*target, name.to_owned()))
    }

    fn unknown_type(&mut self, expr: &ast::TypeExpr) {
        let mut known: Vec<&str> = keyscape_codec::names().to_vec();
        let declared: Vec<String> = self.types.keys().map(|(_, name)| name.clone()).collect();
        known.extend(declared.iter().map(String::as_str));
        known.sort_unstable();
        let help = codec_for(&expr.name.text)
            .map(|codec| format!("did you mean `{codec}`?"))
            .or_else(|| did_you_mean(&expr.name.text, known))
            .unwrap_or_else(|| "declare it with `type NAME = …`, or use a codec".to_owned());
        let message = format!("there is no type or codec `{}`", expr.name.text);
        self.report(Diagnostic::error(expr.name.span, message).help(help));
    }

    /// Applies a narrower range or another display form to a declared type.
    fn refine(&mut self, expr: &ast::TypeExpr, ty: Arc<Type>) -> Option<Arc<Type>> {
        if !expr.args.is_empty() || expr.length.is_some() {
            let message = format!("type `{}` takes no arguments and no length", expr.name.text);
            self.error(expr.span, message);
            return None;
        }
        if expr.domain.is_none() && expr.shown.is_none() {
            return Some(ty);
        }
        let Type::Leaf(leaf) = &*ty else {
            let message = format!("type `{}` is not a single value", expr.name.text);
            self.error(expr.span, message);
            return None;
        };
        let mut leaf = leaf.clone();
        if let Some(range) = &expr.domain {
            let Some(whole) = leaf.codec.integers() else {
                let message = format!("type `{}` has no integers to restrict", expr.name.text);
                self.error(range.span, message);
                return None;
            };
            let range_in_type = self.int_range(range, whole)?;
            let Some(codec) = leaf.codec.restrict(&range_in_type) else {
                let message = format!("`{}` has no value in this range", expr.name.text);
                self.error(range.span, message);
                return None;
            };
            leaf.language = self.language(&codec, expr.span)?;
            leaf.codec = codec;
        }
        if expr.shown.is_some() {
            leaf.shown = self.shown(expr, &leaf.codec)?;
        }
        Some(Arc::new(Type::Leaf(leaf)))
    }

    fn shown(
        &mut self,
        expr: &ast::TypeExpr,
        codec: &Arc<dyn Codec>,
    ) -> Option<Option<keyscape_codec::Shown>> {
        let Some(shown) = &expr.shown else { return Some(None) };
        if codec.kind() != keyscape_codec::Kind::Bytes {
            let message = "only bytes can be shown in another form";
            self.error(shown.span, message);
            return None;
        }
        let args: Vec<Vec<u8>> = shown.args.iter().map(|lit| lit.bytes.clone()).collect();
        match keyscape_codec::shown(&shown.name.text, &args) {
            Ok(form) => Some(Some(form)),
            Err(error) => {
                let mut diagnostic = Diagnostic::error(shown.span, error.to_string());
                if let BuildReason::UnknownForm { name } = &error.reason {
                    let known = shown_names();
                    let list = || format!("display forms: {}", known.join(", "));
                    let help = did_you_mean(name, known.iter().copied());
                    diagnostic.help = Some(help.unwrap_or_else(list));
                }
                self.report(diagnostic);
                None
            }
        }
    }

    /// Resolves the codec of an expression.
    pub(super) fn codec(&mut self, expr: &ast::TypeExpr) -> Option<Arc<dyn Codec>> {
        let mut args = Vec::with_capacity(expr.args.len());
        for arg in &expr.args {
            args.push(self.codec_arg(&expr.name.text, arg)?);
        }
        let length = match &expr.length {
            Some(range) => Some(self.length(range)?),
            None => None,
        };
        let domain = expr.domain.as_ref().map(int_bounds);
        let name = expr.name.text.as_str();
        let call = Call { name, args, length, domain, budget: self.account.budget };
        match self.built.codec(call, &mut self.account, keyscape_codec::build) {
            Ok(codec) => Some(codec),
            Err(error) => {
                self.build_error(expr, &error);
                None
            }
        }
    }

    /// Resolves an argument of the codec `around`.
    fn codec_arg(&mut self, around: &str, arg: &ast::TypeArg) -> Option<Arg> {
        Some(match arg {
            ast::TypeArg::Type(expr) => {
                let plain = expr.args.is_empty() && expr.length.is_none();
                match (keyscape_codec::int_type(&expr.name.text), &expr.domain) {
                    (Some(int), None) if plain => Arg::Int(int),
                    (Some(int), Some(range)) if plain => Arg::IntIn(int, int_bounds(range)),
                    _ => {
                        let ty = self.type_expr(expr)?;
                        let Type::Leaf(leaf) = &*ty else {
                            let message = format!(
                                "`{}` is not a single value, so no codec can hold it",
                                expr.name.text
                            );
                            let error = Diagnostic::error(expr.span, message);
                            self.report(match digest_help(around, &ty, expr) {
                                Some(help) => error.help(help),
                                None => error,
                            });
                            return None;
                        };
                        Arg::Codec(leaf.codec.clone())
                    }
                }
            }
            ast::TypeArg::Regex { pattern, bytes, .. } => {
                Arg::Regex { pattern: pattern.clone(), bytes: *bytes }
            }
            ast::TypeArg::Not(ast::NotArg::Regex { pattern, bytes, .. }) => {
                Arg::NotRegex { pattern: pattern.clone(), bytes: *bytes }
            }
            ast::TypeArg::Not(ast::NotArg::Lit(lit)) => Arg::NotLiteral(lit.bytes.clone()),
            ast::TypeArg::Named { name, value } => {
                Arg::Named(name.text.clone(), value.bytes.clone())
            }
            ast::TypeArg::Lit(lit) => Arg::Literal(lit.bytes.clone()),
            ast::TypeArg::Int(int) => Arg::Number(int.magnitude),
        })
    }

    fn build_error(&mut self, expr: &ast::TypeExpr, error: &BuildError) {
        let arg = error.arg.and_then(|index| expr.args.get(index));
        let mut span = arg.map_or(expr.span, ast::TypeArg::span);
        if let (Some(inside), Some(ast::TypeArg::Regex { span: whole, bytes, .. })) =
            (error.pattern_span(), arg)
        {
            // The offset after `r"` or `br"`. A raw string with hashes keeps the place of the
            // whole.
            let quote = if *bytes { 3 } else { 2 };
            let start = whole.start + quote + inside.start as u32;
            let end = (whole.start + quote + inside.end as u32).max(start + 1);
            if end < whole.end {
                span = Span { start, end, ..*whole };
            }
        }
        match error.reason {
            BuildReason::OverBudget(over) => self.too_large(span, error.to_string(), over),
            _ => self.error(span, error.to_string()),
        }
    }

    pub(super) fn language(&mut self, codec: &Arc<dyn Codec>, span: Span) -> Option<Language> {
        let text = codec.text();
        match self.built.language(&**codec, &mut self.account) {
            Ok(language) => Some(language),
            Err(error) => {
                let message = format!("`{text}` is too large to be decided: {error}");
                self.too_large(span, message, error);
                None
            }
        }
    }

    pub(super) fn length(&mut self, range: &ast::Range) -> Option<LengthRange> {
        let bound = |int: &ast::Int| {
            (!int.negative).then_some(int.magnitude).and_then(|n| u32::try_from(n).ok())
        };
        if beyond_u32(range) {
            self.error(range.span, format!("a length is at most {}", u32::MAX));
            return None;
        }
        let min = match &range.low {
            Some(low) => bound(low),
            None => Some(0),
        };
        let max = match &range.high {
            Some(high) if range.inclusive => bound(high).map(Some),
            Some(high) => bound(high).and_then(|n| n.checked_sub(1)).map(Some),
            None => Some(None),
        };
        match (min, max) {
            (Some(min), Some(max)) if max.is_none_or(|max| min <= max) => {
                Some(LengthRange { min, max })
            }
            _ => {
                self.error(range.span, "this range contains no length");
                None
            }
        }
    }
}

pub(super) fn is_codec(name: &str) -> bool {
    keyscape_codec::names().contains(&name)
}

fn declared(tree: &ast::File) -> Vec<&ast::TypeDecl> {
    let types = ast::all_decls(&tree.decls).into_iter().filter_map(|decl| match decl {
        ast::Decl::Type(decl) => Some(decl),
        _ => None,
    });
    types.collect()
}

/// Returns the declared bounds. `..` excludes its end.
#[must_use]
pub fn int_bounds(range: &ast::Range) -> IntBounds {
    let bound = |int: &ast::Int| (int.negative, int.magnitude);
    let high = range.high.as_ref().map(bound).map(|high| match (range.inclusive, high) {
        (true, high) => high,
        (false, (false, Uint::ZERO)) => (true, Uint::ONE),
        (false, (false, n)) => (false, n - Uint::ONE),
        (false, (true, n)) => (true, n.saturating_add(Uint::ONE)),
    });
    IntBounds { low: range.low.as_ref().map(bound), high }
}

/// Explains how to declare a digest of several values.
fn digest_help(around: &str, ty: &Type, expr: &ast::TypeExpr) -> Option<String> {
    let (name, in_front) = match around.strip_suffix("_concat") {
        Some(name) => (name, true),
        None => (around, false),
    };
    let function = name.replacen("twox_", "twox", 1);
    keyscape_codec::hashed_literal(&function, b"")?;
    if !in_front {
        return Some(format!(
            "values of a digest are digests, so `{around}(bytes[0..])` means the same"
        ));
    }
    let Type::Composite(segments) = ty else { return None };
    let names: Vec<&str> = crate::fields(segments).iter().map(|f| f.name.as_str()).collect();
    let fields: Vec<String> = names.iter().map(|name| format!("{{{name}: …}}")).collect();
    let (of, fields) = (names.join(", "), fields.join(" "));
    Some(format!(
        "derive the digest from the fields: `type {} = {{= {function}({of})}} {fields}`",
        expr.name.text
    ))
}
