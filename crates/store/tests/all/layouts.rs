//! Layouts that are saved in a database.

use keyscape_store::{
    Admission, BuildPhase, BuildState, Db, KeyRange, KeyspaceInfo, Layout, LayoutError, Memory,
    Read, ReadExt, SavedMigration, StoreError, StoreId, saved_texts,
};
use std::error::Error;

const BALANCES: KeyspaceInfo<'static> = KeyspaceInfo {
    space: "bank",
    name: "balances",
    kind: "map",
    text: "02 {address} {denom} -> dec",
    fingerprint: [1; 32],
    version: 1,
};
const SUPPLY: KeyspaceInfo<'static> =
    KeyspaceInfo { name: "supply", text: "00 {denom} -> dec", fingerprint: [2; 32], ..BALANCES };
const ACCOUNTS: KeyspaceInfo<'static> =
    KeyspaceInfo { space: "auth", name: "accounts", ..BALANCES };
const BANK: Layout<'static> =
    Layout { spaces: &["bank", "auth"], keyspaces: &[BALANCES, ACCOUNTS], ..Layout::named("bank") };
const OTHER: Layout<'static> = Layout { spaces: &["other"], ..Layout::named("other") };
const STORE: StoreId = StoreId::of("bank");

fn database() -> Result<Db, Box<dyn Error>> {
    Ok(Db::new(Memory::new(Layout::spaces_of(&[&BANK, &OTHER])?)))
}

#[test]
fn the_same_layout_opens_again_and_writes_nothing() -> Result<(), Box<dyn Error>> {
    let db = database()?;
    db.admit(&[&BANK, &OTHER])?;
    let revision = db.read()?.revision();
    db.write(|tx| tx.put(STORE, b"row", b""))?;
    db.admit(&[&BANK])?;
    assert_eq!(db.read()?.revision().0, revision.0 + 1);
    assert_eq!(db.read()?.rows(STORE, KeyRange::all())?.to_vec()?.len(), 1);
    Ok(())
}

#[test]
fn keyspaces_can_be_added_but_not_removed() -> Result<(), Box<dyn Error>> {
    let db = database()?;
    db.admit(&[&BANK])?;
    db.write(|tx| tx.put(STORE, b"row", b""))?;
    let more = Layout { keyspaces: &[BALANCES, SUPPLY, ACCOUNTS], ..BANK };
    db.admit(&[&more])?;
    let error = db.admit(&[&BANK]).err().ok_or("a keyspace went away")?;
    assert!(matches!(&error, LayoutError::Missing { keyspace, .. } if **keyspace == *"supply"));
    assert!(error.to_string().contains("`supply`"));
    Ok(())
}

#[test]
fn every_other_difference_is_an_error_that_names_it() -> Result<(), Box<dyn Error>> {
    let db = database()?;
    db.admit(&[&BANK])?;
    let differences = [
        (KeyspaceInfo { kind: "item", ..BALANCES }, "kind"),
        (KeyspaceInfo { fingerprint: [9; 32], text: "02 {denom}", ..BALANCES }, "bytes"),
        (KeyspaceInfo { version: 2, ..BALANCES }, "version"),
    ];
    for (changed, expected) in differences {
        let keyspaces = [changed, ACCOUNTS];
        let layout = Layout { keyspaces: &keyspaces, ..BANK };
        match db.admit(&[&layout]) {
            Err(LayoutError::Changed { keyspace, what, .. }) => {
                assert_eq!((&*keyspace, what), ("balances", expected));
            }
            other => return Err(format!("{expected}: {other:?}").into()),
        }
    }
    db.admit(&[&BANK])?;
    Ok(())
}

#[test]
fn rows_without_a_layout_are_adopted_or_rejected() -> Result<(), Box<dyn Error>> {
    let db = database()?;
    db.write(|tx| {
        tx.put(STORE, b"good", b"1")?;
        tx.put(STORE, b"bad 1", b"1")?;
        tx.put(STORE, b"bad 2", b"1")
    })?;
    let error = db.admit(&[&BANK]).err().ok_or("rows were taken unseen")?;
    assert!(matches!(error, LayoutError::NotAdopted { space } if *space == *"bank"));
    let check = |_: &str, key: &[u8], _: &[u8]| {
        if key.starts_with(b"good") { Ok(()) } else { Err("no keyspace has this key") }
    };
    match db.adopt(&[&BANK], check) {
        Err(LayoutError::Unfit { rows, total: 2 }) => {
            assert_eq!(
                rows[0].to_string(),
                "store `bank`, key 6261642031: no keyspace has this key"
            );
        }
        other => return Err(format!("{other:?}").into()),
    }
    // The failed adoption has saved nothing.
    assert!(matches!(db.admit(&[&BANK]), Err(LayoutError::NotAdopted { .. })));
    db.write(|tx| {
        tx.delete(STORE, b"bad 1")?;
        tx.delete(STORE, b"bad 2")
    })?;
    db.adopt(&[&BANK], check)?;
    db.admit(&[&BANK])?;
    assert!(db.read()?.contains(STORE, b"good")?);
    Ok(())
}

