//! A small store that speaks S3's protocol, on loopback.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

/// What nobody but the two ends of the credentials may ever see.
pub(crate) const SECRET: &str = "open-sesame-0123456789";

/// How many keys a page of a listing has.
const PAGE: usize = 2;

/// A store with one bucket, `lists`. Reading a name with `broken` in it breaks off in the middle, every time; with
/// `shaky`, the first time. Names with `denied` and the key `eve` are denied.
pub(crate) struct Bucket {
    endpoint: String,
    shelf: Arc<Mutex<Shelf>>,
}

#[derive(Default)]
struct Shelf {
    objects: BTreeMap<String, Vec<u8>>,
    /// The first line of every request.
    requests: Vec<String>,
    shaken: BTreeSet<String>,
    faults: Vec<String>,
}

/// A request of HTTP/1.1.
struct Request {
    method: String,
    name: String,
    query: BTreeMap<String, String>,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

type Answer = (u16, Vec<(&'static str, String)>, Vec<u8>);

impl Bucket {
    /// Starts it; it ends with the test.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let shelf = Arc::new(Mutex::new(Shelf::default()));
        let all = Arc::clone(&shelf);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shelf = Arc::clone(&all);
                thread::spawn(move || serve(stream, &shelf));
            }
        });
        Self { endpoint, shelf }
    }

    /// Puts an object there.
    pub(crate) fn put(&self, name: &str, body: impl Into<Vec<u8>>) {
        lock(&self.shelf).objects.insert(name.to_owned(), body.into());
    }

    /// An object's content.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let body = lock(&self.shelf).objects.get(name).cloned()?;
        Some(String::from_utf8_lossy(&body).into_owned())
    }

    /// The requests until now whose first line begins so.
    pub(crate) fn requests(&self, begin: &str) -> usize {
        lock(&self.shelf).requests.iter().filter(|line| line.starts_with(begin)).count()
    }

    /// That every request was signed and none held the secret.
    pub(crate) fn is_content(&self) {
        assert_eq!(lock(&self.shelf).faults, Vec::<String>::new());
    }

    /// Gives a process the address of the store and `user`'s credentials.
    pub(crate) fn known_to(&self, user: &str, command: &mut Command) {
        for (name, _) in std::env::vars() {
            if name.starts_with("AWS_") || name.to_ascii_lowercase().ends_with("_proxy") {
                command.env_remove(name);
            }
        }
        command.env("AWS_ENDPOINT_URL", &self.endpoint).env("AWS_ACCESS_KEY_ID", user);
        command.env("AWS_SECRET_ACCESS_KEY", SECRET).env("AWS_REGION", "us-east-1");
    }
}

fn lock(shelf: &Mutex<Shelf>) -> MutexGuard<'_, Shelf> {
    shelf.lock().expect("no thread panicked")
}

fn serve(mut stream: TcpStream, shelf: &Mutex<Shelf>) {
    let Some(request) = read(&stream) else { return };
    let (status, headers, mut body) = lock(shelf).answer(&request);
    let mut head = format!("HTTP/1.1 {status} .\r\nConnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    if !head.contains("Content-Length") {
        head += &format!("Content-Length: {}\r\n", body.len());
    }
    if request.method == "HEAD" {
        body.clear();
    }
    // Whoever goes away does not want the rest.
    let _ = stream.write_all(format!("{head}\r\n").as_bytes());
    let _ = stream.write_all(&body);
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let query = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = query.map(|(name, value)| (decoded(name), decoded(value))).collect();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length =
        headers.get("content-length").map_or(0, |length| length.parse().expect("a length"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some(Request { method, name: decoded(path), query, headers, body })
}

fn decoded(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut plain = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digits = [bytes.next(), bytes.next()].map(|digit| digit.expect("two digits"));
            let digits = std::str::from_utf8(&digits).expect("ASCII");
            plain.push(u8::from_str_radix(digits, 16).expect("hexadecimal"));
        } else {
            plain.push(byte);
        }
    }
    String::from_utf8(plain).expect("UTF-8")
}

