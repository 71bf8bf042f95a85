//! Why nothing came back.

/// Why nothing came back. None of these holds more of an address than its host: the rest may be a secret.
#[derive(Debug, thiserror::Error)]
pub enum CourierError {
    /// The address does not parse.
    #[error("an address such as https://partner.example/psi is needed")]
    Address,
    /// The host was not found or not reached.
    #[error("cannot reach {host}: {why}; check the address, and that the partner's service runs")]
    Unreachable {
        /// The host.
        host: String,
        /// What the system says.
        why: String,
    },
    /// The answer broke off.
    #[error(
        "{host} ended the connection before its answer was complete: try again, and ask whoever runs it if that does not help"
    )]
    Ended {
        /// The host.
        host: String,
    },
    /// The service is somewhere else.
    #[error(
        "{host} sends callers elsewhere (status {status}), and messages go to the address alone that you give: ask whoever runs it for the \
         final one"
    )]
    Elsewhere {
        /// The host.
        host: String,
        /// The status of HTTP.
        status: u16,
    },
    /// The answer did not come in time.
    #[error(
        "{host} did not answer completely within {seconds} s: try again, or give a longer --deadline"
    )]
    Slow {
        /// The host.
        host: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The service refused.
    #[error("{host} refused with status {status}: \"{text}\"")]
    Refused {
        /// The host.
        host: String,
        /// The status of HTTP.
        status: u16,
        /// The beginning of what it said, without what a terminal would obey.
        text: String,
    },
    /// The answer is longer than any message that is expected.
    #[error("the answer of {host} has more than {most} bytes, and no honest one has")]
    TooLong {
        /// The host.
        host: String,
        /// The most bytes.
        most: u64,
    },
}
