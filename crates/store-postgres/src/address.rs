//! Addresses of databases.

use crate::error::advice;
use keyscape_store::StoreError;
use std::str::FromStr as _;
use tokio_postgres::Config;

/// The schema of a database whose address names none.
const DEFAULT_SCHEMA: &str = "keyscape";
/// The longest identifier of PostgreSQL in bytes. Longer ones are cut without an error.
pub(crate) const LONGEST_NAME: usize = 63;

/// The server and the schema of a database.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) config: Config,
    pub(crate) schema: String,
}

impl Address {
    pub(crate) fn parse(address: &str) -> Result<Address, StoreError> {
        let (plain, schema) = split_schema(address);
        let schema = schema.unwrap_or_else(|| DEFAULT_SCHEMA.to_owned());
        let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
        if schema.is_empty() || schema.len() > LONGEST_NAME || !schema.chars().all(is_plain) {
            return Err(advice(
                format!("`{schema}` is not a schema"),
                "use 1 to 63 letters, digits and underscores",
            )
            .into());
        }
        let mut config = Config::from_str(&plain).map_err(|error| {
            advice(
                format!("the address of the database is not valid: {}", reason(&error)),
                "write it as postgres://USER@HOST/DATABASE",
            )
        })?;
        if config.get_application_name().is_none() {
            config.application_name("keyscape");
        }
        Ok(Address { config, schema })
    }

    /// Returns the quoted name of a table.
    pub(crate) fn table(&self, name: &str) -> String {
        format!("\"{}\".\"{}\"", self.schema, name.replace('"', "\"\""))
    }
}

fn reason(error: &tokio_postgres::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}

/// Removes the parameter `schema` from a URL, because the client rejects unknown parameters.
fn split_schema(address: &str) -> (String, Option<String>) {
    let Some((start, query)) = address.split_once('?') else { return (address.to_owned(), None) };
    let mut schema = None;
    let rest: Vec<&str> = query
        .split('&')
        .filter(|pair| match pair.strip_prefix("schema=") {
            Some(name) => {
                schema = Some(name.to_owned());
                false
            }
            None => true,
        })
        .collect();
    match (rest.is_empty(), schema) {
        (true, schema) => (start.to_owned(), schema),
        (false, schema) => (format!("{start}?{}", rest.join("&")), schema),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_a_parameter_of_the_url() {
        let parsed = |address: &str| Address::parse(address).map(|address| address.schema);
        assert_eq!(parsed("postgres://u@h/d").unwrap(), "keyscape");
        assert_eq!(parsed("postgres://u@h/d?schema=shop").unwrap(), "shop");
        assert_eq!(parsed("postgres://u@h/d?connect_timeout=3&schema=a_1").unwrap(), "a_1");
        assert_eq!(parsed("host=h user=u").unwrap(), "keyscape");
        for wrong in
            ["postgres://u@h/d?schema=", "postgres://u@h/d?schema=a-b", "postgres://u@h:x/"]
        {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn tables_are_quoted() {
        let address = Address::parse("postgres://u@h/d?schema=s").unwrap();
        assert_eq!(address.table("a\"b/c"), "\"s\".\"a\"\"b/c\"");
    }
}
