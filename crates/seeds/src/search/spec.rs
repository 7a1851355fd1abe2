//! An engine as users write it: `searxng=URL`, `brave`, `collection=DIR`.

use std::path::{Path, PathBuf};

use scenthound_types::CanonicalUrl;

use super::brave::{self, Brave};
use super::fault::EngineFault;
use super::google_cse::{self, GoogleCse};
use super::marginalia::{self, Marginalia};
use super::searxng::SearXng;
use super::{Engine, Keys, Secret};

/// An engine as users write it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EngineSpec {
    /// A SearXNG instance at this URL.
    SearXng(CanonicalUrl),
    /// Brave, or a compatible service at this URL.
    Brave(Option<CanonicalUrl>),
    /// Google's Programmable Search Engine, or a compatible service at this URL.
    GoogleCse(Option<CanonicalUrl>),
    /// Marginalia, or a compatible service at this URL.
    Marginalia(Option<CanonicalUrl>),
    /// The best pages of an earlier crawl, in this folder.
    Collection(PathBuf),
    /// A file of URLs.
    File(PathBuf),
}

impl EngineSpec {
    /// Parses an engine; none if there is no such engine, or its URL or path is missing.
    pub fn parse(text: &str) -> Option<EngineSpec> {
        let (name, at) = match text.trim().split_once('=') {
            Some((name, at)) => (name.trim_end(), Some(at.trim()).filter(|at| !at.is_empty())),
            None => (text.trim(), None),
        };
        let url = match at {
            None => Ok(None),
            Some(at) => CanonicalUrl::parse(at).map(Some),
        };
        match name {
            "searxng" => url.ok()?.map(EngineSpec::SearXng),
            "brave" => Some(EngineSpec::Brave(url.ok()?)),
            "google-cse" => Some(EngineSpec::GoogleCse(url.ok()?)),
            "marginalia" => Some(EngineSpec::Marginalia(url.ok()?)),
            "collection" => Some(EngineSpec::Collection(Path::new(at?).to_owned())),
            "file" => Some(EngineSpec::File(Path::new(at?).to_owned())),
            _ => None,
        }
    }

    /// The URL the user gave. It may be private, since the user named it explicitly.
    pub fn named_address(&self) -> Option<&CanonicalUrl> {
        match self {
            EngineSpec::SearXng(base) => Some(base),
            EngineSpec::Brave(base) | EngineSpec::GoogleCse(base) | EngineSpec::Marginalia(base) => {
                base.as_ref()
            }
            EngineSpec::Collection(_) | EngineSpec::File(_) => None,
        }
    }

    /// The engine to ask over the network, with its keys; none for one that is read from disk.
    pub fn engine(&self, keys: &Keys) -> Result<Option<Box<dyn Engine>>, EngineFault> {
        let base = |named: &Option<CanonicalUrl>, usual: &str| match named {
            Some(base) => Ok(base.clone()),
            // The URLs in this program are valid.
            None => CanonicalUrl::parse(usual).map_err(|_| EngineFault::QueryTooLong),
        };
        Ok(Some(match self {
            EngineSpec::SearXng(base) => Box::new(SearXng { base: base.clone() }),
            EngineSpec::Brave(named) => Box::new(Brave {
                base: base(named, brave::BASE)?,
                key: header_key(keys, brave::KEY, brave::KEYS_AT)?,
            }),
            EngineSpec::GoogleCse(named) => {
                let names = [google_cse::KEY, google_cse::CX];
                let missing: Vec<_> = names
                    .into_iter()
                    .filter(|name| keys.get(name).is_none())
                    .collect();
                match (keys.get(google_cse::KEY), keys.get(google_cse::CX)) {
                    (Some(key), Some(cx)) => Box::new(GoogleCse {
                        base: base(named, google_cse::BASE)?,
                        key: key.clone(),
                        cx: cx.clone(),
                    }),
                    _ => {
                        return Err(EngineFault::KeyMissing {
                            names: missing,
                            at: google_cse::KEYS_AT,
                        });
                    }
                }
            }
            EngineSpec::Marginalia(named) => Box::new(Marginalia {
                base: base(named, marginalia::BASE)?,
                key: match keys.get(marginalia::KEY) {
                    Some(_) => Some(header_key(keys, marginalia::KEY, marginalia::BASE)?),
                    None => None,
                },
            }),
            EngineSpec::Collection(_) | EngineSpec::File(_) => return Ok(None),
        }))
    }
}

/// A key that is sent in a header.
fn header_key(keys: &Keys, name: &'static str, at: &'static str) -> Result<Secret, EngineFault> {
    let key = keys.get(name).ok_or_else(|| EngineFault::KeyMissing {
        names: vec![name],
        at,
    })?;
    if !key.reveal().bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(EngineFault::KeyUnsendable { name });
    }
    Ok(key.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_a_name_and_perhaps_where_it_is() {
        let url = |text| CanonicalUrl::parse(text).unwrap();
        for (text, spec) in [
            (
                "searxng=http://127.0.0.1:8888/x",
                EngineSpec::SearXng(url("http://127.0.0.1:8888/x")),
            ),
            ("brave", EngineSpec::Brave(None)),
            (
                " brave = http://a.test ",
                EngineSpec::Brave(Some(url("http://a.test/"))),
            ),
            ("file=a=b.txt", EngineSpec::File("a=b.txt".into())),
            ("collection=tea", EngineSpec::Collection("tea".into())),
        ] {
            assert_eq!(EngineSpec::parse(text), Some(spec), "{text}");
        }
        for text in [
            "",
            "searxng",
            "searxng=",
            "brave=tea",
            "collection",
            "file=",
            "bing",
        ] {
            assert_eq!(EngineSpec::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_keys_that_are_missing_are_named() {
        let keys = Keys::from_lookup(|name| (name == "GOOGLE_CSE_KEY").then(|| "k".repeat(20)));
        let fault = |text: &str| {
            let spec = EngineSpec::parse(text).unwrap();
            spec.engine(&keys).err().map(|fault| fault.to_string())
        };
        assert_eq!(
            fault("brave").as_deref(),
            Some("no key: BRAVE_API_KEY is not set")
        );
        assert_eq!(
            fault("google-cse").as_deref(),
            Some("no key: GOOGLE_CSE_CX is not set")
        );
        assert_eq!(fault("marginalia"), None);
        let broken = Keys::from_lookup(|_| Some("se\ncret".to_owned()));
        let fault = EngineSpec::Brave(None).engine(&broken).err().unwrap();
        assert!(
            fault.is_bad_setting() && !fault.to_string().contains("cret"),
            "{fault}"
        );
    }
}
