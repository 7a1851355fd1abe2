//! Numbers and words in few bytes.
//!
//! Most numbers are small: a length, a word seen early. Each byte holds seven bits; the high bit means that more follow.
//! Reading never fails loudly: beyond the end everything is 0 or empty. The cache's checksum has already shown that the bytes
//! are intact; this only keeps a bug from becoming a panic.

pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn put_str(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes { rest: bytes }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.rest.split_first() {
            Some((first, rest)) => {
                self.rest = rest;
                *first
            }
            None => 0,
        }
    }

    pub(crate) fn number(&mut self) -> u64 {
        let mut number = 0;
        let mut shift = 0;
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 || shift > 63 {
                return number;
            }
        }
    }

    pub(crate) fn small(&mut self) -> u32 {
        self.number() as u32
    }

    pub(crate) fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    pub(crate) fn text(&mut self) -> &'a str {
        let length = self.number() as usize;
        std::str::from_utf8(self.take(length)).unwrap_or_default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_put_is_read(numbers in prop::collection::vec(any::<u64>(), 0..50), text in any::<String>()) {
            let mut out = Vec::new();
            for number in &numbers {
                put(&mut out, *number);
            }
            put_str(&mut out, &text);
            let mut bytes = Bytes::new(&out);
            for number in &numbers {
                prop_assert_eq!(bytes.number(), *number);
            }
            prop_assert_eq!(bytes.text(), text);
            prop_assert!(bytes.is_empty());
        }

        #[test]
        fn nothing_read_from_rubbish_panics(rubbish in prop::collection::vec(any::<u8>(), 0..60)) {
            let mut bytes = Bytes::new(&rubbish);
            while !bytes.is_empty() {
                bytes.number();
                bytes.text();
            }
        }
    }
}
