//! Programs with mistakes do not compile, and the errors name the mistake.
//!
//! A program that begins with `//~ LINE CODE…` has an error of the compiler with one of these codes
//! in that line. The wording of such errors changes with the compiler; a line `//~ says TEXT` names
//! a part that comes from generated code. The errors of the macro are compared word for word.

use crate::project::{Outcome, Project, ROOT, printed};
use std::{collections::BTreeMap, error::Error, fs, path::Path, process::Output};

/// Parses the expected line and error codes from the first line of a program.
fn expected(text: &str) -> Option<(u64, Vec<&str>)> {
    let mut words = text.lines().next()?.strip_prefix("//~ ")?.split(' ');
    Some((words.next()?.parse().ok()?, words.collect()))
}

/// An error of the compiler.
#[derive(Debug)]
struct CompileError {
    line: u64,
    code: String,
    text: String,
}

/// Returns the errors of the compiler by program.
fn errors(output: &Output) -> Result<BTreeMap<String, Vec<CompileError>>, Box<dyn Error>> {
    let mut errors: BTreeMap<String, Vec<CompileError>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout.clone())?.lines() {
        let value: serde_json::Value = serde_json::from_str(line)?;
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let message = &value["message"];
        let spans = message["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
        let primary = spans.iter().find(|span| span["is_primary"] == true);
        // The summary that follows all errors of a program has no span.
        let Some(primary) = primary.filter(|_| message["level"] == "error") else { continue };
        errors.entry(text(&value["target"]["name"])).or_default().push(CompileError {
            line: primary["line_start"].as_u64().ok_or("no line")?,
            code: text(&message["code"]["code"]),
            text: text(&message["rendered"]),
        });
    }
    Ok(errors)
}

#[test]
fn mistakes_do_not_compile() -> Outcome {
    let root = fs::canonicalize(ROOT)?;
    let project = Project::new(&format!(
        "[package]\nname = \"mistakes\"\nedition = \"2024\"\n\n[dependencies]\n\
         keyscape = {{ path = \"{}/crates/keyscape\", features = [\"json\"] }}\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\n",
        root.display()
    ))?;
    let mut programs = BTreeMap::new();
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes"))? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path)?;
            project.write(&format!("src/bin/{name}.rs"), &text)?;
            programs.insert(name, text);
        }
    }
    assert!(programs.len() >= 17, "programs are missing");
    let output = project.cargo(&["check", "--bins", "--keep-going", "--message-format=json"])?;
    let mut errors = errors(&output)?;
    for (name, text) in &programs {
        let found =
            errors.remove(name).ok_or(format!("`{name}` compiles\n{}", printed(&output)))?;
        if let Some((line, codes)) = expected(text) {
            let fits =
                |error: &CompileError| error.line == line && codes.contains(&error.code.as_str());
            assert!(found.iter().all(fits), "{name}: {found:#?}");
            for words in text.lines().filter_map(|line| line.strip_prefix("//~ says ")) {
                let is_said = found.iter().any(|error| error.text.contains(words));
                assert!(is_said, "{name}: {words} is not in {found:#?}");
            }
        } else {
            let texts: Vec<&str> = found.iter().map(|error| error.text.as_str()).collect();
            insta::with_settings!({ snapshot_path => "mistakes", prepend_module_to_snapshot => false }, {
                insta::assert_snapshot!(name.as_str(), texts.join("\n"));
            });
        }
    }
    Ok(())
}
