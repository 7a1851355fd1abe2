//! Fonts: from the bytes of a shown string to characters and widths.

use super::cmap::{CMap, CodeSpace};
use super::encoding::{BaseEncoding, push_glyph};
use super::file::File;
use super::object::{Dict, Item, Object, Parser};

/// The most ranges of widths of one font.
const MAX_WIDTHS: usize = 20_000;

/// A font as far as text needs it.
#[derive(Debug)]
pub(crate) struct Font {
    codes: Codes,
    to_unicode: CMap,
    /// Widths in thousandths of the font's size, by ranges of codes sorted by their first.
    widths: Vec<Widths>,
    default_width: Option<f64>,
}

#[derive(Debug)]
struct Widths {
    first: u32,
    widths: Vec<f32>,
    /// If there is only one width, how many codes have it.
    count: u32,
}

#[derive(Debug)]
enum Codes {
    /// One byte each, with the text of each.
    Simple(Vec<String>),
    /// As many bytes as these ranges say, without a meaning of their own.
    Composite(Vec<CodeSpace>),
    /// In a character encoding, such as Shift JIS.
    Encoded(&'static encoding_rs::Encoding),
}

/// A character of a shown string.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glyph {
    /// In thousandths of the font's size.
    pub(crate) width: f64,
    /// Whether word spacing applies: to the single byte 32.
    pub(crate) is_word_space: bool,
}

impl Font {
    /// The font that is used where the file names none.
    pub(crate) fn unknown() -> Font {
        Font {
            codes: Codes::Simple(
                (0..=255)
                    .map(|code| base_text(BaseEncoding::WinAnsi, code))
                    .collect(),
            ),
            to_unicode: CMap::default(),
            widths: Vec::new(),
            default_width: None,
        }
    }

    pub(crate) fn new(file: &File<'_>, dict: &Dict) -> Font {
        let to_unicode = match dict.get(b"ToUnicode") {
            stream @ Object::Ref(_) => file
                .stream(stream)
                .map(|(_, map)| {
                    file.budget.charge(map.len());
                    CMap::parse(&map)
                })
                .unwrap_or_default(),
            _ => CMap::default(),
        };
        if dict.get(b"Subtype").is_name(b"Type0") {
            Font::composite(file, dict, to_unicode)
        } else {
            Font::simple(file, dict, to_unicode)
        }
    }

    fn simple(file: &File<'_>, dict: &Dict, to_unicode: CMap) -> Font {
        let descriptor = file.get_dict(dict, b"FontDescriptor");
        let mut widths = Vec::new();
        let first = file.get(dict, b"FirstChar").count().unwrap_or(0) as u32;
        // The widths of a drawn font are in units of its own.
        let scale = if dict.get(b"Subtype").is_name(b"Type3") {
            let matrix = file.get(dict, b"FontMatrix");
            let across = matrix
                .array()
                .and_then(<[Object]>::first)
                .and_then(Object::number);
            across.unwrap_or(0.001) * 1000.0
        } else {
            1.0
        };
        if let Object::Array(list) = file.get(dict, b"Widths").as_ref() {
            widths.push(Widths {
                first,
                widths: list
                    .iter()
                    .take(256)
                    .map(|width| (file.resolve(width).number().unwrap_or(0.0) * scale) as f32)
                    .collect(),
                count: 0,
            });
        }
        let base_font = file.get(dict, b"BaseFont");
        let base_font = base_font.name().unwrap_or_default();
        let default_width = match file.get(&descriptor, b"MissingWidth").number() {
            Some(width) if !widths.is_empty() => Some(width),
            _ if memchr::memmem::find(base_font, b"Courier").is_some() => Some(600.0),
            _ => None,
        };
        Font {
            codes: Codes::Simple(simple_texts(file, dict, &descriptor, base_font)),
            to_unicode,
            widths,
            default_width,
        }
    }

    fn composite(file: &File<'_>, dict: &Dict, to_unicode: CMap) -> Font {
        let descendants = file.get(dict, b"DescendantFonts");
        let descendant = descendants.array().and_then(<[Object]>::first);
        let descendant = descendant.map(|font| file.resolve(font));
        let empty = Dict::default();
        let descendant = descendant.as_deref().and_then(Object::dict).unwrap_or(&empty);
        let encoding = file.get(dict, b"Encoding");
        let two_bytes = CodeSpace {
            bytes: 2,
            low: 0,
            high: 0xffff,
        };
        let codes = match encoding.name() {
            Some(name) => match named_encoding(name) {
                Some(encoding) => Codes::Encoded(encoding),
                None => Codes::Composite(vec![two_bytes]),
            },
            None => {
                let map = file.stream(dict.get(b"Encoding")).map(|(_, map)| {
                    file.budget.charge(map.len());
                    CMap::parse(&map)
                });
                let spaces = map.map(|map| map.spaces).unwrap_or_default();
                Codes::Composite(if spaces.is_empty() {
                    vec![two_bytes]
                } else {
                    spaces
                })
            }
        };
        Font {
            codes,
            to_unicode,
            widths: composite_widths(file, descendant),
            default_width: Some(file.get(descendant, b"DW").number().unwrap_or(1000.0)),
        }
    }

