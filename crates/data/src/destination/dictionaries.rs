//! One dictionary for a column: batches come with one each, and an Arrow file has no place for a second.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Date64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, PrimitiveArray, UInt64Array, new_empty_array};
use arrow_schema::{ArrowError, DataType};
use arrow_select::concat::concat;

use crate::places::take;
use crate::table::cell::cells;

/// Bytes that the dictionaries of all columns take at most.
pub(super) const MOST: usize = 1 << 25;

/// What a value takes beside its text, which is there twice.
const ENTRY: usize = 64;

/// The values that the dictionaries of a column have, each once and in the order in which they turn up.
pub(super) struct Gathered {
    kind: DataType,
    places: HashMap<String, usize>,
    values: Vec<ArrayRef>,
    last: Option<ArrayRef>,
    bytes: usize,
    most: usize,
}

impl Gathered {
    /// Of a column of the dictionary type `kind`, whose values have a text, and may take `most` bytes.
    pub(super) fn new(kind: &DataType, most: usize) -> Self {
        let (places, values) = (HashMap::new(), Vec::new());
        Self { kind: kind.clone(), places, values, last: None, bytes: 0, most }
    }

    /// Adds what the dictionary of `array` has.
    pub(super) fn add(&mut self, array: &ArrayRef) -> Result<(), ArrowError> {
        if self.bytes > self.most {
            return Ok(());
        }
        let values = array.as_any_dictionary().values();
        if self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, values) || last == values) {
            return Ok(());
        }
        let marks = marks(values);
        let text = cells(&marks);
        let mut new = Vec::new();
        for place in 0..values.len() {
            if let Some(text) = text(place)
                && !self.places.contains_key(text.as_ref())
            {
                self.bytes += ENTRY + 2 * text.len();
                self.places.insert(text.into_owned(), self.places.len());
                new.push(place as u64);
                if self.bytes > self.most {
                    break;
                }
            }
        }
        self.values.push(take(values, &UInt64Array::from(new), None)?);
        self.last = Some(Arc::clone(values));
        if self.bytes > self.most {
            (self.places, self.values, self.last) = (HashMap::new(), Vec::new(), None);
        }
        Ok(())
    }

    /// All of them as one dictionary; none where that would take too much memory.
    pub(super) fn together(self) -> Result<Option<Dictionary>, ArrowError> {
        if self.bytes > self.most {
            return Ok(None);
        }
        let Self { mut kind, places, values, .. } = self;
        let arrays: Vec<&dyn Array> = values.iter().map(AsRef::as_ref).collect();
        let values = match (&kind, arrays.is_empty()) {
            (DataType::Dictionary(_, values), true) => new_empty_array(values),
            _ => concat(&arrays)?,
        };
        if let DataType::Dictionary(key, _) = &mut kind
            && !holds(key, values.len())
        {
            **key = DataType::Int64;
        }
        Ok(Some(Dictionary { kind, places, values }))
    }
}

/// What tells the values of a dictionary apart by its text: the values themselves, but of dates in milliseconds, whose text is
/// their day, the milliseconds.
fn marks(values: &ArrayRef) -> ArrayRef {
    match values.as_primitive_opt::<Date64Type>() {
        Some(dates) => Arc::new(dates.reinterpret_cast::<Int64Type>()),
        None => Arc::clone(values),
    }
}

/// Whether keys of this type tell so many values apart.
fn holds(key: &DataType, count: usize) -> bool {
    let bits = 8 * key.primitive_width().unwrap_or_default() - usize::from(key.is_signed_integer());
    count as u128 <= 1 << bits
}

/// The one dictionary of a column.
pub(super) struct Dictionary {
    kind: DataType,
    places: HashMap<String, usize>,
    values: ArrayRef,
}

impl Dictionary {
    /// The column's type: that of its batches, with longer keys where the values are more than those tell apart.
    pub(super) fn kind(&self) -> &DataType {
        &self.kind
    }

    /// Bytes of memory that its values take.
    pub(super) fn memory(&self) -> usize {
        self.values.get_buffer_memory_size()
    }

    /// The values of `array`, which was added to it, under this dictionary.
    pub(super) fn of(&self, array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let dictionary = array.as_any_dictionary();
        if dictionary.values().is_empty() {
            return self.nulls(array.len());
        }
        let marks = marks(dictionary.values());
        let (keys, text) = (dictionary.normalized_keys(), cells(&marks));
        let mut places = vec![None; dictionary.values().len()];
        let place = |row: usize| {
            let key = *keys.get(row).filter(|_| array.is_valid(row))?;
            *places[key].get_or_insert_with(|| self.places.get(text(key)?.as_ref()).copied())
        };
        self.array((0..array.len()).map(place).collect())
    }

    /// So many rows without a value.
    pub(super) fn nulls(&self, rows: usize) -> Result<ArrayRef, ArrowError> {
        self.array(vec![None; rows])
    }

    fn array(&self, places: Vec<Option<usize>>) -> Result<ArrayRef, ArrowError> {
        let DataType::Dictionary(key, _) = &self.kind else {
            return Err(ArrowError::SchemaError("a column is no dictionary".to_owned()));
        };
        match **key {
            DataType::Int8 => self.keyed::<Int8Type>(places),
            DataType::Int16 => self.keyed::<Int16Type>(places),
            DataType::Int32 => self.keyed::<Int32Type>(places),
            DataType::UInt8 => self.keyed::<UInt8Type>(places),
            DataType::UInt16 => self.keyed::<UInt16Type>(places),
            DataType::UInt32 => self.keyed::<UInt32Type>(places),
            DataType::UInt64 => self.keyed::<UInt64Type>(places),
            _ => self.keyed::<Int64Type>(places),
        }
    }

    fn keyed<K: ArrowDictionaryKeyType<Native: TryFrom<usize>>>(
        &self,
        places: Vec<Option<usize>>,
    ) -> Result<ArrayRef, ArrowError> {
        let key = |place: Option<usize>| K::Native::try_from(place?).ok();
        let keys: PrimitiveArray<K> = places.into_iter().map(key).collect();
        Ok(Arc::new(DictionaryArray::try_new(keys, Arc::clone(&self.values))?))
    }
}
