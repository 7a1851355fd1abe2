//! Turns exchanges into archive bytes, on any thread.
//!
//! Each record is one gzip member, so that it can be read by its offset. The response comes first, so its position is the
//! exchange's position. Digests are computed as warcio checks them: the payload is everything after the head, as it was
//! sent (still chunked and compressed). The same exchange and seed give the same bytes on one machine; on another, gzip may be
//! another compressor's ([`Compression`]).
//!
//! The metadata record has a URI of its own, `urn:scenthound:metadata:URL`. Under the page's URI, replay tools would take
//! it for a version of the page and show it instead.
//!
//! Deliberately absent: files. [`Archive`](crate::Archive) appends what is packed here.

use std::io::Write;
use std::net::IpAddr;
use std::ops::Range;

use scenthound_types::{CanonicalUrl, Timestamp, Truncation, media_type};

use crate::compress::{Compression, RecordCompressor, Squeeze};
use crate::digest;
use crate::error::Result;
use crate::http::{self, HttpResponse};

/// The protocol of the request and the response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Protocol {
    /// HTTP/1.0 or 1.1; the recorded bytes are those of the wire.
    Http1,
    /// HTTP/2; the recorded heads are written in the form of HTTP/1.1, as archive tools expect.
    Http2,
}

impl Protocol {
    /// Its name in WARC-Protocol.
    fn code(self) -> &'static str {
        match self {
            Protocol::Http1 => "http/1.1",
            Protocol::Http2 => "h2",
        }
    }
}

/// One request, its response, and what was made of it.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// Distinguishes it from all other exchanges of the crawl, even of the same URL at the same time.
    pub sequence: u64,
    /// The URL requested.
    pub url: &'a CanonicalUrl,
    /// The IP address of the server; none behind a proxy.
    pub ip: Option<IpAddr>,
    /// When the request was sent.
    pub date: Timestamp,
    /// The protocol.
    pub protocol: Protocol,
    /// Head and body as sent; empty if it was not recorded.
    pub request: &'a [u8],
    /// Head and body as received; empty if there was no response.
    pub response: &'a [u8],
    /// Whether and why the response was cut short.
    pub truncated: Option<Truncation>,
    /// What was made of it, as JSON; empty if nothing was.
    pub metadata: &'a [u8],
}

/// The kinds of record an exchange is written as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKind {
    /// What the server sent.
    Response,
    /// What we sent.
    Request,
    /// The head of a response whose body is stored with another one.
    Revisit,
    /// What was made of it.
    Metadata,
    /// The first record of a file.
    Info,
}

impl RecordKind {
    /// Its name in WARC-Type.
    pub fn code(self) -> &'static str {
        match self {
            RecordKind::Response => "response",
            RecordKind::Request => "request",
            RecordKind::Revisit => "revisit",
            RecordKind::Metadata => "metadata",
            RecordKind::Info => "warcinfo",
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            RecordKind::Response | RecordKind::Revisit => "application/http; msgtype=response",
            RecordKind::Request => "application/http; msgtype=request",
            RecordKind::Metadata => "application/json",
            RecordKind::Info => "application/warc-fields",
        }
    }
}

/// An exchange ready to be appended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PackedExchange {
    pub(crate) bytes: Vec<u8>,
    pub(crate) parts: Vec<(RecordKind, Range<usize>)>,
    pub(crate) date: Timestamp,
    /// The fields of the metadata record that do not depend on its block, kept to write the record again.
    metadata_head: Vec<u8>,
    /// The facts of the response, kept to index it and to write it as a revisit.
    pub(crate) response: Option<PackedResponse>,
}

/// What an index and a revisit record need to know about a packed response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PackedResponse {
    pub(crate) id: String,
    pub(crate) url: CanonicalUrl,
    ip: Option<IpAddr>,
    protocol: Protocol,
    pub(crate) status: Option<u16>,
    pub(crate) media_type: Option<String>,
    pub(crate) digest: String,
    head: Vec<u8>,
    /// Whether another response with the same payload may refer to this one, and this one to others: it is complete, has
    /// a body, and the server considers it a success.
    pub(crate) is_shareable: bool,
}

