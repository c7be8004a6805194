//! Layouts of five systems for the tests of the syntax.

use keyscape_layout::{FileId, syntax::parse};

pub(crate) const BANK: &str = r#"//! Cosmos SDK x/bank balances, split by denomination (ADR-004), bytes as of SDK 0.50.
store bank version 1

type Address = len8(bytes[1..=255]) shown as bech32("cosmos")
type Denom   = text(r"[a-zA-Z][a-zA-Z0-9/:._-]{2,127}")

/// One balance per account and denomination.
map balances = 0x02 {owner: Address} {denom: Denom} -> dec reads proto Coin
    scan owner by denom                    // every balance of one account, in order

/// Who holds a denomination.
index holders of balances = 0x03 {denom} 0x00 {owner} -> empty reads const 0x00
    scan denom                             // `by owner` would be refuted: the length byte sorts first
"#;

pub(crate) const LIQUIDITY: &str = r#"store concentratedliquidity
/// Tick state, most negative to most positive within a pool.
map ticks = 0x01 {pool: u64be} {tick: sign_i64(neg = 0x05, pos = 0x06)} -> proto TickInfo
    scan pool by tick
type Accum = | spread 0x0B "/" {pool: dec(u64)} | uptime 0x0C "/" {pool: dec(u64)} "/" {index: dec(u8) in 0..=5}
type Share = | spread 0x0A "/" {position: dec(u64)} | uptime 0x08 {position: dec(u64)}
map shares = "accum/pos/" {name: Accum} "||" {share: Share} -> proto Record
    scan name
"#;

pub(crate) const BADGES: &str = r#"store badges
type Level = "collection" | "incoming" | "outgoing"
type Kind  = "overall" | "to" | "from" | "initiated"
type Bech  = text(r"bb1[02-9ac-hj-np-z]{38}")
type Id    = text(r"[A-Za-z0-9_]{1,64}")
map approval_trackers = 0x07 {collection: dec(u256)} "-" [{approver: Bech} if level is not collection] "-" {approval: Id} "-"
    {tracker: Id} "-" {level: Level} "-" {kind: Kind} "-" [{address: Bech} if kind is not overall] -> proto ApprovalTracker
    scan collection
"#;

pub(crate) const PAW: &str = r#"store paw
type Denom     = text(r"[a-z]{3,64}", not "/")
type ChannelId = text(r"channel-[0-9]{1,20}")
type Sender    = text(r"paw1[a-z0-9]{38}")
namespace dex = 0x02 {
  allocate core 0x01 ..= 0x0F   allocate lookup 0x10 ..= 0x1F   allocate cross_module 0x20 ..= 0x2F   allocate extension 0x30 ..= 0xFF
  reserve 0x0C "was the fee tier; never reuse"
  deprecated 0x0D "old pools"
  map pools          = 0x01 {pool: u64be} -> json Pool                              scan all by pool
  map pool_by_tokens = 0x03 {a: Denom} 0x00 {b: Denom} -> u64be                     scan a by b
  map nonces         = 0x16 {channel: ChannelId} "/" {sender: Sender} -> u64be      in cross_module   // refuted: outside its range
}
"#;

pub(crate) const TXO: &str = r#"store txo structures
type Base58   = base58check(bytes[20])
type Symbol   = text(r"[A-Z]{1,8}")
type Tag      = text(r"[a-z]+")
type TokenId  = {txid: hex(bytes[32])} "_" {vout: dec(u32)}
type Outpoint = {txid: hex(bytes[32])} "_o" {vout: dec(u32)}
type Event    = | txid "txid:" {txid: hex(bytes[32])} | own "own:" {owner: Base58} | sym "sym:" {symbol: Symbol} | id "id:" {token: TokenId}
              | list "list:" [{owner: Base58} ":"] {token: TokenId}
zset events = "z:" {event: Event}          member Outpoint  score HeightScore
zset spent  = "z:" {event: Event} ":spnd"  member Outpoint  score HeightScore
hash output = "h:" {outpoint: Outpoint}
    field events = "ev" -> json    field merkle = "ms" -> MerkleState    field data = "dt:" {tag: Tag} -> json
"#;

/// The rest of the grammar, which the five layouts do not use.
pub(crate) const REST: &str = r##"// A comment before everything.
//! Second line of the file's documentation.

import "common.keys"
import "other/types.keys" as other

/// Rows of everything.
store rest structures on redis version 1_000

family hot {
    /// A counter.
    sequence next_id = "seq" -> u64be
    family inner { item params = 0x00 -> const "p" }
}

type Height = other.Height in ..=9_999 shown as hex(0x00, "x")
type One = "only"
type Joined = "a" 0xBEEF_cafe [{x: u8} "," if (x in 1.. or y is "odd one") and z is none]
type Masked = bytes(br#"\x00"+"#, not r"a.*", not 0x00)[2..=8]
type Signed = i64(u8, "w") in -5..=-1
type Call = nothing()

namespace outer = 0x01 "o" {
    reserve 0x00 "why \"not\""
    namespace nested = "n" {
        index by_height of rows = {height: Height from value} {id}
            unique counted ranked
            scan height.low, id by id, height as {height} 0x00 .. {height} 0x01 also rows, params
            accept KS003 scan height.id with rows "known since \u{31}990"
    }
}
set members = 0x09 {group: u8} member other.Id
queue jobs = 0x0A -> json reads Job[..8] scan all as 0x0A
hash record = 0x0B
    /// How many there are.
    field count = "n" -> u64be in 0..5
    field other = {name: Id} -> json Thing
"##;

pub(crate) const ALL: [(&str, &str); 6] = [
    ("bank", BANK),
    ("liquidity", LIQUIDITY),
    ("badges", BADGES),
    ("paw", PAW),
    ("txo", TXO),
    ("rest", REST),
];

#[test]
fn the_layouts_of_all_systems_parse_without_mistakes() {
    for (name, source) in ALL {
        let (_, diagnostics) = parse(source, FileId(0));
        assert!(diagnostics.is_empty(), "{name}: {diagnostics:#?}");
    }
}
