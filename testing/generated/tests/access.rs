//! Typed access through generated code, on the memory engine.

use keyscape::store::{Db, Layout, Memory};
use serde::{Deserialize, Serialize};
use std::error::Error;

type Outcome = Result<(), Box<dyn Error>>;

/// The value of a row of `orders`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The ticket of the order.
    pub ticket: String,
    /// The amount of the order.
    pub amount: u64,
}

keyscape::layout!(
    r#"
store shop version 3
type Ticket = text(r"[a-z]{1,8}")
/// One row for each order of a user.
map orders = "o/" {user: u64be} {order: u32be} -> json Order
    scan all by user
    scan user by order
/// Orders by their number.
index by_order of orders = "n/" {order} {user} -> empty reads const 0x00
    scan order by user
/// Orders by their ticket.
index by_ticket of orders = "t/" {ticket: Ticket from value} -> bytes
    unique
    scan all by ticket
map latest = "l/" {at: desc(u64be)} -> text
    scan all by at
// Exact only in its tight form: letters follow the digits of `a`.
map labels = "x" {a: dec(u16)} {b: text(r"[a-z]{1,3}")} -> u64be
    scan a by b
// The part of a stop that a scan takes is all of it.
type Stop = "s" {at: u16be}
map trips = "y" {from: Stop} {to: Stop} -> text
    scan from.at by to.at
// The prefix of a scan does not know the field that decides a part of it.
type Grade = "low" | "high"
map grades = "g" ["*" {note: u8} ["!" {more: u8} if grade is high]] "/" {grade: Grade} -> text
    scan note, more
// The guard of a part tests a field that has the name of a field of the key.
type Leg = [{gate: u8} if grade is low] "/" {grade: Grade}
map legs = "k" {grade: Grade} {leg: Leg} -> text
    scan grade, leg.gate
// A scan of a part of an optional field inside a composite has no function.
type Seat = "s" {row: u8}
type Booking = [{seat: Seat}] "/" {day: u8}
map bookings = "b" {booking: Booking} -> text
    scan booking.seat.row
    scan booking
map steps = "e" {group: u8} "/" {step: u8} -> text
    scan group as "e" {group} "/" .. "e" {group} "0"
item motto = "m" -> text
sequence numbers = "s" -> u64be

store things structures
type Outpoint = {txid: bytes[8]} {vout: u32be}
type Score = | old 0x00 {at: u32be} | new 0x01 {at: u64be}
zset ranks = "z:" {topic: text(r"[a-z]{1,8}")}
    member Outpoint
    score Score
    counted
set names = "n"
    member text[1..=20]
queue jobs = "q:" {kind: u8}
    member u64be
    score u64be
hash output = "h:" {outpoint: Outpoint}
    field merkle = "ms" -> u64be
    field data = "dt:" {tag: text(r"[a-z]{1,8}")} -> bytes
    scan outpoint.txid by vout
    scan all also totals
hash totals = "h:total"
    field count = {kind: u8} -> u64be
// Without the byte before plain rows, this would be a record of `ranks`.
map plain = "zz:" {topic: text(r"[a-z]{1,8}")} "/" {at: u16be} -> text
    scan all
    scan topic by at
index plain_at of plain = "zy:" {at} {topic} -> empty
    scan at
item height = "hh" -> u64be
"#
);

use shop::{
    BOOKINGS, BY_ORDER, BY_TICKET, Booking, GRADES, Grade, GradesKey, LABELS, LATEST, LEGS, Leg,
    MOTTO, NUMBERS, ORDERS, STEPS, Seat, Stop, TRIPS, Ticket,
};
use things::{JOBS, NAMES, OUTPUT, OUTPUT_MERKLE, Outpoint, OutputEntry, RANKS, Score};

impl shop::ByTicketFields for Order {
    fn ticket(&self) -> keyscape::Extracted<Ticket<'_>> {
        Ok(Ticket::new(self.ticket.as_str())?)
    }
}

fn database() -> Result<Db, Box<dyn Error>> {
    let db = Db::new(Memory::new(Layout::spaces_of(&[&shop::LAYOUT])?));
    db.admit(&[&shop::LAYOUT])?;
    Ok(db)
}

fn order(ticket: &str, amount: u64) -> Order {
    Order { ticket: ticket.to_owned(), amount }
}

