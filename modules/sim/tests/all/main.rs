//! The tests of simulations, one file per theme.

mod runs;
mod systems;

type Tested = Result<(), Box<dyn std::error::Error>>;
