//! Operations with expected and unexpected outcomes, and reports of violations.

use crate::Tested;
use keyscape::store::{StoreId, Tx};
use keyscape_sim::{
    Breaches, Fault, MAX_LISTED, OperationError, Unexpected, attempt, done, refused, same,
};
use std::cell::Cell;

keyscape::layout!(
    r#"
store shelf
map items = {id: u8} -> u64be
"#
);

#[derive(Debug, PartialEq, thiserror::Error)]
enum Error {
    #[error("the shelf is full")]
    Full,
    #[error("the shelf is broken")]
    Broken,
}

impl OperationError for Error {
    type Kind = Error;

    fn kind(&self) -> &Error {
        self
    }

    fn access(&self) -> Option<&keyscape::Error> {
        None
    }

    fn is_refusal(&self) -> bool {
        *self != Error::Broken
    }
}

/// Returns an operation that writes a row, and then returns a result.
fn put(
    value: &'static [u8],
    result: Result<u8, Error>,
) -> impl FnOnce(&mut Tx<'_>) -> Result<u8, Error> {
    move |tx| {
        tx.put(StoreId::of("shelf"), b"key", value).map_err(|_| Error::Broken)?;
        result
    }
}

fn is_full(error: &Error) -> bool {
    *error == Error::Full
}

#[test]
fn operations_report_unexpected_outcomes() -> Tested {
    let db = keyscape::memory(&shelf::LAYOUT)?;
    db.write(|tx| {
        let text = |fault: Option<Fault>| fault.map(|fault| fault.to_string()).unwrap_or_default();
        assert_eq!(done(tx, "put", put(b"one", Ok(1)))?, 1);
        assert_eq!(attempt(tx, "put", is_full, put(b"one", Ok(2)))?, Some(2));
        assert_eq!(attempt(tx, "put", is_full, put(b"one", Err(Error::Full)))?, None);
        refused(tx, "put", is_full, put(b"one", Err(Error::Full)))?;

        let fault = done(tx, "put", put(b"one", Err(Error::Full))).err();
        assert_eq!(text(fault), "put was rejected: the shelf is full");
        let fault = attempt(tx, "put", |_| false, put(b"one", Err(Error::Full))).err();
        assert_eq!(text(fault), "put was rejected: the shelf is full");
        let fault = refused(tx, "put", is_full, put(b"one", Ok(3))).err();
        assert_eq!(text(fault), "put was accepted, but is invalid");
        let fault = same("put", "the row", &1, &2).err();
        assert_eq!(text(fault), "put: the row should be 1 and is 2");
        for fault in [
            done(tx, "put", put(b"one", Err(Error::Broken))).err(),
            attempt(tx, "put", |_| true, put(b"one", Err(Error::Broken))).err(),
        ] {
            assert_eq!(text(fault), "the shelf is broken");
        }
        Ok::<(), Fault>(())
    })?;
    Ok(())
}

#[test]
fn a_refused_operation_that_replaces_a_row_by_one_of_equal_length_is_reported() -> Tested {
    let db = keyscape::memory(&shelf::LAYOUT)?;
    db.write(|tx| {
        tx.put(StoreId::of("shelf"), b"key", b"one")?;
        refused(tx, "put", is_full, put(b"one", Err(Error::Full)))?;
        let fault = refused(tx, "put", is_full, put(b"two", Err(Error::Full))).err();
        let found = fault.as_ref().and_then(|fault| fault.downcast_ref());
        assert!(matches!(found, Some(Unexpected::Trace { .. })), "{fault:?}");
        Ok::<(), Fault>(())
    })?;
    Ok(())
}

#[test]
fn the_texts_of_violations_that_are_not_listed_are_not_computed() -> Tested {
    let (mut breaches, computed) = (Breaches::of("shelf"), Cell::new(0));
    let text = || {
        computed.set(computed.get() + 1);
        "text".to_owned()
    };
    for _ in 0..MAX_LISTED {
        breaches.unless(true, text);
        breaches.unless(false, text);
        breaches.compare(text, &1, &2);
        breaches.take(Err::<(), _>(Error::Full), text)?;
        breaches.add_with(text);
    }
    assert_eq!(computed.get(), MAX_LISTED);
    let reported = breaches.reported();
    let shown = |place: usize| reported[place].to_string();
    assert_eq!([shown(0), shown(1)], ["shelf: text", "shelf: text is 1, expected 2"]);
    assert_eq!([shown(2), shown(3)], ["shelf: text: the shelf is full", "shelf: text"]);
    assert_eq!(shown(MAX_LISTED), "shelf: 300 more");
    Ok(())
}