impl Shelf {
    fn answer(&mut self, request: &Request) -> Answer {
        self.requests.push(format!("{} {}", request.method, request.name));
        let signature = request.headers.get("authorization").cloned().unwrap_or_default();
        self.look_at(request, &signature);
        let Some(name) = request.name.strip_prefix("/lists") else {
            return refusal(404, "NoSuchBucket");
        };
        let name = name.trim_start_matches('/');
        if signature.contains("Credential=eve/") || name.contains("denied") {
            return refusal(403, "AccessDenied");
        }
        match &*request.method {
            "PUT" => self.put(name, request),
            _ if request.query.contains_key("list-type") => self.list(&request.query),
            _ => self.get(name, request),
        }
    }

    fn look_at(&mut self, request: &Request, signature: &str) {
        let is_signed = signature.starts_with("AWS4-HMAC-SHA256 Credential=")
            && signature.contains("/us-east-1/s3/aws4_request")
            && signature.contains("SignedHeaders=host;")
            && signature.contains("x-amz-content-sha256;x-amz-date")
            && signature.rsplit_once("Signature=").is_some_and(|(_, hex)| hex.len() == 64);
        let holds_secret = request.headers.values().any(|value| value.contains(SECRET))
            || request.query.values().any(|value| value.contains(SECRET));
        if !is_signed || holds_secret {
            self.faults.push(format!("{} {}: {signature}", request.method, request.name));
        }
    }

    fn put(&mut self, name: &str, request: &Request) -> Answer {
        let keeps = request.headers.get("if-none-match").is_some_and(|tag| tag == "*");
        if keeps && self.objects.contains_key(name) {
            return refusal(412, "PreconditionFailed");
        }
        self.objects.insert(name.to_owned(), request.body.clone());
        (200, vec![("ETag", "\"tag\"".to_owned())], Vec::new())
    }

    fn get(&mut self, name: &str, request: &Request) -> Answer {
        let Some(all) = self.objects.get(name) else { return refusal(404, "NoSuchKey") };
        let range = request.headers.get("range").and_then(|range| range.strip_prefix("bytes="));
        let start = range.and_then(|range| range.split('-').next()?.parse().ok()).unwrap_or(0);
        let mut body = all[start..].to_vec();
        let mut headers = vec![
            ("ETag", "\"tag\"".to_owned()),
            ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT".to_owned()),
            ("Content-Length", body.len().to_string()),
        ];
        if range.is_some() {
            let (last, length) = (all.len() - 1, all.len());
            headers.push(("Content-Range", format!("bytes {start}-{last}/{length}")));
        }
        let is_shaken = name.contains("shaky") && self.shaken.insert(name.to_owned());
        if name.contains("broken") || is_shaken {
            body.truncate(body.len() / 2);
        }
        (if range.is_some() { 206 } else { 200 }, headers, body)
    }

    /// A page of what begins with the prefix and has no further delimiter.
    fn list(&self, query: &BTreeMap<String, String>) -> Answer {
        let of = |name: &str| query.get(name).cloned().unwrap_or_default();
        let (prefix, after) = (of("prefix"), of("continuation-token"));
        let is_flat = of("delimiter") == "/";
        let fits = |name: &&String| {
            let rest = name.strip_prefix(&prefix);
            rest.is_some_and(|rest| !is_flat || !rest.contains('/')) && **name > after
        };
        let names: Vec<&String> = self.objects.keys().filter(fits).collect();
        let page = &names[..names.len().min(PAGE)];
        let mut xml = String::from("<ListBucketResult>");
        for name in page {
            let size = self.objects[*name].len();
            xml += &format!(
                "<Contents><Key>{name}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>\
                 <ETag>\"tag\"</ETag><Size>{size}</Size></Contents>"
            );
        }
        if let (true, Some(last)) = (names.len() > PAGE, page.last()) {
            xml += &format!("<NextContinuationToken>{last}</NextContinuationToken>");
        }
        let truncated = names.len() > PAGE;
        xml += &format!("<IsTruncated>{truncated}</IsTruncated></ListBucketResult>");
        (200, vec![("Content-Type", "application/xml".to_owned())], xml.into_bytes())
    }
}

fn refusal(status: u16, code: &str) -> Answer {
    let body = format!("<Error><Code>{code}</Code><Message>ann@example.org</Message></Error>");
    (status, Vec::new(), body.into_bytes())
}
