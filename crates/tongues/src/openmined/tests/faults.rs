//! What no honest peer sends, and what no honest peer wants.

use super::*;

fn why<T>(result: Result<T, OpenMinedError>) -> Why {
    match result.map(|_| ()) {
        Err(OpenMinedError::Malformed { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

fn point() -> Sec1 {
    Client::new(key(5), true).encrypt(&["a"])[0]
}

#[test]
fn bytes_that_are_no_message_are_refused() {
    let request = |bytes: &[u8]| why(Request::decode(bytes, 10));
    assert_eq!(request(b"\x12"), Why::Truncated);
    assert_eq!(request(b"\x12\x21\x02"), Why::Truncated);
    assert_eq!(request(b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), Why::Truncated);
    assert_eq!(request(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), Why::LongNumber);
    assert_eq!(request(b"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), Why::LongNumber);
    assert_eq!(request(b"\x00\x00"), Why::NoField);
    assert_eq!(request(b"\x0b"), Why::NoField);
    assert_eq!(request(b"\xff\xff\xff\xff\xff\x01\x00"), Why::NoField);
    assert_eq!(request(b"\x0a\x00"), Why::WrongType(1));
    assert_eq!(request(b"\x10\x00"), Why::WrongType(2));
    assert_eq!(request(b"\x12\x02ab"), Why::WrongLength(2));
    assert_eq!(why(Response::decode(b"\x08\x01", 1)), Why::WrongType(1));
    let setup = |bytes: &[u8]| why(Setup::decode(bytes));
    assert_eq!(setup(b""), Why::NoStructure);
    assert_eq!(setup(b"\x08\x01"), Why::WrongType(1));
    assert_eq!(setup(b"\x0a\x02\x0a\x21"), Why::Truncated);
    assert_eq!(setup(b"\x0a\x00\x0a\x00"), Why::TwoStructures);
}

#[test]
fn structures_with_other_parameters_are_refused() {
    let setup = |bytes: &[u8]| why(Setup::decode(bytes));
    assert_eq!(setup(b"\x12\x00"), Why::Parameter("hash_range"));
    assert_eq!(setup(b"\x12\x04\x08\x3f\x10\x05"), Why::Parameter("div"));
    let negative = b"\x12\x0d\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x05";
    assert_eq!(setup(negative), Why::Parameter("div"));
    // 3 bits of a remainder after the one, of which the byte has but one.
    assert_eq!(setup(b"\x12\x07\x08\x03\x10\x64\x1a\x01\x40"), Why::CutSet);
    // Values 0, 1, 1.
    assert_eq!(setup(b"\x12\x05\x10\x64\x1a\x01\x0d"), Why::ValueOutOfRange(2));
    // Value 7 below 7.
    assert_eq!(setup(b"\x12\x05\x10\x07\x1a\x01\x80"), Why::ValueOutOfRange(0));
    assert_eq!(setup(b"\x1a\x00"), Why::Parameter("num_hash_functions"));
    assert_eq!(setup(b"\x1a\x06\x08\xff\xff\xff\xff\x07"), Why::Parameter("num_hash_functions"));
    assert_eq!(setup(b"\x1a\x02\x08\x05"), Why::Parameter("number of bits"));
}

#[test]
fn elements_off_the_curve_are_refused_by_their_place() {
    let good = point();
    let (mut off, mut beyond, mut signless) = (good, [0xff; 33], good);
    beyond[0] = 2;
    signless[0] = 0;
    while veilset_crypto::check_sec1(&[off]).is_ok() {
        off[32] = off[32].wrapping_add(1);
    }
    let empty = Setup::decode(b"\x0a\x00").expect("a setup of nothing");
    for bad in [off, beyond, signless, [0; 33]] {
        let elements = vec![good, bad];
        let refused = |kind| Some(OpenMinedError::NotAPoint { kind, index: 1 });
        let request = Request { reveal: true, elements: elements.clone() };
        assert_eq!(Server::new(key(5), true).respond(&request).err(), refused(Kind::Request));
        let response = Response { elements };
        let found = Client::new(key(5), true).matches(&empty, &response, 2);
        assert_eq!(found.err(), refused(Kind::Response));
        let raw = [&b"\x0a\x46"[..], &response.encode()].concat();
        assert_eq!(Setup::decode(&raw).err(), refused(Kind::Setup));
    }
}

#[test]
fn counts_are_those_that_the_receiver_knows() {
    let bytes = Response { elements: vec![point(); 3] }.encode();
    for expected in [0, 2, 4, usize::MAX] {
        let refused = OpenMinedError::WrongCount { expected, got: 3 };
        assert_eq!(Response::decode(&bytes, expected), Err(refused));
        assert!(refused.is_of_peer());
    }
    let request = Request { reveal: true, elements: vec![point(); 3] }.encode();
    assert_eq!(Request::decode(&request, 2), Err(OpenMinedError::TooMany { got: 3, most: 2 }));
    let response = Response::decode(&bytes, 3).expect("three");
    let empty = Setup::decode(b"\x0a\x00").expect("a setup of nothing");
    let client = Client::new(key(5), true);
    assert_eq!(client.matches(&empty, &response, 3), Err(OpenMinedError::Repeated));
}

#[test]
fn what_the_sides_want_is_the_same() {
    for client in [true, false] {
        let request = Request { reveal: client, elements: Vec::new() };
        let refused = Server::new(key(5), !client).respond(&request);
        assert_eq!(refused, Err(OpenMinedError::Reveal { client }));
    }
}

#[test]
fn plans_out_of_range_are_refused() {
    let server = Server::new(key(5), true);
    let setup = |structure, client_items, false_positives| {
        let plan = Plan { structure, client_items, false_positives };
        server.setup(&items(0..10), &plan).map(|_| ())
    };
    assert_eq!(setup(Structure::Raw, 0, 0.1), Err(OpenMinedError::NoClientItems));
    for rate in [0.0, 1.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(setup(Structure::Bloom, 1, rate), Err(OpenMinedError::Rate));
    }
    let too_low = |structure| Err(OpenMinedError::RateTooLow { structure });
    // As the published package fails.
    assert_eq!(setup(Structure::Gcs, 10, 1e-16), too_low("gcs"));
    assert_eq!(setup(Structure::Gcs, 100_000, 1e-12), too_low("gcs"));
    assert_eq!(setup(Structure::Gcs, 10, f64::MIN_POSITIVE), too_low("gcs"));
    assert_eq!(setup(Structure::Bloom, 10, 1e-300), Ok(()));
    assert_eq!(setup(Structure::Bloom, MAX_ITEMS, 5e-324), too_low("bloom"));
    let most = MAX_ITEMS + 1;
    assert_eq!(setup(Structure::Raw, most, 0.1), Err(OpenMinedError::TooLong { got: most }));
}
