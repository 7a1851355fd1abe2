//! Checks that markup is well formed: every element closed in order, nothing unescaped.

/// Elements without an end tag.
const VOID: [&str; 2] = ["meta", "!doctype"];

/// Panics with the position where tags do not match.
pub fn assert_balanced(markup: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = markup;
    while let Some((text, after)) = rest.split_once('<') {
        let raw = matches!(open.last(), Some(&"script" | &"style"));
        assert!(raw || !text.contains('>'), "a bare > in {text:?}");
        if raw && !after.starts_with('/') {
            rest = after;
            continue;
        }
        let (tag, after) = after
            .split_once('>')
            .unwrap_or_else(|| panic!("an open tag at the end: {after:.40}"));
        assert_eq!(tag.matches('"').count() % 2, 0, "an open quote in <{tag}>");
        rest = after;
        let name = tag
            .trim_start_matches('/')
            .split([' ', '\n', '/'])
            .next()
            .unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "</{name}> closes another element");
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
}

/// Panics if NaN or infinity has reached the markup.
pub fn assert_no_odd_numbers(markup: &str) {
    for odd in ["NaN", "inf ", "inf\"", "\"inf", "-inf", " inf"] {
        assert!(!markup.contains(odd), "{odd:?} in the markup");
    }
}
