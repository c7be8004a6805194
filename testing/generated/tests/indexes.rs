//! Indexes with several entries for a row, or none, against a simple model.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use fastrand::Rng;
use keyscape::{
    Error, ErrorKind,
    store::{Db, KeyRange, Read, StoreId},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error as _,
};

/// The value of a row of `tasks`, which the program decodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The names of the task. No other task has any of them.
    pub names: Vec<u8>,
    /// The tags, which need not be in their domain.
    pub tags: Vec<String>,
    /// The date, for tasks that have one.
    pub due: Option<u8>,
}

keyscape::layout!(
    r#"
store work
type Tag = text(r"[a-c]{1,2}")
map tasks = "t/" {tenant: u8} {id: u8} -> json Task
    scan tenant by id
index by_tag of tasks = "g/" {tenant} {tag: Tag from value each tags} "/" {id} -> empty
    scan tenant
    scan tenant, tag by id
index by_due of tasks = "d/" {due: u8 from value optional due} {tenant} {id} -> const 0x01
    scan all by due
index by_name of tasks = "n/" {name: u8 from value each names} -> bytes
    unique
index dated_tags of tasks = "x/" {tag: Tag from value each tags} "/" {due: u8 from value optional due} {tenant} {id} -> empty
    scan tag by due

/// The layout describes the value of its rows.
type Holder = u8 in 0..=9
type Parcel = {size: u8} [{owner: Holder} if size in 128..=255] {kinds: list(u8)[0..=4]}
map boxes = "b/" {box: u16be} -> Parcel
index by_kind of boxes = "k/" {kind: u16be from value each kinds} {box} -> empty
    scan kind by box
index by_owner of boxes = "o/" {holder: Holder from value optional owner} {box} -> empty
    scan holder by box
type Word = text(r"[a-z]")
type Words = list(Word)[0..=3]
map lines = "l/" {line: u8} -> Words
index by_word of lines = "w/" {word: Word from value each} {line} -> empty
    scan word by line
"#
);

use work::{
    BOXES, BY_DUE, BY_KIND, BY_NAME, BY_OWNER, BY_TAG, BY_WORD, DATED_TAGS, LINES, TASKS, Tag,
    TasksKey,
};

fn tags(task: &Task) -> keyscape::Extracted<Vec<Tag<'_>>> {
    task.tags.iter().map(|tag| Ok(Tag::new(tag.as_str())?)).collect()
}

impl work::ByTagFields for Task {
    fn tag(&self) -> keyscape::Extracted<Vec<Tag<'_>>> {
        tags(self)
    }
}

impl work::ByDueFields for Task {
    fn due(&self) -> keyscape::Extracted<Option<u8>> {
        Ok(self.due)
    }
}

impl work::ByNameFields for Task {
    fn name(&self) -> keyscape::Extracted<Vec<u8>> {
        Ok(self.names.clone())
    }
}

impl work::DatedTagsFields for Task {
    fn tag(&self) -> keyscape::Extracted<Vec<Tag<'_>>> {
        tags(self)
    }

    fn due(&self) -> keyscape::Extracted<Option<u8>> {
        Ok(self.due)
    }
}

fn some<T>(random: &mut Rng, limit: u8, mut draw: impl FnMut(&mut Rng) -> T) -> Vec<T> {
    (0..random.u8(..limit)).map(|_| draw(random)).collect()
}

fn task(random: &mut Rng) -> Task {
    Task {
        names: some(random, 3, |random| random.u8(..40)),
        tags: some(random, 5, |random| ["a", "ab", "b", "ca"][random.usize(..4)].into()),
        due: random.bool().then(|| random.u8(..3)),
    }
}

type Model = BTreeMap<(u8, u8), Task>;

