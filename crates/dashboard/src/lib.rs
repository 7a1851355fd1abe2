//! The dashboard: crawls in a browser, and an HTTP interface to see, search and steer them.
//!
//! A [`Dashboard`] serves crawl folders, finished or running, several side by side. It reads them as any other program would:
//! the page records as they grow, the figures that a running crawl writes once a second, the archive, the search index. It
//! holds no handle on a crawl, so it makes no difference whether the crawl runs in this process, in another or not at all.
//!
//! **Invariant:** reading changes nothing in a folder but its search index. What people ask of a crawl goes to the journal in
//! its folder ([`scenthound_store::Request`]), which the crawl reads by itself.
//!
//! **Invariant:** nobody who looks can slow the crawl down by much. Answers that many ask for are made once; a few threads of
//! low priority do all the work; clients, connections and times are bounded.
//!
//! Deliberately absent: anything that is loaded from elsewhere. The front end is a few files that are part of the program.

#![allow(
    clippy::disallowed_methods,
    reason = "a server waits for people, so it reads the clock"
)]

mod api;
mod brief;
mod connection;
mod crawl;
mod error;
mod events;
mod follow;
mod guard;
mod index;
mod searching;
mod state;
mod tickets;
mod ui;

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;

pub use crate::error::DashboardError;
use crate::events::message;
use crate::guard::Guard;
use crate::state::Served;

/// How often clients are told what has changed.
const TICK: Duration = Duration::from_secs(1);
/// Without changes, clients are sent a sign of life this often.
const SIGN_OF_LIFE: u32 = 15;
/// How much the dashboard's threads step back for others.
const NICENESS: i32 = 10;

/// What to serve, and to whom.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DashboardSettings {
    /// The address to listen on.
    pub addr: SocketAddr,
    /// Crawl folders, and folders with reports.
    pub folders: Vec<PathBuf>,
    /// The token; random on loopback if none is given.
    pub token: Option<String>,
    /// Names, besides addresses and localhost, that the dashboard may be reached under.
    pub names: Vec<String>,
    /// Whether all changes are refused.
    pub is_read_only: bool,
}

impl DashboardSettings {
    /// Serves these folders on an address.
    pub fn new(addr: SocketAddr, folders: Vec<PathBuf>) -> DashboardSettings {
        DashboardSettings {
            addr,
            folders,
            token: None,
            names: Vec::new(),
            is_read_only: false,
        }
    }
}

/// A dashboard that is being served, until it is dropped.
#[derive(Debug)]
pub struct Dashboard {
    addr: SocketAddr,
    served: Arc<Served>,
    runtime: Option<Runtime>,
}

impl Dashboard {
    /// Starts serving.
    pub fn start(settings: DashboardSettings) -> Result<Dashboard, DashboardError> {
        let guard = Guard::new(
            settings.addr,
            settings.token,
            settings.names,
            settings.is_read_only,
        )?;
        let served = Arc::new(Served::new(guard, &settings.folders)?);
        let listen = |source| DashboardError::Listen {
            addr: settings.addr,
            source,
        };
        let listener = TcpListener::bind(settings.addr).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let addr = listener.local_addr().map_err(listen)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(4)
            .thread_name("dashboard")
            .on_thread_start(step_back)
            .enable_all()
            .build()
            .map_err(DashboardError::Threads)?;
        let router = ui::router()
            .merge(api::router())
            .layer(axum::middleware::from_fn_with_state(
                Arc::clone(&served),
                guard::guard,
            ))
            .with_state(Arc::clone(&served));
        let listener = {
            let _inside = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(listen)?
        };
        runtime.spawn(connection::accept(listener, router));
        runtime.spawn(tell(Arc::clone(&served)));
        // The first visitor should not have to wait until the records are read.
        let warming = Arc::clone(&served);
        runtime.spawn_blocking(move || warming.crawls.iter().for_each(|crawl| crawl.read_all()));
        Ok(Dashboard {
            addr,
            served,
            runtime: Some(runtime),
        })
    }

    /// The address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The token that changes need.
    pub fn token(&self) -> &str {
        self.served.guard.token()
    }

    /// The address for a browser. The token is in the fragment, which browsers do not send to anybody.
    pub fn url(&self) -> String {
        if self.served.guard.is_read_only() && !self.served.guard.is_closed() {
            return format!("http://{}/", self.addr);
        }
        format!("http://{}/#token={}", self.addr, self.token())
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        for crawl in &self.served.crawls {
            crawl::lock(&crawl.stop_job).stop();
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_millis(300));
        }
    }
}

/// Lets the crawl go first. Where the system has no priorities for threads, nothing happens.
fn step_back() {
    #[cfg(target_os = "linux")]
    {
        // On Linux this concerns the calling thread only. It may fail without harm.
        let _ = rustix::process::nice(NICENESS);
    }
}

/// Tells everybody who listens what has changed, once a second. While nobody listens, it does nothing.
async fn tell(served: Arc<Served>) {
    let mut last = String::new();
    let mut quiet = 0;
    let mut clock = tokio::time::interval(TICK);
    clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        clock.tick().await;
        if served.hub.clients() == 0 {
            continue;
        }
        let Ok(now) = served.read(api::tick).await else {
            continue;
        };
        quiet += 1;
        if now != last || quiet >= SIGN_OF_LIFE {
            served.hub.send(&message("tick", &now));
            last = now;
            quiet = 0;
        }
    }
}
