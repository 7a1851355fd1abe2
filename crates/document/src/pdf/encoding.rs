//! What the codes of simple fonts mean: the three predefined encodings and the names of glyphs.
//!
//! Names of accented letters are composed rather than listed: `eacute` is `e` with an acute accent.

use unicode_normalization::char::compose;

/// A predefined encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BaseEncoding {
    Standard,
    WinAnsi,
    MacRoman,
    /// The Greek of the font Symbol.
    Symbol,
}

impl BaseEncoding {
    pub(crate) fn by_name(name: &[u8]) -> Option<BaseEncoding> {
        Some(match name {
            b"WinAnsiEncoding" => BaseEncoding::WinAnsi,
            b"MacRomanEncoding" => BaseEncoding::MacRoman,
            b"StandardEncoding" => BaseEncoding::Standard,
            _ => return None,
        })
    }

    /// The character of a code.
    pub(crate) fn char(self, code: u8) -> Option<char> {
        match self {
            BaseEncoding::WinAnsi => decode_byte(encoding_rs::WINDOWS_1252, code),
            BaseEncoding::MacRoman => decode_byte(encoding_rs::MACINTOSH, code),
            BaseEncoding::Standard => standard(code),
            BaseEncoding::Symbol => symbol(code),
        }
    }
}

fn decode_byte(encoding: &'static encoding_rs::Encoding, code: u8) -> Option<char> {
    if code.is_ascii() {
        return Some(code as char).filter(|c| !c.is_control());
    }
    let code = [code];
    let (text, _) = encoding.decode_without_bom_handling(&code);
    text.chars().next().filter(|c| !c.is_control())
}

/// The upper half of the standard encoding, from 0xa1 on. Unused codes are spaces.
const STANDARD_UPPER: &str =
    "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß";

fn standard(code: u8) -> Option<char> {
    match code {
        b'\'' => Some('’'),
        b'`' => Some('‘'),
        0x20..=0x7e => Some(code as char),
        0xa1.. => STANDARD_UPPER
            .chars()
            .nth(usize::from(code) - 0xa1)
            .filter(|c| *c != ' '),
        _ => None,
    }
}

const SYMBOL_UPPER: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
const SYMBOL_LOWER: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";

fn symbol(code: u8) -> Option<char> {
    let letter = |letters: &str, first: u8| letters.chars().nth(usize::from(code - first));
    match code {
        b'A'..=b'Z' => letter(SYMBOL_UPPER, b'A'),
        b'a'..=b'z' => letter(SYMBOL_LOWER, b'a'),
        0x20..=0x40 | b'[' | b']' | b'{'..=b'}' => Some(code as char),
        0xb7 => Some('•'),
        0xa3 => Some('≤'),
        0xb3 => Some('≥'),
        0xb1 => Some('±'),
        0xb4 => Some('×'),
        0xae => Some('→'),
        _ => None,
    }
}

