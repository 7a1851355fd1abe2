//! Which bodies are read as pages: by the content type, or by the first bytes where the server names none.

/// The content types that are read as pages.
const READ: [&str; 5] = [
    "text/html",
    "application/xhtml+xml",
    "text/plain",
    "application/xml",
    "text/xml",
];

/// How many bytes it takes to recognise text or a document.
const SNIFFED: usize = 512;

/// Types that say only that a file is to be saved. Documents are often sent so; pages are not.
const NAMELESS: [&str; 6] = [
    "application/octet-stream",
    "binary/octet-stream",
    "application/download",
    "application/force-download",
    "application/x-download",
    "application/zip",
];

/// A kind of document that is read like a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DocumentKind {
    /// The Portable Document Format.
    Pdf,
    /// A text document of Word since 2007.
    Docx,
    /// An OpenDocument text.
    Odt,
}

impl DocumentKind {
    /// The kind that a Content-Type header names.
    pub fn by_type(content_type: Option<&str>) -> Option<DocumentKind> {
        let kind = content_type.and_then(media_type)?;
        let is = |known: &str| kind.eq_ignore_ascii_case(known);
        if is("application/pdf") || is("application/x-pdf") {
            Some(DocumentKind::Pdf)
        } else if is("application/vnd.openxmlformats-officedocument.wordprocessingml.document") {
            Some(DocumentKind::Docx)
        } else if is("application/vnd.oasis.opendocument.text") {
            Some(DocumentKind::Odt)
        } else {
            None
        }
    }

    /// The kind that the first bytes of a body show.
    pub fn by_bytes(start: &[u8]) -> Option<DocumentKind> {
        if start.starts_with(b"%PDF-") {
            return Some(DocumentKind::Pdf);
        }
        // An archive: the name of its first file is 30 bytes in.
        let archive = start.strip_prefix(b"PK\x03\x04")?;
        let name = archive.get(26..)?;
        if name.starts_with(b"mimetypeapplication/vnd.oasis.opendocument.text")
            && !name.starts_with(b"mimetypeapplication/vnd.oasis.opendocument.text-")
        {
            return Some(DocumentKind::Odt);
        }
        let is_docx = name.starts_with(b"word/")
            || [&b"[Content_Types].xml"[..], b"_rels/.rels", b"docProps/"]
                .iter()
                .any(|first| name.starts_with(first))
                && start
                    .get(..SNIFFED)
                    .unwrap_or(start)
                    .windows(3)
                    .all(|part| part != b"xl/" && part != b"ppt");
        is_docx.then_some(DocumentKind::Docx)
    }

    /// The kind of a body: what the bytes show, or what the header says if the bytes do not contradict.
    pub fn of(content_type: Option<&str>, body: &[u8]) -> Option<DocumentKind> {
        let named = DocumentKind::by_type(content_type);
        let is_unnamed = match content_type.and_then(media_type) {
            Some(kind) => NAMELESS.iter().any(|known| kind.eq_ignore_ascii_case(known)),
            None => true,
        };
        match DocumentKind::by_bytes(body) {
            Some(shown) if named.is_some() || is_unnamed => Some(shown),
            _ => named,
        }
    }
}

/// Whether documents such as PDF files are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Documents {
    /// Like pages.
    #[default]
    Read,
    /// Not at all.
    Skip,
}

/// What a Content-Type header says about whether to read the body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Readable {
    /// It is a type we read.
    Yes,
    /// It is not.
    No,
    /// The header is missing or names no type: the first bytes decide, see [`Readable::admits`].
    Unknown,
    /// The header says only that it is a file: it is read if its first bytes show a document.
    MaybeDocument,
}

impl Readable {
    /// Decides by the value of the header, if there is one.
    pub fn by_type(content_type: Option<&str>, documents: Documents) -> Readable {
        let Some(kind) = content_type.and_then(media_type) else {
            return Readable::Unknown;
        };
        let is_among = |list: &[&str]| list.iter().any(|known| kind.eq_ignore_ascii_case(known));
        let reads_documents = documents == Documents::Read;
        if is_among(&READ) || reads_documents && DocumentKind::by_type(content_type).is_some() {
            Readable::Yes
        } else if reads_documents && is_among(&NAMELESS) {
            Readable::MaybeDocument
        } else {
            Readable::No
        }
    }

    /// Whether a body that begins with these bytes is read.
    pub fn admits(self, start: &[u8], documents: Documents) -> bool {
        let is_document = || documents == Documents::Read && DocumentKind::by_bytes(start).is_some();
        match self {
            Readable::Yes => true,
            Readable::No => false,
            Readable::Unknown => looks_like_text(start) || is_document(),
            Readable::MaybeDocument => is_document(),
        }
    }

    /// Decides by the header and, where that says nothing, by the body.
    pub fn is_page(content_type: Option<&str>, body: &[u8], documents: Documents) -> bool {
        Readable::by_type(content_type, documents).admits(body, documents)
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
        let is_page = |kind, body: &[u8]| Readable::is_page(kind, body, Documents::Read);
        assert!(is_page(Some("Text/HTML; charset=x"), b"\0"));
        assert!(!is_page(Some("text/css"), b"a {}"));
        assert!(is_page(Some("html"), b"<p>tea"));
    }

    #[test]
    fn documents_are_read_unless_they_are_skipped() {
        let pdf = &b"%PDF-1.7\n"[..];
        for kind in [Some("application/pdf"), Some("application/octet-stream"), None] {
            assert!(Readable::is_page(kind, pdf, Documents::Read), "{kind:?}");
            assert!(!Readable::is_page(kind, pdf, Documents::Skip), "{kind:?}");
        }
        let octets = Some("application/octet-stream");
        assert!(!Readable::is_page(octets, b"just words", Documents::Read));
        assert!(!Readable::is_page(
            Some("application/msword"),
            b"\xd0\xcf",
            Documents::Read
        ));
    }

    #[test]
    fn documents_are_recognised_by_their_first_bytes() {
        let zip = |rest: &[u8]| [b"PK\x03\x04", &[0; 26][..], rest].concat();
        let kind = |start: &[u8]| DocumentKind::by_bytes(start);
        assert_eq!(kind(b"%PDF-1.4"), Some(DocumentKind::Pdf));
        assert_eq!(kind(&zip(b"[Content_Types].xml")), Some(DocumentKind::Docx));
        assert_eq!(kind(&zip(b"word/document.xml")), Some(DocumentKind::Docx));
        assert_eq!(kind(&zip(b"_rels/.rels....xl/workbook.xml")), None);
        let odt = b"mimetypeapplication/vnd.oasis.opendocument.textPK";
        assert_eq!(kind(&zip(odt)), Some(DocumentKind::Odt));
        assert_eq!(kind(&zip(b"readme.txt")), None);
        assert_eq!(kind(b"PK\x03\x04"), None);
    }

    #[test]
    fn the_bytes_of_a_document_correct_its_type() {
        assert_eq!(
            DocumentKind::of(Some("application/pdf"), b""),
            Some(DocumentKind::Pdf)
        );
        assert_eq!(DocumentKind::of(Some("text/html"), b"%PDF-1.4"), None);
        assert_eq!(DocumentKind::of(None, b"%PDF-1.4"), Some(DocumentKind::Pdf));
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