#[test]
fn rows_are_read_by_key_by_scan_and_by_index() -> Outcome {
    let db = database()?;
    db.write(|tx| {
        ORDERS.put(tx, (7, 1), &order("a", 3))?;
        ORDERS.put(tx, (7, 2), &order("b", 4))?;
        ORDERS.put(tx, (8, 1), &order("c", 5))
    })?;
    let state = db.read()?;
    assert_eq!(ORDERS.get(&state, (7, 2))?, Some(order("b", 4)));
    let mut scan = ORDERS.scan_user(&state, 7)?;
    let mut found = Vec::new();
    while let Some(row) = scan.next_row()? {
        found.push(row.key.order);
    }
    assert_eq!(found, [1, 2]);
    assert_eq!(ORDERS.prefix_user(7).range(2..).count(&state)?, 1);
    assert_eq!(ORDERS.prefix_all().range(..=7).count(&state)?, 2);
    assert_eq!(BY_ORDER.prefix_order(1).count(&state)?, 2);
    let owner = BY_TICKET.owner(&state, Ticket::new("c")?)?.ok_or("no owner")?;
    assert_eq!((owner.user, owner.order), (8, 1));
    assert!(BY_TICKET.check(&state)?.is_sound());
    assert!(BY_ORDER.check(&state)?.is_sound());
    let taken = db.write(|tx| ORDERS.put(tx, (9, 9), &order("c", 1)));
    assert!(taken.is_err(), "a unique index refuses a second owner");
    Ok(())
}

#[test]
fn a_descending_field_has_bounds_by_value() -> Outcome {
    let db = database()?;
    db.write(|tx| (1..=5_u64).try_for_each(|at| LATEST.put(tx, at, "x")))?;
    let state = db.read()?;
    let mut scan = LATEST.prefix_all().range(2..=4).scan(&state)?;
    let mut found = Vec::new();
    while let Some(row) = scan.next_row()? {
        found.push(row.key.at);
    }
    assert_eq!(found, [4, 3, 2]);
    Ok(())
}

#[test]
fn a_tight_scan_returns_its_rows_only() -> Outcome {
    let db = database()?;
    let label = |text: &str| shop::LabelsB::new(text.to_owned());
    db.write(|tx| {
        LABELS.put(tx, (1, label("a")?), 1)?;
        LABELS.put(tx, (12, label("b")?), 2)?;
        LABELS.put(tx, (1, label("c")?), 3)
    })?;
    let state = db.read()?;
    assert_eq!(LABELS.prefix_a(1).count(&state)?, 2);
    assert_eq!(LABELS.prefix_a(12).count(&state)?, 1);
    Ok(())
}

#[test]
fn a_scan_leads_with_the_only_part_of_a_field() -> Outcome {
    let db = database()?;
    let stop = |at| Stop { at };
    db.write(|tx| {
        [(1, 7), (2, 3), (2, 5), (3, 4)]
            .into_iter()
            .try_for_each(|(from, to)| TRIPS.put(tx, (stop(from), stop(to)), "x"))
    })?;
    let state = db.read()?;
    assert_eq!(TRIPS.prefix_from_at(2).count(&state)?, 2);
    assert_eq!(TRIPS.prefix_from_at(2).range(4..).count(&state)?, 1);
    Ok(())
}

#[test]
fn a_scan_leads_with_a_part_whose_guard_tests_a_later_field() -> Outcome {
    let db = database()?;
    let key = |note, more, grade| GradesKey { note: Some(note), more, grade };
    db.write(|tx| {
        GRADES.put(tx, key(1, None, Grade::Low), "a")?;
        GRADES.put(tx, key(1, Some(2), Grade::High), "b")?;
        GRADES.put(tx, key(1, Some(3), Grade::High), "c")
    })?;
    let state = db.read()?;
    assert_eq!(GRADES.prefix_note_more(Some(1), Some(2)).count(&state)?, 1);
    assert_eq!(GRADES.prefix_note_more(Some(1), None).count(&state)?, 1);
    Ok(())
}

#[test]
fn a_scan_leads_with_a_part_whose_guard_tests_a_later_field_of_its_composite() -> Outcome {
    let db = database()?;
    let leg = |gate, grade| Leg { gate, grade };
    db.write(|tx| {
        LEGS.put(tx, (Grade::High, leg(Some(1), Grade::Low)), "a")?;
        LEGS.put(tx, (Grade::High, leg(Some(2), Grade::Low)), "b")?;
        LEGS.put(tx, (Grade::High, leg(None, Grade::High)), "c")
    })?;
    let state = db.read()?;
    assert_eq!(LEGS.prefix_grade_leg_gate(Grade::High, Some(2)).count(&state)?, 1);
    assert_eq!(LEGS.prefix_grade_leg_gate(Grade::Low, Some(2)).count(&state)?, 0);
    Ok(())
}

