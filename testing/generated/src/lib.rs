//! Empty: the tests of this crate compile generated code and compare it with the language.
