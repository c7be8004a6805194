//! Addresses of databases.

use crate::{ENGINE, error::advice};
use keyscape_store::StoreError;
use keyscape_store_remote::check_name;
use std::str::FromStr as _;
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};

/// The schema of a database whose address names none.
const DEFAULT_SCHEMA: &str = "keyscape";

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
        check_name(ENGINE, "a schema", &schema)?;
        check_encryption(&plain)?;
        let mut config = Config::from_str(&plain).map_err(|error| {
            advice(
                format!("the address of the database is not valid: {}", reason(&error)),
                "write it as postgres://USER@HOST/DATABASE",
            )
        })?;
        if cfg!(not(feature = "tls")) && config.get_ssl_mode() == SslMode::Require {
            return Err(advice(
                "the address contains `sslmode=require`, and this program cannot encrypt",
                "build it with the feature `tls` of `keyscape-store-postgres` or `keyscape-cli`",
            )
            .into());
        }
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

/// Rejects encryption modes that this crate does not support.
fn check_encryption(address: &str) -> Result<(), StoreError> {
    let is_part = |char: &char| !char.is_whitespace() && *char != '\'';
    let plain: String = address.chars().filter(is_part).collect();
    let wrong = ["prefer", "allow", "verify-ca", "verify-full"];
    match wrong.iter().find(|mode| plain.contains(&format!("sslmode={mode}"))) {
        None => Ok(()),
        Some(mode) => Err(advice(
            format!("`sslmode={mode}` is not supported"),
            "use `sslmode=require`, which verifies the certificate and the host name, or \
             `sslmode=disable`",
        )
        .into()),
    }
}

/// Returns a configuration for each host of an address. Each host can then have its own timeout.
pub(crate) fn split_hosts(config: &Config) -> Vec<Config> {
    let (hosts, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let ports = config.get_ports();
    let count = hosts.len().max(addresses.len());
    let fits = |length: usize| length == 0 || length == count;
    if count < 2 || !fits(hosts.len()) || !fits(addresses.len()) {
        // The client connects, or reports the mistake.
        return vec![config.clone()];
    }
    let of_place = |place: usize| {
        let mut one = without_hosts(config);
        match hosts.get(place) {
            Some(Host::Tcp(host)) => {
                one.host(host);
            }
            #[cfg(unix)]
            Some(Host::Unix(path)) => {
                one.host_path(path);
            }
            None => {}
        }
        if let Some(address) = addresses.get(place) {
            one.hostaddr(*address);
        }
        if let Some(port) = ports.get(place).or(ports.first()) {
            one.port(*port);
        }
        one
    };
    (0..count).map(of_place).collect()
}

fn without_hosts(config: &Config) -> Config {
    let mut copy = Config::new();
    if let Some(user) = config.get_user() {
        copy.user(user);
    }
    if let Some(password) = config.get_password() {
        copy.password(password);
    }
    if let Some(database) = config.get_dbname() {
        copy.dbname(database);
    }
    if let Some(options) = config.get_options() {
        copy.options(options);
    }
    if let Some(name) = config.get_application_name() {
        copy.application_name(name);
    }
    if let Some(time) = config.get_connect_timeout() {
        copy.connect_timeout(*time);
    }
    if let Some(time) = config.get_tcp_user_timeout() {
        copy.tcp_user_timeout(*time);
    }
    if let Some(time) = config.get_keepalives_interval() {
        copy.keepalives_interval(time);
    }
    if let Some(retries) = config.get_keepalives_retries() {
        copy.keepalives_retries(retries);
    }
    copy.keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .target_session_attrs(config.get_target_session_attrs())
        .channel_binding(config.get_channel_binding())
        .load_balance_hosts(config.get_load_balance_hosts());
    copy
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
    fn each_host_has_all_settings_of_the_address() {
        let settings = "user=u password=p dbname=d options=-cjit=off application_name=a \
                        connect_timeout=3 tcp_user_timeout=4 keepalives=1 keepalives_idle=5 \
                        keepalives_interval=6 keepalives_retries=7 sslmode=disable \
                        target_session_attrs=read-write channel_binding=disable \
                        load_balance_hosts=random";
        let config = |hosts: &str| Config::from_str(&format!("{settings} {hosts}")).unwrap();
        let both = config("host=a,b hostaddr=10.0.0.1,10.0.0.2 port=1,2");
        let each =
            [config("host=a hostaddr=10.0.0.1 port=1"), config("host=b hostaddr=10.0.0.2 port=2")];
        assert_eq!(split_hosts(&both), each);
        let one_port = config("host=/tmp,b port=1");
        assert_eq!(split_hosts(&one_port), [config("host=/tmp port=1"), config("host=b port=1")]);
        assert_eq!(split_hosts(&each[0]), each[..1]);
        let wrong = config("host=a,b hostaddr=10.0.0.1");
        assert_eq!(split_hosts(&wrong), std::slice::from_ref(&wrong));
    }

    #[test]
    fn modes_of_encryption_that_are_not_supported_are_rejected() {
        let parsed = |address: &str| Address::parse(address).map(drop);
        for wrong in ["postgres://h/d?sslmode=prefer", "host=h sslmode = 'verify-full'"] {
            let error = parsed(wrong).unwrap_err();
            let reason = std::error::Error::source(&error).unwrap().to_string();
            assert!(reason.contains("use `sslmode=require`, which verifies"), "{reason}");
        }
        assert!(parsed("postgres://h/d?sslmode=disable").is_ok());
        let required = parsed("postgres://h/d?sslmode=require");
        assert_eq!(required.is_ok(), cfg!(feature = "tls"));
        if let Err(error) = required {
            let reason = std::error::Error::source(&error).unwrap().to_string();
            assert!(reason.contains("build it with the feature `tls`"), "{reason}");
        }
    }

    #[test]
    fn tables_are_quoted() {
        let address = Address::parse("postgres://u@h/d?schema=s").unwrap();
        assert_eq!(address.table("a\"b/c"), "\"s\".\"a\"\"b/c\"");
    }
}
