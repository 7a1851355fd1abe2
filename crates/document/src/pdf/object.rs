//! The objects of a PDF file and the parser that reads them.
//!
//! The parser accepts whatever it is given: what it does not understand is null. Nesting is limited by [`MAX_DEPTH`],
//! and the number of objects in one by [`MAX_NODES`], so that a few bytes cannot become much memory.

/// Arrays and dictionaries nested more deeply than this are null.
const MAX_DEPTH: usize = 24;

/// The most objects inside one object.
const MAX_NODES: usize = 100_000;

/// An object.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) enum Object {
    #[default]
    Null,
    Bool(bool),
    Number(f64),
    Name(Box<[u8]>),
    String(Box<[u8]>),
    Array(Vec<Object>),
    Dict(Dict),
    /// A reference to the object with this number. Generations are ignored: the last definition counts.
    Ref(u32),
}

impl Object {
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Object::Number(number) if number.is_finite() => Some(*number),
            _ => None,
        }
    }

    /// A number that is not negative and has no fraction.
    pub(crate) fn count(&self) -> Option<usize> {
        let number = self.number()?;
        (0.0..1e9).contains(&number).then_some(number as usize)
    }

    pub(crate) fn name(&self) -> Option<&[u8]> {
        match self {
            Object::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn is_name(&self, name: &[u8]) -> bool {
        self.name() == Some(name)
    }

    pub(crate) fn string(&self) -> Option<&[u8]> {
        match self {
            Object::String(string) => Some(string),
            _ => None,
        }
    }

    pub(crate) fn array(&self) -> Option<&[Object]> {
        match self {
            Object::Array(array) => Some(array),
            _ => None,
        }
    }

    pub(crate) fn dict(&self) -> Option<&Dict> {
        match self {
            Object::Dict(dict) => Some(dict),
            _ => None,
        }
    }
}

/// A dictionary, sorted by key: hostile ones are large, and are asked often.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Dict(Vec<(Box<[u8]>, Object)>);

impl Dict {
    fn new(mut entries: Vec<(Box<[u8]>, Object)>) -> Dict {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Dict(entries)
    }

    /// The value of a key, null if there is none.
    pub(crate) fn get(&self, key: &[u8]) -> &Object {
        let at = self.0.partition_point(|(known, _)| known.as_ref() < key);
        match self.0.get(at) {
            Some((known, value)) if known.as_ref() == key => value,
            _ => &Object::Null,
        }
    }

    /// The value of the first of these keys that has one. Inline images and some writers abbreviate.
    pub(crate) fn get_either(&self, key: &[u8], short: &[u8]) -> &Object {
        match self.get(key) {
            Object::Null => self.get(short),
            value => value,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a parser found next.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Item<'a> {
    Object(Object),
    /// A word that is not an object: an operator, `obj`, `stream` and so on.
    Keyword(&'a [u8]),
}

/// Reads objects from bytes.
#[derive(Clone, Debug)]
pub(crate) struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether `1 0 R` is a reference. Content streams have none.
    has_refs: bool,
    nodes: usize,
}

enum Token<'a> {
    Object(Object),
    Keyword(&'a [u8]),
    ArrayStart,
    ArrayEnd,
    DictStart,
    DictEnd,
}

impl<'a> Parser<'a> {
    /// A parser of objects in a file, from this byte on.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Parser<'a> {
        Parser {
            bytes,
            at,
            has_refs: true,
            nodes: 0,
        }
    }

    /// A parser of a content stream.
    pub(crate) fn of_content(bytes: &'a [u8]) -> Parser<'a> {
        Parser {
            has_refs: false,
            ..Parser::new(bytes, 0)
        }
    }

    /// Where it is.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// How many objects the last one was made of.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Goes to this byte.
    pub(crate) fn go_to(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    /// The next object or keyword; none at the end.
    pub(crate) fn next(&mut self) -> Option<Item<'a>> {
        self.nodes = 0;
        loop {
            let token = self.token()?;
            return Some(match token {
                Token::Keyword(word) => Item::Keyword(word),
                // A stray end is skipped.
                Token::ArrayEnd | Token::DictEnd => continue,
                token => Item::Object(self.object_from(token, 0)),
            });
        }
    }

    /// The next object, null if a keyword or the end comes next.
    pub(crate) fn object(&mut self) -> Object {
        match self.next() {
            Some(Item::Object(object)) => object,
            _ => Object::Null,
        }
    }

    fn object_from(&mut self, token: Token<'a>, depth: usize) -> Object {
        self.nodes += 1;
        match token {
            Token::Object(object) => self.maybe_ref(object),
            Token::ArrayStart => self.array(depth),
            Token::DictStart => self.dict(depth),
            Token::Keyword(_) | Token::ArrayEnd | Token::DictEnd => Object::Null,
        }
    }

    fn array(&mut self, depth: usize) -> Object {
        let mut array = Vec::new();
        while let Some(token) = self.token() {
            match token {
                Token::ArrayEnd => break,
                // The array was never closed.
                Token::Keyword(b"endobj" | b"obj" | b"stream" | b"TJ" | b"ET") => break,
                Token::DictEnd | Token::Keyword(_) => {}
                token => {
                    let object = self.nested(token, depth);
                    if self.nodes < MAX_NODES {
                        array.push(object);
                    }
                }
            }
        }
        Object::Array(array)
    }

    fn dict(&mut self, depth: usize) -> Object {
        let mut entries = Vec::new();
        let mut key: Option<Box<[u8]>> = None;
        loop {
            let before = self.at;
            let Some(token) = self.token() else { break };
            match (token, key.take()) {
                (Token::DictEnd, _) => break,
                // The dictionary was never closed.
                (Token::Keyword(b"endobj" | b"obj" | b"stream"), _) => {
                    self.at = before;
                    break;
                }
                (Token::Object(Object::Name(name)), None) => key = Some(name),
                (Token::Keyword(_) | Token::ArrayEnd, _) | (_, None) => {}
                (token, Some(key)) => {
                    let value = self.nested(token, depth);
                    if self.nodes < MAX_NODES {
                        entries.push((key, value));
                    }
                }
            }
        }
        Object::Dict(Dict::new(entries))
    }

    /// An object inside another. Beyond the limit, brackets are ignored: the brackets inside end up on one level.
    fn nested(&mut self, token: Token<'a>, depth: usize) -> Object {
        if depth >= MAX_DEPTH && matches!(token, Token::ArrayStart | Token::DictStart) {
            self.nodes += 1;
            return Object::Null;
        }
        self.object_from(token, depth + 1)
    }

    fn maybe_ref(&mut self, object: Object) -> Object {
        let (true, Some(number)) = (self.has_refs, object.count()) else {
            return object;
        };
        let before = self.at;
        let is_ref = matches!(self.token(), Some(Token::Object(Object::Number(_))))
            && matches!(self.token(), Some(Token::Keyword(b"R")));
        if is_ref {
            Object::Ref(number as u32)
        } else {
            self.at = before;
            object
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.peek().is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                    self.at += 1;
                }
            } else if is_space(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    fn token(&mut self) -> Option<Token<'a>> {
        self.skip_space();
        let first = self.peek()?;
        let second = self.bytes.get(self.at + 1).copied();
        let token = match (first, second) {
            (b'<', Some(b'<')) => {
                self.at += 2;
                Token::DictStart
            }
            (b'>', Some(b'>')) => {
                self.at += 2;
                Token::DictEnd
            }
            (b'[', _) => {
                self.at += 1;
                Token::ArrayStart
            }
            (b']', _) => {
                self.at += 1;
                Token::ArrayEnd
            }
            (b'(', _) => Token::Object(Object::String(self.literal_string())),
            (b'<', _) => Token::Object(Object::String(self.hex_string())),
            (b'/', _) => Token::Object(Object::Name(self.name())),
            (b'{' | b'}' | b')' | b'>', _) => {
                self.at += 1;
                Token::Keyword(b"")
            }
            (b'0'..=b'9' | b'+' | b'-' | b'.', _) => self.number(),
            _ => match self.word() {
                b"true" => Token::Object(Object::Bool(true)),
                b"false" => Token::Object(Object::Bool(false)),
                b"null" => Token::Object(Object::Null),
                word => Token::Keyword(word),
            },
        };
        Some(token)
    }

    /// The regular characters from here on.
    fn word(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| is_space(*byte) || is_delimiter(*byte))
            .unwrap_or(rest.len());
        // At least one byte, so that every call makes progress.
        let length = length.max(1).min(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn number(&mut self) -> Token<'a> {
        let before = self.at;
        let mut sign = 1.0;
        let mut whole = 0.0_f64;
        let mut scale: Option<f64> = None;
        let mut digits = 0;
        while let Some(byte) = self.peek() {
            match byte {
                b'-' if digits == 0 => sign = -1.0,
                b'+' if digits == 0 => {}
                // Some writers put a sign in the middle; what follows it is ignored.
                b'-' => {}
                b'.' if scale.is_none() => scale = Some(1.0),
                b'0'..=b'9' => {
                    digits += 1;
                    let digit = f64::from(byte - b'0');
                    match &mut scale {
                        None => whole = whole * 10.0 + digit,
                        Some(scale) => {
                            *scale /= 10.0;
                            whole += digit * *scale;
                        }
                    }
                }
                _ => break,
            }
            self.at += 1;
        }
        if digits == 0
            && !self
                .bytes
                .get(before..self.at)
                .is_some_and(|text| text.contains(&b'.'))
        {
            return Token::Keyword(b"");
        }
        Token::Object(Object::Number(sign * whole))
    }

    fn name(&mut self) -> Box<[u8]> {
        self.at += 1;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .position(|byte| is_space(*byte) || is_delimiter(*byte))
            .unwrap_or(rest.len());
        self.at += length;
        let raw = rest.get(..length).unwrap_or_default();
        if !raw.contains(&b'#') {
            return raw.into();
        }
        let mut name = Vec::with_capacity(raw.len());
        let mut bytes = raw.iter().copied();
        while let Some(byte) = bytes.next() {
            let mut ahead = bytes.clone();
            let digits = (ahead.next().and_then(hex), ahead.next().and_then(hex));
            match (byte, digits) {
                (b'#', (Some(high), Some(low))) => {
                    name.push(high << 4 | low);
                    bytes = ahead;
                }
                _ => name.push(byte),
            }
        }
        name.into()
    }

    fn literal_string(&mut self) -> Box<[u8]> {
        self.at += 1;
        let mut string = Vec::new();
        let mut depth = 1_usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b'\\' => {
                    if let Some(escaped) = self.escape() {
                        string.push(escaped);
                    }
                    continue;
                }
                _ => {}
            }
            string.push(byte);
        }
        string.into()
    }

    /// What follows a backslash; none for a line break, which is not part of the string.
    fn escape(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            b'\n' => return None,
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
                return None;
            }
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    match self.peek() {
                        Some(digit @ b'0'..=b'7') => {
                            code = code * 8 + u32::from(digit - b'0');
                            self.at += 1;
                        }
                        _ => break,
                    }
                }
                code as u8
            }
            other => other,
        })
    }

    fn hex_string(&mut self) -> Box<[u8]> {
        self.at += 1;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = memchr::memchr(b'>', rest).unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.bytes.len());
        hex_bytes(rest.get(..length).unwrap_or_default())
    }
}

