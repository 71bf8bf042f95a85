//! A column by which another party's values are multiplied.

use super::Values;
use crate::{DataError, KeySet, Table, Warning};

/// For each key the sum of a column over the rows that carry it, as an integer number of units of the column's last decimal place, which
/// has 56 bits at most. Wiped when dropped.
pub struct Factor {
    values: Values,
    bytes: usize,
}

impl Factor {
    /// Bits of a number at most.
    pub const MOST_BITS: u32 = 56;

    /// The factor in `column` of `table`, whose keys are `keys`. Rows without a key are not looked at; an empty cell counts as 0.
    ///
    /// # Errors
    /// When the column is missing, a cell is no decimal number, or a number takes more than 56 bits.
    pub fn build(table: &Table, keys: &KeySet, column: &str) -> Result<Self, DataError> {
        let values = Values::of_one(table, keys, column, "--factor")?;
        // In two's complement there is a bit of the sign beside those of the magnitude.
        let bits = |word: &i128| i128::BITS + 1 - (word ^ word >> 127).leading_zeros();
        // A factor of no keys has a byte, too, so that it is one.
        let bits = values.words().iter().map(bits).max().unwrap_or(1);
        if bits > Self::MOST_BITS {
            let (file, scale) = (table.name().to_owned(), values.scale(0));
            return Err(DataError::FactorTooLarge { file, column: column.to_owned(), scale });
        }
        Ok(Self { values, bytes: bits.div_ceil(8) as usize })
    }

    /// The column's name.
    #[must_use]
    pub fn column(&self) -> &str {
        &self.values.columns[0]
    }

    /// How many decimal places its units have.
    #[must_use]
    pub fn scale(&self) -> u32 {
        self.values.scales[0]
    }

    /// How many bytes its longest number takes in two's complement.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number of each key in [`KeySet`]'s order.
    #[must_use]
    pub fn words(&self) -> &[i128] {
        self.values.words()
    }

    /// What a user should know: how many rows with a key have an empty cell.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        self.values.warnings()
    }
}
