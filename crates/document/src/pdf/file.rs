//! Finds and decodes the objects of a PDF file.
//!
//! The cross-reference table is not used. The whole file is searched for `N G obj` instead, and the last definition of a
//! number counts, as it does after updates. This reads truncated and damaged files like any other, and there is no
//! table that could lie. Objects in object streams are found by decoding those streams once.

use std::borrow::Cow;

use memchr::memmem;

use super::filter;
use super::object::{Dict, Object, Parser, is_space};
use crate::budget::Budget;

/// The most objects known by number.
const MAX_OBJECTS: usize = 500_000;

/// The longest chain of references to references.
const MAX_CHAIN: usize = 8;

/// The most filters on one stream.
const MAX_FILTERS: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// At this byte of the file, after `obj`.
    File(usize),
    /// In this object stream, at this byte.
    Stream(usize, usize),
}

/// A PDF file.
#[derive(Debug)]
pub(crate) struct File<'a> {
    bytes: &'a [u8],
    /// By number.
    places: Vec<(u32, Place)>,
    /// Where objects begin in the file, in order.
    starts: Vec<usize>,
    object_streams: Vec<Vec<u8>>,
    pub(crate) budget: &'a Budget,
}

impl<'a> File<'a> {
    pub(crate) fn new(bytes: &'a [u8], budget: &'a Budget) -> File<'a> {
        let mut found = find_objects(bytes);
        if found.len() >= MAX_OBJECTS {
            budget.fall_short();
        }
        let mut file = File {
            bytes,
            starts: found.iter().map(|(_, at)| *at).collect(),
            places: Vec::new(),
            object_streams: Vec::new(),
            budget,
        };
        let mut all: Vec<(u32, usize, Place)> = found
            .drain(..)
            .map(|(number, at)| (number, at, Place::File(at)))
            .collect();
        // The lengths of streams may be objects of their own.
        file.places = last_of_each(&all);
        file.open_object_streams(&mut all);
        file.places = last_of_each(&all);
        file
    }

    fn open_object_streams(&mut self, all: &mut Vec<(u32, usize, Place)>) {
        let mut before = None;
        for hit in memmem::find_iter(self.bytes, b"/ObjStm") {
            let at = self.starts.partition_point(|start| *start <= hit).checked_sub(1);
            let Some(start) = at.and_then(|at| self.starts.get(at)).copied() else {
                continue;
            };
            if before == Some(start) {
                continue;
            }
            before = Some(start);
            let Some((dict, data)) = self.stream_at(start) else {
                continue;
            };
            let (Some(count), Some(first)) =
                (self.get(&dict, b"N").count(), self.get(&dict, b"First").count())
            else {
                continue;
            };
            if !dict.get(b"Type").is_name(b"ObjStm") {
                continue;
            }
            let data = self.decode(&dict, data);
            let stream = self.object_streams.len();
            let mut parser = Parser::new(data.get(..first).unwrap_or(&data), 0);
            for _ in 0..count.min(MAX_OBJECTS) {
                let (Some(number), Some(offset)) = (parser.object().count(), parser.object().count()) else {
                    break;
                };
                if all.len() >= MAX_OBJECTS {
                    self.budget.fall_short();
                    break;
                }
                all.push((number as u32, start, Place::Stream(stream, first + offset)));
            }
            self.object_streams.push(data);
        }
    }

    /// The object with this number, null if there is none.
    pub(crate) fn object(&self, number: u32) -> Object {
        let at = self.places.partition_point(|(known, _)| *known < number);
        let place = match self.places.get(at) {
            Some((known, place)) if *known == number => *place,
            _ => return Object::Null,
        };
        match place {
            Place::File(at) => self.object_at(self.bytes, at).0,
            Place::Stream(stream, at) => match self.object_streams.get(stream) {
                Some(bytes) => self.object_at(bytes, at).0,
                None => Object::Null,
            },
        }
    }

    /// The object at this byte and where it ends.
    fn object_at(&self, bytes: &[u8], at: usize) -> (Object, usize) {
        if self.budget.is_spent() {
            return (Object::Null, at);
        }
        let mut parser = Parser::new(bytes, at);
        let object = parser.object();
        // An object takes up to twenty times as much memory as the bytes it is written in.
        self.budget.charge(parser.at() - at + 32 * parser.nodes());
        (object, parser.at())
    }

    /// The object itself or, if it is a reference, what it refers to.
    pub(crate) fn resolve<'o>(&self, object: &'o Object) -> Cow<'o, Object> {
        let &Object::Ref(mut number) = object else {
            return Cow::Borrowed(object);
        };
        for _ in 0..MAX_CHAIN {
            match self.object(number) {
                Object::Ref(next) => number = next,
                object => return Cow::Owned(object),
            }
        }
        Cow::Owned(Object::Null)
    }

    /// The value of a key, with references followed.
    pub(crate) fn get<'d>(&self, dict: &'d Dict, key: &[u8]) -> Cow<'d, Object> {
        self.resolve(dict.get(key))
    }

    /// The value of a key as a dictionary; empty if it is none.
    pub(crate) fn get_dict(&self, dict: &Dict, key: &[u8]) -> Dict {
        match self.get(dict, key) {
            Cow::Owned(Object::Dict(dict)) => dict,
            Cow::Borrowed(Object::Dict(dict)) => dict.clone(),
            _ => Dict::default(),
        }
    }

    /// The dictionary and the decoded data of a stream.
    pub(crate) fn stream(&self, object: &Object) -> Option<(Dict, Vec<u8>)> {
        let (dict, data) = self.raw_stream(object)?;
        let decoded = self.decode(&dict, data);
        Some((dict, decoded))
    }

    /// The dictionary of a stream and its data as stored.
    pub(crate) fn raw_stream(&self, object: &Object) -> Option<(Dict, &'a [u8])> {
        let &Object::Ref(mut number) = object else {
            return None;
        };
        for _ in 0..MAX_CHAIN {
            let at = self.places.partition_point(|(known, _)| *known < number);
            match self.places.get(at) {
                Some((known, Place::File(at))) if *known == number => {
                    if let Some(found) = self.stream_at(*at) {
                        return Some(found);
                    }
                    match self.object_at(self.bytes, *at).0 {
                        Object::Ref(next) => number = next,
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
        None
    }

    fn stream_at(&self, start: usize) -> Option<(Dict, &'a [u8])> {
        let (object, end) = self.object_at(self.bytes, start);
        let Object::Dict(dict) = object else { return None };
        let mut parser = Parser::new(self.bytes, end);
        parser.skip_space();
        let mut at = parser.at();
        if !self.bytes.get(at..)?.starts_with(b"stream") {
            return None;
        }
        at += b"stream".len();
        if self.bytes.get(at) == Some(&b'\r') {
            at += 1;
        }
        if self.bytes.get(at) == Some(&b'\n') {
            at += 1;
        }
        let stated = self.get(&dict, b"Length").count();
        let whole = stated.and_then(|length| {
            let data = self.bytes.get(at..at.checked_add(length)?)?;
            let after = self.bytes.get(at + length..)?;
            let blank = after.iter().take(4).take_while(|byte| is_space(**byte)).count();
            after.get(blank..)?.starts_with(b"endstream").then_some(data)
        });
        let data = match whole {
            Some(data) => data,
            None => {
                // The length is wrong or missing. The data ends at `endstream`, before the next object.
                let next = self.starts.partition_point(|start| *start <= at);
                let next = self.starts.get(next).copied().unwrap_or(self.bytes.len());
                let rest = self.bytes.get(at..next)?;
                self.budget.charge(rest.len() / 16);
                let end = memmem::find(rest, b"endstream").unwrap_or(rest.len());
                rest.get(..end)?
            }
        };
        Some((dict, data))
    }

    fn decode(&self, dict: &Dict, data: &[u8]) -> Vec<u8> {
        let filters = self.resolve(dict.get_either(b"Filter", b"F"));
        let parameters = self.resolve(dict.get_either(b"DecodeParms", b"DP"));
        let listed = match filters.as_ref() {
            Object::Array(filters) => filters.as_slice(),
            Object::Null => &[],
            filter => std::slice::from_ref(filter),
        };
        let room = self.budget.stream_room();
        if listed.len() > MAX_FILTERS || room == 0 {
            self.budget.fall_short();
            return Vec::new();
        }
        let mut decoded = Cow::Borrowed(data.get(..room).unwrap_or(data));
        for (at, filter) in listed.iter().enumerate() {
            let filter = self.resolve(filter);
            let given = match parameters.as_ref() {
                Object::Array(list) => list.get(at).map(|given| self.resolve(given)),
                given => Some(Cow::Borrowed(given)),
            };
            let given = given.as_deref().and_then(Object::dict);
            let number = |key: &[u8]| given.and_then(|given| self.get(given, key).count());
            let room = self.budget.stream_room();
            let out = match filter.name().unwrap_or_default() {
                b"FlateDecode" | b"Fl" => filter::flate(&decoded, room),
                b"LZWDecode" | b"LZW" => {
                    filter::lzw(&decoded, number(b"EarlyChange").unwrap_or(1) != 0, room)
                }
                b"ASCII85Decode" | b"A85" => filter::ascii85(&decoded, room),
                b"ASCIIHexDecode" | b"AHx" => filter::ascii_hex(&decoded, room),
                b"RunLengthDecode" | b"RL" => filter::run_length(&decoded, room),
                // An image, or encrypted.
                _ => return Vec::new(),
            };
            if out.len() >= room {
                self.budget.fall_short();
            }
            // Reading costs as well, even where little comes out.
            if !self.budget.charge(out.len() + decoded.len() / 4) {
                return Vec::new();
            }
            let predictor = number(b"Predictor").unwrap_or(1);
            decoded = Cow::Owned(if predictor >= 10 {
                let bits = number(b"BitsPerComponent").unwrap_or(8).min(32);
                let bits = bits.saturating_mul(number(b"Colors").unwrap_or(1).min(32));
                let columns = number(b"Columns").unwrap_or(1);
                let row = bits.saturating_mul(columns).div_ceil(8);
                filter::unpredict(&out, row, bits.div_ceil(8))
            } else {
                out
            });
        }
        decoded.into_owned()
    }

    /// The dictionaries that describe the file: trailers and the streams that take their place. The last is the first.
    pub(crate) fn trailers(&self) -> Vec<Dict> {
        let mut trailers = Vec::new();
        for hit in memmem::rfind_iter(self.bytes, b"/Root").take(16) {
            // A dictionary begins after `trailer`, or where the object that holds it begins.
            let from = hit.saturating_sub(4096);
            let keyword = self
                .bytes
                .get(from..hit)
                .and_then(|before| memmem::rfind(before, b"trailer"))
                .map(|at| from + at + b"trailer".len());
            let object = self.starts.partition_point(|start| *start <= hit).checked_sub(1);
            let object = object.and_then(|at| self.starts.get(at)).copied();
            for at in [keyword.max(object), object].into_iter().flatten() {
                if let (Object::Dict(dict), end) = self.object_at(self.bytes, at)
                    && end >= hit
                    && *dict.get(b"Root") != Object::Null
                {
                    trailers.push(dict);
                    break;
                }
            }
        }
        trailers
    }

    /// All objects that are dictionaries of this type, by the places of their definitions.
    pub(crate) fn objects_of_type(&self, kind: &[u8], most: usize) -> Vec<u32> {
        let mut found = Vec::new();
        let mut places = self.places.clone();
        places.sort_by_key(|(_, place)| match place {
            Place::File(at) => (*at, 0),
            Place::Stream(stream, at) => (usize::MAX, stream.saturating_mul(1 << 32) + at),
        });
        for (number, _) in places {
            if found.len() >= most || self.budget.is_spent() {
                break;
            }
            if let Object::Dict(dict) = self.object(number)
                && dict.get(b"Type").is_name(kind)
            {
                found.push(number);
            }
        }
        found
    }
}

/// Every `N G obj` in the file: the number, and the byte after it.
fn find_objects(bytes: &[u8]) -> Vec<(u32, usize)> {
    let mut found = Vec::new();
    for at in memmem::find_iter(bytes, b"obj") {
        let before = bytes.get(at.saturating_sub(32)..at).unwrap_or_default();
        if let Some(number) = number_before(before) {
            found.push((number, at + b"obj".len()));
            if found.len() >= MAX_OBJECTS {
                break;
            }
        }
    }
    found
}

/// The number in `… N G `.
fn number_before(text: &[u8]) -> Option<u32> {
    let text = text.trim_ascii_end();
    let generation = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let text = text.get(..text.len() - generation)?;
    let trimmed = text.trim_ascii_end();
    let digits = trimmed
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if !(1..=5).contains(&generation) || !(1..=9).contains(&digits) || trimmed.len() == text.len() {
        return None;
    }
    let digits = trimmed.get(trimmed.len() - digits..)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The last definition of each number.
fn last_of_each(all: &[(u32, usize, Place)]) -> Vec<(u32, Place)> {
    let mut sorted = all.to_vec();
    sorted.sort_by_key(|(number, at, _)| (*number, *at));
    let mut places: Vec<(u32, Place)> = Vec::with_capacity(sorted.len());
    for (number, _, place) in sorted {
        match places.last_mut() {
            Some((last, known)) if *last == number => *known = place,
            _ => places.push((number, place)),
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_by_their_heads() {
        let found = find_objects(b"%PDF\n12 0 obj <<>> endobj 3 0\nobj 7obj xobj");
        assert_eq!(found, [(12, 13), (3, 33)]);
    }
}
