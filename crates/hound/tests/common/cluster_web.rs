//! A web of many sites, and nodes of `hound` that crawl it together.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use scenthound_testweb::{
    NAMES_NET, NamesServing, ProxyOptions, ProxyServing, SiteResponse, TestSite, serve_names, serve_proxy,
};

use super::Workspace;

/// Sites `site0.test`, `site1.test`…, each a chain of pages that also link to other sites. Every page can be reached from the
/// first, and every site is linked from several others.
pub struct Sites {
    pub sites: usize,
    pub pages: usize,
}

impl Sites {
    fn page(&self, site: usize, page: usize) -> SiteResponse {
        let mut links = String::new();
        let mut link = |site: usize, page: usize| {
            let site = site % self.sites;
            links.push_str(&format!(
                "<a href=\"http://site{site}.test/{page}\">tea {site} {page}</a>\n"
            ));
        };
        if page + 1 < self.pages {
            link(site, page + 1);
        }
        if page + 2 < self.pages {
            link(site, page + 2);
        }
        // Two sites further on for every page: a tree over all sites, and a few cross links.
        link(2 * site + 1, 0);
        link(2 * site + 2, 0);
        link(site * 7 + page, page % self.pages);
        let words = format!(
            "green tea of site {site}, page {page}; leaves {}",
            site * 1_000 + page
        );
        // Pages are about tea more and less.
        let cars = "Motor cars have engines and wheels. ".repeat((site + page) % 4);
        SiteResponse::html(format!(
            "<html><head><title>tea {site} {page}</title></head><body><p>{words}</p><p>{cars}</p>{links}</body></html>"
        ))
    }
}

impl TestSite for Sites {
    fn answer(&self, host: &str, path: &str) -> SiteResponse {
        let site = host
            .strip_prefix("site")
            .and_then(|rest| rest.strip_suffix(".test"));
        let site = site
            .and_then(|number| number.parse().ok())
            .filter(|site| *site < self.sites);
        let page = path
            .trim_start_matches('/')
            .parse()
            .ok()
            .filter(|page| *page < self.pages);
        match (site, page) {
            (Some(site), Some(page)) => self.page(site, page),
            _ => SiteResponse::missing(),
        }
    }

    fn hosts(&self) -> Vec<String> {
        (0..self.sites).map(|site| format!("site{site}.test")).collect()
    }
}

/// The sites, served.
pub struct Field {
    pub web: ProxyServing,
    names: NamesServing,
    pub workspace: Workspace,
    pub delay: Duration,
}

impl Field {
    pub fn serve(sites: Sites, delay: Duration, latency: Duration) -> Field {
        let options = ProxyOptions {
            latency,
            ..ProxyOptions::default()
        };
        Field {
            web: serve_proxy(Arc::new(sites), options).unwrap(),
            names: serve_names(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap(),
            workspace: Workspace::new(),
            delay,
        }
    }

    /// The arguments of a crawl of everything into a folder.
    pub fn arguments(&self, folder: &str) -> Vec<String> {
        let delay = format!("{}ms", self.delay.as_millis());
        let proxy = format!("http://{}", self.web.address());
        let resolver = self.names.address().to_string();
        let given = [
            "crawl",
            "green tea",
            "http://site0.test/0",
            "-o",
            folder,
            "--strategy",
            "breadth-first",
            "--delay",
            &delay,
            "--ip-delay",
            "0s",
            "--proxy",
            &proxy,
            "--resolver",
            &resolver,
            "--allow-net",
            NAMES_NET,
            "--allow-traps",
            "--follow-duplicates",
            "--depth",
            "1000",
            "--seed",
            "1",
            "--concurrency",
            "64",
        ];
        given.iter().map(|argument| (*argument).to_owned()).collect()
    }

    /// Starts a node.
    pub fn node(&self, address: &str, name: &str, more: &[&str]) -> Node {
        self.start_node(self.arguments("together"), address, name, more)
    }

    /// Starts a node with other values of some options.
    pub fn node_with(&self, address: &str, name: &str, other: &[(&str, &str)]) -> Node {
        let mut arguments = self.arguments("together");
        for (option, value) in other {
            let at = arguments.iter().position(|argument| argument == option).unwrap();
            arguments[at + 1] = (*value).to_owned();
        }
        self.start_node(arguments, address, name, &[])
    }

    fn start_node(&self, mut arguments: Vec<String>, address: &str, name: &str, more: &[&str]) -> Node {
        arguments.extend(["--cluster", address, "--node", name, "--lease", "6"].map(str::to_owned));
        arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.workspace.path(&format!("{name}.log")))
            .unwrap();
        let child = self
            .workspace
            .command(&arguments)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        Node {
            child,
            folder: self.workspace.path(&format!("together/node-{name}")),
            log: self.workspace.path(&format!("{name}.log")),
        }
    }

