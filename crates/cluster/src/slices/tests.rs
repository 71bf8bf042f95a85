use std::collections::{BTreeMap, BTreeSet};

use super::*;

const SESSION: [u8; 32] = [7; 32];

fn block(rows: &[(&str, &str)]) -> Table {
    let lines = rows.iter().map(|(key, value)| format!("{key},{value}\n"));
    let text = format!("k,v\n{}", lines.collect::<String>());
    Table::parse("block".into(), text.into_bytes(), b',').expect("a table")
}

fn wanted(values: &[&str], send: Option<&[&str]>) -> ListColumns {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let key = "k:email".parse().expect("a key");
    ListColumns { key, values: owned(values), send: send.map(owned) }
}

fn slicing<'a>(secret: Option<&'a [u8; 32]>, scales: &'a [u32], width: usize) -> Slicing<'a> {
    Slicing { session: &SESSION, secret, pieces: 4, scales, width }
}

/// Each key's element, by the hash that runs of two use.
fn element(key: &str) -> Element {
    let hasher = ElementHasher::new(&SESSION, "email/1");
    let text = [&(key.len() as u32).to_le_bytes(), key.as_bytes()].concat();
    hasher.element(blake3::hash(&text).as_bytes())
}

const A: [(&str, &str); 5] =
    [("ann", "1.5"), ("Ben", "2"), ("", "9"), ("cy", "-4"), ("ben", "0.25")];
const B: [(&str, &str); 3] = [("dee", "3"), ("ann ", "-1"), ("cy", "10")];

#[test]
fn a_scan_finds_scales_magnitudes_widths_and_rows_without_keys() {
    let found = scan(block(&A), &wanted(&["v"], None)).expect("numbers");
    // 150 + 225 + 400 hundredths; the row without a key does not count.
    assert_eq!((found.rows, found.columns, found.width), (5, vec![(2, 775)], 0));
    assert_eq!((found.null_rows, found.placeholder_rows, found.invalid_rows), (1, 0, 0));
    let warned: Vec<_> = found.warnings.iter().map(|w| (w.code.name(), w.rows)).collect();
    assert_eq!(warned, [("no-address", Some(4))]);
    let found = scan(block(&B), &wanted(&[], Some(&["v"]))).expect("rows");
    // "ann " and "-1", each after a byte of length.
    assert_eq!((found.width, found.columns), (8, vec![]));
    assert!(scan(block(&[("a", "x")]), &wanted(&["v"], None)).is_err());
}

#[test]
fn pieces_of_all_blocks_have_each_key_once_with_its_rows_and_sums() {
    let secret = [3; 32];
    for secret in [None, Some(&secret)] {
        let slicing = slicing(secret, &[2], 0);
        let wanted = wanted(&["v"], None);
        let cut =
            |rows: &[(&str, &str)]| cut(block(rows), &wanted, &slicing, |_| true).expect("a list");
        let (a, b) = (cut(&A), cut(&B));
        let mut sums = BTreeMap::new();
        let mut rows = BTreeSet::new();
        for (piece, cuts) in a.into_iter().zip(b).map(|(a, b)| [a, b]).enumerate() {
            let merged = merge(&cuts, 1, 0, secret.map(|_| [piece as u8; 32]));
            for (element, word) in merged.cut.elements.iter().zip(&*merged.cut.words) {
                assert_eq!(slicing.piece(element), piece);
                assert!(sums.insert(*element, *word).is_none(), "an element twice");
            }
            for (block, (cut, places)) in cuts.iter().zip(&merged.places).enumerate() {
                for (row, local) in cut.rows.iter().zip(&cut.elements_of_rows) {
                    let place = places[*local as usize] as usize;
                    let carried = cut.elements[*local as usize];
                    assert!(merged.cut.elements[place] == carried);
                    assert!(rows.insert((block, *row)), "a row twice");
                }
            }
        }
        let expected = [("ann", 50), ("ben", 225), ("cy", 600), ("dee", 300)];
        let expected: BTreeMap<Element, i128> =
            expected.into_iter().map(|(key, sum)| (element(key), sum)).collect();
        assert!(sums == expected);
        let all = [(0, 0), (0, 1), (0, 3), (0, 4), (1, 0), (1, 1), (1, 2)];
        assert_eq!(rows, BTreeSet::from(all));
    }
}

#[test]
fn a_key_that_only_rows_out_of_the_run_carry_is_in_no_piece() {
    let slicing = Slicing { pieces: 1, ..slicing(None, &[], 0) };
    // Without "ann" and the first of two rows with "ben".
    let cuts = cut(block(&A), &wanted(&[], None), &slicing, |row| row > 1).expect("a list");
    assert!(cuts[0].elements[..] == [element("ben"), element("cy")]);
    assert_eq!((&*cuts[0].rows, &*cuts[0].elements_of_rows), (&[3, 4][..], &[1, 0][..]));
}

#[test]
fn items_are_of_one_width_and_the_first_row_counts() {
    let slicing = Slicing { pieces: 1, ..slicing(None, &[], 9) };
    let wanted = wanted(&[], Some(&["v"]));
    let cut =
        |rows: &[(&str, &str)]| cut(block(rows), &wanted, &slicing, |_| true).expect("a list");
    let cuts = [cut(&A).remove(0), cut(&B).remove(0)];
    let merged = merge(&cuts, 0, 9, None);
    let rows: Vec<Vec<String>> = merged
        .cut
        .items
        .chunks(9)
        .map(|item| veilset_data::decode(item, 2).expect("an item"))
        .collect();
    assert_eq!(rows, [["ann", "1.5"], ["Ben", "2"], ["cy", "-4"], ["dee", "3"]]);
}

#[test]
fn the_order_of_a_random_slice_is_random_but_the_same_again() {
    let rows: Vec<String> = (0..200).map(|number| format!("key{number}")).collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|key| (key.as_str(), "1")).collect();
    let slicing = Slicing { pieces: 1, ..slicing(Some(&[1; 32]), &[], 0) };
    let cuts = cut(block(&rows), &wanted(&[], None), &slicing, |_| true).expect("a list");
    let order = |seed: u8| merge(&cuts, 0, 0, Some([seed; 32])).cut.elements;
    assert!(order(1) == order(1));
    assert!(order(1) != order(2));
    assert!(order(1)[..] != cuts[0].elements[..]);
}

#[test]
fn values_fall_to_pieces_by_their_low_bits() {
    let values = [0b1101u128, 0b0001, 1 << 100, 0b1110];
    let split = split(&values, 4);
    assert_eq!(split[0], (vec![1 << 98], vec![2]));
    assert_eq!(split[1], (vec![0b11, 0], vec![0, 1]));
    assert_eq!(split[2], (vec![0b11], vec![3]));
    assert_eq!(split[3], (vec![], vec![]));
}
