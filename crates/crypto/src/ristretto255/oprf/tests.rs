use rand_core::{SeedableRng, TryCryptoRng, TryRng};
use serde_json::Value;

use super::*;
use crate::vectors;

/// A generator that gives scalars as the vectors have them: 32 bytes and as many zeros, a number below ℓ in 64 bytes.
struct Scripted(std::vec::IntoIter<[u8; 32]>);

impl Scripted {
    fn new(scalars: Vec<[u8; 32]>) -> Self {
        Self(scalars.into_iter())
    }
}

impl TryRng for Scripted {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        unreachable!("scalars are taken whole")
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        unreachable!("scalars are taken whole")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(0);
        bytes[..32].copy_from_slice(&self.0.next().expect("one more scalar"));
        Ok(())
    }
}

impl TryCryptoRng for Scripted {}

fn rng() -> chacha20::ChaCha20Rng {
    chacha20::ChaCha20Rng::from_seed([7; 32])
}

fn bytes(value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("a string");
    let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("ASCII"));
    pairs.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal")).collect()
}

fn array<const N: usize>(value: &Value) -> [u8; N] {
    bytes(value).try_into().expect("its length")
}

fn arrays(value: &Value) -> Vec<[u8; 32]> {
    value.as_array().expect("a list").iter().map(array).collect()
}

#[test]
fn the_vectors_of_rfc_9497_hold() {
    let file =
        vectors::file(include_str!("../../../../../vectors/rfc9497-voprf-ristretto255.json"));
    let key = SecretKey::derive(&array(&file["seed"]), &bytes(&file["info"])).expect("a key");
    assert_eq!(*key.to_bytes(), array(&file["sk"]));
    assert_eq!(key.public().as_bytes(), &array(&file["pk"]));
    let vectors = file["vectors"].as_array().expect("a list");
    assert_eq!(vectors.len(), 3);
    for vector in vectors {
        let inputs: Vec<Vec<u8>> =
            vector["inputs"].as_array().expect("a list").iter().map(bytes).collect();
        let blinding = Blinding::new(&inputs, &mut Scripted::new(arrays(&vector["blinds"])));
        let blinding = blinding.expect("inputs");
        assert_eq!(blinding.blinded(), arrays(&vector["blinded"]));
        let mut random = Scripted::new(vec![array(&vector["proof_random_scalar"])]);
        let (evaluated, proof) =
            key.blind_evaluate(blinding.blinded(), &mut random).expect("elements");
        assert_eq!(evaluated, arrays(&vector["evaluated"]));
        assert_eq!(proof.to_bytes(), array(&vector["proof"]));
        let proof = Proof::from_bytes(&proof.to_bytes()).expect("canonical");
        let outputs = blinding.finalize(&inputs, key.public(), &evaluated, &proof);
        let wanted = vector["outputs"].as_array().expect("a list");
        let outputs = outputs.expect("the proof holds");
        assert_eq!(outputs.len(), wanted.len());
        for (output, wanted) in outputs.iter().zip(wanted) {
            assert_eq!(output.as_bytes(), &array::<64>(wanted));
        }
    }
}

#[test]
fn the_owners_own_outputs_are_the_clients() {
    let key = SecretKey::generate(&mut rng());
    let inputs: Vec<Element> =
        (0..300u32).map(|i| Element(*blake3::hash(&i.to_le_bytes()).as_bytes())).collect();
    let texts: Vec<[u8; 32]> = inputs.iter().map(|input| input.0).collect();
    let blinding = Blinding::new(&texts, &mut rng()).expect("inputs");
    let (evaluated, proof) = key.blind_evaluate(blinding.blinded(), &mut rng()).expect("elements");
    let outputs = blinding.finalize(&texts, key.public(), &evaluated, &proof).expect("it holds");
    let own = key.evaluate(&inputs);
    assert!(own.iter().zip(&outputs).all(|(own, other)| own.as_bytes() == other.as_bytes()));
    let distinct: std::collections::HashSet<_> = own.iter().map(|own| *own.as_bytes()).collect();
    assert_eq!(distinct.len(), 300);
}

#[test]
fn any_other_key_or_answer_is_noticed() {
    let (key, other) =
        (SecretKey::derive(&[1; 32], b"").expect("a key"), SecretKey::derive(&[2; 32], b""));
    let other = other.expect("a key");
    let inputs = [b"a", b"b", b"c"];
    let ask = || Blinding::new(&inputs, &mut rng()).expect("inputs");
    let blinded = ask().blinded().to_vec();
    let (evaluated, proof) = key.blind_evaluate(&blinded, &mut rng()).expect("elements");
    assert!(ask().finalize(&inputs, key.public(), &evaluated, &proof).is_ok());

    let refused = |public: &PublicKey, evaluated: &[Encoded], proof: &Proof| {
        ask().finalize(&inputs, public, evaluated, proof).err()
    };
    assert_eq!(refused(other.public(), &evaluated, &proof), Some(OprfError::Proof));
    let (marked, its_proof) = other.blind_evaluate(&blinded, &mut rng()).expect("elements");
    assert_eq!(refused(key.public(), &marked, &its_proof), Some(OprfError::Proof));
    let one_marked = [evaluated[0], marked[1], evaluated[2]];
    assert_eq!(refused(key.public(), &one_marked, &proof), Some(OprfError::Proof));
    let swapped = [evaluated[1], evaluated[0], evaluated[2]];
    assert_eq!(refused(key.public(), &swapped, &proof), Some(OprfError::Proof));
    for byte in [0, 31, 32, 62] {
        let mut bytes = proof.to_bytes();
        bytes[byte] ^= 1;
        let forged = Proof::from_bytes(&bytes);
        assert!(forged.is_none_or(
            |forged| refused(key.public(), &evaluated, &forged) == Some(OprfError::Proof)
        ));
    }
    let no_element = [evaluated[0], [0; 32], [0xff; 32]];
    let error = refused(key.public(), &no_element, &proof);
    assert_eq!(error, Some(OprfError::NotAnElement(NotAnElement { index: 1 })));
}

#[test]
fn what_is_no_key_or_element_is_refused() {
    let key = SecretKey::generate(&mut rng());
    let again = SecretKey::from_bytes(&key.to_bytes()).expect("its own bytes");
    assert_eq!(again.public(), key.public());
    assert_eq!(PublicKey::from_bytes(key.public().as_bytes()), Some(*key.public()));
    for bytes in [[0; 32], [0xff; 32]] {
        assert!(SecretKey::from_bytes(&bytes).is_none() && PublicKey::from_bytes(&bytes).is_none());
        let refused = key.blind_evaluate(&[*key.public().as_bytes(), bytes], &mut rng()).err();
        assert_eq!(refused, Some(NotAnElement { index: 1 }));
    }
    assert!(Proof::from_bytes(&[0xff; 64]).is_none());
    // A proof about nothing holds, and no answers come of it.
    let (none, proof) = key.blind_evaluate(&[], &mut rng()).expect("nothing");
    let blinding = Blinding::new::<[u8; 1]>(&[], &mut rng()).expect("nothing");
    let outputs = blinding.finalize::<[u8; 1]>(&[], key.public(), &none, &proof);
    assert!(outputs.is_ok_and(|outputs| outputs.is_empty()));
}
