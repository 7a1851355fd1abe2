//! What the page processor makes of responses: the rules that every kind of crawl shares.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use scenthound_engine::{
    Access, Found, PageProcessor, PageSettings, ProcessedPage, Response, find_rules, leads_elsewhere,
};
use scenthound_judge::{Judge, Stemmed, TermJudge, TermSettings, WrongSense};
use scenthound_strategy::Needs;
use scenthound_types::text::{Stemmer, Stemming};
use scenthound_types::{
    AgentId, CanonicalUrl, Failure, Keyring, Language, Lease, LeaseId, LeaseKind, Outcome, PageNote,
    Priority, Rank, Timestamp,
};

const OK: Outcome = Outcome::Body {
    status: 200,
    truncated: None,
};

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.test{path}")).unwrap()
}

fn lease(kind: LeaseKind, path: &str, depth: u16) -> Lease {
    Lease {
        id: LeaseId(1),
        agent: AgentId::default(),
        kind,
        key: Keyring::new(1).key(&url(path)),
        url: url(path),
        parent: None,
        parent_url: None,
        depth,
        site_depth: 0,
        seed: false,
        taken: Priority {
            rank: Rank::of_score(1.0),
            age: 0,
        },
        attempt: 0,
        redirects: 0,
        revisit: false,
        location: None,
    }
}

fn processor(settings: PageSettings) -> PageProcessor {
    let terms = TermSettings {
        content: vec!["tea".to_owned()],
        ..TermSettings::default()
    };
    let judge = Arc::new(TermJudge::new(&terms).unwrap());
    PageProcessor::new(judge, Needs::default(), Keyring::new(1), settings)
}

fn strict() -> PageSettings {
    PageSettings {
        follow_nofollow: false,
        ..PageSettings::default()
    }
}

fn page(settings: PageSettings, body: &str, x_robots_tag: &[&str]) -> ProcessedPage {
    let x_robots_tag: Vec<String> = x_robots_tag.iter().map(|value| (*value).to_owned()).collect();
    let response = Response {
        content_type: Some("text/html; charset=utf-8"),
        x_robots_tag: &x_robots_tag,
        refresh: None,
        body: body.as_bytes(),
    };
    let lease = lease(LeaseKind::Page, "/", 1);
    match processor(settings).process(&lease, &OK, &response, Timestamp::ZERO) {
        Found::Page(page) => *page,
        other => panic!("{other:?}"),
    }
}

fn links(page: &ProcessedPage) -> Vec<&str> {
    page.links.iter().map(|link| link.url.path()).collect()
}

const TWO_LINKS: &str = "<p>tea <a href=/1>one</a> <a href=/2 rel=nofollow>two</a>";

#[test]
fn directives_of_markup_and_headers_add_up() {
    let tabbed = "<meta name=robots content=\"noindex\tnofollow\"><p>tea <a href=/1>one</a>";
    let read = page(strict(), tabbed, &[]);
    assert_eq!(read.notes(), [PageNote::Noindex, PageNote::Nofollow]);
    assert!(read.links.is_empty() && read.skipped.nofollow == 1);
    let read = page(strict(), TWO_LINKS, &["other: none", "scenthound: nofollow"]);
    assert_eq!(read.notes(), [PageNote::Nofollow]);
    assert_eq!(read.skipped.nofollow, 2);
    let read = page(strict(), TWO_LINKS, &[]);
    assert_eq!((links(&read), read.skipped.nofollow), (vec!["/1"], 1));
    assert!(read.judgement.is_relevant());
}

