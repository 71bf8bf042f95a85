//! `appoint` as a process, its page over HTTP and in a browser.

mod docs;
mod gate;
mod keys;
mod look;
mod meeting;
mod sources;
mod support;
