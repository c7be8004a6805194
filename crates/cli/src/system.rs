//! The built-in systems.

use crate::{
    database::{DatabaseError, Verification, engine},
    failure::Failure,
};
use clap::ValueEnum;
use keyscape_diagnostics::file::{self, missing_directory};
use keyscape_layout::Layout;
use keyscape_query::Query;
use keyscape_sim::{Chain, Fault, System};
use keyscape_store::{Db, KeyRange, LayoutError, Read, StoreError, StoreId};
use std::path::Path;

/// The name of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SystemName {
    /// The bank of the Cosmos SDK: balances, supply, vesting accounts
    Bank,
    /// Concentrated liquidity of Osmosis: pools, positions, swaps, rewards; with a bank
    Cl,
    /// An index of transaction outputs: events, spends, topics, queues
    Txo,
    /// The badges of BitBadges: collections, amounts over ranges, approvals
    Badges,
    /// The modules of PAW: compute market, exchange, price oracle; with a bank
    Paw,
    /// All systems on one database, with one bank and one commit per block
    Chain,
}

/// A system with the functions that the commands need.
pub(crate) trait CliSystem: System {
    /// Returns the texts of its layouts, its own first. The chain has none.
    fn layout_texts(&self) -> &'static [&'static str];

    /// Returns conditions that a state violates without being invalid. Only the bank has such
    /// conditions, because states of real chains violate some of them.
    fn warnings(&self, state: &dyn Read) -> Result<Vec<String>, Fault> {
        let spaces = keyscape_bank::layout::bank::LAYOUT.spaces;
        if !self.layouts().iter().any(|layout| layout.spaces == spaces) {
            return Ok(Vec::new());
        }
        let warnings = keyscape_bank::invariants::warnings(state)?;
        Ok(warnings.iter().map(ToString::to_string).collect())
    }

    /// Returns the systems that have no rows in their own stores; shared stores do not count.
    fn missing(&self, state: &dyn Read) -> Result<Vec<&'static str>, StoreError> {
        for space in self.layouts().first().map_or(&[][..], |own| own.spaces) {
            if state.rows(StoreId::of(space), KeyRange::all())?.next()?.is_some() {
                return Ok(Vec::new());
            }
        }
        Ok(vec![self.name()])
    }
}

impl SystemName {
    pub(crate) fn system(self) -> &'static dyn CliSystem {
        match self {
            Self::Bank => &Bank,
            Self::Cl => &Cl,
            Self::Txo => &Txo,
            Self::Badges => &Badges,
            Self::Paw => &Paw,
            Self::Chain => &CHAIN,
        }
    }

    /// Returns the description of the command that queries the system, and its queries. The chain
    /// has none.
    pub(crate) const fn queries(self) -> (&'static str, &'static [Query]) {
        match self {
            Self::Bank => (
                "Query the bank: balances, owners, supply, accounts; send coins",
                keyscape_bank::queries::QUERIES,
            ),
            Self::Cl => (
                "Query the concentrated liquidity: pools, prices, positions, ticks",
                keyscape_concentrated_liquidity::queries::QUERIES,
            ),
            Self::Txo => (
                "Query the transaction-output index: search, outputs, topics; roll back",
                keyscape_txo::queries::QUERIES,
            ),
            Self::Badges => (
                "Query the badges: collections, balances, totals",
                keyscape_badges::queries::QUERIES,
            ),
            Self::Paw => {
                ("Query PAW: pools, prices, providers, requests", keyscape_paw::queries::QUERIES)
            }
            Self::Chain => ("", &[]),
        }
    }

    /// Returns the parsed layout. Error messages use the name of the system as its file name.
    pub(crate) fn layout(self) -> Result<Layout, Failure> {
        let name = self.system().name();
        let [own, shared @ ..] = self.system().layout_texts() else {
            return Err(Failure::input(
                format!("`{name}` combines several systems and has no genesis"),
                "export its systems one by one, for instance `keyscape genesis export paw DB`",
            ));
        };
        let mut text = (*own).to_owned();
        for shared in shared {
            // Only the beginning of a file may document it.
            let lines = shared.lines().filter(|line| !line.starts_with("//!"));
            text.push_str(&format!("\n{}\n", lines.collect::<Vec<_>>().join("\n")));
        }
        Ok(file::read_text(Path::new(""), Path::new(&format!("{name}.keys")), &text)?)
    }
}