/// Compares all rows of the store with the model, byte by byte.
fn compare(db: &Db, model: &Model) {
    let mut expected = BTreeMap::new();
    for (&(tenant, id), task) in model {
        let value = serde_json::to_vec(task).unwrap();
        expected.insert([b"t/", &[tenant, id][..]].concat(), value);
        for tag in &task.tags {
            let key = [&b"g/"[..], &[tenant], tag.as_bytes(), b"/", &[id]].concat();
            expected.insert(key, Vec::new());
        }
        for &name in &task.names {
            expected.insert([b"n/", &[name][..]].concat(), vec![tenant, id]);
        }
        if let Some(due) = task.due {
            expected.insert([b"d/", &[due, tenant, id][..]].concat(), vec![1]);
            for tag in &task.tags {
                let key = [&b"x/"[..], tag.as_bytes(), b"/", &[due, tenant, id]].concat();
                expected.insert(key, Vec::new());
            }
        }
    }
    let state = db.read().unwrap();
    let mut rows = state.rows(StoreId::of("work"), KeyRange::all()).unwrap();
    let mut stored = BTreeMap::new();
    while let Some(row) = rows.next().unwrap() {
        stored.insert(row.key.to_vec(), row.value.to_vec());
    }
    assert_eq!(stored, expected);
    for report in [
        BY_TAG.check(&state).unwrap(),
        BY_DUE.check(&state).unwrap(),
        BY_NAME.check(&state).unwrap(),
        DATED_TAGS.check(&state).unwrap(),
    ] {
        assert!(report.is_sound(), "{report:?}");
    }
}

#[test]
fn puts_replacements_and_deletes_keep_all_entries_in_step() {
    for seed in 0..20 {
        let mut random = Rng::with_seed(seed);
        let db = keyscape::memory(&work::LAYOUT).unwrap();
        let mut model = Model::new();
        for _ in 0..80 {
            let key = (random.u8(..2), random.u8(..4));
            if random.u8(..4) == 0 {
                let old = db.write(|tx| TASKS.take(tx, key)).unwrap();
                assert_eq!(old, model.remove(&key));
            } else {
                let task = task(&mut random);
                let names: BTreeSet<u8> = task.names.iter().copied().collect();
                let is_taken = model.iter().any(|(other, row)| {
                    *other != key && row.names.iter().any(|n| names.contains(n))
                });
                let put = match random.u8(..2) {
                    0 => db.write(|tx| TASKS.put(tx, key, &task)),
                    _ => {
                        db.write(|tx| TASKS.update(tx, key, |_| Ok::<_, Error>(Some(task.clone()))))
                    }
                };
                match put {
                    Ok(()) => {
                        assert!(!is_taken);
                        model.insert(key, task);
                    }
                    Err(error) => {
                        assert!(matches!(error.kind(), ErrorKind::NotUnique { .. }), "{error}");
                        assert!(is_taken);
                    }
                }
            }
            compare(&db, &model);
        }
    }
}

fn ids(rows: impl Iterator<Item = Result<(TasksKey, Task), Error>>) -> Vec<u8> {
    rows.map(|row| row.unwrap().0.id).collect()
}

#[test]
fn an_index_is_scanned_with_its_rows_and_rebuilt() {
    let db = keyscape::memory(&work::LAYOUT).unwrap();
    let task = |tags: &[&str], due| Task {
        tags: tags.iter().map(|&tag| tag.into()).collect(),
        due,
        ..Task::default()
    };
    db.write(|tx| {
        TASKS.put(tx, (1, 1), &task(&["b", "a", "b"], Some(2)))?;
        TASKS.put(tx, (1, 2), &task(&["b"], None))?;
        TASKS.put(tx, (1, 3), &task(&[], Some(1)))
    })
    .unwrap();
    let state = db.read().unwrap();
    assert_eq!(ids(BY_TAG.prefix_tenant_tag(1, "b").rows(&state).unwrap()), [1, 2]);
    // A row occurs once for each of its entries.
    assert_eq!(ids(BY_TAG.prefix_tenant(1).rows(&state).unwrap()), [1, 1, 2]);
    assert_eq!(ids(BY_DUE.prefix_all().rows(&state).unwrap()), [3, 1]);
    // Entries that something else wrote or deleted are found and corrected.
    let work = StoreId::of("work");
    db.write(|tx| {
        tx.delete(work, b"g/\x01b/\x01")?;
        tx.put(work, b"g/\x01c/\x01", b"")?;
        tx.put(work, b"d/\x00\x01\x02", b"\x01")?;
        let report = BY_TAG.check(tx)?;
        assert_eq!((report.rows, report.entries, report.faults), (3, 3, 2));
        assert_eq!(BY_TAG.rebuild(tx)?, 2);
        assert_eq!(BY_DUE.rebuild(tx)?, 1);
        assert!(BY_TAG.check(tx)?.is_sound() && BY_DUE.check(tx)?.is_sound());
        keyscape::Ok(())
    })
    .unwrap();
}

