//! The README shows this package, and what its program prints.
//!
//! `testing/generated` checks the error for the layout of the README that is not proved.

use std::{error::Error, fs, path::Path, process::Command};

const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

/// Returns the block of code that follows a sentence of the README.
fn block(sentence: &str) -> Result<String, Box<dyn Error>> {
    let readme = fs::read_to_string(Path::new(PACKAGE).join("../../README.md"))?;
    let (_, section) = readme.split_once("## In a Rust program\n").ok_or("no such section")?;
    let (_, rest) = section.split_once(sentence).ok_or(format!("no `{sentence}`"))?;
    let (_, rest) = rest.split_once("```").ok_or(format!("no code after `{sentence}`"))?;
    let (_, rest) = rest.split_once('\n').ok_or("the block does not end")?;
    Ok(rest.split("```").next().unwrap_or_default().to_owned())
}

#[test]
fn the_readme_shows_this_package() -> Result<(), Box<dyn Error>> {
    let file = |name: &str| fs::read_to_string(Path::new(PACKAGE).join(name));
    assert_eq!(file("src/main.rs")?, block("`src/main.rs`")?);

    let layout = block("`shop.keys`")?;
    let wrong = layout.lines().find(|line| line.contains("scan")).ok_or("no scan")?;
    assert_eq!(file("shop.keys")?, layout.replace(wrong, block("offers")?.trim_end()));

    // The dependencies have the paths and the features of this package: the default ones.
    let manifest = file("Cargo.toml")?;
    let dependencies = block("`Cargo.toml`")?;
    for line in dependencies.lines().skip(1) {
        let (name, path) = line.split_once(" = { path = \"../keyscape/").ok_or(line)?;
        let path = path.strip_suffix("\" }").ok_or(line)?;
        let library =
            fs::read_to_string(Path::new(PACKAGE).join("../..").join(path).join("Cargo.toml"))?;
        assert!(library.contains(&format!("name = \"{name}\"")), "{line}");
        assert!(manifest.contains(&format!("\n{name}")), "{line}");
    }
    Ok(())
}

#[test]
fn the_program_prints_its_rows_and_finds_them_again() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    for sentence in ["it compiles, and", "The second run"] {
        let output = Command::new(env!("CARGO_BIN_EXE_shop")).current_dir(&folder).output()?;
        assert!(output.status.success(), "{output:?}");
        let shown = block(sentence)?;
        let (command, printed) = shown.split_once('\n').ok_or("no output")?;
        assert_eq!((command, printed), ("$ cargo run", str::from_utf8(&output.stdout)?));
    }
    Ok(())
}
