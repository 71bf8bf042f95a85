use std::io::{Read, Write};

use rustls::CipherSuite::{self, TLS13_AES_128_GCM_SHA256, TLS13_CHACHA20_POLY1305_SHA256};
use rustls::{ClientConnection, ConnectionCommon, Error, NamedGroup, ServerConnection};
use veilset_party::Identity;

use super::*;
use crate::tls::{OwnKey, PinnedKey};

/// Bytes that go each way.
const BULK: usize = 3 << 20;

const SUITES: [CipherSuite; 2] = [TLS13_CHACHA20_POLY1305_SHA256, TLS13_AES_128_GCM_SHA256];

/// Writes of every length around the ciphers' blocks, and records that are full, or not quite.
const WRITES: [usize; 12] =
    [1, 15, 16, 17, 63, 64, 65, 255, 257, (1 << 14) - 1, 1 << 14, (1 << 14) + 1];

/// Both ends on one thread.
struct Pair {
    client: ClientConnection,
    server: ServerConnection,
}

impl Pair {
    /// A complete handshake, with the configurations that connections have.
    fn of([client, server]: [Arc<CryptoProvider>; 2]) -> Self {
        let (caller, listener) = (Identity::ephemeral(), Identity::ephemeral());
        let to_listener = PinnedKey::by(client, vec![listener.public_key()]);
        let to_caller = PinnedKey::by(server, vec![caller.public_key()]);
        let client = Arc::new(tls::client(&OwnKey::of(&caller), &to_listener));
        let server = Arc::new(tls::server(&OwnKey::of(&listener), &to_caller));
        let mut pair = Self {
            client: ClientConnection::new(client, tls::server_name()).expect("a client"),
            server: ServerConnection::new(server).expect("a server"),
        };
        while pair.client.is_handshaking() || pair.server.is_handshaking() {
            pair.settle();
        }
        assert_eq!(to_listener.proven(), listener.public_key());
        assert_eq!(to_caller.proven(), caller.public_key());
        pair
    }

    /// As [`of`](Self::of), where both offer this suite alone.
    fn with(suite: CipherSuite, sides: [Arc<CryptoProvider>; 2]) -> Self {
        let pair = Self::of(sides.map(|side| {
            let mut side = CryptoProvider::clone(&side);
            side.cipher_suites.retain(|offered| offered.suite() == suite);
            Arc::new(side)
        }));
        assert_eq!(pair.suite(), suite);
        pair
    }

    /// The suite on which both have agreed.
    fn suite(&self) -> CipherSuite {
        let suites = [
            self.client.negotiated_cipher_suite().map(|suite| suite.suite()),
            self.server.negotiated_cipher_suite().map(|suite| suite.suite()),
        ];
        assert_eq!(suites[0], suites[1]);
        suites[0].expect("the handshake is complete")
    }

    /// Carries over what either still has to say, where nothing that is read is content.
    fn settle(&mut self) {
        for heard in
            [carry(&mut self.client, &mut self.server), carry(&mut self.server, &mut self.client)]
        {
            assert_eq!(heard, Ok(Vec::new()));
        }
    }
}

/// What an end has to say, as records.
fn spoken<S>(end: &mut ConnectionCommon<S>) -> Vec<u8> {
    let mut wire = Vec::new();
    while end.wants_write() {
        end.write_tls(&mut wire).expect("memory takes it");
    }
    wire
}

/// Gives an end records, and returns the content that it finds in them.
fn hear<S>(end: &mut ConnectionCommon<S>, mut wire: &[u8]) -> Result<Vec<u8>, Error> {
    let mut content = Vec::new();
    while !wire.is_empty() {
        end.read_tls(&mut wire).expect("memory gives it");
        let more = end.process_new_packets()?.plaintext_bytes_to_read();
        let start = content.len();
        content.resize(start + more, 0);
        end.reader().read_exact(&mut content[start..]).expect("as much as it said");
    }
    Ok(content)
}

