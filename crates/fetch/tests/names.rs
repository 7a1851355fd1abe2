//! Name resolution with a real (if tiny) name server that answers as a test tells it.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "test support outside test functions"
)]

mod server;

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use scenthound_fetch::{AddressGate, FetchSettings, Fetcher, NotYet, Want};
use scenthound_types::{CanonicalUrl, Failure, Outcome, Refusal};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};

use crate::server::{Served, fetcher, page, settings};

#[derive(Clone)]
enum Says {
    Addresses(Vec<IpAddr>),
    /// The answer does not fit into a datagram: ask again over TCP.
    OnlyByTcp(Vec<IpAddr>),
    NoSuchName,
    ServerFailure,
    Nothing,
}

struct NameServer {
    address: SocketAddr,
    questions: Arc<AtomicUsize>,
}

/// A port that is free for UDP may be in use for TCP by a concurrent test; then the next one is tried.
async fn both_on_one_port() -> (UdpSocket, TcpListener) {
    loop {
        let udp = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        match TcpListener::bind(udp.local_addr().unwrap()).await {
            Ok(tcp) => return (udp, tcp),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse, "{error}"),
        }
    }
}

impl NameServer {
    async fn start(zone: impl IntoIterator<Item = (&'static str, Says)>) -> NameServer {
        let zone: HashMap<String, Says> = zone
            .into_iter()
            .map(|(name, says)| (name.to_owned(), says))
            .collect();
        let zone = Arc::new(zone);
        let (udp, tcp) = both_on_one_port().await;
        let address = udp.local_addr().unwrap();
        let questions = Arc::new(AtomicUsize::new(0));
        let (counted, by_udp) = (questions.clone(), zone.clone());
        tokio::spawn(async move {
            let mut buffer = [0; 1500];
            while let Ok((length, from)) = udp.recv_from(&mut buffer).await {
                counted.fetch_add(1, Ordering::SeqCst);
                if let Some(answer) = answer(&buffer[..length], &by_udp, false) {
                    let _ = udp.send_to(&answer, from).await;
                }
            }
        });
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = tcp.accept().await {
                let zone = zone.clone();
                tokio::spawn(async move {
                    while let Ok(length) = stream.read_u16().await {
                        let mut question = vec![0; usize::from(length)];
                        stream.read_exact(&mut question).await.unwrap();
                        let Some(answer) = answer(&question, &zone, true) else {
                            return;
                        };
                        stream
                            .write_u16(u16::try_from(answer.len()).unwrap())
                            .await
                            .unwrap();
                        stream.write_all(&answer).await.unwrap();
                    }
                });
            }
        });
        NameServer { address, questions }
    }

    fn settings(&self) -> FetchSettings {
        let mut settings = settings();
        settings.resolver = Some(self.address);
        settings.limits.resolve = Duration::from_millis(500);
        settings
    }
}

/// The answer to a question; `None` to stay silent.
fn answer(question: &[u8], zone: &HashMap<String, Says>, by_tcp: bool) -> Option<Vec<u8>> {
    let (mut at, mut labels) = (12, Vec::new());
    while question[at] != 0 {
        let length = usize::from(question[at]);
        labels.push(String::from_utf8_lossy(&question[at + 1..at + 1 + length]).to_lowercase());
        at += length + 1;
    }
    let v6 = question[at + 2] == 28;
    let asked = &question[12..at + 5];
    let (code, truncated, addresses) = match zone.get(&labels.join(".")).cloned() {
        Some(Says::Addresses(addresses)) => (0, false, addresses),
        Some(Says::OnlyByTcp(addresses)) if by_tcp => (0, false, addresses),
        Some(Says::OnlyByTcp(_)) => (0, true, Vec::new()),
        Some(Says::ServerFailure) => (2, false, Vec::new()),
        Some(Says::Nothing) => return None,
        Some(Says::NoSuchName) | None => (3, false, Vec::new()),
    };
    let records: Vec<IpAddr> = addresses.into_iter().filter(|ip| ip.is_ipv6() == v6).collect();
    let mut answer = question[..2].to_vec();
    answer.extend([0x81 | if truncated { 2 } else { 0 }, 0x80 | code]);
    answer.extend([0, 1, 0, u8::try_from(records.len()).unwrap(), 0, 0, 0, 0]);
    answer.extend(asked);
    for record in records {
        let data = match record {
            IpAddr::V4(ip) => ip.octets().to_vec(),
            IpAddr::V6(ip) => ip.octets().to_vec(),
        };
        answer.extend([0xc0, 12, 0, if v6 { 28 } else { 1 }, 0, 1, 0, 0, 1, 44, 0]);
        answer.push(u8::try_from(data.len()).unwrap());
        answer.extend(data);
    }
    Some(answer)
}

fn addresses(addresses: &[&str]) -> Says {
    Says::Addresses(addresses.iter().map(|ip| ip.parse().unwrap()).collect())
}

