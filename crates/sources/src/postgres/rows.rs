//! The client that gets them.

use std::io::Write;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use rustls::ClientConfig;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Config, Error};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::QueryError;
use super::passfile::password;

/// How long the server may take to take the connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// Has the database at `address` answer `query`, one statement that only reads; returns the host, for messages, and writes the
/// rows to `out` as they come: CSV in UTF-8 under a header, in PostgreSQL's own text, with dates in ISO 8601 and times in UTC.
///
/// The password is that of `PGPASSWORD` or of the password file, as for other programs. Where the address says nothing
/// of `sslmode`, a server on this machine is reached without TLS, and any other with it. Certificates are always checked
/// as the system does.
///
/// # Errors
/// See [`QueryError`].
pub fn query(address: &str, query: &str, out: &mut dyn Write) -> Result<String, QueryError> {
    let config = config(address)?;
    let host = host_of(&config);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|why| unreachable(&host, why.to_string()))?;
    let tls = tls().map_err(|why| unreachable(&host, why.to_string()))?;
    runtime.block_on(rows(&config, &host, tls, query, out))?;
    Ok(host)
}

fn config(address: &str) -> Result<Config, QueryError> {
    let mut config: Config = address.parse().map_err(|_| QueryError::Address)?;
    if config.get_password().is_some() {
        return Err(QueryError::Password);
    }
    if config.get_hosts().is_empty() {
        config.host("localhost");
    }
    if !address.contains("sslmode=") {
        let mode = if is_local(&config) { SslMode::Disable } else { SslMode::Require };
        config.ssl_mode(mode);
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    config.application_name("veilset");
    if let Some(password) = password(&config) {
        config.password(&*password);
    }
    Ok(config)
}

fn is_local(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1"),
        #[cfg(unix)]
        Host::Unix(_) => true,
    })
}

/// The first host, which messages name.
fn host_of(config: &Config) -> String {
    match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => String::new(),
    }
}

async fn rows(
    config: &Config,
    host: &str,
    tls: ClientConfig,
    query: &str,
    out: &mut dyn Write,
) -> Result<(), QueryError> {
    let connected = config.connect(MakeRustlsConnect::new(tls)).await;
    let (client, connection) = connected.map_err(|error| judge(&error, host))?;
    // It ends with the client.
    let driver = tokio::spawn(connection);
    let rows = copy(&client, host, query, out).await;
    drop(client);
    if rows.is_err() {
        // It would read all that the server still sends.
        driver.abort();
    }
    // What went wrong with the connection is what the client was told.
    let _ = driver.await;
    rows
}

async fn copy(
    client: &Client,
    host: &str,
    query: &str,
    out: &mut dyn Write,
) -> Result<(), QueryError> {
    const FORMS: &str = "SET default_transaction_read_only = on; SET DateStyle = 'ISO, YMD'; \
                         SET IntervalStyle = 'iso_8601'; SET TimeZone = 'UTC'; SET client_encoding = 'UTF8'";
    let failed = |error: Error| judge(&error, host);
    client.batch_execute(FORMS).await.map_err(failed)?;
    let query = query.trim().trim_end_matches(';');
    let statement = format!("COPY (\n{query}\n) TO STDOUT (FORMAT csv, HEADER true)");
    let mut chunks = pin!(client.copy_out(statement.as_str()).await.map_err(failed)?);
    while let Some(chunk) = chunks.next().await {
        out.write_all(&chunk.map_err(failed)?).map_err(QueryError::Unkept)?;
    }
    Ok(())
}

fn tls() -> Result<ClientConfig, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()));
    let builder = builder.with_safe_default_protocol_versions()?.with_platform_verifier()?;
    Ok(builder.with_no_client_auth())
}

fn unreachable(host: &str, why: String) -> QueryError {
    QueryError::Unreachable { host: host.to_owned(), why }
}

/// What the server says is shown where it speaks of the query or the login; of anything else it may quote a value.
fn judge(error: &Error, host: &str) -> QueryError {
    let Some(said) = error.as_db_error() else {
        let source = std::error::Error::source(error).map(ToString::to_string);
        return unreachable(host, source.unwrap_or_else(|| error.to_string()));
    };
    let (host, why) = (host.to_owned(), said.message().to_owned());
    match said.code().code().get(..2) {
        Some("28" | "3D") => QueryError::Refused { host, why },
        Some("42" | "25") => QueryError::Query { host, why },
        _ => QueryError::Query { host, why: shown(said.code()) },
    }
}

fn shown(code: &SqlState) -> String {
    format!("error {} of its list of error codes", code.code())
}
