//! Tests that commands write the same bytes as typed access: the same operations on two files.

use crate::harness::{Folder, printed, rejected};
use insta::assert_snapshot;
use keyscape::{
    Claim, Error,
    store::{Db, KeyRange, Read, StoreId, Tx},
};

keyscape::layout!("tests/all/commands/engine.keys");

use game::{
    BOARD, BY_AMOUNT, BY_ORDER, BY_PRICE, BY_TICKET, FRIENDS, JOBS, Jobs, LAYOUT, Name, ORDERS,
    Order, PRICES, Ticket,
};

/// Two databases with the same layout.
struct Both {
    folder: Folder,
    program: Db,
}

impl Both {
    fn new() -> Self {
        let folder = Folder::new().file("game.keys", include_str!("engine.keys"));
        folder.quiet(&["create", "cli.redb", "--layout", "game.keys"]);
        let program = folder.path().join("program.redb");
        let program = keyscape_store_redb::create(program, &LAYOUT).unwrap();
        Self { folder, program }
    }

    /// Runs a command on the database of the command line.
    fn cli(&self, command: &[&str], args: &[&str]) -> String {
        self.folder.run(&[command, &["cli.redb", "--layout", "game.keys"], args].concat())
    }

    /// Runs a command that prints nothing, and the same operation as a program. Compares all bytes.
    fn same(&self, command: &[&str], args: &[&str], run: impl FnOnce(&mut Tx<'_>)) {
        assert_eq!(self.cli(command, args), "--- exit 0\n", "{command:?} {args:?}");
        self.program(run);
        self.compare(args);
    }

    fn program(&self, run: impl FnOnce(&mut Tx<'_>)) {
        let mut run = Some(run);
        self.program
            .write(|tx| {
                run.take().unwrap()(tx);
                Ok::<_, Error>(())
            })
            .unwrap();
    }

    /// Compares the bytes of both files, and checks the file of the commands with typed access.
    fn compare(&self, what: &[&str]) {
        let path = self.folder.path().join("cli.redb");
        let cli = keyscape_store_redb::open(&path, &LAYOUT).unwrap();
        assert_eq!(rows(&cli), rows(&self.program), "{what:?}");
        let state = cli.read().unwrap();
        assert!(BOARD.check(&state, 1).unwrap().is_sound());
        assert!(JOBS.check(&state, 1).unwrap().is_sound());
        assert!(BY_TICKET.check(&state).unwrap().is_sound());
        assert!(BY_AMOUNT.check(&state).unwrap().is_sound());
        assert!(BY_ORDER.check(&state).unwrap().is_sound());
        assert!(BY_PRICE.check(&state).unwrap().is_sound());
    }
}

fn rows(db: &Db) -> Vec<(Vec<u8>, Vec<u8>)> {
    db.read().unwrap().rows(StoreId::of("game"), KeyRange::all()).unwrap().to_vec().unwrap()
}

fn name(text: &str) -> Name<'_> {
    Name::new(text).unwrap()
}

#[test]
fn ranked_and_counted_structures() {
    let both = Both::new();
    let add = |member: &str, score: u64| {
        let (field, text) = (format!("member={member}"), score.to_string());
        both.same(&["put"], &["board", "game=1", &field, "--", &text], |tx| {
            BOARD.add(tx, 1, name(member), score).unwrap();
        });
    };
    add("ann", 5);
    add("bob", 3);
    add("ann", 2);
    both.same(&["put"], &["friends", "of=ann", "member=bob"], |tx| {
        FRIENDS.add(tx, name("ann"), name("bob")).unwrap();
    });
    both.same(&["delete"], &["friends", "of=ann", "member=bob"], |tx| {
        FRIENDS.remove(tx, name("ann"), name("bob")).unwrap();
    });
    // Enough members for several levels of ranks.
    let letters = |n: u32| -> String {
        [n / 26 % 26, n % 26].iter().map(|n| char::from(b'a' + *n as u8)).collect()
    };
    let members: Vec<(String, u64)> =
        (0..300).map(|n| (format!("m{}", letters(n)), u64::from(n * 7 % 90))).collect();
    let line = |(member, score): &(String, u64)| {
        let fields = r#""keyspace":"board","fields":{"game":1}"#;
        format!("{{{fields},\"member\":\"{member}\",\"score\":{score}}}\n")
    };
    let lines: String = members.iter().map(line).collect();
    let import = ["import", "cli.redb", "--layout", "game.keys"];
    assert_eq!(
        both.folder.run_with(&import, &lines),
        "--- stderr\nimported 300 rows\n--- exit 0\n"
    );
    both.program(|tx| {
        for (member, score) in &members {
            BOARD.add(tx, 1, name(member), *score).unwrap();
        }
    });
    both.compare(&["import"]);
    both.same(&["delete"], &["board", "game=1", "member=bob"], |tx| {
        BOARD.remove(tx, 1, name("bob")).unwrap();
    });
    assert_snapshot!(both.cli(&["delete"], &["board", "game=1", "member=bob"]), @"
    --- stderr
    error: the row does not exist
    --- exit 1
    ");
}

#[test]
fn queues() {
    let both = Both::new();
    let push = |member: &str, score: u64| {
        let (field, text) = (format!("member={member}"), score.to_string());
        both.same(&["put"], &["jobs", "game=1", &field, "--", &text], |tx| {
            JOBS.push(tx, 1, name(member), score).unwrap();
        });
    };
    push("a", 5);
    push("b", 2);
    push("a", 3);
    push("c", 9);
    let mut claims: Vec<Claim<Jobs>> = Vec::new();
    let claim = ["jobs", "game=1", "--now", "100", "--until", "130", "--max", "2"];
    assert_snapshot!(printed(both.cli(&["queue", "claim"], &claim)), @r#"
    {"store":"game","keyspace":"jobs","fields":{"game":1},"member":"b","score":2,"state":"leased","at":130,"attempts":1,"token":1}
    {"store":"game","keyspace":"jobs","fields":{"game":1},"member":"a","score":3,"state":"leased","at":130,"attempts":1,"token":2}
    "#);
    both.program(|tx| claims = JOBS.claim(tx, 1, 100, 30, 2).unwrap());
    both.compare(&claim);
    push("a", 7);
    both.same(
        &["queue", "retry"],
        &["jobs", "game=1", "member=b", "--token", "1", "--at", "160"],
        |tx| {
            JOBS.retry(tx, 1, &claims[0], 100, 60).unwrap();
        },
    );
    both.same(
        &["queue", "extend"],
        &["jobs", "game=1", "member=a", "--token", "2", "--until", "150"],
        |tx| {
            JOBS.extend(tx, 1, &claims[1], 120, 30).unwrap();
        },
    );
    assert_snapshot!(both.cli(&["queue", "ack"], &["jobs", "game=1", "member=a", "--token", "1"]), @"
    --- stderr
    error: `1` is not the token of the lease, which is 2 until 150
      help: use the token that `keyscape queue claim` printed; a later claim has another token
    --- exit 1
    ");
    assert_snapshot!(both.cli(&["queue", "ack"], &["jobs", "game=1", "member=a", "--token", "2"]), @"
    --- stderr
    the member was pushed during the lease, and is ready again
    --- exit 0
    ");
    both.program(|tx| {
        JOBS.ack(tx, 1, &claims[1]).unwrap();
        claims = JOBS.claim(tx, 1, 200, 10, 3).unwrap();
    });
    both.cli(
        &["queue", "claim"],
        &["jobs", "game=1", "--now", "200", "--until", "210", "--max", "3"],
    );
    both.compare(&["claim all"]);
    for claim in &claims {
        let (member, token) = (format!("member={}", claim.member), claim.token.to_string());
        let args = ["jobs", "game=1", &member, "--token", &token];
        match claim.member.as_str() {
            "b" => both.same(&["queue", "bury"], &args, |tx| {
                JOBS.bury(tx, 1, claim).unwrap();
            }),
            _ => both.same(&["queue", "ack"], &args, |tx| {
                JOBS.ack(tx, 1, claim).unwrap();
            }),
        }
    }
    let ack = |member: &str| {
        both.cli(
            &["queue", "ack"],
            &["jobs", "game=1", &format!("member={member}"), "--token", "3"],
        )
    };
    assert_snapshot!(ack("b"), @"
    --- stderr
    error: the member is not leased: it is dead
      help: make it ready with `keyscape queue revive`
    --- exit 1
    ");
    assert_snapshot!(ack("c"), @"
    --- stderr
    error: the queue does not contain this member
      help: it was acknowledged or deleted; `keyscape scan` lists the members
    --- exit 1
    ");
    assert_snapshot!(both.cli(&["put"], &["jobs", "game=1", "member=b", "--", "1"]), @"
    --- stderr
    error: the member of `jobs` is dead, and a push does not revive it
      help: make it ready with `keyscape queue revive`, or `delete` it first
    --- exit 1
    ");
    both.same(&["queue", "revive"], &["jobs", "game=1", "member=b"], |tx| {
        JOBS.revive(tx, 1, name("b")).unwrap();
    });
    assert_snapshot!(ack("b"), @"
    --- stderr
    error: the member is not leased: it is ready to be claimed
      help: claim it with `keyscape queue claim`
    --- exit 1
    ");
    both.same(&["delete"], &["jobs", "game=1", "member=b"], |tx| {
        JOBS.remove(tx, 1, name("b")).unwrap();
    });
    assert_snapshot!(both.cli(&["queue", "claim"], &["jobs", "game=1", "--now", "1", "--until", "2"]), @"
    --- stderr
    error: there is nothing to claim
    --- exit 1
    ");
    assert_snapshot!(both.cli(&["queue", "revive"], &["jobs", "game=1", "member=b"]), @"
    --- stderr
    error: the queue has no dead member of this name
    --- exit 1
    ");
    assert_snapshot!(rejected(both.cli(&["queue", "revive"], &["board", "game=1", "member=b"])), @"
    error: `board` is of kind `zset`, not `queue`
      help: keyspaces of kind `queue`: `jobs`
    ");
    assert_snapshot!(rejected(both.cli(&["queue", "ack"], &["jobs", "game=1", "--token", "1"])), @"
    error: field `member` is missing
      help: fields: `game`, `member`, `score`
    ");
}

#[test]
fn indexes_over_values_that_the_layout_describes() {
    let both = Both::new();
    let put = |order: u32, ticket: &str, amount: u64| {
        let field = format!("order={order}");
        let value = format!(r#"{{"ticket":"{ticket}","amount":{amount}}}"#);
        both.same(&["put"], &["orders", "user=7", &field, "--", &value], |tx| {
            let order_value = Order { ticket: Ticket::new(ticket).unwrap(), amount };
            ORDERS.put(tx, (7, order), order_value).unwrap();
        });
    };
    put(1, "ab", 5);
    put(2, "cd", 5);
    put(1, "ef", 6);
    put(1, "ef", 6);
    let taken = ["orders", "user=7", "order=2", "--", r#"{"ticket":"ef","amount":1}"#];
    assert_snapshot!(both.cli(&["put"], &taken), @"
    --- stderr
    error: `by_ticket` is unique, and its entry 0x72743a6566 belongs to another row: user=7 order=1
    --- exit 1
    ");
    both.compare(&taken);
    both.same(&["delete"], &["orders", "user=7", "order=1"], |tx| {
        ORDERS.delete(tx, (7, 1)).unwrap();
    });
    both.same(&["put"], &["prices", "item=ink", "--", "300"], |tx| {
        PRICES.put(tx, name("ink"), 300).unwrap();
    });
    // An older row holds decimal text, and its entry moves with the new value.
    let raw = |tx: &mut Tx<'_>| tx.put(StoreId::of("game"), b"rp:pen", b"12").unwrap();
    both.program(|tx| {
        raw(tx);
        tx.put(StoreId::of("game"), b"rr:\0\0\0\x0cpen", b"").unwrap();
    });
    let line = r#"{"keyspace":"prices","fields":{"item":"pen"},"reads":12}"#;
    both.folder.run_with(&["import", "cli.redb", "--layout", "game.keys"], line);
    both.compare(&["an older row"]);
    both.same(&["put"], &["prices", "item=pen", "--", "13"], |tx| {
        PRICES.put(tx, name("pen"), 13).unwrap();
    });
    let large = both.cli(&["put"], &["prices", "item=pen", "--", "4294967296"]);
    assert!(large.contains("field `price`") && large.contains("--- exit 2"), "{large}");
    both.compare(&["a price that the index cannot hold"]);
}