async fn located(fetcher: &Fetcher, url: &str) -> Result<Vec<String>, Outcome> {
    let located = fetcher.locate(&CanonicalUrl::parse(url).unwrap()).await?;
    assert_eq!(located.ip(), located.addresses()[0].ip());
    Ok(located.addresses().iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn a_public_name_that_leads_home_is_refused() {
    let names = NameServer::start([
        ("rebind.example", addresses(&["127.0.0.1"])),
        ("six.example", addresses(&["::1", "::ffff:10.0.0.1"])),
        (
            "mixed.example",
            addresses(&["10.0.0.1", "8.8.4.4", "::1", "2606:4700::1111"]),
        ),
    ])
    .await;
    let mut settings = names.settings();
    settings.allowed_nets.clear();
    let fetcher = fetcher(settings);
    let refused = Err(Outcome::Refused(Refusal::Address));
    assert_eq!(located(&fetcher, "http://rebind.example/").await, refused);
    assert_eq!(located(&fetcher, "http://six.example/").await, refused);
    assert_eq!(
        located(&fetcher, "https://mixed.example/").await.unwrap(),
        ["8.8.4.4:443", "[2606:4700::1111]:443"]
    );
}

#[tokio::test]
async fn what_a_name_server_can_do_has_an_outcome_each() {
    let names = NameServer::start([
        ("there.example", addresses(&["8.8.8.8"])),
        ("under_score.example", addresses(&["8.8.8.8"])),
        ("big.example", Says::OnlyByTcp(vec!["8.8.4.4".parse().unwrap()])),
        ("empty.example", addresses(&[])),
        ("gone.example", Says::NoSuchName),
        ("broken.example", Says::ServerFailure),
        ("silent.example", Says::Nothing),
    ])
    .await;
    let fetcher = fetcher(names.settings());
    let no_name = Err(Outcome::Failed(Failure::DnsNoName));
    let error = Err(Outcome::Failed(Failure::DnsError));
    assert_eq!(
        located(&fetcher, "http://there.example:81/").await.unwrap(),
        ["8.8.8.8:81"]
    );
    assert_eq!(
        located(&fetcher, "http://there.example./").await.unwrap(),
        ["8.8.8.8:80"]
    );
    assert_eq!(
        located(&fetcher, "http://under_score.example/").await.unwrap(),
        ["8.8.8.8:80"]
    );
    assert_eq!(
        located(&fetcher, "http://big.example/").await.unwrap(),
        ["8.8.4.4:80"]
    );
    assert_eq!(located(&fetcher, "http://empty.example/").await, no_name);
    assert_eq!(located(&fetcher, "http://gone.example/").await, no_name);
    assert_eq!(
        located(&fetcher, &format!("http://{}.example/", "x".repeat(70))).await,
        no_name
    );
    assert_eq!(located(&fetcher, "http://broken.example/").await, error);
    assert_eq!(located(&fetcher, "http://silent.example/").await, error);
}

#[tokio::test]
async fn an_answer_is_kept_and_not_asked_for_again() {
    let names = NameServer::start([("there.example", addresses(&["8.8.8.8"]))]).await;
    let fetcher = fetcher(names.settings());
    located(&fetcher, "http://there.example/a").await.unwrap();
    let asked = names.questions.load(Ordering::SeqCst);
    for _ in 0..10 {
        located(&fetcher, "http://there.example/b").await.unwrap();
    }
    assert_eq!(names.questions.load(Ordering::SeqCst), asked);
}

#[tokio::test]
async fn the_next_address_is_tried_when_the_first_does_not_answer() {
    let server = Served::always(page("found")).await;
    let names = NameServer::start([("two.example", addresses(&["127.0.0.9", "127.0.0.1"]))]).await;
    let fetcher = fetcher(names.settings());
    let url = CanonicalUrl::parse(&format!("http://two.example:{}/", server.address.port())).unwrap();
    let at = fetcher.locate(&url).await.unwrap();
    assert_eq!(at.addresses().len(), 2);
    let fetched = fetcher.fetch(&url, &at, Want::Page).await;
    assert_eq!(
        (&fetched.body[..], fetched.ip),
        (&b"found"[..], Some(server.address.ip()))
    );
}

/// Lets nothing through to one address for a while, and notes which were claimed.
struct Busy {
    address: IpAddr,
    free_from: Instant,
    claimed: Mutex<Vec<IpAddr>>,
}

impl AddressGate for Busy {
    fn claim(&self, address: IpAddr) -> Result<(), Duration> {
        let left = self.free_from.saturating_duration_since(Instant::now());
        if address == self.address && !left.is_zero() {
            return Err(left);
        }
        self.claimed.lock().unwrap().push(address);
        Ok(())
    }
}

#[tokio::test]
async fn every_address_that_is_tried_is_claimed_first() {
    let server = Served::always(page("found")).await;
    let names = NameServer::start([("two.example", addresses(&["127.0.0.9", "127.0.0.1"]))]).await;
    let fetcher = fetcher(names.settings());
    let url = CanonicalUrl::parse(&format!("http://two.example:{}/", server.address.port())).unwrap();
    let at = fetcher.locate(&url).await.unwrap();
    let started = Instant::now();
    let gate = Busy {
        address: server.address.ip(),
        free_from: started + Duration::from_millis(300),
        claimed: Mutex::default(),
    };
    let fetched = fetcher
        .fetch_when_free(&url, &at, Want::Page, &gate)
        .await
        .unwrap();
    assert_eq!(fetched.body, "found");
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!(
        *gate.claimed.lock().unwrap(),
        [at.addresses()[0].ip(), server.address.ip()]
    );
    // The kept connection leads to the second address, so that is the one that counts.
    let gate = Busy {
        free_from: Instant::now() + Duration::from_secs(60),
        ..gate
    };
    let early = fetcher.fetch_when_free(&url, &at, Want::Page, &gate).await;
    assert!(matches!(early, Err(NotYet(_))));
    assert_eq!((server.requests().len(), server.connections()), (1, 1));
}
