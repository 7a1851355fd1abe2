//! Whatever a search engine answers, reading it ends without a panic, with no more hits than were asked for.
//!
//! The first byte chooses the engine, the second the status.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_seeds::search::{Category, EngineSpec, Inquiry, Keys, Question, Reply};

const ENGINES: [&str; 4] = ["searxng=http://a.test/", "brave", "google-cse", "marginalia"];
const STATUSES: [u16; 6] = [200, 200, 200, 403, 429, 500];
const MOST: usize = 30;

fuzz_target!(|data: &[u8]| {
    let [choice, status, body @ ..] = data else { return };
    let keys = Keys::from_lookup(|_| Some("k3y-that-is-secret".to_owned()));
    let spec = EngineSpec::parse(ENGINES[usize::from(*choice) % ENGINES.len()]).expect("a known engine");
    let Ok(Some(engine)) = spec.engine(&keys) else {
        return;
    };
    let question = Question {
        query: "tea".to_owned(),
        category: Category::Web,
        most: MOST,
    };
    let mut inquiry = Inquiry::new(engine.as_ref(), question);
    for _ in 0..2 {
        let reply = Reply {
            status: STATUSES[usize::from(*status) % STATUSES.len()],
            retry_after: None,
            body,
            truncated: None,
        };
        if let Err(fault) = inquiry.take(reply) {
            assert!(!fault.to_string().contains("k3y-that-is-secret"));
            break;
        }
    }
    assert!(inquiry.into_hits().len() <= MOST);
});
