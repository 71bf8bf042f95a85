//! How the fields of an input stand in its bytes: numbers first, then strings of bytes behind their length.

/// Reads fields from the front; what is missing at the end is zero or empty.
pub(crate) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.array::<1>()[0]
    }

    pub(crate) fn short(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    pub(crate) fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    /// A string of bytes behind its length in four bytes; what is left if that is less.
    pub(crate) fn string(&mut self) -> &'a [u8] {
        let length = self.word() as usize;
        let (string, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        string
    }

    /// All strings that are left.
    pub(crate) fn strings(mut self) -> Vec<&'a [u8]> {
        let mut strings = Vec::new();
        while !self.0.is_empty() {
            strings.push(self.string());
        }
        strings
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is left.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_at(N.min(self.0.len()));
        self.0 = rest;
        std::array::from_fn(|place| taken.get(place).copied().unwrap_or_default())
    }
}

/// Writes a string of bytes as [`Fields::string`] reads it.
pub(crate) fn put_string(bytes: &mut Vec<u8>, string: &[u8]) {
    let length = u32::try_from(string.len()).expect("an honest input is short");
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(string);
}

/// Frames without the numbers in their headers, which [`frames`] puts back: tag, then body.
pub(crate) fn put_frames(bytes: &mut Vec<u8>, frames: &[Vec<u8>]) {
    for frame in frames {
        let (header, body) = frame.split_at(veilset_channel::HEADER);
        put_string(bytes, &[&header[..1], body].concat());
    }
}

/// Frames whose numbers are right, so that what is behind them is reached.
pub(crate) fn frames(fields: Fields<'_>) -> Vec<Vec<u8>> {
    let frame = |(number, string): (u32, &[u8])| {
        let (tag, body) = string.split_first().unwrap_or((&0, &[]));
        [&[*tag][..], &number.to_le_bytes(), body].concat()
    };
    (0..).zip(fields.strings()).map(frame).collect()
}
