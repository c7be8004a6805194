//! The layouts of this repository: their bytes compared with golden vectors, and their verdicts
//! with a table of known defects.

mod collisions;
mod files;
mod findings;
mod findings_bank;
mod findings_bitbadges;
mod findings_onesat;
mod findings_osmosis;
mod findings_paw;
mod fixes;
mod golden;
mod golden_bank;
mod golden_bitbadges;
mod golden_onesat;
mod golden_osmosis;
mod golden_paw;
mod golden_rows;
mod scores;
