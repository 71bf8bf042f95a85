//! `vectors/openmined.json`, which the published package made for fixed keys.

use serde_json::Value;

use super::*;

fn file() -> Value {
    let text = include_str!("../../../vectors/openmined.json");
    serde_json::from_str(text).expect("JSON")
}

fn unhex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().expect("text");
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn function(value: &Value) -> P256Prp {
    P256Prp::new(&unhex(value).try_into().expect("32 bytes")).expect("in range")
}

fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().expect("a list").iter();
    texts.map(|text| text.as_str().expect("text").to_owned()).collect()
}

/// Each run, whether it reveals, and the file.
fn each_run(check: impl Fn(&Value, bool, &Value)) {
    let file = file();
    for run in file["runs"].as_array().expect("a list") {
        check(run, run["reveal"].as_bool().expect("yes or no"), &file);
    }
}

#[test]
fn our_messages_are_theirs_byte_for_byte() {
    each_run(|run, reveal, file| {
        let (client_items, server_items) =
            (texts(&file["client_items"]), texts(&file["server_items"]));
        let client = Client::new(function(&file["client_key"]), reveal);
        let request = Request { reveal, elements: client.encrypt(&client_items) };
        assert_eq!(request.encode(), unhex(&run["request"]));
        let server = Server::new(function(&file["server_key"]), reveal);
        let response = server.respond(&request).expect("points");
        assert_eq!(response.encode(), unhex(&run["response"]));
        let false_positives = file["false_positives"].as_f64().expect("a number");
        for (name, structure) in ["raw", "gcs", "bloom"].into_iter().zip(STRUCTURES) {
            let plan = Plan { structure, client_items: client_items.len(), false_positives };
            let setup = server.setup(&server_items, &plan).expect("fits");
            assert_eq!(setup.encode(), unhex(&run["setups"][name]), "{name}");
        }
    });
}

#[test]
fn their_messages_give_the_result_that_they_gave_there() {
    each_run(|run, reveal, file| {
        let items = texts(&file["client_items"]).len();
        let client = Client::new(function(&file["client_key"]), reveal);
        let response = Response::decode(&unhex(&run["response"]), items).expect("a response");
        for name in ["raw", "gcs", "bloom"] {
            let setup = Setup::decode(&unhex(&run["setups"][name])).expect("a setup");
            let mut found = client.found(&setup, &response, items).expect("points");
            found.sort_unstable();
            assert_eq!(Some(found.len() as u64), run["count"].as_u64(), "{name}");
            if let Some(common) = run["common"].as_array() {
                let common: Vec<_> = common.iter().filter_map(Value::as_u64).collect();
                assert_eq!(found.iter().map(|at| *at as u64).collect::<Vec<_>>(), common, "{name}");
            }
        }
    });
}
