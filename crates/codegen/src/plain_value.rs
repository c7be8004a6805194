//! Plain values that can be given for keys and fields.

use crate::rust_type::RustType;
use proc_macro2::TokenStream;
use quote::quote;

/// Generates the conversion of a plain value. `value` converts `self`.
pub(crate) fn into_field(
    generics: &TokenStream,
    from: &TokenStream,
    to: &TokenStream,
    value: &TokenStream,
) -> TokenStream {
    quote! {
        impl #generics rt::IntoField<#to> for #from {
            #[inline]
            fn into_field(self) -> Result<#to, rt::DomainError> { #value }
        }
    }
}

/// Lists the plain types of a leaf.
pub(crate) fn plain_types(leaf: &RustType) -> Vec<TokenStream> {
    match leaf {
        RustType::Text => vec![quote!(&'k str), quote!(&'k String), quote!(String)],
        RustType::Bytes => vec![quote!(&'k [u8]), quote!(&'k Vec<u8>), quote!(Vec<u8>)],
        view => vec![view.tokens(&quote!('k))],
    }
}