/// The record that holds the payload of a revisit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PayloadSource {
    pub(crate) id: String,
    pub(crate) url: String,
    pub(crate) date: String,
    pub(crate) file: String,
    pub(crate) offset: u64,
}

/// The field of a revisit record that says where the payload is: the name of the file and the offset in it. The standard
/// fields name the record, but finding it by them takes an index.
pub(crate) const PAYLOAD_AT: &str = "Scenthound-Payload-At";

/// What precedes the page's URL in the URI of a metadata record.
pub const METADATA_URI: &str = "urn:scenthound:metadata:";

impl PackedExchange {
    /// All records, one gzip member each.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where each record is in [`PackedExchange::bytes`]; the response comes first.
    pub fn parts(&self) -> &[(RecordKind, Range<usize>)] {
        &self.parts
    }
}

/// Packs exchanges. Each thread keeps its own, to reuse the compressor's memory.
pub struct Packer {
    seed: u64,
    compressor: RecordCompressor,
    plain: Vec<u8>,
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packer")
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Packer {
    /// A packer that makes record ids from this seed, which all packers of a crawl share, and compresses by gzip.
    pub fn new(seed: u64) -> Packer {
        Packer::with(seed, Compression::default())
    }

    /// A packer that compresses in this way.
    pub fn with(seed: u64, compression: Compression) -> Packer {
        Packer {
            seed,
            compressor: RecordCompressor::new(compression),
            plain: Vec::new(),
        }
    }

    /// Turns an exchange into archive bytes.
    pub fn pack(&mut self, exchange: &Exchange<'_>) -> Result<PackedExchange> {
        let response = http::skip_interim(exchange.response);
        let date = exchange.date.to_rfc3339();
        let mut packed = PackedExchange {
            bytes: Vec::with_capacity(response.len() / 3 + 2048),
            parts: Vec::with_capacity(3),
            date: exchange.date,
            metadata_head: Vec::new(),
            response: None,
        };
        let blocks = [
            (RecordKind::Response, response),
            (RecordKind::Request, exchange.request),
            (RecordKind::Metadata, exchange.metadata),
        ];
        let mut first_id: Option<String> = None;
        for (kind, block) in blocks {
            if block.is_empty() {
                continue;
            }
            let id = self.id(exchange, &date, kind);
            self.plain.clear();
            let head = &mut self.plain;
            begin(head, kind, &id, &date);
            if kind == RecordKind::Metadata {
                let uri = format!("{METADATA_URI}{}", exchange.url.as_str());
                field(head, "WARC-Target-URI", &uri);
                if let Some(about) = &first_id {
                    field(head, "WARC-Refers-To", about);
                }
            } else {
                field(head, "WARC-Target-URI", exchange.url.as_str());
            }
            if let Some(concurrent) = &first_id {
                field(head, "WARC-Concurrent-To", concurrent);
            }
            let mut squeeze = Squeeze::Yes;
            if kind == RecordKind::Metadata {
                packed.metadata_head.clone_from(head);
            } else {
                if let Some(ip) = exchange.ip {
                    field(head, "WARC-IP-Address", &ip.to_string());
                }
                field(head, "WARC-Protocol", exchange.protocol.code());
                let (http_head, payload) = http::split_head(block);
                if has_content_encoding(http_head) {
                    squeeze = Squeeze::Pointless;
                }
                let digest = digest::labelled(payload);
                field(head, "WARC-Payload-Digest", &digest);
                if kind == RecordKind::Response {
                    let http = HttpResponse::parse(http_head);
                    let status = http.as_ref().map(|http| http.status);
                    packed.response = Some(PackedResponse {
                        id: id.clone(),
                        url: exchange.url.clone(),
                        ip: exchange.ip,
                        protocol: exchange.protocol,
                        status,
                        media_type: http
                            .as_ref()
                            .and_then(|http| media_type(http.header("content-type")?))
                            .map(str::to_ascii_lowercase),
                        digest,
                        head: http_head.to_vec(),
                        is_shareable: status == Some(200)
                            && exchange.truncated.is_none()
                            && !payload.is_empty(),
                    });
                }
            }
            if let (RecordKind::Response, Some(truncated)) = (kind, exchange.truncated) {
                field(head, "WARC-Truncated", truncated.code());
            }
            finish(head, kind, block);
            let start = packed.bytes.len();
            self.compressor.append(&self.plain, squeeze, &mut packed.bytes)?;
            packed.parts.push((kind, start..packed.bytes.len()));
            first_id.get_or_insert(id);
        }
        Ok(packed)
    }

    /// Replaces the metadata record of a packed exchange, because something changed between packing and appending. Does
    /// nothing to an exchange without one.
    pub fn revise_metadata(&mut self, packed: &mut PackedExchange, metadata: &[u8]) -> Result<()> {
        // It is always the last one.
        let Some((_, old)) = packed.parts.pop_if(|(kind, _)| *kind == RecordKind::Metadata) else {
            return Ok(());
        };
        packed.bytes.truncate(old.start);
        self.plain.clear();
        self.plain.extend_from_slice(&packed.metadata_head);
        finish(&mut self.plain, RecordKind::Metadata, metadata);
        self.compressor
            .append(&self.plain, Squeeze::Yes, &mut packed.bytes)?;
        let part = old.start..packed.bytes.len();
        packed.parts.push((RecordKind::Metadata, part));
        Ok(())
    }

    /// The same exchange with a revisit record in place of its response. Returns the exchange as it is if there is no
    /// response.
    pub(crate) fn as_revisit(
        &mut self,
        packed: &PackedExchange,
        source: &PayloadSource,
    ) -> Result<PackedExchange> {
        let (Some(response), Some((RecordKind::Response, old))) = (&packed.response, packed.parts.first())
        else {
            return Ok(packed.clone());
        };
        self.plain.clear();
        let head = &mut self.plain;
        begin(head, RecordKind::Revisit, &response.id, &packed.date.to_rfc3339());
        field(head, "WARC-Target-URI", response.url.as_str());
        if let Some(ip) = response.ip {
            field(head, "WARC-IP-Address", &ip.to_string());
        }
        field(head, "WARC-Protocol", response.protocol.code());
        field(head, "WARC-Payload-Digest", &response.digest);
        field(
            head,
            "WARC-Profile",
            "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        );
        field(head, "WARC-Refers-To", &source.id);
        field(head, "WARC-Refers-To-Target-URI", &one_line(&source.url));
        field(head, "WARC-Refers-To-Date", &one_line(&source.date));
        field(head, PAYLOAD_AT, &format!("{} {}", source.file, source.offset));
        finish(head, RecordKind::Revisit, &response.head);
        let mut bytes = Vec::new();
        self.compressor.append(&self.plain, Squeeze::Yes, &mut bytes)?;
        let mut parts = vec![(RecordKind::Revisit, 0..bytes.len())];
        for (kind, part) in packed.parts.iter().skip(1) {
            let start = bytes.len();
            bytes.extend_from_slice(packed.bytes.get(part.clone()).unwrap_or_default());
            parts.push((*kind, start..bytes.len()));
        }
        debug_assert_eq!(old.start, 0);
        Ok(PackedExchange {
            bytes,
            parts,
            date: packed.date,
            metadata_head: packed.metadata_head.clone(),
            response: packed.response.clone(),
        })
    }

    /// The first record of a file: who wrote it, and how.
    pub(crate) fn pack_info(
        &mut self,
        file_name: &str,
        date: Timestamp,
        fields: &[(String, String)],
    ) -> Result<Vec<u8>> {
        let date = date.to_rfc3339();
        let id = digest::record_id(&[&self.seed.to_le_bytes(), file_name.as_bytes(), date.as_bytes()]);
        let mut block = Vec::new();
        for (name, value) in fields {
            field(&mut block, &one_line(name), &one_line(value));
        }
        field(&mut block, "format", "WARC File Format 1.1");
        field(
            &mut block,
            "conformsTo",
            "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        );
        self.plain.clear();
        begin(&mut self.plain, RecordKind::Info, &id, &date);
        field(&mut self.plain, "WARC-Filename", &one_line(file_name));
        finish(&mut self.plain, RecordKind::Info, &block);
        let mut bytes = Vec::new();
        self.compressor.append(&self.plain, Squeeze::Yes, &mut bytes)?;
        Ok(bytes)
    }

    fn id(&self, exchange: &Exchange<'_>, date: &str, kind: RecordKind) -> String {
        digest::record_id(&[
            &self.seed.to_le_bytes(),
            &exchange.sequence.to_le_bytes(),
            exchange.url.as_str().as_bytes(),
            date.as_bytes(),
            kind.code().as_bytes(),
        ])
    }
}

fn begin(head: &mut Vec<u8>, kind: RecordKind, id: &str, date: &str) {
    head.extend_from_slice(b"WARC/1.1\r\n");
    field(head, "WARC-Type", kind.code());
    field(head, "WARC-Record-ID", id);
    field(head, "WARC-Date", date);
}

fn finish(head: &mut Vec<u8>, kind: RecordKind, block: &[u8]) {
    field(head, "WARC-Block-Digest", &digest::labelled(block));
    field(head, "Content-Type", kind.content_type());
    // Writing to memory cannot fail.
    let _ = write!(head, "Content-Length: {}\r\n\r\n", block.len());
    head.extend_from_slice(block);
    head.extend_from_slice(b"\r\n\r\n");
}

fn field(out: &mut Vec<u8>, name: &str, value: &str) {
    for part in [name, ": ", value, "\r\n"] {
        out.extend_from_slice(part.as_bytes());
    }
}

/// A line break in a value would start another field.
fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}

pub(crate) fn has_content_encoding(head: &[u8]) -> bool {
    const NAME: &[u8] = b"content-encoding:";
    head.split(|byte| *byte == b'\n').any(|line| {
        line.get(..NAME.len())
            .is_some_and(|name| name.eq_ignore_ascii_case(NAME))
            && !line
                .get(NAME.len()..)
                .unwrap_or_default()
                .trim_ascii()
                .eq_ignore_ascii_case(b"identity")
    })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn url() -> CanonicalUrl {
        CanonicalUrl::parse("http://a.test/tea").unwrap()
    }

    fn exchange(url: &CanonicalUrl) -> Exchange<'_> {
        Exchange {
            sequence: 7,
            url,
            ip: Some("192.0.2.1".parse().unwrap()),
            date: Timestamp::from_millis(1_700_000_000_000),
            protocol: Protocol::Http1,
            request: b"GET /tea HTTP/1.1\r\nHost: a.test\r\n\r\n",
            response: b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\ntea",
            truncated: Some(Truncation::Length),
            metadata: b"{\"relevance\":1}",
        }
    }

    fn unpack(packed: &PackedExchange) -> Vec<String> {
        packed
            .parts()
            .iter()
            .map(|(_, part)| {
                let mut text = String::new();
                flate2::read::GzDecoder::new(&packed.bytes()[part.clone()])
                    .read_to_string(&mut text)
                    .unwrap();
                text
            })
            .collect()
    }

    #[test]
    fn an_exchange_becomes_three_records_that_point_at_the_response() {
        let url = url();
        let packed = Packer::new(1).pack(&exchange(&url)).unwrap();
        let records = unpack(&packed);
        let id = records[0]
            .lines()
            .find_map(|line| line.strip_prefix("WARC-Record-ID: "))
            .unwrap();
        assert_eq!(
            records[0],
            format!(
                "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: {id}\r\nWARC-Date: 2023-11-14T22:13:20Z\r\n\
                 WARC-Target-URI: http://a.test/tea\r\nWARC-IP-Address: 192.0.2.1\r\nWARC-Protocol: http/1.1\r\n\
                 WARC-Payload-Digest: {}\r\nWARC-Truncated: length\r\nWARC-Block-Digest: {}\r\n\
                 Content-Type: application/http; msgtype=response\r\nContent-Length: 48\r\n\r\n\
                 HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\ntea\r\n\r\n",
                digest::labelled(b"tea"),
                digest::labelled(exchange(&url).response),
            )
        );
        for record in &records[1..] {
            assert!(
                record.contains(&format!("WARC-Concurrent-To: {id}\r\n")),
                "{record}"
            );
            assert!(!record.contains("WARC-Truncated"));
        }
        assert!(records[1].contains("WARC-Type: request\r\n"));
        assert!(records[2].contains("WARC-Target-URI: urn:scenthound:metadata:http://a.test/tea\r\n"));
        assert!(records[2].contains(&format!("WARC-Refers-To: {id}\r\n")));
        assert!(records[2].ends_with("\r\n\r\n{\"relevance\":1}\r\n\r\n"));
    }

    #[test]
    fn revised_metadata_looks_as_if_it_had_been_packed_first() {
        let url = url();
        let mut packer = Packer::new(1);
        let mut packed = packer.pack(&exchange(&url)).unwrap();
        packer.revise_metadata(&mut packed, b"{\"relevance\":0}").unwrap();
        let revised = Exchange {
            metadata: b"{\"relevance\":0}",
            ..exchange(&url)
        };
        assert_eq!(packed, packer.pack(&revised).unwrap());
    }

    #[test]
    fn the_same_exchange_gives_the_same_bytes_and_another_sequence_other_ids() {
        let url = url();
        let first = Packer::new(1).pack(&exchange(&url)).unwrap();
        let mut packer = Packer::new(1);
        let _ = packer.pack(&Exchange {
            sequence: 8,
            ..exchange(&url)
        });
        assert_eq!(packer.pack(&exchange(&url)).unwrap(), first);
        assert_ne!(Packer::new(2).pack(&exchange(&url)).unwrap(), first);
    }

    #[test]
    fn missing_parts_are_not_recorded() {
        let url = url();
        let packed = Packer::new(1)
            .pack(&Exchange {
                response: b"",
                metadata: b"",
                ..exchange(&url)
            })
            .unwrap();
        assert_eq!(packed.parts().len(), 1);
        assert_eq!(packed.parts()[0].0, RecordKind::Request);
        assert!(!unpack(&packed)[0].contains("Concurrent-To"));
    }

    #[test]
    fn a_compressed_body_is_wrapped_and_not_compressed_again() {
        assert!(has_content_encoding(
            b"HTTP/1.1 200 OK\r\nCONTENT-encoding: br\r\n\r\n"
        ));
        assert!(!has_content_encoding(
            b"HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\n\r\n"
        ));
        assert!(!has_content_encoding(b"HTTP/1.1 200 OK\r\n\r\n"));
        let url = url();
        let response = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8bnoise";
        let packed = Packer::new(1)
            .pack(&Exchange {
                response,
                ..exchange(&url)
            })
            .unwrap();
        assert!(memchr::memmem::find(packed.bytes(), response).is_some());
    }

    #[test]
    fn a_line_break_in_warcinfo_values_does_not_start_a_field() {
        let mut packer = Packer::new(1);
        let fields = [("operator".to_owned(), "me\r\nevil: yes".to_owned())];
        let bytes = packer.pack_info("a.warc.gz", Timestamp::ZERO, &fields).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .unwrap();
        assert!(text.contains("operator: me  evil: yes\r\n"));
    }
}
