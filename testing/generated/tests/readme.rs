//! The program that the README describes, built outside the workspace from the text of the README.

use crate::project::{Outcome, Project, ROOT, printed};
use std::{error::Error, fs, path::Path, process::Output};

/// Returns the section of the README about Rust programs.
fn section() -> Result<String, Box<dyn Error>> {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md"))?;
    let (_, rest) = readme.split_once("## In a Rust program\n").ok_or("no such section")?;
    Ok(rest.split("\n## ").next().unwrap_or_default().to_owned())
}

/// Returns the block of code that follows a sentence.
fn block<'t>(section: &'t str, sentence: &str) -> Result<&'t str, String> {
    let (_, rest) = section.split_once(sentence).ok_or(format!("no `{sentence}`"))?;
    let (_, rest) = rest.split_once("```").ok_or(format!("no code after `{sentence}`"))?;
    let (_, rest) = rest.split_once('\n').ok_or("the block does not end")?;
    Ok(rest.split("```").next().unwrap_or_default())
}

/// Asserts that the output contains each line that the README shows.
fn shows(output: &Output, lines: &str) {
    let printed = printed(output);
    for line in lines.lines().filter(|line| !line.starts_with('$')) {
        assert!(
            printed.lines().any(|other| other.trim() == line.trim()),
            "no `{line}` in\n{printed}"
        );
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
    assert!(!refused.status.success(), "an unsound layout compiled\n{}", printed(&refused));
    shows(&refused, block(&section, "It does not compile")?);

    let fix = block(&section, "offers")?.trim_end();
    let wrong = layout.lines().find(|line| line.contains("scan")).ok_or("no scan")?;
    project.write("shop.keys", &layout.replace(wrong, fix))?;
    let first = project.cargo(&["run"])?;
    assert!(first.status.success(), "{}", printed(&first));
    shows(&first, block(&section, "it compiles, and")?);
    // The second run finds the rows of the first.
    let second = project.cargo(&["run"])?;
    assert!(second.status.success(), "{}", printed(&second));
    shows(&second, block(&section, "the second time")?);
    assert_ne!(first.stdout, second.stdout);
    Ok(())
}
