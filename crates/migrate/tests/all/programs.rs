//! `Db::migrate`, as programs call it.

use crate::harness::{Pair, interrupt_at_each_call, memory, meta, prove, rows, runner};
use keyscape_migrate::{Migrate, MigrateError, Migrated, Plan, RowProblem, Runner, TypedMigration};
use keyscape_store::{Database, Db, LayoutError};
use keyscape_testkit::{Failing, Fault};
use std::sync::Arc;

/// The old layout.
pub mod v1 {
    keyscape::layout!(
        r#"
        store staff
        map people = "p/" {id: u16be} -> text
        map visits = "v/" {id: u16le} -> u32be
        "#
    );
}

/// The new layout.
pub mod v2 {
    keyscape::layout!(
        r#"
        store staff
        map people = "q/" {initial: u8} {id: u16be} -> json Person
        index by_family of people = "f/" {family: u8 from value} {id} {initial} -> empty
        map visits = "w/" {id: u16be} -> u32be
        "#
    );

    /// A person by given name and family name.
    #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    #[expect(missing_docs, reason = "the fields are named in the comment")]
    pub struct Person {
        pub given: String,
        pub family: String,
    }

    impl staff::ByFamilyFields for Person {
        fn family(&self) -> keyscape::Extracted<u8> {
            Ok(self.family.bytes().next().ok_or("the name is empty")?)
        }
    }
}

const MOVES: &str = "move people { initial = program() value = program() }";

fn split(name: &str) -> Result<v2::Person, String> {
    let (given, family) = name.split_once(' ').ok_or_else(|| format!("{name:?} is one word"))?;
    Ok(v2::Person { given: given.to_owned(), family: family.to_owned() })
}

fn migration<'a>(declaration: &'a str) -> TypedMigration<'a> {
    let (old, new) = (&v1::staff::LAYOUT, &v2::staff::LAYOUT);
    TypedMigration::new(declaration, old, new).with_batch(2).rows(
        v1::staff::PEOPLE,
        v2::staff::PEOPLE,
        |key, name: String| {
            let person = split(&name)?;
            let initial = person.given.bytes().next().unwrap_or_default();
            Ok(((initial, key.id), person))
        },
    )
}

fn spaces() -> Vec<String> {
    vec!["staff".to_owned()]
}

fn staff(names: &[&str]) -> Arc<dyn Database> {
    let database = memory(&spaces());
    let db = Db::from(Arc::clone(&database));
    db.admit(&[&v1::staff::LAYOUT]).unwrap();
    db.write(|tx| {
        for (id, name) in (0..).zip(names) {
            v1::staff::PEOPLE.put(tx, id, name)?;
            v1::staff::VISITS.put(tx, id, u32::from(id))?;
        }
        keyscape::Ok(())
    })
    .unwrap();
    database
}

/// Counts the rows with a prefix.
fn count(db: &Db, prefix: &[u8]) -> usize {
    rows(db, &spaces()).keys().filter(|(_, key)| key.starts_with(prefix)).count()
}

const NAMES: [&str; 5] =
    ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Ada Yonath", "Kurt Goedel"];

#[test]
fn a_program_moves_rows_with_a_function_and_goes_on() {
    let db = Db::from(staff(&NAMES));
    assert!(matches!(db.migrate(&migration(MOVES)).unwrap(), Migrated::Done(_)));
    db.admit(&[&v2::staff::LAYOUT]).unwrap();
    let state = db.read().unwrap();
    for (id, name) in (0..).zip(NAMES) {
        let person = v2::staff::PEOPLE.get(&state, (name.as_bytes()[0], id)).unwrap();
        assert_eq!(person, Some(split(name).unwrap()));
        assert_eq!(v2::staff::VISITS.get(&state, id).unwrap(), Some(u32::from(id)));
    }
    // The program builds the indexes that only it can build.
    assert_eq!(count(&db, b"f/"), NAMES.len());
    drop(state);
    assert_eq!(db.migrate(&migration(MOVES)).unwrap(), Migrated::Nothing);
}

#[test]
fn a_program_that_is_killed_at_any_call_continues_with_the_same_bytes() {
    let whole = Db::from(staff(&NAMES));
    whole.migrate(&migration(MOVES)).unwrap();
    let run = |db: &Db| db.migrate(&migration(MOVES)).map(drop);
    let interrupted = interrupt_at_each_call(&|| staff(&NAMES), &run, &|db, about| {
        assert_eq!(rows(db, &spaces()), rows(&whole, &spaces()), "{about}");
        assert_eq!(meta(db), meta(&whole), "{about}");
    });
    assert!(interrupted > 50, "{interrupted}");
}

