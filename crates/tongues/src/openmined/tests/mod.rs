//! Against what the published package made, another reader of protocol buffers, and plain sets.

mod bloom;
mod faults;
mod gcs;
mod oracle;
mod vectors;

use std::collections::BTreeSet;

use veilset_crypto::P256Prp;

use super::*;

fn key(byte: u8) -> P256Prp {
    P256Prp::new(&[byte; 32]).expect("in range")
}

fn items(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|number| format!("person{number}@example.com")).collect()
}

fn plan(structure: Structure, client_items: usize) -> Plan {
    Plan { structure, client_items, false_positives: 1e-6 }
}

const STRUCTURES: [Structure; 3] = [Structure::Raw, Structure::Gcs, Structure::Bloom];

#[test]
fn what_matches_is_what_plain_sets_have_in_common() {
    for (server, client) in
        [(0..700, 500..1200), (0..1, 0..900), (0..0, 0..3), (0..50, 50..60), (0..300, 0..1)]
    {
        let (server_items, client_items) = (items(server), items(client));
        let held: BTreeSet<&String> = server_items.iter().collect();
        let expected: Vec<usize> =
            (0..client_items.len()).filter(|place| held.contains(&client_items[*place])).collect();
        for (structure, reveal) in STRUCTURES.into_iter().flat_map(|s| [(s, true), (s, false)]) {
            let server = Server::new(key(7), reveal);
            let setup =
                server.setup(&server_items, &plan(structure, client_items.len())).expect("fits");
            let setup = Setup::decode(&setup.encode()).expect("a setup");
            assert_eq!(setup.structure(), structure);
            let client = Client::new(key(9), reveal);
            let request = client.request(&client_items).expect("fits").encode();
            let request = Request::decode(&request, client_items.len()).expect("a request");
            let response = server.respond(&request).expect("points").encode();
            let response = Response::decode(&response, client_items.len()).expect("a response");
            let found = client.matches(&setup, &response, client_items.len()).expect("points");
            if reveal {
                assert_eq!(found, expected, "{structure:?}");
            } else {
                assert!(response.elements.is_sorted());
                assert_eq!(found.len(), expected.len(), "{structure:?}");
            }
        }
    }
}

#[test]
fn a_request_has_an_order_that_its_key_says() {
    let items = items(0..100);
    let client = Client::new(key(3), true);
    let request = client.request(&items).expect("fits");
    assert_eq!(client.request(&items), Ok(request.clone()));
    let plain = client.encrypt(&items);
    assert_ne!(request.elements, plain);
    let sorted = |points: &[Sec1]| points.iter().copied().collect::<BTreeSet<_>>();
    assert_eq!(sorted(&request.elements), sorted(&plain));
}
