//! The way to a store, with the credentials that the environment holds.

use std::net::IpAddr;
use std::time::Duration;

use http::Uri;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};

use super::ObjectError;
use super::address::{Address, Cloud};

/// How long a store may take to take a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a store may be silent.
const SILENCE: Duration = Duration::from_secs(60);

/// The slowest way to a store that is waited for, in bytes a second.
const SLOWEST: u64 = 64 << 10;

/// Opens the store of `address`, to read from it or to write `bytes` bytes at once.
///
/// Whatever the environment says, certificates are checked, and a way without encryption stays on this machine.
///
/// # Errors
/// When the environment's settings are incomplete, or name an endpoint without encryption.
pub(super) fn open(
    address: &Address,
    bytes: Option<usize>,
) -> Result<Box<dyn ObjectStore>, ObjectError> {
    let (text, variables) = (address.to_string(), address.cloud.variables());
    let settings = |_| ObjectError::Settings { address: text.clone(), variables };
    match address.cloud {
        Cloud::S3 => {
            let builder = AmazonS3Builder::from_env().with_bucket_name(&address.bucket);
            let endpoint = builder.get_config_value(&AmazonS3ConfigKey::S3Endpoint);
            let endpoint = endpoint.or(builder.get_config_value(&AmazonS3ConfigKey::Endpoint));
            let builder = builder.with_client_options(options(address, endpoint, bytes)?);
            let store = builder.with_retry(retry()).build();
            store.map(boxed).map_err(settings)
        }
        Cloud::Google => {
            let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(&address.bucket);
            let endpoint = builder.get_config_value(&GoogleConfigKey::BaseUrl);
            let builder = builder.with_client_options(options(address, endpoint, bytes)?);
            let store = builder.with_retry(retry()).build();
            store.map(boxed).map_err(settings)
        }
        Cloud::Azure => {
            let builder = MicrosoftAzureBuilder::from_env().with_url(address.of(""));
            let endpoint = builder.get_config_value(&AzureConfigKey::Endpoint);
            let builder = builder.with_client_options(options(address, endpoint, bytes)?);
            let store = builder.with_use_emulator(false).with_retry(retry()).build();
            store.map(boxed).map_err(settings)
        }
    }
}

fn boxed(store: impl ObjectStore) -> Box<dyn ObjectStore> {
    Box::new(store)
}

fn options(
    address: &Address,
    endpoint: Option<String>,
    bytes: Option<usize>,
) -> Result<ClientOptions, ObjectError> {
    let plain = endpoint.filter(|endpoint| !endpoint.to_ascii_lowercase().starts_with("https://"));
    if plain.as_deref().is_some_and(|endpoint| !is_local(endpoint)) {
        return Err(ObjectError::Plain { address: address.to_string() });
    }
    let options =
        ClientOptions::new().with_connect_timeout(CONNECT).with_allow_http(plain.is_some());
    Ok(match bytes {
        None => options.with_timeout_disabled().with_read_timeout(SILENCE),
        // The store answers when it has everything.
        Some(bytes) => options.with_timeout(SILENCE + Duration::from_secs(bytes as u64 / SLOWEST)),
    })
}

/// Whether `endpoint` is on this machine.
fn is_local(endpoint: &str) -> bool {
    let uri = endpoint.parse::<Uri>().ok();
    let host = uri.as_ref().and_then(Uri::host).unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn retry() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(5),
        base: 2.0,
    };
    RetryConfig { backoff, max_retries: 5, retry_timeout: Duration::from_secs(120) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_without_encryption_stays_on_this_machine() {
        for endpoint in
            ["http://127.0.0.1:9000", "http://localhost/x", "http://[::1]:1", "HTTP://127.9.9.9"]
        {
            assert!(is_local(endpoint), "{endpoint}");
        }
        for endpoint in [
            "http://store.example",
            "http://127.0.0.1.example:80",
            "http://127.0.0.1@10.0.0.1/",
            "",
            "10.0.0.1",
        ] {
            assert!(!is_local(endpoint), "{endpoint}");
        }
        let address = Address::parse("s3://b/x").expect("an address");
        let refused = options(&address, Some("http://store.example".to_owned()), None);
        assert!(matches!(refused, Err(ObjectError::Plain { .. })));
        assert!(options(&address, Some("https://store.example".to_owned()), None).is_ok());
    }
}
