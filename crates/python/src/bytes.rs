//! Numbers and digests as bytes, all little-endian.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use veilset::cluster::Element;
use zeroize::Zeroizing;

/// Thirty-two bytes.
pub(crate) fn fixed(bytes: &[u8]) -> PyResult<[u8; 32]> {
    bytes.try_into().map_err(|_| PyValueError::new_err("32 bytes are needed"))
}

/// Digests of 32 bytes, one after the other.
pub(crate) fn elements(bytes: &[u8]) -> PyResult<Zeroizing<Vec<Element>>> {
    let elements = whole::<32>(bytes)?.iter().map(|digest| Element(*digest));
    Ok(Zeroizing::new(elements.collect()))
}

pub(crate) fn of_elements<'py>(py: Python<'py>, elements: &[Element]) -> Bound<'py, PyBytes> {
    of(py, elements.iter().map(|element| element.0))
}

/// Words of 128 bits.
pub(crate) fn words(bytes: &[u8]) -> PyResult<Vec<u128>> {
    Ok(whole::<16>(bytes)?.iter().map(|word| u128::from_le_bytes(*word)).collect())
}

pub(crate) fn of_words(
    py: Python<'_>,
    words: impl ExactSizeIterator<Item = u128>,
) -> Bound<'_, PyBytes> {
    of(py, words.map(u128::to_le_bytes))
}

pub(crate) fn of_integers<'py>(py: Python<'py>, numbers: &[u32]) -> Bound<'py, PyBytes> {
    of(py, numbers.iter().map(|number| number.to_le_bytes()))
}

/// Bits, a byte each.
pub(crate) fn bits(bytes: &[u8]) -> Vec<bool> {
    bytes.iter().map(|byte| *byte != 0).collect()
}

pub(crate) fn of_bits<'py>(py: Python<'py>, bits: &[bool]) -> Bound<'py, PyBytes> {
    of(py, bits.iter().map(|bit| [u8::from(*bit)]))
}

fn whole<const WIDTH: usize>(bytes: &[u8]) -> PyResult<&[[u8; WIDTH]]> {
    match bytes.as_chunks() {
        (chunks, []) => Ok(chunks),
        _ => Err(PyValueError::new_err(format!("a multiple of {WIDTH} bytes is needed"))),
    }
}

fn of<const WIDTH: usize>(
    py: Python<'_>,
    chunks: impl ExactSizeIterator<Item = [u8; WIDTH]>,
) -> Bound<'_, PyBytes> {
    let bytes: Vec<u8> = chunks.flatten().collect();
    PyBytes::new(py, &bytes)
}
