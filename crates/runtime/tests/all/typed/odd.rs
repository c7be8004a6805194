//! Keyspaces with rare features: separators after text, descending fields, `also` rows, tight and
//! declared intervals, keys of `FF`, long keys, unique indexes over the key, sequences with fields.
//!
//! ```keys
//! store odd
//! map names = "d" {name: text(r"[a-z]+")} "/" {n: u8} -> u8     scan all by name   scan name by n
//! map times = 0xff {at: desc(u16be)} {id: u8} -> empty          scan all by at
//! map marks = "e" {id: u8} -> empty                             scan all by id also flags
//! map flags = "e" {id: u8} "!" -> empty
//! map words = "w" {word: text(r"[b-d][a-z]*")} -> empty         scan all by word (tight)
//! map pairs = "p" {a: u8} {b: u8} -> u8                         scan all as "p" 0x10 .. "p" 0x20
//! index firsts of pairs = "f" {a} -> bytes unique
//! sequence counts = "q" {user: u8} -> u8
//! ```

use keyscape_codec::{KeyBuf, Malformed, Sink, desc::Complement, fixed};
use keyscape_runtime::{
    Be, By, DomainError, Empty, Error, Field, IndexRows, IndexedRow, Keyspace, Map, MapRows,
    Prefix, Rows, ScanRows, Sequence, SequenceRows,
};

const BAD: Malformed = Malformed { reason: "not such a key" };

/// A keyspace of the store `odd`.
macro_rules! keyspace {
    ($name:ident $text:literal, $buffer:ty, $key:ty, $value:ty,
     |$k:ident, $out:ident| $encode:expr, |$bytes:ident| $decode:expr) => {
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl Keyspace for $name {
            const NAME: &'static str = $text;
            const SPACE: &'static str = "odd";
            type Buffer = $buffer;
            type Key<'k> = $key;

            fn encode($k: &$key, $out: &mut impl Sink) -> Result<(), DomainError> {
                $encode;
                Ok(())
            }

            fn decode($bytes: &[u8]) -> Result<$key, Malformed> {
                $decode.ok_or(BAD)
            }

            fn into_owned(key: $key) -> $key {
                key
            }
        }

        impl Rows for $name {
            type Value = $value;
        }
    };
}

macro_rules! scan {
    ($name:ident of $keyspace:ident by $field:ty { $($constants:tt)* }) => {
        #[derive(Debug)]
        pub(crate) struct $name;

        impl ScanRows<$keyspace> for $name {
            const NAME: &'static str = stringify!($name);
        }

        impl By<$keyspace> for $name {
            type Field = $field;
            $($constants)*
        }
    };
}

macro_rules! map {
    ($name:ident $prefix:literal $indexes:ty) => {
        impl MapRows for $name {
            const PREFIX: &'static [u8] = $prefix;
            type Indexes = $indexes;
        }

        impl $name {
            pub(crate) const MAP: Map<$name> = Map::new();
        }
    };
}

pub(crate) type Name = String;

#[derive(Debug)]
pub(crate) struct NameField;

impl Field for NameField {
    type View<'k> = Name;

