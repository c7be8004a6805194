//! Wraps, derived bytes, hashed literals and pairs.

use crate::agree::small::small;

small!(wrapped_leaves, r#"
store s
type Name = text(r"[a-z\x00]{0,3}")
type Id = bytes[3]
map a = 0x01 wrap hex({n: u16be} "/" {name: Name})
map b = 0x02 wrap complement({id: Id} {n: dec(u16)} "/" {raw: bytes[0..=3]})
map c = 0x03 wrap escaped({id: Id} {n: u16be} {raw: bytes[0..=4]}) {rest: u8 in 0..=254}
map d = 0x04 wrap escaped01({a: len8(bytes[0..=3])} {b: bytes[0..=2]}) {rest: bytes[0..=2]}
map e = 0x05 wrap groups8("t" {table: flip(i64)} "_r" {handle: u32be}) {ts: desc(u64be)}
map f = 0x06 wrap groups8("k" {id: Id} {key: bytes[0..=12]}) {ts: u16be}
map g = 0x07 wrap nibbles({n: u16le} {id: Id}) {flag: bool}
map h = 0x08 wrap hex(wrap escaped({raw: bytes[0..=3]}) {n: u8}) wrap complement(wrap hex({id: Id}))
map i = 0x09 wrap escaped({x: i16be} {y: u32be in 0..=300} {z: f64})
"#, s: A B C D E F G H I;);

small!(wrapped_compounds, r#"
store s
type Level = "low" | "lower" | "high"
type Side = "ask" | "bid"
type Pair = {a: u8} {b: text(r"[a-z]{1,3}")}
type Point = {x: u16be} "," {y: u16be}
type Owner = | user 0x01 {name: text(r"[a-z]{1,3}")} | mint 0x02 "Mint" | pair 0x03 {pair: Pair}
type Hexed = wrap hex({a: u8} {b: bytes[2]})
map a = 0x01 wrap hex({level: Level} "/" {pair: Pair}) "z"
map b = 0x02 wrap complement({side: Side} {owner: Owner})
map c = 0x03 wrap escaped01({level: Level} 0x00 {pair: Pair}) {owner: Owner}
map d = 0x04 wrap groups8({side: Side} {point: Point} {n: u64be})
map e = 0x05 wrap escaped([{n: u16be} if level is high] {level: Level}) {m: u8 in 0..=9}
map f = 0x06 wrap hex({path: list(u16be)[0..=3]}) "/" {hexed: Hexed}
map g = 0x07 wrap complement({hexed: Hexed} [{note: text[1..=3]}])
map h = 0x08 wrap hex({owner: Owner} [{n: u8}  if owner is mint])
map i = 0x09 wrap groups8("p" {pair: Pair})
map j = 0x0a wrap hex({end: text(r"[a\x00]*b")} {words: list(len8(text(r"[ab]?")))[0..=2]})
"#, s: A B C D E F G H I J;);

small!(derived, r#"
store s
type Level = "low" | "high"
type Tagged = {tag: u16be} {= twox64(tag)[2]}
type Event = | plain 0x00 {n: u8} | sealed 0x01 {n: u32be} {= keccak256(n)[3]}
map a = 0x01 {= sha256(user)[1]} {user: u64be} {n: u32be}
map b = 0x02 {user: len8(text[0..=9])} {n: u32be} {= twox64(user, n)}
map c = 0x03 wrap hex({name: text(r"[a-z]{1,4}")} "/" {= blake2_128(name, n)}) {n: u16be}
map d = 0x04 {tagged: Tagged} {event: Event}
map e = 0x05 {level: Level} "/" [{x: u16be} {= sha256(level)[2]} if level is high]
map f = 0x06 wrap escaped({= sha256(id)[2]} {id: bytes[2]}) {m: u8 in 0..=9}
map g = 0x07 wrap groups8({= twox_128(id)} {digest: u8} {id: bytes[0..=4]})
map h = 0x08 {x: text(r"a*b")} {= sha256(y)[1]} {y: text(r"[ab]*c")}
map i = 0x09 {event: Event} {n: u8}
"#, s: A B C D E F G H I;);

small!(hashed, r#"
store s
map account = twox128("System") twox128("Account") {id: blake2_128_concat(bytes[4])}
map events = twox128("System") twox_128("Events") {n: twox_64_concat(u32le)}
item number = twox128("System") twox128("Number")
map hashes = sha256("x") wrap hex(blake2_256(0x0102) {of: sha256(bytes[4])})
"#, s: Account Events Number Hashes;);

small!(pairs, r#"
store s
type Score = f64_sum(u32 in 0..=9, u16, 1e5)
map a = 0x01 {score: f64_sum(u16, u8, 1e3)} {n: u8}
map b = 0x02 {score: Score} {= sha256(score)[2]}
map c = 0x03 wrap hex({score: Score} {n: u16be})
"#, s: A B C;);
