//! A list as a file, and a list that is served.

mod files;
mod service;
