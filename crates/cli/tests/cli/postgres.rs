//! Database commands on a server.

use super::harness::Folder;
use keyscape_cluster::postgres_for_test;

const LAYOUT: &str = "\
store shop
map orders = \"o/\" {user: dec(u64)} \"/\" {order: dec(u64)} -> u64be
    scan user
index by_order of orders = \"i/\" {order} \"/\" {user} -> empty
";

#[test]
fn a_server_is_used_like_a_file() {
    let Some(server) = postgres_for_test() else { return };
    let folder = Folder::new().file("shop.keys", LAYOUT);
    let url = format!("{}?schema=shop", server.url());
    let ok = |args: &[&str]| {
        let output = folder.run(args);
        assert!(output.ends_with("--- exit 0\n"), "{args:?}: {output}");
        output
    };
    ok(&["create", &url, "--layout", "shop.keys"]);
    for order in 1..=3 {
        ok(&["put", &url, "orders", "user=1", &format!("order={order}"), "--", "7"]);
    }
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
    let back = ok(&["copy", "shop.redb", &format!("{}?schema=back", server.url())]);
    assert_eq!(there, back);
    assert!(there.contains("copied 4 rows of 1 store\ndigest: "), "{there}");
    let again = folder.run(&["copy", "shop.redb", &url]);
    assert!(again.contains("exists and is not an unfinished copy"), "{again}");
}

#[test]
fn rows_on_a_server_are_migrated_verified_and_rolled_back() {
    let Some(server) = postgres_for_test() else { return };
    let moves = "from \"shop.keys\" to \"new.keys\"\nmove orders to orders\n";
    let new = LAYOUT.replace("\"o/\" {user: dec(u64)}", "\"p/\" {user: u64be}");
    let folder =
        Folder::new().file("shop.keys", LAYOUT).file("new.keys", &new).file("a.migration", moves);
    let url = format!("{}?schema=moved", server.url());
    let ok = |args: &[&str]| {
        let output = folder.run(args);
        assert!(output.ends_with("--- exit 0\n"), "{args:?}: {output}");
        output
    };
    ok(&["create", &url, "--layout", "shop.keys"]);
    for order in 1..=3 {
        ok(&["put", &url, "orders", "user=1", &format!("order={order}"), "--", "7"]);
    }
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
    let back = format!("{}?schema=back", server.url());
    ok(&["migrate", "rollback", "copy.redb", "--to", &back]);
    assert_eq!(ok(&["export", &back]), before);
}

#[test]
fn simulations_reach_the_same_state_on_a_server() {
    let Some(server) = postgres_for_test() else { return };
    let folder = Folder::new();
    let digest = |args: &[&str]| {
        let output = folder.run(args);
        let line = output.lines().find(|line| line.starts_with("digest: "));
        line.map(str::to_owned).unwrap_or_else(|| panic!("{args:?}: {output}"))
    };
    for system in ["bank", "txo"] {
        let run = ["sim", system, "--blocks", "4", "--seed", "42"];
        let url = format!("{}?schema={system}", server.url());
        let expected = digest(&run);
        // Two processes share the blocks of one run.
        let shared = [&run[..], &["--db", &url]].concat();
        std::thread::scope(|scope| {
            let runs = [scope.spawn(|| digest(&shared)), scope.spawn(|| digest(&shared))];
            for run in runs {
                assert_eq!(run.join().expect("a run"), expected);
            }
        });
        let holds = folder.run(&["invariants", system, &url]);
        assert!(holds.contains("all invariants hold"), "{holds}");
    }
}