fn carry<S, R>(
    from: &mut ConnectionCommon<S>,
    to: &mut ConnectionCommon<R>,
) -> Result<Vec<u8>, Error> {
    let wire = spoken(from);
    hear(to, &wire)
}

/// Sends `content` in all those writes and a long one, with new keys in the middle.
fn send_all<S, R>(from: &mut ConnectionCommon<S>, to: &mut ConnectionCommon<R>, content: &[u8]) {
    from.set_buffer_limit(None);
    let (mut rest, mut heard) = (content, Vec::new());
    for length in WRITES {
        let (now, later) = rest.split_at(length);
        from.writer().write_all(now).expect("the buffer has no limit");
        heard.extend(carry(from, to).expect("honest records"));
        rest = later;
    }
    for half in rest.chunks(rest.len().div_ceil(2)) {
        from.refresh_traffic_keys().expect("the handshake is complete");
        from.writer().write_all(half).expect("the buffer has no limit");
        heard.extend(carry(from, to).expect("honest records"));
    }
    assert!(heard == content);
}

#[test]
fn bulk_crosses_both_ways_and_under_new_keys() {
    let content: Vec<u8> = (0..BULK).map(|i| (i ^ (i >> 7) ^ (i >> 15)) as u8).collect();
    for suite in SUITES {
        for sides in sides() {
            let mut pair = Pair::with(suite, sides);
            let group = pair.client.negotiated_key_exchange_group().map(|group| group.name());
            assert_eq!(group, Some(NamedGroup::X25519MLKEM768));
            send_all(&mut pair.client, &mut pair.server, &content);
            send_all(&mut pair.server, &mut pair.client, &content);
            pair.settle();
            let ours = pair.client.export_keying_material([0; 80], b"label", Some(b"context"));
            let theirs = pair.server.export_keying_material([0; 80], b"label", Some(b"context"));
            assert_eq!(ours.expect("complete"), theirs.expect("complete"));
        }
    }
}

#[test]
fn an_end_without_aes_has_chacha20() {
    for sides in sides() {
        assert_eq!(Pair::of(sides).suite(), TLS13_CHACHA20_POLY1305_SHA256);
    }
    assert_eq!(Pair::of([oracle(), oracle()]).suite(), TLS13_AES_128_GCM_SHA256);
}

/// What the server makes of two records of the client's once `harm` has been done to them.
fn after(
    suite: CipherSuite,
    server: Arc<CryptoProvider>,
    harm: &dyn Fn([Vec<u8>; 2]) -> Vec<u8>,
) -> Result<Vec<u8>, Error> {
    let mut pair = Pair::with(suite, [oracle(), server]);
    let records = [b"first", b"other"].map(|content| {
        pair.client.writer().write_all(content).expect("room");
        spoken(&mut pair.client)
    });
    hear(&mut pair.server, &harm(records))
}

#[test]
fn an_altered_record_is_refused() {
    /// A header, the content, its type and the tag.
    const RECORD: usize = 5 + 5 + 1 + 16;
    for suite in SUITES {
        for server in [pure(), oracle()] {
            let after =
                |harm: &dyn Fn([Vec<u8>; 2]) -> Vec<u8>| after(suite, Arc::clone(&server), harm);
            assert_eq!(after(&|records| records.concat()), Ok(b"firstother".to_vec()));
            for position in 5..RECORD {
                let altered = after(&|[mut first, _]| {
                    assert_eq!(first.len(), RECORD);
                    first[position] ^= 1 << (position % 8);
                    first
                });
                assert_eq!(altered, Err(Error::DecryptError), "byte {position}");
            }
            for length in [0, 1, 15, 16, 17, RECORD - 6] {
                let cut = after(&|[mut first, _]| {
                    first.truncate(5 + length);
                    first[4] = u8::try_from(length).expect("short");
                    first
                });
                assert_eq!(cut, Err(Error::DecryptError), "{length} bytes");
            }
            assert_eq!(after(&|[_, other]| other), Err(Error::DecryptError));
            assert_eq!(after(&|[first, _]| first.repeat(2)), Err(Error::DecryptError));
        }
    }
}
