//! Groups and what is made of elements on them, with other libraries as the judges.

mod blinding;
mod groups;