#[test]
fn scans_of_optional_parts_inside_composites_are_left_out() -> Outcome {
    let db = database()?;
    let booking = |seat: Option<u8>, day| Booking { seat: seat.map(|row| Seat { row }), day };
    db.write(|tx| {
        BOOKINGS.put(tx, booking(Some(1), 1), "a")?;
        BOOKINGS.put(tx, booking(None, 1), "b")
    })?;
    let state = db.read()?;
    assert_eq!(BOOKINGS.prefix_booking(booking(Some(1), 1)).count(&state)?, 1);
    Ok(())
}

#[test]
fn a_scan_reads_the_interval_that_the_layout_states() -> Outcome {
    let db = database()?;
    db.write(|tx| (0..6_u8).try_for_each(|at| STEPS.put(tx, (at / 3, at), "x")))?;
    let state = db.read()?;
    assert_eq!(STEPS.prefix_group(1).count(&state)?, 3);
    assert_eq!(STEPS.prefix_group(2).count(&state)?, 0);
    Ok(())
}

#[test]
fn items_and_sequences_have_one_row() -> Outcome {
    let db = database()?;
    db.write(|tx| MOTTO.put(tx, "ink"))?;
    let numbers =
        db.write(|tx| Ok::<_, keyscape::Error>([NUMBERS.next(tx)?, NUMBERS.next(tx)?]))?;
    assert_eq!(numbers, [0, 1]);
    assert_eq!(MOTTO.get(&db.read()?)?.as_deref(), Some("ink"));
    Ok(())
}

#[test]
fn plain_rows_are_separate_from_the_records_of_structures() -> Outcome {
    let db = Db::new(Memory::new(Layout::spaces_of(&[&things::LAYOUT])?));
    let topic = things::PlainTopic::new("abc")?;
    db.write(|tx| {
        for at in 0..3 {
            things::PLAIN.put(tx, (&topic, at), "text")?;
        }
        things::HEIGHT.put(tx, 7)?;
        NAMES.add(tx, (), things::NamesMember::new("n")?)?;
        Ok::<_, keyscape::Error>(())
    })?;
    let snapshot = db.read()?;
    let rows = things::PLAIN.prefix_topic(topic).range(1..).scan(&snapshot)?;
    assert_eq!(rows.collect::<Result<Vec<_>, _>>()?.len(), 2);
    assert_eq!(things::PLAIN.scan_all(&snapshot)?.count(), 3);
    assert_eq!(things::PLAIN_AT.scan_at(&snapshot, 2)?.count(), 1);
    assert!(things::PLAIN_AT.check(&snapshot)?.is_sound());
    assert_eq!(things::HEIGHT.get(&snapshot)?, Some(7));
    let space = keyscape::store::StoreId::of("things");
    let rows = keyscape::store::Read::rows(&snapshot, space, keyscape::store::KeyRange::all())?;
    let rows = rows.to_vec()?;
    for (key, value) in &rows {
        things::fits("things", key, value)?;
        // All stores of a layout have one function.
        shop::fits("things", key, value)?;
        assert!(matches!(things::fits("shop", key, value), Err(keyscape::Misfit::Key)));
        assert!(things::fits("things", key, b"\xff\xff").is_err(), "{key:?}");
    }
    let first: Vec<u8> = rows.iter().map(|(key, _)| key[0]).collect();
    assert_eq!(first, b"rrrrrrrs");
    Ok(())
}

#[test]
fn structures_have_typed_members() -> Outcome {
    let db = database()?;
    let outpoint = Outpoint { txid: [1; 8], vout: 7 };
    let topic = things::RanksTopic::new("news")?;
    db.write(|tx| {
        NAMES.add(tx, (), things::NamesMember::new("ann")?)?;
        OUTPUT_MERKLE.put(tx, outpoint, (), 9)?;
        RANKS.add(tx, topic.by_ref(), outpoint, Score::New { at: 5 })?;
        JOBS.push(tx, 1, 77_u64, 5_u64)?;
        Ok::<_, keyscape::Error>(())
    })?;
    let state = db.read()?;
    assert!(NAMES.contains(&state, (), things::NamesMember::new("ann")?)?);
    assert_eq!(OUTPUT_MERKLE.get(&state, outpoint, ())?, Some(9));
    assert_eq!(RANKS.score(&state, topic.by_ref(), outpoint)?, Some(Score::New { at: 5 }));
    assert_eq!(RANKS.count(&state, topic)?, 1);
    let mut fields = OUTPUT.fields(outpoint).scan(&state)?;
    let entry = fields.next_row()?.ok_or("no field")?;
    assert!(matches!(entry.entry, OutputEntry::Merkle { value: 9, .. }));
    Ok(())
}

