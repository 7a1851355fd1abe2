//! Whether a body is readable, judged by its content type or, if it has none, by its first bytes.

/// How many bytes to check for text.
const LOOK: usize = 512;

/// The type in lower case without parameters; `None` if the header is unusable.
pub(crate) fn essence(content_type: &str) -> Option<String> {
    let essence = content_type.split([';', ',']).next().unwrap_or_default().trim();
    let (kind, subtype) = essence.split_once('/')?;
    (!kind.is_empty() && !subtype.is_empty()).then(|| essence.to_ascii_lowercase())
}

/// Whether these first bytes can be text. An empty body can.
pub(crate) fn looks_like_text(start: &[u8]) -> bool {
    let start = start.get(..LOOK).unwrap_or(start);
    // UTF-16 contains zero bytes, but is marked.
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
        assert_eq!(essence("Text/HTML; charset=utf-8").as_deref(), Some("text/html"));
        assert_eq!(essence(" text/html,text/html").as_deref(), Some("text/html"));
        assert_eq!(essence("html"), None);
        assert_eq!(essence("; charset=x"), None);
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