#[test]
fn a_copy_that_is_killed_at_any_call_continues_with_the_same_bytes() {
    let old = Db::from(staff(&NAMES));
    let before = rows(&old, &spaces());
    let whole = Db::from(memory(&spaces()));
    old.migrate_to(&whole, &migration(MOVES)).unwrap();
    whole.admit(&[&v2::staff::LAYOUT]).unwrap();
    let run = |db: &Db| old.migrate_to(db, &migration(MOVES)).map(drop);
    interrupt_at_each_call(&|| memory(&spaces()), &run, &|db, about| {
        assert_eq!(rows(db, &spaces()), rows(&whole, &spaces()), "{about}");
    });
    assert_eq!(rows(&old, &spaces()), before);
}

#[test]
fn neither_program_opens_a_half_migrated_database() {
    let whole = Failing::at(staff(&NAMES), u64::MAX, Fault::Before);
    let whole = Arc::new(whole);
    Db::from(Arc::clone(&whole) as Arc<dyn Database>).migrate(&migration(MOVES)).unwrap();
    let mut refused = 0;
    for call in 1..whole.calls() {
        let database = staff(&NAMES);
        let failing = Failing::at(Arc::clone(&database), call, Fault::After);
        Db::new(failing).migrate(&migration(MOVES)).unwrap_err();
        let db = Db::from(database);
        if Plan::running(&db.read().unwrap()).unwrap().is_none() {
            continue;
        }
        refused += 1;
        for layout in [&v1::staff::LAYOUT, &v2::staff::LAYOUT] {
            let opened = db.admit(&[layout]);
            assert!(matches!(opened, Err(LayoutError::Migrating { .. })), "{opened:?}");
        }
    }
    assert!(refused > 20, "{refused}");
}

/// A new layout whose keys the program makes.
pub mod names {
    keyscape::layout!(
        r#"
        store staff
        map names = "n/" {name: text(r"[A-Za-z ]+")} -> u16be
        map visits = "v/" {id: u16le} -> u32be
        "#
    );
}

#[test]
fn two_rows_with_one_new_key_stop_a_copy_and_no_row_moves_in_place() {
    const BY_NAME: &str = "move people to names { name = program() value = program() }";
    let typed = TypedMigration::new(BY_NAME, &v1::staff::LAYOUT, &names::staff::LAYOUT).rows(
        v1::staff::PEOPLE,
        names::staff::NAMES,
        |key, name: String| Ok((name, key.id)),
    );
    let twins = ["Ada Lovelace", "Alan Turing", "Ada Lovelace"];
    let db = Db::from(staff(&twins));
    let before = rows(&db, &spaces());
    let failed = db.migrate(&typed);
    assert!(matches!(failed, Err(MigrateError::NotInPlace("KS112"))), "{failed:?}");
    assert_eq!(rows(&db, &spaces()), before);
    match db.migrate_to(&Db::from(memory(&spaces())), &typed) {
        Err(MigrateError::Row { key, problem: RowProblem::Collision, .. }) => {
            assert_eq!(key, b"p/\0\x02");
        }
        found => panic!("{found:?}"),
    }
    let copy = Db::from(memory(&spaces()));
    Db::from(staff(&twins[..2])).migrate_to(&copy, &typed).unwrap();
    copy.admit(&[&names::staff::LAYOUT]).unwrap();
    let id = names::staff::NAMES.get(&copy.read().unwrap(), "Alan Turing").unwrap();
    assert_eq!(id, Some(1));
}

/// Migrates a database, which must fail and change nothing.
fn refused(names: &[&str], typed: &TypedMigration<'_>) -> MigrateError {
    let db = Db::from(staff(names));
    let before = (rows(&db, &spaces()), meta(&db));
    let error = db.migrate(typed).unwrap_err();
    assert_eq!((rows(&db, &spaces()), meta(&db)), before);
    error
}