#[test]
fn the_layout_has_every_keyspace_once() {
    let names: Vec<&str> = shop::LAYOUT.keyspaces.iter().map(|info| info.name).collect();
    assert_eq!(names.len(), 23);
    assert_eq!(shop::LAYOUT.keyspaces, things::LAYOUT.keyspaces);
    assert_eq!(shop::LAYOUT.spaces, ["shop", "things"]);
    assert_eq!(shop::LAYOUT.keyspaces[0].version, 3);
}

mod wrapped {
    use super::{Db, Layout, Memory, Outcome};

    keyscape::layout!(
        r#"
store trees
type Point = {x: u16be} "," {y: u16be}
map paths = "p" wrap hex({bucket: u16be} "/" {id: u64be}) -> u64be
    scan bucket by id
    scan bucket, id as "p" wrap hex({bucket} "/" {id})
index ids of paths = "i" wrap complement({id}) {bucket} -> empty
    scan id by bucket
map points = "q" wrap escaped({point: Point} {n: u8}) -> u64be
    scan point.x by y
map salted = "s" {= sha256(user)[1]} {user: u64be} {n: u32be} -> u64be
    scan user by n
"#
    );

    use trees::{IDS, PATHS, POINTS, Point, SALTED};

    #[test]
    fn scans_and_indexes_go_through_wraps_and_derived_bytes() -> Outcome {
        let db = Db::new(Memory::new(Layout::spaces_of(&[&trees::LAYOUT])?));
        db.admit(&[&trees::LAYOUT])?;
        db.write(|tx| {
            for id in [0, 255, 256] {
                PATHS.put(tx, (1, id), id)?;
                SALTED.put(tx, (id, 3), id)?;
            }
            PATHS.put(tx, (2, 255), 7)?;
            for y in [0, 5, 256] {
                POINTS.put(tx, (Point { x: 0, y }, 9), 1)?;
                POINTS.put(tx, (Point { x: 1, y }, 9), 1)?;
            }
            Ok::<_, keyscape::Error>(())
        })?;
        let state = db.read()?;
        assert_eq!(PATHS.prefix_bucket(1).range(255..).count(&state)?, 2);
        assert_eq!(PATHS.prefix_bucket_id(1, 255).count(&state)?, 1);
        assert_eq!(IDS.prefix_id(255).range(2..).count(&state)?, 1);
        assert!(IDS.check(&state)?.is_sound());
        assert_eq!(POINTS.prefix_point_x(0).range(1..=255).count(&state)?, 1);
        assert_eq!(POINTS.prefix_point_x(1).count(&state)?, 3);
        assert_eq!(SALTED.prefix_user(255).range(3..).count(&state)?, 1);
        assert_eq!(SALTED.get(&state, (256, 3))?, Some(256));
        Ok(())
    }
}

mod plain {
    keyscape::layout!(
        r#"
        store plain
        map boxes = "b/" {n: u8 in 1..=9} -> text
        map rooms = "r/" {house: text(r"[a-z]{1,8}")} "/" {n: u8 in 1..=9} -> text
            scan house by n
        "#
    );
}

#[test]
fn plain_values_outside_their_domain_are_named_with_their_field() -> Result<(), Box<dyn Error>> {
    use plain::plain::{BOXES, BoxesN, LAYOUT, ROOMS};
    let db = keyscape::memory(&LAYOUT)?;
    let three = BoxesN::new(3)?;
    db.write(|tx| {
        BOXES.put(tx, 3, "small")?;
        ROOMS.put(tx, ("north", 3), "blue")?;
        ROOMS.put(tx, (String::from("north"), 4), "red")
    })?;
    let state = db.read()?;
    assert_eq!(BOXES.get(&state, three)?, BOXES.get(&state, &three)?);
    assert_eq!((u8::from(three), BOXES.get(&state, 3)?.as_deref()), (3, Some("small")));
    assert_eq!(ROOMS.scan_house(&state, "north")?.count(), 2);

    let what = |error: keyscape::Error| match error.into_kind() {
        keyscape::ErrorKind::Domain(error) => error.what,
        kind => panic!("{kind}"),
    };
    assert_eq!(BOXES.get(&state, 10).map_err(what), Err("boxes.n"));
    assert_eq!(ROOMS.contains(&state, ("North", 3)).map_err(what), Err("rooms.house"));
    assert_eq!(ROOMS.contains(&state, ("north", 0)).map_err(what), Err("rooms.n"));
    assert_eq!(ROOMS.scan_house(&state, "").map(drop).map_err(what), Err("rooms.house"));
    let refused = db.write(|tx| ROOMS.put(tx, ("north", 10), "green"));
    assert_eq!(refused.map_err(what), Err("rooms.n"));
    Ok(())
}
