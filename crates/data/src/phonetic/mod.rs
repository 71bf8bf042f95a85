//! Codes by which words that sound alike are one: a feature, since its library takes long to compile.

#[cfg_attr(not(feature = "phonetic"), path = "none.rs")]
mod codes;

pub(crate) use codes::code;
