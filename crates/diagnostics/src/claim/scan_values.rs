//! The requested values of a scan, and the other values whose rows it reads.

use super::scan_exact::FoundRow;
use crate::datum;
use keyscape_layout::{
    model::{Keyspace, Scan, Type},
    type_at,
};
use keyscape_prover::foreign_values;

/// The leading fields of a scan that differ between the request and a row.
pub(super) struct Values<'a> {
    keyspace: &'a Keyspace,
    scan: &'a Scan,
    found: &'a FoundRow<'a>,
    differing: Vec<&'a [String]>,
}

impl<'a> Values<'a> {
    pub(super) fn new(keyspace: &'a Keyspace, scan: &'a Scan, found: &'a FoundRow<'a>) -> Self {
        let differs =
            |path: &&[String]| found.row.fields.get_path(path) != found.asked.get_path(path);
        let differing = scan.leading.iter().map(Vec::as_slice).filter(differs).collect();
        Self { keyspace, scan, found, differing }
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
    pub(super) fn asked_words(&self) -> String {
        let FoundRow { asked, row, .. } = self.found;
        match self.scan.leading.as_slice() {
            [] => format!("all of `{}`", self.keyspace.name),
            [path] => match (self.type_at(path), asked.get_path(path)) {
                (ty @ Some(Type::Leaf(_) | Type::Enum(_)), Some(datum)) => {
                    let name = path.last().map_or("", String::as_str);
                    let other = row.fields.get_path(path);
                    format!("{name} {}", datum::scalar_apart(ty, datum, other))
                }
                _ => datum::line_apart(&self.keyspace.key, asked, &row.fields),
            },
            _ => datum::line_apart(&self.keyspace.key, asked, &row.fields),
        }
    }

    /// Returns a phrase such as `user 1 also touches user 10, 11, 12, …`, with verified values
    /// only.
    pub(super) fn touched_words(&self) -> String {
        let (asked, found) = (self.asked_words(), self.found);
        if let ([path @ [.., name]], [_]) =
            (self.differing.as_slice(), self.scan.leading.as_slice())
        {
            let ty = self.type_at(path);
            let meant = found.asked.get_path(path);
            let got = found.row.fields.get_path(path);
            if let (Some(_), Some(Type::Leaf(_) | Type::Enum(_))) = (got, ty) {
                let values =
                    foreign_values(self.keyspace, path, found.row, found.asked, &found.interval);
                let mut others: Vec<String> = values
                    .take(SHOWN + 1)
                    .map(|value| datum::scalar_apart(ty, &value, meant))
                    .collect();
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
