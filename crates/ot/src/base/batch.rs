//! Entries of a fixed size, one an instance, in as few frames as hold them.

use veilset_channel::{
    Channel, ChannelError, ChannelExt, Chunks, MAX_BODY, Malformed, Message, Reader, Tag,
};

use super::oracle::Transcript;

/// What one instance adds to a message.
pub(super) trait Entry: Sized {
    /// The tag of the messages.
    const TAG: Tag;

    /// The encoding's length in bytes, always the same.
    const BYTES: usize;

    /// Appends the encoding.
    fn encode(&self, out: &mut Vec<u8>);

    /// Reads one entry.
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Malformed>;
}

/// Sends all entries and adds them to the transcript.
pub(super) fn put_all<E: Entry>(
    channel: &mut dyn Channel,
    entries: Vec<E>,
    transcript: &mut Transcript,
) -> Result<(), ChannelError> {
    let mut entries = entries.into_iter();
    for range in frames::<E>(entries.len()).ranges() {
        let batch = Batch(entries.by_ref().take(range.len()).collect());
        transcript.absorb(&batch);
        channel.put(&batch)?;
    }
    Ok(())
}

/// Receives `count` entries and adds them to the transcript.
pub(super) fn take_all<E: Entry>(
    channel: &mut dyn Channel,
    count: usize,
    transcript: &mut Transcript,
) -> Result<Vec<E>, ChannelError> {
    let mut entries = Vec::with_capacity(count);
    for range in frames::<E>(count).ranges() {
        let batch: Batch<E> = channel.take(&range.len())?;
        transcript.absorb(&batch);
        entries.extend(batch.0);
    }
    Ok(entries)
}

/// Bytes and frames of `count` entries.
pub(super) fn entries_cost<E: Entry>(count: usize) -> (f64, usize) {
    ((count * E::BYTES) as f64, frames::<E>(count).count())
}

fn frames<E: Entry>(count: usize) -> Chunks {
    Chunks::new(count, MAX_BODY / E::BYTES)
}

/// The entries of one frame; the context is their number.
struct Batch<E>(Vec<E>);

impl<E: Entry> Message for Batch<E> {
    const TAG: Tag = E::TAG;
    type Context = usize;

    fn max_len(count: &usize) -> usize {
        E::BYTES * count
    }

    fn encode(&self, out: &mut Vec<u8>) {
        for entry in &self.0 {
            entry.encode(out);
        }
    }

    fn decode(reader: &mut Reader<'_>, count: &usize) -> Result<Self, Malformed> {
        (0..*count).map(|_| E::decode(reader)).collect::<Result<_, _>>().map(Self)
    }
}
