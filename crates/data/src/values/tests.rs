use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use proptest::strategy::Strategy;

use super::*;

fn table(csv: &str) -> Table {
    Table::parse("t.csv".into(), csv.as_bytes().to_vec(), b',').expect("a table")
}

fn build(csv: &str, columns: &[&str]) -> Result<Values, DataError> {
    let table = table(csv);
    let keys = KeySet::build(&table, &"k".parse().expect("a key")).expect("a column");
    let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    Values::build(&table, &keys, &columns)
}

#[test]
fn rows_of_a_key_are_added_and_empty_cells_counted() {
    let csv = "k,a,b\nx,1.5,1\ny,-2.25,\nx, 3 ,-7\n,not a number,9\nz,,\n";
    let values = build(csv, &["b", "a"]).expect("numbers");
    assert_eq!(values.columns(), ["b", "a"]);
    assert_eq!(values.words(), [-6, 450, 0, -225, 0, 0]);
    assert_eq!((values.scale(0), values.scale(1)), (0, 2));
    assert_eq!((values.nulls(0), values.nulls(1)), (2, 1));
    let warned: Vec<_> = values.warnings().into_iter().map(|w| (w.text, w.rows)).collect();
    assert_eq!(
        warned,
        [
            ("2 rows: an empty cell of value column \"b\" counts as 0".to_owned(), Some(2)),
            ("1 row: an empty cell of value column \"a\" counts as 0".to_owned(), Some(1)),
        ]
    );
    let found = values.found(2, &[-6, 225], 0).into_iter();
    let found: Vec<_> = found.map(|sum| (sum.name, sum.sum, sum.spread)).collect();
    assert_eq!(found, [("b".into(), "-6".into(), None), ("a".into(), "2.25".into(), None)]);
    assert_eq!(build("k,a\n", &["a"]).expect("no rows").words(), [0i128; 0]);
    assert_eq!(build(csv, &[]).expect("no columns").words(), [0i128; 0]);
}

#[test]
fn a_row_without_a_key_does_not_set_the_scale() {
    assert_eq!(build("k,a\n,1.2345\nx,1.2\n", &["a"]).expect("numbers").scale(0), 1);
}

fn refusal(csv: &str, columns: &[&str]) -> String {
    build(csv, columns).err().expect("refused").to_string()
}

#[test]
fn text_is_refused_with_its_place_and_without_its_value() {
    let shown = refusal("k,a,b\nx,1,2\ny,3,secret\n", &["a", "b"]);
    assert!(shown.starts_with("t.csv, line 3, column 3 (\"b\"): text that is no"), "{shown}");
    assert!(shown.contains("--value") && !shown.contains("secret"), "{shown}");
    let shown = refusal("k,a\nx,\"4711,5\"\n", &["a"]);
    assert!(
        shown.contains("line 2") && shown.contains("comma") && !shown.contains("4711"),
        "{shown}"
    );
}

#[test]
fn columns_are_looked_up_as_those_of_a_key() {
    assert!(refusal("k,amount\n", &["amuont"]).contains("did you mean \"amount\"?"));
    assert!(refusal("k,a,a\n", &["a"]).contains("2 columns named"));
    assert!(refusal("k,a\n", &["a", "a"]).starts_with("--value \"a\": "));
}

#[test]
fn what_might_not_fit_is_refused_whatever_its_sign() {
    let most = "170141183460469231731687303715884105727";
    let fits = build(&format!("k,a\nx,-{most}\ny,0\n"), &["a"]).expect("fits");
    assert_eq!(fits.words(), [-i128::MAX, 0]);
    for csv in [
        format!("k,a\nx,{most}\ny,1\n"),
        format!("k,a\nx,{most}\ny,-1\n"),
        format!("k,a\nx,{most}\ny,0.0\n"),
        format!("k,a\nx,{most}9\n"),
    ] {
        let shown = refusal(&csv, &["a"]);
        assert!(shown.starts_with("t.csv, column \"a\": the amounts add up to more"), "{shown}");
        assert!(!shown.contains("1701"), "{shown}");
    }
    assert!(
        build(&format!("k,a\nx,{most}\n,1\n"), &["a"]).is_ok(),
        "rows without a key do not count"
    );
}

fn rows() -> impl Strategy<Value = Vec<(String, String)>> {
    let number = "[ ]{0,1}[+-]?[0-9]{1,12}([.][0-9]{1,9})?[ ]{0,1}";
    let cell = proptest::prop_oneof![9 => number.prop_map(String::from), 1 => "[ ]{0,2}"];
    proptest::collection::vec(("[ab]{0,2}", cell), 0..30)
}