#[test]
fn layouts_with_a_common_space_cannot_share_a_database() {
    // Two different layouts of one store are not proved to be disjoint.
    let other = Layout { name: "other", ..BANK };
    assert!(Layout::spaces_of(&[&BANK, &other]).is_err());
}

#[test]
fn a_repeated_layout_counts_once() -> Result<(), Box<dyn Error>> {
    let db = keyscape_store::memory_with(&[&BANK, &BANK])?;
    db.admit(&[&BANK, &BANK])?;
    assert_eq!(db.spaces().iter().count(), 1 + BANK.spaces.len());
    Ok(())
}

#[test]
fn a_keyspace_outside_the_spaces_of_its_layout_is_rejected() -> Result<(), Box<dyn Error>> {
    let astray = Layout { spaces: &["bank"], ..BANK };
    let error = database()?.admit(&[&astray]).err().ok_or("nobody would ever compare it")?;
    assert!(matches!(&error, LayoutError::Store(error) if error.store() == Some("auth")));
    Ok(())
}

#[test]
fn saved_rows_are_checked_when_they_are_read() -> Result<(), Box<dyn Error>> {
    let db = database()?;
    db.admit(&[&BANK])?;
    db.write(|tx| tx.put(StoreId::META, b"keyspace/bank\0balances", b"short"))?;
    let error = db.admit(&[&BANK]).err().ok_or("it was read")?;
    assert!(matches!(&error, LayoutError::Store(error) if error.keyspace() == Some("balances")));
    Ok::<(), Box<dyn Error>>(())
}

#[test]
fn the_position_of_a_build_is_a_phase_and_a_key() -> Result<(), Box<dyn Error>> {
    let db = database()?;
    let put = |bytes: &[u8]| db.write(|tx| tx.put(StoreId::META, b"index/bank\0by_denom", bytes));
    let position = || db.index_build("bank", "by_denom");
    for (byte, phase) in [(b'c', BuildPhase::Clear), (b'f', BuildPhase::Fill)] {
        for after in [None, Some(Vec::new()), Some(vec![0, 1, 255])] {
            let flag = u8::from(after.is_some());
            put(&[&[byte, flag][..], after.as_deref().unwrap_or_default()].concat())?;
            assert_eq!(position()?, Some(BuildState { phase, after }));
        }
    }
    for bad in [&b""[..], b"c", b"x\x00", b"c\x02", b"c\x00k"] {
        put(bad)?;
        assert!(position().is_err(), "{bad:?}");
    }
    db.unbuild_index("bank", "by_denom")?;
    assert_eq!(position()?, Some(BuildState::START));
    db.mark_index_built("bank", "by_denom")?;
    assert_eq!(position()?, None);
    Ok(())
}

#[test]
fn errors_of_the_store_convert_to_errors_of_a_layout() {
    let error = LayoutError::from(StoreError::new(keyscape_store::StoreErrorKind::ReadOnly));
    assert_eq!(error.to_string(), "read-only: the database cannot be written");
}

/// The metadata of the previous version contains only the fingerprints of keyspaces.
#[test]
fn a_database_of_the_previous_version_opens_and_gets_its_text() -> Result<(), Box<dyn Error>> {
    let db = database()?;
    let row = |name: &str| [b"keyspace/bank\0", name.as_bytes()].concat();
    let value =
        [&[0, 0, 0, 0, 0, 0, 0, 1][..], &[1; 32], b"map\0", BALANCES.text.as_bytes()].concat();
    db.write(|tx| {
        tx.put(StoreId::META, &row("balances"), &value)?;
        tx.put(StoreId::META, b"keyspace/auth\0accounts", &value)?;
        tx.put(STORE, b"row", b"")
    })?;
    let meta = |db: &Db| -> Result<_, StoreError> {
        db.read()?.rows(StoreId::META, KeyRange::all())?.to_vec()
    };
    let before = meta(&db)?;
    assert!(saved_texts(&db.read()?)?.is_empty());
    db.admit(&[&BANK])?;
    assert_eq!(meta(&db)?, before, "a layout without a text changes nothing");
    db.admit(&[&Layout { text: "store bank", ..BANK }])?;
    let texts = saved_texts(&db.read()?)?;
    assert_eq!((&*texts[0].name, &*texts[0].text), ("bank", "store bank"));
    assert_eq!(texts[0].stores, ["auth", "bank"]);
    assert_eq!(meta(&db)?.len(), before.len() + 1);
    Ok(())
}

