//! A web as one file that loads quickly.
//!
//! The file's name is a hash of the archives' bytes and the format version, so a changed archive or format gets a new file
//! and nothing stale is ever read. A checksum covers the contents: a damaged file is built again.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use scenthound_types::{CanonicalUrl, Keyring};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::recorded::RecordedFault;
use crate::recorded::encode::{Bytes, put, put_str};
use crate::recorded::web::{ByHash, KEYS, RecordedWeb, Spot, UrlId, Vocabulary};

const MAGIC: &[u8; 8] = b"HOUNDWEB";

/// The format version: increase it whenever the format, or the result of parsing a page, changes.
pub(crate) const FORM: u32 = 9;

/// The cache file for these archives.
pub(crate) fn path_for(archives: &[PathBuf], folder: &Path) -> Result<PathBuf, RecordedFault> {
    let mut hash = Xxh3::new();
    hash.update(&FORM.to_le_bytes());
    let mut buffer = vec![0; 1 << 20];
    for path in archives {
        let mut file = fs::File::open(path).map_err(RecordedFault::file(path))?;
        loop {
            match file.read(&mut buffer).map_err(RecordedFault::file(path))? {
                0 => break,
                read => hash.update(buffer.get(..read).unwrap_or_default()),
            }
        }
        // Otherwise two archives would hash like one that is both joined.
        hash.update(b"\0archive");
    }
    Ok(folder.join(format!("{:032x}.web", hash.digest128())))
}

/// Writes the web completely or not at all.
pub(crate) fn save(web: &RecordedWeb, path: &Path) -> Result<(), RecordedFault> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(RecordedFault::file(folder))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(RecordedFault::file(folder))?;
    let body = to_bytes(web);
    file.write_all(MAGIC)
        .and_then(|()| file.write_all(&FORM.to_le_bytes()))
        .and_then(|()| file.write_all(&xxh3_64(&body).to_le_bytes()))
        .and_then(|()| file.write_all(&body))
        .map_err(RecordedFault::file(path))?;
    file.persist(path)
        .map_err(|error| RecordedFault::file(path)(error.error))?;
    Ok(())
}

/// Reads a web back; `None` if the file is missing or damaged.
pub(crate) fn load(path: &Path) -> Option<RecordedWeb> {
    let mut bytes = fs::read(path).ok()?;
    let (head, body) = bytes.split_at_checked(20)?;
    let is_ours = head.starts_with(MAGIC) && head.get(8..12)? == FORM.to_le_bytes();
    if !is_ours || head.get(12..20)? != xxh3_64(body).to_le_bytes() {
        return None;
    }
    bytes.drain(..20);
    from_bytes(&bytes)
}

fn to_bytes(web: &RecordedWeb) -> Vec<u8> {
    let mut out = Vec::with_capacity(web.bytes.len() + web.targets.len() * 4 + web.urls.len() * 60);
    put(&mut out, web.urls.len() as u64);
    for (url, spot) in web.urls.iter().zip(&web.spots) {
        put_str(&mut out, url.as_str());
        match *spot {
            Spot::NotRecorded => out.push(0),
            Spot::Page(_) => out.push(1),
            Spot::Redirect { status, to } => {
                out.push(2);
                put(&mut out, status.into());
                put(&mut out, to.0.into());
            }
            Spot::Status(status) => {
                out.push(3);
                put(&mut out, status.into());
            }
            Spot::NoText => out.push(4),
            Spot::Rules(number) => {
                out.push(5);
                put(&mut out, number.into());
            }
        }
    }
    let mut spelled: Vec<_> = web.spelled.iter().collect();
    spelled.sort_unstable();
    put(&mut out, spelled.len() as u64);
    for (url, spelling) in spelled {
        put(&mut out, (*url).into());
        put_str(&mut out, spelling);
    }
    put(&mut out, web.rules.len() as u64);
    for rules in &web.rules {
        put(&mut out, rules.len() as u64);
        out.extend_from_slice(rules);
    }
    put(&mut out, web.warnings.len() as u64);
    for warning in &web.warnings {
        put_str(&mut out, warning);
    }
    put(&mut out, web.words.ends.len() as u64);
    let mut before = 0;
    for end in &web.words.ends {
        put(&mut out, (end - before).into());
        before = *end;
    }
    put_str(&mut out, &web.words.spellings);
    put(&mut out, web.page_urls.len() as u64);
    for at in 0..web.page_urls.len() {
        let gap = |starts: &[u64]| starts.get(at + 1).unwrap_or(&0) - starts.get(at).unwrap_or(&0);
        put(&mut out, web.page_urls.get(at).map_or(0, |url| url.0.into()));
        put(&mut out, gap(&web.page_starts));
        let links = web.targets(crate::recorded::PageId(at as u32));
        put(&mut out, links.len() as u64);
        for target in links {
            put(&mut out, target.0.into());
        }
    }
    put(&mut out, web.bytes.len() as u64);
    out.extend_from_slice(&web.bytes);
    out
}

fn from_bytes(bytes: &[u8]) -> Option<RecordedWeb> {
    let mut bytes = Bytes::new(bytes);
    let bytes = &mut bytes;
    let mut web = RecordedWeb::default();
    let keyring = Keyring::new(KEYS);
    let urls = bytes.number() as usize;
    web.by_url = ByHash::with_capacity_and_hasher(urls, Default::default());
    for id in 0..urls {
        let url = CanonicalUrl::from_canonical(bytes.text()).ok()?;
        web.by_url.insert(keyring.key(&url).0, id as u32);
        web.urls.push(url);
        web.spots.push(match bytes.byte() {
            2 => Spot::Redirect {
                status: bytes.small() as u16,
                to: UrlId(bytes.small()),
            },
            3 => Spot::Status(bytes.small() as u16),
            4 => Spot::NoText,
            5 => Spot::Rules(bytes.small()),
            // Each page stores its own URL.
            _ => Spot::NotRecorded,
        });
    }
    for _ in 0..bytes.number() {
        let url = bytes.small();
        web.spelled.insert(url, bytes.text().to_owned());
    }
    for _ in 0..bytes.number() {
        let length = bytes.number() as usize;
        web.rules.push(bytes.take(length).to_vec());
    }
    for _ in 0..bytes.number() {
        web.warnings.push(bytes.text().to_owned());
    }
    let words = bytes.number() as usize;
    let mut end = 0_u32;
    let ends: Vec<u32> = (0..words)
        .map(|_| {
            end = end.wrapping_add(bytes.small());
            end
        })
        .collect();
    web.words = Vocabulary::from_spellings(ends, bytes.text().to_owned());
    web.page_starts.push(0);
    web.link_starts.push(0);
    let mut start = 0;
    for page in 0..bytes.number() {
        let url = UrlId(bytes.small());
        web.set_spot(url, Spot::Page(crate::recorded::PageId(page as u32)));
        web.page_urls.push(url);
        start += bytes.number();
        web.page_starts.push(start);
        for _ in 0..bytes.number() {
            web.targets.push(UrlId(bytes.small()));
        }
        web.link_starts.push(web.targets.len() as u32);
    }
    let length = bytes.number() as usize;
    web.bytes = bytes.take(length).to_vec();
    (web.bytes.len() == length && bytes.is_empty()).then_some(web)
}
