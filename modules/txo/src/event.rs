//! Events: the keys under which outputs are listed.
//!
//! An [`Event`] has one of the patterns of the reference, or is `app:` and the text of an
//! application. Each of its parts has a domain, so its key cannot be that of another keyspace. The
//! layout cannot express one condition: a symbol or text is the escaped form of a text. The
//! functions here guarantee it, and [`verify`] checks an event from another source; operations
//! accept no other events. [`print()`] returns the text in keys and in the field `ev`, [`parse`]
//! parses it, and [`read`] parses the output of a parser, whose symbols may be any text.

use crate::{
    layout::txo::{Event, Name, TokenId, Txid, TxidText},
    symbol,
};
use keyscape::{DomainError, traits::Field};
use std::fmt;

/// A text that is not an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadEvent {
    /// The text begins like no pattern.
    #[error(
        "expected an event that begins with `txid:`, `own:`, `id:`, `sym:`, `p2pkh:`, `cos:`, `ltm:`, `pow20:`, `list:` or `app:`"
    )]
    Pattern,
    /// The text begins like a pattern, and its parts do not fit.
    #[error("expected `{0}`")]
    Parts(&'static str),
    /// The text is not the id of a token.
    #[error("expected a token, `TXID_INDEX`: 64 lower-case hexadecimal digits, `_` and an index")]
    Token,
    /// The text after `sym:` or `app:` has no escaped form.
    #[error("its text cannot be a name: {0}")]
    Symbol(#[from] symbol::BadText),
    /// The text after `sym:` or `app:` is a name, but not the escaped form of a text.
    #[error(
        "its text `{0}` is not the escaped form of a text: make it with `event::sym` or `event::app`"
    )]
    Escape(String),
}

/// The patterns by their beginnings.
const PATTERNS: [(&str, &str); 10] = [
    ("txid", "txid:TXID"),
    ("own", "own:ADDRESS"),
    ("id", "id:TXID_INDEX"),
    ("sym", "sym:SYMBOL"),
    ("p2pkh", "p2pkh:ADDRESS:TXID_INDEX"),
    ("cos", "cos:ADDRESS:TXID_INDEX"),
    ("ltm", "ltm:TXID_INDEX"),
    ("pow20", "pow20:TXID_INDEX"),
    ("list", "list:TXID_INDEX` or `list:ADDRESS:TXID_INDEX"),
    ("app", "app:TEXT"),
];

/// Returns the error of a text that is not an event.
fn not_an_event(text: &str) -> BadEvent {
    let start = text.split_once(':').map(|(start, _)| start);
    let pattern = PATTERNS.iter().find(|(known, _)| Some(*known) == start);
    pattern.map_or(BadEvent::Pattern, |(_, pattern)| BadEvent::Parts(pattern))
}

/// Creates the event of the outputs of a transaction: `txid:{txid}`.
#[must_use]
pub fn txid(txid: Txid) -> Event<'static> {
    Event::Txid { txid: TxidText(txid.0) }
}

/// Creates `sym:{symbol}`: tokens with a symbol, escaped as in [`symbol`].
///
/// # Errors
/// [`BadText`](symbol::BadText) if it is empty or too long.
pub fn sym(symbol: &str) -> Result<Event<'static>, symbol::BadText> {
    symbol::escape(symbol).map(|symbol| Event::Sym { symbol })
}

/// Creates `app:{text}`: any event of an application, escaped as in [`symbol`].
///
/// ```
/// use keyscape_txo::event;
///
/// let event = event::app("ord:type:image/png")?;
/// assert_eq!(event::print(&event), "app:ord%3Atype%3Aimage/png");
/// assert_eq!(event::read("app:ord:type:image/png")?, event);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`BadText`](symbol::BadText) if it is empty or too long.
pub fn app(text: &str) -> Result<Event<'static>, symbol::BadText> {
    symbol::escape(text).map(|text| Event::App { text })
}

/// Returns the text of an event, as in its key after `z:` and in the field `ev`.
#[must_use]
pub fn print(event: &Event<'_>) -> String {
    text_of::<Event<'static>>(event)
}

