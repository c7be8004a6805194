//! The layouts of this repository: their bytes compared with golden vectors, and their verdicts
//! with a table of known defects.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

#[path = "layouts/collisions.rs"]
mod collisions;
#[path = "layouts/files.rs"]
mod files;
#[path = "layouts/findings.rs"]
mod findings;
#[path = "layouts/findings_bank.rs"]
mod findings_bank;
#[path = "layouts/findings_bitbadges.rs"]
mod findings_bitbadges;
#[path = "layouts/findings_onesat.rs"]
mod findings_onesat;
#[path = "layouts/findings_osmosis.rs"]
mod findings_osmosis;
#[path = "layouts/findings_paw.rs"]
mod findings_paw;
#[path = "layouts/fixes.rs"]
mod fixes;
#[path = "layouts/golden.rs"]
mod golden;
#[path = "layouts/golden_bank.rs"]
mod golden_bank;
#[path = "layouts/golden_bitbadges.rs"]
mod golden_bitbadges;
#[path = "layouts/golden_onesat.rs"]
mod golden_onesat;
#[path = "layouts/golden_osmosis.rs"]
mod golden_osmosis;
#[path = "layouts/golden_paw.rs"]
mod golden_paw;
#[path = "layouts/golden_rows.rs"]
mod golden_rows;
#[path = "support/replay.rs"]
mod replay;
#[path = "support/repository.rs"]
mod repository;
#[path = "layouts/scores.rs"]
mod scores;
#[path = "support/values.rs"]
mod values;
