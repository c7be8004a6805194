//! Small layouts of all kinds: every codec, every method to find the end of a part, difficult
//! names.

/// A test that compares all keyspaces of a layout.
macro_rules! small {
    ($name:ident, $text:literal, $($store:ident: $($marker:ident)*;)*) => {
        mod $name {
            use crate::agree::harness::Agreement;

            keyscape::layout!($text);

            #[test]
            fn generated_code_agrees() {
                let mut agreement = Agreement::of_text($text);
                $($(agreement.check::<$store::$marker>(stringify!($store));)*)*
                agreement.finish();
            }
        }
    };
}
pub(crate) use small;

small!(integers, r#"
store s
map a = 0x01 {a: u8} {b: u16be} {c: u32le} {d: u64be} {e: u128le} {f: u256be}
map b = 0x02 {a: i8} {b: i16le} {c: i32be} {d: i64be} {e: i128be} {f: u256le}
map c = 0x03 {a: dec(u64)} "/" {b: dec(i32)} "/" {c: dec(u256)} "/" {d: dec(u8) in 3..=17}
map d = 0x04 {a: flip(i64)} {b: sign_i64(neg = 0x05, pos = 0x06)} {c: bool} {d: f64}
map e = 0x05 {a: leb128(u64)} {v: varint_msb(u64)} {w: varint_msb(u32) in 5..=70000} {b: compact_size(u64)} {c: uvarint_ordered(u64)} {d: compact(u128)} {e: u8}
map f = 0x06 {a: dec0(u64)[20]} {b: desc(u64be)} {c: u16be in 5..=500} {d: i8 in -3..=7} {e: u256be in 1..=9}
"#, s: A B C D E F;);

small!(words, r#"
store s
type Name = text(r"[a-z][a-z0-9_]{0,15}")
type Any = text[0..]
type Raw = bytes[0..]
type Id = bytes[4]
type Version = bytes(br"[\x00\x6f][\x00-\xff]{2}")
map a = 0x01 {name: Name} 0x00 {any: Any}
map b = 0x02 {id: Id} {version: Version} {raw: Raw}
map c = 0x03 {a: len8(bytes[0..=9])} {b: len16(text[1..=9])} {c: len32le(bytes[3])} {d: lenvar(bytes[0..=200])}
map d = 0x04 {a: nul(text(r"[a-z]*"))} {b: hex(bytes[1..=4])} "/" {c: hex(rev(bytes[3]))} {d: rev(bytes[2])}
map e = 0x05 {a: escaped(bytes[0..=4])} {b: groups8(bytes[0..=9])} {c: nibbles(bytes[2])} {d: complement(bytes[2])}
map f = 0x06 {a: text(not ":", not r"x.*")[1..=9]} ":" {b: bech32("k", bytes[1..=5])} ":" {c: base58check(bytes[21])}
map g = 0x07 {a: text(r"(ab|cd)+é?")[2..=10]}
map h = 0x08 {a: hex(text(r"[a-c]{1,3}"))} {b: hex(bytes[2])}
map i = 0x09 {a: len8(hex(bytes[1..=3]))} {b: fdb_text(text[0..=4])} {c: fdb_int(i64)}
// The first 00 need not be the end of `a`.
map j = 0x0a {a: nul(bytes(br"[\x00\x01]{0,2}"))} "x" {b: u8}
"#, s: A B C D E F G H I J;);

small!(compounds, r#"
store s
type Pair = {a: u8} {b: text(r"[a-z]{1,3}")}
type Level = "low" | "lower" | "high"
type Short = "x" | "yy" | "zzz"
type Owner = | user {name: text(r"[a-z]{1,3}")} | mint "Mint" | pair "P" {pair: Pair}
type Score = | old 0x00 {at: u32be} | new 0x01 {at: u64be}
type Path = list(u16be)[0..=3]
type Words = list(text(r"[a-z][A-Z]*"))[1..=3]
map a = 0x01 {pair: Pair} "/" {level: Level} "/" {owner: Owner}
map b = 0x02 {short: Short} {score: Score} {owner: Owner}
map c = 0x03 {path: Path}
map d = 0x04 {words: Words} "/" {path: Path}
map e = 0x05 {level: Level}
map f = 0x06 {scores: list(Score)[1..=2]}
map g = 0x07 {owners: list(Short)[1..=3]} {n: u8}
"#, s: A B C D E F G;);

small!(options, r#"
store s
type Level = "low" | "high"
type Kind = | some "s" {n: u8} | none "n"
type Extra = ["+" {x: u8}]
map a = 0x01 [{x: text(r"[a-z]{1,3}")} "-"] {n: dec(u8)}
map b = 0x02 [{x: text(r"[a-z]{1,3}")} if level is high] "-" {level: Level}
map c = 0x03 {kind: Kind} "-" [{x: u8} {y: u8} if kind is some]
map d = 0x04 {n: u8} [{x: dec(u16)} "/" [{y: dec(u16)}]]
map e = 0x05 {n: u8} [{x: u16be} if n in 3..=9] [{z: u32be} if n in 0..=4 or n in 200..=255]
map f = 0x06 {n: dec(u8)} ":" [{x: text(r"[0-9]{2}")} ":"] {y: text(r"[0-9]{3}")}
map g = 0x07 {extra: Extra} {n: dec(u8)} ["!" {more: Extra} "/"]
"#, s: A B C D E F G;);

// The ends are found by trial, because the next part can begin with bytes of this one.
small!(tried, r#"
store s
map a = 0x01 {x: text(r"a*b")} {y: text(r"[ab]*c")}
map b = 0x02 {x: text(r"[a-c]*x")} {y: text(r"[a-c]{2,3}")} "x" {z: text(r"y[a-z]*")}
map c = 0x03 [{x: text(r"[0-9]+")} "a"] {y: text(r"[0-9]+b")} {z: text(r"[0-9b]+c")}
"#, s: A B C;);

// Keywords, names of the prelude, and names that collide.
small!(names, r#"
store mod
type Option = u32be
type Result = text(r"[a-z]{1,3}")
type orders = u8
type lower_case = "self" | "Self" | "" | "a-b" | "a_b" | "1" | "ALL"
type Spot = {place: len8(text[1..=3])} {rest: u8} {rest_: u8}
type Variant = | fn 0x01 {type: u8} | self 0x02 {self: u8} | Self 0x03
map orders = 0x01 {type: u8} {self: Option} {rest: u8} {bytes: u8} {key: u8} {out: u8} {get: Result}
    scan type
    scan type, self
    scan all
map orders_key = 0x02 {view: orders} {match: lower_case} "/" {crate: Variant}
map get = 0x03 {f: u8} {value: u8} {super: u8} -> u8
    scan f by value
item deref = 0x04 -> u8
map vec = 0x05 {string: list(Option)[1..=2]} -> text
map layout = 0x06 {n: u8} -> u8
map rt = 0x07 {n: u8} -> u8
map fits = 0x08 {n: u8} -> u8
map someThing = 0x09 {n: u8} -> u8
map some_thing = 0x0A {n: u8} -> u8
type T1 = text(r"[a-z]")
map spots = 0x0B {spot: Spot} {t: T1} {state: u8} {state_: u8} -> u8
    scan spot, t, state
map pieces = 0x0C {pieces: text(r"a*b")} {part1: text(r"[ab]*c")} -> u8
"#, r#mod: OrdersSpace OrdersKey Get Deref VecSpace Layout Rt Fits SomeThingSpace SomeThing Spots
    Pieces;);
