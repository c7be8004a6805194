//! The Rust types of the types of a layout.

use crate::{
    codec_form::{Form, Wrap, form, pair},
    domain::WordsDomain,
    names::ident,
};
use keyscape_codec::{Description, IntRange, IntType, Kind, Number};
use keyscape_layout::model::Leaf;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// A Rust type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RustType {
    /// An integer.
    Int(IntName),
    /// `f64`
    Float,
    /// `bool`
    Bool,
    /// `Cow<str>`
    Text,
    /// `Cow<[u8]>`
    Bytes,
    /// Two integers.
    Pair(IntName, IntName),
    /// `[u8; N]`
    Array(usize),
    /// A generated type.
    Named(Traits, String),
    /// `Vec`
    List(Box<RustType>),
}

/// The name of an integer type of Rust; 256 bits are `U256`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntName(pub(crate) IntType);

/// The traits that can be derived for a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    /// Whether values may borrow from a key.
    pub(crate) borrows: bool,
    pub(crate) copies: bool,
    /// Whether values have a total order and a hash.
    pub(crate) ordered: bool,
}

impl Traits {
    /// The traits of something that has no parts.
    pub(crate) const PLAIN: Self = Self { borrows: false, copies: true, ordered: true };

    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            borrows: self.borrows || other.borrows,
            copies: self.copies && other.copies,
            ordered: self.ordered && other.ordered,
        }
    }

    /// Returns `<'k>` if the type borrows.
    pub(crate) fn generics(self) -> TokenStream {
        if self.borrows { quote!(<'k>) } else { TokenStream::new() }
    }

    /// Returns the `derive` attribute.
    pub(crate) fn derives(self) -> TokenStream {
        let copies = self.copies.then(|| quote!(Copy,));
        let ordered = self.ordered.then(|| quote!(, Eq, PartialOrd, Ord, Hash));
        quote!(#[derive(Clone, #copies Debug, PartialEq #ordered)])
    }
}

impl IntName {
    pub(crate) fn tokens(self) -> TokenStream {
        match self.0.bits {
            256 => quote!(rt::codec::Uint),
            bits => {
                let name = ident(&format!("{}{bits}", if self.0.signed { 'i' } else { 'u' }));
                quote!(#name)
            }
        }
    }

    /// Returns a value of the type as an expression.
    pub(crate) fn literal(self, value: Number) -> TokenStream {
        if self.0.bits == 256 {
            return crate::codec_form::uint(value.magnitude());
        }
        let magnitude = value.magnitude().as_u128();
        let digits = Literal::u128_unsuffixed(magnitude);
        if !value.is_negative() {
            quote!(#digits)
        } else if magnitude == i128::MIN.unsigned_abs() {
            quote!(i128::MIN)
        } else {
            quote!(-#digits)
        }
    }
}

impl RustType {
    /// Returns the traits that a type with a field of this type can derive.
    pub(crate) fn traits(&self) -> Traits {
        let plain = Traits::PLAIN;
        match self {
            Self::Int(_) | Self::Bool | Self::Pair(..) | Self::Array(_) => plain,
            Self::Float => Traits { ordered: false, ..plain },
            Self::Text | Self::Bytes => Traits { borrows: true, copies: false, ..plain },
            Self::Named(traits, _) => *traits,
            Self::List(element) => Traits { copies: false, ..element.traits() },
        }
    }

    pub(crate) fn lifetimes(&self) -> Lifetimes {
        Lifetimes {
            named: self.tokens(&quote!('k)),
            any: self.tokens(&quote!('_)),
            owned: self.tokens(&quote!('static)),
        }
    }

    /// Whether values of other types convert into this type.
    pub(crate) const fn converts(&self) -> bool {
        matches!(self, Self::Named(..) | Self::Text | Self::Bytes)
    }

    /// Lists the types that a program can pass for a value of this type.
    pub(crate) fn plain_types(&self) -> Vec<TokenStream> {
        match self {
            Self::Text => vec![quote!(&'k str), quote!(&'k String), quote!(String)],
            Self::Bytes => vec![quote!(&'k [u8]), quote!(&'k Vec<u8>), quote!(Vec<u8>)],
            view => vec![view.tokens(&quote!('k))],
        }
    }

    /// Returns the type with a lifetime.
    pub(crate) fn tokens(&self, lifetime: &TokenStream) -> TokenStream {
        match self {
            Self::Int(name) => name.tokens(),
            Self::Float => quote!(f64),
            Self::Bool => quote!(bool),
            Self::Pair(a, b) => {
                let (a, b) = (a.tokens(), b.tokens());
                quote!((#a, #b))
            }
            Self::Text => quote!(rt::Cow<#lifetime, str>),
            Self::Bytes => quote!(rt::Cow<#lifetime, [u8]>),
            Self::Array(length) => {
                let length = Literal::usize_unsuffixed(*length);
                quote!([u8; #length])
            }
            Self::Named(traits, name) => {
                let name = ident(name);
                if traits.borrows { quote!(#name<#lifetime>) } else { quote!(#name) }
            }
            Self::List(element) => {
                let element = element.tokens(lifetime);
                quote!(Vec<#element>)
            }
        }
    }
}

/// A type with the lifetimes that implementations of traits need. All are equal if the type borrows
/// nothing.
pub(crate) struct Lifetimes {
    /// With `'k`.
    pub(crate) named: TokenStream,
    /// With `'_`.
    pub(crate) any: TokenStream,
    /// With `'static`.
    pub(crate) owned: TokenStream,
}

/// The Rust type and the generated form of a leaf.
#[derive(Clone, Debug)]
pub(crate) struct LeafType {
    pub(crate) model: Leaf,
    /// The type of its values.
    pub(crate) view: RustType,
    /// The generated form.
    pub(crate) form: Form,
    /// The domain of text and bytes in a static form.
    pub(crate) words: Option<WordsDomain>,
    /// The integers that are allowed, if not all of the type are.
    pub(crate) range: Option<IntRange>,
    /// Whether only some pairs of integers are allowed.
    pub(crate) some_pairs: bool,
}

impl LeafType {
    pub(crate) fn new(leaf: &Leaf) -> Self {
        let codec = &*leaf.codec;
        let described = codec.describe();
        let (mut form, inner) = form(&described);
        let words = inner.and_then(WordsDomain::new);
        if inner.is_some() && words.is_none() {
            form = Form::Dynamic;
        }
        let (mut range, mut some_pairs) = (None, false);
        let view = match codec.kind() {
            Kind::Float => RustType::Float,
            Kind::Bool => RustType::Bool,
            Kind::Text => RustType::Text,
            Kind::Bytes => match words.as_ref().and_then(|words| words.length.fixed()) {
                Some(length) => RustType::Array(length),
                None => RustType::Bytes,
            },
            Kind::Uint | Kind::Int => {
                let name = int_name(leaf, &described);
                range = codec.integers().filter(|range| *range != IntRange::full(name.0));
                RustType::Int(name)
            }
            Kind::Pair => {
                let wide = IntType { bits: 256, signed: false };
                let ([a, b], full) = pair(&described).unwrap_or(([wide; 2], false));
                some_pairs = !full;
                RustType::Pair(IntName(a), IntName(b))
            }
        };
        // Only reversed bytes of one length have a static form.
        let reversed = matches!(form, Form::Words(Wrap::Rev | Wrap::HexRev));
        if reversed && !matches!(view, RustType::Array(_)) {
            form = Form::Dynamic;
        }
        Self { model: leaf.clone(), view, form, words, range, some_pairs }
    }

    /// Whether every value of the Rust type is allowed.
    pub(crate) fn is_full(&self) -> bool {
        match (&self.view, &self.words) {
            (RustType::Float | RustType::Bool, _) => true,
            (RustType::Int(_), _) => self.range.is_none(),
            (RustType::Pair(..), _) => !self.some_pairs,
            (RustType::Array(_), Some(words)) => words.table.is_none(),
            (_, Some(words)) => words.is_full(),
            _ => false,
        }
    }
}

/// Returns the type that a codec names, or the smallest type that holds its integers.
fn int_name(leaf: &Leaf, described: &Description) -> IntName {
    let range = leaf.codec.integers();
    let fits = |of: IntType| range.is_some_and(|range| IntRange::full(of).contains(&range));
    let signed = leaf.codec.kind() == Kind::Int;
    let named = described.int_type().filter(|of| fits(*of));
    let smallest = || {
        let all = [8, 16, 32, 64, 128].into_iter().map(|bits| IntType { bits, signed });
        all.into_iter().find(|of| fits(*of))
    };
    let widest = IntType { bits: if signed { 128 } else { 256 }, signed };
    IntName(named.or_else(smallest).unwrap_or(widest))
}
