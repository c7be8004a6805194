//! Errors name the keyspace, the key and the field, and their text is enough to act on.

use keyscape::ErrorKind;
use std::{collections::BTreeMap, error::Error};

/// JSON objects have texts as keys, so other keys cannot be encoded.
pub type Totals = BTreeMap<(u8, u8), u64>;

keyscape::layout!(
    r#"
store desk structures
type Hour = u8 in 0..=23
map totals = "t/" {day: u16be} {hour: Hour} -> json Totals
hash sums = "h/" {day: u16be}
    field of_hour = "t" {hour: Hour} -> json Totals
queue jobs = "j/" {kind: u8} member u64be score u64be
"#
);
use desk::{JOBS, SUMS_OF_HOUR, TOTALS};

type Outcome = Result<(), Box<dyn Error>>;

#[test]
fn a_value_outside_its_domain_is_named_with_its_field() -> Outcome {
    let db = keyscape::memory(&desk::LAYOUT)?;
    let error = TOTALS.get(&db.read()?, (7, 24)).err().ok_or("it was accepted")?;
    assert_eq!(error.to_string(), "totals.hour: expected an integer from 0 to 23, not `24`");
    assert_eq!((error.keyspace(), error.field()), (Some("totals"), Some("hour")));
    Ok(())
}

#[test]
fn a_value_that_cannot_be_encoded_is_named_with_its_row() -> Outcome {
    let db = keyscape::memory(&desk::LAYOUT)?;
    let totals = Totals::from([((1, 2), 3)]);
    let error = db.write(|tx| TOTALS.put(tx, (7, 1), &totals)).err().ok_or("it was encoded")?;
    assert!(matches!(error.kind(), ErrorKind::Unencodable { .. }));
    assert_eq!(error.keyspace(), Some("totals"));
    assert_eq!(error.key(), Some(&b"rt/\0\x07\x01"[..]));
    let text = error.to_string();
    assert!(text.starts_with("keyspace `totals`: the value for the key 72742f000701 "), "{text}");
    assert!(text.contains("key must be a string"), "{text}");
    assert!(error.source().is_some());

    let put = db.write(|tx| SUMS_OF_HOUR.put(tx, 7, 1, &totals));
    let error = put.err().ok_or("it was encoded")?;
    assert_eq!(error.keyspace(), Some("sums.of_hour"));
    assert_eq!(error.key(), Some(&b"hh/\0\xff\x07\0\x01ft\x01"[..]));
    Ok(())
}

#[test]
fn a_lost_claim_is_named_with_its_member() -> Outcome {
    let db = keyscape::memory(&desk::LAYOUT)?;
    db.write(|tx| JOBS.push(tx, 1, 5_u64, 0_u64))?;
    let claims = db.write(|tx| JOBS.claim(tx, 1, 0, 10, 1))?;
    db.write(|tx| JOBS.ack(tx, 1, &claims[0]))?;
    let error = db.write(|tx| JOBS.ack(tx, 1, &claims[0])).err().ok_or("acknowledged twice")?;
    assert!(matches!(error.kind(), ErrorKind::ClaimLost { .. }));
    assert_eq!(error.keyspace(), Some("jobs"));
    assert!(error.key().is_some_and(|key| key.ends_with(&5_u64.to_be_bytes())));
    Ok(())
}

#[test]
fn an_error_of_the_database_is_named_with_store_and_keyspace() -> Outcome {
    let spaces = keyscape::store::Spaces::new(["other"])?;
    let db = keyscape::store::Db::new(keyscape::store::Memory::new(spaces));
    let error = TOTALS.get(&db.read()?, (7, 1)).err().ok_or("the store is missing")?;
    assert_eq!(error.keyspace(), Some("totals"));
    assert!(error.to_string().contains("(store `desk`, keyspace `totals`"), "{error}");
    Ok(())
}
