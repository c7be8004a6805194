//! Programs with mistakes do not compile, and the errors name the mistake.
//!
//! A program that begins with `//~ LINE CODE…` has an error of the compiler with one of these codes
//! in that line. The wording of such errors changes with the compiler; a line `//~ says TEXT` names
//! a part that comes from generated code. The errors of the macro are compared word for word.

use serde_json::Value;
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The root of the workspace.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A compiler of programs outside the workspace that depend on `keyscape` and `serde`.
struct Compiler {
    folder: tempfile::TempDir,
    /// The metadata of the two libraries, from which a program can be checked.
    libraries: Vec<(String, PathBuf)>,
}

/// An error of the compiler.
#[derive(Debug)]
struct CompileError {
    line: u64,
    code: String,
    text: String,
}

impl Compiler {
    /// Checks `keyscape` with its default features and `json`, as a program that depends on it
    /// would. The other features stay off, because a program may miss one.
    fn new() -> Result<Self, Box<dyn Error>> {
        // A test is at TARGET/PROFILE/deps/NAME.
        let test = std::env::current_exe()?;
        let target = test.ancestors().nth(3).ok_or("no folder of targets")?;
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["check", "--quiet", "--locked", "--package", "keyscape", "--features", "json"]);
        cargo.args(["--message-format=json", "--target-dir"]).arg(target).current_dir(ROOT);
        let output = cargo.env_remove("RUSTC_WORKSPACE_WRAPPER").output()?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut libraries = Vec::new();
        for message in messages(&output.stdout)? {
            let name = message["target"]["name"].as_str().unwrap_or_default();
            let files = message["filenames"].as_array().map(Vec::as_slice).unwrap_or_default();
            let file = files.iter().filter_map(Value::as_str).find(|file| file.ends_with(".rmeta"));
            if let (true, Some(file)) = (["keyscape", "serde"].contains(&name), file) {
                libraries.push((name.to_owned(), file.into()));
            }
        }
        assert_eq!(libraries.len(), 2, "{libraries:?}");
        Ok(Self { folder: tempfile::tempdir()?, libraries })
    }

    /// Writes a file of the package.
    fn write(&self, path: &str, text: &str) -> Result<(), Box<dyn Error>> {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        Ok(fs::write(path, text)?)
    }

    /// Returns the errors of a program.
    fn errors(&self, program: &str) -> Result<Vec<CompileError>, Box<dyn Error>> {
        let mut rustc = Command::new(Path::new(env!("CARGO")).with_file_name("rustc"));
        rustc.args(["--edition=2024", "--emit=metadata", "--error-format=json", program]);
        for (name, file) in &self.libraries {
            let dependencies = file.parent().ok_or("no folder")?.display();
            rustc.arg("--extern").arg(format!("{name}={}", file.display()));
            rustc.arg("-L").arg(format!("dependency={dependencies}"));
        }
        rustc.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", self.folder.path());
        let mut errors = Vec::new();
        for message in messages(&rustc.output()?.stderr)? {
            let spans = message["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
            let primary = spans.iter().find(|span| span["is_primary"] == true);
            // The summary that follows all errors of a program has no span.
            let Some(primary) = primary.filter(|_| message["level"] == "error") else { continue };
            errors.push(CompileError {
                line: primary["line_start"].as_u64().ok_or("no line")?,
                code: message["code"]["code"].as_str().unwrap_or_default().to_owned(),
                text: message["rendered"].as_str().unwrap_or_default().to_owned(),
            });
        }
        Ok(errors)
    }
}

/// Parses JSON objects, one per line.
fn messages(lines: &[u8]) -> Result<Vec<Value>, Box<dyn Error>> {
    Ok(str::from_utf8(lines)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Parses the expected line and error codes from the first line of a program.
fn expected(text: &str) -> Option<(u64, Vec<&str>)> {
    let mut words = text.lines().next()?.strip_prefix("//~ ")?.split(' ');
    Some((words.next()?.parse().ok()?, words.collect()))
}

#[test]
fn mistakes_do_not_compile() -> Result<(), Box<dyn Error>> {
    let compiler = Compiler::new()?;
    let correct = "keyscape::layout!(r#\"store s item one = 0x01 -> text\"#);\nfn main() {}";
    compiler.write("src/bin/correct.rs", correct)?;
    let errors = compiler.errors("src/bin/correct.rs")?;
    assert!(errors.is_empty(), "a program without mistakes does not compile: {errors:#?}");

    let mut count = 0;
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes"))? {
        let path = file?.path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        count += 1;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&path)?;
        let program = format!("src/bin/{name}.rs");
        compiler.write(&program, &text)?;
        let found = compiler.errors(&program)?;
        assert!(!found.is_empty(), "`{name}` compiles");
        if let Some((line, codes)) = expected(&text) {
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
                insta::assert_snapshot!(&*name, texts.join("\n"));
            });
        }
    }
    assert!(count >= 17, "programs are missing");

    // The README shows the error of its own layout before the fix.
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md"))?;
    let (_, section) = readme.split_once("## In a Rust program\n").ok_or("no such section")?;
    let block = |sentence: &str| {
        let (_, rest) = section.split_once(sentence)?;
        let block = rest.split("```").nth(1)?;
        block.split_once('\n').map(|(_, code)| code)
    };
    compiler.write("shop.keys", block("`shop.keys`").ok_or("no layout")?)?;
    compiler.write("src/main.rs", block("`src/main.rs`").ok_or("no program")?)?;
    let found = compiler.errors("src/main.rs")?;
    let lines: Vec<&str> = found.iter().flat_map(|error| error.text.lines()).collect();
    for line in block("It does not compile").ok_or("no error")?.lines().skip(1) {
        assert!(lines.iter().any(|other| other.trim() == line.trim()), "no `{line}` in {found:#?}");
    }
    Ok(())
}
