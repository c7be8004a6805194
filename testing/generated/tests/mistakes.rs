//! Mistakes that do not compile, one per file, with what the macro says. Those that the compiler puts into
//! its own words, which change, are in `outside.rs`.

#[test]
fn mistakes_are_told_when_a_program_is_built() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}
