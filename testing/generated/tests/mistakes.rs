//! Mistakes that do not compile, one per file, with what the compiler says.

#[test]
fn mistakes_are_told_when_a_program_is_built() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}
