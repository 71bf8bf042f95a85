//! Readable scripts of the command line: good and bad input with what is printed, in `tests/cmd`.
//!
//! After a change that is meant to change what is printed: `TRYCMD=overwrite cargo test -p veilset-cli`.

#[test]
fn scripts_print_what_they_say() {
    trycmd::TestCases::new()
        .env("VEILSET_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/nobody"))
        .env("NO_COLOR", "1")
        .env("COLUMNS", "110")
        .case("tests/cmd/*.trycmd");
}