#[test]
fn every_store_has_the_text_that_was_saved_last() -> Result<(), Box<dyn Error>> {
    let db = database()?;
    db.admit(&[&Layout { text: "both", ..BANK }])?;
    let auth = Layout {
        text: "auth alone",
        spaces: &["auth"],
        keyspaces: &[ACCOUNTS],
        ..Layout::named("auth")
    };
    db.admit(&[&auth])?;
    let found = |db: &Db| -> Result<Vec<(String, Vec<String>, String)>, StoreError> {
        let texts = saved_texts(&db.read()?)?.into_iter();
        Ok(texts.map(|saved| (saved.name, saved.stores, saved.text)).collect())
    };
    let text = |name: &str, stores: &[&str], text: &str| {
        let stores = stores.iter().map(|store| (*store).to_owned()).collect();
        (name.to_owned(), stores, text.to_owned())
    };
    assert_eq!(
        found(&db)?,
        [text("auth", &["auth"], "auth alone"), text("bank", &["bank"], "both")]
    );
    db.admit(&[&Layout { text: "both again", ..BANK }])?;
    assert_eq!(found(&db)?, [text("bank", &["auth", "bank"], "both again")]);
    Ok(())
}

/// A text is renamed if a new text takes its name and some of its stores.
#[test]
fn a_renamed_text_replaces_no_other_text() -> Result<(), Box<dyn Error>> {
    let stores = ["a", "b", "c"];
    let db = Db::new(Memory::new(keyscape_store::Spaces::new(stores)?));
    let admit = |name: &str, text: &str, spaces: &[&str]| {
        let layout = Layout { text, spaces, ..Layout::named(name) };
        db.admit(&[&layout])
    };
    let found = || -> Result<Vec<(String, String)>, StoreError> {
        let texts = saved_texts(&db.read()?)?.into_iter();
        Ok(texts.map(|saved| (saved.stores.join(" "), saved.text)).collect())
    };
    let texts = |texts: &[(&str, &str)]| -> Vec<(String, String)> {
        texts.iter().map(|(stores, text)| ((*stores).to_owned(), (*text).to_owned())).collect()
    };
    // The name of the remaining store is that of the new text.
    admit("b", "both", &["a", "b"])?;
    admit("b", "a alone", &["a"])?;
    assert_eq!(found()?, texts(&[("a", "a alone"), ("b", "both")]));
    // The name of the remaining store is that of another text.
    admit("c", "c alone", &["c"])?;
    admit("b", "a and b", &["a", "b"])?;
    admit("a", "c again", &["c"])?;
    admit("b", "b alone", &["b"])?;
    assert_eq!(found()?, texts(&[("c", "c again"), ("a", "a and b"), ("b", "b alone")]));
    Ok(())
}

#[test]
fn a_layout_without_a_common_store_is_rejected_unless_stores_may_be_added()
-> Result<(), Box<dyn Error>> {
    let db = database()?;
    db.admit(&[&BANK])?;
    let other = KeyspaceInfo { space: "other", ..BALANCES };
    let other = Layout { keyspaces: &[other], ..OTHER };
    match db.admit(&[&other]) {
        Err(LayoutError::NoCommonStore { stores }) => {
            assert_eq!(stores, ["auth".into(), "bank".into()]);
        }
        found => return Err(format!("{found:?}").into()),
    }
    match db.admit(&[&BANK, &other]) {
        Err(LayoutError::NewStore { store, .. }) => assert_eq!(&*store, "other"),
        found => return Err(format!("{found:?}").into()),
    }
    db.admit_with(&[&other], Admission::new().add_stores(true))?;
    db.admit(&[&other])?;
    db.admit(&[&BANK, &other])?;
    Ok(())
}

#[test]
fn a_database_with_a_running_migration_cannot_be_opened() -> Result<(), Box<dyn Error>> {
    let db = database()?;
    db.admit(&[&BANK])?;
    let saved = SavedMigration { command: "go on".to_owned(), plan: b"plan".to_vec() };
    db.write(|tx| saved.begin(tx))?;
    assert_eq!(SavedMigration::read(&db.read()?)?, Some(saved));
    let refused = db.admit(&[&BANK]).map_err(|error| error.to_string());
    assert!(refused.is_err_and(|message| message.contains("`go on` continues it")));
    let admission = Admission::new().lenient().leave_indexes().add_stores(true);
    assert!(matches!(db.admit_with(&[&BANK], admission), Err(LayoutError::Migrating { .. })));
    db.write(|tx| SavedMigration::end(tx, b"last"))?;
    assert_eq!(SavedMigration::last(&db.read()?)?, Some(b"last".to_vec()));
    db.admit(&[&BANK])?;
    Ok(())
}
