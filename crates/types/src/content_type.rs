//! Which bodies are read as pages: by the content type, or by the first bytes where the server names none.

/// The content types that are read as pages.
const READ: [&str; 5] = [
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "application/xml",
    "text/xml",
];

/// How many bytes it takes to recognise text.
const SNIFFED: usize = 512;

/// What a Content-Type header says about whether to read the body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Readable {
    /// It is a type we read.
    Yes,
    /// It is not.
    No,
    /// The header is missing or names no type: the first bytes decide, see [`looks_like_text`].
    Unknown,
}

impl Readable {
    /// Decides by the value of the header, if there is one.
    pub fn by_type(content_type: Option<&str>) -> Readable {
        match content_type.and_then(media_type) {
            Some(kind) if READ.iter().any(|known| kind.eq_ignore_ascii_case(known)) => Readable::Yes,
            Some(_) => Readable::No,
            None => Readable::Unknown,
        }
    }

    /// Decides by the header and, where that says nothing, by the body.
    pub fn is_page(content_type: Option<&str>, body: &[u8]) -> bool {
        match Readable::by_type(content_type) {
            Readable::Yes => true,
            Readable::No => false,
            Readable::Unknown => looks_like_text(body),
        }
    }
}

/// The media type in the value of a Content-Type header, without parameters; none if the value names none.
pub fn media_type(content_type: &str) -> Option<&str> {
    let kind = content_type.split([';', ',']).next().unwrap_or_default().trim();
    let (main, sub) = kind.split_once('/')?;
    (!main.is_empty() && !sub.is_empty()).then_some(kind)
}

/// Whether these first bytes can be text. An empty body can.
pub fn looks_like_text(start: &[u8]) -> bool {
    let start = start.get(..SNIFFED).unwrap_or(start);
    // UTF-16 contains zero bytes but starts with a byte order mark.
    if start.starts_with(&[0xfe, 0xff]) || start.starts_with(&[0xff, 0xfe]) {
        return true;
    }
    !start
        .iter()
        .any(|byte| matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
        && !start.starts_with(b"%PDF-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_is_read_without_its_parameters() {
        assert_eq!(media_type("Text/HTML; charset=utf-8"), Some("Text/HTML"));
        assert_eq!(media_type(" text/html,text/html"), Some("text/html"));
        assert_eq!(media_type("html"), None);
        assert_eq!(media_type("; charset=x"), None);
    }

    #[test]
    fn the_header_decides_before_the_bytes() {
        assert!(Readable::is_page(Some("Text/HTML; charset=x"), b"\0"));
        assert!(!Readable::is_page(Some("text/css"), b"a {}"));
        assert!(Readable::is_page(Some("html"), b"<p>tea"));
        assert!(!Readable::is_page(None, b"%PDF-1.7\n"));
    }

    #[test]
    fn text_is_recognised_by_its_first_bytes() {
        assert!(looks_like_text(b"<!doctype html>\r\n\t<p>"));
        assert!(looks_like_text("жук".as_bytes()));
        assert!(looks_like_text(b"\xff\xfe<\0p\0"));
        assert!(looks_like_text(b""));
        assert!(!looks_like_text(b"\x89PNG\r\n\x1a\n\0\0"));
        assert!(!looks_like_text(b"PK\x03\x04"));
        assert!(!looks_like_text(b"%PDF-1.7\n"));
    }
}
