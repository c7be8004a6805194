//! Value forms that need no other library.

use crate::{BadValue, DomainError, Field, ValueForm};
use keyscape_codec::{Malformed, Sink, Uint, boolean, dec, fixed, wrapper};
use std::{fmt, marker::PhantomData};

/// Implements a form whose values are copied.
macro_rules! copied {
    ($value:ty) => {
        type View<'v> = $value;
        type Owned = $value;
        type Input<'v> = $value;

        fn into_owned(view: $value) -> $value {
            view
        }

        fn encode_owned(owned: &$value, out: &mut Vec<u8>) -> Result<(), DomainError> {
            <Self as ValueForm>::encode(*owned, out)
        }
    };
}

/// An integer as decimal text, without leading zeros. `dec` without a type holds 256 bits.
///
/// ```
/// use keyscape_runtime::{Dec, ValueForm};
///
/// let mut row = Vec::new();
/// <Dec>::encode(850_000_u32.into(), &mut row)?;
/// assert_eq!(row, b"850000");
/// assert_eq!(Dec::<u64>::decode(b"850000")?, 850_000);
/// assert!(<Dec>::decode(b"0850000").is_err());
/// assert!(Dec::<u8>::decode(b"256").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dec<T = Uint>(PhantomData<T>);

impl<T: dec::Decimal + 'static> ValueForm for Dec<T> {
    copied!(T);

    fn encode(input: T, out: &mut Vec<u8>) -> Result<(), DomainError> {
        dec::put(input, out);
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<T, BadValue> {
        Ok(dec::parse(bytes)?)
    }
}

/// An integer of a fixed width, most significant byte first, such as `u64be`. A value form, and a
/// field with bounds.
///
/// ```
/// use keyscape_runtime::{Be, ValueForm};
///
/// let mut row = Vec::new();
/// Be::<u16>::encode(7, &mut row)?;
/// assert_eq!(row, [0, 7]);
/// assert_eq!(Be::<u16>::decode(&row)?, 7);
/// assert!(Be::<u16>::decode(&[7]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Be<T>(PhantomData<T>);

/// An integer of a fixed width, least significant byte first, such as `u64le`. A value form, and a
/// field.
///
/// ```
/// use keyscape_runtime::{Le, ValueForm};
///
/// let mut row = Vec::new();
/// Le::<u16>::encode(7, &mut row)?;
/// assert_eq!(row, [7, 0]);
/// assert_eq!(Le::<u16>::decode(&row)?, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Le<T>(PhantomData<T>);

macro_rules! fixed_width {
    ($form:ident, $put:ident, $parse:ident) => {
        impl<T: fixed::Fixed + 'static> ValueForm for $form<T> {
            copied!(T);

            fn encode(input: T, out: &mut Vec<u8>) -> Result<(), DomainError> {
                fixed::$put(input, out);
                Ok(())
            }

            fn decode(bytes: &[u8]) -> Result<T, BadValue> {
                Ok(fixed::$parse(bytes)?)
            }
        }

        impl<T: fixed::Fixed + fmt::Debug + 'static> Field for $form<T> {
            type View<'k> = T;

            fn encode(view: &T, out: &mut impl Sink) -> Result<(), DomainError> {
                fixed::$put(*view, out);
                Ok(())
            }

            fn decode(bytes: &[u8]) -> Result<T, Malformed> {
                fixed::$parse(bytes)
            }

            fn into_owned(view: T) -> T {
                view
            }
        }
    };
}

fixed_width!(Be, put_be, parse_be);
fixed_width!(Le, put_le, parse_le);

/// False or true: `00` or `01`.
///
/// ```
/// use keyscape_runtime::{Bool, ValueForm};
///
/// assert!(Bool::decode(&[1])?);
/// assert!(Bool::decode(&[2]).is_err());
/// assert!(Bool::decode(&[1, 1]).is_err());
/// # Ok::<(), keyscape_runtime::BadValue>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bool;

impl ValueForm for Bool {
    copied!(bool);

    fn encode(input: bool, out: &mut Vec<u8>) -> Result<(), DomainError> {
        boolean::put(input, out);
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<bool, BadValue> {
        Ok(boolean::parse(bytes)?)
    }
}

/// A bool or an integer as the only field of a protobuf message, such as `BoolValue`: `08 01` for
/// true, no bytes for false. Other encodings of the same message are rejected.
///
/// ```
/// use keyscape_runtime::{ValueForm, Wrapped};
///
/// let mut row = Vec::new();
/// Wrapped::<u64>::encode(300, &mut row)?;
/// assert_eq!(row, [0x08, 0xac, 0x02]);
/// assert_eq!(Wrapped::<u64>::decode(&row)?, 300);
/// assert!(!Wrapped::<bool>::decode(&[])?);
/// assert!(Wrapped::<bool>::decode(&[0x08, 0x00]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Wrapped<T>(PhantomData<T>);

impl<T: wrapper::Scalar + 'static> ValueForm for Wrapped<T> {
    copied!(T);

