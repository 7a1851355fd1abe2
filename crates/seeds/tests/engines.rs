//! The requests to each engine, and how answers in its documented form are read.
#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::time::Duration;

use scenthound_seeds::search::{
    Category, Engine, EngineFault, EngineSpec, Inquiry, Keys, Next, Question, Reply, Request,
};
use scenthound_types::Truncation;

const KEY: &str = "BSAhushhushhush0";

fn engine(spec: &str) -> Box<dyn Engine> {
    let keys = Keys::from_lookup(|_| Some(KEY.to_owned()));
    EngineSpec::parse(spec).unwrap().engine(&keys).unwrap().unwrap()
}

fn question(category: Category, most: usize) -> Question {
    Question {
        query: "grüner tee & 茶".to_owned(),
        category,
        most,
    }
}

fn body(text: &[u8]) -> Reply<'_> {
    status(200, text)
}

fn status(status: u16, text: &[u8]) -> Reply<'_> {
    Reply {
        status,
        retry_after: None,
        body: text,
        truncated: None,
    }
}

/// The request's URL without the origin, with readable parameters.
fn asked(request: &Request) -> String {
    let url = request.url.to_url().unwrap();
    let pairs: Vec<_> = url
        .query_pairs()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{} {}", url.path(), pairs.join(" "))
}

fn urls(inquiry: Inquiry<'_>) -> Vec<String> {
    inquiry
        .into_hits()
        .iter()
        .map(|hit| hit.url.to_string())
        .collect()
}

/// Reads one answer.
fn answered(spec: &str, category: Category, reply: Reply<'_>) -> Result<Vec<String>, EngineFault> {
    let engine = engine(spec);
    let mut inquiry = Inquiry::new(&*engine, question(category, 50));
    inquiry.take(reply)?;
    Ok(urls(inquiry))
}

const SEARXNG: &str = "searxng=http://127.0.0.1:8888/sub/";
const ALL: [&str; 4] = [SEARXNG, "brave", "google-cse", "marginalia"];

#[test]
fn each_engine_gets_its_own_requests_and_the_closest_categories() {
    let ask = |spec: &str, category, page| {
        let engine = engine(spec);
        asked(&engine.request(&question(category, 25), page).unwrap())
    };
    let q = "grüner tee & 茶";
    assert_eq!(
        ask(SEARXNG, Category::Web, 0),
        format!("/sub/search q={q} format=json categories=general pageno=1")
    );
    assert_eq!(
        ask(SEARXNG, Category::Discussions, 2),
        format!("/sub/search q={q} format=json categories=social media,q&a pageno=3")
    );
    assert_eq!(
        ask("brave", Category::Web, 1),
        format!("/res/v1/web/search q={q} count=20 offset=1 result_filter=web")
    );
    assert_eq!(
        ask("brave", Category::News, 0),
        format!("/res/v1/news/search q={q} count=25 offset=0")
    );
    assert_eq!(
        ask("brave", Category::Blogs, 0),
        format!("/res/v1/web/search q={q} blog count=20 offset=0 result_filter=web")
    );
    assert_eq!(
        ask("google-cse", Category::Discussions, 1),
        format!("/customsearch/v1 key={KEY} cx={KEY} q={q} num=10 start=11 orTerms=forum discussion thread")
    );
    assert_eq!(
        ask("marginalia", Category::News, 1),
        format!("/search query={q} news count=25 page=2")
    );
}

#[test]
fn a_key_goes_into_its_header_or_parameter_and_into_nothing_that_is_printed() {
    for (spec, header) in [("brave", "x-subscription-token"), ("marginalia", "api-key")] {
        let request = engine(spec).request(&question(Category::Web, 5), 0).unwrap();
        let sent = request.headers.iter().find(|(name, _)| *name == header).unwrap();
        assert_eq!(sent.1.reveal(), KEY);
        assert!(!request.url.as_str().contains(KEY));
    }
    for spec in ALL {
        let request = engine(spec).request(&question(Category::Web, 5), 0).unwrap();
        assert!(!format!("{request:?}").contains(KEY), "{request:?}");
    }
}

#[test]
fn documented_answers_are_read() {
    let searxng = answered(
        SEARXNG,
        Category::Web,
        body(include_bytes!("answers/searxng.json")),
    )
    .unwrap();
    assert_eq!(
        searxng,
        [
            "https://en.wikipedia.org/wiki/Green_tea",
            "https://leaves.example/brewing",
            "https://xn--t-zfa.example/gr%C3%BCn"
        ]
    );
    let web = include_bytes!("answers/brave-web.json");
    assert_eq!(
        answered("brave", Category::Web, body(web)).unwrap(),
        ["https://leaves.example/brewing", "https://uji.example/gardens"]
    );
    assert_eq!(
        answered("brave", Category::Discussions, body(web)).unwrap()[0],
        "https://forum.example/t/12"
    );
    assert_eq!(
        answered(
            "brave",
            Category::News,
            body(include_bytes!("answers/brave-news.json"))
        )
        .unwrap(),
        ["https://paper.example/2026/harvest"]
    );
    assert_eq!(
        answered(
            "google-cse",
            Category::Web,
            body(include_bytes!("answers/google.json"))
        )
        .unwrap(),
        ["https://uji.example/gardens", "http://kinds.example/"]
    );
    assert_eq!(
        answered(
            "marginalia",
            Category::Web,
            body(include_bytes!("answers/marginalia.json"))
        )
        .unwrap(),
        [
            "https://small.example/~ann/tea.html",
            "https://leaves.example/brewing"
        ]
    );
}

