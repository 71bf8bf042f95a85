//! Silent transfers of one of sixteen messages, of random choice: their traffic hardly grows with their number.
//!
//! A vector OLE over the field of sixteen elements gives the sender b and Δ, the receiver a and c = b + Δ·a. For each element u
//! of that field H(b + Δ·u) is a pad; the sender has all sixteen, the receiver that of a. Of another u it knows what enters H up to
//! Δ·(u − a), which is uniform as Δ is. (Subspace vector OLE gives transfers of one of many in the same way: Roy, Crypto 2022, eprint 2022/192,
//! section 5; silent ones of two messages are those of Boyle et al., CCS 2019, eprint 2019/1159.)
//!
//! Vectors are made in batches on one setup, so that memory has a bound. **Security.** Semi-honest; H is the hash of the
//! other transfers, its tweak the transfer's number since the setup.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_channel::Channel;
use zeroize::Zeroizing;

use crate::base::{Base, Session};
use crate::vole::{Elements, Nibble, Subfield, VoleReceiver, VoleSender, extend_cost};
use crate::{
    BaseOt, Block, ExtensionParameters, ExtensionReceiver, ExtensionSender, Hash, OtError,
    Security, WireCost, setup_bytes,
};

/// Messages of a transfer.
pub const CHOICES: usize = 1 << Nibble::BITS;

/// Transfers of one batch, at most.
pub const BATCH: usize = 1 << 18;

/// Transfers that one task hashes.
const TASK: usize = 1024;

/// What both sides derive for batches of one setup.
struct Batches {
    session: Session,
    hash: Hash,
    /// Batches and transfers so far.
    made: u64,
    transfers: u64,
}

impl Batches {
    fn new(parameters: &ExtensionParameters) -> Self {
        let context = "veilset 2026 silent transfers: pads";
        let hash = Hash::new(&blake3::derive_key(context, &parameters.session));
        Self { session: parameters.session, hash, made: 0, transfers: 0 }
    }

    /// The parameters of the next batch, and its first transfer's number.
    fn next(&mut self, count: usize) -> (ExtensionParameters, u64) {
        let mut hasher = blake3::Hasher::new_derive_key("veilset 2026 silent transfers: batch");
        hasher.update(&self.session).update(&self.made.to_le_bytes());
        let session = *hasher.finalize().as_bytes();
        let first = self.transfers;
        (self.made, self.transfers) = (self.made + 1, self.transfers + count as u64);
        (ExtensionParameters::new(Security::SemiHonest, session), first)
    }

    /// The pads of `width` bytes of transfers `first`, `first` + 1, … of these rows, one after the other.
    fn pads(&self, first: u64, rows: &[Block], width: usize) -> Zeroizing<Vec<u8>> {
        let mut pads = Zeroizing::new(vec![0; width * rows.len()]);
        let tasks = rows.par_chunks(TASK).zip(pads.par_chunks_mut(width * TASK)).enumerate();
        tasks.for_each(|(task, (rows, pads))| {
            let rows = Zeroizing::new(rows.to_vec());
            self.hash.pads(first + (task * TASK) as u64, rows, width, pads);
        });
        pads
    }
}

/// The sender of any number of batches.
pub struct SilentSender {
    extension: ExtensionSender,
    batches: Batches,
    /// Δ times each element of the field.
    multiples: Zeroizing<[Block; CHOICES]>,
}

/// A batch as the sender has it.
pub struct SentBatch<'a> {
    sender: &'a SilentSender,
    first: u64,
    rows: Elements,
}

impl SilentSender {
    /// Sets transfers up on `base`. The peer calls [`SilentReceiver::setup`] with the same base and parameters.
    ///
    /// # Errors
    /// When the connection fails or the peer breaks the protocol.
    pub fn setup(
        channel: &mut dyn Channel,
        base: &dyn BaseOt,
        parameters: &ExtensionParameters,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, OtError> {
        channel.phase("transfer setup");
        let extension = ExtensionSender::setup(channel, base, parameters, rng)?;
        let delta = Zeroizing::new(extension.delta());
        let multiple = |u: usize| Nibble::truncate(u as Block).scale(*delta);
        let multiples = Zeroizing::new(std::array::from_fn(multiple));
        Ok(Self { extension, batches: Batches::new(parameters), multiples })
    }

    /// Makes `count` transfers, at most [`BATCH`], on the threads of the caller's rayon pool.
    ///
    /// # Errors
    /// As [`setup`](Self::setup).
    pub fn batch(
        &mut self,
        channel: &mut dyn Channel,
        count: usize,
    ) -> Result<SentBatch<'_>, OtError> {
        let (parameters, first) = self.batches.next(count);
        let made = VoleSender::extend::<Nibble>(channel, &mut self.extension, &parameters, count)?;
        Ok(SentBatch { sender: self, first, rows: made.b })
    }
}

