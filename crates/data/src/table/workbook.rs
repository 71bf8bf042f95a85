//! The parts of a workbook, which are looked at before a library reads them.
//!
//! The library lists all parts. It holds those of [`HELD`] in memory, copies names from one into another, and reserves room
//! for as many texts as one claims. Of a sheet it holds a tag, a text or a cell at once.

use std::collections::BTreeSet;
use std::io::{BufReader, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::claims::{Unfit, fits};
use super::store::Blocks;

/// The part that names the sheets.
const WORKBOOK: &str = "xl/workbook.xml";

/// The parts that are held in memory as a whole.
const HELD: [&str; 6] = [
    "_rels/.rels",
    "xl/_rels/workbook.xml.rels",
    WORKBOOK,
    "xl/sharedstrings.xml",
    "xl/styles.xml",
    "xl/theme/theme1.xml",
];

/// The most parts that an archive may have.
const MOST_PARTS: u64 = 1 << 16;

/// What the list of parts takes for each, beside its name.
const A_PART: u64 = 1 << 10;

/// What a text takes in the list of texts, beside itself.
const A_TEXT: u64 = 64;

/// What a record takes, such as a format or a sheet, beside the names that are copied into it.
const A_RECORD: u64 = 1 << 10;

/// The most names that are copied into a record.
const NAMES: u64 = 4;

/// The longest tag, text or cell. Excel has up to 32,767 characters in a cell.
const LONGEST: u64 = 1 << 22;

/// How many tags may be open at once.
const DEEPEST: u32 = 100;

/// Whether an archive holds a workbook. The library may take `most` bytes for its parts.
pub(super) fn check(blocks: &Blocks, most: u64) -> Result<bool, Unfit> {
    fits(directory(blocks)?, most)?;
    let reader = BufReader::new(blocks.reader());
    let mut archive = ZipArchive::new(reader).map_err(|_| Unfit::Damaged)?;
    let names: Result<Vec<String>, _> =
        archive.file_names().map(|name| name.map(|name| plain(&name))).collect();
    let names = names.map_err(|_| Unfit::Damaged)?;
    if !names.iter().any(|name| name == WORKBOOK) {
        return Ok(false);
    }
    // Else one piece of the file could stand for any number of parts.
    if archive.has_overlapping_files().map_err(|_| Unfit::Damaged)? {
        return Err(Unfit::Damaged);
    }
    let mut held = Held::default();
    for index in (0..names.len()).filter(|index| HELD.contains(&names[*index].as_str())) {
        let part = archive.by_index(index).map_err(|_| Unfit::Damaged)?;
        held.length += look(part, most.saturating_sub(held.length), |tag| held.add(tag))?;
    }
    held.fits(most)?;
    let sheets: Vec<usize> =
        (0..names.len()).filter(|index| held.sheets.contains(&names[*index])).collect();
    if sheets.len() < held.sheets.len() {
        return Err(Unfit::Damaged);
    }
    for index in sheets {
        let part = archive.by_index(index).map_err(|_| Unfit::Damaged)?;
        look(part, u64::MAX, |_| Ok(()))?;
    }
    Ok(true)
}

/// A part's name as the library looks for it.
fn plain(name: &str) -> String {
    name.replace('\\', "/").to_ascii_lowercase()
}

/// How much memory the list of parts takes at most: all that looks like an entry of it counts.
fn directory(blocks: &Blocks) -> Result<u64, Unfit> {
    const ENTRY: usize = 46;
    const CHUNK: u64 = 1 << 16;
    let (mut parts, mut lengths) = (0, 0);
    let mut reader = blocks.reader();
    let mut bytes = Vec::new();
    while reader.by_ref().take(CHUNK).read_to_end(&mut bytes).map_err(|_| Unfit::Damaged)? > 0 {
        for entry in bytes.windows(ENTRY).filter(|entry| entry.starts_with(b"PK\x01\x02")) {
            let length = |at: usize| u64::from(u16::from_le_bytes([entry[at], entry[at + 1]]));
            parts += 1;
            lengths += length(28) + length(30) + length(32);
        }
        drop(bytes.drain(..bytes.len().saturating_sub(ENTRY - 1)));
    }
    if parts > MOST_PARTS { Err(Unfit::Damaged) } else { Ok(parts * A_PART + 8 * lengths) }
}

/// Reads a part of up to `most` bytes to its end, where its checksum is, and calls `visit` with its tags.
///
/// Returns its length.
fn look(
    part: impl Read,
    most: u64,
    mut visit: impl FnMut(&BytesStart<'_>) -> Result<(), Unfit>,
) -> Result<u64, Unfit> {
    let mut xml = Reader::from_reader(BufReader::new(part.take(LONGEST)));
    xml.config_mut().expand_empty_elements = true;
    let (mut event, mut depth, mut cell) = (Vec::new(), 0, None);
    loop {
        event.clear();
        match xml.read_event_into(&mut event).map_err(|_| Unfit::Damaged)? {
            Event::Start(tag) => {
                depth += 1;
                if tag.local_name().as_ref() == "c" {
                    cell.get_or_insert(depth);
                }
                visit(&tag)?;
            }
            Event::End(_) => {
                cell = cell.filter(|cell| *cell != depth);
                depth -= 1;
            }
            Event::Eof => break,
            _ => {}
        }
        match xml.buffer_position() {
            length if length > most => return Err(Unfit::TooLarge(length)),
            _ if depth > DEEPEST => return Err(Unfit::Damaged),
            _ if cell.is_none() => xml.get_mut().get_mut().set_limit(LONGEST),
            _ => {}
        }
    }
    let is_whole = depth == 0 && xml.get_ref().get_ref().limit() > 0;
    if is_whole { Ok(xml.buffer_position()) } else { Err(Unfit::Damaged) }
}

/// What the parts that are held say.
#[derive(Default)]
struct Held {
    /// Their bytes.
    length: u64,
    /// Texts that there are, and that are claimed.
    texts: u64,
    claimed: u64,
    /// Formats, sheets and the like.
    records: u64,
    /// The longest value of an attribute, which may be copied into each record.
    longest: u64,
    /// The relationships of the sheets that there are, and the parts that they may be.
    named: BTreeSet<String>,
    sheets: BTreeSet<String>,
}

impl Held {
    fn add(&mut self, tag: &BytesStart<'_>) -> Result<(), Unfit> {
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|_| Unfit::Damaged)?;
            self.longest = self.longest.max(attribute.value.len() as u64);
        }
        match tag.local_name().as_ref() {
            "si" => self.texts += 1,
            "sst" => {
                let count = value(tag, "uniqueCount");
                let digits = count.bytes().all(|byte| byte.is_ascii_digit());
                let unknown = if digits && !count.is_empty() { u64::MAX } else { 0 };
                self.claimed = self.claimed.max(count.parse().unwrap_or(unknown));
            }
            "sheet" => {
                self.records += 1;
                self.name(tag)?;
            }
            "Relationship" => {
                self.records += 1;
                self.relate(&value(tag, "Type"), &value(tag, "Target"))?;
            }
            "xf" | "font" | "fill" | "border" | "numFmt" | "definedName" => self.records += 1,
            _ => {}
        }
        Ok(())
    }

    /// Notes by what relationship the workbook names a sheet, which no other sheet has.
    fn name(&mut self, tag: &BytesStart<'_>) -> Result<(), Unfit> {
        let ids = tag.attributes().flatten();
        // The library takes the last.
        let id = ids.filter(|id| id.key.local_name().as_ref() == "id").last();
        let id = id.map(|id| id.value.into_owned()).unwrap_or_default();
        if !id.contains('&') && self.named.insert(id) { Ok(()) } else { Err(Unfit::Damaged) }
    }

    /// Notes what one part says that another is.
    fn relate(&mut self, kind: &str, target: &str) -> Result<(), Unfit> {
        // The library finds all other parts by what stands before this one's name, as it is written.
        let workbook = target.strip_prefix('/').unwrap_or(target);
        if kind.ends_with("/officeDocument") && !workbook.eq_ignore_ascii_case(WORKBOOK) {
            return Err(Unfit::Damaged);
        }
        let target = plain(target);
        if kind.ends_with("sheet") {
            let path = target.strip_prefix('/').map(str::to_owned);
            // Else one part could be read as often as it has names.
            if !self.sheets.insert(path.unwrap_or_else(|| format!("xl/{target}"))) {
                return Err(Unfit::Damaged);
            }
        }
        Ok(())
    }

    /// Whether what they say can be, and takes no more than `most` bytes.
    fn fits(&self, most: u64) -> Result<(), Unfit> {
        if self.claimed > self.length || self.named.len() > self.sheets.len() {
            return Err(Unfit::Damaged);
        }
        let texts = A_TEXT * self.texts.max(self.claimed);
        let records = self.records.saturating_mul(A_RECORD + NAMES * self.longest);
        fits(records.saturating_add(texts).saturating_add(2 * self.length), most)
    }
}

/// The value of an attribute as it is written; empty where there is none.
fn value(tag: &BytesStart<'_>, name: &str) -> String {
    let attribute = tag.try_get_attribute(name).ok().flatten();
    attribute.map(|attribute| attribute.value.into_owned()).unwrap_or_default()
}