#[test]
fn nothing_found_is_an_answer_and_not_a_fault() {
    let nothing = include_bytes!("answers/google-nothing.json");
    for (spec, text) in [
        ("google-cse", &nothing[..]),
        (
            "brave",
            br#"{"type":"search","query":{"original":"zzz","more_results_available":false}}"#,
        ),
        (
            SEARXNG,
            br#"{"query":"zzz","results":[],"unresponsive_engines":[]}"#,
        ),
        (
            "marginalia",
            br#"{"license":"x","query":"zzz","page":1,"pages":0,"results":[]}"#,
        ),
    ] {
        assert_eq!(
            answered(spec, Category::Web, body(text)),
            Ok(Vec::new()),
            "{spec}"
        );
    }
}

#[test]
fn titles_are_one_line() {
    let engine = engine(SEARXNG);
    let mut inquiry = Inquiry::new(&*engine, question(Category::Web, 50));
    inquiry
        .take(body(include_bytes!("answers/searxng.json")))
        .unwrap();
    let titles: Vec<_> = inquiry
        .into_hits()
        .into_iter()
        .filter_map(|hit| hit.title)
        .collect();
    assert_eq!(
        titles,
        ["Green tea - Wikipedia", "Brewing green tea", "Grüner Tee 🍵"]
    );
}

