//! Which addresses a crawl may connect to.
//!
//! A page can name any host, and a host can resolve to any address. Without this guard a crawl would be a way into
//! the private network it runs in. Everything that is not clearly public is refused unless the user named its
//! network. Addresses that embed another one (mapped, NAT64) are refused altogether: what the embedded one would
//! reach is up to routers we do not know.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// Decides which addresses may be connected to.
#[derive(Clone, Debug, Default)]
pub struct AddressGuard {
    allowed: Vec<IpNet>,
}

impl AddressGuard {
    /// Public addresses and those inside `allowed`.
    pub fn new(allowed: Vec<IpNet>) -> AddressGuard {
        AddressGuard { allowed }
    }

    /// Whether a connection to this address may be made.
    pub fn permits(&self, ip: IpAddr) -> bool {
        let public = match ip {
            IpAddr::V4(ip) => is_public_v4(ip),
            IpAddr::V6(ip) => is_public_v6(ip),
        };
        public || self.allowed.iter().any(|net| net.contains(&ip))
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let special = match (a, b, c) {
        // This network, private, loopback, link-local, multicast, reserved and broadcast.
        (0 | 10 | 127 | 224.., _, _) | (172, 16..=31, _) | (192, 168, _) | (169, 254, _) => true,
        // Carrier-grade NAT.
        (100, 64..=127, _) => true,
        // Protocol assignments, documentation, 6to4 relays, benchmarks.
        (192, 0, 0 | 2) | (198, 51, 100) | (203, 0, 113) | (192, 88, 99) | (198, 18 | 19, _) => true,
        _ => false,
    };
    !special
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = ip.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match (a, b) {
        // Only 2000::/3 is global unicast. This excludes loopback, mapped and compatible IPv4, NAT64 (both prefixes),
        // unique local, link-local, site-local, multicast and anything invented later.
        (..=0x1fff | 0x4000.., _) => false,
        // Documentation.
        (0x2001, 0x0db8) | (0x3fff, ..=0x0fff) => false,
        // Teredo embeds the addresses of its server and, inverted, of its client.
        (0x2001, 0) => is_public_v4(v4(c, d)) && is_public_v4(v4(!g, !h)),
        // Benchmarks, and identifiers that are not locations.
        (0x2001, 0x0002 | 0x0010..=0x003f) => false,
        (0x2002, _) => is_public_v4(v4(b, c)),
        _ => {
            // ISATAP: a private IPv4 address in the interface part is reached through a tunnel.
            let isatap = f == 0x5efe && (e == 0 || e == 0x0200);
            !isatap || is_public_v4(v4(g, h))
        }
    }
}

/// Ports that browsers refuse (the list of the Fetch standard). A page could make the crawl send its requests to mail, chat
/// or database servers, which may take them for commands or for an attack.
#[rustfmt::skip]
const OTHER_SERVICES: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111,
    113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548,
    554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665,
    6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// Whether a port belongs to another service than the web.
pub(crate) fn is_of_another_service(port: u16) -> bool {
    OTHER_SERVICES.binary_search(&port).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permitted(guard: &AddressGuard, addresses: &[&str]) -> Vec<String> {
        let mut permitted = Vec::new();
        for address in addresses {
            if guard.permits(address.parse().unwrap()) {
                permitted.push((*address).to_owned());
            }
        }
        permitted
    }

    #[test]
    fn ports_of_other_services_are_known_and_those_of_the_web_are_not() {
        assert!(OTHER_SERVICES.is_sorted());
        assert!([22, 25, 110, 6667, 10_080].into_iter().all(is_of_another_service));
        assert!(
            ![80, 443, 8_000, 8_080, 8_443, 3_000, 40_000]
                .into_iter()
                .any(is_of_another_service)
        );
    }

    #[test]
    fn what_is_not_plainly_public_is_refused() {
        let closed = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.3",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001:db8::1",
            "3fff::1",
            "2001:0:7f00:1::1",
            "2001:2::1",
            "2001:10::1",
            "2002:7f00:1::",
            "2002:c0a8:101::1",
            "2a00::5efe:a00:1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "5f00::1",
        ];
        assert_eq!(permitted(&AddressGuard::default(), &closed), Vec::<String>::new());
    }

    #[test]
    fn public_addresses_pass() {
        let open = [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.1.1",
            "198.17.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2002:808:808::1",
            "2001:0:808:808:0:0:f7f7:f7f7",
        ];
        assert_eq!(permitted(&AddressGuard::default(), &open), open);
    }

    #[test]
    fn a_named_network_is_open_and_only_that_one() {
        let guard = AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()]);
        assert_eq!(
            permitted(
                &guard,
                &["127.0.0.1", "fd00::1", "10.0.0.1", "::1", "::ffff:127.0.0.1"]
            ),
            ["127.0.0.1", "fd00::1"]
        );
    }
}