    /// Requests answered so far.
    pub fn served(&self) -> usize {
        usize::try_from(self.web.served()).unwrap()
    }

    /// The two closest requests to one host, whoever made them.
    ///
    /// A request whose answer is in the records of a node was seen here before the node had its answer, and the node let the host
    /// rest from then on. A node that was killed never learnt of the answers to its last requests: nothing says how long such a
    /// request waited here before it was seen, so these are compared apart from the others.
    pub fn closest(&self, nodes: &[&Path]) -> Closest {
        let mut recorded: BTreeMap<String, usize> = BTreeMap::new();
        for record in records(nodes) {
            if record["unasked"] != true {
                let url = record["url"].as_str().unwrap().to_owned();
                *recorded.entry(url).or_default() += 1;
            }
        }
        let requested = self.requests();
        let mut last: BTreeMap<String, (std::time::Instant, String)> = BTreeMap::new();
        let mut closest = Closest::default();
        let mut requests = self.web.requests();
        requests.sort_by_key(|request| request.started);
        for request in requests {
            let url = format!("http://{}{}", request.host, request.path);
            let Some((before, earlier)) = last.insert(request.host, (request.started, url.clone())) else {
                continue;
            };
            let apart = request.started.duration_since(before);
            let is_recorded = recorded.get(&earlier) >= requested.get(&earlier);
            let known = match is_recorded {
                true => &mut closest.recorded,
                false => &mut closest.lost,
            };
            if known.as_ref().is_none_or(|(known, _)| apart < *known) {
                *known = Some((apart, format!("{earlier} then {url}")));
            }
        }
        closest
    }

    /// How often each page was requested.
    pub fn requests(&self) -> BTreeMap<String, usize> {
        let mut times = BTreeMap::new();
        for request in self.web.requests() {
            *times
                .entry(format!("http://{}{}", request.host, request.path))
                .or_default() += 1;
        }
        times
    }
}

/// The two closest requests to one host.
#[derive(Debug, Default)]
pub struct Closest {
    /// The first of them is in the records.
    pub recorded: Option<(Duration, String)>,
    /// The first of them was made by a node that was killed before it could record the answer.
    pub lost: Option<(Duration, String)>,
}

/// One `hound` of several.
pub struct Node {
    pub child: Child,
    pub folder: PathBuf,
    pub log: PathBuf,
}

impl Node {
    /// Sends a signal.
    pub fn signal(&self, name: &str) {
        let sent = std::process::Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits until it ends, which must be well.
    pub fn finish(&mut self) {
        let status = self.child.wait().unwrap();
        let said = std::fs::read_to_string(&self.log).unwrap();
        assert!(status.success(), "{}: {status}\n{said}", self.folder.display());
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The records of these folders.
fn records(folders: &[&Path]) -> Vec<serde_json::Value> {
    let texts = folders
        .iter()
        .filter_map(|folder| std::fs::read_to_string(folder.join("pages/pages.jsonl")).ok());
    texts.flat_map(|text| super::json_lines(&text)).collect()
}

/// The pages that are settled according to the records of these folders.
pub fn settled(folders: &[&Path]) -> BTreeSet<String> {
    records(folders)
        .into_iter()
        .filter(|record| record["kind"] == "page" && record["will_retry"] != true)
        .map(|record| record["url"].as_str().unwrap().to_owned())
        .collect()
}

/// A connection to Redis that can be cut: nothing passes, and nobody is told.
pub struct Cable {
    port: u16,
    is_cut: Arc<AtomicBool>,
}

impl Cable {
    /// A cable to this port on loopback.
    pub fn to(port: u16) -> Cable {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let cable = Cable {
            port: listener.local_addr().unwrap().port(),
            is_cut: Arc::default(),
        };
        let is_cut = cable.is_cut.clone();
        std::thread::spawn(move || {
            for here in listener.incoming() {
                // While Redis is down, whoever connects is hung up on.
                let (here, Ok(there)) = (here.unwrap(), TcpStream::connect(("127.0.0.1", port))) else {
                    continue;
                };
                for (from, to) in [(&here, &there), (&there, &here)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let is_cut = is_cut.clone();
                    std::thread::spawn(move || pass(from, to, &is_cut));
                }
            }
        });
        cable
    }

    pub fn address(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::Relaxed);
    }
}

/// Passes bytes on, and swallows them while the cable is cut.
fn pass(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut buffer = [0; 16_384];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if !is_cut.load(Ordering::Relaxed) && to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}
