//! Names and values that would be markup or code if they were not escaped.

use super::server::Server;
use crate::harness::Folder;

const LAYOUT: &str = r#"//! <script>alert(1)</script>
store s
/// "><img src=x onerror=alert(2)> `</code><script>alert(3)</script>`
map m = "<m>" {name: text(r"[ -~]{1,60}")} -> text
    scan all by name
"#;

#[test]
fn no_name_and_no_value_becomes_markup() {
    let folder = Folder::new().file("s.keys", LAYOUT);
    let value = r#""</td><script>alert(4)</script>\u202e\u0000'\"&""#;
    let line = format!(
        r#"{{"keyspace":"m","fields":{{"name":"<script>alert(5)</script>\"'&"}},"value":{value}}}"#
    );
    let shown = folder.run_with(&["import", "s.redb", "--layout", "s.keys", "--create"], line);
    assert!(shown.ends_with("--- exit 0\n"), "{shown}");
    let server = Server::start(&folder, &["s.redb"]);
    let rows = server.json("/keyspace/s/m");
    let row = rows["rows"][0]["row"].as_str().unwrap().to_owned();
    let script = "%3Cscript%3Ealert(6)%3C%2Fscript%3E%22%27";
    for path in [
        "/",
        "/keyspace/s/m",
        &row,
        &format!("/keyspace/s/m?f.name={script}"),
        &format!("/keyspace/{script}/{script}"),
        &format!("/keyspace/s/m?scan={script}&dir={script}&size={script}&after={script}"),
        &format!("/row/{script}/{script}"),
        &format!("/decode?key={script}&form=text"),
        &format!("/decode?key={script}&form={script}"),
        &format!("/search?q={script}"),
        &format!("/diff?new={script}"),
        &format!("/{script}"),
    ] {
        let page = server.get(path).body;
        // The only script of a page is the file of the server.
        assert_eq!(page.matches("<script").count(), 1, "{path}\n{page}");
        assert_eq!(page.matches("<img").count(), 0, "{path}");
        assert!(page.contains("<script src=\"/script.js\" defer></script>"), "{path}");
        let attributes = page.split('<').filter_map(|tag| tag.split('>').next());
        for tag in attributes {
            assert!(
                !tag.split('"').step_by(2).any(|part| part.contains(" on") && part.contains('=')),
                "{path}: <{tag}>"
            );
            assert!(!tag.contains("javascript:"), "{path}: <{tag}>");
        }
        assert!(!page.contains('\u{202e}') && !page.contains('\0'), "{path}");
    }
    let page = server.get(&row).body;
    assert!(page.contains("&lt;script&gt;alert(5)&lt;/script&gt;"), "{page}");
    assert!(page.contains("&lt;/td&gt;&lt;script&gt;alert(4)"), "{page}");
}
