//! Declarations of messages and choices.

/// Declares a message: a structure with a tag for each field.
macro_rules! messages {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $tag:literal $field:ident: $type:ty,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl $crate::values::wire::Part for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::values::wire::Field::write(&self.$field, $tag, out);)*
            }
            fn get(bytes: &[u8]) -> Result<$name, $crate::values::BadMessage> {
                $crate::values::wire::message(bytes, |from| {
                    Ok($name { $($field: $crate::values::wire::Field::read(from, $tag)?,)* })
                })
            }
        }

        impl keyscape::ValueForm for $name {
            type View<'v> = $name;
            type Owned = $name;
            type Input<'v> = &'v $name;

            fn encode(message: &$name, out: &mut Vec<u8>) -> Result<(), keyscape::DomainError> {
                $crate::values::wire::Part::put(message, out);
                Ok(())
            }
            fn decode(bytes: &[u8]) -> Result<$name, keyscape::BadValue> {
                <$name as $crate::values::wire::Part>::get(bytes).map_err(keyscape::BadValue::new)
            }
            fn into_owned(message: $name) -> $name {
                message
            }
            fn encode_owned(message: &$name, out: &mut Vec<u8>) -> Result<(), keyscape::DomainError> {
                Self::encode(message, out)
            }
        }
    )*};
}

/// Declares a choice: an enum that is written as a number.
macro_rules! choices {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $number:literal $text:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$doc])* $variant = $number,)*
        }

        impl $crate::values::wire::Number for $name {
            fn number(self) -> u64 {
                self as u64
            }
            fn of(number: u64) -> Option<$name> {
                match number {
                    $($number => Some($name::$variant),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(match self {
                    $($name::$variant => $text,)*
                })
            }
        }

        $crate::values::wire::numbers!($name);
    )*};
}

pub(super) use {choices, messages};
