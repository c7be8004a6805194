//! Selection of database rows on the command line.

use super::encode::{example, paths};
use crate::{
    database::{DatabaseArgument, DatabaseError, RowFilter},
    failure::Failure,
    input::{
        InputError,
        argument::{self, Parts},
        name,
    },
};
use clap::Args;
use keyscape_layout::{EncodeError, Layout, model::KeyspaceId};

/// A keyspace in a database file, and fields of its rows.
#[derive(Args, Debug)]
pub(super) struct Target {
    #[command(flatten)]
    pub(super) database: DatabaseArgument,
    /// The keyspace: `name`, `store/name` or `hash.field`
    pub(super) keyspace: String,
    /// The fields of the key, as for `encode`; for a set, zset or queue also `member=…` and
    /// `score=…`
    #[arg(value_name = "FIELD=VALUE")]
    pub(super) fields: Vec<String>,
    /// Fields as a JSON object
    #[arg(long, value_name = "OBJECT")]
    pub(super) json: Option<String>,
}

impl Target {
    /// Returns the named keyspace.
    pub(super) fn id(&self, layout: &Layout) -> Result<KeyspaceId, Failure> {
        Ok(name::keyspace(layout, &self.keyspace)?)
    }

    /// Returns the filter for one row.
    pub(super) fn row_filter(&self, layout: &Layout) -> Result<RowFilter, Failure> {
        Ok(RowFilter::new(layout, self.id(layout)?, self.parts(layout)?)?)
    }

    /// Returns the filter for many rows. Numeric fields may have ranges.
    pub(super) fn row_filter_with_ranges(&self, layout: &Layout) -> Result<RowFilter, Failure> {
        Ok(RowFilter::with_ranges(layout, self.id(layout)?, self.parts(layout)?)?)
    }

    fn parts(&self, layout: &Layout) -> Result<Parts, Failure> {
        let example = example(&layout.keyspace(self.id(layout)?).key);
        Ok(argument::collect(&self.fields, self.json.as_deref(), &example)?)
    }
}

/// Converts an error of a write. Lists the fields of the key if one of them is missing.
pub(super) fn not_written(layout: &Layout, filter: &RowFilter, error: DatabaseError) -> Failure {
    match error {
        DatabaseError::Encode(source) => incomplete(layout, filter, &source),
        error => error.into(),
    }
}

/// Returns an error that lists the fields of the key, because the given ones are not enough for a
/// row.
pub(super) fn incomplete(layout: &Layout, filter: &RowFilter, source: &EncodeError) -> Failure {
    let keyspace = layout.keyspace(filter.keyspace);
    let mut fields = paths(&keyspace.key);
    if let Some(field) = filter.field {
        fields.extend(paths(&layout.keyspace(field).key));
    }
    fields.extend(keyspace.member.is_some().then(|| "member".to_owned()));
    fields.extend(keyspace.score.is_some().then(|| "score".to_owned()));
    InputError::encode(source, &fields).into()
}
