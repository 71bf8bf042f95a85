//! The page of a party with only a browser: files that a relay shows to whoever looks.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use tokio_tungstenite::tungstenite::Bytes;

use crate::RelayError;

/// The most bytes of all files together: a page takes a few millions.
const MOST: u64 = 64 << 20;

/// The file for who names none.
const INDEX: &str = "index.html";

/// How files are packed: the ending of their names, and the name of it in HTTP. The best comes first.
const PACKINGS: [(&str, &str); 2] = [(".br", "br"), (".gz", "gzip")];

/// A file, as it is sent.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) kind: &'static str,
    pub(crate) bytes: Bytes,
    /// The same bytes, packed, the best first; with the name of how.
    pub(crate) packed: Vec<(&'static str, Bytes)>,
}

/// All files of a page, by their paths in its folder.
#[derive(Debug)]
pub struct Page(BTreeMap<String, File>);

impl Page {
    /// Reads the files of a folder, as `make page` fills it: a file whose name ends in `.br` or `.gz` is another one, packed.
    ///
    /// # Errors
    /// When they cannot be read, are no page, or too large for one.
    pub fn read(folder: &Path) -> Result<Self, RelayError> {
        let failed = |why: io::Error| RelayError::Page { path: folder.to_owned(), why };
        let (mut files, mut all_packed) = (BTreeMap::new(), BTreeMap::new());
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
                let Some(name) = name(&path) else { continue };
                let packing = PACKINGS.iter().find(|(ending, _)| name.ends_with(ending));
                let plain =
                    packing.map_or(&*name, |(ending, _)| &name[..name.len() - ending.len()]);
                // No link either, which may lead anywhere.
                let Some(kind) = kind(plain).filter(|_| about.is_file()) else { continue };
                let mut bytes = Vec::new();
                let file = fs::File::open(entry.path()).map_err(failed)?;
                all += file.take(MOST + 1 - all).read_to_end(&mut bytes).map_err(failed)? as u64;
                if all > MOST {
                    return Err(failed(io::Error::other("its files have more than 64 MiB")));
                }
                let bytes = Bytes::from(bytes);
                if let Some((_, encoding)) = packing {
                    all_packed.insert((plain.to_owned(), *encoding), bytes);
                } else {
                    files.insert(name, File { kind, bytes, packed: Vec::new() });
                }
            }
        }
        if !files.contains_key(INDEX) {
            return Err(failed(io::Error::other("it has no index.html")));
        }
        for (name, file) in &mut files {
            let found = PACKINGS.iter().filter_map(|(_, encoding)| {
                Some((*encoding, all_packed.remove(&(name.clone(), *encoding))?))
            });
            file.packed = found.collect();
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
        #[cfg(unix)]
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero.js")).expect("writable");
        assert!(Page::read(folder.path()).is_err(), "it has no index.html");
        fs::create_dir(folder.path().join("views")).expect("writable");
        for name in ["index.html", "main.js", "views/list.js", "main.js.gz", "main.js.br"] {
            write(name, name);
        }
        let page = Page::read(folder.path()).expect("a page");
        let text = |path: &str| page.file(path).map(|file| file.bytes.to_vec());
        assert_eq!(text("/"), Some(b"index.html".to_vec()));
        assert_eq!(text("/relay/"), Some(b"index.html".to_vec()));
        assert_eq!(text("/relay/views/list.js"), Some(b"views/list.js".to_vec()));
        for none in
            ["/notes.txt", "/main.js.gz", "/zero.js", "/../main.jsx", "", "/views", "/list.js"]
        {
            assert_eq!(text(none), None, "{none}");
        }
        let script = page.file("/main.js").expect("there");
        let packed = [("br", b"main.js.br"), ("gzip", b"main.js.gz")];
        assert_eq!(script.packed, packed.map(|(how, bytes)| (how, Bytes::from_static(bytes))));
        assert_eq!(script.kind, "text/javascript; charset=utf-8");
    }
}
