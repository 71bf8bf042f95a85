//! Free time over HTTP: from files and addresses, corrected, and what is wrong with it.

use std::fs;

use veilset_stage::{HttpAnswer, HttpClient, root};

use crate::support::{pair, start, web};

/// The fields of steps 1 to 3, for a Tuesday of the example calendars.
fn times(more: &str) -> String {
    let fields = "\"first\":\"2027-03-30\",\"last\":\"2027-03-30\",\"length\":\"60m\",\"step\":\"60\",\
        \"scheme\":\"sum-of-ranks\",\"from\":\"09:00\",\"to\":\"18:00\",\"zone\":\"Europe/Berlin\",\
        \"weekends\":false,\"corrections\":{},\"prefer\":\"early\",\"rules\":\"\"";
    let mut object: serde_json::Value =
        serde_json::from_str(&format!("{{{fields}}}")).expect("an object");
    let more: serde_json::Value = serde_json::from_str(more).expect("an object");
    for (name, value) in more.as_object().expect("an object") {
        object[name] = value.clone();
    }
    object.to_string()
}

/// The hours at which slots start, in UTC.
fn hours(answer: &HttpAnswer) -> Vec<String> {
    let slots = answer.json()["slots"].take();
    let slots = slots.as_array().expect("a list").iter();
    slots.map(|slot| slot["name"].as_str().expect("a name")[11..13].to_owned()).collect()
}

/// What is wrong, with its field.
fn wrong(answer: &HttpAnswer) -> (String, String) {
    assert_eq!(answer.status, 422, "{}", answer.body);
    let body: serde_json::Value = serde_json::from_str(&answer.body).expect("JSON");
    let text = |name: &str| body[name].as_str().expect("text").to_owned();
    (text("field"), text("error"))
}

#[test]
fn a_file_an_address_and_a_hand_say_what_is_free() {
    let (alice, _) = pair();
    let (_running, address) = start(&alice, &[]);
    let (client, _) = HttpClient::open(&address);
    assert_eq!(hours(&client.post("/times", &times("{}"))), [""; 0], "nothing is free by itself");

    let file = fs::read_to_string(root().join("examples/agree/alice.ics")).expect("an example");
    // 9 to 18 in Berlin, without the dentist from 14 to 16.
    let tuesday = ["07", "08", "09", "10", "11", "14", "15"];
    let taken = client.post("/calendar", &file).json();
    assert_eq!(taken["events"], 5);
    assert_eq!(hours(&client.post("/times", &times("{}"))), tuesday);
    let late = client.post("/times", &times("{\"prefer\":\"late\"}"));
    assert_eq!(hours(&late), tuesday.iter().rev().copied().collect::<Vec<_>>());
    let rules = "{\"prefer\":\"rules\",\"rules\":\"17:00\\nnot tue 09:00-12:00\"}";
    assert_eq!(hours(&client.post("/times", &times(rules))), ["15", "10", "11", "14"]);
    let hand = "{\"corrections\":{\"2027-03-30T12:00:00Z\":true,\"2027-03-30T07:00:00Z\":false}}";
    let hand = client.post("/times", &times(hand));
    assert_eq!(hours(&hand), ["08", "09", "10", "11", "12", "14", "15"]);
    let cells = hand.json()["cells"].take();
    assert_eq!(cells[0]["clock"], "2027-03-30T09:00");
    assert_eq!((&cells[0]["calendar"], &cells[0]["free"]), (&true.into(), &false.into()));
    assert_eq!((&cells[5]["calendar"], &cells[5]["free"]), (&false.into(), &true.into()));

    assert_eq!(client.post("/calendar/forget", "").json(), serde_json::Value::Null);
    assert_eq!(hours(&client.post("/times", &times("{}"))), [""; 0]);
    let url = format!("{{\"url\":\"{}/alice.ics?secret\"}}", web(&file));
    let taken = client.post("/calendar/fetch", &url).json();
    assert_eq!((&taken["name"], &taken["events"]), (&"127.0.0.1".into(), &5.into()));
    assert_eq!(hours(&client.post("/times", &times("{}"))), tuesday);
}

