//! Runs every target on its seeds and on its earlier failing inputs.

use keyscape_fuzz::TARGETS;
use std::{fs, path::Path};

#[test]
fn seeds_and_earlier_failing_inputs_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("regressions");
    for target in TARGETS {
        for input in (target.seeds)() {
            (target.run)(&input);
        }
        let Ok(entries) = fs::read_dir(folder.join(target.name)) else { continue };
        for entry in entries {
            let input = fs::read(entry.unwrap().path()).unwrap();
            (target.run)(&input);
        }
    }
}
