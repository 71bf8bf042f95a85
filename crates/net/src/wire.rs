//! Frames on the encrypted stream: a length (4 bytes, little-endian), then that many bytes; length 0 is a heartbeat, and one of
//! ones alone says that the user at this end interrupted the run.

use std::io::{self, ErrorKind};
use std::time::Duration;

use rustls::{AlertDescription, Error};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::time::{Instant, sleep, sleep_until};

use veilset_channel::{ChannelError, MAX_FRAME, NetworkFault, PeerFault};

use crate::Stop;
use crate::handshake::tls_error;
use crate::meter::Meter;

/// What goes out when nothing else does.
const HEARTBEAT: [u8; 4] = [0; 4];

/// What goes out last where this side's user ended the connection.
const INTERRUPTED: [u8; 4] = [0xff; 4];

/// Writes the frames that are queued, and a heartbeat whenever none was for `heartbeat`. Ends well, with TLS closed in
/// this direction, when the queue's other end is gone and all is written; and with [`NetworkFault::Stopped`], which the peer
/// is told, when this side's user stops it.
pub(crate) async fn transmit(
    mut output: impl AsyncWrite + Unpin,
    queue: &mut Receiver<Vec<u8>>,
    heartbeat: Duration,
    stop: &Stop,
) -> Result<(), ChannelError> {
    let mut buffer = Vec::new();
    loop {
        let bytes = tokio::select! {
            biased;
            () = stop.stopped() => {
                output.write_all(&INTERRUPTED).await.map_err(|error| fault(&error))?;
                output.shutdown().await.map_err(|error| fault(&error))?;
                return Err(NetworkFault::Stopped.into());
            }
            frame = queue.recv() => match frame {
                Some(frame) => with_length(&frame, &mut buffer),
                None => return output.shutdown().await.map_err(|error| fault(&error)),
            },
            () = sleep(heartbeat) => &HEARTBEAT,
        };
        output.write_all(bytes).await.map_err(|error| fault(&error))?;
        output.flush().await.map_err(|error| fault(&error))?;
    }
}

/// Length and frame as one piece, for a single write: TLS makes records of what is written at once.
fn with_length<'a>(frame: &[u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
    assert!((1..=MAX_FRAME).contains(&frame.len()), "a frame of {} bytes", frame.len());
    let length = u32::try_from(frame.len()).expect("MAX_FRAME fits");
    buffer.clear();
    buffer.extend_from_slice(&length.to_le_bytes());
    buffer.extend_from_slice(frame);
    buffer
}

/// Reads frames into the queue until the stream ends, and says why it ended. While the queue is full nothing is read, so
/// that the peer slows down, and no time counts as silence. When nobody takes from the queue any more, frames are
/// dropped.
pub(crate) async fn receive(
    mut input: impl AsyncRead + Unpin,
    queue: &Sender<Vec<u8>>,
    meter: &Meter,
    silence: Duration,
) -> ChannelError {
    loop {
        match unless_silent(meter, silence, read_frame(&mut input)).await {
            Ok(Some(frame)) => {
                let _ = queue.send(frame).await;
            }
            Ok(None) => {}
            Err(why) => return why,
        }
    }
}

/// The next frame; `None` for a heartbeat.
async fn read_frame(input: &mut (impl AsyncRead + Unpin)) -> Result<Option<Vec<u8>>, ChannelError> {
    let mut length = [0; 4];
    input.read_exact(&mut length).await.map_err(|error| fault(&error))?;
    if length == INTERRUPTED {
        return Err(NetworkFault::Interrupted.into());
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_FRAME {
        return Err(PeerFault::TooLong { what: "frame", max: MAX_FRAME, got: length }.into());
    }
    if length == 0 {
        return Ok(None);
    }
    let mut frame = vec![0; length];
    input.read_exact(&mut frame).await.map_err(|error| fault(&error))?;
    Ok(Some(frame))
}

/// `reading`, unless no byte arrives for as long as `silence`.
async fn unless_silent<T>(
    meter: &Meter,
    silence: Duration,
    reading: impl Future<Output = Result<T, ChannelError>>,
) -> Result<T, ChannelError> {
    let start = Instant::now();
    let mut reading = std::pin::pin!(reading);
    loop {
        let patience_ends = start.max(meter.last_arrival()) + silence;
        tokio::select! {
            biased;
            read = &mut reading => return read,
            () = sleep_until(patience_ends) => {
                if start.max(meter.last_arrival()) + silence <= Instant::now() {
                    return Err(NetworkFault::Silent(silence).into());
                }
            }
        }
    }
}

fn fault(error: &io::Error) -> ChannelError {
    let text = match (tls_error(error), error.kind()) {
        (Some(Error::DecryptError), _) => {
            "bytes were altered on the way: a TLS record failed its check".to_owned()
        }
        (Some(Error::AlertReceived(AlertDescription::BadRecordMac)), _) => {
            "bytes were altered on the way: a TLS record failed the peer's check".to_owned()
        }
        (Some(error), _) => format!("TLS: {error}"),
        (
            None,
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::NotConnected
            | ErrorKind::WriteZero,
        ) => return NetworkFault::Closed.into(),
        (None, _) => error.to_string(),
    };
    NetworkFault::Io(text).into()
}
