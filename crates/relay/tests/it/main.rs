//! Parties that meet at relays: good ones, ones that stop, and hostile ones.

mod hostile;
mod limits;
mod meeting;
mod page;
mod support;
