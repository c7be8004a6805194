//! What is written by a layout alone is what programs write by the runtime: the same operations on two
//! databases, and the same bytes in both after each.

#[expect(dead_code, unreachable_pub, reason = "a sample of the runtime, of which a part is used")]
mod txo {
    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/tests/structures/txo.rs"));
}
#[path = "../../../runtime/tests/typed/odd.rs"]
#[expect(dead_code, reason = "a sample of the runtime, of which a part is used")]
mod odd;
#[path = "../../../runtime/tests/typed/shop.rs"]
#[expect(unreachable_pub, reason = "a sample of the runtime")]
mod shop;

use super::{DatabaseError, Kept, Reader, Writer};
use crate::{input::line::Line, output::entry_json};
use keyscape_layout::{Layout, NoImports, read};
use keyscape_runtime::ErrorKind;
use keyscape_store::{Db, KeyRange, Memory, Read, Spaces, StoreId};
use proptest::prelude::*;
use txo::{Name, Outpoint, Score};

const ODD: &str = r#"store odd
map names = "d" {name: text(r"[a-z]+")} "/" {n: u8} -> u8
map pairs = "p" {a: u8} {b: u8} -> u8
index firsts of pairs = "f" {a} -> bytes
    unique
"#;

const SHOP: &str = r#"store shop
type Ticket = text(r"[a-z]{1,8}")
map orders = "o/" {user: u64be} {order: u32be} -> Order
index by_order of orders = "n/" {order} {user} -> empty reads const 0x00
index by_ticket of orders = "t/" {ticket: Ticket from value} -> bytes
    unique
"#;

const TXO: &str = r#"store txo structures
type Name = text(not ":")[1..=255]
type Outpoint = {txid: bytes[32]} {vout: u32be}
type Score = | confirmed 0x00 {height: u32be} {index: u64be} | unconfirmed 0x01 {nanoseconds: u64be}
zset topics = "z:tp:" {topic: Name} member Outpoint score Score counted
zset board = "b:" {game: u8} member Name score u64be counted ranked
queue tokens = "q:tok:" {token: Name} member Outpoint score Score
queue jobs = "q:job:" {game: u8} member Name score u64be
set friends = "f:" {of: Name} member Name counted
hash output = "h:" {outpoint: Outpoint}
    field merkle = "ms" -> u64be
    field data = "dt:" {tag: Name} -> bytes
"#;

fn layout(text: &str) -> Layout {
    read("test.keys", text, &mut NoImports).unwrap()
}

fn database(space: &str) -> Db {
    Db::new(Memory::new(Spaces::new([space]).unwrap()))
}

fn rows(db: &Db, space: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    db.read().unwrap().rows(StoreId::of(space), KeyRange::all()).unwrap().to_vec().unwrap()
}

/// Puts or deletes what a line says; whether it was there.
fn apply(db: &Db, writer: &Writer<'_>, line: &str, puts: bool) -> Result<bool, DatabaseError> {
    let Line::Entry(entry) = Line::read(writer.layout, line).unwrap() else { panic!("{line}") };
    db.write(
        |tx| if puts { writer.put(tx, &entry).map(|()| true) } else { writer.delete(tx, &entry) },
    )
}

fn hex(bytes: &[u8]) -> String {
    crate::output::bytes::hex(bytes)
}

