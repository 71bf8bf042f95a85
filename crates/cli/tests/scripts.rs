//! Readable scripts of the command line: good and bad input with what is printed, in `tests/cmd`.

#[test]
fn scripts_print_what_they_say() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
