//! Packages outside the workspace: the one that the README describes, from its text alone, and programs with mistakes
//! that the compiler puts into its own words.

#[path = "outside/project.rs"]
mod project;

use project::{Project, ROOT};
use std::{collections::BTreeSet, error::Error, fs, path::Path, process::Output};

type Outcome = Result<(), Box<dyn Error>>;

/// The part of the README about Rust programs.
fn section() -> Result<String, Box<dyn Error>> {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md"))?;
    let (_, rest) = readme.split_once("## In a Rust program\n").ok_or("no such section")?;
    Ok(rest.split("\n## ").next().unwrap_or_default().to_owned())
}

/// The block of code that follows a sentence.
fn block<'t>(section: &'t str, sentence: &str) -> Result<&'t str, String> {
    let (_, rest) = section.split_once(sentence).ok_or(format!("no `{sentence}`"))?;
    let (_, rest) = rest.split_once("```").ok_or(format!("no code behind `{sentence}`"))?;
    let (_, rest) = rest.split_once('\n').ok_or("the block does not end")?;
    Ok(rest.split("```").next().unwrap_or_default())
}

fn said(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}\n{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

/// Each line of the README is one of the output.
fn shows(output: &Output, lines: &str) {
    let said = said(output);
    for line in lines.lines().filter(|line| !line.starts_with('$')) {
        assert!(said.lines().any(|other| other.trim() == line.trim()), "no `{line}` in\n{said}");
    }
}

#[test]
fn the_program_of_the_readme_compiles_once_its_layout_is_proved() -> Outcome {
    let section = section()?;
    let root = fs::canonicalize(ROOT)?;
    let dependencies =
        block(&section, "`Cargo.toml`")?.replace("../keyscape", &root.display().to_string());
    let package = "[package]\nname = \"shop\"\nedition = \"2024\"\n";
    let project = Project::new(&format!("{package}\n{dependencies}"))?;
    let layout = block(&section, "`shop.keys`")?;
    project.write("shop.keys", layout)?;
    project.write("src/main.rs", block(&section, "`src/main.rs`")?)?;

    let refused = project.cargo(&["run"])?;
    assert!(!refused.status.success(), "an unsound layout compiled\n{}", said(&refused));
    shows(&refused, block(&section, "It does not compile")?);

    let fix = block(&section, "offers")?.trim_end();
    let wrong = layout.lines().find(|line| line.contains("scan")).ok_or("no scan")?;
    project.write("shop.keys", &layout.replace(wrong, fix))?;
    let first = project.cargo(&["run"])?;
    assert!(first.status.success(), "{}", said(&first));
    shows(&first, block(&section, "it compiles, and")?);
    // What it wrote is there when it is run again.
    let second = project.cargo(&["run"])?;
    assert!(second.status.success(), "{}", said(&second));
    shows(&second, block(&section, "the second time")?);
    assert_ne!(first.stdout, second.stdout);
    Ok(())
}

/// The line and the codes that a program says its error has.
fn expected(text: &str) -> Option<(u64, Vec<&str>)> {
    let mut words = text.lines().next()?.strip_prefix("//~ ")?.split(' ');
    Some((words.next()?.parse().ok()?, words.collect()))
}

/// The program, line and code of an error of the compiler.
type Place = (String, u64, String);

/// The errors of the compiler.
fn errors(output: &Output) -> Result<BTreeSet<Place>, Box<dyn Error>> {
    let mut errors = BTreeSet::new();
    for line in String::from_utf8(output.stdout.clone())?.lines() {
        let message: serde_json::Value = serde_json::from_str(line)?;
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let said = &message["message"];
        if said["level"] != "error" || said["code"].is_null() {
            continue;
        }
        let spans = said["spans"].as_array().ok_or("no places")?;
        let main = spans.iter().find(|span| span["is_primary"] == true).ok_or("no place")?;
        let line = main["line_start"].as_u64().ok_or("no line")?;
        errors.insert((text(&message["target"]["name"]), line, text(&said["code"]["code"])));
    }
    Ok(errors)
}

#[test]
fn mistakes_are_errors_of_the_compiler_where_they_are_made() -> Outcome {
    let root = fs::canonicalize(ROOT)?;
    let manifest = format!(
        "[package]\nname = \"mistakes\"\nedition = \"2024\"\n\n[dependencies]\n\
         keyscape = {{ path = \"{}/crates/keyscape\", features = [\"json\"] }}\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\n",
        root.display()
    );
    let project = Project::new(&manifest)?;
    let mut wanted = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside/mistakes");
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path)?;
        project.write(&format!("src/bin/{name}.rs"), &text)?;
        let (line, codes) = expected(&text).ok_or(format!("{name} does not say its error"))?;
        wanted.push((name, line, codes.into_iter().map(str::to_owned).collect::<Vec<_>>()));
    }
    let output = project.cargo(&["build", "--bins", "--keep-going", "--message-format=json"])?;
    let mut errors = errors(&output)?;
    for (name, line, codes) in &wanted {
        let of_name = |error: &(String, u64, String)| {
            error.0 == *name && error.1 == *line && codes.contains(&error.2)
        };
        assert!(errors.iter().any(of_name), "{name}: {errors:?}\n{}", said(&output));
        errors.retain(|error| !of_name(error));
    }
    assert!(errors.is_empty(), "more errors than there are mistakes: {errors:?}");
    assert!(wanted.len() >= 7, "mistakes are missing");
    Ok(())
}
