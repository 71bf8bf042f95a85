//! Into a room at a relay.

use std::env;
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, Error as TlsError};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::client_async_with_config;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::http::header::SEC_WEBSOCKET_PROTOCOL;
use tokio_tungstenite::tungstenite::http::{HeaderValue, Request, StatusCode};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::JoinError;
use crate::proxy::Proxies;
use crate::relayed::{Duplex, Relayed, Socket};
use crate::url::RelayUrl;
use crate::wire::{Closing, LONGEST, MET, Room, SUBPROTOCOL, Side, WAITING, greeting};

/// How long a relay may take until it has said that one is in.
const PATIENCE: Duration = Duration::from_secs(10);

/// A relay from which nothing comes for this long while one waits is gone: it gives a sign of life every 20 s.
const SILENCE: Duration = Duration::from_secs(60);

/// Goes into a room at a relay and waits there until somebody of the other side comes, however long that takes. `waits` hears
/// that nobody is there yet.
///
/// # Errors
/// See [`JoinError`].
pub async fn join(
    url: &RelayUrl,
    room: &Room,
    side: Side,
    proxies: &Proxies,
    waits: impl FnOnce(),
) -> Result<Relayed, JoinError> {
    let tcp = proxies.reach(&url.host, url.port).await?;
    tcp.set_nodelay(true)?;
    let relay = tcp.peer_addr()?;
    let entering = async {
        let mut socket = open(url, tcp).await?;
        let said = socket.send(Message::Binary(greeting(room, side).to_vec().into())).await;
        said.map_err(|why| failed(why, false))?;
        let has_met = heard(&mut socket).await?;
        Ok::<_, JoinError>((socket, has_met))
    };
    let entered = timeout(PATIENCE, entering).await;
    let (mut socket, has_met) =
        entered.map_err(|_| io::Error::new(io::ErrorKind::TimedOut, "it does not answer"))??;
    if !has_met {
        waits();
    }
    let mut has_met = has_met;
    while !has_met {
        has_met = heard(&mut socket).await?;
    }
    Ok(Relayed::new(socket, relay))
}

/// A WebSocket to the relay.
async fn open(url: &RelayUrl, tcp: TcpStream) -> Result<Socket, JoinError> {
    let stream: Box<dyn Duplex> =
        if url.is_secure { Box::new(secured(url, tcp).await?) } else { Box::new(tcp) };
    let config = WebSocketConfig::default()
        .read_buffer_size(LONGEST)
        .write_buffer_size(0)
        .max_write_buffer_size(2 * LONGEST)
        .max_message_size(Some(LONGEST))
        .max_frame_size(Some(LONGEST));
    let opened = client_async_with_config(request(url)?, stream, Some(config)).await;
    opened.map(|(socket, _)| socket).map_err(|why| failed(why, true))
}

fn request(url: &RelayUrl) -> Result<Request<()>, JoinError> {
    let scheme = if url.is_secure { "wss" } else { "ws" };
    let request = format!("{scheme}://{}{}", url.authority(), url.path).into_client_request();
    let mut request = request.map_err(|why| JoinError::NotARelay(why.to_string()))?;
    let protocol = HeaderValue::from_static(SUBPROTOCOL);
    request.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, protocol);
    Ok(request)
}

/// TLS with a relay whose certificate this machine trusts.
async fn secured(url: &RelayUrl, tcp: TcpStream) -> Result<TlsStream<TcpStream>, JoinError> {
    let untrusted = |why: String| JoinError::Certificate(why);
    let name = ServerName::try_from(url.host.clone());
    let name = name.map_err(|why| untrusted(format!("no certificate is for its name: {why}")))?;
    let connected = TlsConnector::from(trust()?).connect(name, tcp).await;
    connected.map_err(|why| match why.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(TlsError::InvalidCertificate(why)) => untrusted(distrust(why)),
        Some(TlsError::InvalidMessage(_)) => JoinError::NotARelay(
            "it speaks no TLS; a relay of this machine without a certificate is ws://".to_owned(),
        ),
        Some(why) => JoinError::NotARelay(format!("it speaks no TLS that this side does: {why}")),
        None => why.into(),
    })
}

