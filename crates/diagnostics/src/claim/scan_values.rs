//! The requested values of a scan, and the other values whose rows it reads.

use super::scan_exact::FoundRow;
use crate::datum::{self, Extent};
use keyscape_layout::{
    Datum, Record,
    model::{Keyspace, Scan, Type},
    type_at,
};
use keyscape_prover::foreign_values;

/// The leading fields of a scan that differ between the request and a row.
pub(super) struct Values<'a> {
    keyspace: &'a Keyspace,
    scan: &'a Scan,
    differing: Vec<&'a [String]>,
}

impl<'a> Values<'a> {
    pub(super) fn new(keyspace: &'a Keyspace, scan: &'a Scan, found: &FoundRow<'_>) -> Self {
        let differs =
            |path: &&[String]| found.row.fields.get_path(path) != found.asked.get_path(path);
        let differing = scan.leading.iter().map(Vec::as_slice).filter(differs).collect();
        Self { keyspace, scan, differing }
    }

    fn type_at(&self, path: &[String]) -> Option<&'a Type> {
        type_at(&self.keyspace.key, path).map(|ty| &**ty)
    }

    pub(super) fn differing_paths(&self) -> Vec<String> {
        self.differing.iter().map(|path| path.join(".")).collect()
    }

    /// Returns a phrase such as ``with another `user` ``.
    pub(super) fn others_words(&self) -> String {
        match self.differing.as_slice() {
            [[.., name]] => format!("with another `{name}`"),
            _ => "with other leading fields".to_owned(),
        }
    }

    /// Returns a phrase such as `user 1`, or all leading fields, distinguishable from those of a
    /// row.
    pub(super) fn asked_words(&self, asked: &Record, row: &Record) -> String {
        match self.scan.leading.as_slice() {
            [] => format!("all of `{}`", self.keyspace.name),
            [path] => match (self.type_at(path), asked.get_path(path)) {
                (ty @ Some(Type::Leaf(_) | Type::Enum(_)), Some(datum)) => {
                    let name = path.last().map_or("", String::as_str);
                    let word = match row.get_path(path) {
                        Some(other) => datum::scalar_apart(ty, datum, other),
                        None => datum::scalar(ty, datum, Extent::Short),
                    };
                    format!("{name} {word}")
                }
                _ => datum::line_apart(&self.keyspace.key, asked, row),
            },
            _ => datum::line_apart(&self.keyspace.key, asked, row),
        }
    }

    /// Returns a phrase such as `user 1 also touches user 10, 11, 12, …`, with verified values
    /// only.
    pub(super) fn touched_words(&self, found: &FoundRow<'_>) -> String {
        let asked = self.asked_words(found.asked, &found.row.fields);
        if let ([path @ [.., name]], [_]) =
            (self.differing.as_slice(), self.scan.leading.as_slice())
        {
            let ty = self.type_at(path);
            let meant = found.asked.get_path(path);
            let word = |datum: &Datum| match meant {
                Some(meant) => datum::scalar_apart(ty, datum, meant),
                None => datum::scalar(ty, datum, Extent::Short),
            };
            let got = found.row.fields.get_path(path);
            if let (Some(_), Some(Type::Leaf(_) | Type::Enum(_))) = (got, ty) {
                let values =
                    foreign_values(self.keyspace, path, found.row, found.asked, &found.interval);
                let mut others: Vec<String> =
                    values.take(SHOWN + 1).map(|value| word(&value)).collect();
                if others.len() > SHOWN {
                    others.truncate(SHOWN);
                    others.push("…".to_owned());
                }
                return format!("{asked} also touches {name} {}", others.join(", "));
            }
        }
        let leading = found.row.fields.select(&self.scan.leading);
        let others = datum::line_apart(&self.keyspace.key, &leading, found.asked);
        format!("{asked} also touches {others}")
    }
}

/// The number of values before `…`.
const SHOWN: usize = 3;
