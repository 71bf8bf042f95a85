//! The page of a party with only a browser: files that a relay shows to whoever looks.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tokio_tungstenite::tungstenite::Bytes;

use crate::RelayError;

/// The most bytes of all files together: a page takes a few millions.
const MOST: u64 = 64 << 20;

/// The file for who names none.
const INDEX: &str = "index.html";

/// A file, as it is sent.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) kind: &'static str,
    pub(crate) bytes: Bytes,
    /// The same bytes, packed by gzip.
    pub(crate) packed: Option<Bytes>,
}

/// All files of a page, by their paths in its folder.
#[derive(Debug)]
pub struct Page(BTreeMap<String, File>);

impl Page {
    /// Reads the files of a folder, as `make page` fills it: a file whose name ends in `.gz` is another one, packed.
    ///
    /// # Errors
    /// When they cannot be read, are no page, or too large for one.
    pub fn read(folder: &Path) -> Result<Self, RelayError> {
        let failed = |why: io::Error| RelayError::Page { path: folder.to_owned(), why };
        let (mut files, mut packed) = (BTreeMap::new(), BTreeMap::new());
        let (mut folders, mut all) = (vec![PathBuf::new()], 0);
        while let Some(inner) = folders.pop() {
            for entry in fs::read_dir(folder.join(&inner)).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let path = inner.join(entry.file_name());
                let about = entry.metadata().map_err(failed)?;
                if about.is_dir() {
                    folders.push(path);
                    continue;
                }
                all += about.len();
                if all > MOST {
                    return Err(failed(io::Error::other("its files have more than 64 MiB")));
                }
                let Some(name) = name(&path) else { continue };
                let bytes = Bytes::from(fs::read(entry.path()).map_err(failed)?);
                if let Some(plain) = name.strip_suffix(".gz") {
                    packed.insert(plain.to_owned(), bytes);
                } else if let Some(kind) = kind(&name) {
                    files.insert(name, File { kind, bytes, packed: None });
                }
            }
        }
        if !files.contains_key(INDEX) {
            return Err(failed(io::Error::other(
                "it has no index.html: give the folder that `make page` filled",
            )));
        }
        for (name, file) in &mut files {
            file.packed = packed.remove(name);
        }
        Ok(Self(files))
    }

    /// The file that a request's path names, under whatever path a proxy has the relay.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        let path = path.strip_prefix('/')?;
        if path.is_empty() || path.ends_with('/') {
            return self.0.get(INDEX);
        }
        let mut rest = Some(path);
        while let Some(name) = rest {
            if let Some(file) = self.0.get(name) {
                return Some(file);
            }
            rest = name.split_once('/').map(|(_, inner)| inner);
        }
        None
    }
}

/// A path as addresses have it.
fn name(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// What a file is, by its ending; nothing for what no page has.
fn kind(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_files_of_its_folder_and_no_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("writable");
        };
        write("notes.txt", "no part of a page");
        assert!(Page::read(folder.path()).is_err(), "it has no index.html");
        fs::create_dir(folder.path().join("views")).expect("writable");
        for name in ["index.html", "main.js", "views/list.js", "main.js.gz"] {
            write(name, name);
        }
        let page = Page::read(folder.path()).expect("a page");
        let text = |path: &str| page.file(path).map(|file| file.bytes.to_vec());
        assert_eq!(text("/"), Some(b"index.html".to_vec()));
        assert_eq!(text("/relay/"), Some(b"index.html".to_vec()));
        assert_eq!(text("/relay/views/list.js"), Some(b"views/list.js".to_vec()));
        for none in ["/notes.txt", "/main.js.gz", "/../main.jsx", "", "/views", "/list.js"] {
            assert_eq!(text(none), None, "{none}");
        }
        let script = page.file("/main.js").expect("there");
        assert_eq!(script.packed.as_deref(), Some(&b"main.js.gz"[..]));
        assert_eq!(script.kind, "text/javascript; charset=utf-8");
    }
}