    fn encode(input: T, out: &mut Vec<u8>) -> Result<(), DomainError> {
        wrapper::put(input, out);
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<T, BadValue> {
        Ok(wrapper::parse(bytes)?)
    }
}

/// UTF-8 text.
///
/// ```
/// use keyscape_runtime::{Text, ValueForm};
///
/// assert_eq!(Text::decode("é".as_bytes())?, "é");
/// assert!(Text::decode(&[0xff]).is_err());
/// # Ok::<(), keyscape_runtime::BadValue>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Text;

impl ValueForm for Text {
    type View<'v> = &'v str;
    type Owned = String;
    type Input<'v> = &'v str;

    fn encode(input: &str, out: &mut Vec<u8>) -> Result<(), DomainError> {
        out.extend_from_slice(input.as_bytes());
        Ok(())
    }

    fn as_bytes<'a>(input: &'a &str) -> Option<&'a [u8]> {
        Some(input.as_bytes())
    }

    fn decode(bytes: &[u8]) -> Result<&str, BadValue> {
        str::from_utf8(bytes).map_err(|error| BadValue::new("it is not UTF-8").because(error))
    }

    fn into_owned(view: &str) -> String {
        view.to_owned()
    }

    fn encode_owned(owned: &String, out: &mut Vec<u8>) -> Result<(), DomainError> {
        <Self as ValueForm>::encode(owned, out)
    }
}

/// Any bytes.
///
/// ```
/// use keyscape_runtime::{Bytes, ValueForm};
///
/// assert_eq!(Bytes::decode(&[1, 2])?, &[1, 2]);
/// # Ok::<(), keyscape_runtime::BadValue>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bytes;

impl ValueForm for Bytes {
    type View<'v> = &'v [u8];
    type Owned = Vec<u8>;
    type Input<'v> = &'v [u8];

    fn encode(input: &[u8], out: &mut Vec<u8>) -> Result<(), DomainError> {
        out.extend_from_slice(input);
        Ok(())
    }

    fn as_bytes<'a>(input: &'a &[u8]) -> Option<&'a [u8]> {
        Some(input)
    }

    fn decode(bytes: &[u8]) -> Result<&[u8], BadValue> {
        Ok(bytes)
    }

    fn into_owned(view: &[u8]) -> Vec<u8> {
        view.to_owned()
    }

    fn encode_owned(owned: &Vec<u8>, out: &mut Vec<u8>) -> Result<(), DomainError> {
        <Self as ValueForm>::encode(owned, out)
    }
}

/// An empty value. Only the existence of the row counts.
///
/// ```
/// use keyscape_runtime::{Empty, ValueForm};
///
/// assert!(Empty::decode(&[]).is_ok());
/// assert!(Empty::decode(&[0]).is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Empty;

impl ValueForm for Empty {
    copied!(());

    fn encode((): (), _: &mut Vec<u8>) -> Result<(), DomainError> {
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<(), BadValue> {
        if bytes.is_empty() { Ok(()) } else { Err(BadValue::new("it should be empty")) }
    }
}

/// Fixed bytes, as a type. See [`Const`].
pub trait Constant: 'static {
    /// The value of every row.
    const BYTES: &'static [u8];
}

/// The same fixed bytes in every row.
///
/// ```
/// use keyscape_runtime::{Const, Constant, ValueForm};
///
/// struct Zero;
/// impl Constant for Zero {
///     const BYTES: &'static [u8] = &[0];
/// }
/// assert!(Const::<Zero>::decode(&[0]).is_ok());
/// assert!(Const::<Zero>::decode(&[]).is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Const<C>(PhantomData<C>);

impl<C: Constant> ValueForm for Const<C> {
    copied!(());

    fn encode((): (), out: &mut Vec<u8>) -> Result<(), DomainError> {
        out.extend_from_slice(C::BYTES);
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<(), BadValue> {
        if bytes == C::BYTES { Ok(()) } else { Err(BadValue::new("it is not the constant")) }
    }
}

/// A typed field of a layout as the value.
///
/// ```
/// # use keyscape_samples::shop::layout::Ticket;
/// use keyscape_runtime::{OfField, ValueForm};
///
/// assert_eq!(OfField::<Ticket<'static>>::decode(b"ab")?, Ticket::new("ab")?);
/// assert!(OfField::<Ticket<'static>>::decode(b"A").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OfField<F>(PhantomData<F>);

impl<F: Field> ValueForm for OfField<F> {
    type View<'v> = F::View<'v>;
    type Owned = F::View<'static>;
    type Input<'v> = F::View<'v>;

    fn encode(input: F::View<'_>, out: &mut Vec<u8>) -> Result<(), DomainError> {
        F::encode(&input, out)
    }

    fn decode(bytes: &[u8]) -> Result<F::View<'_>, BadValue> {
        Ok(F::decode(bytes)?)
    }

    fn into_owned(view: F::View<'_>) -> F::View<'static> {
        F::into_owned(view)
    }

    fn encode_owned(owned: &F::View<'static>, out: &mut Vec<u8>) -> Result<(), DomainError> {
        F::encode(owned, out)
    }
}
