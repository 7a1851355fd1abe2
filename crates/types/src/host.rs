//! Hosts and their registrable domains.

/// The registrable domain of a host name (`example.co.uk` for `www.example.co.uk`), according to the public suffix
/// list.
///
/// An IP address, a single label or a bare public suffix is its own domain.
pub fn registrable_domain(host: &str) -> &str {
    if host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok() {
        return host;
    }
    psl::domain_str(host).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_suffix_list_decides_where_a_domain_ends() {
        assert_eq!(registrable_domain("www.example.co.uk"), "example.co.uk");
        assert_eq!(registrable_domain("example.com"), "example.com");
        assert_eq!(registrable_domain("127.0.0.1"), "127.0.0.1");
        assert_eq!(registrable_domain("localhost"), "localhost");
    }
}
