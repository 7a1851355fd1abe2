//! Hosts as nodes: their names are reversed, so that the hosts of a site are adjacent.
//!
//! Common Crawl's host graph omits a leading `www.`; its domain graph has only registrable domains.

use scenthound_types::CanonicalUrl;

/// Whether a node's name is a host rather than a URL.
pub fn is_host(name: &str) -> bool {
    !name.contains("://")
}

/// A node's name as shown to people: a URL unchanged, a host in its usual order.
pub fn shown_name(name: &str) -> String {
    if is_host(name) {
        reversed(name)
    } else {
        name.to_owned()
    }
}

/// The node name for a name as shown to people.
pub fn node_name(shown: &str) -> String {
    shown_name(shown)
}

fn reversed(host: &str) -> String {
    let labels: Vec<&str> = host.rsplit('.').collect();
    labels.join(".")
}

/// Whether a text can be a host name: labels of letters, digits, hyphens and underscores, between dots.
pub(crate) fn is_host_name(text: &str) -> bool {
    text.len() <= 253
        && text.split('.').all(|label| {
            !label.is_empty()
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte) || byte >= 0x80)
        })
}

/// The nodes that may stand for the host of a URL, closest first.
pub(crate) fn host_nodes(url: &CanonicalUrl) -> Vec<String> {
    let host = url.host();
    let bare = host.strip_prefix("www.").unwrap_or(host);
    let domain = psl::domain_str(host);
    let mut nodes: Vec<String> = Vec::new();
    for name in [Some(host), Some(bare), domain]
        .into_iter()
        .flatten()
        .map(reversed)
    {
        if !nodes.contains(&name) {
            nodes.push(name);
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_known_by_its_own_name_then_without_www_then_by_its_domain() {
        let nodes = |url: &str| host_nodes(&CanonicalUrl::parse(url).unwrap());
        assert_eq!(
            nodes("https://www.tea.example.co.uk:8080/a"),
            ["uk.co.example.tea.www", "uk.co.example.tea", "uk.co.example"]
        );
        assert_eq!(nodes("http://example.org/"), ["org.example"]);
        assert_eq!(shown_name("org.example.www"), "www.example.org");
        assert_eq!(shown_name("http://example.org/"), "http://example.org/");
        assert_eq!(node_name(&shown_name("org.example")), "org.example");
    }

    #[test]
    fn empty_labels_and_spaces_do_not_make_a_host() {
        assert!(
            is_host_name("org.example.www") && is_host_name("localhost") && is_host_name("xn--4ca_x.com")
        );
        for text in ["", "org..example", ".org", "a b", "http://a.test/"] {
            assert!(!is_host_name(text), "{text}");
        }
    }
}
