//! This crate contains only tests, which compile generated code and compare it with the language.
