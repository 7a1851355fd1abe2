//! Maps from the codes of a font to text (`ToUnicode`), and from codes to characters by encoding.

use super::object::{Item, Object, Parser};

/// The most entries of one map.
const MAX_ENTRIES: usize = 70_000;

/// The most bytes of text that one code may stand for.
const MAX_TEXT: usize = 32;

/// What codes mean.
#[derive(Clone, Debug, Default)]
pub(crate) struct CMap {
    /// Ranges of codes, sorted by their first.
    ranges: Vec<Range>,
    /// The texts of all ranges.
    texts: String,
    /// The lengths of codes, each with the range of the codes that have it.
    pub(crate) spaces: Vec<CodeSpace>,
}

/// Codes of one length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CodeSpace {
    pub(crate) bytes: usize,
    pub(crate) low: u32,
    pub(crate) high: u32,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    low: u32,
    high: u32,
    /// Where the text of the first code is in [`CMap::texts`]. The last character counts upwards.
    text: u32,
    length: u8,
}

impl CMap {
    /// Reads a map.
    pub(crate) fn parse(bytes: &[u8]) -> CMap {
        let mut map = CMap::default();
        let mut parser = Parser::of_content(bytes);
        let mut held: Vec<Object> = Vec::new();
        while let Some(item) = parser.next() {
            match item {
                Item::Object(object) => {
                    if held.len() < 1000 {
                        held.push(object);
                    }
                }
                Item::Keyword(word) => {
                    match word {
                        b"endcodespacerange" => map.add_spaces(&held),
                        b"endbfchar" => map.add_chars(&held),
                        b"endbfrange" => map.add_ranges(&held),
                        _ => {}
                    }
                    held.clear();
                }
            }
        }
        map.ranges.sort_by_key(|range| range.low);
        map
    }

    fn add_spaces(&mut self, held: &[Object]) {
        for pair in held.chunks_exact(2) {
            if let [Object::String(low), Object::String(high)] = pair
                && (1..=4).contains(&low.len())
                && self.spaces.len() < 100
            {
                self.spaces.push(CodeSpace {
                    bytes: low.len(),
                    low: code(low),
                    high: code(high),
                });
            }
        }
    }

    fn add_chars(&mut self, held: &[Object]) {
        for pair in held.chunks_exact(2) {
            if let [Object::String(from), to] = pair {
                let from = code(from);
                self.add(from, from, to);
            }
        }
    }

    fn add_ranges(&mut self, held: &[Object]) {
        for triple in held.chunks_exact(3) {
            let [Object::String(low), Object::String(high), to] = triple else {
                continue;
            };
            let (low, high) = (code(low), code(high));
            match to {
                Object::Array(texts) => {
                    for (at, text) in (low..=high).zip(texts) {
                        self.add(at, at, text);
                    }
                }
                text => self.add(low, high, text),
            }
        }
    }

    fn add(&mut self, low: u32, high: u32, text: &Object) {
        let Some(raw) = text.string() else { return };
        if high < low || self.ranges.len() >= MAX_ENTRIES {
            return;
        }
        let decoded = match raw {
            // Some writers state a single byte.
            [byte] => char::from(*byte).to_string(),
            raw => encoding_rs::UTF_16BE
                .decode_without_bom_handling(raw)
                .0
                .into_owned(),
        };
        if decoded.len() > MAX_TEXT {
            return;
        }
        let at = self.texts.len() as u32;
        self.texts.push_str(&decoded);
        self.ranges.push(Range {
            low,
            high,
            text: at,
            length: decoded.len() as u8,
        });
    }

    /// Adds the text of a code. False if the map has none.
    pub(crate) fn push(&self, code: u32, out: &mut String) -> bool {
        let after = self.ranges.partition_point(|range| range.low <= code);
        let found = after.checked_sub(1).and_then(|at| self.ranges.get(at));
        let Some(range) = found.filter(|range| code <= range.high) else {
            return false;
        };
        let start = range.text as usize;
        let text = self
            .texts
            .get(start..start + usize::from(range.length))
            .unwrap_or_default();
        let steps = code - range.low;
        let mut chars = text.chars();
        let last = chars
            .next_back()
            .and_then(|last| char::from_u32((last as u32).checked_add(steps)?));
        let Some(last) = last else { return false };
        out.push_str(chars.as_str());
        out.push(last);
        true
    }
}

fn code(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .take(4)
        .fold(0, |code, byte| code << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_mapped_one_by_one_and_in_ranges() {
        let map = CMap::parse(
            b"1 begincodespacerange <0000> <FFFF> endcodespacerange
              2 beginbfchar <0003> <0020> <0004> <00660069> endbfchar
              2 beginbfrange <0010> <0012> <0041> <0020> <0021> [<0058> <0059005A>] endbfrange",
        );
        let mut text = String::new();
        for code in [0x10, 0x12, 3, 4, 0x20, 0x21, 0x99] {
            map.push(code, &mut text);
        }
        assert_eq!(text, "AC fiXYZ");
        assert_eq!(map.spaces.first().map(|space| space.bytes), Some(2));
    }
}
