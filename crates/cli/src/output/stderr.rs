//! Messages on stderr.

use super::message::{Level, Message};
use crate::{
    database::{Faults, OpenDatabase, engine::HIDDEN},
    failure::Exit,
};
use keyscape_diagnostics::escape::escaped;
use std::io::Write;

pub(crate) use keyscape_inspect::many;

/// Prints a message. A closed stderr is ignored.
pub(crate) fn say(message: &Message) {
    let mut message = message.clone();
    // A command in the help cannot be run as it is printed.
    if let Some(help) = message.help.as_mut().filter(|help| help.contains(HIDDEN)) {
        help.push_str(&format!(", with the password in place of `{HIDDEN}`"));
    }
    print(&message.render(None));
}

/// Prints a warning.
pub(crate) fn warn(title: impl Into<String>, help: Option<&str>) {
    say(&Message::new(Level::Warning, title).with_help(help.map(str::to_owned)));
}

/// Prints a line to stderr. Escapes characters that a terminal would obey.
pub(crate) fn line(text: &str) {
    print(&format!("{}\n", escaped(text)));
}

/// Prints rendered text to stderr.
pub(crate) fn print(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Warns about rows that contradict the layout, and returns the exit status.
pub(crate) fn report_faults(faults: Faults, base: &OpenDatabase<'_>) -> Exit {
    let Faults { unknown, values, .. } = faults;
    let ambiguous = base.reader.ambiguous();
    let verb = |count, one, several| if count == 1 { one } else { several };
    let (belong, have) = (verb(unknown, "belongs", "belong"), verb(ambiguous, "has", "have"));
    let have_not = verb(values, "does not have", "do not have");
    let faults = [
        (
            unknown,
            format!("skipped {} that {belong} to no keyspace", many(unknown, "row")),
            "`keyscape stat` counts them, `keyscape export` prints them",
        ),
        (
            values,
            format!("{} {have_not} the declared form", many(values, "value")),
            "`keyscape export` prints them as `raw`",
        ),
        (
            ambiguous,
            format!("{} {have} several readings; the first is used", many(ambiguous, "key")),
            "`keyscape check` shows why",
        ),
    ];
    let mut exit = Exit::Fine;
    for (_, title, help) in faults.into_iter().filter(|(count, ..)| *count > 0) {
        warn(title, Some(help));
        exit = Exit::Refuted;
    }
    exit
}
