//! Another reader and writer of protocol buffers, which has the messages by their published definitions.

use prost::Message;

use super::*;

#[derive(Clone, PartialEq, Message)]
struct TheirRequest {
    #[prost(bool, tag = "1")]
    reveal_intersection: bool,
    #[prost(bytes = "vec", repeated, tag = "2")]
    encrypted_elements: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct TheirResponse {
    #[prost(bytes = "vec", repeated, tag = "1")]
    encrypted_elements: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
struct TheirSetup {
    #[prost(oneof = "Structures", tags = "1, 2, 3")]
    data_structure: Option<Structures>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Structures {
    #[prost(message, tag = "1")]
    Raw(TheirResponse),
    #[prost(message, tag = "2")]
    Gcs(TheirGcs),
    #[prost(message, tag = "3")]
    Bloom(TheirBloom),
}

#[derive(Clone, PartialEq, Message)]
struct TheirGcs {
    #[prost(int32, tag = "1")]
    div: i32,
    #[prost(int64, tag = "2")]
    hash_range: i64,
    #[prost(bytes = "vec", tag = "3")]
    bits: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct TheirBloom {
    #[prost(int32, tag = "1")]
    num_hash_functions: i32,
    #[prost(bytes = "vec", tag = "2")]
    bits: Vec<u8>,
}

#[test]
fn requests_and_responses_are_read_alike() {
    for (count, reveal) in [(0, false), (0, true), (1, true), (300, false)] {
        let request = Client::new(key(5), reveal).request(&items(0..count)).expect("fits");
        let bytes = request.encode();
        let theirs = TheirRequest::decode(&*bytes).expect("a request");
        assert_eq!(theirs.reveal_intersection, reveal);
        assert!(theirs.encrypted_elements.iter().eq(&request.elements));
        assert_eq!(theirs.encode_to_vec(), bytes);
        assert_eq!(Request::decode(&bytes, 300), Ok(request));
        let response = Response { elements: theirs_to_points(&theirs.encrypted_elements) };
        let theirs = TheirResponse { encrypted_elements: theirs.encrypted_elements };
        assert_eq!(response.encode(), theirs.encode_to_vec());
        assert_eq!(Response::decode(&response.encode(), count as usize), Ok(response));
    }
}

fn theirs_to_points(elements: &[Vec<u8>]) -> Vec<Sec1> {
    elements.iter().map(|element| element.as_slice().try_into().expect("33 bytes")).collect()
}

#[test]
fn setups_are_read_alike() {
    for (structure, count) in STRUCTURES.into_iter().flat_map(|s| [0, 1, 200].map(|n| (s, n))) {
        let server = Server::new(key(5), true);
        let setup = server.setup(&items(0..count), &plan(structure, 100)).expect("fits");
        let bytes = setup.encode();
        let theirs = TheirSetup::decode(&*bytes).expect("a setup");
        assert_eq!(theirs.encode_to_vec(), bytes);
        assert_eq!(Setup::decode(&bytes), Ok(setup));
        match (structure, theirs.data_structure.expect("one")) {
            (Structure::Raw, Structures::Raw(raw)) => {
                assert!(raw.encrypted_elements.is_sorted());
                assert_eq!(raw.encrypted_elements.len(), count as usize);
            }
            (Structure::Gcs, Structures::Gcs(gcs)) => assert_eq!(gcs.bits.is_empty(), count == 0),
            (Structure::Bloom, Structures::Bloom(bloom)) => assert!(!bloom.bits.is_empty()),
            _ => panic!("another structure"),
        }
    }
}

#[test]
fn unknown_fields_are_skipped() {
    let response = Response { elements: vec![[2; 33]] };
    for unknown in [&b"\x78\x05"[..], b"\x79abcdefgh", b"\x7a\x03abc", b"\x7dabcd"] {
        let bytes = [unknown, &response.encode(), unknown].concat();
        TheirResponse::decode(&*bytes).expect("a response");
        assert_eq!(Response::decode(&bytes, 1), Ok(response.clone()));
        assert_eq!(
            Request::decode(&[unknown, b"\x08\x01"].concat(), 0).map(|it| it.reveal),
            Ok(true)
        );
    }
}
