//! No workbooks: a feature, since its libraries take long to compile.

use super::store::Store;
use crate::DataError;
use crate::spill::Depot;

pub(super) fn convert(name: &str, _: Store, _: &mut Depot<'_>) -> Result<Store, DataError> {
    Err(DataError::NoWorkbooks { file: name.to_owned() })
}
