//! Reading the headers that a crawl acts on, or a recorded response, never panics, whatever they contain.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_fetch::{Proxy, RetryAfter};
use scenthound_robots::x_robots_tag;
use scenthound_store::HttpResponse;
use scenthound_types::PageDirectives;

const BODY_CAP: usize = 64 << 10;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let _ = RetryAfter::parse(&text);
    let _ = Proxy::parse(&text);
    PageDirectives::default().add_words(&text);
    let _ = x_robots_tag(text.lines(), "scenthound");
    if let Some(response) = HttpResponse::parse(data) {
        for name in [
            "content-type",
            "content-encoding",
            "transfer-encoding",
            "location",
        ] {
            let _ = response.header(name);
        }
        assert!(response.body(BODY_CAP).bytes.len() <= BODY_CAP);
    }
});
