//! `hound serve`, and the dashboard of `hound crawl --dashboard`. [`scenthound_dashboard`] does the work.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use scenthound::StopHandle;
use scenthound_dashboard::{Dashboard, DashboardError, DashboardSettings};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::crawl::IS_OVER;
use crate::fault::bad_input;

/// The environment variable for the token. Unlike an option, other users of the machine cannot see it.
pub const TOKEN: &str = "SCENTHOUND_TOKEN";

/// Show crawls in a browser.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:
  hound serve tea                          open the address it prints
  hound serve tea coffee lab-results       several crawls, and a folder with reports of the lab
  hound serve tea --read-only              nobody can change anything
  SCENTHOUND_TOKEN=… hound serve tea --addr 0.0.0.0:8500 --host crawler.example.org

Crawls may be running or finished; they need not belong to this process. By default only this
machine can connect, and every change needs the token in the printed address. Any other address
needs a token of your own, also for reading. There is no encryption: over a network, use a tunnel
or a proxy with TLS.")]
pub struct Args {
    /// The folders of crawls, or folders with reports
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// The address to listen on; port 0 takes any free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8500", value_parser = parse_addr)]
    addr: SocketAddr,
    /// The token that changes need, of at least 16 characters [default: random; needed for an address that other machines can
    /// reach]
    #[arg(long, value_name = "TOKEN", env = TOKEN, hide_env_values = true)]
    token: Option<String>,
    /// Another name that the dashboard is reached under
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Refuse all changes
    #[arg(long)]
    read_only: bool,
}

/// Runs `hound serve`.
pub fn run(args: Args) -> Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    let mut settings = DashboardSettings::new(args.addr, scenthound::read_as_one(&args.folders)?);
    settings.token = args.token;
    settings.names = args.host;
    settings.is_read_only = args.read_only;
    let dashboard = start(settings)?;
    note!("Ctrl-C ends it");
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(dashboard);
    Ok(())
}

/// Starts a dashboard and says where it is.
fn start(settings: DashboardSettings) -> Result<Dashboard> {
    let addr = settings.addr;
    let dashboard = Dashboard::start(settings).map_err(|error| match error {
        DashboardError::NeedsToken { .. } => bad_input(format!("{error} (--token or {TOKEN})")),
        DashboardError::BadToken { .. } | DashboardError::NothingToShow(_) => bad_input(error),
        error => error.into(),
    })?;
    if !addr.ip().is_loopback() {
        note!(
            "warning: other machines can connect, and nothing is encrypted; everything but the empty page needs the token"
        );
        note!("dashboard: http://{}/", dashboard.addr());
        return Ok(dashboard);
    }
    note!("dashboard: {}", dashboard.url());
    Ok(dashboard)
}

/// An address with a port; a port alone is one of this machine.
pub fn parse_addr(text: &str) -> Result<SocketAddr, String> {
    let local = text
        .strip_prefix("localhost:")
        .or(text.strip_prefix(':'))
        .unwrap_or(text);
    match local.parse::<u16>() {
        Ok(port) => Ok(SocketAddr::from(([127, 0, 0, 1], port))),
        Err(_) => text
            .parse()
            .map_err(|_| "write an IP address and a port, such as 127.0.0.1:8500".to_owned()),
    }
}

/// Starts the dashboard of a crawl that is about to run in this process.
pub fn beside_crawl(addr: SocketAddr, folder: &Path, token: Option<&String>) -> Result<Dashboard> {
    let mut settings = DashboardSettings::new(addr, vec![folder.to_owned()]);
    settings.token = token.cloned();
    start(settings)
}

/// Goes on serving after the crawl has ended, if somebody is there to end it: until Ctrl-C on a terminal, not at all otherwise.
pub fn linger(dashboard: Dashboard, stop: &StopHandle) {
    if !std::io::stderr().is_terminal() || stop.is_stopping() {
        return;
    }
    IS_OVER.store(true, Ordering::Relaxed);
    note!(
        "The dashboard goes on at {}; Ctrl-C ends it. Later: hound serve",
        dashboard.url()
    );
    while !stop.is_stopping() {
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_one_of_this_machine() {
        let local = "127.0.0.1:8500".parse().ok();
        for text in ["8500", ":8500", "localhost:8500", "127.0.0.1:8500"] {
            assert_eq!(parse_addr(text).ok(), local, "{text}");
        }
        for text in ["", "example.org:80", "127.0.0.1", "99999"] {
            assert!(parse_addr(text).is_err(), "{text}");
        }
    }
}
