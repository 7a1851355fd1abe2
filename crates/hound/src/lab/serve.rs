//! `hound lab serve`: serves a recorded or synthetic web on loopback for the live crawler.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use scenthound_lab::recorded::WebFolder;
use scenthound_lab::{ArchiveSite, synthetic, synthetic_name};
use scenthound_testweb::{Errors, NAMES_NET, ProxyOptions, TestSite, serve_names, serve_proxy};
use signal_hook::consts::{SIGINT, SIGTERM};

use super::webs::spinner;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// A folder with an archive, a WARC file, a crawl folder, or synth:NAME.
    #[arg(value_name = "WEB")]
    web: PathBuf,
    /// Address the proxy listens on; port 0 takes any free port.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    addr: SocketAddr,
    /// Time that each response takes.
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = super::conditions::read_time)]
    latency: Duration,
    /// Share of URLs that return status 500; always the same URLs.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    failures: f64,
    /// Share of URLs whose connection is closed without a response.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    hang_ups: f64,
    /// Write the certificate of the test CA to this file [default: a temporary file].
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    let site: Arc<dyn TestSite> = match synthetic_name(&args.web) {
        Some(name) => Arc::new(synthetic(name)?.into_web()),
        None => {
            let folder = WebFolder::open(&args.web)?;
            let bar = spinner(&format!("reading {}", folder.name));
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
    errors.check()?;
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
                .with_context(|| format!("could not write {}", path.display()))?;
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
        "serving {} ({hosts} hosts); Ctrl-C stops it. Crawl it with",
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
