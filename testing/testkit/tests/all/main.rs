//! The kit must reject codecs and engines that break its laws.

mod liars;
mod lying_engines;
