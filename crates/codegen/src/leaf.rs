//! Generates code that writes and reads the values of one codec.

use crate::{
    codec_form::{Form, Functions, Wrap, builder},
    domain::WordsDomain,
    names::ident,
    rust_type::{LeafType, RustType},
};
use keyscape_automata::DEAD;
use keyscape_codec::{Shown, lengths::Length};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// The owner of the codec or the domain of a leaf in generated code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Constants {
    /// The newtype of the leaf.
    OfType,
    /// The expression itself, because the leaf has no newtype.
    Inline,
}

impl LeafType {
    /// Generates code that appends a value. `value` is a place expression unless the value is
    /// `Copy`.
    pub(crate) fn put(&self, value: &TokenStream, what: &str, constants: Constants) -> TokenStream {
        let wrap = match &self.form {
            Form::Dynamic => {
                let codec = self.codec(constants);
                return quote!(#codec.put(#what, &#value, out)?;);
            }
            Form::Functions(_) if self.view == RustType::Float => {
                return quote!(rt::leaf::put_float(#what, #value, out)?;);
            }
            Form::Functions(Functions { put, .. }) => return quote!(#put(#value, out);),
            Form::Words(wrap) => wrap,
        };
        let bytes = match self.view {
            RustType::Text => quote!(#value.as_bytes()),
            _ => quote!(&#value[..]),
        };
        match wrap {
            Wrap::None => quote!(out.put(#bytes);),
            Wrap::Length(length) => {
                let length = length_tokens(*length);
                quote!(rt::leaf::fits(#what, #length.put(#bytes, out))?;)
            }
            Wrap::Nul => quote!(rt::codec::nul::put(#bytes, out);),
            Wrap::Hex => quote!(rt::codec::hex::put(#bytes, out);),
            Wrap::Rev => quote!(rt::codec::rev::put(#bytes, out);),
            Wrap::HexRev => quote!(rt::codec::hex::put(&rt::codec::rev::reversed(#value), out);),
        }
    }

    /// Generates an expression that reads a value from all of `bytes`: a `Result`. It does not
    /// check the domain of integers.
    pub(crate) fn parse(&self, bytes: &TokenStream, constants: Constants) -> TokenStream {
        let wrap = match &self.form {
            Form::Dynamic => {
                let (codec, ty) = (self.codec(constants), self.view.tokens(&quote!('_)));
                return quote!(#codec.parse::<#ty>(#bytes));
            }
            Form::Functions(functions) => {
                return self.call(functions, &functions.parse, bytes);
            }
            Form::Words(wrap) => wrap,
        };
        let read = |bytes: &TokenStream| self.read_words(bytes, constants);
        match (wrap, &self.view) {
            (Wrap::None, _) => read(bytes),
            (Wrap::Length(length), _) => {
                let length = length_tokens(*length);
                read(&quote!(#length.parse(#bytes)?))
            }
            (Wrap::Nul, _) => read(&quote!(rt::codec::nul::parse(#bytes)?)),
            (Wrap::Rev, _) => {
                let array = read(bytes);
                quote!(#array.map(rt::codec::rev::reversed))
            }
            (Wrap::HexRev, RustType::Array(length)) => {
                let length = Literal::usize_unsuffixed(*length);
                quote!(rt::leaf::hex_array::<#length>(#bytes).map(rt::codec::rev::reversed))
            }
            (_, RustType::Array(length)) => {
                let length = Literal::usize_unsuffixed(*length);
                quote!(rt::leaf::hex_array::<#length>(#bytes))
            }
            (Wrap::Hex | Wrap::HexRev, _) => {
                let read = read(&quote!(bytes));
                quote!(rt::leaf::from_hex(#bytes, |bytes| #read))
            }
        }
    }

    /// Generates an expression that takes a value off the left of `rest`: a `Result`. Returns
    /// `None` if the value does not mark its own end.
    pub(crate) fn take(&self, rest: &TokenStream, constants: Constants) -> Option<TokenStream> {
        match &self.form {
            Form::Functions(functions) => {
                let take = functions.take.as_ref()?;
                Some(self.call(functions, take, &quote!(&mut #rest)))
            }
            Form::Words(Wrap::Length(length)) => {
                let length = length_tokens(*length);
                Some(self.read_words(&quote!(#length.take(&mut #rest)?), constants))
            }
            Form::Words(Wrap::Nul) if self.first_nul_ends() => {
                Some(self.read_words(&quote!(rt::codec::nul::take(&mut #rest)?), constants))
            }
            Form::Words(_) | Form::Dynamic => None,
        }
    }

    /// Whether the first 00 of an encoding is always its last byte.
    fn first_nul_ends(&self) -> bool {
        let dfa = self.model.language.over();
        dfa.states().all(|state| match dfa.step(state, 0) {
            DEAD => true,
            after => dfa.next_bytes_is_empty(after),
        })
    }

    /// Generates the call of a function that parses a value.
    fn call(
        &self,
        functions: &Functions,
        function: &TokenStream,
        bytes: &TokenStream,
    ) -> TokenStream {
        let ty = self.view.tokens(&quote!('_));
        let ty = functions.is_generic.then(|| quote!(::<#ty>));
        quote!(#function #ty (#bytes))
    }

    /// Generates an expression that reads text or bytes, which are their own encoding: a `Result`.
    fn read_words(&self, bytes: &TokenStream, constants: Constants) -> TokenStream {
        let domain = self.domain(constants);
        let is_full = self.words.as_ref().is_some_and(WordsDomain::is_full);
        match (&self.view, is_full) {
            (RustType::Array(length), _) => {
                let length = Literal::usize_unsuffixed(*length);
                quote!(rt::leaf::array::<#length>(#bytes))
            }
            (RustType::Text, true) => quote!(rt::leaf::any_text(#bytes)),
            (RustType::Text, false) => quote!(rt::leaf::text(#bytes, &#domain)),
            (_, true) => quote!(rt::leaf::any_bytes(#bytes)),
            (_, false) => quote!(rt::leaf::bytes(#bytes, &#domain)),
        }
    }

    fn codec(&self, constants: Constants) -> TokenStream {
        match constants {
            Constants::OfType => quote!(Self::codec()),
            Constants::Inline => {
                let codec = self.lazy_codec();
                quote!({
                    static CODEC: rt::LazyLock<rt::Dynamic> = #codec;
                    &*CODEC
                })
            }
        }
    }

    /// Generates the codec of a leaf without a static form, built on first use.
    pub(crate) fn lazy_codec(&self) -> TokenStream {
        let call = builder(&self.model.codec.describe());
        quote!(rt::LazyLock::new(|| rt::Dynamic::new(#call)))
    }

    fn domain(&self, constants: Constants) -> TokenStream {
        match (constants, &self.words) {
            (Constants::OfType, _) => quote!(Self::DOMAIN),
            (Constants::Inline, Some(words)) => words.tokens(),
            (Constants::Inline, None) => TokenStream::new(),
        }
    }

    /// Generates the display form of bytes, as an option.
    pub(crate) fn shown(&self) -> TokenStream {
        let shown = match &self.model.shown {
            None => return quote!(None),
            Some(Shown::Bech32(prefix)) => {
                let prefix = prefix.as_str();
                quote!(rt::leaf::shown_bech32(#prefix))
            }
            // The other variants have no fields and are shown by their names.
            Some(shown) => {
                let name = ident(&format!("{shown:?}"));
                quote!(rt::codec::Shown::#name)
            }
        };
        quote!(Some(&#shown))
    }
}

fn length_tokens(length: Length) -> TokenStream {
    // Variants are shown by their names.
    let name = ident(&format!("{length:?}"));
    quote!(rt::codec::lengths::Length::#name)
}
