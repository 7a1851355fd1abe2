//! Any bytes can be read as a document, and every link in it lies on its text.
//!
//! The first byte chooses the kind.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_document::{Limits, extract};
use scenthound_types::DocumentKind;

const KINDS: [DocumentKind; 3] = [DocumentKind::Pdf, DocumentKind::Docx, DocumentKind::Odt];

fuzz_target!(|data: &[u8]| {
    let Some((choice, body)) = data.split_first() else {
        return;
    };
    let limits = Limits {
        links: 100,
        ..Limits::default()
    };
    let kind = KINDS[usize::from(*choice) % KINDS.len()];
    let document = extract(body, kind, &limits);
    for block in &document.blocks {
        for link in &block.links {
            assert!(
                block
                    .text
                    .get(link.range.clone())
                    .is_some_and(|words| !words.is_empty())
            );
        }
    }
    assert_eq!(extract(body, kind, &limits), document);
});
