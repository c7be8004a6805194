//! Workspace rules that a program can check.

use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The longest source file, in lines.
const MAX_LINES: usize = 500;
/// The longest file of tests, in lines.
const MAX_TEST_LINES: usize = 600;
/// The longest comment line, in characters.
const MAX_COMMENT: usize = 100;
/// File names that do not name their contents.
const UNSPECIFIC: &[&str] = &["utils.rs", "util.rs", "common.rs", "helpers.rs", "misc.rs"];

/// Checks all workspace rules and reports every breach.
pub(crate) fn check() -> Result<(), String> {
    let mut breaches = Vec::new();
    layers(&mut breaches)?;
    files(&mut breaches)?;
    if breaches.is_empty() {
        return Ok(());
    }
    Err(breaches.join("\n"))
}

/// Returns the manifests of the workspace.
pub(crate) fn metadata() -> Result<Value, String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--locked"])
        .output()
        .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("cargo metadata does not parse: {error}"))
}

/// Whether a package may be published.
pub(crate) fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

/// Checks the manifest of a package that may be published.
fn published(package: &Value, all: &[Value], breaches: &mut Vec<String>) {
    if !is_published(package) {
        return;
    }
    let name = package["name"].as_str().unwrap_or_default();
    for field in ["description", "license", "readme"] {
        if package[field].as_str().is_none_or(str::is_empty) {
            breaches.push(format!("{name} is published, but its manifest has no `{field}`"));
        }
    }
    for field in ["repository", "homepage", "documentation"] {
        if let Some(address) = package[field].as_str() {
            breaches
                .push(format!("{name} names `{address}` as its `{field}`: the project has none"));
        }
    }
    let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    for dependency in dependencies.iter().filter(|dependency| dependency["kind"] != "dev") {
        let is_it = |other: &&Value| other["name"] == dependency["name"];
        if all.iter().find(is_it).is_some_and(|other| !is_published(other)) {
            let other = dependency["name"].as_str().unwrap_or_default();
            breaches.push(format!("{name} is published and depends on {other}, which is not"));
        }
    }
    // A registry needs tests' dependencies with a version first, which is impossible in a circle.
    for dependency in dependencies.iter().filter(|dependency| dependency["kind"] == "dev") {
        let other = dependency["name"].as_str().unwrap_or_default();
        if dependency["req"] != "*" && needs(all, other, name) {
            breaches.push(format!("the tests of {name} need {other}, which needs it: use a path"));
        }
    }
}

/// Whether a package depends on another one, not only for tests.
fn needs(all: &[Value], package: &str, other: &str) -> bool {
    let found = all.iter().find(|found| found["name"] == package);
    let dependencies = found.and_then(|found| found["dependencies"].as_array());
    dependencies.into_iter().flatten().filter(|dependency| dependency["kind"] != "dev").any(
        |dependency| {
            let name = dependency["name"].as_str().unwrap_or_default();
            name == other || needs(all, name, other)
        },
    )
}

fn layers(breaches: &mut Vec<String>) -> Result<(), String> {
    let metadata = metadata()?;
    let architecture = read(Path::new("ARCHITECTURE.md"))?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    for package in packages {
        published(package, packages, breaches);
        for target in package["targets"].as_array().into_iter().flatten() {
            unused_tests(target, breaches)?;
        }
    }
    compare_dependencies(packages, &architecture, breaches);
    Ok(())
}

/// Compares the dependencies of all crates, without those of tests, with the table of a page. The
/// text of the page must describe each crate.
fn compare_dependencies(packages: &[Value], page: &str, breaches: &mut Vec<String>) {
    let folders: BTreeMap<&str, &str> = packages
        .iter()
        .filter_map(|package| Some((package["name"].as_str()?, folder(package)?)))
        .collect();
    let rows: Vec<_> = page.lines().filter_map(table_row).collect();
    for package in packages {
        let Some(name) = folder(package) else { continue };
        let begins = [format!("**`{name}`**"), format!("- `{name}`"), format!("  - `{name}`")];
        if !page.lines().any(|line| begins.iter().any(|begin| line.starts_with(begin))) {
            breaches.push(format!("ARCHITECTURE.md does not describe `{name}`"));
        }
        let of_name = rows.iter().filter(|(crates, ..)| crates.contains(name));
        let of_name: Vec<_> = of_name.map(|(_, allowed, reason)| (allowed, *reason)).collect();
        let Some((_, reason)) = of_name.first() else {
            breaches.push(format!("ARCHITECTURE.md has no row for `{name}` in its table"));
            continue;
        };
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let used: BTreeSet<&str> = dependencies
            .filter(|dependency| dependency["kind"].is_null())
            .filter_map(|dependency| folders.get(dependency["name"].as_str()?).copied())
            .collect();
        let allowed: BTreeSet<&str> = of_name.iter().flat_map(|(row, _)| *row).copied().collect();
        for other in used.difference(&allowed) {
            breaches.push(format!(
                "`{name}` depends on `{other}`, which ARCHITECTURE.md does not allow: {reason}"
            ));
        }
        for other in allowed.difference(&used) {
            breaches.push(format!(
                "`{name}` does not depend on `{other}`: correct its row in ARCHITECTURE.md"
            ));
        }
    }
}

