//! Two parties on loopback, and everybody who may come between them.

mod comeback;
mod faults;
mod meeting;
mod service;
mod strangers;
mod streams;
mod support;
