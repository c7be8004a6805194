//! The kit must reject codecs and engines that break its laws.

mod faulty_codecs;
mod faulty_engines;
