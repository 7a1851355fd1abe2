//! Blocks of addresses, as `--allow-net` names them.

use std::fmt;
use std::net::IpAddr;

/// Addresses that share their first bits: `127.0.0.0/8`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Network {
    first: IpAddr,
    prefix: u8,
}

impl Network {
    /// The addresses whose first `prefix` bits are those of `address`; `None` if there are not that many bits.
    pub fn new(address: IpAddr, prefix: u8) -> Option<Network> {
        (prefix <= width(address)).then(|| Network {
            first: masked(address, prefix),
            prefix,
        })
    }

    /// Reads `127.0.0.0/8`, `::1/128`, or one address alone.
    pub fn parse(text: &str) -> Option<Network> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address.parse().ok()?, prefix.parse().ok()?),
            None => {
                let address: IpAddr = text.parse().ok()?;
                (address, width(address))
            }
        };
        Network::new(address, prefix)
    }

    /// The lowest address.
    pub fn first(self) -> IpAddr {
        self.first
    }

    /// How many bits are shared.
    pub fn prefix(self) -> u8 {
        self.prefix
    }

    /// Whether the address belongs. IPv4 and IPv6 are apart: an IPv4-mapped address is in no IPv4 network.
    pub fn contains(self, address: IpAddr) -> bool {
        address.is_ipv4() == self.first.is_ipv4() && masked(address, self.prefix) == self.first
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.prefix)
    }
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn masked(address: IpAddr, prefix: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => {
            let mask = u32::MAX
                .checked_shl(32_u32.saturating_sub(prefix.into()))
                .unwrap_or(0);
            IpAddr::V4((u32::from(v4) & mask).into())
        }
        IpAddr::V6(v6) => {
            let mask = u128::MAX
                .checked_shl(128_u32.saturating_sub(prefix.into()))
                .unwrap_or(0);
            IpAddr::V6((u128::from(v6) & mask).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_holds_the_addresses_with_its_first_bits() {
        let loopback = Network::parse("127.0.0.0/8").unwrap();
        assert!(loopback.contains("127.9.9.9".parse().unwrap()));
        assert!(!loopback.contains("128.0.0.1".parse().unwrap()));
        assert!(!loopback.contains("::ffff:127.0.0.1".parse().unwrap()));
        assert!(
            Network::parse("0.0.0.0/0")
                .unwrap()
                .contains("9.9.9.9".parse().unwrap())
        );
        assert!(
            Network::parse("::/0")
                .unwrap()
                .contains("2001:db8::1".parse().unwrap())
        );
    }

    #[test]
    fn one_address_is_a_network_of_one_and_stray_bits_are_dropped() {
        assert_eq!(Network::parse("::1").unwrap().to_string(), "::1/128");
        assert_eq!(Network::parse("10.1.2.3/8").unwrap().to_string(), "10.0.0.0/8");
        for wrong in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "localhost"] {
            assert_eq!(Network::parse(wrong), None, "{wrong}");
        }
    }
}