#[test]
fn a_row_that_the_function_refuses_stops_the_migration_or_is_dropped_by_name() {
    let error = refused(&["Ada Lovelace", "Plato"], &migration(MOVES));
    let MigrateError::Row { key, problem: RowProblem::Unfit(why), .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!((&key[..], &*why), (&b"p/\0\x01"[..], "\"Plato\" is one word"));
    let db = Db::from(staff(&["Ada Lovelace", "Plato"]));
    let declaration = format!("{MOVES} else drop \"one name\"");
    db.migrate(&migration(&declaration)).unwrap();
    assert_eq!(count(&db, b"q/"), 1);
}

#[test]
fn a_function_that_contradicts_its_declaration_changes_nothing() {
    let (old, new) = (&v1::staff::LAYOUT, &v2::staff::LAYOUT);
    let typed = TypedMigration::new(MOVES, old, new).rows(
        v1::staff::PEOPLE,
        v2::staff::PEOPLE,
        |key, name: String| Ok(((0, key.id + 1), split(&name)?)),
    );
    let error = refused(&NAMES, &typed);
    assert!(
        matches!(&error, MigrateError::Row { problem: RowProblem::Undeclared(name), .. } if name == "people"),
        "{error:?}"
    );
    let error = refused(&NAMES, &TypedMigration::new(MOVES, old, new));
    assert!(matches!(error, MigrateError::NoFunction { .. }), "{error:?}");
    let unasked = "drop people \"they left\"";
    let error = refused(&NAMES, &migration(unasked));
    assert!(matches!(error, MigrateError::UnusedFunction { .. }), "{error:?}");
    let other = TypedMigration::new("", &names::staff::LAYOUT, new);
    let error = refused(&NAMES, &other);
    assert!(
        matches!(&error, MigrateError::OldLayout { keyspace } if keyspace == "staff.people"),
        "{error:?}"
    );
    let error = refused(&NAMES, &TypedMigration::new("mvoe people", old, new));
    assert!(matches!(error, MigrateError::Declaration(_)), "{error:?}");
}

#[test]
fn an_empty_database_needs_no_migration() {
    let db = Db::from(memory(&spaces()));
    assert_eq!(db.migrate(&migration(MOVES)).unwrap(), Migrated::Nothing);
    db.admit(&[&v2::staff::LAYOUT]).unwrap();
    assert_eq!(migration(MOVES).spaces().unwrap().len(), 2);
}

/// Boards whose sizes and ranks are records of their own.
pub mod boards {
    keyscape::layout!(
        r#"
        store game structures
        zset extra = "a:" {game: u8}
            member u64be in 1000..
            score u64be
            counted
            ranked
        zset scores = "z:" {game: u8}
            member u64be in 0..1000
            score u64be
            counted
            ranked
        "#
    );
}

/// The layout after both boards are one.
pub mod board {
    keyscape::layout!(
        r#"
        store game structures
        zset scores = "z:" {game: u8}
            member u64be
            score u64be
            counted
            ranked
        "#
    );
}

#[test]
fn counts_and_ranks_are_those_of_the_members_that_move() {
    let spaces = ["game".to_owned()];
    let old = Db::from(memory(&spaces));
    old.admit(&[&boards::game::LAYOUT]).unwrap();
    old.write(|tx| {
        for member in 0..500_u64 {
            boards::game::SCORES.add(tx, 7, member, member % 90)?;
            boards::game::EXTRA.add(tx, 7, 1000 + member, member % 90)?;
        }
        keyscape::Ok(())
    })
    .unwrap();
    let texts = (boards::game::LAYOUT.text, board::game::LAYOUT.text);
    for (new, declaration, members) in [
        (texts.0, "move scores where member in 0..=299 drop scores \"too many\"", 300),
        (
            texts.0,
            "move scores where member in 0..=299 drop scores where member in 300.. \"too many\"",
            300,
        ),
        (texts.1, "move extra to scores", 1000),
    ] {
        let pair = Pair::new(texts.0, new);
        let migration = pair.migration(declaration);
        let proof = prove(&migration);
        assert!(!proof.may_run_in_place(), "{:?}", proof.answers);
        let new = Db::from(memory(&spaces));
        runner(&migration, &proof, declaration).run_copy(&old, &new, || ()).unwrap();
        let state = new.read().unwrap();
        assert_eq!(board::game::SCORES.count(&state, 7).unwrap(), members, "{declaration}");
        let report = board::game::SCORES.check(&state, 7).unwrap();
        assert!(report.is_sound(), "{declaration}: {report:?}");
    }
}

/// Queues whose tokens have a counter of their own.
pub mod jobs {
    keyscape::layout!(
        r#"
        store work structures
        queue jobs = "q:" {site: u8} member u64be score u64be
        "#
    );
}

/// A claim from before the migration must not be accepted for a later one.
#[test]
fn tokens_of_a_queue_are_not_issued_again_if_some_members_are_dropped() {
    use jobs::work::JOBS;
    let spaces = ["work".to_owned()];
    let old = Db::from(memory(&spaces));
    old.admit(&[&jobs::work::LAYOUT]).unwrap();
    let mut stale = Vec::new();
    old.write(|tx| {
        for site in [1, 7] {
            for member in [1_u64, 20] {
                JOBS.push(tx, site, member, member)?;
            }
            stale = JOBS.claim(tx, site, 100, 30, 2)?;
        }
        keyscape::Ok(())
    })
    .unwrap();
    let of_dropped = stale.iter().find(|claim| claim.member == 20).unwrap();
    let text = jobs::work::LAYOUT.text;
    for declaration in [
        "move jobs where member in 0..=9 drop jobs where member in 10.. \"late\"",
        "move jobs where member in 0..=9 drop jobs \"late\"",
        "drop jobs where member in 10.. \"late\"",
        "drop jobs where site in 0..=3 \"gone\" drop jobs where member in 10.. \"late\"",
    ] {
        let pair = Pair::new(text, text);
        let migration = pair.migration(declaration);
        let proof = prove(&migration);
        let new = Db::from(memory(&spaces));
        runner(&migration, &proof, declaration).run_copy(&old, &new, || ()).unwrap();
        let is_of_first = |key: &[u8]| key.windows(3).any(|part| part == b"q:\x01");
        let has_first = rows(&new, &spaces).keys().any(|(_, key)| is_of_first(key));
        assert_eq!(has_first, !declaration.contains("site"), "{declaration}");
        new.write(|tx| {
            JOBS.push(tx, 7, 20_u64, 1_u64)?;
            let claims = JOBS.claim(tx, 7, 100, 30, 1)?;
            assert_eq!(claims.len(), 1, "{declaration}");
            assert!(claims[0].token > of_dropped.token, "{declaration}: {claims:?}");
            assert!(JOBS.ack(tx, 7, of_dropped).is_err(), "{declaration}");
            JOBS.ack(tx, 7, &claims[0]).map(drop)
        })
        .unwrap();
    }
}

/// Queues that divide the jobs between them.
pub mod divided {
    keyscape::layout!(
        r#"
        store work structures
        queue few = "f:" {site: u8} member u64be in 0..=9 score u64be
        queue many = "m:" {area: u16be in 0..=255} member u64be in 10.. score u64be
        "#
    );
}

/// Copies a database of queues, and checks that the copy is verified.
fn copy_queues(old: &Db, layouts: [&keyscape_store::Layout<'_>; 2], declaration: &str) -> Db {
    let pair = Pair::new(layouts[0].text, layouts[1].text);
    let migration = pair.migration(declaration);
    let proof = prove(&migration);
    let new = Db::from(memory(&["work".to_owned()]));
    let runner = runner(&migration, &proof, declaration);
    runner.run_copy(old, &new, || ()).unwrap();
    assert_eq!(runner.verify_copy(old, &new, || ()).unwrap(), [], "{declaration}");
    let plan = Plan::last(&new.read().unwrap()).unwrap().unwrap();
    assert_eq!(runner.digest_new(&new, || ()).unwrap(), plan.digest, "{declaration}");
    new
}

/// Each queue could accept a claim of the old one.
#[test]
fn tokens_of_a_queue_are_not_issued_again_if_its_members_are_divided() {
    use divided::work::{FEW, MANY};
    use jobs::work::JOBS;
    let old = Db::from(memory(&["work".to_owned()]));
    old.admit(&[&jobs::work::LAYOUT]).unwrap();
    let stale = old
        .write(|tx| {
            [1, 20]
                .into_iter()
                .try_for_each(|member| JOBS.push(tx, 7, member, member).map(drop))?;
            let stale = JOBS.claim(tx, 7, 100, 30, 2)?;
            stale.iter().try_for_each(|claim| JOBS.ack(tx, 7, claim).map(drop))?;
            [1, 20]
                .into_iter()
                .try_for_each(|member| JOBS.push(tx, 7, member, member).map(drop))?;
            keyscape::Ok(stale)
        })
        .unwrap();
    let declaration = "move jobs where member in 0..=9 to few move jobs to many { area = site }";
    let new = copy_queues(&old, [&jobs::work::LAYOUT, &divided::work::LAYOUT], declaration);
    new.write(|tx| {
        let few = FEW.claim(tx, 7, 100, 30, 1)?;
        let many = MANY.claim(tx, 7, 100, 30, 1)?;
        let tokens =
            few.iter().map(|claim| claim.token).chain(many.iter().map(|claim| claim.token));
        assert!(tokens.clone().all(|token| stale.iter().all(|stale| stale.token < token)));
        assert_eq!((few.len(), many.len()), (1, 1));
        keyscape::Ok(())
    })
    .unwrap();
}

/// The queues of members that are already acknowledged are unknown.
#[test]
fn the_key_of_a_queue_with_tokens_cannot_follow_from_members() {
    use jobs::work::JOBS;
    let layout = |day: &str| {
        let queue = format!("queue jobs = \"q:\" {{site: u8}} {day} member u64be score u64be");
        Pair::new(jobs::work::LAYOUT.text, &format!("store work structures\n{queue}"))
    };
    let (required, optional) = (layout("{day: u64be}"), layout("[\"/\" {day: u64be}]"));
    for (pair, declaration) in [
        (&required, "move jobs { day = member }"),
        (&required, "move jobs { day = member } else drop \"far\""),
        (&optional, "move jobs { day = member }"),
        (&optional, "move jobs { day = score }"),
        (&optional, "move jobs where member in 0..=9 move jobs { day = member }"),
    ] {
        let old = Db::from(memory(&["work".to_owned()]));
        old.admit(&[&jobs::work::LAYOUT]).unwrap();
        old.write(|tx| JOBS.push(tx, 7, 20, 20).map(drop)).unwrap();
        let migration = pair.migration(declaration);
        let proof = prove(&migration);
        let runner = runner(&migration, &proof, declaration);
        let copied = || runner.run_copy(&old, &Db::from(memory(&["work".to_owned()])), || ());
        copied().unwrap();
        old.write(|tx| JOBS.claim(tx, 7, 100, 30, 1).map(drop)).unwrap();
        let refused = [copied().unwrap_err(), runner.count(&old, || ()).unwrap_err()];
        for error in refused {
            let is_counter =
                matches!(error, MigrateError::Row { problem: RowProblem::Counter(_), .. });
            assert!(is_counter, "{declaration}: {error:?}");
        }
    }
}

/// Jobs of queues whose key only one of two new queues can have.
pub mod wide {
    keyscape::layout!(
        r#"
        store work structures
        queue jobs = "q:" {site: u16be in 0..=1000} member u64be score u64be
        "#
    );
}

/// No member of the queue moves to the queue that cannot have its key.
#[test]
fn a_queue_whose_key_does_not_fit_gets_no_tokens() {
    use wide::work::JOBS;
    let new = "store work structures
               queue few = \"f:\" {site: u8} member u64be score u64be
               queue many = \"m:\" {area: u16be} member u64be score u64be";
    let pair = Pair::new(wide::work::LAYOUT.text, new);
    let spaces = ["work".to_owned()];
    let old = Db::from(memory(&spaces));
    old.admit(&[&wide::work::LAYOUT]).unwrap();
    old.write(|tx| {
        for (site, member) in [(7, 1), (7, 20), (300, 20)] {
            JOBS.push(tx, site, member, 0)?;
            JOBS.claim(tx, site, 100, 30, 1)?;
        }
        keyscape::Ok(())
    })
    .unwrap();
    let declaration = "move jobs where member in 10.. to many { area = site } move jobs to few";
    let migration = pair.migration(declaration);
    let proof = prove(&migration);
    // A member below 10 could have the site 300.
    let runner = Runner::rollback(&migration, &proof, declaration, "").unwrap();
    let new = Db::from(memory(&spaces));
    runner.run_copy(&old, &new, || ()).unwrap();
    assert_eq!(runner.verify_copy(&old, &new, || ()).unwrap(), []);
    old.write(|tx| JOBS.push(tx, 300, 1, 1).map(drop)).unwrap();
    let error = runner.run_copy(&old, &Db::from(memory(&spaces)), || ()).unwrap_err();
    assert!(matches!(error, MigrateError::Row { problem: RowProblem::Unfit(_), .. }), "{error:?}");
}

#[test]
fn tokens_of_queues_are_not_issued_again_if_the_queues_become_one() {
    use divided::work::{FEW, MANY};
    use jobs::work::JOBS;
    let old = Db::from(memory(&["work".to_owned()]));
    old.admit(&[&divided::work::LAYOUT]).unwrap();
    old.write(|tx| {
        for member in 0..3 {
            FEW.push(tx, 7, member, 0)?;
            FEW.claim(tx, 7, 100, 30, 1)?;
        }
        MANY.push(tx, 7, 20, 20)?;
        keyscape::Ok(MANY.claim(tx, 7, 100, 30, 1)?)
    })
    .unwrap();
    let declaration = "move few to jobs move many to jobs { site = area }";
    let new = copy_queues(&old, [&divided::work::LAYOUT, &jobs::work::LAYOUT], declaration);
    let claims = new
        .write(|tx| {
            JOBS.push(tx, 7, 5, 5)?;
            JOBS.claim(tx, 7, 100, 30, 1)
        })
        .unwrap();
    assert_eq!(claims.iter().map(|claim| claim.token).collect::<Vec<_>>(), [4]);
}
