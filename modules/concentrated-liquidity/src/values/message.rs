//! Values of rows as protobuf messages.
//!
//! Decimals are text: the digits of the scaled integer. A number of zero is `0` and never empty, so
//! its field is always written.

use super::{DecCoin, DecCoins, UPTIMES};
use crate::{layout::concentratedliquidity::Owner, math::Decimal};
use prost::{DecodeError, Message};

/// A value that is stored as a message.
pub(super) trait AsMessage: Sized {
    type Message: Message + Default;

    fn to_message(&self) -> Self::Message;
    fn from_message(message: Self::Message) -> Result<Self, DecodeError>;
}

/// A value that a field of a message contains in another form.
pub(super) trait AsField<Form>: Sized {
    fn to_field(&self) -> Form;
    fn from_field(field: Form) -> Result<Self, DecodeError>;
}

/// Declares the value of a row, and its message with the name and the field numbers of the origin.
/// A field has its type here, its kind and number in the message, and its type in the message.
macro_rules! message {
    (
        $(#[$about:meta])*
        $name:ident {
            $($(#[$doc:meta])* $field:ident: $type:ty = ($($kind:tt)*) $form:ty,)*
        }
    ) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        const _: () = {
            #[derive(Clone, PartialEq, prost::Message)]
            pub(crate) struct Fields {
                $(#[prost($($kind)*)] $field: $form,)*
            }

            impl AsMessage for $name {
                type Message = Fields;

                fn to_message(&self) -> Fields {
                    Fields { $($field: AsField::<$form>::to_field(&self.$field),)* }
                }

                fn from_message(message: Fields) -> Result<$name, prost::DecodeError> {
                    Ok($name { $($field: AsField::<$form>::from_field(message.$field)?,)* })
                }
            }
        };
    };
}

/// Implements encoding and decoding of values as their messages.
macro_rules! encoded_as_message {
    ($($type:ident),*) => {$(
        impl prost::Message for $type {
            fn encode_raw(&self, buf: &mut impl prost::bytes::BufMut) {
                self.to_message().encode_raw(buf);
            }

            fn merge_field(
                &mut self,
                tag: u32,
                wire_type: prost::encoding::WireType,
                buf: &mut impl prost::bytes::Buf,
                ctx: prost::encoding::DecodeContext,
            ) -> Result<(), prost::DecodeError> {
                let mut message = self.to_message();
                message.merge_field(tag, wire_type, buf, ctx)?;
                *self = AsMessage::from_message(message)?;
                Ok(())
            }

            fn encoded_len(&self) -> usize {
                self.to_message().encoded_len()
            }

            fn encode_to_vec(&self) -> Vec<u8> {
                self.to_message().encode_to_vec()
            }

            fn clear(&mut self) {
                *self = $type::default();
            }

            fn decode(buf: impl prost::bytes::Buf) -> Result<$type, prost::DecodeError> {
                AsMessage::from_message(prost::Message::decode(buf)?)
            }
        }
    )*};
}

pub(super) use {encoded_as_message, message};

/// `cosmos.base.v1beta1.DecCoin`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct DecCoinMessage {
    #[prost(string, tag = "1")]
    denom: String,
    #[prost(string, tag = "2")]
    amount: String,
}

/// `osmosis.concentratedliquidity.v1beta1.UptimeTrackers`: one tracker for each uptime in order,
/// including empty ones.
#[derive(Clone, PartialEq, Message)]
pub(super) struct UptimeTrackers {
    #[prost(message, repeated, tag = "1")]
    list: Vec<UptimeTracker>,
}

/// `osmosis.concentratedliquidity.v1beta1.UptimeTracker`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct UptimeTracker {
    #[prost(message, repeated, tag = "1")]
    uptime_growth_outside: Vec<DecCoinMessage>,
}

/// `osmosis.accum.v1beta1.Options`, which has no fields.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Options {}

/// `google.protobuf.Timestamp`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Timestamp {
    #[prost(int64, tag = "1")]
    seconds: i64,
    #[prost(int32, tag = "2")]
    nanos: i32,
}

/// Returns the error for a message whose fields have the right types but wrong contents.
#[expect(deprecated, reason = "prost has no other way for a message of one's own to refuse bytes")]
fn refused(why: impl std::fmt::Display) -> DecodeError {
    DecodeError::new(why.to_string())
}

impl<T: Clone> AsField<T> for T {
    fn to_field(&self) -> T {
        self.clone()
    }