    fn encode(view: &Name, out: &mut impl Sink) -> Result<(), DomainError> {
        out.put(view.as_bytes());
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Name, Malformed> {
        lower(bytes).ok_or(BAD)
    }

    fn into_owned(view: Name) -> Name {
        view
    }
}

fn lower(bytes: &[u8]) -> Option<Name> {
    let right = !bytes.is_empty() && bytes.iter().all(u8::is_ascii_lowercase);
    right.then(|| String::from_utf8_lossy(bytes).into_owned())
}

// The buffer is a vector, as for keys that may be very long.
keyspace!(Names "names", Vec<u8>, (Name, u8), Be<u8>,
|key, out| { out.put(b"d"); out.put(key.0.as_bytes()); out.put(b"/"); out.push(key.1) },
|bytes| match bytes {
    [b'd', name @ .., b'/', n] => lower(name).map(|name| (name, *n)),
    _ => None,
});
map!(Names b"d" ());
scan!(NamesAll of Names by NameField { const AFTER: &'static [u8] = b"/"; const LAST: bool = false; });
scan!(NamesName of Names by Be<u8> { const LAST: bool = true; });

pub(crate) fn names() -> Prefix<Names, NamesAll> {
    Prefix::new(|out: &mut Vec<u8>| {
        out.put(b"d");
        Ok(())
    })
}

pub(crate) fn names_of(name: &str) -> Prefix<Names, NamesName> {
    Prefix::new(|out: &mut Vec<u8>| {
        out.put(b"d");
        out.put(name.as_bytes());
        out.put(b"/");
        Ok(())
    })
}

keyspace!(Times "times", KeyBuf<4>, (u16, u8), Empty,
|key, out| { out.push(0xff); fixed::put_be(key.0, &mut Complement(out)); out.push(key.1) },
|bytes| match *bytes {
    [0xff, high, low, id] => Some((u16::from_be_bytes([!high, !low]), id)),
    _ => None,
});
map!(Times b"\xff" ());

#[derive(Debug)]
pub(crate) struct Descending;

impl Field for Descending {
    type View<'k> = u16;

    fn encode(view: &u16, out: &mut impl Sink) -> Result<(), DomainError> {
        fixed::put_be(*view, &mut Complement(out));
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<u16, Malformed> {
        fixed::parse_be(bytes).map(|number: u16| !number)
    }

    fn into_owned(view: u16) -> u16 {
        view
    }
}

scan!(TimesAll of Times by Descending { const LAST: bool = false; const DESCENDING: bool = true; });

pub(crate) fn times() -> Prefix<Times, TimesAll> {
    Prefix::<Times, TimesAll>::new(|out| {
        out.push(0xff);
        Ok(())
    })
}

keyspace!(Marks "marks", KeyBuf<2>, u8, Empty,
    |key, out| { out.put(b"e"); out.push(*key) },
    |bytes| match *bytes { [b'e', id] => Some(id), _ => None });
map!(Marks b"e" ());

keyspace!(Flags "flags", KeyBuf<3>, u8, Empty,
    |key, out| { out.put(b"e"); out.push(*key); out.put(b"!") },
    |bytes| match *bytes { [b'e', id, b'!'] => Some(id), _ => None });
map!(Flags b"e" ());

#[derive(Debug)]
pub(crate) struct MarksAll;

impl ScanRows<Marks> for MarksAll {
    const NAME: &'static str = "all";
    const ALSO: bool = true;

    fn passes(key: &[u8]) -> bool {
        Flags::decode(key).is_ok()
    }
}

impl By<Marks> for MarksAll {
    type Field = Be<u8>;
    const LAST: bool = true;
}

pub(crate) fn marks() -> Prefix<Marks, MarksAll> {
    Prefix::<Marks, MarksAll>::new(|out| {
        out.put(b"e");
        Ok(())
    })
}

keyspace!(Words "words", KeyBuf<16>, Name, Empty,
|key, out| { out.put(b"w"); out.put(key.as_bytes()) },
|bytes| match bytes {
    [b'w', word @ ..] if matches!(word.first(), Some(b'b'..=b'd')) => lower(word),
    _ => None,
});
map!(Words b"w" ());
scan!(WordsAll of Words by NameField { const LAST: bool = true; });

pub(crate) fn words() -> Prefix<Words, WordsAll> {
    Prefix::<Words, WordsAll>::new(|out| {
        out.put(b"w");
        Ok(())
    })
    .within(b"b", Some(b"e"))
}

keyspace!(Pairs "pairs", KeyBuf<3>, (u8, u8), Be<u8>,
    |key, out| { out.put(b"p"); out.push(key.0); out.push(key.1) },
    |bytes| match *bytes { [b'p', a, b] => Some((a, b)), _ => None });
map!(Pairs b"p" (Firsts, ()));
scan!(PairsSome of Pairs by Be<u8> { const LAST: bool = false; });

pub(crate) fn some_pairs() -> Prefix<Pairs, PairsSome> {
    let write = |bytes: &'static [u8]| {
        move |out: &mut KeyBuf<3>| {
            out.put(bytes);
            Ok(())
        }
    };
    Prefix::<Pairs, PairsSome>::new(write(b"p")).between(write(b"p\x10"), write(b"p\x20"))
}

keyspace!(Firsts "firsts", KeyBuf<2>, u8, keyscape_runtime::Bytes,
    |key, out| { out.put(b"f"); out.push(*key) },
    |bytes| match *bytes { [b'f', a] => Some(a), _ => None });

impl IndexRows for Firsts {
    type Map = Pairs;
    const PREFIX: &'static [u8] = b"f";
    const UNIQUE: bool = true;
    const FROM_VALUE: bool = false;

    fn entry_keys(
        row: &IndexedRow<'_, '_, Pairs>,
        mut visit: impl FnMut(&u8) -> Result<(), Error>,
    ) -> Result<(), Error> {
        visit(&row.key.0)
    }

    fn owner_key(_: &u8, entry: &[u8], out: &mut impl Sink) -> Result<(), Error> {
        out.put(Pairs::PREFIX);
        out.put(entry);
        Ok(())
    }
}

keyspace!(Counts "counts", KeyBuf<2>, u8, Be<u8>,
    |key, out| { out.put(b"q"); out.push(*key) },
    |bytes| match *bytes { [b'q', user] => Some(user), _ => None });

impl SequenceRows for Counts {
    const START: u64 = 1;
}

pub(crate) const COUNTS: Sequence<Counts> = Sequence::new();
