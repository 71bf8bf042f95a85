//! Channels between several parties of a test.

use veilset_channel::{Channel, ChannelError, Framed, HEADER, MemoryTransport, Tag, memory_pair};

/// A party's end of a channel, which may change one of the frames that it sends.
pub(crate) struct End {
    inner: Framed<MemoryTransport>,
    sent: usize,
    pub(crate) bend: Option<Bend>,
}

/// The number of a frame, and what is done to its body.
pub(crate) type Bend = (usize, fn(&mut Vec<u8>));

impl Channel for End {
    fn send(&mut self, tag: Tag, mut frame: Vec<u8>) -> Result<(), ChannelError> {
        if let Some((number, bend)) = self.bend
            && number == self.sent
        {
            let mut body = frame.split_off(HEADER);
            bend(&mut body);
            frame.extend(body);
        }
        self.sent += 1;
        self.inner.send(tag, frame)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<Vec<u8>, ChannelError> {
        self.inner.recv(tag, max)
    }

    fn phase(&mut self, _name: &'static str) {}
}

/// For each party its end of a channel to each other.
pub(crate) fn mesh(parties: usize) -> Vec<Vec<Option<End>>> {
    let mut mesh: Vec<Vec<Option<End>>> = Vec::new();
    for _ in 0..parties {
        let mut ends: Vec<Option<End>> = Vec::new();
        for other in &mut mesh {
            let (left, right) = memory_pair();
            let end = |inner| Some(End { inner: Framed::new(inner), sent: 0, bend: None });
            other.push(end(left));
            ends.push(end(right));
        }
        ends.push(None);
        mesh.push(ends);
    }
    mesh
}

pub(crate) fn channels(ends: &mut [Option<End>]) -> Vec<Option<&mut dyn Channel>> {
    ends.iter_mut().map(|end| end.as_mut().map(|end| end as _)).collect()
}