#[test]
fn a_page_in_the_wrong_sense_or_language_is_set_aside_with_its_links() {
    let sense = WrongSense::new(&["jungle".to_owned()], 1, None).unwrap();
    let settings = PageSettings {
        wrong_sense: Some(Arc::new(sense)),
        languages: Language::from_code("en").into_iter().collect(),
        ..PageSettings::default()
    };
    let read = page(settings.clone(), "<p>tea of the jungle <a href=/1>one</a>", &[]);
    assert!(read.is_set_aside() && read.links.is_empty() && !read.judgement.is_relevant());
    assert_eq!(
        (read.notes(), read.skipped.wrong_sense),
        (vec![PageNote::WrongSense], 1)
    );
    let german = "<p>Der grüne Tee wird in vielen Ländern getrunken, und nicht nur am Nachmittag, wenn die Gäste \
                  kommen und sich an den Tisch setzen, weil es draußen regnet. <a href=/1>eins</a>";
    let read = page(settings.clone(), german, &[]);
    assert_eq!(read.notes(), [PageNote::UnwantedLanguage]);
    assert!(read.links.is_empty() && read.skipped.unwanted_language == 1);
    assert_eq!(links(&page(settings, TWO_LINKS, &[])), ["/1", "/2"]);
}

/// The page, the words at the link and the words of the link's URL are all compared by their stems.
#[test]
fn a_judge_of_stems_gets_stems_of_pages_links_and_urls() {
    let stemmer = Stemmer::of(Language::ENGLISH);
    let terms = TermSettings {
        content: vec!["search engine".to_owned(), "retrieval".to_owned()],
        language: Some(Language::ENGLISH),
        stemmer,
        ..TermSettings::default()
    };
    let judge: Arc<dyn Judge> = Arc::new(Stemmed {
        judge: Arc::new(TermJudge::new(&terms).unwrap()),
        stemming: Stemming::English,
        language: None,
    });
    let needs = Needs {
        snippets: true,
        words: true,
        evidence: true,
        ..Needs::default()
    };
    let processor = PageProcessor::new(judge, needs, Keyring::new(1), PageSettings::default());
    let body = "<p>Searching with engines. <p><a href=/retrieving>this searches an engine</a>";
    let response = Response {
        content_type: Some("text/html; charset=utf-8"),
        x_robots_tag: &[],
        refresh: None,
        body: body.as_bytes(),
    };
    let lease = lease(LeaseKind::Page, "/", 1);
    let Found::Page(read) = processor.process(&lease, &OK, &response, Timestamp::ZERO) else {
        panic!("not a page");
    };
    let found: Vec<&str> = read.judgement.parts.terms.iter().map(|hit| &*hit.term).collect();
    assert_eq!(found, ["search engine"], "across the stop word, in any form");
    let link = &read.links[0];
    let scores = link.snippets.unwrap();
    assert!(scores.anchor > 0.5 && scores.url > 0.5, "{scores:?}");
    let token = |word: &str| stemmer.unwrap().token(word).hash();
    let evidence = link.evidence.as_ref().unwrap();
    let mut anchor = [token("search"), token("engine")];
    anchor.sort_unstable();
    assert_eq!(evidence.anchor, anchor, "a stop word is still one");
    assert!(evidence.url.contains(&token("retrieval")));
    // People see the words as they were found.
    let words = read.words.as_ref().unwrap();
    let spellings: Vec<&str> = words.iter().map(|word| word.spelling).collect();
    assert!(
        spellings.contains(&"searching") && !spellings.contains(&"engin"),
        "{spellings:?}"
    );
}

#[test]
fn depth_and_width_limit_the_links_that_are_kept() {
    let with = |max_depth, width| PageSettings {
        max_depth,
        width,
        ..PageSettings::default()
    };
    let read = page(with(Some(1), None), TWO_LINKS, &[]);
    assert_eq!((read.links.len(), read.skipped.depth), (0, 2));
    let read = page(with(Some(2), Some(1)), TWO_LINKS, &[]);
    assert_eq!((links(&read), read.skipped.width), (vec!["/1"], 1));
}