    /// Reads a shown string, one character after the other. `each` gets the text of a character, which may be empty.
    pub(crate) fn show(&self, mut string: &[u8], mut each: impl FnMut(&str, Glyph)) {
        let mut text = String::new();
        while !string.is_empty() {
            text.clear();
            let (code, length) = match &self.codes {
                Codes::Simple(_) => (string.first().copied().map_or(0, u32::from), 1),
                Codes::Composite(spaces) => composite_code(spaces, string),
                Codes::Encoded(encoding) => encoded_code(encoding, string),
            };
            if !self.to_unicode.push(code, &mut text) || text.chars().all(|c| c.is_control()) {
                text.clear();
                match &self.codes {
                    Codes::Simple(texts) => {
                        text.push_str(texts.get(code as usize).map_or("", String::as_str));
                    }
                    Codes::Encoded(encoding) => {
                        let raw = string.get(..length).unwrap_or_default();
                        text.push_str(&encoding.decode_without_bom_handling(raw).0);
                    }
                    Codes::Composite(_) => {}
                }
            }
            let width = self.width(code).unwrap_or_else(|| guessed_width(&text));
            each(
                &text,
                Glyph {
                    width,
                    is_word_space: length == 1 && code == 32,
                },
            );
            string = string.get(length..).unwrap_or_default();
        }
    }

    fn width(&self, code: u32) -> Option<f64> {
        let after = self.widths.partition_point(|widths| widths.first <= code);
        let found = after.checked_sub(1).and_then(|at| self.widths.get(at));
        let width = found.and_then(|found| {
            let at = code - found.first;
            match found.widths.as_slice() {
                [only] if at < found.count => Some(*only),
                several => several.get(at as usize).copied(),
            }
        });
        width.map(f64::from).or(self.default_width)
    }
}

/// The width of a character in an average font, where the file states none.
fn guessed_width(text: &str) -> f64 {
    text.chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | '\'' | '|' => 230.0,
            ' ' | '.' | ',' | ':' | ';' | '!' | 'f' | 't' | 'I' | '/' | '[' | ']' => 278.0,
            '(' | ')' | 'r' | '-' | '‘' | '’' => 330.0,
            'm' | 'M' | 'W' | '—' | '%' => 840.0,
            'w' | 'A'..='Z' | '&' => 690.0,
            c if crate::block::is_unspaced(c) => 1000.0,
            _ => 540.0,
        })
        .sum()
}

fn base_text(base: BaseEncoding, code: u8) -> String {
    base.char(code).map(String::from).unwrap_or_default()
}

/// The texts of the 256 codes of a simple font.
fn simple_texts(file: &File<'_>, dict: &Dict, descriptor: &Dict, base_font: &[u8]) -> Vec<String> {
    let encoding = file.get(dict, b"Encoding");
    let stated = match encoding.as_ref() {
        Object::Name(name) => BaseEncoding::by_name(name),
        Object::Dict(encoding) => file
            .get(encoding, b"BaseEncoding")
            .name()
            .and_then(BaseEncoding::by_name),
        _ => None,
    };
    let holds = |part: &[u8]| memchr::memmem::find(base_font, part).is_some();
    let base = stated.unwrap_or(if holds(b"Symbol") && descriptor.is_empty() {
        BaseEncoding::Symbol
    } else if dict.get(b"Subtype").is_name(b"TrueType") {
        BaseEncoding::WinAnsi
    } else {
        BaseEncoding::Standard
    });
    let mut texts: Vec<String> = (0..=255).map(|code| base_text(base, code)).collect();
    if stated.is_none()
        && let Some((_, program)) = file.stream(descriptor.get(b"FontFile"))
    {
        add_built_in(file, &program, &mut texts);
    }
    if let Object::Dict(encoding) = encoding.as_ref()
        && let Object::Array(differences) = file.get(encoding, b"Differences").as_ref()
    {
        add_differences(differences, &mut texts);
    }
    texts
}

fn set_text(texts: &mut [String], code: usize, glyph: &[u8]) {
    if let Some(text) = texts.get_mut(code) {
        text.clear();
        push_glyph(&String::from_utf8_lossy(glyph), text);
    }
}

/// `[32 /space /exclam 65 /A …]`: names from a code on.
fn add_differences(differences: &[Object], texts: &mut [String]) {
    let mut code = 0;
    for object in differences {
        match object {
            Object::Name(name) => {
                set_text(texts, code, name);
                code += 1;
            }
            object => code = object.count().unwrap_or(code),
        }
    }
}

