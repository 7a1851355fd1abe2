//! The main text of any page can be extracted, twice the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_parse::{PageInput, main_text, refresh_target};
use scenthound_types::CanonicalUrl;

const TYPES: [Option<&str>; 4] = [
    Some("text/html"),
    None,
    Some("text/html; charset=shift_jis"),
    Some("text/plain"),
];

fuzz_target!(|data: &[u8]| {
    let Some((choice, body)) = data.split_first() else {
        return;
    };
    let url = CanonicalUrl::parse("http://a.test/folder/page").expect("a plain URL");
    let input = PageInput {
        url: &url,
        content_type: TYPES[usize::from(*choice) % TYPES.len()],
        body,
        truncated: false,
    };
    let first = main_text(&input);
    let second = main_text(&input);
    assert_eq!((&first.text, &first.markdown), (&second.text, &second.markdown));
    let _ = refresh_target(&String::from_utf8_lossy(body));
});
