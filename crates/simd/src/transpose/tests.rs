use proptest::prelude::*;

use super::*;

/// The definition, bit by bit.
fn by_definition(tile: &Tile) -> Tile {
    let mut turned = [0; TILE];
    for (row, bits) in tile.iter().enumerate() {
        for (column, to) in turned.iter_mut().enumerate() {
            *to |= ((bits >> column) & 1) << row;
        }
    }
    turned
}

fn tiles() -> impl Strategy<Value = Vec<Tile>> {
    let tile = prop::collection::vec(any::<u128>(), TILE)
        .prop_map(|rows| rows.try_into().expect("as many rows as a tile has"));
    prop::collection::vec(tile, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_kernel_does_what_the_definition_says(tiles in tiles()) {
        let want: Vec<Tile> = tiles.iter().map(by_definition).collect();
        for kernel in Kernel::available() {
            let mut got = tiles.clone();
            transpose_with(kernel, &mut got);
            prop_assert!(got == want, "{kernel:?}");
        }
    }
}

#[test]
fn one_bit_lands_across_the_diagonal() {
    for (row, column) in [(0, 127), (127, 0), (1, 64), (63, 2), (5, 5)] {
        let mut tile = [[0; TILE]];
        tile[0][row] = 1 << column;
        transpose(&mut tile);
        let mut want = [0; TILE];
        want[column] = 1 << row;
        assert_eq!(tile[0], want, "row {row}, column {column}");
    }
}
