//! x − a at b, under encryption.

use crypto_bigint::BoxedUint;
use rand_core::CryptoRng;
use veilset_channel::Channel;
use veilset_crypto::Element;
use veilset_crypto::paillier::{Ciphertext, Integer, KeySize, PublicKey, SecretKey};
use veilset_poly::paillier::Ciphertexts;
use veilset_poly::{Field, Module};
use zeroize::Zeroizing;

use crate::ProtocolError;
use crate::fnp::messages::{ciphertext_chunks, put_frame, put_key, take_frame, take_key};

const KEY: KeySize = KeySize::B2048;

/// An element as a number: elements are digests, whose first bits are as good as others.
fn number(element: &Element) -> u128 {
    u128::from_le_bytes(std::array::from_fn(|at| element.0[at])) >> 1
}

pub(super) struct Asker {
    key: SecretKey,
    offered: usize,
}

impl Asker {
    pub(super) fn start(
        channel: &mut dyn Channel,
        session: &[u8; 32],
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, ProtocolError> {
        let key = SecretKey::generate(KEY, rng);
        put_key(channel, &key, session)?;
        Ok(Self { key, offered: 0 })
    }
}

impl super::Asker for Asker {
    fn offer(
        &mut self,
        channel: &mut dyn Channel,
        elements: &[Element],
        rng: &mut dyn CryptoRng,
    ) -> Result<(), ProtocolError> {
        for range in ciphertext_chunks(KEY, elements.len()).ranges() {
            let numbers = elements[range].iter().map(|element| BoxedUint::from(number(element)));
            let numbers = Zeroizing::new(numbers.collect::<Vec<_>>());
            put_frame(channel, self.key.public(), &self.key.encrypt(&numbers, rng))?;
        }
        self.offered += elements.len();
        Ok(())
    }

    fn learn(
        &mut self,
        channel: &mut dyn Channel,
        offered: &[usize],
    ) -> Result<Vec<bool>, ProtocolError> {
        assert!(offered.iter().all(|number| *number < self.offered), "offers that were made");
        let mut equal = Vec::with_capacity(offered.len());
        for range in ciphertext_chunks(KEY, offered.len()).ranges() {
            let answers = take_frame(channel, self.key.public(), range.len())?;
            let plain = self.key.decrypt(&answers);
            equal.extend(plain.iter().map(|plain| plain.is_zero().to_bool()));
        }
        Ok(equal)
    }
}

pub(super) struct Answerer {
    key: PublicKey,
    offers: Vec<Ciphertext>,
}

impl Answerer {
    pub(super) fn start(
        channel: &mut dyn Channel,
        session: &[u8; 32],
    ) -> Result<Self, ProtocolError> {
        Ok(Self { key: take_key(channel, KEY, session)?, offers: Vec::new() })
    }
}

impl super::Answerer for Answerer {
    fn take_offer(&mut self, channel: &mut dyn Channel, count: usize) -> Result<(), ProtocolError> {
        for range in ciphertext_chunks(KEY, count).ranges() {
            self.offers.extend(take_frame(channel, &self.key, range.len())?);
        }
        Ok(())
    }

    fn answer(
        &mut self,
        channel: &mut dyn Channel,
        pairs: &[(usize, Element)],
        rng: &mut dyn CryptoRng,
    ) -> Result<(), ProtocolError> {
        let plaintexts = self.key.plaintexts();
        let module = Ciphertexts::new(&self.key, &plaintexts);
        let one = plaintexts.one();
        for range in ciphertext_chunks(KEY, pairs.len()).ranges() {
            let pairs = &pairs[range];
            let mut values: Vec<_> =
                pairs.iter().map(|(offer, _)| self.offers[*offer].clone()).collect();
            // N − b.
            let opposite = |(_, element): &(usize, Element)| -> Integer {
                plaintexts.neg(&plaintexts.mul(&one, &BoxedUint::from(number(element))))
            };
            let opposites = Zeroizing::new(pairs.iter().map(opposite).collect::<Vec<_>>());
            self.key.add_plain(&mut values, &opposites);
            let scalars = pairs.iter().map(|_| plaintexts.random(rng)).collect::<Vec<_>>();
            module.scale(&Zeroizing::new(scalars), &mut values);
            self.key.rerandomise(&mut values, rng);
            put_frame(channel, &self.key, &values)?;
        }
        Ok(())
    }
}