/// Returns the name of the folder of a package.
fn folder(package: &Value) -> Option<&str> {
    Path::new(package["manifest_path"].as_str()?).parent()?.file_name()?.to_str()
}

/// Reads a row of a table about crates: their names, their dependencies and a reason.
fn table_row(line: &str) -> Option<(BTreeSet<&str>, BTreeSet<&str>, &str)> {
    let cells = line.strip_prefix("| `")?.strip_suffix(" |")?;
    let (crates, rest) = cells.split_once("` | ")?;
    let (dependencies, reason) = rest.split_once(" | ")?;
    // The names are every second piece between backticks.
    let crates = crates.split('`').step_by(2).collect();
    let dependencies = dependencies.split('`').skip(1).step_by(2).collect();
    Some((crates, dependencies, reason))
}

/// Reports tests in the sources of a target whose manifest turns tests off. Without unit tests, a
/// library need not be built twice.
fn unused_tests(target: &Value, breaches: &mut Vec<String>) -> Result<(), String> {
    let path = target["src_path"].as_str().map(Path::new).and_then(Path::parent);
    let Some(folder) = path.filter(|folder| folder.ends_with("src")) else { return Ok(()) };
    let mut sources = Vec::new();
    collect(folder, &mut sources);
    for source in sources {
        let text = read(&source)?;
        let mut lines = text.lines().map(str::trim);
        let shown = source.display();
        if target["test"] == false && lines.clone().any(|line| line == "#[test]") {
            breaches.push(format!("{shown} contains a test, but its target has `test = false`"));
        }
        let is_example = |line: &str| line == "/// ```" || line == "//! ```";
        if target["doctest"] == false && is_library(target) && lines.any(is_example) {
            breaches.push(format!("{shown} has an example, but its target has `doctest = false`"));
        }
    }
    Ok(())
}

fn is_library(target: &Value) -> bool {
    let kinds = target["kind"].as_array().map(Vec::as_slice).unwrap_or_default();
    kinds.iter().any(|kind| kind == "lib" || kind == "proc-macro")
}

fn files(breaches: &mut Vec<String>) -> Result<(), String> {
    let mut sources = Vec::new();
    for root in ["crates", "modules", "testing", "bench", "examples", "xtask"] {
        collect(Path::new(root), &mut sources);
    }
    for path in sources {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = read(&path)?;
        let shown = path.display();
        let is_test = path.components().any(|part| part.as_os_str() == "tests");
        let limit = if is_test { MAX_TEST_LINES } else { MAX_LINES };
        if text.lines().count() > limit && !text.starts_with("// Generated by") {
            breaches.push(format!("{shown} has more than {limit} lines: split it by noun"));
        }
        if UNSPECIFIC.contains(&name.as_str()) {
            breaches.push(format!("{shown} has an unspecific name"));
        }
        for word in [
            concat!("to", "do!("),
            concat!("#[ig", "nore"),
            concat!("FIX", "ME"),
            concat!("d", "bg!("),
        ] {
            if text.contains(word) {
                breaches.push(format!("{shown} contains `{word}`"));
            }
        }
        for (number, line) in text.lines().enumerate() {
            if is_long_comment(line) {
                let number = number + 1;
                breaches
                    .push(format!("{shown}:{number}: wrap the comment at {MAX_COMMENT} columns"));
            }
        }
        if !is_test && path.starts_with("crates") && searches_codec_text(&text) {
            breaches.push(format!("{shown} searches the text of a codec: ask its description"));
        }
    }
    Ok(())
}

/// Whether a line is a comment above the limit. Expected compiler errors (`//~`) have no limit.
fn is_long_comment(line: &str) -> bool {
    let text = line.trim_start();
    text.starts_with("//") && !text.starts_with("//~") && line.chars().count() > MAX_COMMENT
}

