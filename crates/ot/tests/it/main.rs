//! Transfers as a protocol uses them, and what their parameters withstand.

mod extension;
mod lpn_security;
