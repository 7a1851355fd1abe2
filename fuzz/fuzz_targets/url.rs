//! Canonicalising a canonical URL changes nothing, however odd the original spelling was.
//!
//! The first line is a URL, the second a reference to resolve against it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use scenthound_types::{CanonicalUrl, registrable_domain};

fuzz_target!(|raw: &str| {
    let (base, reference) = raw.split_once('\n').unwrap_or((raw, ""));
    let Ok(base) = CanonicalUrl::parse(base) else {
        return;
    };
    check(&base);
    if let Ok(joined) = base.join(reference) {
        check(&joined);
    }
});

fn check(url: &CanonicalUrl) {
    assert_eq!(CanonicalUrl::parse(url.as_str()).as_ref(), Ok(url));
    assert_eq!(CanonicalUrl::from_canonical(url.as_str()).as_ref(), Ok(url));
    assert_eq!(format!("{}{}", url.origin(), url.path_and_query()), url.as_str());
    assert!(url.path().starts_with('/'));
    assert!(!url.host().is_empty());
    // Not always its end: the list leaves out the dot after a fully qualified name.
    assert!(url.host().contains(registrable_domain(url.host())));
    check_parts(url);
    assert_eq!(url.robots_txt().origin(), url.origin());
}

fn check_parts(url: &CanonicalUrl) {
    let scheme = if url.is_https() { "https" } else { "http" };
    assert_eq!(format!("{scheme}://{}", url.authority()), url.origin());
    let parsed = url.to_url().expect("a canonical URL parses");
    assert_eq!(Some(url.host()), parsed.host_str());
    assert_eq!(Some(url.port()), parsed.port_or_known_default());
}