/// Whether code searches or compares the text of a codec. The text is for readers; code calls
/// `Codec::describe`.
fn searches_codec_text(source: &str) -> bool {
    let dense: String = source.split_whitespace().collect();
    let methods = ["contains", "starts_with", "ends_with", "find", "matches", "split", "strip_"];
    let is_search = |after: &str| {
        let method = after.strip_prefix('.');
        let searched = method.is_some_and(|name| methods.iter().any(|m| name.starts_with(m)));
        searched || after.starts_with("==") || after.starts_with("!=")
    };
    ["codec.text()", "describe().to_string()"].iter().any(|text| {
        dense.match_indices(text).any(|(at, _)| is_search(&dense[at + text.len()..]))
            || dense.contains(&format!("=={text}"))
            || dense.contains(&format!("parse(&{text}"))
    })
}

fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(path);
        }
    }
}

/// Returns the sorted entries of a folder.
pub(crate) fn entries(folder: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot read {folder}: {error}"))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::{compare_dependencies, is_long_comment, needs, published, searches_codec_text};
    use serde_json::json;

    #[test]
    fn a_published_crate_describes_itself_and_needs_no_private_one() {
        let breaches = |package: &serde_json::Value| {
            let mut breaches = Vec::new();
            published(package, &[json!({"name": "private", "publish": []})], &mut breaches);
            breaches.len()
        };
        let mut package = json!({
            "name": "public", "description": "It is good.", "license": "MIT", "readme": "README.md",
            "dependencies": [{"name": "private", "kind": "dev"}],
        });
        assert_eq!(breaches(&package), 0);
        package["repository"] = json!("https://example.org");
        package["readme"] = json!(null);
        package["dependencies"][0]["kind"] = json!(null);
        assert_eq!(breaches(&package), 3);
        package["publish"] = json!([]);
        assert_eq!(breaches(&package), 0);

        let user = [json!({"name": "user", "dependencies": [{"name": "public", "kind": null}]})];
        assert!(needs(&user, "user", "public") && !needs(&user, "public", "user"));
    }

    #[test]
    fn dependencies_that_differ_from_the_table_are_found() {
        let package = |name: &str, needs: &[&str]| {
            let needs: Vec<_> =
                needs.iter().map(|name| json!({"name": name, "kind": null})).collect();
            let manifest = format!("/{name}/Cargo.toml");
            json!({"name": name, "manifest_path": manifest, "dependencies": needs})
        };
        let packages = [
            package("bytes", &["serde"]),
            package("keys", &["bytes"]),
            package("rows", &["bytes", "keys"]),
        ];
        let breaches = |page: &str| {
            let mut breaches = Vec::new();
            compare_dependencies(&packages, page, &mut breaches);
            breaches
        };
        let described = "**`bytes`**: text\n**`keys`**: text\n- `rows` (crates/rows). Text\n";
        let page =
            format!("{described}| `bytes` | nothing | a |\n| `keys`, `rows` | `bytes` | b |\n");
        assert_eq!(breaches(&format!("{page}| `rows` | `keys` | c |\n")), Vec::<String>::new());
        let unlisted = "`rows` depends on `keys`, which ARCHITECTURE.md does not allow: b";
        assert_eq!(breaches(&page), [unlisted]);
        let page =
            "- `bytes`\n- `keys`\n| `bytes` | `rows` | a |\n| `rows` | `bytes`, `keys` | b |\n";
        assert_eq!(
            breaches(page),
            [
                "`bytes` does not depend on `rows`: correct its row in ARCHITECTURE.md",
                "ARCHITECTURE.md has no row for `keys` in its table",
                "ARCHITECTURE.md does not describe `rows`",
            ]
        );
    }

    #[test]
    fn long_comments_are_found() {
        let text = "é".repeat(97);
        assert!(is_long_comment(&format!(" // {text}")));
        assert!(!is_long_comment(&format!("// {text}")));
        assert!(!is_long_comment(&format!("//~ says {text}")));
    }

    #[test]
    fn searches_of_codec_text_are_found() {
        for source in [
            r#"leaf.codec.text().starts_with("desc(")"#,
            "codec\n    .text()\n    .contains(inner)",
            "a.codec.text() == b.codec.text()",
            "parse(&codec.text())",
            "codec.describe().to_string().find('(')",
        ] {
            assert!(searches_codec_text(source), "{source}");
        }
        for source in
            ["format!(\"`{}`\", leaf.codec.text())", "memory.limit(rule, codec.text(), find)"]
        {
            assert!(!searches_codec_text(source), "{source}");
        }
    }
}
