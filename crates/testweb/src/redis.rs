//! Real Redis servers for tests: one, or a cluster of them.
//!
//! Each lives in a folder of its own under the system's folder for temporary files, listens on loopback only and ends when it is
//! dropped, or when the process that started it ends, however that happens.
//!
//! Deliberately absent: speaking to them. Commands go through `redis-cli`.

use std::io::{self, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// How often a server is asked whether it is there yet, and for how long.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSES: u32 = 1_200;

/// Runs a server until the other end of its input is closed, and then removes its folder unless it is told to keep it.
const WATCH: &str = r#"folder="$1"; shift; redis-server "$@" & read -r what; kill -9 $!; wait
[ "$what" = keep ] || rm -rf "$folder""#;

/// One `redis-server`.
#[derive(Debug)]
pub struct RedisServer {
    port: u16,
    folder: PathBuf,
    arguments: Vec<String>,
    process: Option<Child>,
}

impl RedisServer {
    /// Starts a server with these arguments after the usual ones: append-only, no snapshots. None if none is installed.
    pub fn start(arguments: &[&str]) -> io::Result<Option<RedisServer>> {
        static STARTED: AtomicU64 = AtomicU64::new(0);
        // A cluster also listens at the port ten thousand higher.
        let port = loop {
            let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            if port < 50_000 && TcpListener::bind(("127.0.0.1", port + 10_000)).is_ok() {
                break port;
            }
        };
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("hound-redis-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let mut server = RedisServer {
            port,
            folder,
            arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            process: None,
        };
        match server.restart() {
            Ok(()) => Ok(Some(server)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Starts it again after [`RedisServer::kill`].
    pub fn restart(&mut self) -> io::Result<()> {
        Command::new("redis-server").arg("--version").output()?;
        let process = Command::new("sh")
            .args(["-c", WATCH, "sh"])
            .arg(&self.folder)
            .args([
                "--port",
                &self.port.to_string(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
            ])
            .args(["--appendonly", "yes", "--dir"])
            .arg(&self.folder)
            .args(["--logfile", "server.log"])
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        self.process = Some(process);
        for _ in 0..PAUSES {
            // Any answer will do, a refusal too.
            if !self.cli(&["PING"])?.contains("Could not connect") {
                return Ok(());
            }
            sleep(PAUSE);
        }
        Err(io::Error::from(io::ErrorKind::TimedOut))
    }

    /// Ends it at once, as a power failure would.
    pub fn kill(&mut self) {
        self.end(b"keep\n");
    }

    fn end(&mut self, word: &[u8]) {
        if let Some(mut process) = self.process.take() {
            if let Some(mut input) = process.stdin.take() {
                let _ = input.write_all(word);
            }
            let _ = process.wait();
        }
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where a client finds it.
    pub fn address(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// What `redis-cli` prints for a command.
    pub fn cli(&self, command: &[&str]) -> io::Result<String> {
        let output = Command::new("redis-cli")
            .args(["-p", &self.port.to_string()])
            .args(command)
            .output()?;
        let text = [output.stdout, output.stderr].concat();
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.end(b"remove\n");
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A cluster of masters, each with the same number of replicas.
#[derive(Debug)]
pub struct RedisCluster {
    /// Masters first, as they were at the start.
    pub servers: Vec<RedisServer>,
}

impl RedisCluster {
    /// Starts a cluster. None if no `redis-server` is installed.
    pub fn start(masters: usize, replicas: usize) -> io::Result<Option<RedisCluster>> {
        let mut servers = Vec::new();
        for _ in 0..masters * (1 + replicas) {
            let options = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"];
            match RedisServer::start(&options)? {
                Some(server) => servers.push(server),
                None => return Ok(None),
            }
        }
        let cluster = RedisCluster { servers };
        let places = cluster
            .servers
            .iter()
            .map(|server| format!("127.0.0.1:{}", server.port));
        let Some(first) = cluster.servers.first() else {
            return Ok(None);
        };
        let made = Command::new("redis-cli")
            .args(["--cluster", "create"])
            .args(places)
            .args(["--cluster-replicas", &replicas.to_string(), "--cluster-yes"])
            .output()?;
        if !made.status.success() {
            let said = String::from_utf8_lossy(&made.stdout).into_owned();
            return Err(io::Error::other(said));
        }
        for _ in 0..PAUSES {
            let mut are_ready = true;
            for server in &cluster.servers {
                let info = server.cli(&["CLUSTER", "INFO"])?;
                are_ready &= info.contains("cluster_state:ok");
                let info = server.cli(&["INFO", "replication"])?;
                are_ready &= info.contains("role:master") || info.contains("master_link_status:up");
            }
            if are_ready {
                return Ok(Some(cluster));
            }
            sleep(PAUSE);
        }
        let said = first.cli(&["CLUSTER", "NODES"])?;
        Err(io::Error::new(io::ErrorKind::TimedOut, said))
    }

    /// Where a client finds it.
    pub fn address(&self) -> String {
        let places = self
            .servers
            .iter()
            .map(|server| format!("127.0.0.1:{}", server.port));
        format!("redis://{}", places.collect::<Vec<_>>().join(","))
    }
}