fn oracle(cell: &str) -> BigDecimal {
    match cell.trim() {
        "" => BigDecimal::from(0),
        number => number.parse().expect("a number"),
    }
}

/// A sum of the first column.
fn shown(values: &Values, sum: i128) -> String {
    values.found(1, &[sum], 0)[0].sum.clone()
}

proptest::proptest! {
    #[test]
    fn agrees_with_arbitrary_precision(rows in rows(), chosen in "[ab]{1,2}") {
        let lines: String = rows.iter().map(|(key, cell)| format!("{key},{cell}\n")).collect();
        let values = build(&format!("k,a\n{lines}"), &["a"]).expect("numbers");
        let mut order = Vec::new();
        let mut sums: BTreeMap<&str, BigDecimal> = BTreeMap::new();
        for (key, cell) in rows.iter().filter(|(key, _)| !key.is_empty()) {
            if !order.contains(&key.as_str()) {
                order.push(key);
            }
            *sums.entry(key).or_default() += oracle(cell);
        }
        let shown = |word: i128| shown(&values, word).parse::<BigDecimal>().expect("a number");
        for (key, word) in order.iter().zip(values.words()) {
            proptest::prop_assert_eq!(&shown(*word), &sums[key]);
        }
        proptest::prop_assert_eq!(values.words().len(), order.len());
        let subset = || (0..).zip(&order).filter(|(_, key)| **key <= chosen.as_str());
        let sum: i128 = subset().map(|(index, _): (usize, _)| values.words()[index]).sum();
        let expected: BigDecimal = subset().map(|(_, key)| &sums[key]).sum();
        proptest::prop_assert_eq!(shown(sum), expected);
    }

    #[test]
    fn a_number_alone_is_shown_as_it_was(number in "-?(0|[1-9][0-9]{0,20})[.][0-9]{1,17}") {
        let values = build(&format!("k,a\nx,{number}\n"), &["a"]).expect("a number");
        let minus_zero = number.starts_with('-') && values.words()[0] == 0;
        let expected = if minus_zero { &number[1..] } else { &number[..] };
        proptest::prop_assert_eq!(shown(&values, values.words()[0]), expected);
    }

    #[test]
    fn any_cell_is_a_number_or_an_error_without_it(cell in "[-+0-9.,eE x]{1,8}") {
        let csv = format!("k,a\nx,\"{cell}\"\n");
        let is_number = {
            let text = cell.trim();
            text.parse::<BigDecimal>().is_ok()
                && text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte))
                && !text.trim_start_matches(['+', '-']).starts_with('.')
                && !text.ends_with('.')
        };
        proptest::prop_assert_eq!(build(&csv, &["a"]).is_ok(), is_number || cell.trim().is_empty());
    }
}

/// Mean and variance of the values of keys, as a table of rational numbers has them.
#[test]
fn the_spread_is_that_of_the_values_of_keys() {
    let csv = "k,a,b\nx,1.5,-7\ny,-2.25,1\nx,3,0\nz,,1\n";
    let table = Table::parse("t.csv".into(), csv.as_bytes().to_vec(), b',').expect("a table");
    let keys = KeySet::build(&table, &"k".parse().expect("a key")).expect("a column");
    let columns = ["a", "b"].map(str::to_owned);
    let values = Values::build(&table, &keys, &columns).expect("numbers");
    let values = values.and_squares(&table).expect("small ones");
    assert_eq!(values.columns(), ["a", "b", "a^2", "b^2"]);
    assert_eq!((values.chosen(), values.scale(2), values.scale(3)), (&columns[..], 4, 0));
    assert_eq!(values.words()[..4], [450, -7, 202_500, 49]);
    let sums: Vec<i128> =
        (0..4).map(|at| values.words().iter().skip(at).step_by(4).sum()).collect();
    let [a, b] = &values.found(3, &sums, 0)[..] else { panic!("two columns were chosen") };
    let spread =
        |sum: &ColumnSum| sum.spread.clone().map(|Spread { mean, variance }| [mean, variance]);
    // 4.5, -2.25 and 0: their mean is 0.75, and 25.3125 / 3 - 0.5625 is 7.875; -7, 1 and 1: 51 / 3 - 25 / 9 is 128 / 9.
    assert_eq!(spread(a), Some([Some("0.75".into()), Some("7.875".into())]));
    assert_eq!(spread(b), Some([Some("-1.666667".into()), Some("14.222222".into())]));
    assert_eq!(spread(&values.found(0, &[0; 4], 0)[0]), Some([None, None]));
    let far = "k,a\nx,100000000001\ny,99999999999\n";
    let table = Table::parse("t.csv".into(), far.as_bytes().to_vec(), b',').expect("a table");
    let keys = KeySet::build(&table, &"k".parse().expect("a key")).expect("a column");
    let values =
        Values::build(&table, &keys, &columns[..1]).and_then(|values| values.and_squares(&table));
    let values = values.expect("they fit");
    let sums = [values.words()[0] + values.words()[2], values.words()[1] + values.words()[3]];
    assert_eq!(
        spread(&values.found(2, &sums, 0)[0]),
        Some([Some("100000000000".into()), Some("1".into())])
    );
    let large = format!("k,a\nx,{}\n", 1_i128 << 64);
    let table = Table::parse("t.csv".into(), large.into_bytes(), b',').expect("a table");
    let values = Values::build(&table, &keys, &columns[..1]).expect("a number");
    let shown = values.and_squares(&table).err().expect("too large").to_string();
    assert!(shown.contains("\"a\"") && !shown.contains("18446744073709551616"), "{shown}");
    for (digits, fits) in [(15, true), (16, false)] {
        let fine = format!("k,a\nx,0.{}\n", "1".repeat(digits));
        let table = Table::parse("t.csv".into(), fine.into_bytes(), b',').expect("a table");
        let values = Values::build(&table, &keys, &columns[..1]).expect("a number");
        assert_eq!(values.and_squares(&table).is_ok(), fits);
    }
}