#[test]
fn a_value_that_does_not_provide_a_field_is_an_error_with_index_and_field() {
    let db = keyscape::memory(&work::LAYOUT).unwrap();
    let bad = Task { tags: vec!["a".into(), "NO".into()], ..Task::default() };
    let error = db.write(|tx| TASKS.put(tx, (1, 2), &bad)).unwrap_err();
    let ErrorKind::Extract { index, field, key, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((&**index, &**field, &**key), ("by_tag", "tag", &b"t/\x01\x02"[..]));
    assert!(error.source().is_some());
    let text = error.to_string();
    assert!(
        text.starts_with("index `by_tag`: the value of the row 742f0102 does not provide `tag`: "),
        "{text}"
    );
    assert!(!TASKS.contains(&db.read().unwrap(), (1, 2)).unwrap());
}

#[test]
fn described_values_need_no_extractor() {
    let db = keyscape::memory(&work::LAYOUT).unwrap();
    let item = |kinds: &[u8], owner: Option<u8>| work::Parcel {
        size: if owner.is_some() { 200 } else { 1 },
        kinds: kinds.to_vec(),
        owner: owner.map(|owner| work::Holder::new(owner).unwrap()),
    };
    let words = |words: &[&'static str]| -> Vec<work::Word<'static>> {
        words.iter().map(|&word| work::Word::new(word).unwrap()).collect()
    };
    db.write(|tx| {
        BOXES.put(tx, 1, item(&[3, 5, 3], Some(7)))?;
        BOXES.put(tx, 2, item(&[5], None))?;
        LINES.put(tx, 1, words(&["b", "a", "b"]))?;
        LINES.put(tx, 2, words(&["a"]))
    })
    .unwrap();
    let count = |kind: u16| BY_KIND.prefix_kind(kind).count(&db.read().unwrap()).unwrap();
    assert_eq!((count(3), count(5), count(7)), (1, 2, 0));
    assert_eq!(BY_OWNER.prefix_holder(7).count(&db.read().unwrap()).unwrap(), 1);
    assert_eq!(BY_WORD.prefix_word("a").count(&db.read().unwrap()).unwrap(), 2);
    db.write(|tx| {
        BOXES.put(tx, 1, item(&[5], None))?;
        BOXES.delete(tx, 2)?;
        LINES.delete(tx, 1)
    })
    .unwrap();
    assert_eq!((count(3), count(5), count(7)), (0, 1, 0));
    assert_eq!(BY_OWNER.prefix_holder(7).count(&db.read().unwrap()).unwrap(), 0);
    assert_eq!(BY_WORD.prefix_word("b").count(&db.read().unwrap()).unwrap(), 0);
    for report in [
        BY_KIND.check(&db.read().unwrap()).unwrap(),
        BY_OWNER.check(&db.read().unwrap()).unwrap(),
        BY_WORD.check(&db.read().unwrap()).unwrap(),
    ] {
        assert!(report.is_sound(), "{report:?}");
    }
}
