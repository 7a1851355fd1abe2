//! Whatever the bytes, reading and matching neither panic nor explode.

use proptest::prelude::*;
use scenthound_robots::{MAX_BODY, Rules, path_of, x_robots_tag};

/// A backtracking matcher would practically never finish on any of these.
#[test]
fn wildcard_bombs_are_harmless() {
    let path = format!("/{}", "a".repeat(2_000));
    let full = |line: String| format!("User-agent: *\n{}", line.repeat(MAX_BODY / line.len()));
    let bombs = [
        format!("User-agent: *\nDisallow: /{}b", "*a".repeat(MAX_BODY)),
        full(format!("Disallow: /{}b\n", "*a".repeat(1_900))),
        full(format!(
            "Disallow: /*{}b*{}b$\n",
            "a".repeat(900),
            "a".repeat(900)
        )),
        full(format!("Disallow: {}$\n", "*".repeat(5_000))),
    ];
    let allowed: Vec<bool> = bombs
        .iter()
        .map(|body| Rules::parse(body.as_bytes(), "scenthound").allows(&path))
        .collect();
    assert_eq!(allowed, [true, true, true, false]);
}

/// Each of these files is as large as we read one, and made for a path that is as long as a URL may be. A plain matcher
/// needs 5 to 20 ms for one path; thousands of links to such paths would keep the crawl from everything else.
#[test]
#[allow(clippy::disallowed_methods)] // A test of speed needs a clock.
fn any_path_is_matched_in_less_than_two_milliseconds() {
    let all_pairs: String = (b'a'..=b'z')
        .flat_map(|a| (b'a'..=b'z').map(move |b| [a as char, b as char]))
        .flatten()
        .collect();
    let path = format!("/{all_pairs}{}", "a".repeat(600));
    let full = |line: &dyn Fn(usize) -> String| {
        let mut body = String::from("User-agent: *\n");
        for number in 0.. {
            let line = line(number);
            if body.len() + line.len() > MAX_BODY {
                return body;
            }
            body.push_str(&line);
        }
        body
    };
    let bombs = [
        full(&|n| format!("Disallow: /*{}*{n:03}\n", "*a".repeat(390))),
        full(&|n| format!("Allow: /*{}az*{n}\n", "a".repeat(700))),
        full(&|n| format!("Disallow: /*aaaa*{}*ab$\n", n % 10)),
        full(&|n| format!("Disallow: /aabacada/{n}\n")),
        full(&|n| format!("Disallow: /{}\n", path.get(1..1 + n % 1_900).unwrap())),
        full(&|n| format!("Allow: /*a*{n}b\n")),
    ];
    for body in bombs {
        let rules = Rules::parse(body.as_bytes(), "scenthound");
        let quickest = (0..5)
            .map(|_| {
                let started = std::time::Instant::now();
                std::hint::black_box(rules.allows(&path));
                started.elapsed()
            })
            .min()
            .unwrap();
        let most = if cfg!(debug_assertions) { 40 } else { 2 };
        assert!(quickest.as_millis() < most, "{quickest:?} for {}", &body[14..80]);
    }
}

/// The site may fool nobody but itself: what costs too much to compare is not fetched.
#[test]
fn a_file_that_is_too_costly_to_compare_forbids() {
    let path = format!("/{}", "ab".repeat(900));
    let rule = |kind: &str, n: usize| {
        format!(
            "{kind}: /*{}*ba*ab*{}$\n",
            "*a".repeat(60 + n / 90),
            "ab".repeat(n % 90 + 2) + "a"
        )
    };
    let file = |kind: &str| {
        format!(
            "User-agent: *\n{}",
            (0..600).map(|n| rule(kind, n)).collect::<String>()
        )
    };
    let forbids = Rules::parse(file("Disallow").as_bytes(), "scenthound");
    assert!(!forbids.allows(&path));
    assert!(forbids.allows("/tea"), "a short path is compared in full");
    let allows = format!("{}Disallow: /ab\n", file("Allow"));
    assert!(!Rules::parse(allows.as_bytes(), "scenthound").allows(&path));
}

#[test]
fn a_pattern_as_long_as_a_line_can_hold_fits() {
    // Escaping turns each octet of the value into three.
    let body = [b"User-agent: *\nDisallow: /".as_slice(), &[0xFF; 20_000]].concat();
    let rules = Rules::parse(&body, "scenthound");
    assert_eq!(rules.iter().count(), 1);
    assert!(!rules.allows(&format!("/{}", "%FF".repeat(17_000))));
    assert_eq!(Rules::from_bytes(&rules.to_bytes()), Ok(rules));
}

/// Bytes that look enough like a robots.txt to pass the first check.
fn nearly_robots() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"User-agent: *".to_vec()),
        Just(b"user-agent: scenthound".to_vec()),
        Just(b"User-agent: other".to_vec()),
        Just(b"Disallow: /".to_vec()),
        Just(b"allow /".to_vec()),
        Just(b"Crawl-delay: 1".to_vec()),
        Just(b"Sitemap: ".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"*$%2".to_vec()),
        Just(vec![0xEF, 0xBB, 0xBF]),
        Just(vec![0xFF, 0xFE]),
        proptest::collection::vec(any::<u8>(), 0..6),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_bytes_can_be_read_asked_and_saved(
        body in prop_oneof![nearly_robots(), proptest::collection::vec(any::<u8>(), 0..300)],
        path in ".{0,40}",
    ) {
        let rules = Rules::parse(&body, "scenthound");
        let decided = rules.which(&path).map(|rule| rule.to_string());
        let again = Rules::from_bytes(&rules.to_bytes());
        prop_assert_eq!(again.as_ref(), Ok(&rules));
        prop_assert_eq!(again.unwrap().which(&path).map(|rule| rule.to_string()), decided);
        prop_assert!(rules.allows("/robots.txt"));
    }

    #[test]
    fn a_path_means_the_same_when_spelled_with_escapes(path in "/[a-zA-Z0-9._~-]{0,12}", pattern in "/[a-c*]{0,6}\\$?") {
        let rules = Rules::parse(format!("User-agent: *\nDisallow: {pattern}").as_bytes(), "scenthound");
        let escaped: String = path.bytes().map(|b| if b == b'/' { "/".into() } else { format!("%{b:02x}") }).collect();
        prop_assert_eq!(rules.allows(&path), rules.allows(&escaped));
    }

    #[test]
    fn any_text_can_be_a_url_or_a_header(text in ".{0,60}") {
        prop_assert!(path_of(&text).starts_with('/'));
        let _ = x_robots_tag([text.as_str()], "scenthound");
    }
}
