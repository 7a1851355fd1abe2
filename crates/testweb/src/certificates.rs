//! A certificate authority for one run, and certificates for any host.
//!
//! The authority's key is generated at the start and never leaves the process. Only its certificate is given out, to
//! the one crawler that is to trust it. Host certificates are generated on first use and cached.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;

use crate::TestwebError;

/// The most hosts remembered; certificates can be generated again.
const MOST_KEPT: usize = 10_000;

/// Generates certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    /// All hosts share one key, so a certificate costs a signature but no key generation.
    key: KeyPair,
    kept: Mutex<HashMap<String, Arc<ServerConfig>>>,
}

impl Authority {
    /// A new authority.
    pub(crate) fn new() -> Result<Authority, TestwebError> {
        const NAME: &str = "Scenthound lab, valid for one run";
        let fault = |source| TestwebError::Certificate {
            name: NAME.to_owned(),
            source,
        };
        let mut params = CertificateParams::new(Vec::new()).map_err(fault)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, NAME);
        let key = KeyPair::generate().map_err(fault)?;
        let pem = params.self_signed(&key).map_err(fault)?.pem();
        Ok(Authority {
            issuer: Issuer::new(params, key),
            pem,
            key: KeyPair::generate().map_err(fault)?,
            kept: Mutex::default(),
        })
    }

    /// The authority's certificate.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// The TLS configuration for a host. IPv6 addresses are in brackets.
    pub(crate) fn host(&self, host: &str) -> Result<Arc<ServerConfig>, TestwebError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(config) = kept.get(host) {
            return Ok(Arc::clone(config));
        }
        let config = Arc::new(self.make(host)?);
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(host.to_owned(), Arc::clone(&config));
        Ok(config)
    }

    fn make(&self, host: &str) -> Result<ServerConfig, TestwebError> {
        let fault = |source| TestwebError::Certificate {
            name: host.to_owned(),
            source,
        };
        let name = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .trim_end_matches('.');
        let certificate = CertificateParams::new(vec![name.to_owned()])
            .and_then(|params| params.signed_by(&self.key, &self.issuer))
            .map_err(fault)?;
        let key = PrivateKeyDer::Pkcs8(self.key.serialize_der().into());
        let tls = |source| TestwebError::Tls { source };
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(tls)?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .map_err(tls)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_gets_its_certificate_once() {
        let authority = Authority::new().unwrap();
        let first = authority.host("tea.test").unwrap();
        assert!(Arc::ptr_eq(&first, &authority.host("tea.test").unwrap()));
        assert!(!Arc::ptr_eq(&first, &authority.host("other.test").unwrap()));
        assert!(authority.pem().starts_with("-----BEGIN CERTIFICATE-----"));
        authority.host("[2001:db8::1]").unwrap();
        authority.host("192.0.2.1").unwrap();
    }

    #[test]
    fn an_invalid_host_name_gets_no_certificate() {
        assert!(Authority::new().unwrap().host("é").is_err());
    }
}