/// Three links into a site, of which one leaves it.
#[test]
fn the_depth_within_a_site_keeps_links_that_leave_it() {
    let settings = PageSettings {
        max_site_depth: Some(3),
        ..PageSettings::default()
    };
    let html = "<a href=/1>one</a> <a href=https://a.test/2>two</a> <a href=http://b.test/3>three</a>";
    let kept = |site_depth| {
        let lease = Lease {
            site_depth,
            ..lease(LeaseKind::Page, "/x", 9)
        };
        let response = Response {
            content_type: Some("text/html"),
            body: html.as_bytes(),
            ..Response::default()
        };
        match processor(settings.clone()).process(&lease, &OK, &response, Timestamp::ZERO) {
            Found::Page(read) => (links(&read).join(" "), read.skipped.depth),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(kept(2), ("/1 /2 /3".to_owned(), 0));
    assert_eq!(kept(3), ("/3".to_owned(), 2));
}

#[test]
fn a_refresh_header_is_a_link_like_that_of_a_meta_element() {
    let followed = |refresh: &str, body: &str| {
        let response = Response {
            content_type: Some("text/html"),
            refresh: Some(refresh),
            body: body.as_bytes(),
            ..Response::default()
        };
        let lease = lease(LeaseKind::Page, "/", 1);
        match processor(strict()).process(&lease, &OK, &response, Timestamp::ZERO) {
            Found::Page(page) => page
                .links
                .iter()
                .map(|link| link.url.path().to_owned())
                .collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(followed("0; url=/next", "<a href=/a>a</a>"), ["/a", "/next"]);
    assert_eq!(followed("5;URL='/a'", "<a href=/a>a</a>"), ["/a"]);
    assert_eq!(followed("5", "x"), [""; 0]);
    assert_eq!(followed("5; url=/", "x"), [""; 0], "a plain reload");
    assert_eq!(followed("0; url=javascript:alert(1)", "x"), [""; 0]);
    assert_eq!(
        followed("0; url=/next", "<meta name=robots content=nofollow>"),
        [""; 0]
    );
}

#[test]
fn what_is_found_depends_on_what_was_asked_for() {
    let processor = processor(PageSettings::default());
    let respond = |kind, outcome: &Outcome, body: &str| {
        let response = Response {
            body: body.as_bytes(),
            ..Response::default()
        };
        processor.process(&lease(kind, "/x", 0), outcome, &response, Timestamp::ZERO)
    };
    let map = "<urlset><url><loc>http://a.test/1</loc></url></urlset>";
    match respond(LeaseKind::Sitemap, &OK, map) {
        Found::Sitemap(finds) => assert_eq!(finds.pages.len(), 1),
        other => panic!("{other:?}"),
    }
    match respond(LeaseKind::Robots, &OK, "User-agent: *\nDisallow: /no") {
        Found::Rules(Access::Rules(rules), _) => assert!(!rules.allows("/no") && rules.allows("/yes")),
        other => panic!("{other:?}"),
    }
    let missing = Outcome::Failed(Failure::Status(404));
    assert_eq!(respond(LeaseKind::Page, &missing, map), Found::Nothing);
    assert_eq!(respond(LeaseKind::Sitemap, &missing, map), Found::Nothing);
    assert!(matches!(
        respond(LeaseKind::Robots, &missing, ""),
        Found::Rules(Access::Rules(_), _)
    ));
}

#[test]
fn five_redirects_of_a_robots_txt_are_followed() {
    let redirect = Outcome::Redirect {
        status: 301,
        to: url("/elsewhere"),
    };
    let after = |redirects: u8| Lease {
        redirects,
        location: (redirects > 0).then(|| url("/elsewhere")),
        ..lease(LeaseKind::Robots, "/robots.txt", 0)
    };
    assert!((0..5).all(|redirects| leads_elsewhere(&after(redirects), &redirect)));
    assert!(!leads_elsewhere(&after(5), &redirect));
    assert!(!leads_elsewhere(&lease(LeaseKind::Page, "/", 0), &redirect));
    let found = |lease: &Lease, outcome: &Outcome| find_rules(lease, outcome, b"", Timestamp::ZERO);
    assert_eq!(found(&after(0), &redirect), Found::Nothing);
    assert!(matches!(
        found(&after(5), &redirect),
        Found::Rules(Access::Rules(_), _)
    ));
    let lost = Outcome::Failed(Failure::DnsNoName);
    assert!(matches!(found(&after(0), &lost), Found::Rules(Access::NoHost, _)));
    assert!(matches!(
        found(&after(1), &lost),
        Found::Rules(Access::Unreachable, _)
    ));
}