/// The encoding that a Type 1 font carries in its clear text: `dup 65 /A put`.
fn add_built_in(file: &File<'_>, program: &[u8], texts: &mut [String]) {
    let end = memchr::memmem::find(program, b"eexec").unwrap_or(program.len());
    let clear = program.get(..end).unwrap_or_default();
    let Some(start) = memchr::memmem::find(clear, b"/Encoding") else {
        return;
    };
    let clear = clear.get(start + 9..).unwrap_or_default();
    let clear = clear.get(..64 << 10).unwrap_or(clear);
    file.budget.charge(clear.len());
    let mut parser = Parser::of_content(clear);
    let mut before = (Object::Null, Object::Null);
    while let Some(item) = parser.next() {
        match item {
            Item::Object(object) => before = (before.1, object),
            Item::Keyword(b"put") => {
                if let (Some(code), Some(name)) = (before.0.count(), before.1.name()) {
                    set_text(texts, code, name);
                }
            }
            Item::Keyword(b"def" | b"readonly") => break,
            Item::Keyword(_) => {}
        }
    }
}

/// The widths of a composite font: `[first [w w w] first last w …]`.
fn composite_widths(file: &File<'_>, descendant: &Dict) -> Vec<Widths> {
    let list = file.get(descendant, b"W");
    let list = list.array().unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = list.iter();
    while let Some(first) = rest.next().and_then(|first| file.resolve(first).count()) {
        let first = first as u32;
        let Some(second) = rest.next().map(|second| file.resolve(second)) else {
            break;
        };
        match second.as_ref() {
            Object::Array(widths) => found.push(Widths {
                first,
                widths: widths
                    .iter()
                    .map(|width| width.number().unwrap_or(0.0) as f32)
                    .collect(),
                count: 0,
            }),
            last => {
                let (Some(last), Some(width)) = (last.count(), rest.next().and_then(Object::number)) else {
                    break;
                };
                found.push(Widths {
                    first,
                    widths: vec![width as f32],
                    count: (last as u32).saturating_sub(first).saturating_add(1),
                });
            }
        }
        if found.len() >= MAX_WIDTHS {
            break;
        }
    }
    found.sort_by_key(|widths| widths.first);
    found
}

/// The next code of a composite font and its length in bytes.
fn composite_code(spaces: &[CodeSpace], string: &[u8]) -> (u32, usize) {
    let code_of = |length: usize| {
        let bytes = string.get(..length)?;
        Some(
            bytes
                .iter()
                .fold(0, |code: u32, byte| code << 8 | u32::from(*byte)),
        )
    };
    for length in 1..=4 {
        if let Some(code) = code_of(length)
            && spaces
                .iter()
                .any(|space| space.bytes == length && (space.low..=space.high).contains(&code))
        {
            return (code, length);
        }
    }
    let shortest = spaces.iter().map(|space| space.bytes).min().unwrap_or(2);
    (code_of(shortest).unwrap_or(0), shortest.max(1))
}

/// The next character of a string in a character encoding: its bytes as a number, and how many there are.
fn encoded_code(encoding: &'static encoding_rs::Encoding, string: &[u8]) -> (u32, usize) {
    let length = if encoding == encoding_rs::UTF_16BE {
        match string.first() {
            Some(0xd8..=0xdb) => 4,
            _ => 2,
        }
    } else {
        match string.first() {
            Some(0xa1..=0xdf) if encoding == encoding_rs::SHIFT_JIS => 1,
            Some(0x81..) => 2,
            _ => 1,
        }
    };
    let bytes = string.get(..length).unwrap_or(string);
    let code = bytes
        .iter()
        .fold(0, |code: u32, byte| code << 8 | u32::from(*byte));
    (code, length)
}

/// The character encoding behind a predefined map for Chinese, Japanese or Korean.
fn named_encoding(name: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let holds = |part: &[u8]| memchr::memmem::find(name, part).is_some();
    Some(if holds(b"UCS2") || holds(b"UTF16") {
        encoding_rs::UTF_16BE
    } else if name.starts_with(b"GB") {
        encoding_rs::GBK
    } else if holds(b"RKSJ") {
        encoding_rs::SHIFT_JIS
    } else if name.starts_with(b"KSC") {
        encoding_rs::EUC_KR
    } else if name.starts_with(b"ETen") || name.starts_with(b"B5") || name.starts_with(b"HKscs") {
        encoding_rs::BIG5
    } else if name == b"EUC-H" || name == b"EUC-V" {
        encoding_rs::EUC_JP
    } else {
        return None;
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_as_long_as_their_space_says() {
        let spaces = [
            CodeSpace {
                bytes: 1,
                low: 0,
                high: 0x80,
            },
            CodeSpace {
                bytes: 2,
                low: 0x8140,
                high: 0x9ffc,
            },
        ];
        assert_eq!(composite_code(&spaces, b"A"), (0x41, 1));
        assert_eq!(composite_code(&spaces, b"\x81\x50"), (0x8150, 2));
        assert_eq!(composite_code(&spaces, b"\xff\xff"), (0xff, 1));
    }

    #[test]
    fn encoded_strings_are_split_into_characters() {
        assert_eq!(encoded_code(encoding_rs::SHIFT_JIS, b"\xb1\xb2"), (0xb1, 1));
        assert_eq!(encoded_code(encoding_rs::GBK, b"\xb2\xe8a"), (0xb2e8, 2));
        assert_eq!(encoded_code(encoding_rs::UTF_16BE, b"\x83\x36"), (0x8336, 2));
    }
}