impl SentBatch<'_> {
    /// Bit u of each number is the lowest bit of the pad for choice u.
    pub fn bits(&self, bits: &mut [u16]) {
        let tasks = bits.par_chunks_mut(TASK).zip(self.rows.par_chunks(TASK)).enumerate();
        tasks.for_each(|(task, (bits, rows))| {
            let first = self.first + (task * TASK) as u64;
            self.sender.batches.hash.sixteen(first, rows, &self.sender.multiples, bits);
        });
    }

    /// The first `width` bytes, from 1 to 2^20, of each transfer's pad for one of its choices, all below [`CHOICES`], which are no
    /// secret; one after the other.
    #[must_use]
    pub fn pads(&self, choices: &[u8], width: usize) -> Zeroizing<Vec<u8>> {
        let rows = self.rows.iter().zip(choices);
        let rows = rows.map(|(row, choice)| row ^ self.sender.multiples[usize::from(choice & 15)]);
        self.sender.batches.pads(self.first, &Elements::new(rows.collect()), width)
    }
}

/// The receiver of any number of batches.
pub struct SilentReceiver {
    extension: ExtensionReceiver,
    batches: Batches,
}

/// A batch as the receiver has it.
pub struct ReceivedBatch<'a> {
    receiver: &'a SilentReceiver,
    first: u64,
    rows: Elements,
    /// Which pad of each transfer it has, from 0 to 15.
    pub choices: Elements<Nibble>,
}

impl ReceivedBatch<'_> {
    /// The lowest bit of each transfer's pad.
    #[must_use]
    pub fn bits(&self) -> Zeroizing<Vec<u8>> {
        let mut rows = self.rows.clone();
        let tasks = rows.par_chunks_mut(TASK).enumerate();
        let hash = &self.receiver.batches.hash;
        tasks.for_each(|(task, rows)| hash.blocks(self.first + (task * TASK) as u64, rows));
        Zeroizing::new(rows.iter().map(|pad| (*pad & 1) as u8).collect())
    }

    /// The first `width` bytes, from 1 to 2^20, of each transfer's pad; one after the other.
    #[must_use]
    pub fn pads(&self, width: usize) -> Zeroizing<Vec<u8>> {
        self.receiver.batches.pads(self.first, &self.rows, width)
    }
}

impl SilentReceiver {
    /// The other end of [`SilentSender::setup`].
    ///
    /// # Errors
    /// As there.
    pub fn setup(
        channel: &mut dyn Channel,
        base: &dyn BaseOt,
        parameters: &ExtensionParameters,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, OtError> {
        channel.phase("transfer setup");
        let extension = ExtensionReceiver::setup(channel, base, parameters, rng)?;
        Ok(Self { extension, batches: Batches::new(parameters) })
    }

    /// The other end of [`SilentSender::batch`].
    ///
    /// # Errors
    /// As there.
    pub fn batch(
        &mut self,
        channel: &mut dyn Channel,
        count: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<ReceivedBatch<'_>, OtError> {
        let (parameters, first) = self.batches.next(count);
        let extension = &mut self.extension;
        let made = VoleReceiver::extend(channel, extension, &parameters, count, rng)?;
        Ok(ReceivedBatch { receiver: self, first, rows: made.c, choices: made.a })
    }
}

/// The batches of so many transfers.
pub fn batches(count: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..count).step_by(BATCH).map(move |first| first..count.min(first + BATCH))
}

