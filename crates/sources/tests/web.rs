//! A file from the web, against servers that answer as they like.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use veilset_sources::{FetchError, fetch, is_url};

/// An address of this machine where nobody listens: no system gives this port away.
const NOBODY: &str = "127.0.0.1:1";

/// A server that gives these answers, one to each caller in order; returns its address.
fn server(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("bound").to_string();
    thread::spawn(move || {
        for answer in answers {
            let (mut caller, _) = listener.accept().expect("a caller");
            let mut request = [0; 4096];
            let got = caller.read(&mut request).expect("a request");
            let request = String::from_utf8_lossy(&request[..got]).into_owned();
            let echo = request.lines().next().unwrap_or_default();
            // Whoever has read enough is gone.
            let _ = caller.write_all(answer.replace("ECHO", echo).as_bytes());
        }
    });
    address
}

fn answer(status: &str, more: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\n{more}Content-Length: {length}\r\n\r\n{body}"
    )
}

fn error(url: &str) -> FetchError {
    let error = fetch(url).expect_err("refused");
    assert!(!error.to_string().contains("secret"), "{error}");
    error
}

#[test]
fn a_file_comes_also_after_a_redirect() {
    let first = answer("302 Found", "Location: /there?secret\r\n", "");
    let address = server(vec![first, answer("200 OK", "", &"calendar ".repeat(1000))]);
    let (host, bytes) = fetch(&format!("http://{address}/here")).expect("a file");
    assert_eq!((host.as_str(), bytes), ("127.0.0.1", "calendar ".repeat(1000).into_bytes()));
    let echo = server(vec![format!("HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\nECHO")]);
    let (_, bytes) = fetch(&format!("http://{echo}/mine.ics?x=1")).expect("a file");
    assert_eq!(String::from_utf8_lossy(&bytes), "GET /mine.ics?x=1 HTTP/1.1");
}

#[test]
fn what_is_no_file_on_the_web_says_what_to_do() {
    for url in
        ["file:///etc/secret", "webcal://calendar.example/secret", "ftp://h/secret", "secret"]
    {
        assert!(matches!(error(url), FetchError::NotHttp), "{url}");
    }
    for url in ["http://", "https:// secret", "http:///secret"] {
        assert!(matches!(error(url), FetchError::Address), "{url}");
    }
    assert!(is_url("https://calendar.example") && !is_url("mine.ics") && !is_url("-"));

    let missing = server(vec![answer("404 Not Found", "", "secret")]);
    let got = error(&format!("http://{missing}/secret"));
    assert!(matches!(&got, FetchError::Status { host, status: 404 } if host == "127.0.0.1"));
    let circle = answer("302 Found", "Location: /secret\r\n", "");
    let circle = server(vec![circle; 6]);
    assert!(matches!(error(&format!("http://{circle}/secret")), FetchError::Redirects { .. }));
    let elsewhere = server(vec![answer("302 Found", "Location: file:///etc/secret\r\n", "")]);
    drop(error(&format!("http://{elsewhere}/secret")));
    let endless =
        server(vec![format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(64 * 1024 * 1024 + 1))]);
    assert!(matches!(error(&format!("http://{endless}/secret")), FetchError::TooLong { .. }));
    let got = error(&format!("http://{NOBODY}/secret"));
    assert!(matches!(&got, FetchError::Unreachable { .. }), "{got}");
    assert!(got.to_string().contains("save the calendar as a file"), "{got}");
    // A server without encryption where some is expected.
    let plain = server(vec![answer("200 OK", "", "calendar")]);
    assert!(matches!(error(&format!("https://{plain}/secret")), FetchError::Unreachable { .. }));
}
