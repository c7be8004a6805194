//! Counts of allocations and instructions. Separate processes count them, because a counting
//! allocator and a simulated processor would distort the times.

use keyscape_bench::Entry;
use std::{collections::HashMap, process::Command};

/// The counts by group and side.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    allocations: HashMap<(String, usize), f64>,
    instructions: HashMap<(String, usize), f64>,
}

impl Counts {
    /// Returns the number of allocations of one operation.
    #[must_use]
    pub fn allocations(&self, id: &str, side: usize) -> Option<f64> {
        self.allocations.get(&(id.to_owned(), side)).copied()
    }

    /// Returns the number of instructions of one operation.
    #[must_use]
    pub fn instructions(&self, id: &str, side: usize) -> Option<f64> {
        self.instructions.get(&(id.to_owned(), side)).copied()
    }

    /// Counts allocations with the program `allocations`, which has a counting allocator.
    ///
    /// # Errors
    /// Returns a message if the program fails.
    pub fn count_allocations(&mut self) -> Result<(), String> {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let output = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--release", "--locked", "--bin", "allocations"])
            .args(["--manifest-path", manifest])
            .output()
            .map_err(|error| format!("cannot count allocations: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let mut parts = line.split('\t');
            let (id, side, count) = (parts.next(), parts.next(), parts.next());
            let (Some(id), Some(Ok(side)), Some(Ok(count))) =
                (id, side.map(str::parse), count.map(str::parse))
            else {
                return Err(format!("cannot read the count of allocations `{line}`"));
            };
            self.allocations.insert((id.to_owned(), side), count);
        }
        Ok(())
    }

    /// Counts the instructions of all sides of a group under callgrind. Subtracts a run with fewer
    /// batches to exclude the start of the program and the preparation. Counts nothing if callgrind
    /// is missing.
    pub fn count_instructions(&mut self, entry: &Entry) {
        const FEW: u32 = 1;
        const MORE: u32 = 3;
        for (at, side) in (entry.build)().sides.iter().enumerate() {
            let [few, more] = [FEW, MORE].map(|batches| collected(&entry.id, at, batches));
            if let (Some(few), Some(more), false) = (few, more, side.prepares()) {
                let batches = f64::from(MORE - FEW);
                let each = (more - few) / batches / keyscape_bench::inputs::COUNT as f64;
                self.instructions.insert((entry.id.clone(), at), each);
            }
        }
    }
}

/// Returns the number of instructions of a process that runs `batches` batches of one side.
fn collected(id: &str, side: usize, batches: u32) -> Option<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args(["--probe", id, &side.to_string(), &batches.to_string()])
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.split_once("Collected :"))?;
    line.1.trim().parse().ok()
}
