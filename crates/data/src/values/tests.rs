use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use proptest::strategy::Strategy;

use super::*;

fn build(csv: &str, columns: &[&str]) -> Result<Values, DataError> {
    let table = Table::parse("t.csv".into(), csv.as_bytes().to_vec(), b',').expect("a table");
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
    assert_eq!((values.show(0, -6), values.show(1, 225)), ("-6".into(), "2.25".into()));
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
        let shown = |word: i128| values.show(0, word).parse::<BigDecimal>().expect("a number");
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
        proptest::prop_assert_eq!(values.show(0, values.words()[0]), expected);
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
