//! Messages of OpenMined's PSI, which a partner sent.

use std::sync::LazyLock;

use veilset_crypto::P256Prp;
use veilset_tongues::openmined::{Client, Plan, Request, Response, Server, Setup, Structure};

use crate::Seed;

/// Items of the client, of which the server has some.
const ITEMS: [&str; 3] = ["ann", "ben", "eve"];

static CLIENT: LazyLock<Client> = LazyLock::new(|| Client::new(key(3), true));

static SERVER: LazyLock<Server> = LazyLock::new(|| Server::new(key(5), true));

static REQUEST: LazyLock<Request> = LazyLock::new(|| CLIENT.request(&ITEMS).expect("few items"));

static RESPONSE: LazyLock<Response> =
    LazyLock::new(|| SERVER.respond(&REQUEST).expect("an honest request"));

fn key(byte: u8) -> P256Prp {
    P256Prp::new(&[byte; 32]).expect("in range")
}

/// Reads a message of the kind that the first byte says, and does with it what its receiver does. What is read says the same once it is
/// written.
pub fn openmined(bytes: &[u8]) {
    let Some((kind, message)) = bytes.split_first() else { return };
    match kind % 3 {
        0 => {
            let Ok(setup) = Setup::decode(message) else { return };
            assert_eq!(Setup::decode(&setup.encode()), Ok(setup.clone()));
            let found = CLIENT.matches(&setup, &RESPONSE, ITEMS.len()).expect("honest otherwise");
            assert!(found.is_sorted() && found.iter().all(|place| *place < ITEMS.len()));
        }
        1 => {
            let Ok(request) = Request::decode(message, 8) else { return };
            assert_eq!(Request::decode(&request.encode(), 8), Ok(request.clone()));
            if let Ok(response) = SERVER.respond(&request) {
                assert_eq!(response.elements.len(), request.elements.len());
            }
        }
        _ => {
            let Ok(response) = Response::decode(message, ITEMS.len()) else { return };
            assert_eq!(Response::decode(&response.encode(), ITEMS.len()), Ok(response.clone()));
            let nothing = Setup::decode(b"\x0a\x00").expect("a setup of nothing");
            if let Ok(found) = CLIENT.matches(&nothing, &response, ITEMS.len()) {
                assert!(found.is_empty());
            }
        }
    }
}

pub(crate) fn seeds() -> Vec<Seed> {
    let seed =
        |name: &str, kind: u8, message: Vec<u8>| Seed::new(name, [&[kind], &message[..]].concat());
    let setup = |structure| {
        let plan = Plan { structure, client_items: ITEMS.len(), false_positives: 1e-3 };
        SERVER.setup(&["ben", "eve", "zoe"], &plan).expect("few items").encode()
    };
    vec![
        seed("raw", 0, setup(Structure::Raw)),
        seed("gcs", 0, setup(Structure::Gcs)),
        seed("bloom", 0, setup(Structure::Bloom)),
        seed("request", 1, REQUEST.encode()),
        seed("response", 2, RESPONSE.encode()),
    ]
}