/// Opens the database of a system for reading, and verifies it.
pub(crate) fn open_read_only(
    system: &'static dyn CliSystem,
    path: &Path,
    verification: Verification,
) -> Result<Db, Failure> {
    let failed = |error| not_opened(error, system.name());
    let db = engine::open_read_only(path, &system.layouts()).map_err(failed)?;
    verification.run(path).map_err(failed)?;
    Ok(db)
}

/// Converts the error of opening the database of a system. `create` would be the wrong advice for a
/// missing file.
pub(crate) fn not_opened(error: DatabaseError, system: &'static str) -> Failure {
    match error.missing_file() {
        Some(path) if missing_directory(path).is_none() => Failure::input(
            format!("cannot open `{}`: there is no such file", path.display()),
            format!("`keyscape sim {system} --db {}` creates one", path.display()),
        ),
        _ => match error {
            DatabaseError::Layout { path, source: LayoutError::NoCommonStore { .. } } => {
                no_rows(&path, &[system])
            }
            error => error.into(),
        },
    }
}

/// Checks that a database has rows of a system.
pub(crate) fn check_rows(
    system: &'static dyn CliSystem,
    path: &Path,
    state: &dyn Read,
) -> Result<(), Failure> {
    let missing = system.missing(state)?;
    if missing.is_empty() { Ok(()) } else { Err(no_rows(path, &missing)) }
}

fn no_rows(path: &Path, systems: &[&str]) -> Failure {
    let quoted: Vec<String> = systems.iter().map(|name| format!("`{name}`")).collect();
    let (names, help) = match quoted.as_slice() {
        [most @ .., last] if !most.is_empty() => (
            format!("{} and {last}", most.join(", ")),
            "name the system that the file contains; `chain` means all of them".to_owned(),
        ),
        one => (
            one.concat(),
            format!("`keyscape sim {} --db DB` creates a file with such rows", systems.concat()),
        ),
    };
    Failure::input(
        format!("`{}` has no rows of {names}", engine::without_password(path).display()),
        help,
    )
}

/// Declares a module as a system, with its layouts and their texts. The first layout is its own;
/// others are shared.
macro_rules! cli_system {
    ($system:ident, $name:ident, $module:ident, [$($layout:path),*], $texts:expr) => {
        keyscape_sim::system!($system, $name, $module, [$($layout),*]);

        impl CliSystem for $system {
            fn layout_texts(&self) -> &'static [&'static str] {
                &$texts
            }
        }
    };
}

const BANK_TEXT: &str = include_str!("../../../layouts/bank/sound.keys");
const CL_TEXT: &str = include_str!("../../../layouts/osmosis-cl/sound.keys");
const BADGES_TEXT: &str = include_str!("../../../layouts/bitbadges/sound.keys");
const TXO_TEXT: &str = include_str!("../../../layouts/onesat/sound.keys");
const PAW_TEXT: &str = include_str!("../../../layouts/paw/sound.keys");

cli_system!(Bank, bank, keyscape_bank, [keyscape_bank::layout::bank::LAYOUT], [BANK_TEXT]);
cli_system!(
    Cl,
    cl,
    keyscape_concentrated_liquidity,
    [
        keyscape_concentrated_liquidity::layout::concentratedliquidity::LAYOUT,
        keyscape_bank::layout::bank::LAYOUT
    ],
    [CL_TEXT, BANK_TEXT]
);
cli_system!(Txo, txo, keyscape_txo, [keyscape_txo::layout::txo::LAYOUT], [TXO_TEXT]);
cli_system!(
    Badges,
    badges,
    keyscape_badges,
    [keyscape_badges::layout::badges::LAYOUT],
    [BADGES_TEXT]
);

cli_system!(
    Paw,
    paw,
    keyscape_paw,
    [keyscape_paw::layout::paw::LAYOUT, keyscape_bank::layout::bank::LAYOUT],
    [PAW_TEXT, BANK_TEXT]
);

/// All systems. The bank comes first, because others hold coins in it.
static CHAIN: Chain = Chain { name: "chain", systems: &[&Bank, &Txo, &Cl, &Badges, &Paw] };

/// The systems of the chain with the functions that the commands need.
const PARTS: [&dyn CliSystem; 5] = [&Bank, &Txo, &Cl, &Badges, &Paw];

impl CliSystem for Chain {
    fn layout_texts(&self) -> &'static [&'static str] {
        &[]
    }

    fn missing(&self, state: &dyn Read) -> Result<Vec<&'static str>, StoreError> {
        let mut missing = Vec::new();
        for system in PARTS {
            missing.extend(system.missing(state)?);
        }
        Ok(missing)
    }
}
