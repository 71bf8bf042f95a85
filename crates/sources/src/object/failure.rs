//! What a store's failure means. Its own words hold whatever it pleases, and are not shown.

use std::error::Error as _;

use object_store::Error;

use super::ObjectError;
use super::address::Address;

/// Where machines of a cloud get credentials.
const MACHINES: [&str; 3] = ["//169.254.169.254", "//169.254.170.2", "computeMetadata"];

/// What stores call a bucket that does not exist.
const NO_BUCKET: [&str; 3] = ["NoSuchBucket", "ContainerNotFound", "bucket does not exist"];

/// What `error` means for `name` in the bucket of `address`.
pub(super) fn judge(error: &Error, address: &Address, name: &str) -> ObjectError {
    let (said, variables) = (error.to_string(), address.cloud.variables());
    let address = address.of(name);
    let (status, code) = (status(&said), code(&said));
    let why = match (status, code) {
        (Some(status), Some(code)) => format!("it answers with status {status}, {code}"),
        (Some(status), None) => format!("it answers with status {status}"),
        (None, _) => innermost(error),
    };
    match error {
        // Of a listing the library says no more than the status.
        _ if NO_BUCKET.iter().any(|text| said.contains(text)) => ObjectError::NoBucket { address },
        Error::NotFound { .. } => ObjectError::NotFound { address },
        Error::AlreadyExists { .. } | Error::Precondition { .. } => ObjectError::Exists { address },
        Error::InvalidPath { .. } => ObjectError::Address,
        _ if MACHINES.iter().any(|text| said.contains(text)) => {
            ObjectError::NoCredentials { address, variables }
        }
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            ObjectError::Refused { address, why, variables }
        }
        // All others of 400 to 499 would be the same another time.
        _ if status.is_some_and(|status| status / 100 == 4 && !matches!(status, 408 | 429)) => {
            ObjectError::Refused { address, why, variables }
        }
        _ => ObjectError::Unreachable { address, why },
    }
}

/// The status of HTTP that the library saw.
fn status(said: &str) -> Option<u16> {
    let (_, status) = said.split_once("status code: ")?;
    status.get(..3)?.parse().ok()
}

/// The word by which the store names its error.
fn code(said: &str) -> Option<&str> {
    let (_, code) = said.split_once("<Code>")?;
    let (code, _) = code.split_once("</Code>")?;
    let is_word = code.len() <= 64 && code.chars().all(|each| each.is_ascii_alphanumeric());
    is_word.then_some(code)
}

/// What the system says, below all that the libraries put around it.
fn innermost(error: &Error) -> String {
    let mut source = error.source();
    let mut said = String::new();
    while let Some(error) = source {
        said = error.to_string();
        source = error.source();
    }
    let is_shown = !said.is_empty() && !said.contains("://") && !said.contains('<');
    if is_shown { said } else { "its answer cannot be read".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(said: &str) -> Error {
        Error::Generic { store: "S3", source: said.to_owned().into() }
    }

    #[test]
    fn of_a_stores_words_only_the_status_and_the_code_are_shown() {
        let address = Address::parse("s3://b/a/").expect("an address");
        for (said, expected) in [
            (
                "Server returned non-2xx status code: 400 Bad Request: <Error><Code>ExpiredToken</Code>\
                 <Token>secret</Token>",
                "the store refuses s3://b/x: it answers with status 400, ExpiredToken; check AWS_ACCESS_KEY_ID",
            ),
            (
                "Server returned non-2xx status code: 503 Slow: <Code>\u{1b}[2Jsecret</Code>",
                "cannot reach s3://b/x: it answers with status 503; check your connection",
            ),
            ("<html>secret", "cannot reach s3://b/x: its answer cannot be read; check"),
            (
                "error for https://u:secret@h/",
                "cannot reach s3://b/x: its answer cannot be read; check",
            ),
            (
                "Error performing PUT http://169.254.169.254/latest in 1s",
                "there are no credentials for s3://b/x; set AWS_",
            ),
            ("connection reset", "cannot reach s3://b/x: connection reset; check"),
        ] {
            let error = judge(&generic(said), &address, "x").to_string();
            assert!(error.starts_with(expected) && !error.contains("secret"), "{error}");
        }
        let source = || "<Code>NoSuchBucket</Code>".into();
        let error = Error::NotFound { path: "x".to_owned(), source: source() };
        assert!(matches!(judge(&error, &address, "x"), ObjectError::NoBucket { .. }));
    }
}