#[test]
fn invalid_answers_are_distinguished() {
    for spec in ALL {
        let made = |reply| answered(spec, Category::Web, reply).unwrap_err();
        assert!(
            matches!(
                made(body(b"\n <!doctype html><title>Search</title>")),
                EngineFault::Html { .. }
            ),
            "{spec}"
        );
        assert_eq!(
            made(body(br#"{"results": [{"url": "http"#)),
            EngineFault::CutShort,
            "{spec}"
        );
        assert_eq!(made(body(b"")), EngineFault::CutShort);
        assert!(matches!(
            made(body(b"tea: green")),
            EngineFault::NotJson { line: 1, .. }
        ));
        for wrong in [
            &br#"[]"#[..],
            br#"{"results": "none", "web": [], "items": {}}"#,
            br#"{"results": [1, {"url": 7}], "web": {"results": [{"url": "tea"}]}, "items": [null]}"#,
            b"null",
            b"\"x\"",
        ] {
            let fault = made(body(wrong));
            assert!(matches!(fault, EngineFault::Shape { .. }), "{spec}: {fault:?}");
        }
        let cut = |truncated| Reply {
            truncated: Some(truncated),
            ..body(b"{\"results\": []}")
        };
        assert_eq!(made(cut(Truncation::Length)), EngineFault::TooLarge);
        assert_eq!(made(cut(Truncation::Time)), EngineFault::TimedOut);
        assert_eq!(made(cut(Truncation::Disconnect)), EngineFault::CutShort);
        assert!(matches!(
            made(status(404, b"<h1>no</h1>")),
            EngineFault::Status {
                status: 404,
                said: None
            }
        ));
        for fault in [made(status(401, b"")), made(status(403, b"")), made(body(b"<"))] {
            assert!(fault.remedy().len() > 20, "{fault}");
        }
    }
}

#[test]
fn one_good_item_among_bad_ones_is_taken() {
    let text = br#"{"results": [{"url": ["x"]}, {"title": "no url"}, {"url": "mailto:a@b.c"}, {"url": "http://a.test/", "title": 7}]}"#;
    assert_eq!(
        answered(SEARXNG, Category::Web, body(text)).unwrap(),
        ["http://a.test/"]
    );
}

#[test]
fn a_refused_key_differs_from_a_used_up_quota_and_from_json_that_is_off() {
    let refused =
        |spec, code, text: &'static [u8]| answered(spec, Category::Web, status(code, text)).unwrap_err();
    for (spec, code, text) in [
        ("brave", 422, &include_bytes!("answers/brave-refused.json")[..]),
        ("brave", 401, b""),
        ("google-cse", 400, include_bytes!("answers/google-key.json")),
        ("google-cse", 403, b"{}"),
        ("marginalia", 401, b""),
    ] {
        let fault = refused(spec, code, text);
        assert!(
            matches!(fault, EngineFault::KeyRefused { .. }),
            "{spec}: {fault:?}"
        );
        assert!(fault.remedy().contains("key"));
    }
    assert!(matches!(
        refused("google-cse", 429, include_bytes!("answers/google-quota.json")),
        EngineFault::QuotaUsedUp { .. }
    ));
    let fault = refused(SEARXNG, 403, b"<html>");
    assert!(fault.remedy().contains("settings.yml"), "{fault:?}");
}

#[test]
fn a_key_that_comes_back_in_an_answer_is_not_passed_on() {
    let echo = format!("{{\"error\": {{\"message\": \"bad key {KEY}\\u001b[31m!\"}}}}");
    let fault = answered("brave", Category::Web, status(403, echo.as_bytes())).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "the key was refused (status 403): bad key [key] [31m!"
    );
    let hits = format!(
        r#"{{"web": {{"results": [{{"url": "http://a.test/?k={KEY}"}}, {{"url": "http://b.test/", "title": "{KEY}"}}, {{"url": "http://c.test/"}}]}}}}"#
    );
    assert_eq!(
        answered("brave", Category::Web, body(hits.as_bytes())).unwrap(),
        ["http://c.test/"]
    );
}

/// An answer with `count` pages, starting from a number.
fn page(from: usize, count: usize) -> String {
    let items: Vec<_> = (from..from + count)
        .map(|number| format!(r#"{{"url": "http://h{number}.test/", "title": "t"}}"#))
        .collect();
    format!(
        r#"{{"query": {{"more_results_available": true}}, "web": {{"results": [{}]}}}}"#,
        items.join(",")
    )
}

#[test]
fn no_more_pages_are_requested_than_the_results_need() {
    let engine = engine("brave");
    let mut inquiry = Inquiry::new(&*engine, question(Category::Web, 50));
    let mut offsets = vec![asked(&inquiry.begin().unwrap())];
    // Each page brings fewer than it should, which is no reason to keep asking for ever.
    for number in 0.. {
        match inquiry.take(body(page(number * 100, 5).as_bytes())).unwrap() {
            Next::Ask { request, after } => {
                assert!(after >= Duration::from_secs(1));
                offsets.push(asked(&request));
            }
            Next::Done => break,
        }
    }
    assert_eq!(offsets.len(), 3);
    assert!(offsets[2].contains("offset=2"), "{offsets:?}");
    assert_eq!(inquiry.into_hits().len(), 15);
}

#[test]
fn pages_end_with_enough_answers_or_with_nothing_new() {
    let engine = engine("brave");
    let mut inquiry = Inquiry::new(&*engine, question(Category::Web, 30));
    assert!(matches!(
        inquiry.take(body(page(0, 20).as_bytes())),
        Ok(Next::Ask { .. })
    ));
    assert_eq!(inquiry.take(body(page(10, 5000).as_bytes())), Ok(Next::Done));
    assert_eq!(inquiry.into_hits().len(), 30);

    let mut inquiry = Inquiry::new(&*engine, question(Category::Web, 100));
    assert!(matches!(
        inquiry.take(body(page(0, 20).as_bytes())),
        Ok(Next::Ask { .. })
    ));
    assert_eq!(inquiry.take(body(page(0, 20).as_bytes())), Ok(Next::Done));
}

#[test]
fn a_busy_engine_is_asked_once_more_after_the_time_it_wants_and_what_came_before_is_kept() {
    let engine = engine("brave");
    let busy = |seconds| Reply {
        retry_after: Some(Duration::from_secs(seconds)),
        ..status(429, b"{}")
    };
    let mut inquiry = Inquiry::new(&*engine, question(Category::Web, 60));
    let first = inquiry.begin().unwrap();
    let again = Next::Ask {
        request: first,
        after: Duration::from_secs(7),
    };
    assert_eq!(inquiry.take(busy(7)), Ok(again));
    assert!(matches!(
        inquiry.take(body(page(0, 20).as_bytes())),
        Ok(Next::Ask { .. })
    ));
    let fault = inquiry.take(busy(7)).unwrap_err();
    assert_eq!(fault.remedy(), "try again in 7 s");
    assert_eq!(inquiry.into_hits().len(), 20);

    let mut inquiry = Inquiry::new(&*engine, question(Category::Web, 60));
    assert!(matches!(inquiry.take(busy(3_600)), Err(EngineFault::Busy { .. })));
}

#[test]
fn a_query_too_long_for_a_url_is_refused() {
    let long = Question {
        query: "茶".repeat(2_000),
        ..question(Category::Web, 5)
    };
    for spec in ALL {
        assert_eq!(
            engine(spec).request(&long, 0).unwrap_err(),
            EngineFault::QueryTooLong
        );
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_give_hits_or_a_fault(
        code in 100u16..600,
        text in proptest::collection::vec(proptest::num::u8::ANY, 0..300),
        junk in "[\\[{\"a-z:,}\\]0-9]{0,60}",
    ) {
        for spec in ALL {
            let _ = answered(spec, Category::Discussions, status(code, &text));
            let made = format!("{{\"results\": [{junk}], \"web\": {{\"results\": [{{{junk}}}]}}, \"error\": {junk}}}");
            let _ = answered(spec, Category::Web, status(code, made.as_bytes()));
        }
    }
}
