//! The tests of simulations, one file per theme.

mod operations;
mod runs;
mod systems;

type Tested = Result<(), keyscape_sim::Fault>;
