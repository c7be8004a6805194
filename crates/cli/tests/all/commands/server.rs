//! Database commands on a server.

use crate::harness::Folder;
use keyscape_cluster::{Postgres, Tikv, postgres_for_test, tikv_for_test};

const LAYOUT: &str = "\
store shop
map orders = \"o/\" {user: dec(u64)} \"/\" {order: dec(u64)} -> u64be
    scan user
index by_order of orders = \"i/\" {order} \"/\" {user} -> empty
";

/// Returns the address of a database on a server by its name.
type Server<'s> = &'s dyn Fn(&str) -> String;

fn on_postgres(test: impl Fn(Server<'_>)) {
    let address = |server: &Postgres, name: &str| format!("{}?schema={name}", server.url());
    if let Some(server) = postgres_for_test() {
        test(&|name| address(&server, name));
    }
}

#[test]
fn postgres_is_used_like_a_file() {
    on_postgres(use_like_a_file);
}

#[test]
fn advice_about_a_server_can_be_followed() {
    on_postgres(|server| {
        let without = LAYOUT.split("index").next().unwrap_or_default();
        let folder = Folder::new().file("shop.keys", without).file("new.keys", LAYOUT);
        let url = server("advice");
        fill(&folder, &url);
        let scan = |url: &str| folder.run(&["scan", url, "by_order", "--layout", "new.keys"]);
        let build = |db: &str| format!("`keyscape index build {db} by_order --layout new.keys`");
        assert!(scan(&url).contains(&build(&url)), "{}", scan(&url));
        let user = url.split("://").nth(1).and_then(|rest| rest.split(['@', ':']).next());
        let user = user.unwrap_or_default();
        let secret = url.replacen(&format!("{user}@"), &format!("{user}:secret@"), 1);
        assert_ne!(secret, url);
        let printed = scan(&secret);
        let hidden = secret.replace(":secret@", ":***@");
        let help = build(&hidden) + ", with the password in place of `***`\n";
        assert!(printed.contains(&help), "{printed}");
        assert!(!printed.contains("secret"), "{printed}");
        let printed = folder.run(&["invariants", "bank", &secret]);
        let expected = format!("error: `{hidden}` has no rows of `bank`\n");
        assert!(printed.contains(&expected), "{printed}");
        // The title of a document is the name of the store.
        let document = succeeds(&folder, &["doc", &secret]);
        assert!(document.contains("\n# Layout `shop`\n"), "{document}");
        // A problem is printed once, and its remedy is a help.
        let printed = folder.run(&["stat", &url.replace('?', "x?")]);
        assert_eq!(printed.matches("does not exist").count(), 1, "{printed}");
        assert!(printed.contains("\n  help: create the database on the server"), "{printed}");
        let printed = folder.run(&["stat", &server("none")]);
        assert!(printed.contains("error: the schema `none` contains no"), "{printed}");
        assert!(printed.contains("\n  help: create it first"), "{printed}");
    });
}

#[test]
fn rows_on_postgres_are_migrated_verified_and_rolled_back() {
    on_postgres(migrate);
}

#[test]
fn simulations_reach_the_same_state_on_postgres() {
    on_postgres(simulate);
}

/// `cargo xtask cluster tikv` runs this test.
#[test]
fn tikv_is_used_like_a_file() {
    let Some(server) = tikv_for_test() else { return };
    let server: Server<'_> = &|name| Tikv::url(&server, name);
    use_like_a_file(server);
    migrate(server);
    simulate(server);
}

/// Runs a command that must succeed.
fn succeeds(folder: &Folder, args: &[&str]) -> String {
    let output = folder.run(args);
    assert!(output.ends_with("--- exit 0\n"), "{args:?}: {output}");
    output
}

/// Creates a database with three orders.
fn fill(folder: &Folder, url: &str) {
    succeeds(folder, &["create", url, "--layout", "shop.keys"]);
    for order in 1..=3 {
        let order = format!("order={order}");
        succeeds(folder, &["put", url, "orders", "user=1", &order, "--", "7"]);
    }
}

fn use_like_a_file(server: Server<'_>) {
    let folder = Folder::new().file("shop.keys", LAYOUT);
    let url = server("shop");
    let ok = |args: &[&str]| succeeds(&folder, args);
    fill(&folder, &url);
    assert!(ok(&["get", &url, "orders", "user=1", "order=2"]).contains('7'));
    ok(&["delete", &url, "orders", "user=1", "order=2"]);
    let listed = ok(&["scan", &url, "orders", "user=1", "--format", "json"]);
    assert_eq!(listed.lines().filter(|line| line.starts_with('{')).count(), 2, "{listed}");
    for command in ["layout", "stat", "audit", "export"] {
        ok(&[command, &url]);
    }
    assert!(folder.run(&["repair", &url]).contains("the command works on files"));

    // To a file and back: the same rows, the same digest.
    let there = ok(&["copy", &url, "shop.redb"]);
    let back = ok(&["copy", "shop.redb", &server("back")]);
    assert_eq!(there, back);
    assert!(there.contains("copied 4 rows of 1 store\ndigest: "), "{there}");
    let again = folder.run(&["copy", "shop.redb", &url]);
    assert!(again.contains("exists and is not an unfinished copy"), "{again}");
}

fn migrate(server: Server<'_>) {
    let moves = "from \"shop.keys\" to \"new.keys\"\nmove orders to orders\n";
    let new = LAYOUT.replace("\"o/\" {user: dec(u64)}", "\"p/\" {user: u64be}");
    let folder =
        Folder::new().file("shop.keys", LAYOUT).file("new.keys", &new).file("a.migration", moves);
    let url = server("moved");
    let ok = |args: &[&str]| succeeds(&folder, args);
    fill(&folder, &url);
    let before = ok(&["export", &url]);
    assert!(ok(&["migrate", "plan", &url, "a.migration"]).contains("in place"));
    ok(&["migrate", "run", &url, "a.migration", "--to", "copy.redb"]);
    ok(&["migrate", "verify", "copy.redb", "--against", &url]);
    ok(&["migrate", "run", &url, "a.migration", "--batch", "2"]);
    ok(&["migrate", "verify", &url]);
    assert_eq!(ok(&["export", &url]), ok(&["export", "copy.redb"]));
    assert!(ok(&["audit", &url]).contains("nothing is wrong"));
    ok(&["migrate", "rollback", &url]);
    assert_eq!(ok(&["export", &url]), before);
    let back = server("moved_back");
    ok(&["migrate", "rollback", "copy.redb", "--to", &back]);
    assert_eq!(ok(&["export", &back]), before);
}

fn simulate(server: Server<'_>) {
    let processes = std::env::var("KEYSCAPE_SIMULATORS").ok();
    let processes: usize = processes.and_then(|number| number.parse().ok()).unwrap_or(2);
    let folder = Folder::new();
    let digest = |args: &[&str]| {
        let output = folder.run(args);
        let line = output.lines().find(|line| line.starts_with("digest: "));
        assert!(line.is_some(), "{args:?}: {output}");
        line.map(str::to_owned)
    };
    for system in ["bank", "txo"] {
        let run = ["sim", system, "--blocks", "4", "--seed", "42"];
        let url = server(system);
        let expected = digest(&run);
        // The processes share the blocks of one run.
        let shared = [&run[..], &["--db", &url]].concat();
        std::thread::scope(|scope| {
            let runs: Vec<_> = (0..processes).map(|_| scope.spawn(|| digest(&shared))).collect();
            for run in runs {
                assert_eq!(run.join().ok(), Some(expected.clone()));
            }
        });
        let holds = folder.run(&["invariants", system, &url]);
        assert!(holds.contains("all invariants hold"), "{holds}");
    }
}
