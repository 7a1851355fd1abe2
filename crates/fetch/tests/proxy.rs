//! Test proxies, one for HTTP and one for SOCKS5. The targets are public addresses that cannot be reached otherwise.
#![allow(clippy::unwrap_used, reason = "test support outside test functions")]

mod server;
mod tls_server;

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use scenthound_fetch::{FetchSettings, Fetched, Proxy, Want};
use scenthound_types::{CanonicalUrl, Failure, Outcome, Refusal};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::server::{Served, fetcher, page, read_head, settings};
use crate::tls_server::{Speaks, TlsServer};

/// Settings that allow no private network, with this proxy.
fn through(proxy: &str) -> FetchSettings {
    let mut settings = settings();
    settings.allowed_nets.clear();
    settings.proxy = Some(Proxy::parse(proxy).unwrap());
    settings
}

async fn fetch(settings: FetchSettings, url: &str) -> Fetched {
    let fetcher = fetcher(settings);
    let url = CanonicalUrl::parse(url).unwrap();
    let at = fetcher.locate(&url).await.unwrap();
    fetcher.fetch(&url, &at, Want::Page).await
}

/// A proxy that tunnels everything to one address and records the requests it gets.
async fn tunnel(to: SocketAddr, answer: &'static str) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let remembered = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let Some(head) = read_head(&mut stream).await else {
                continue;
            };
            remembered.lock().unwrap().push(head);
            stream.write_all(answer.as_bytes()).await.unwrap();
            let mut target = TcpStream::connect(to).await.unwrap();
            tokio::spawn(async move { tokio::io::copy_bidirectional(&mut stream, &mut target).await });
        }
    });
    (address, asked)
}

#[tokio::test]
async fn an_http_proxy_gets_the_absolute_url() {
    let proxy = Served::always(page("proxied")).await;
    let fetched = fetch(
        through(&format!("http://{}", proxy.address)),
        "http://8.8.8.8:81/a?b",
    )
    .await;
    assert_eq!(fetched.body, "proxied");
    // We cannot know which address the proxy used.
    assert_eq!(fetched.ip, None);
    let request = proxy.requests().remove(0);
    assert!(
        request.starts_with("GET http://8.8.8.8:81/a?b HTTP/1.1\r\nHost: 8.8.8.8:81\r\n"),
        "{request}"
    );
    assert!(!request.to_lowercase().contains("proxy-authorization"));
}

#[tokio::test]
async fn the_archive_never_sees_the_login_of_a_proxy() {
    let proxy = Served::always(page("proxied")).await;
    let fetched = fetch(
        through(&format!("http://me:pass@{}", proxy.address)),
        "http://8.8.8.8/a",
    )
    .await;
    assert!(proxy.requests()[0].contains("\r\nProxy-Authorization: Basic bWU6cGFzcw==\r\n"));
    let archived = String::from_utf8(fetched.raw.unwrap().request.to_vec()).unwrap();
    assert!(
        archived.starts_with("GET /a HTTP/1.1\r\nHost: 8.8.8.8\r\nUser-Agent: "),
        "{archived}"
    );
    assert!(
        archived.ends_with("\r\n\r\n") && !archived.contains("Proxy"),
        "{archived}"
    );
}

#[tokio::test]
async fn the_guard_looks_at_the_target_whatever_the_proxy() {
    let proxy = Served::always(page("proxied")).await;
    for way in ["http", "socks5"] {
        let fetcher = fetcher(through(&format!("{way}://{}", proxy.address)));
        let url = CanonicalUrl::parse("http://127.0.0.1/").unwrap();
        assert_eq!(
            fetcher.locate(&url).await,
            Err(Outcome::Refused(Refusal::Address))
        );
    }
}

#[tokio::test]
async fn https_goes_through_a_tunnel_by_name() {
    let target = TlsServer::start("tea.example", Speaks::Http1(page("tunnelled"))).await;
    let (proxy, asked) = tunnel(target.address, "HTTP/1.1 200 Connected\r\nX: y\r\n\r\n").await;
    let mut settings = through(&format!("http://me:pass@{proxy}"));
    settings.ca_files.push(target.ca_file());
    settings
        .pins
        .insert("tea.example".into(), "8.8.8.8:443".parse().unwrap());
    let fetched = fetch(settings, "https://tea.example/").await;
    assert_eq!(fetched.body, "tunnelled");
    assert_eq!(
        asked.lock().unwrap()[0],
        "CONNECT tea.example:443 HTTP/1.1\r\nHost: tea.example:443\r\nProxy-Authorization: Basic bWU6cGFzcw==\r\n\r\n"
    );
    assert!(!target.requests.lock().unwrap()[0].contains("Proxy"));
}

