//! The kit must reject codecs, engines and histories that break its laws.

mod faulty_codecs;
mod faulty_engines;
mod history;