    fn from_field(field: T) -> Result<T, DecodeError> {
        Ok(field)
    }
}

impl<const PLACES: u32> AsField<String> for Decimal<PLACES> {
    fn to_field(&self) -> String {
        self.to_scaled()
    }

    fn from_field(text: String) -> Result<Self, DecodeError> {
        Decimal::from_scaled(&text).map_err(refused)
    }
}

impl<const PLACES: u32> AsField<Vec<String>> for Vec<Decimal<PLACES>> {
    fn to_field(&self) -> Vec<String> {
        self.iter().map(AsField::to_field).collect()
    }

    fn from_field(texts: Vec<String>) -> Result<Self, DecodeError> {
        texts.into_iter().map(Decimal::from_field).collect()
    }
}

impl AsField<String> for Owner<'static> {
    fn to_field(&self) -> String {
        self.to_string()
    }

    fn from_field(text: String) -> Result<Self, DecodeError> {
        owner_from_text(&text).ok_or_else(|| refused(format_args!("`{text}` is not an address")))
    }
}

/// Parses an address in its one canonical text.
pub(crate) fn owner_from_text(text: &str) -> Option<Owner<'static>> {
    text.parse().ok().filter(|owner: &Owner<'_>| owner.to_string() == text)
}

/// Nanoseconds since 1970.
impl AsField<Option<Timestamp>> for i64 {
    fn to_field(&self) -> Option<Timestamp> {
        let nanos = i32::try_from(self.rem_euclid(NANOS)).unwrap_or_default();
        Some(Timestamp { seconds: self.div_euclid(NANOS), nanos })
    }

    fn from_field(time: Option<Timestamp>) -> Result<i64, DecodeError> {
        let Timestamp { seconds, nanos } = time.unwrap_or_default();
        let whole = seconds.checked_mul(NANOS).filter(|_| (0..NANOS).contains(&i64::from(nanos)));
        whole
            .and_then(|whole| whole.checked_add(i64::from(nanos)))
            .ok_or_else(|| refused(format_args!("{seconds}s and {nanos}ns are not a time")))
    }
}

const NANOS: i64 = 1_000_000_000;

impl AsField<DecCoinMessage> for DecCoin {
    fn to_field(&self) -> DecCoinMessage {
        DecCoinMessage { denom: self.denom.clone(), amount: self.amount.to_field() }
    }

    fn from_field(message: DecCoinMessage) -> Result<DecCoin, DecodeError> {
        Ok(DecCoin { amount: AsField::from_field(message.amount)?, denom: message.denom })
    }
}

impl AsField<Option<DecCoinMessage>> for DecCoin {
    fn to_field(&self) -> Option<DecCoinMessage> {
        Some(self.to_field())
    }

    fn from_field(message: Option<DecCoinMessage>) -> Result<DecCoin, DecodeError> {
        DecCoin::from_field(message.unwrap_or_default())
    }
}

impl AsField<Vec<DecCoinMessage>> for DecCoins {
    fn to_field(&self) -> Vec<DecCoinMessage> {
        self.iter().map(AsField::to_field).collect()
    }

    fn from_field(messages: Vec<DecCoinMessage>) -> Result<DecCoins, DecodeError> {
        let coins = messages.into_iter().map(DecCoin::from_field).collect::<Result<_, _>>()?;
        DecCoins::new(coins)
            .ok_or_else(|| refused("coins are not sorted by denomination, or an amount is zero"))
    }
}

impl AsField<Option<UptimeTrackers>> for [DecCoins; UPTIMES.len()] {
    fn to_field(&self) -> Option<UptimeTrackers> {
        let tracker =
            |growth: &DecCoins| UptimeTracker { uptime_growth_outside: growth.to_field() };
        Some(UptimeTrackers { list: self.iter().map(tracker).collect() })
    }

    fn from_field(trackers: Option<UptimeTrackers>) -> Result<Self, DecodeError> {
        let trackers = trackers.unwrap_or_default().list.into_iter();
        let growths = trackers.map(|tracker| DecCoins::from_field(tracker.uptime_growth_outside));
        let growths = growths.collect::<Result<Vec<_>, _>>()?;
        growths.try_into().map_err(|_| refused("a tick has one tracker for each of six uptimes"))
    }
}

/// Whether empty options are present.
impl AsField<Option<Options>> for bool {
    fn to_field(&self) -> Option<Options> {
        self.then_some(Options {})
    }

    fn from_field(options: Option<Options>) -> Result<bool, DecodeError> {
        Ok(options.is_some())
    }
}