#[tokio::test]
async fn a_proxy_that_refuses_or_talks_nonsense_is_a_failure_of_the_proxy() {
    let failed = Outcome::Failed(Failure::Proxy);
    for answer in [
        "HTTP/1.1 407 Login\r\n\r\n",
        "HTTP/1.1 502 No\r\n\r\n",
        "hello\r\n\r\n",
    ] {
        let proxy = Served::always(answer).await;
        let fetched = fetch(through(&format!("http://{}", proxy.address)), "https://8.8.8.8/").await;
        assert_eq!(fetched.outcome, failed, "{answer}");
    }
    let endless = Served::endless("HTTP/1.1 200 OK\r\n", "X: y\r\n").await;
    let fetched = fetch(
        through(&format!("http://{}", endless.address)),
        "https://8.8.8.8/",
    )
    .await;
    assert_eq!(fetched.outcome, failed);
    let proxy = Served::always("HTTP/1.1 407 Login\r\nContent-Length: 0\r\n\r\n").await;
    let fetched = fetch(through(&format!("http://{}", proxy.address)), "http://8.8.8.8/").await;
    assert_eq!(fetched.outcome, failed);
    let nobody = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap();
    for way in ["http", "socks5"] {
        let fetched = fetch(through(&format!("{way}://{nobody}")), "http://8.8.8.8/").await;
        assert_eq!(fetched.outcome, failed);
    }
}

/// A SOCKS5 server that answers every request with this code, and for 0 serves a page. It records login and target.
async fn socks(
    login: Option<(&'static str, &'static str)>,
    code: u8,
) -> (SocketAddr, Arc<Mutex<Vec<SocketAddr>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let targets = Arc::new(Mutex::new(Vec::new()));
    let remembered = targets.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let remembered = remembered.clone();
            tokio::spawn(async move {
                let targets = remembered;
                assert_eq!(stream.read_u8().await?, 5);
                let mut methods = vec![0; usize::from(stream.read_u8().await?)];
                stream.read_exact(&mut methods).await?;
                let method = if login.is_some() { 2 } else { 0 };
                if !methods.contains(&method) {
                    stream.write_all(&[5, 0xff]).await?;
                    return Ok(());
                }
                stream.write_all(&[5, method]).await?;
                if let Some((user, password)) = login {
                    assert_eq!(stream.read_u8().await?, 1);
                    let mut told = Vec::new();
                    for _ in 0..2 {
                        let mut part = vec![0; usize::from(stream.read_u8().await?)];
                        stream.read_exact(&mut part).await?;
                        told.push(part);
                    }
                    let right = told == [user.as_bytes(), password.as_bytes()];
                    stream.write_all(&[1, u8::from(!right)]).await?;
                }
                let mut request = [0; 4];
                stream.read_exact(&mut request).await?;
                assert_eq!(request[..3], [5, 1, 0]);
                let ip = if request[3] == 1 {
                    IpAddr::from(stream.read_u32().await?.to_be_bytes())
                } else {
                    IpAddr::from(stream.read_u128().await?.to_be_bytes())
                };
                let port = stream.read_u16().await?;
                targets.lock().unwrap().push(SocketAddr::new(ip, port));
                stream.write_all(&[5, code, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
                while code == 0 && read_head(&mut stream).await.is_some() {
                    stream.write_all(page("by socks").as_bytes()).await?;
                }
                Ok::<(), std::io::Error>(())
            });
        }
    });
    (address, targets)
}

#[tokio::test]
async fn a_socks_server_gets_the_checked_address() {
    let (proxy, targets) = socks(None, 0).await;
    let fetched = fetch(through(&format!("socks5://{proxy}")), "http://8.8.8.8/").await;
    assert_eq!(
        (&fetched.body[..], fetched.ip),
        (&b"by socks"[..], Some("8.8.8.8".parse().unwrap()))
    );
    let fetched = fetch(
        through(&format!("socks5://{proxy}")),
        "http://[2606:4700::1111]:81/",
    )
    .await;
    assert_eq!(fetched.body, "by socks");
    let asked: Vec<String> = targets.lock().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(asked, ["8.8.8.8:80", "[2606:4700::1111]:81"]);
}

#[tokio::test]
async fn a_socks_server_is_told_the_login_it_wants() {
    let (proxy, _) = socks(Some(("me", "p@ss")), 0).await;
    let fetched = fetch(through(&format!("socks5://me:p%40ss@{proxy}")), "http://8.8.8.8/").await;
    assert_eq!(fetched.body, "by socks");
    for wrong in ["me:wrong@", ""] {
        let fetched = fetch(through(&format!("socks5://{wrong}{proxy}")), "http://8.8.8.8/").await;
        assert_eq!(fetched.outcome, Outcome::Failed(Failure::Proxy), "{wrong}");
    }
}

#[tokio::test]
async fn what_a_socks_server_says_of_the_target_is_not_its_own_failure() {
    for (code, failure) in [
        (1, Failure::Proxy),
        (2, Failure::Proxy),
        (3, Failure::Connect),
        (4, Failure::Connect),
        (5, Failure::Connect),
        (6, Failure::ConnectTimeout),
        (9, Failure::Proxy),
    ] {
        let (proxy, _) = socks(None, code).await;
        let fetched = fetch(through(&format!("socks5://{proxy}")), "http://8.8.8.8/").await;
        assert_eq!(fetched.outcome, Outcome::Failed(failure), "{code}");
    }
}
