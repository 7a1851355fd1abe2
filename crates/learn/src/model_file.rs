//! Models on disk.
//!
//! ```text
//! SCENTMOD  format u16  kind's length u8, kind  version u16  body's length u64  checksum of the body u64  body
//! ```
//! Numbers are little-endian; the body is the model in postcard format. The kind says what the model is for, the
//! version how that kind is laid out.
//!
//! Invariant: a file that is truncated, changed or not ours is refused with a clear message. A model is checked when
//! it is read, so that whatever a file contains, using it neither panics nor runs forever. No allocation trusts a
//! length that a file merely claims.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"SCENTMOD";
const FORMAT: u16 = 1;
/// No model is nearly this large; a larger file is something else.
const MOST_BYTES: u64 = 512 << 20;

/// Why a model file cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelFileFault {
    /// The file cannot be read or written.
    #[error("model file {path}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// It is not a valid model file.
    #[error("{path}: {what}", path = path.display())]
    Unusable {
        /// The file, or a name for the bytes.
        path: PathBuf,
        /// What is wrong with it.
        what: Damage,
    },
}

/// What is wrong with a model file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum Damage {
    /// It does not begin as a model file does.
    #[error("not a model file of Scenthound")]
    NoModel,
    /// Made by a later release, or by a very old one.
    #[error(
        "the file has format version {found}, but this program reads version {expected}; train the model again"
    )]
    Format {
        /// The file's version.
        found: u16,
        /// Our version.
        expected: u16,
    },
    /// A model for something else.
    #[error("holds a model of kind {found:?}, but one of kind {expected:?} is needed")]
    Kind {
        /// The file's kind.
        found: String,
        /// The kind we need.
        expected: &'static str,
    },
    /// The layout of this kind has changed since.
    #[error(
        "holds version {found} of kind {kind:?}, but this program reads version {expected}; train the model again"
    )]
    Version {
        /// The kind.
        kind: &'static str,
        /// The file's version.
        found: u16,
        /// Our version.
        expected: u16,
    },
    /// Shorter or longer than it claims.
    #[error("the file is truncated or has extra bytes at its end")]
    Length,
    /// Larger than any model.
    #[error("the file is too large to be a model (more than {MOST_BYTES} bytes)")]
    TooLarge,
    /// Some bytes have changed.
    #[error("the file is damaged: its checksum does not match")]
    Checksum,
    /// The checksum is right, but the content is not a valid model.
    #[error("the file's content is not a valid model")]
    Senseless,
}

/// A model that can be stored in a file.
pub trait ModelFile: Serialize + DeserializeOwned {
    /// What the model is for, at most 255 bytes. Shown to people when a wrong file is given.
    const KIND: &'static str;
    /// Increased whenever the layout changes.
    const VERSION: u16;

    /// The file as bytes.
    fn to_bytes(&self) -> Vec<u8> {
        // Serialisation fails only for things like maps of unknown length, which models do not contain.
        let body = postcard::to_stdvec(self).unwrap_or_default();
        let kind = Self::KIND.as_bytes();
        let mut bytes = Vec::with_capacity(body.len() + 64);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.push(kind.len() as u8);
        bytes.extend_from_slice(kind);
        bytes.extend_from_slice(&Self::VERSION.to_le_bytes());
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&xxh3_64(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// Reads a model from bytes: those of a file, or of a model built into the program.
    fn from_bytes(bytes: &[u8]) -> Result<Self, Damage> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(Damage::NoModel)?;
        let format = u16::from_le_bytes(take(&mut rest)?);
        if format != FORMAT {
            return Err(Damage::Format {
                found: format,
                expected: FORMAT,
            });
        }
        let [kind_length] = take(&mut rest)?;
        let (kind, behind) = rest
            .split_at_checked(kind_length as usize)
            .ok_or(Damage::Length)?;
        rest = behind;
        if kind != Self::KIND.as_bytes() {
            return Err(Damage::Kind {
                found: String::from_utf8_lossy(kind).into_owned(),
                expected: Self::KIND,
            });
        }
        let version = u16::from_le_bytes(take(&mut rest)?);
        if version != Self::VERSION {
            return Err(Damage::Version {
                kind: Self::KIND,
                found: version,
                expected: Self::VERSION,
            });
        }
        let length = u64::from_le_bytes(take(&mut rest)?);
        let checksum = u64::from_le_bytes(take(&mut rest)?);
        if length != rest.len() as u64 {
            return Err(Damage::Length);
        }
        if checksum != xxh3_64(rest) {
            return Err(Damage::Checksum);
        }
        match postcard::take_from_bytes(rest) {
            Ok((model, [])) => Ok(model),
            _ => Err(Damage::Senseless),
        }
    }

    /// Writes the file beside its place and then renames it, so that there is never half a model.
    fn save(&self, path: &Path) -> Result<(), ModelFileFault> {
        let fault = |source| ModelFileFault::File {
            path: path.into(),
            source,
        };
        let mut beside = path.as_os_str().to_owned();
        beside.push(".part");
        std::fs::write(&beside, self.to_bytes()).map_err(fault)?;
        std::fs::rename(&beside, path).map_err(fault)
    }

    /// Reads a file.
    fn load(path: &Path) -> Result<Self, ModelFileFault> {
        let file = |source| ModelFileFault::File {
            path: path.into(),
            source,
        };
        let unusable = |what| ModelFileFault::Unusable {
            path: path.into(),
            what,
        };
        if std::fs::metadata(path).map_err(file)?.len() > MOST_BYTES {
            return Err(unusable(Damage::TooLarge));
        }
        let bytes = std::fs::read(path).map_err(file)?;
        Self::from_bytes(&bytes).map_err(unusable)
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Damage> {
    let (taken, behind) = rest.split_first_chunk().ok_or(Damage::Length)?;
    *rest = behind;
    Ok(*taken)
}
