//! `nofly` as two processes, its page over HTTP and in a browser.

mod docs;
mod page;
mod screening;
mod support;
