//! Resolves types to codecs, composites, enums and variants.

use super::{MAX_DEPTH, MAX_PLACES, Resolver, codecs::beyond_u32};
use crate::{
    Diagnostic, FileId,
    diagnostic::did_you_mean,
    model::{Arm, Enum, Leaf, List, NamedType, Type},
    syntax::ast,
};
use keyscape_codec::{Codec, LengthRange, shown_names};
use std::{collections::HashSet, sync::Arc};

/// The highest number of texts of an enum. All pairs of texts are compared.
const MAX_TEXTS: usize = 1024;
/// The highest length of a text of an enum.
const MAX_TEXT: usize = 1024;
/// The highest number of elements of a list.
const MAX_ELEMENTS: u32 = 64;

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
            for decl in tree.types() {
                let key = (file, decl.name.text.clone());
                if is_codec(&decl.name.text) || decl.name.text == "list" {
                    let message = format!("`{}` is the name of a codec", decl.name.text);
                    self.error(decl.name.span, message);
                } else if let Some(Entry::Declared(first)) = self.types.get(&key) {
                    let first = first.name.span;
                    let what = format_args!("type `{}`", decl.name.text);
                    self.declared_twice(what, decl.name.span, first);
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
            for decl in tree.types() {
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
            self.fail(decl.name.span, message)
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
                self.reject_from_value(&segments);
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
            return self.fail(decl.name.span, message);
        }
        Some(Arc::new(ty))
    }

    fn enumeration(&mut self, values: &[ast::Name]) -> Option<Type> {
        let mut seen = HashSet::new();
        let mut fine = values.len() <= MAX_TEXTS;
        if let Some(value) = values.get(MAX_TEXTS) {
            let message = format!("an enum may have at most {MAX_TEXTS} texts");
            let help = "use a text with a regular expression for an open set of words";
            self.report(Diagnostic::error(value.span, message).help(help));
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
                    self.reject_from_value(&segments);
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
            return self.reject(self.unknown_type(expr));
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
        let (alias, name) = match name.split_once('.') {
            Some((alias, name)) => (Some(alias), name),
            None => (None, name),
        };
        let imports = self.imports.get(file.0 as usize)?.files.iter();
        let mut files = imports.filter(|(known, _)| known.as_deref() == alias).map(|(_, to)| *to);
        Some((files.find(|file| exists(*file, name))?, name.to_owned()))
    }

    fn unknown_type(&self, expr: &ast::TypeExpr) -> Diagnostic {
        let mut known: Vec<&str> = keyscape_codec::names().to_vec();
        known.extend(self.types.keys().map(|(_, name)| name.as_str()));
        known.sort_unstable();
        let help = codec_for(&expr.name.text)
            .map(|codec| format!("did you mean `{codec}`?"))
            .or_else(|| did_you_mean(&expr.name.text, known))
            .unwrap_or_else(|| "declare it with `type NAME = …`, or use a codec".to_owned());
        let message = format!("there is no type or codec `{}`", expr.name.text);
        Diagnostic::error(expr.name.span, message).help(help)
    }

    /// Resolves `list(TYPE)[min..=max]`.
    fn list(&mut self, expr: &ast::TypeExpr) -> Option<Arc<Type>> {
        let ([ast::TypeArg::Type(element)], Some(range)) = (expr.args.as_slice(), &expr.length)
        else {
            let error = Diagnostic::error(expr.span, "a list needs an element type and a range");
            return self.reject(error.help("write `list(TYPE)[1..=8]`"));
        };
        if expr.domain.is_some() || expr.shown.is_some() {
            let error = Diagnostic::error(expr.span, "a list is not a single value");
            return self
                .reject(error.help("put `in` and `shown as` after the type of its elements"));
        }
        let LengthRange { min, max } = match beyond_u32(range) {
            true => LengthRange { min: 0, max: None },
            false => self.length(range)?,
        };
        let Some(max) = max.filter(|max| *max <= MAX_ELEMENTS) else {
            let message = format!("a list has at most {MAX_ELEMENTS} elements");
            return self.fail(range.span, message);
        };
        if max == 0 {
            return self.fail(range.span, "a list must allow at least one element");
        }
        let element_type = self.type_expr(element)?;
        if element_type.length().min == 0 {
            let error = Diagnostic::error(element.span, "an element of a list may not be empty");
            let help = "give it a domain without the empty value, or a length prefix";
            return self.reject(error.help(help));
        }
        Some(Arc::new(Type::List(List { element: element_type, min, max })))
    }

    /// Applies a narrower range or another display form to a declared type.
    fn refine(&mut self, expr: &ast::TypeExpr, ty: Arc<Type>) -> Option<Arc<Type>> {
        let name = &expr.name.text;
        if !expr.args.is_empty() || expr.length.is_some() {
            let message = format!("type `{name}` takes no arguments and no length");
            return self.fail(expr.span, message);
        }
        if expr.domain.is_none() && expr.shown.is_none() {
            return Some(ty);
        }
        let Type::Leaf(leaf) = &*ty else {
            return self.fail(expr.span, format!("type `{name}` is not a single value"));
        };
        let mut leaf = leaf.clone();
        if let Some(range) = &expr.domain {
            let Some(whole) = leaf.codec.integers() else {
                let message = format!("type `{name}` has no integers to restrict");
                return self.fail(range.span, message);
            };
            let range_in_type = self.int_range(range, whole)?;
            let Some(codec) = leaf.codec.restrict(&range_in_type) else {
                return self.fail(range.span, format!("`{name}` has no value in this range"));
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
            return self.fail(shown.span, "only bytes can be shown in another form");
        }
        let args: Vec<Vec<u8>> = shown.args.iter().map(|lit| lit.bytes.clone()).collect();
        match keyscape_codec::shown(&shown.name.text, &args) {
            Ok(form) => Some(Some(form)),
            Err(error) => {
                let diagnostic = Diagnostic::error(shown.span, error.to_string());
                let (name, known) = (&*shown.name.text, shown_names());
                self.reject(match known.contains(&name) {
                    true => diagnostic,
                    false => diagnostic.suggest_or_list(name, known),
                })
            }
        }
    }
}

pub(super) fn is_codec(name: &str) -> bool {
    keyscape_codec::names().contains(&name)
}

/// Returns the codec for a name that other languages give to a type, or for an integer of a width
/// that does not exist: the next wider one.
fn codec_for(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let known = match lower.as_str() {
        "string" | "str" | "varchar" | "char" => Some("text"),
        "blob" | "binary" | "buffer" => Some("bytes"),
        "float" | "double" => Some("f64"),
        "boolean" => Some("bool"),
        _ => None,
    };
    if let Some(codec) = known {
        return Some(codec.to_owned());
    }
    let width = lower.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let sign = match lower.strip_suffix(width)? {
        "u" | "uint" => 'u',
        "i" | "int" => 'i',
        _ => return None,
    };
    let bits: u32 = if width.is_empty() { 64 } else { width.parse().ok()? };
    match [8, 16, 32, 64, 128, 256].into_iter().find(|known| bits <= *known)? {
        8 => Some(format!("{sign}8")),
        256 if sign == 'i' => None,
        bits => Some(format!("{sign}{bits}be")),
    }
}