/// Glyphs whose names say nothing about their letters.
const NAMED: &[(&str, &str)] = &[
    ("AE", "Æ"),
    ("Dcroat", "Đ"),
    ("Delta", "Δ"),
    ("Eng", "Ŋ"),
    ("Eth", "Ð"),
    ("Euro", "€"),
    ("Gamma", "Γ"),
    ("Germandbls", "ẞ"),
    ("IJ", "Ĳ"),
    ("Lambda", "Λ"),
    ("Lslash", "Ł"),
    ("OE", "Œ"),
    ("Ohm", "Ω"),
    ("Omega", "Ω"),
    ("Oslash", "Ø"),
    ("Phi", "Φ"),
    ("Pi", "Π"),
    ("Psi", "Ψ"),
    ("Sigma", "Σ"),
    ("Theta", "Θ"),
    ("Thorn", "Þ"),
    ("Upsilon", "Υ"),
    ("Xi", "Ξ"),
    ("ae", "æ"),
    ("alpha", "α"),
    ("ampersand", "&"),
    ("approxequal", "≈"),
    ("arrowleft", "←"),
    ("arrowright", "→"),
    ("asciicircum", "^"),
    ("asciitilde", "~"),
    ("asterisk", "*"),
    ("asteriskmath", "*"),
    ("at", "@"),
    ("backslash", "\\"),
    ("bar", "|"),
    ("beta", "β"),
    ("braceleft", "{"),
    ("braceright", "}"),
    ("bracketleft", "["),
    ("bracketright", "]"),
    ("brokenbar", "¦"),
    ("bullet", "•"),
    ("cent", "¢"),
    ("chi", "χ"),
    ("colon", ":"),
    ("comma", ","),
    ("copyright", "©"),
    ("currency", "¤"),
    ("dagger", "†"),
    ("daggerdbl", "‡"),
    ("dcroat", "đ"),
    ("degree", "°"),
    ("delta", "δ"),
    ("divide", "÷"),
    ("dollar", "$"),
    ("dotlessi", "ı"),
    ("dotlessj", "ȷ"),
    ("eight", "8"),
    ("element", "∈"),
    ("ellipsis", "…"),
    ("emdash", "—"),
    ("endash", "–"),
    ("eng", "ŋ"),
    ("epsilon", "ε"),
    ("epsilon1", "ε"),
    ("equal", "="),
    ("eta", "η"),
    ("eth", "ð"),
    ("exclam", "!"),
    ("exclamdown", "¡"),
    ("ff", "ff"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("fi", "fi"),
    ("five", "5"),
    ("fl", "fl"),
    ("florin", "ƒ"),
    ("four", "4"),
    ("fraction", "⁄"),
    ("gamma", "γ"),
    ("germandbls", "ß"),
    ("greater", ">"),
    ("greaterequal", "≥"),
    ("guillemotleft", "«"),
    ("guillemotright", "»"),
    ("guilsinglleft", "‹"),
    ("guilsinglright", "›"),
    ("hyphen", "-"),
    ("hyphenchar", "-"),
    ("ij", "ĳ"),
    ("infinity", "∞"),
    ("integral", "∫"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("less", "<"),
    ("lessequal", "≤"),
    ("logicalnot", "¬"),
    ("longs", "ſ"),
    ("lslash", "ł"),
    ("minus", "−"),
    ("mu", "µ"),
    ("multiply", "×"),
    ("nbspace", " "),
    ("nine", "9"),
    ("nonbreakingspace", " "),
    ("notequal", "≠"),
    ("nu", "ν"),
    ("numbersign", "#"),
    ("oe", "œ"),
    ("omega", "ω"),
    ("omicron", "ο"),
    ("one", "1"),
    ("onehalf", "½"),
    ("onequarter", "¼"),
    ("onesuperior", "¹"),
    ("ordfeminine", "ª"),
    ("ordmasculine", "º"),
    ("oslash", "ø"),
    ("paragraph", "¶"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("partialdiff", "∂"),
    ("percent", "%"),
    ("period", "."),
    ("periodcentered", "·"),
    ("perthousand", "‰"),
    ("phi", "φ"),
    ("phi1", "φ"),
    ("pi", "π"),
    ("plus", "+"),
    ("plusminus", "±"),
    ("product", "∏"),
    ("psi", "ψ"),
    ("question", "?"),
    ("questiondown", "¿"),
    ("quotedbl", "\""),
    ("quotedblbase", "„"),
    ("quotedblleft", "“"),
    ("quotedblright", "”"),
    ("quoteleft", "‘"),
    ("quoteright", "’"),
    ("quotesinglbase", "‚"),
    ("quotesingle", "'"),
    ("radical", "√"),
    ("registered", "®"),
    ("rho", "ρ"),
    ("section", "§"),
    ("semicolon", ";"),
    ("seven", "7"),
    ("sfthyphen", "\u{ad}"),
    ("sigma", "σ"),
    ("sigma1", "ς"),
    ("six", "6"),
    ("slash", "/"),
    ("softhyphen", "\u{ad}"),
    ("space", " "),
    ("spacehackarabic", " "),
    ("sterling", "£"),
    ("summation", "∑"),
    ("tau", "τ"),
    ("theta", "θ"),
    ("theta1", "ϑ"),
    ("thorn", "þ"),
    ("three", "3"),
    ("threequarters", "¾"),
    ("threesuperior", "³"),
    ("trademark", "™"),
    ("two", "2"),
    ("twosuperior", "²"),
    ("underscore", "_"),
    ("upsilon", "υ"),
    ("visiblespace", " "),
    ("xi", "ξ"),
    ("yen", "¥"),
    ("zero", "0"),
    ("zeta", "ζ"),
];

/// Accents by the names that follow a letter's.
const ACCENTS: &[(&str, char)] = &[
    ("grave", '\u{300}'),
    ("acute", '\u{301}'),
    ("circumflex", '\u{302}'),
    ("tilde", '\u{303}'),
    ("macron", '\u{304}'),
    ("breve", '\u{306}'),
    ("dotaccent", '\u{307}'),
    ("dieresis", '\u{308}'),
    ("tonos", '\u{301}'),
    ("ring", '\u{30a}'),
    ("hungarumlaut", '\u{30b}'),
    ("caron", '\u{30c}'),
    ("cedilla", '\u{327}'),
    ("commaaccent", '\u{327}'),
    ("ogonek", '\u{328}'),
];

/// Adds the text of a glyph by its name. False if the name means nothing to us.
pub(crate) fn push_glyph(name: &str, out: &mut String) -> bool {
    // What follows a dot is a variant, such as `a.sc` for small capitals.
    let name = match name.split_once('.') {
        Some(("", _)) | None => name,
        Some((stem, _)) => stem,
    };
    if name.len() > 64 {
        return false;
    }
    let before = out.len();
    let all = name.split('_').all(|part| push_part(part, out));
    if !all {
        out.truncate(before);
    }
    all && out.len() > before
}

fn push_part(name: &str, out: &mut String) -> bool {
    if let Ok(at) = NAMED.binary_search_by_key(&name, |(known, _)| known) {
        out.push_str(NAMED.get(at).map_or("", |(_, text)| text));
        return true;
    }
    let mut chars = name.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        out.push(only);
        return true;
    }
    let code = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    if let Some(digits) = name.strip_prefix("uni")
        && digits.len() >= 4
        && digits.len() % 4 == 0
        && digits.is_ascii()
    {
        let parts = digits
            .as_bytes()
            .chunks(4)
            .filter_map(|part| std::str::from_utf8(part).ok());
        let chars: Option<String> = parts.map(code).collect();
        if let Some(chars) = chars {
            out.push_str(&chars);
            return true;
        }
    }
    if let Some(digits) = name.strip_prefix('u')
        && (4..=6).contains(&digits.len())
        && let Some(c) = code(digits)
    {
        out.push(c);
        return true;
    }
    if let Some(number) = name
        .strip_prefix("afii")
        .and_then(|digits| digits.parse::<u32>().ok())
        && let Some(c) = cyrillic(number)
    {
        out.push(c);
        return true;
    }
    for (accent, mark) in ACCENTS {
        let Some(letter) = name.strip_suffix(accent) else {
            continue;
        };
        let mut plain = String::new();
        let is_letter = !letter.is_empty() && letter != name && push_letter(letter, &mut plain);
        let mut chars = plain.chars();
        if let (true, Some(base), None) = (is_letter, chars.next(), chars.next()) {
            match compose(base, *mark) {
                Some(composed) => out.push(composed),
                None => out.extend([base, *mark]),
            }
            return true;
        }
    }
    false
}

/// The letter that an accent is put on.
fn push_letter(name: &str, out: &mut String) -> bool {
    let mut chars = name.chars();
    match (chars.next(), chars.next()) {
        (Some(only), None) => {
            out.push(only);
            true
        }
        _ => match NAMED.binary_search_by_key(&name, |(known, _)| known) {
            Ok(at) => {
                out.push_str(NAMED.get(at).map_or("", |(_, text)| text));
                true
            }
            Err(_) => false,
        },
    }
}

/// The letters that are numbered `afii10017` and so on: the alphabet, with Ё after Е.
fn cyrillic(number: u32) -> Option<char> {
    let (upper, at) = match number {
        10017..=10049 => (true, number - 10017),
        10065..=10097 => (false, number - 10065),
        _ => return None,
    };
    let (first, io) = if upper { (0x410, 'Ё') } else { (0x430, 'ё') };
    match at {
        6 => Some(io),
        0..6 => char::from_u32(first + at),
        _ => char::from_u32(first + at - 1),
    }
}

/// Text in a string of the file's own description, such as its title.
pub(crate) fn text_string(raw: &[u8]) -> String {
    if let Some(wide) = raw.strip_prefix(b"\xfe\xff") {
        encoding_rs::UTF_16BE
            .decode_without_bom_handling(wide)
            .0
            .into_owned()
    } else if let Some(wide) = raw.strip_prefix(b"\xff\xfe") {
        encoding_rs::UTF_16LE
            .decode_without_bom_handling(wide)
            .0
            .into_owned()
    } else if let Ok(text) = std::str::from_utf8(raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw)) {
        text.to_owned()
    } else {
        raw.iter().filter_map(|byte| document_char(*byte)).collect()
    }
}

/// The characters from 0x80 on where the encoding of descriptions is not Latin-1.
const DOCUMENT_UPPER: &str = "•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž €";

fn document_char(byte: u8) -> Option<char> {
    match byte {
        0x80..=0xa0 => DOCUMENT_UPPER.chars().nth(usize::from(byte) - 0x80),
        byte => Some(byte as char),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyph(name: &str) -> String {
        let mut out = String::new();
        push_glyph(name, &mut out);
        out
    }

    #[test]
    fn names_of_glyphs_are_listed_in_order() {
        assert!(NAMED.is_sorted_by_key(|(name, _)| name));
    }

    #[test]
    fn glyphs_are_known_by_name() {
        let names = [
            "A",
            "eacute",
            "Scaron",
            "germandbls",
            "ffi",
            "uni0416",
            "u1F600",
            "afii10017",
            "afii10071",
            "f_f_i",
            "a.sc",
            "alphatonos",
            "quoteright",
            "g123",
            ".notdef",
        ];
        let texts: Vec<String> = names.iter().map(|name| glyph(name)).collect();
        assert_eq!(
            texts,
            [
                "A", "é", "Š", "ß", "ffi", "Ж", "😀", "А", "ё", "ffi", "a", "ά", "’", "", ""
            ]
        );
    }

    #[test]
    fn the_encodings_differ_where_they_should() {
        let of = |code| {
            [
                BaseEncoding::Standard,
                BaseEncoding::WinAnsi,
                BaseEncoding::MacRoman,
            ]
            .map(|e| e.char(code))
        };
        assert_eq!(of(b'a'), [Some('a'); 3]);
        assert_eq!(of(b'\''), [Some('’'), Some('\''), Some('\'')]);
        assert_eq!(of(0x8a), [None, Some('Š'), Some('ä')]);
        assert_eq!(of(0xfb), [Some('ß'), Some('û'), Some('˚')]);
        assert_eq!(standard(0xae), Some('ﬁ'));
        assert_eq!(standard(0xd0), Some('—'));
        assert_eq!(standard(0xe1), Some('Æ'));
        assert_eq!(standard(0xe8), Some('Ł'));
        assert_eq!(standard(0xf5), Some('ı'));
    }

    #[test]
    fn descriptions_are_decoded() {
        assert_eq!(text_string(b"\xfe\xff\0T\x04\x16"), "TЖ");
        assert_eq!(text_string(b"caf\xe9 \x84"), "café —");
    }
}