/// The bytes written as hexadecimal digits. Anything else is ignored.
pub(crate) fn hex_bytes(digits: &[u8]) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(digits.len() / 2 + 1);
    let mut high = None;
    for digit in digits.iter().copied().filter_map(hex) {
        match high.take() {
            None => high = Some(digit),
            Some(high) => bytes.push(high << 4 | digit),
        }
    }
    bytes.extend(high.map(|high| high << 4));
    bytes.into()
}

fn hex(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object {
        Parser::new(text.as_bytes(), 0).object()
    }

    #[test]
    fn each_kind_of_object_is_read() {
        assert_eq!(object("-12.5"), Object::Number(-12.5));
        assert_eq!(object("/A#20b"), Object::Name(b"A b"[..].into()));
        assert_eq!(
            object(
                r"(a(b)\)\101\
c)"
            ),
            Object::String(b"a(b))Ac"[..].into())
        );
        assert_eq!(object("<414 2>"), Object::String(b"AB"[..].into()));
        assert_eq!(object("12 0 R"), Object::Ref(12));
        assert_eq!(
            object("[1 2 3 0 R % note\n true]"),
            Object::Array(vec![
                Object::Number(1.0),
                Object::Number(2.0),
                Object::Ref(3),
                Object::Bool(true)
            ])
        );
        let dict = object("<</Type/Page /Kids [4 0 R] /Count 1>>");
        let dict = dict.dict().unwrap();
        assert!(dict.get(b"Type").is_name(b"Page"));
        assert_eq!(dict.get(b"Count").count(), Some(1));
        assert_eq!(*dict.get(b"None"), Object::Null);
    }

    #[test]
    fn deep_nesting_and_missing_ends_are_survived() {
        object(&"[".repeat(1_000_000));
        object(&"<</A".repeat(300_000));
        object("(never ends");
        object("<</A (x) /B");
        object(&"1 ".repeat(1_000_000));
    }
}
