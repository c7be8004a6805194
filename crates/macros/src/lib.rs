//! The macro `layout!`. Use the facade `keyscape`, which documents it, instead of this crate.

use keyscape_codegen::Options;
use keyscape_diagnostics::file::{self, LayoutError};
use keyscape_layout::{Layout, model::RowValue};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use std::path::{Path, PathBuf};

/// Proves a layout and expands to a module for each of its stores.
///
/// See the documentation of the facade `keyscape`.
#[proc_macro]
pub fn layout(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = TokenStream::from(input);
    // The span of the first token. A span of the call would add the compiler's notes about macros.
    let start = input.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
    let literal: proc_macro2::Literal = match syn::parse2(input) {
        Ok(literal) => literal,
        Err(_) => return compile_error(start, USAGE).into(),
    };
    expand(&literal).unwrap_or_else(|message| compile_error(literal.span(), &message)).into()
}

const USAGE: &str = "`layout!` takes the path of a layout, relative to the folder of `Cargo.toml`, \
    or a layout as a raw string: `layout!(\"shop.keys\")`, `layout!(r#\"store shop …\"#)`";

/// The file name of an inline layout in messages.
const INLINE: &str = "layout!";

fn expand(literal: &proc_macro2::Literal) -> Result<TokenStream, String> {
    let text: syn::LitStr = syn::parse2(quote!(#literal)).map_err(|_| USAGE.to_owned())?;
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let inline = literal.to_string().starts_with('r');
    let read = if inline {
        file::read_text(&folder, Path::new(INLINE), &text.value())
    } else {
        file::open_in(&folder, Path::new(&text.value()))
    };
    let layout = match read {
        Ok(layout) => layout,
        Err(LayoutError::Rejected(rejected)) => {
            let text = keyscape_diagnostics::plain(&keyscape_diagnostics::rejected(&rejected));
            return Ok(layout_error(
                &rejected.sources,
                literal.span(),
                &format!("the layout has mistakes\n\n{text}"),
            ));
        }
        Err(LayoutError::File(error)) => {
            return Err(format!("{error}; the path is relative to the folder of `Cargo.toml`"));
        }
    };
    Ok(proved(&layout, literal.span()))
}

/// Returns the items of a proved layout, or the errors.
fn proved(layout: &Layout, span: Span) -> TokenStream {
    let report = keyscape_prover::check(layout, keyscape_prover::Config::default());
    if !report.holds() {
        let text =
            keyscape_diagnostics::plain(&keyscape_diagnostics::findings(layout, &report, false));
        return layout_error(&layout.sources, span, &format!("the layout is not proved\n\n{text}"));
    }
    if let Some(message) = missing_feature(layout) {
        return layout_error(&layout.sources, span, &message);
    }
    let items =
        keyscape_codegen::items(layout, &report, Options { access: cfg!(feature = "access") });
    let files = watched(&layout.sources);
    quote!(#files #items)
}

/// Returns the error for a value form whose feature of the facade is not enabled.
fn missing_feature(layout: &Layout) -> Option<String> {
    if !cfg!(feature = "access") {
        return None;
    }
    layout.keyspace_ids().find_map(|id| {
        let keyspace = layout.keyspace(id);
        let (feature, values) =
            [&keyspace.value, &keyspace.reads].into_iter().find_map(|value| match value {
                Some(RowValue::Json(_)) if !cfg!(feature = "json") => Some(("json", "JSON")),
                Some(RowValue::Proto(_)) if !cfg!(feature = "proto") => {
                    Some(("proto", "protobuf messages"))
                }
                _ => None,
            })?;
        Some(format!(
            "the values of `{}` are {values}, which need the feature `{feature}` of `keyscape`\n\n\
             help: run `cargo add keyscape --features {feature}`",
            keyspace.name
        ))
    })
}

/// Returns an error about a layout. A change of its files repeats the build.
fn layout_error(sources: &keyscape_layout::Sources, span: Span, message: &str) -> TokenStream {
    let (files, error) = (watched(sources), compile_error(span, message));
    quote!(#files #error)
}

/// Registers the files of a layout as build dependencies.
fn watched(sources: &keyscape_layout::Sources) -> TokenStream {
    let files = sources.files().iter().filter(|file| file.path != INLINE).map(|file| {
        let path = format!("/{}", file.path);
        quote!(
            const _: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), #path));
        )
    });
    files.collect()
}

fn compile_error(span: Span, message: &str) -> TokenStream {
    quote_spanned!(span => ::core::compile_error!(#message);)
}
