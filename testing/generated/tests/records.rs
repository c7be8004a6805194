//! Checks that the runtime writes the records that KS006 measures.

use keyscape::store::{Db, KeyRange, Layout as Stored, Memory, Read, StoreId};
use keyscape_automata::Budget;
use keyscape_layout::{Decoder, Machine, NoImports, Side, read};
use std::{collections::BTreeMap, error::Error};

keyscape::layout!("tests/records/desk.keys");

const TEXT: &str = include_str!("records/desk.keys");

/// Writes rows of every family, with zeros that must be escaped.
fn filled() -> Result<Db, Box<dyn Error>> {
    use desk::*;
    let db = Db::new(Memory::new(Stored::spaces_of(&[&LAYOUT])?));
    db.write(|tx| {
        NOTES.put(tx, 0, "x")?;
        for key in ["", "\0", "a\0b"] {
            ITEMS_NAME.put(tx, ItemsItem::new(key)?, (), "ink")?;
            ITEMS_STOCK.put(tx, ItemsItem::new(key)?, ItemsStockPlace::new(&b"\0\x01"[..])?, 1)?;
            TAGS.add(tx, TagsItem::new(key.as_bytes())?, TagsMember::new(&b"\0"[..])?)?;
            for member in 0..300_u16 {
                let score = BoardScore::new(member.to_le_bytes().to_vec())?;
                BOARD.add(tx, BoardSeason::new(key)?, member, score)?;
            }
            for member in 0..6_u8 {
                JOBS.push(tx, JobsKind::new(key)?, member, JobsScore::new(&b"\0"[..])?)?;
            }
            let claims = JOBS.claim(tx, JobsKind::new(key)?, 0, 10, 3)?;
            JOBS.retry(tx, JobsKind::new(key)?, &claims[1], 0, 7)?;
            JOBS.bury(tx, JobsKind::new(key)?, &claims[2])?;
        }
        SCORES.add(tx, 0, ScoresMember::new("")?, 7_u16)
    })?;
    Ok(db)
}

#[test]
fn the_layout_decodes_every_record() -> Result<(), Box<dyn Error>> {
    let layout = read("test.keys", TEXT, &mut NoImports).map_err(|_| "the layout has mistakes")?;
    let all: Vec<_> = layout.keyspace_ids().filter_map(|id| layout.records(id)).collect();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for (key, _) in filled()?.read()?.rows(StoreId::of("desk"), KeyRange::all())?.to_vec()? {
        // The first rank record of each level precedes all members.
        if matches!(key[..], [b'z', .., 0, 1, b'k', _]) {
            continue;
        }
        let mut forms = Vec::new();
        for records in &all {
            for id in records.keyspace_ids() {
                let machine = Machine::build(records, &[id], Side::Over, Budget::default())?;
                if !Decoder::new(records, &machine).decode(&key).readings.is_empty() {
                    forms.push(records.keyspace(id).name.clone());
                }
            }
        }
        assert_eq!(forms.len(), 1, "{key:02x?} is {forms:?}");
        forms.into_iter().for_each(|form| *seen.entry(form).or_default() += 1);
    }
    let forms: Vec<&str> = seen.keys().map(String::as_str).collect();
    let all = [
        "count",
        "dead",
        "item",
        "items.name",
        "items.stock",
        "leased",
        "member",
        "rank",
        "ready",
        "row",
        "score",
        "token",
        "waiting",
    ];
    assert_eq!(forms, all);
    Ok(())
}