/// Why a certificate is not trusted.
fn distrust(why: &CertificateError) -> String {
    let text = why.to_string();
    match why {
        CertificateError::UnknownIssuer => {
            "nobody vouches for its certificate whom this machine trusts".to_owned()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            format!("its certificate has expired: {text}")
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("its certificate is for another name: {text}")
        }
        _ if format!("{why:?}").contains("CaUsedAsEndEntity") => {
            "its certificate is one of an authority, which a relay cannot use: it needs one with CA:FALSE"
                .to_owned()
        }
        _ => format!("its certificate is not trusted: {text}"),
    }
}

/// Whom this machine trusts, read once.
fn trust() -> Result<Arc<ClientConfig>, JoinError> {
    static TRUST: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = TRUST.get() {
        return Ok(Arc::clone(config));
    }
    if let Some(file) = env::var_os("SSL_CERT_FILE").filter(|file| !Path::new(file).is_file()) {
        let file = Path::new(&file).display();
        return Err(JoinError::Certificate(format!(
            "SSL_CERT_FILE names {file}, which is no file"
        )));
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(BuilderVerifierExt::with_platform_verifier);
    let config = config.map_err(|why| {
        JoinError::Certificate(format!("this machine has no list of authorities: {why}"))
    });
    let mut config = config?.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::clone(TRUST.get_or_init(|| Arc::new(config))))
}

/// Whether the other side is there, once the relay has said whether it is.
async fn heard(socket: &mut Socket) -> Result<bool, JoinError> {
    loop {
        let next = timeout(SILENCE, socket.next()).await;
        let gone = |why: &str| JoinError::from(io::Error::new(io::ErrorKind::ConnectionReset, why));
        match next.map_err(|_| gone("nothing came from it for a minute"))? {
            Some(Ok(Message::Binary(said))) if said == MET => return Ok(true),
            Some(Ok(Message::Binary(said))) if said == WAITING => return Ok(false),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(frame))) => {
                let closing = frame.and_then(|frame| Closing::of(frame.code.into()));
                return Err(match closing {
                    Some(Closing::Malformed) => {
                        JoinError::NotARelay(Closing::Malformed.why().to_owned())
                    }
                    Some(closing) => JoinError::Busy(closing.why().to_owned()),
                    None => gone("it closed the connection"),
                });
            }
            Some(Ok(_)) => {
                return Err(JoinError::NotARelay("it says what no relay says".to_owned()));
            }
            Some(Err(why)) => return Err(failed(why, false)),
            None => return Err(gone("it closed the connection")),
        }
    }
}

fn failed(error: Error, opening: bool) -> JoinError {
    match error {
        Error::Io(why) => why.into(),
        Error::Http(response) => match response.status() {
            StatusCode::TOO_MANY_REQUESTS => {
                JoinError::Busy("it has too many connections from here".to_owned())
            }
            status @ (StatusCode::INTERNAL_SERVER_ERROR
            | StatusCode::REQUEST_TIMEOUT
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::BAD_GATEWAY
            | StatusCode::GATEWAY_TIMEOUT) => {
                JoinError::Busy(format!("it takes nobody now (status {})", status.as_u16()))
            }
            status => JoinError::NotARelay(format!("it answers with status {}", status.as_u16())),
        },
        Error::ConnectionClosed
        | Error::AlreadyClosed
        | Error::Protocol(ProtocolError::HandshakeIncomplete) => {
            io::Error::new(io::ErrorKind::ConnectionReset, "it closed the connection").into()
        }
        Error::Protocol(ProtocolError::HttparseError(_)) if opening => JoinError::NotARelay(
            "it speaks no HTTP; a relay with a certificate is wss://".to_owned(),
        ),
        other if opening => JoinError::NotARelay(other.to_string()),
        other => io::Error::new(io::ErrorKind::ConnectionReset, other.to_string()).into(),
    }
}
