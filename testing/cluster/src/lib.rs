//! Database servers for tests, started from the programs of the system.
//!
//! [`Postgres::start`] makes a scratch cluster in a temporary directory, and removes it when the
//! process ends, however it ends. Nothing that is installed or running on the machine is changed.

mod cockroach;
mod node;
mod postgres;
mod programs;
mod tikv;

pub use cockroach::Cockroach;
pub use postgres::Postgres;
pub use programs::{Missing, find_postgres, install_browser, install_postgres};
pub use tikv::{Tikv, build_tikv};

/// Starts PostgreSQL for a test, or explains on stderr why the test does not run.
///
/// # Panics
/// In CI (if the environment variable `CI` is set) when the server cannot be started.
#[must_use]
pub fn postgres_for_test() -> Option<Postgres> {
    for_test(Postgres::start())
}

/// Starts PostgreSQL with a certificate and its private key in PEM form, as [`postgres_for_test`].
///
/// # Panics
/// As [`postgres_for_test`].
#[must_use]
pub fn encrypted_postgres_for_test(certificate: &str, key: &str) -> Option<Postgres> {
    for_test(Postgres::start_encrypted(certificate, key))
}

#[expect(clippy::print_stderr, reason = "a test that does not run must say so")]
#[expect(clippy::panic, reason = "in CI a test that does not run is an error")]
fn for_test(started: Result<Postgres, Missing>) -> Option<Postgres> {
    match started {
        Ok(server) => Some(server),
        Err(error) if std::env::var_os("CI").is_some() => panic!("PostgreSQL: {error}"),
        Err(error) => {
            eprintln!("not run: tests with PostgreSQL: {error}");
            None
        }
    }
}

/// Starts PD and unistore for a test, or explains on stderr why the test does not run. Only
/// `cargo xtask cluster tikv` runs such tests.
///
/// # Panics
/// If the programs exist, but the cluster does not start.
#[must_use]
#[expect(clippy::print_stderr, reason = "a test that does not run must say so")]
#[expect(clippy::panic, reason = "a cluster that does not start fails the test")]
pub fn tikv_for_test() -> Option<Tikv> {
    match Tikv::start() {
        Ok(cluster) => Some(cluster),
        Err(error @ Missing::Tikv) => {
            eprintln!("not run: tests with PD and unistore: {error}");
            None
        }
        Err(error) => panic!("PD and unistore: {error}"),
    }
}
