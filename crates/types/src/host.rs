//! Hosts and their registrable domains.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The registrable domain of a host name (`example.co.uk` for `www.example.co.uk`), according to the public suffix
/// list.
///
/// An IP address, a single label or a bare public suffix is its own domain.
pub fn registrable_domain(host: &str) -> &str {
    if host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok() {
        return host;
    }
    psl::domain_str(host).unwrap_or(host)
}

/// What limits on the hosts of one owner go by: the registrable domain, or the network of an IPv6 address. Whoever has one such
/// address has its whole network, which is more hosts than any crawl could visit.
pub fn host_owner(host: &str) -> Cow<'_, str> {
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match address.and_then(|address| address.parse().ok()) {
        Some(address) => network_of(IpAddr::V6(address)).to_string().into(),
        None => registrable_domain(host).into(),
    }
}

/// The smallest network that one owner has: an IPv4 address, or the first 64 bits of an IPv6 address. An IPv6 address that
/// stands for an IPv4 address counts as that one: behind NAT64, all of IPv4 is in one network.
pub fn network_of(address: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = address else {
        return address;
    };
    let translated = (v6.to_bits() >> 32 == NAT64 >> 32).then(|| Ipv4Addr::from_bits(v6.to_bits() as u32));
    match v6.to_ipv4_mapped().or(translated) {
        Some(v4) => v4.into(),
        None => Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)).into(),
    }
}

/// 64:ff9b::/96, where translators put IPv4 addresses (RFC 6052).
const NAT64: u128 = 0x0064_ff9b << 96;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_of_an_ipv6_network_have_one_owner() {
        assert_eq!(
            host_owner("[2a00:1450::1]"),
            host_owner("[2a00:1450::ffff:ffff:ffff:ffff]")
        );
        assert_ne!(host_owner("[2a00:1450::1]"), host_owner("[2a00:1450:0:1::1]"));
        assert_eq!(host_owner("www.example.co.uk"), "example.co.uk");
        assert_eq!(host_owner("192.0.2.1"), "192.0.2.1");
    }

    #[test]
    fn addresses_that_stand_for_ipv4_addresses_are_not_one_network() {
        let network = |address: &str| network_of(address.parse().unwrap()).to_string();
        assert_eq!(network("64:ff9b::192.0.2.1"), "192.0.2.1");
        assert_eq!(network("::ffff:192.0.2.1"), "192.0.2.1");
        assert_eq!(network("64:ff9b:1::192.0.2.1"), "64:ff9b:1::");
        assert_eq!(network("192.0.2.1"), "192.0.2.1");
    }

    #[test]
    fn the_public_suffix_list_decides_where_a_domain_ends() {
        assert_eq!(registrable_domain("www.example.co.uk"), "example.co.uk");
        assert_eq!(registrable_domain("example.com"), "example.com");
        assert_eq!(registrable_domain("127.0.0.1"), "127.0.0.1");
        assert_eq!(registrable_domain("localhost"), "localhost");
    }
}
