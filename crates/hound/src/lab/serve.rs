//! `hound lab serve`: any recorded or synthetic web on loopback, for the live crawler.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use scenthound_lab::ArchiveSite;
use scenthound_lab::recorded::WebFolder;
use scenthound_testweb::{Errors, NAMES_NET, ProxyOptions, TestSite, serve_names, serve_proxy};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::webs::{self, SYNTH};
use crate::pages_input::bad_input;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The web: a folder with an archive, a WARC file, a crawl folder, or synth:NAME.
    #[arg(value_name = "WEB")]
    web: PathBuf,
    /// Where the proxy listens; port 0 for any free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    addr: SocketAddr,
    /// How long every answer takes.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = super::runs::read_time)]
    latency: Duration,
    /// Share of the URLs that answer with status 500, always the same ones.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    failures: f64,
    /// Share of the URLs whose connection is closed without an answer.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    hang_ups: f64,
    /// Where the certificate of the made-up authority is written [default: a temporary file].
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    let site: Arc<dyn TestSite> = match args.web.to_str().and_then(|path| path.strip_prefix(SYNTH)) {
        Some(name) => Arc::new(webs::synthetic(name)?.0),
        None => {
            let folder = WebFolder::open(&args.web).map_err(|fault| bad_input(fault.to_string()))?;
            let bar = webs::spinner(&format!("reading {}", folder.name));
            let site = ArchiveSite::open(&folder.archives)?;
            bar.finish_and_clear();
            Arc::new(site)
        }
    };
    let hosts = site.hosts().len();
    let errors = Errors {
        failures: args.failures,
        hang_ups: args.hang_ups,
        seed: 0,
    };
    errors.check().map_err(|fault| bad_input(fault.to_string()))?;
    let proxy = serve_proxy(
        site,
        ProxyOptions {
            listen: args.addr,
            latency: args.latency,
            errors,
            log: false,
        },
    )?;
    let names = serve_names(SocketAddr::from(([127, 0, 0, 1], 0)))?;
    let mut temporary = None;
    let ca_file = match &args.ca_file {
        Some(path) => {
            std::fs::write(path, proxy.ca_pem())
                .with_context(|| format!("{} cannot be written", path.display()))?;
            path.clone()
        }
        None => {
            let mut file = tempfile::Builder::new()
                .prefix("hound-lab-")
                .suffix(".pem")
                .tempfile()?;
            file.write_all(proxy.ca_pem().as_bytes())?;
            let path = file.path().to_owned();
            temporary = Some(file);
            path
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, stop.clone())?;
    }
    note!(
        "serving {} ({hosts} hosts); Ctrl-C ends it. Crawl it with",
        args.web.display()
    );
    say!(
        "--proxy http://{} --ca-file {} --resolver {} --allow-net {NAMES_NET}",
        proxy.address(),
        ca_file.display(),
        names.address()
    );
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
    note!("{} requests answered", proxy.served());
    drop(temporary);
    proxy.stop();
    Ok(())
}