#[test]
fn slots_of_two_lengths_stand_in_one_list() {
    let (alice, _) = pair();
    let (_running, address) = start(&alice, &[]);
    let (client, _) = HttpClient::open(&address);
    let file = fs::read_to_string(root().join("examples/agree/alice.ics")).expect("an example");
    assert!(client.post("/calendar", &file).json()["events"].is_number());
    let answer = client.post("/times", &times("{\"length\":\"120m,60m\"}")).json();
    let hours = |slot: &serde_json::Value| {
        let name = slot["name"].as_str().expect("a name").to_owned();
        let (start, end) = name.split_once('/').expect("two ends");
        format!("{}-{}", &start[11..13], &end[11..13])
    };
    let slots: Vec<String> =
        answer["slots"].as_array().expect("a list").iter().map(hours).collect();
    // Free from 7 to 12 and from 14 to 16, in UTC.
    let long = ["07-09", "08-10", "09-11", "10-12", "14-16"];
    let short = ["07-08", "08-09", "09-10", "10-11", "11-12", "14-15", "15-16"];
    let starting = |list: &[&str], hour: &str| {
        list.iter().find(|slot| slot.starts_with(hour)).map(|slot| (*slot).to_owned())
    };
    let hours = ["07", "08", "09", "10", "11", "14", "15"];
    let both = hours.iter().flat_map(|hour| [starting(&long, hour), starting(&short, hour)]);
    assert_eq!(slots, both.flatten().collect::<Vec<_>>());
}

#[test]
fn what_is_wrong_is_said_at_its_field_without_a_value() {
    let (alice, _) = pair();
    let (_running, address) = start(&alice, &[]);
    let (client, _) = HttpClient::open(&address);
    for (field, more) in [
        ("dates", "{\"first\":\"2027-03-31\"}"),
        ("dates", "{\"first\":\"\"}"),
        ("dates", "{\"last\":\"2028-02-01\",\"step\":\"15\"}"),
        ("hours", "{\"from\":\"19:00\"}"),
        ("hours", "{\"to\":\"secret\"}"),
        ("zone", "{\"zone\":\"secret\"}"),
        ("length", "{\"length\":\"0m\"}"),
        ("step", "{\"step\":\"7\"}"),
        ("prefer", "{\"prefer\":\"rules\",\"rules\":\"mon\\nsecret\"}"),
    ] {
        let (at, why) = wrong(&client.post("/times", &times(more)));
        assert_eq!(at, field, "{more}: {why}");
        assert!(!why.contains("secret"), "{why}");
    }
    let (at, why) = wrong(&client.post("/calendar", "BEGIN:VCALENDAR\nsecret\n"));
    assert!(at == "calendar" && why.contains("your file, line 2") && !why.contains("secret"));
    for url in ["file:///etc/secret", "secret", "http://127.0.0.1:1/secret"] {
        let (at, why) = wrong(&client.post("/calendar/fetch", &format!("{{\"url\":\"{url}\"}}")));
        assert!(at == "calendar" && !why.contains("secret"), "{why}");
    }
    let no_calendar = format!("{{\"url\":\"{}\"}}", web("<html>secret</html>"));
    let (at, why) = wrong(&client.post("/calendar/fetch", &no_calendar));
    assert!(at == "calendar" && why.contains("127.0.0.1, line 1") && !why.contains("secret"));
    assert_eq!(wrong(&client.post("/times", "{\"secret\":1}")).0, "run");

    let all = times("{\"corrections\":{\"2027-03-30T12:00:00Z\":true}}");
    let run = |order: &str, peer: &str, address: &str| {
        let more = format!("\"peer\":\"{peer}\",\"waits\":true,\"address\":\"{address}\"");
        client.post("/run", &format!("{{\"times\":{all},\"order\":{order},{more}}}"))
    };
    let one = "[\"2027-03-30T12:00:00Z/2027-03-30T13:00:00Z\"]";
    assert_eq!(wrong(&run("[]", "bob", "127.0.0.1:0")).0, "order");
    assert_eq!(wrong(&run("[\"2027-03-30T13:00:00Z\"]", "bob", "127.0.0.1:0")).0, "order");
    assert_eq!(wrong(&run(one, "", "127.0.0.1:0")).0, "peer");
    assert_eq!(wrong(&run(one, "carol", "127.0.0.1:0")).0, "peer");
    assert_eq!(wrong(&run(one, &alice.key, "127.0.0.1:0")).0, "peer");
    assert_eq!(wrong(&run(one, "bob", "7000")).0, "address");
    assert_eq!(wrong(&client.post("/pin", "{\"name\":\"c\",\"key\":\"veilset1\"}")).0, "peer");
    assert_eq!(run(one, "bob", "127.0.0.1:0").status, 200);
    let (at, why) = wrong(&run(one, "bob", "127.0.0.1:0"));
    assert!(at == "run" && why.contains("cancel it first"), "{why}");
    assert_eq!(client.post("/cancel", "").status, 204);
}
