//! The pages of the five systems show the rows that the command line lists.

use super::server::Server;
use crate::harness::simulated;
use serde_json::Value;

#[test]
fn every_system_shows_its_rows() {
    let (folder, _) = simulated("chain");
    let server = Server::start(&folder, &["a.redb", "--no-verify"]);
    let overview = server.json("/");
    let sizes = overview["keyspaces"].as_array().unwrap();
    let page = server.get("/").body;
    for store in ["bank", "txo", "concentratedliquidity", "badges", "paw"] {
        let mut rows = 0;
        let of_store = sizes.iter().filter(|one| one["store"] == store);
        let filled: Vec<&Value> =
            of_store.filter(|one| one["rows"].as_u64() > Some(0)).take(4).collect();
        assert!(!filled.is_empty(), "{store}: {overview}");
        for one in filled {
            let keyspace = one["keyspace"].as_str().unwrap();
            assert!(
                page.contains(&format!("/keyspace/{store}/{keyspace}\"")),
                "{store}/{keyspace}"
            );
            let list = folder.run(&[
                "scan",
                "a.redb",
                &format!("{store}/{keyspace}"),
                "--limit",
                "5",
                "--format",
                "json",
                "--no-verify",
            ]);
            let expected: Vec<Value> =
                list.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
            let found = server.json(&format!("/keyspace/{store}/{keyspace}?size=20"));
            for (row, expected) in found["rows"].as_array().unwrap().iter().zip(&expected) {
                for member in ["fields", "hash", "value", "member", "score"] {
                    assert_eq!(row.get(member), expected.get(member), "{store}/{keyspace}");
                }
                rows += 1;
                let row = server.get(row["row"].as_str().unwrap());
                assert_eq!(row.status, 200);
                assert!(row.body.contains("class=\"spelled\""), "{}", row.body);
            }
        }
        assert!(rows > 0, "{store}");
    }
}
