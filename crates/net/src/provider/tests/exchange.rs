use rustls::crypto::{CompletedKeyExchange, SupportedKxGroup};
use rustls::{Error, PeerMisbehaved};

use super::*;

const INVALID: Error = Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare);

/// Encodings of the points of small order, of which every clamped multiple is zero (RFC 7748, section 6.1; the curve and its
/// twist), and of some again that are not reduced.
const SMALL: [&str; 7] = [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

fn group(provider: &CryptoProvider) -> &'static dyn SupportedKxGroup {
    provider.kx_groups[0]
}

/// The server's share and secret for a client's share.
fn answer(server: &CryptoProvider, share: &[u8]) -> CompletedKeyExchange {
    group(server).start_and_complete(share).expect("a good share")
}

/// The share with its last bytes, the value of X25519, replaced.
fn with_value(share: &[u8], value: &str) -> Vec<u8> {
    let value: Vec<u8> = (0..64)
        .step_by(2)
        .map(|at| u8::from_str_radix(&value[at..at + 2], 16).expect("hexadecimal"))
        .collect();
    [&share[..share.len() - 32], &value].concat()
}

/// The share cut, extended, and with each value of small order.
fn malformed(share: &[u8]) -> Vec<Vec<u8>> {
    let cut = [0, 31, 32, share.len() - 32, share.len() - 1].map(|length| share[..length].to_vec());
    let extended = [share, &[0]].concat();
    let small = SMALL.map(|value| with_value(share, value));
    cut.into_iter().chain([extended]).chain(small).collect()
}

#[test]
fn both_ends_have_one_secret() {
    for [client, server] in sides() {
        let started = group(&client).start().expect("keys");
        assert_eq!(started.pub_key().len(), 1184 + 32);
        let answered = answer(&server, started.pub_key());
        assert_eq!((answered.group, answered.pub_key.len()), (started.group(), 1088 + 32));
        let secret = started.complete(&answered.pub_key).expect("a good share");
        assert_eq!(secret.secret_bytes(), answered.secret.secret_bytes());
        assert_eq!(secret.secret_bytes().len(), 64);
        assert_ne!(secret.secret_bytes()[..32], [0; 32]);
    }
}

#[test]
fn a_ciphertext_for_nobody_gives_a_secret_of_nobody_and_no_error() {
    for [client, server] in sides() {
        let started = group(&client).start().expect("keys");
        let mut answered = answer(&server, started.pub_key());
        answered.pub_key[7] ^= 1;
        let secret = started.complete(&answered.pub_key).expect("no error");
        let (ours, theirs) = (secret.secret_bytes(), answered.secret.secret_bytes());
        assert_ne!(ours[..32], theirs[..32]);
        assert_eq!(ours[32..], theirs[32..]);
    }
}

/// RFC 7748, section 5: the top bit of a value is ignored.
#[test]
fn the_top_bit_says_nothing() {
    for [client, server] in sides() {
        let started = group(&client).start().expect("keys");
        let mut share = started.pub_key().to_vec();
        share[1184 + 31] ^= 0x80;
        let mut answered = answer(&server, &share);
        answered.pub_key[1088 + 31] ^= 0x80;
        let secret = started.complete(&answered.pub_key).expect("a good share");
        assert_eq!(secret.secret_bytes(), answered.secret.secret_bytes());
    }
}

#[test]
fn a_malformed_share_of_a_client_is_refused() {
    let share = group(&oracle()).start().expect("keys").pub_key().to_vec();
    // The first number is q, and then the last one, 3329.
    let (mut first, mut last) = (share.clone(), share.clone());
    first[0] = 0x01;
    first[1] = (first[1] & 0xf0) | 0x0d;
    last[1150] = (last[1150] & 0x0f) | 0x10;
    last[1151] = 0xd0;
    for share in malformed(&share).into_iter().chain([first, last]) {
        for server in [pure(), oracle()] {
            let answered = group(&server).start_and_complete(&share);
            assert_eq!(answered.err(), Some(INVALID), "{}", share.len());
        }
    }
}

#[test]
fn a_malformed_share_of_a_server_is_refused() {
    for client in [pure(), oracle()] {
        let start = || group(&client).start().expect("keys");
        let share = answer(&oracle(), start().pub_key()).pub_key;
        for share in malformed(&share) {
            assert_eq!(start().complete(&share).err(), Some(INVALID), "{}", share.len());
        }
    }
}