/// The text of an event, formatted on demand.
pub(crate) struct Text<'e>(pub(crate) &'e Event<'e>);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self.0))
    }
}

/// Parses the text of an event.
///
/// ```
/// use keyscape_txo::event;
///
/// let listed = event::parse("sym:FOO%3Aspnd")?;
/// assert_eq!(listed, event::sym("FOO:spnd")?);
/// assert_eq!(event::print(&listed), "sym:FOO%3Aspnd");
/// assert!(event::parse("sym:FOO:spnd").is_err());
/// assert!(event::parse("tp:tm_bsv21").is_err());
/// # Ok::<(), event::BadEvent>(())
/// ```
///
/// # Errors
/// [`BadEvent::Pattern`]; [`BadEvent::Parts`]; [`BadEvent::Escape`].
pub fn parse(text: &str) -> Result<Event<'static>, BadEvent> {
    let event = <Event<'static>>::decode(text.as_bytes());
    let event = event.map_err(|_| not_an_event(text))?;
    verify(event.into_owned())
}

/// Returns the event if its symbol or text is the escaped form of a text, or if it has none.
///
/// ```
/// use keyscape_txo::{event, layout::txo::{Event, Name}};
///
/// assert!(event::verify(event::sym("50%")?).is_ok());
/// assert!(event::verify(Event::Sym { symbol: Name::new("50%")? }).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`BadEvent::Escape`].
pub fn verify(event: Event<'static>) -> Result<Event<'static>, BadEvent> {
    match &event {
        Event::Sym { symbol: text } | Event::App { text } if symbol::unescape(text).is_none() => {
            Err(BadEvent::Escape(text.as_str().to_owned()))
        }
        _ => Ok(event),
    }
}

/// Parses the event of a parser: like [`parse`], but any text may follow `sym:` and `app:`, and is
/// escaped.
///
/// ```
/// use keyscape_txo::event;
///
/// assert_eq!(event::read("sym:FOO:spnd")?, event::sym("FOO:spnd")?);
/// # Ok::<(), event::BadEvent>(())
/// ```
///
/// # Errors
/// [`BadEvent`].
pub fn read(text: &str) -> Result<Event<'static>, BadEvent> {
    match text.split_once(':') {
        Some(("sym", symbol)) => Ok(sym(symbol)?),
        Some(("app", text)) => Ok(app(text)?),
        _ => parse(text),
    }
}

/// Returns the unescaped text of a `sym:` or `app:` event.
#[must_use]
pub fn symbol_of(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Sym { symbol: text } | Event::App { text } => symbol::unescape(text),
        _ => None,
    }
}

/// Returns the text of a token id: `{txid}_{vout}`, in one spelling.
///
/// ```
/// use keyscape_txo::event::{parse_token, print_token};
///
/// let text = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b_0";
/// assert_eq!(print_token(parse_token(text)?), text);
/// assert!(parse_token(&text.replace("_0", "_00")).is_err());
/// assert!(parse_token(&text.to_uppercase()).is_err());
/// # Ok::<(), keyscape_txo::event::BadEvent>(())
/// ```
#[must_use]
pub fn print_token(token: TokenId) -> String {
    text_of::<TokenId>(&token)
}

/// Parses a token id.
///
/// # Errors
/// [`BadEvent::Token`] unless the text is the canonical spelling of a token id.
pub fn parse_token(text: &str) -> Result<TokenId, BadEvent> {
    TokenId::decode(text.as_bytes()).map_err(|_| BadEvent::Token)
}

/// Returns the topic of a token's own overlay: `tm_{token}`.
///
/// # Errors
/// None in practice: such a name is always in its domain.
pub fn token_topic(token: TokenId) -> Result<Name<'static>, DomainError> {
    Name::new(format!("tm_{}", print_token(token)))
}

/// Returns the encoding of a field as text. Parts were checked when they were created, so encoding
/// does not fail.
fn text_of<F: Field>(view: &F::View<'_>) -> String {
    let mut bytes = Vec::new();
    match F::encode(view, &mut bytes) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}
