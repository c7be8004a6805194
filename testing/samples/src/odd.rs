//! Keyspaces with rare features.

keyscape::layout!(
    r#"
    store odd
    /// Text before a separator. Keys can be very long, so their buffer is a vector.
    map names = "d" {name: text(r"[a-z]+")} "/" {n: u8} -> u8
        scan all by name
        scan name by n
    /// A descending field. The key of 0 begins with `FF FF FF`, so no key is above it.
    map times = 0xff {at: desc(u16be)} {id: u8} -> empty
        scan all by at
    /// The interval of the scan contains rows of `flags`.
    map marks = "e" {id: u8} -> empty
        scan all by id also flags
    map flags = "e" {id: u8} "!" -> empty
    /// The tight interval of the scan excludes `others`.
    map words = "w" {word: text(r"[b-d][a-z]*")} -> empty
        scan all by word
    map others = "w" {other: text(r"[ae-z]?")} -> empty
    map pairs = "p" {a: u8} {b: u8} -> u8
    /// Unique, although no field comes from the value.
    index firsts of pairs = "f" {a} -> bytes
        unique
    /// A sequence with a field.
    sequence counts = "q" {user: u8} -> u8
    "#
);

pub use odd::*;
