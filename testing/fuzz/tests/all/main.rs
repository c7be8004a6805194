//! Regressions and cost limits.

mod cost;
mod regressions;
