//! A bench web on loopback for tests of the whole program. It records every request.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use super::{command, text};
use scenthound_store::{CrawlView, PageRecord};
use scenthound_testweb::bench::{BenchSize, Naming};
use scenthound_testweb::{BenchWeb, Request, ServeOptions, Serving, SiteResponse, TestSite, serve};

const HOSTS: usize = 6;
pub const PAGES: usize = 480;

/// A small web whose hosts are IP addresses, so that they need no name server.
pub struct Web {
    pub serving: Serving,
    pub seed: String,
    pub urls: BTreeSet<String>,
}

impl Web {
    /// Serves the usual web.
    pub fn start() -> Web {
        let size = BenchSize {
            hosts: HOSTS,
            pages: PAGES,
            bytes: 3_000,
            links: 12,
        };
        Web::sized(size, Duration::from_millis(10))
    }

    /// Serves a web of another size and latency.
    pub fn sized(size: BenchSize, latency: Duration) -> Web {
        Web::served(size, latency, false)
    }

    /// Serves a web whose titles attack whoever shows them.
    pub fn hostile(size: BenchSize, latency: Duration) -> Web {
        Web::served(size, latency, true)
    }

    /// Serves another site, made for a port. Its hosts must be addresses; the first has a page `/p/0` to start from.
    pub fn of<S: TestSite + 'static>(make: impl Fn(u16) -> S, latency: Duration) -> Web {
        for _ in 0..20 {
            let port = TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port();
            let site = make(port);
            let hosts = site.hosts();
            let listen = hosts.iter().map(|host| format!("{host}:{port}").parse().unwrap());
            let options = ServeOptions {
                listen: listen.collect(),
                latency,
                ..ServeOptions::default()
            };
            if let Ok(serving) = serve(Arc::new(site), options) {
                return Web {
                    serving,
                    seed: format!("http://{}:{port}/p/0", hosts[0]),
                    urls: BTreeSet::new(),
                };
            }
        }
        panic!("no port is free on all addresses");
    }

    fn served(size: BenchSize, latency: Duration, is_hostile: bool) -> Web {
        // A port that is free on the first address is almost certainly free on the others; if not, try again.
        for _ in 0..20 {
            let port = TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port();
            let web = BenchWeb::new(size, Naming::Addresses { port });
            let listen: Vec<SocketAddr> = web
                .hosts()
                .iter()
                .map(|host| format!("{host}:{port}").parse().unwrap())
                .collect();
            let (seed, urls) = (web.seed(), web.urls().collect());
            let options = ServeOptions {
                listen,
                latency,
                ..ServeOptions::default()
            };
            let site: Arc<dyn TestSite> = match is_hostile {
                true => Arc::new(Hostile(web)),
                false => Arc::new(web),
            };
            if let Ok(serving) = serve(site, options) {
                return Web { serving, seed, urls };
            }
        }
        panic!("no port is free on all addresses");
    }

    pub fn crawl(&self, folder: &Path, options: &[&str]) -> Child {
        self.crawl_for("water light house", folder, options)
    }

    pub fn crawl_for(&self, topic: &str, folder: &Path, options: &[&str]) -> Child {
        self.command_for(topic, folder, options).spawn().unwrap()
    }

    /// The program, about to crawl this web.
    pub fn command(&self, folder: &Path, options: &[&str]) -> Command {
        self.command_for("water light house", folder, options)
    }

    fn command_for(&self, topic: &str, folder: &Path, options: &[&str]) -> Command {
        let always = [
            "crawl",
            topic,
            &self.seed,
            "--allow-net",
            "127.0.0.0/8",
            "-o",
            text(folder),
            "--ip-delay",
            "0s",
            "--contact",
            "test@example.org",
        ];
        let delay: &[&str] = match options.contains(&"--delay") {
            true => &[],
            false => &["--delay", "60ms"],
        };
        let mut command = command(folder.parent().unwrap(), &[&always[..], delay, options].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The first page of every host other than the seed.
    pub fn more_seeds(&self) -> Vec<&str> {
        let mut hosts: BTreeMap<&str, &str> = BTreeMap::new();
        for url in self.urls.iter().filter(|url| **url != self.seed) {
            hosts.entry(url.split('/').nth(2).unwrap()).or_insert(url);
        }
        hosts.into_values().collect()
    }

    pub fn page_requests(&self) -> Vec<(String, Request)> {
        let requests = self.serving.requests().into_iter();
        let port = self.serving.addr().port();
        requests
            .filter(|request| request.path != "/robots.txt")
            .map(|request| (format!("http://{}:{port}{}", request.host, request.path), request))
            .collect()
    }
}

/// A web whose titles attack whoever shows them.
struct Hostile(BenchWeb);

const ATTACK: &str = "<title>&lt;/title&gt;&lt;script&gt;window.pwned=1&lt;/script&gt;&lt;img src=x onerror=window.pwned=2&gt;\
    \u{202e}{{7*7}} &quot;&gt;&lt;svg onload=window.pwned=3&gt; a-very-long-word-without-any-break-that-goes-on-and-on-and-on-and-on ";

impl TestSite for Hostile {
    fn answer(&self, host: &str, path_and_query: &str) -> SiteResponse {
        let answer = self.0.answer(host, path_and_query);
        let body = String::from_utf8_lossy(&answer.body).replacen("<title>", ATTACK, 1);
        SiteResponse {
            body: body.into_bytes().into(),
            ..answer
        }
    }

    fn hosts(&self) -> Vec<String> {
        self.0.hosts()
    }
}

pub fn records(folder: &Path) -> Vec<PageRecord> {
    let pages = CrawlView::open(folder).unwrap().pages().unwrap();
    pages
        .map(|record| record.unwrap())
        .filter(|record| record.is_page())
        .collect()
}
