//! Frames on the encrypted stream: a length (4 bytes, little-endian), then that many bytes. Length 0 is a heartbeat, and one of
//! ones alone says that the user at this end interrupted the run. Where a run may go on over another connection, a length with its
//! highest bit says how many frames came.

use std::io::{self, ErrorKind};
use std::time::Duration;

use rustls::{AlertDescription, Error};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{Receiver, Sender};

use veilset_channel::{ChannelError, MAX_FRAME, NetworkFault, PeerFault};

use crate::Options;
use crate::clock::{Instant, sleep_until};
use crate::connection::Passage;
use crate::handshake::tls_error;
use crate::meter::Meter;

/// What goes out when nothing else does.
const HEARTBEAT: [u8; 4] = [0; 4];

/// What goes out last where this side's user ended the connection.
const INTERRUPTED: [u8; 4] = [0xff; 4];

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) why: ChannelError,
    pub(crate) how: How,
}

/// Whether the peer may come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// It does not: it closed the connection, or broke a rule.
    ForGood,
    /// It may, or its process ended: the connection was closed without a word.
    Cut,
    /// It may: the network failed.
    Failed,
}

impl From<ChannelError> for Ended {
    fn from(why: ChannelError) -> Self {
        Self { why, how: How::ForGood }
    }
}

impl From<NetworkFault> for Ended {
    fn from(why: NetworkFault) -> Self {
        ChannelError::from(why).into()
    }
}

impl From<PeerFault> for Ended {
    fn from(why: PeerFault) -> Self {
        ChannelError::from(why).into()
    }
}

/// Writes the frames that the peer may lack, then those that are queued, and a sign of life whenever nothing was written for a
/// heartbeat. Ends well, with TLS closed in this direction, when the queue's other end is gone and all is written; and with
/// [`NetworkFault::Stopped`], which the peer is told, when this side's user stops it.
pub(crate) async fn transmit(
    mut output: impl AsyncWrite + Unpin,
    queue: &mut Receiver<Vec<u8>>,
    passage: &Passage,
    options: &Options,
) -> Result<(), Ended> {
    let mut buffer = Vec::new();
    let (mut next, mut written) = (0, Instant::now());
    loop {
        // However much is still to be written.
        let mut word =
            if options.stop.is_stopped() { Some(INTERRUPTED) } else { passage.due_word() };
        let bytes: &[u8] = if let Some(word) = &word {
            word
        } else if let Some(following) = passage.write(next, &mut buffer) {
            next = following;
            &buffer
        } else {
            word = tokio::select! {
                biased;
                () = options.stop.stopped() => Some(INTERRUPTED),
                () = passage.changed() => None,
                frame = queue.recv(), if passage.has_room() => match frame {
                    Some(frame) => {
                        assert!((1..=MAX_FRAME).contains(&frame.len()), "{} bytes", frame.len());
                        passage.keep(frame);
                        None
                    }
                    None => {
                        // A peer that is told of all waits for nothing.
                        let last = passage.word();
                        let told = output.write_all(last.as_ref().map_or(&[], |word| word)).await;
                        told.map_err(|error| ended(&error))?;
                        return output.shutdown().await.map_err(|error| ended(&error));
                    }
                },
                () = sleep_until(written + options.heartbeat) => {
                    Some(passage.word().unwrap_or(HEARTBEAT))
                }
            };
            match &word {
                Some(word) => word,
                None => continue,
            }
        };
        output.write_all(bytes).await.map_err(|error| ended(&error))?;
        if bytes == INTERRUPTED {
            output.shutdown().await.map_err(|error| ended(&error))?;
            return Err(NetworkFault::Stopped.into());
        }
        output.flush().await.map_err(|error| ended(&error))?;
        written = Instant::now();
    }
}

/// Reads frames into the queue until the stream ends, and says why it ended. While the queue is full nothing is read, so
/// that the peer slows down, and no time counts as silence. When nobody takes from the queue any more, frames are
/// dropped.
pub(crate) async fn receive(
    mut input: impl AsyncRead + Unpin,
    queue: &Sender<Vec<u8>>,
    passage: &Passage,
    meter: &Meter,
    silence: Duration,
) -> Ended {
    loop {
        match unless_silent(meter, silence, read_frame(&mut input, passage)).await {
            Ok(Some(frame)) => {
                let length = frame.len();
                // A frame that nobody could take before the connection ended has not come.
                let _ = queue.send(frame).await;
                passage.arrived(length);
            }
            Ok(None) => {}
            Err(ended) => return ended,
        }
    }
}

/// The next frame; `None` for what is no frame.
async fn read_frame(
    input: &mut (impl AsyncRead + Unpin),
    passage: &Passage,
) -> Result<Option<Vec<u8>>, Ended> {
    let mut length = [0; 4];
    fill(input, &mut length).await?;
    if length == INTERRUPTED {
        return Err(NetworkFault::Interrupted.into());
    }
    let word = u32::from_le_bytes(length);
    if passage.is_word(word) {
        return Ok(passage.heard(word).map(|()| None)?);
    }
    let length = word as usize;
    if length > MAX_FRAME {
        return Err(PeerFault::TooLong { what: "frame", max: MAX_FRAME, got: length }.into());
    }
    if length == 0 {
        return Ok(None);
    }
    let mut frame = vec![0; length];
    fill(input, &mut frame).await?;
    Ok(Some(frame))
}

/// Reads as many bytes as fill `bytes`. Where TLS is closed in good form instead, that is for good.
async fn fill(input: &mut (impl AsyncRead + Unpin), bytes: &mut [u8]) -> Result<(), Ended> {
    let mut filled = 0;
    while filled < bytes.len() {
        match input.read(&mut bytes[filled..]).await {
            Ok(0) => return Err(NetworkFault::Closed.into()),
            Ok(more) => filled += more,
            Err(error) => return Err(ended(&error)),
        }
    }
    Ok(())
}

/// `reading`, unless no byte arrives for as long as `silence`.
async fn unless_silent<T>(
    meter: &Meter,
    silence: Duration,
    reading: impl Future<Output = Result<T, Ended>>,
) -> Result<T, Ended> {
    let start = Instant::now();
    let mut reading = std::pin::pin!(reading);
    loop {
        let patience_ends = start.max(meter.last_arrival()) + silence;
        tokio::select! {
            biased;
            read = &mut reading => return read,
            () = sleep_until(patience_ends) => {
                if start.max(meter.last_arrival()) + silence <= Instant::now() {
                    return Err(Ended { why: NetworkFault::Silent(silence).into(), how: How::Failed });
                }
            }
        }
    }
}

fn ended(error: &io::Error) -> Ended {
    let (text, how) = match (tls_error(error), error.kind()) {
        (Some(Error::DecryptError), _) => (
            "bytes were altered on the way: a TLS record failed its check".to_owned(),
            How::ForGood,
        ),
        (Some(Error::AlertReceived(AlertDescription::BadRecordMac)), _) => (
            "bytes were altered on the way: a TLS record failed the peer's check".to_owned(),
            How::ForGood,
        ),
        (Some(error), _) => (format!("TLS: {error}"), How::ForGood),
        (
            None,
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::NotConnected
            | ErrorKind::WriteZero,
        ) => return Ended { why: NetworkFault::Closed.into(), how: How::Cut },
        (None, _) => (error.to_string(), How::Failed),
    };
    Ended { why: NetworkFault::Io(text).into(), how }
}