#[test]
fn products_stand_behind_other_columns() {
    let csv = "k,a,b,a*c\nx,1.5,1,7\ny,-2,3,8\n";
    let values = build(csv, &["b * d", "a", "a * d", "a*c"]).expect("numbers");
    assert_eq!(values.columns(), ["a", "a*c", "b*d", "a*d"]);
    assert_eq!(values.sources(), ["a", "a*c", "b", "a"]);
    assert_eq!((values.products(), values.factor()), (2, Some("d")));
    assert_eq!(values.words(), [15, 7, 1, 15, -20, 8, 3, -20]);
    let with_ones = build(csv, &["*d", "a*d", "b"]).expect("numbers");
    assert_eq!(
        (with_ones.columns(), with_ones.sources()),
        (&["b", "a*d", "*d"].map(str::to_owned)[..], &["b", "a"].map(str::to_owned)[..])
    );
    assert_eq!((with_ones.words(), with_ones.products()), (&[1, 15, 1, 3, -20, 1][..], 2));
    assert_eq!(build(csv, &["*d"]).expect("ones").words(), [1, 1]);
    let found = values.found(1, &[15, 7, 1234, 15], 3).into_iter().map(|sum| sum.sum);
    assert!(found.eq(["1.5", "7", "1.234", "0.0015"]));
    for (columns, part) in [
        (&["a*c", "a*d", "b*e"][..], "each of d, e"),
        (&["q*d"], "\"q\""),
        (&["a*"], "\"a*\""),
        (&["*d", "* d"], "chosen already"),
        (&["q"], "\"q\""),
        (&["a*d", "a *d"], "chosen already"),
    ] {
        let shown = refusal(csv, columns);
        assert!(shown.contains(part), "{shown}");
    }
    let squares = |columns| build(csv, columns).map(|values| values.and_squares(&table(csv)));
    assert!(matches!(squares(&["a*d"]), Ok(Err(DataError::SquareOfProduct { .. }))));
    assert!(matches!(squares(&["a*c"]), Ok(Ok(_))));
}

#[test]
fn a_factor_has_as_many_bytes_as_its_longest_number_takes() {
    let factor = |cells: &[&str]| {
        let lines = (0..).zip(cells).map(|(key, cell)| format!("{key},{cell}\n"));
        let table = table(&format!("k,f\n{}", lines.collect::<String>()));
        let keys = KeySet::build(&table, &"k".parse().expect("a key")).expect("a column");
        Factor::build(&table, &keys, "f")
    };
    for (cells, bytes) in [
        (&[][..], 1),
        (&["0", ""], 1),
        (&["127", "-128"], 1),
        (&["128"], 2),
        (&["-129", "5"], 2),
        (&["32767"], 2),
        (&["-3.2768"], 2),
        (&["-3.2769"], 3),
        (&["36028797018963967", "-36028797018963968"], 7),
    ] {
        let factor = factor(cells).map_err(|error| error.to_string()).expect("numbers");
        assert_eq!(factor.bytes(), bytes, "{cells:?}");
    }
    for large in ["36028797018963968", "-3602879701896396.9"] {
        assert!(matches!(factor(&[large]), Err(DataError::FactorTooLarge { .. })), "{large}");
    }
    let text = factor(&["x"]).err().expect("no number").to_string();
    assert!(text.ends_with("with --factor"), "{text}");
}