/// Bytes and frames of so many transfers in [`batches`], each of these numbers by itself, on one setup over `base`.
#[must_use]
pub fn silent_cost(base: Base, counts: &[usize]) -> WireCost {
    let batches = counts.iter().flat_map(|count| batches(*count));
    batches.fold(setup_bytes(base), |mut sum, batch| {
        let more = extend_cost::<Nibble>(batch.len(), Security::SemiHonest);
        for (sum, more) in [(&mut sum.sender, more.sender), (&mut sum.receiver, more.receiver)] {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha20Rng;
    use rand_core::SeedableRng;
    use veilset_channel::{Framed, memory_pair};

    use super::*;
    use crate::BLOCK_BYTES;
    use crate::ideal::Dealer;

    /// Bytes of pads, which are more than a block.
    const WIDTH: usize = 21;

    type Pads = Vec<Vec<u8>>;

    /// A batch of the sender's: its bits, and for each choice its pads.
    type Sent = (Vec<u16>, Vec<Pads>);

    /// A batch of the receiver's: its choices, its bits and its pads.
    type Received = (Vec<u8>, Vec<u8>, Pads);

    fn each(pads: &[u8]) -> Pads {
        pads.chunks(WIDTH).map(<[u8]>::to_vec).collect()
    }

    /// Both sides of batches of these sizes.
    fn run(counts: &[usize]) -> (Vec<Sent>, Vec<Received>) {
        let dealer = &Dealer::new([9; 32]);
        let parameters = &ExtensionParameters::new(Security::SemiHonest, [7; 32]);
        let (left, right) = memory_pair();
        let (mut left, mut right) = (Framed::new(left), Framed::new(right));
        std::thread::scope(|scope| {
            let sender = scope.spawn(move || {
                let rng = &mut ChaCha20Rng::from_seed([1; 32]);
                let mut sender =
                    SilentSender::setup(&mut left, dealer, parameters, rng).expect("honest");
                let batch = |count: &usize| {
                    let batch = sender.batch(&mut left, *count).expect("honest");
                    let mut bits = vec![0; *count];
                    batch.bits(&mut bits);
                    let pads =
                        (0..16).map(|choice| each(&batch.pads(&vec![choice; *count], WIDTH)));
                    (bits, pads.collect())
                };
                counts.iter().map(batch).collect()
            });
            let rng = &mut ChaCha20Rng::from_seed([2; 32]);
            let mut receiver =
                SilentReceiver::setup(&mut right, dealer, parameters, rng).expect("honest");
            let received = counts.iter().map(|count| {
                let batch = receiver.batch(&mut right, *count, rng).expect("honest");
                let choices = batch.choices.iter().map(|choice| u8::from(*choice)).collect();
                (choices, batch.bits().to_vec(), each(&batch.pads(WIDTH)))
            });
            let received = received.collect();
            (sender.join().expect("no panic"), received)
        })
    }

    #[test]
    fn the_receiver_has_the_pad_of_its_choice_and_no_other() {
        let (sent, received) = run(&[1, 3000, 70]);
        let mut seen = std::collections::HashSet::new();
        for ((bits, pads), (choices, own, received)) in sent.iter().zip(&received) {
            for place in 0..bits.len() {
                let choice = usize::from(choices[place]);
                assert_eq!(received[place][0] & 1, own[place]);
                for (other, pads) in pads.iter().enumerate() {
                    assert_eq!(pads[place] == received[place], other == choice);
                    assert_eq!(bits[place] >> other & 1, u16::from(pads[place][0] & 1));
                    assert!(seen.insert(pads[place].clone()), "pads differ");
                    let [first, second] = [0, BLOCK_BYTES].map(|at| &pads[place][at..at + 5]);
                    assert_ne!(first, second, "and so do their blocks");
                }
            }
        }
        let counts = received[1].0.iter().fold([0; CHOICES], |mut counts, choice| {
            counts[usize::from(*choice)] += 1;
            counts
        });
        // 187.5 of each are expected, with a deviation of 13.
        assert!(counts.iter().all(|count| (110..270).contains(count)), "{counts:?}");
    }

    #[test]
    fn batches_cover_all_transfers() {
        for count in [0, 1, BATCH, BATCH + 1] {
            let all: Vec<usize> = batches(count).flatten().collect();
            assert!(all.iter().copied().eq(0..count));
            assert!(batches(count).all(|batch| (1..=BATCH).contains(&batch.len())));
        }
    }
}
