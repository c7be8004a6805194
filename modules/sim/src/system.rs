//! Simulated systems, and several systems as one.

use keyscape::store::{Layout, Read, Tx};

/// The reason why a block failed.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// The number of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Valid operations, which were done.
    pub done: u64,
    /// Invalid operations, which were rejected.
    pub refused: u64,
}

/// A system with random operations and invariants.
///
/// `begin` and `block` may depend only on their arguments and on the rows of the transaction.
pub trait System {
    /// Returns its name: at most 32 lower-case letters.
    fn name(&self) -> &'static str;

    /// Returns the layouts of its stores.
    fn layouts(&self) -> Vec<&'static Layout<'static>>;

    /// Writes the initial state.
    ///
    /// # Errors
    /// Any failure.
    fn begin(&self, tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault>;

    /// Runs a block. A wrong outcome of an operation is an error.
    ///
    /// # Errors
    /// Any failure.
    fn block(&self, tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault>;

    /// Returns a description of each violated invariant.
    ///
    /// # Errors
    /// If the invariants cannot be checked.
    fn broken(&self, state: &dyn Read) -> Result<Vec<String>, Fault>;
}

/// Declares a system out of a module with `sim::{begin, block}` and `invariants::check`.
///
/// The arguments are the type to declare, the name of the system, the module, and its layouts.
#[macro_export]
macro_rules! system {
    ($system:ident, $name:ident, $module:ident, [$($layout:path),* $(,)?]) => {
        #[doc = concat!("The module `", stringify!($name), "`.")]
        #[derive(Debug)]
        pub(crate) struct $system;

        impl $crate::System for $system {
            fn name(&self) -> &'static str {
                stringify!($name)
            }

            fn layouts(&self) -> Vec<&'static $crate::store::Layout<'static>> {
                vec![$(&$layout),*]
            }

            fn begin(&self, tx: &mut $crate::store::Tx<'_>, seed: u64) -> Result<(), $crate::Fault> {
                $module::sim::begin(tx, seed)
            }

            fn block(
                &self,
                tx: &mut $crate::store::Tx<'_>,
                seed: u64,
                height: u64,
            ) -> Result<$crate::Tally, $crate::Fault> {
                $module::sim::block(tx, seed, height)
            }

            fn broken(&self, state: &dyn $crate::store::Read) -> Result<Vec<String>, $crate::Fault> {
                let broken = $module::invariants::check(&state)?;
                Ok(broken.iter().map(ToString::to_string).collect())
            }
        }
    };
}

/// Several systems on one database: each block runs one block of every system, in one commit.
///
/// Systems can share stores. The systems begin in order, so the system that creates a shared store
/// comes first.
pub struct Chain {
    /// The name of the run: lower-case letters, 32 at most.
    pub name: &'static str,
    /// The systems.
    pub systems: &'static [&'static (dyn System + Sync)],
}

impl std::fmt::Debug for Chain {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let systems: Vec<&str> = self.systems.iter().map(|system| system.name()).collect();
        out.debug_struct("Chain").field("name", &self.name).field("systems", &systems).finish()
    }
}

/// Adds the name of a system to its fault.
fn with_name(system: &dyn System, fault: &Fault) -> Fault {
    format!("{}: {fault}", system.name()).into()
}

impl System for Chain {
    fn name(&self) -> &'static str {
        self.name
    }

    fn layouts(&self) -> Vec<&'static Layout<'static>> {
        let mut layouts: Vec<&'static Layout<'static>> = Vec::new();
        for layout in self.systems.iter().flat_map(|system| system.layouts()) {
            if layouts.iter().all(|other| other.spaces != layout.spaces) {
                layouts.push(layout);
            }
        }
        layouts
    }

    fn begin(&self, tx: &mut Tx<'_>, seed: u64) -> Result<(), Fault> {
        for system in self.systems {
            system.begin(tx, seed).map_err(|fault| with_name(*system, &fault))?;
        }
        Ok(())
    }

    fn block(&self, tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault> {
        let mut sum = Tally::default();
        for system in self.systems {
            let tally =
                system.block(tx, seed, height).map_err(|fault| with_name(*system, &fault))?;
            sum.done += tally.done;
            sum.refused += tally.refused;
        }
        Ok(sum)
    }

    /// Checks every system. A system that shares a store with another one can report a violation of
    /// the other system. It begins the text with the other name, and the violation is reported
    /// once.
    fn broken(&self, state: &dyn Read) -> Result<Vec<String>, Fault> {
        let mut all: Vec<String> = Vec::new();
        for system in self.systems {
            for broken in system.broken(state).map_err(|fault| with_name(*system, &fault))? {
                if !all.contains(&broken) {
                    all.push(format!("{}: {broken}", system.name()));
                }
            }
        }
        Ok(all)
    }
}
