//! A test site behind the proxy, with the name server, crawled with the real fetcher. Nothing leaves the machine.

#![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use scenthound_fetch::{FetchSettings, Fetched, Fetcher, Proxy, Want};
use scenthound_testweb::{
    Errors, NAMES_NET, NamesServing, ProxyOptions, ProxyServing, Scheme, SiteRequest, SiteResponse, TestSite,
    serve_names, serve_proxy,
};
use scenthound_types::{CanonicalUrl, Failure, Outcome, Refusal};

/// Knows a few URLs by scheme and port, as a recorded web does.
struct Recorded;

const PAGES: [&str; 4] = [
    "http://tea.test/",
    "https://tea.test/",
    "http://tea.test:8080/",
    "https://tea.test:8443/?q=1",
];

impl TestSite for Recorded {
    fn answer(&self, _: &str, _: &str) -> SiteResponse {
        SiteResponse::fault(500)
    }

    fn answer_at(&self, asked: &SiteRequest<'_>) -> SiteResponse {
        let url = asked.url();
        if PAGES.contains(&url.as_str()) {
            SiteResponse::html(url)
        } else {
            SiteResponse::not_recorded()
        }
    }

    fn hosts(&self) -> Vec<String> {
        vec!["tea.test".to_owned()]
    }
}

/// A proxy, a name server, and a fetcher that uses both.
struct Stage {
    proxy: ProxyServing,
    names: NamesServing,
    fetcher: Fetcher,
    _folder: tempfile::TempDir,
}

fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

