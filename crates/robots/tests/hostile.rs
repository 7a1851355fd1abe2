//! Whatever the bytes, reading and asking neither panic nor explode.

use proptest::prelude::*;
use scenthound_robots::{MAX_BODY, Rules, path_of, x_robots_tag};

/// A backtracking matcher needs longer than anybody waits for any of these.
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

#[test]
fn a_pattern_as_long_as_a_line_can_hold_fits() {
    // Each octet of the value becomes three when it is escaped.
    let body = [b"User-agent: *\nDisallow: /".as_slice(), &[0xFF; 20_000]].concat();
    let rules = Rules::parse(&body, "scenthound");
    assert_eq!(rules.iter().count(), 1);
    assert!(!rules.allows(&format!("/{}", "%FF".repeat(17_000))));
    assert_eq!(Rules::from_bytes(&rules.to_bytes()), Ok(rules));
}

/// Bytes that look enough like a robots.txt to get past the first check.
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