fn score_json(score: Score) -> String {
    match score {
        Score::Confirmed { height, index } => {
            format!(r#"{{"confirmed":{{"height":{height},"index":{index}}}}}"#)
        }
        Score::Unconfirmed { nanoseconds } => {
            format!(r#"{{"unconfirmed":{{"nanoseconds":{nanoseconds}}}}}"#)
        }
    }
}

fn outpoint(byte: u8) -> Outpoint {
    Outpoint { txid: [byte; 32], vout: u32::from(byte) }
}

fn outpoint_json(byte: u8) -> String {
    format!(r#"{{"txid":"0x{}","vout":{byte}}}"#, hex(&[byte; 32]))
}

#[derive(Clone, Debug)]
enum Op {
    Friend { of: u8, member: u8 },
    Topic { topic: u8, member: u8, score: Score },
    Data { output: u8, tag: u8, value: Vec<u8> },
    Merkle { output: u8, value: u64 },
}

fn score() -> impl Strategy<Value = Score> {
    prop_oneof![
        (0_u32..3, 0_u64..3).prop_map(|(height, index)| Score::Confirmed { height, index }),
        (0_u64..3).prop_map(|nanoseconds| Score::Unconfirmed { nanoseconds }),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let small = || 0_u8..3;
    prop_oneof![
        (small(), small()).prop_map(|(of, member)| Op::Friend { of, member }),
        (small(), small(), score()).prop_map(|(topic, member, score)| Op::Topic {
            topic,
            member,
            score
        }),
        (small(), small(), proptest::collection::vec(any::<u8>(), 0..4))
            .prop_map(|(output, tag, value)| Op::Data { output, tag, value }),
        (small(), 0_u64..9).prop_map(|(output, value)| Op::Merkle { output, value }),
    ]
}

fn name(number: u8) -> Name<'static> {
    Name::new(format!("n\0{number}")).unwrap()
}

/// The line of an operation.
fn line(op: &Op) -> String {
    let text = |number: &u8| format!(r#""n\u0000{number}""#);
    match op {
        Op::Friend { of, member } => format!(
            r#"{{"keyspace":"friends","fields":{{"of":{}}},"member":{}}}"#,
            text(of),
            text(member)
        ),
        Op::Topic { topic, member, score } => format!(
            r#"{{"keyspace":"topics","fields":{{"topic":{}}},"member":{},"score":{}}}"#,
            text(topic),
            outpoint_json(*member),
            score_json(*score)
        ),
        Op::Data { output, tag, value } => format!(
            r#"{{"keyspace":"output.data","hash":{{"outpoint":{}}},"fields":{{"tag":{}}},"value":"0x{}"}}"#,
            outpoint_json(*output),
            text(tag),
            hex(value)
        ),
        Op::Merkle { output, value } => format!(
            r#"{{"keyspace":"output.merkle","hash":{{"outpoint":{}}},"value":{value}}}"#,
            outpoint_json(*output)
        ),
    }
}

/// The same by the runtime.
fn run(db: &Db, op: &Op, puts: bool) -> Result<(), keyscape_runtime::Error> {
    db.write(|tx| {
        match op {
            Op::Friend { of, member } if puts => {
                txo::FRIENDS.add(tx, name(*of), name(*member))?;
            }
            Op::Friend { of, member } => {
                txo::FRIENDS.remove(tx, name(*of), name(*member))?;
            }
            Op::Topic { topic, member, score } if puts => {
                txo::TOPICS.add(tx, name(*topic), outpoint(*member), *score)?;
            }
            Op::Topic { topic, member, .. } => {
                txo::TOPICS.remove(tx, name(*topic), outpoint(*member))?;
            }
            Op::Data { output, tag, value } if puts => {
                txo::OUTPUT_DATA.put(tx, outpoint(*output), name(*tag), value)?;
            }
            Op::Data { output, tag, .. } => {
                txo::OUTPUT_DATA.delete(tx, outpoint(*output), name(*tag))?;
            }
            Op::Merkle { output, value } if puts => {
                txo::OUTPUT_MERKLE.put(tx, outpoint(*output), (), *value)?;
            }
            Op::Merkle { output, .. } => txo::OUTPUT_MERKLE.delete(tx, outpoint(*output), ())?,
        }
        Ok(())
    })
}

/// All rows of one database written into another through their lines.
fn through_lines(db: &Db, layout: &Layout, space: &str) -> Db {
    let (copy, reader) = (database(space), Reader::new(layout).unwrap());
    let writer = Writer { layout, reader: &reader, kept: Kept::Together };
    for (key, value) in rows(db, space) {
        let entry = reader.read_exactly(space, &key, &value).unwrap();
        let mut text = Vec::new();
        entry_json::put_line(layout, &entry, &mut text);
        let text = String::from_utf8(text).unwrap();
        let (Line::Entry(again) | Line::Record(again)) = Line::read(layout, &text).unwrap() else {
            panic!("{text}");
        };
        assert_eq!(again, entry, "{text}");
        copy.write(|tx| writer.record(tx, &again)).unwrap();
    }
    copy
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn structures_are_written_as_the_runtime_writes_them(
        ops in proptest::collection::vec((op(), any::<bool>()), 1..24)
    ) {
        let layout = layout(TXO);
        let reader = Reader::new(&layout).unwrap();
        let writer = Writer { layout: &layout, reader: &reader, kept: Kept::InStep };
        let (ours, theirs) = (database("txo"), database("txo"));
        for (op, puts) in &ops {
            apply(&ours, &writer, &line(op), *puts).unwrap();
            run(&theirs, op, *puts).unwrap();
            prop_assert_eq!(rows(&ours, "txo"), rows(&theirs, "txo"), "after {:?} {}", op, puts);
        }
        prop_assert_eq!(rows(&through_lines(&ours, &layout, "txo"), "txo"), rows(&ours, "txo"));
    }

    #[test]
    fn indexes_are_kept_as_the_runtime_keeps_them(
        ops in proptest::collection::vec((0_u8..4, 0_u8..4, any::<bool>()), 1..40)
    ) {
        let layout = layout(ODD);
        let reader = Reader::new(&layout).unwrap();
        let writer = Writer { layout: &layout, reader: &reader, kept: Kept::InStep };
        let (ours, theirs) = (database("odd"), database("odd"));
        for (a, b, puts) in ops {
            let line = format!(r#"{{"keyspace":"pairs","fields":{{"a":{a},"b":{b}}},"value":{b}}}"#);
            let here = apply(&ours, &writer, &line, puts);
            let there = theirs.write(|tx| {
                if puts { odd::Pairs::MAP.put(tx, (a, b), b) } else { odd::Pairs::MAP.delete(tx, (a, b)) }
            });
            let refused = there.is_err_and(|error| matches!(error.kind(), ErrorKind::NotUnique { .. }));
            prop_assert_eq!(matches!(here, Err(DatabaseError::NotUnique { .. })), refused);
            prop_assert_eq!(rows(&ours, "odd"), rows(&theirs, "odd"));
        }
    }

    /// Entries that follow from the key are kept beside those that only the program can make.
    #[test]
    fn entries_that_follow_from_the_key_are_those_of_the_runtime(
        ops in proptest::collection::vec((0_u64..3, 0_u32..3, any::<bool>()), 1..20)
    ) {
        let layout = layout(SHOP);
        let reader = Reader::new(&layout).unwrap();
        let writer = Writer { layout: &layout, reader: &reader, kept: Kept::Together };
        let (ours, theirs) = (database("shop"), database("shop"));
        for (user, order, puts) in ops {
            let letter = |number: u32| char::from(b'a' + number as u8);
            let ticket = format!("{}{}", letter(user as u32), letter(order));
            let value = [&user.to_be_bytes()[..], ticket.as_bytes()].concat();
            let line = format!(
                r#"{{"keyspace":"orders","fields":{{"user":{user},"order":{order}}},"value":"0x{}"}}"#,
                hex(&value)
            );
            apply(&ours, &writer, &line, puts).unwrap();
            let held = shop::Order { ticket: shop::layout::Ticket::new(ticket).unwrap(), amount: user };
            theirs.write(|tx| {
                let orders = shop::layout::ORDERS;
                if puts { orders.put(tx, (user, order), &held) } else { orders.delete(tx, (user, order)) }
            }).unwrap();
            let mut there = rows(&theirs, "shop");
            there.retain(|(key, _)| !key.starts_with(b"t/"));
            prop_assert_eq!(rows(&ours, "shop"), there);
            let strict = Writer { kept: Kept::InStep, ..writer };
            let refused = apply(&ours, &strict, &line, puts);
            let refused = matches!(refused, Err(DatabaseError::FromValue { .. }));
            prop_assert!(refused);
        }
    }
}

/// Rank records and all that a queue has pass through lines unchanged; they are not written otherwise.
#[test]
fn records_of_ranked_zsets_and_queues_are_read_and_written_as_they_are() {
    let layout = layout(TXO);
    let db = database("txo");
    db.write(|tx| {
        for member in 0..200_u8 {
            txo::BOARD.add(tx, 7, name(member), u64::from(member) * 7 % 90)?;
            txo::JOBS.push(tx, 1, name(member), u64::from(member))?;
            let score = Score::Confirmed { height: 0, index: u64::from(member) };
            txo::TOKENS.push(tx, name(1), outpoint(member), score)?;
        }
        let claims = txo::JOBS.claim(tx, 1, 1_000, u64::MAX / 2, 5)?;
        txo::JOBS.retry(tx, 1, &claims[0], 2_000, u64::MAX / 4)?;
        txo::JOBS.push(tx, 1, name(1), 3_u64)?;
        txo::TOKENS.claim(tx, name(1), 5, 5, 3)?;
        Ok::<_, keyscape_runtime::Error>(())
    })
    .unwrap();
    assert_eq!(rows(&through_lines(&db, &layout, "txo"), "txo"), rows(&db, "txo"));
    let reader = Reader::new(&layout).unwrap();
    let writer = Writer { layout: &layout, reader: &reader, kept: Kept::InStep };
    let board = r#"{"keyspace":"board","fields":{"game":7},"member":"x","score":1}"#;
    assert!(matches!(apply(&db, &writer, board, true), Err(DatabaseError::Ranked { .. })));
    let job = r#"{"keyspace":"jobs","fields":{"game":7},"member":"x","score":1}"#;
    assert!(matches!(apply(&db, &writer, job, true), Err(DatabaseError::Queue { .. })));
}