fn stage(options: ProxyOptions) -> Stage {
    let proxy = serve_proxy(Arc::new(Recorded), options).unwrap();
    let names = serve_names(loopback()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let ca_file = folder.path().join("ca.pem");
    std::fs::write(&ca_file, proxy.ca_pem()).unwrap();
    let mut settings = FetchSettings::new("scenthound-test");
    settings.proxy = Some(Proxy::parse(&format!("http://{}", proxy.address())).unwrap());
    settings.resolver = Some(names.address());
    settings.ca_files = vec![ca_file];
    settings.allowed_nets = vec![NAMES_NET.parse().unwrap()];
    Stage {
        proxy,
        names,
        fetcher: Fetcher::new(settings).unwrap(),
        _folder: folder,
    }
}

impl Stage {
    async fn fetch(&self, url: &str) -> Fetched {
        let url = CanonicalUrl::parse(url).unwrap();
        let at = self.fetcher.locate(&url).await.unwrap();
        self.fetcher.fetch(&url, &at, Want::Page).await
    }
}

#[tokio::test]
async fn http_and_https_pages_are_distinguished_and_so_are_ports() {
    let stage = stage(ProxyOptions::default());
    for url in PAGES {
        let fetched = stage.fetch(url).await;
        assert_eq!(fetched.body, url);
    }
    let asked: Vec<_> = stage
        .proxy
        .requests()
        .into_iter()
        .map(|request| (request.scheme, request.port))
        .collect();
    assert_eq!(
        asked,
        [
            (Scheme::Http, None),
            (Scheme::Https, None),
            (Scheme::Http, Some(8080)),
            (Scheme::Https, Some(8443))
        ]
    );
    assert!(stage.names.questions() >= 1);
}

#[tokio::test]
async fn what_was_not_recorded_says_so() {
    let stage = stage(ProxyOptions::default());
    for url in ["http://tea.test/other", "https://elsewhere.test/"] {
        let fetched = stage.fetch(url).await;
        let raw = String::from_utf8(fetched.raw.unwrap().response.to_vec()).unwrap();
        assert!(raw.starts_with("HTTP/1.1 404 "), "{raw}");
        assert!(raw.contains("X-Scenthound: not-recorded\r\n"), "{raw}");
    }
    assert!(SiteResponse::not_recorded().is_not_recorded() && !SiteResponse::missing().is_not_recorded());
}

#[tokio::test]
async fn one_tunnel_carries_many_requests() {
    let stage = stage(ProxyOptions::default());
    for _ in 0..5 {
        assert_eq!(stage.fetch("https://tea.test/").await.body, "https://tea.test/");
    }
    let mut peers: Vec<_> = stage
        .proxy
        .requests()
        .into_iter()
        .map(|request| request.peer)
        .collect();
    peers.dedup();
    assert_eq!(peers.len(), 1);
}

#[tokio::test]
async fn a_crawler_without_the_certificate_or_the_network_gets_nothing() {
    let stage = stage(ProxyOptions::default());
    let mut settings = FetchSettings::new("scenthound-test");
    settings.proxy = Some(Proxy::parse(&format!("http://{}", stage.proxy.address())).unwrap());
    settings.resolver = Some(stage.names.address());
    let url = CanonicalUrl::parse("https://tea.test/").unwrap();
    let closed = Fetcher::new(settings.clone()).unwrap();
    assert_eq!(
        closed.locate(&url).await.unwrap_err(),
        Outcome::Refused(Refusal::Address)
    );
    settings.allowed_nets = vec![NAMES_NET.parse().unwrap()];
    let distrustful = Fetcher::new(settings).unwrap();
    let at = distrustful.locate(&url).await.unwrap();
    let fetched = distrustful.fetch(&url, &at, Want::Page).await;
    assert_eq!(fetched.outcome, Outcome::Failed(Failure::Tls));
    assert_eq!(stage.proxy.served(), 0);
}

#[tokio::test]
async fn failures_and_hang_ups_follow_from_the_url() {
    let errors = Errors {
        failures: 0.5,
        hang_ups: 0.3,
        seed: 3,
    };
    let stage = stage(ProxyOptions {
        errors,
        ..ProxyOptions::default()
    });
    let mut seen = [0; 3];
    for n in 0..40 {
        let path = format!("/{n}");
        let asked = SiteRequest {
            scheme: Scheme::Https,
            host: "tea.test",
            port: None,
            path_and_query: &path,
        };
        let fetched = stage.fetch(&asked.url()).await;
        let status = fetched.raw.map_or(0, |raw| {
            let response = String::from_utf8(raw.response.to_vec()).unwrap();
            response.split(' ').nth(1).unwrap().parse().unwrap()
        });
        let expected = match errors.befalls(&asked) {
            Some(scenthound_testweb::Trouble::Status(status)) => status,
            Some(scenthound_testweb::Trouble::HangUp) => 0,
            None => 404,
        };
        assert_eq!(status, expected, "{path}");
        seen[match status {
            0 => 0,
            500 => 1,
            _ => 2,
        }] += 1;
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

#[tokio::test]
async fn every_answer_is_delayed() {
    let latency = Duration::from_millis(40);
    let stage = stage(ProxyOptions {
        latency,
        ..ProxyOptions::default()
    });
    for _ in 0..2 {
        stage.fetch("https://tea.test/").await;
    }
    let requests = stage.proxy.requests();
    assert!(requests[1].started - requests[0].started >= latency);
}

#[test]
fn invalid_tunnels_are_refused_and_the_proxy_goes_on() {
    let proxy = serve_proxy(Arc::new(Recorded), ProxyOptions::default()).unwrap();
    let say = |bytes: &[u8]| {
        let mut connection = TcpStream::connect(proxy.address()).unwrap();
        connection
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        connection.write_all(bytes).unwrap();
        let mut answer = [0; 4096];
        let read = connection.read(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[..read]).into_owned()
    };
    let refused = say("CONNECT caf\u{e9}:443 HTTP/1.1\r\n\r\n".as_bytes());
    assert!(refused.starts_with("HTTP/1.1 405 "), "{refused}");
    // Invalid TLS ends the tunnel, not the proxy.
    let granted = say(b"CONNECT tea.test:443 HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
    assert!(granted.starts_with("HTTP/1.1 200 "), "{granted}");
    let page = say(b"GET http://tea.test/ HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(
        page.starts_with("HTTP/1.1 200 ") && page.ends_with("http://tea.test/"),
        "{page}"
    );
    proxy.stop();
}

#[test]
fn an_invalid_share_of_errors_is_refused() {
    let options = ProxyOptions {
        errors: Errors {
            failures: 2.0,
            ..Errors::default()
        },
        ..ProxyOptions::default()
    };
    let fault = serve_proxy(Arc::new(Recorded), options)
        .err()
        .unwrap()
        .to_string();
    assert!(
        fault.contains("failures = 2") && fault.contains("from 0 to 1"),
        "{fault}"
    );
}
