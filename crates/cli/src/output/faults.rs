//! Rows that contradict the layout: warnings and exit statuses.

use super::stderr::{many, warn};
use crate::{
    database::{Faults, OpenDatabase},
    exit::Exit,
};

/// Prints the faults, and returns the exit status.
pub(crate) fn report(faults: Faults, base: &OpenDatabase<'_>) -> Exit {
    if faults.unknown > 0 {
        let belong = if faults.unknown == 1 { "belongs" } else { "belong" };
        let title = format!("skipped {} that {belong} to no keyspace", many(faults.unknown, "row"));
        warn(title, Some("`keyscape stat` counts them, `keyscape export` prints them"));
    }
    let rest = report_counted(Faults { unknown: 0, ..faults }, base);
    if faults.unknown > 0 { Exit::Refuted } else { rest }
}

/// Prints the faults except unknown rows, which have been printed before.
pub(crate) fn report_counted(faults: Faults, base: &OpenDatabase<'_>) -> Exit {
    if faults.values > 0 {
        let have = if faults.values == 1 { "does not have" } else { "do not have" };
        let title = format!("{} {have} the declared form", many(faults.values, "value"));
        warn(title, Some("`keyscape export` prints them as `raw`"));
    }
    let ambiguous = base.reader.ambiguous();
    if ambiguous > 0 {
        let have = if ambiguous == 1 { "has" } else { "have" };
        let title =
            format!("{} {have} several readings; the first is used", many(ambiguous, "key"));
        warn(title, Some("`keyscape check` shows why"));
    }
    let clean = faults.unknown + faults.values + ambiguous == 0;
    if clean { Exit::Fine } else { Exit::Refuted }
}
