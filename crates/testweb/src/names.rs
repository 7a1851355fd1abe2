//! A name server that knows every name, so that a crawl of a served web asks nobody outside.
//!
//! Each name has its own address in 198.18.0.0/15, the network reserved for benchmarks. Nothing answers there, so a
//! crawler that ignores its proxy reaches nobody, and one that spaces requests by address does not take all hosts for
//! one. The crawler's address guard refuses that network unless it is allowed ([`NAMES_NET`]).
//!
//! Deliberately absent: IPv6 addresses, zones, and anything else a name server does.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::TestwebError;

/// The network of all names, which a crawler has to allow.
pub const NAMES_NET: &str = "198.18.0.0/15";

/// The length of a message header.
const HEADER: usize = 12;
/// How long an answer may be cached, in seconds.
const LIFE: u32 = 3_600;
/// Ports tried until one is free for both UDP and TCP.
const PORTS: u32 = 50;

/// A running name server. Dropping it stops it.
pub struct NamesServing {
    address: SocketAddr,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stopping: AtomicBool,
    questions: AtomicU64,
}

/// Answers queries at this address, over UDP and TCP; port 0 for any free one.
pub fn serve_names(listen: SocketAddr) -> Result<NamesServing, TestwebError> {
    let (udp, tcp) = both_on_one_port(listen).map_err(|source| TestwebError::Listen {
        address: listen,
        source,
    })?;
    let address = udp.local_addr().map_err(|source| TestwebError::Listen {
        address: listen,
        source,
    })?;
    let mut serving = NamesServing {
        address,
        shared: Arc::default(),
        threads: Vec::new(),
    };
    let spawn = |work: Box<dyn FnOnce() + Send>| {
        std::thread::Builder::new()
            .name("names".into())
            .spawn(work)
            .map_err(|source| TestwebError::Thread { source })
    };
    let shared = Arc::clone(&serving.shared);
    serving
        .threads
        .push(spawn(Box::new(move || shared.by_udp(&udp)))?);
    let shared = Arc::clone(&serving.shared);
    serving
        .threads
        .push(spawn(Box::new(move || shared.by_tcp(&tcp)))?);
    Ok(serving)
}

/// A port that is free for UDP may be taken for TCP; then try another, if any port will do.
fn both_on_one_port(listen: SocketAddr) -> io::Result<(UdpSocket, TcpListener)> {
    let mut tries = 0;
    loop {
        let udp = UdpSocket::bind(listen)?;
        match TcpListener::bind(udp.local_addr()?) {
            Ok(tcp) => return Ok((udp, tcp)),
            Err(error) if listen.port() != 0 || tries >= PORTS => return Err(error),
            Err(_) => tries += 1,
        }
    }
}

impl NamesServing {
    /// The address to query: what a crawler's `--resolver` needs.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of queries so far.
    pub fn questions(&self) -> u64 {
        self.shared.questions.load(Ordering::SeqCst)
    }
}

impl Drop for NamesServing {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Each thread wakes up and sees the flag; if waking fails there is nothing to wake.
        let _ = UdpSocket::bind((self.address.ip(), 0)).and_then(|socket| socket.send_to(&[], self.address));
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn by_udp(&self, socket: &UdpSocket) {
        let mut message = [0; 1500];
        loop {
            let came = socket.recv_from(&mut message);
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
            let Ok((length, from)) = came else { continue };
            let question = message.get(..length).unwrap_or_default();
            if let Some(answer) = answer(question) {
                self.questions.fetch_add(1, Ordering::SeqCst);
                let _ = socket.send_to(&answer, from);
            }
        }
    }

    fn by_tcp(self: &Arc<Self>, listener: &TcpListener) {
        loop {
            let came = listener.accept();
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
            let Ok((stream, _)) = came else { continue };
            // UDP is tried first and always answers in full, so one caller at a time is enough.
            let _ = self.converse(stream);
        }
    }

    fn converse(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        loop {
            let mut length = [0; 2];
            stream.read_exact(&mut length)?;
            let mut question = vec![0; usize::from(u16::from_be_bytes(length))];
            stream.read_exact(&mut question)?;
            let Some(answer) = answer(&question) else {
                return Ok(());
            };
            self.questions.fetch_add(1, Ordering::SeqCst);
            let length = u16::try_from(answer.len()).unwrap_or(u16::MAX);
            stream.write_all(&length.to_be_bytes())?;
            stream.write_all(&answer)?;
        }
    }
}

/// The answer to a message with one question; none for anything else.
fn answer(message: &[u8]) -> Option<Vec<u8>> {
    let id = message.get(..2)?;
    let flags = u16::from_be_bytes([*message.get(2)?, *message.get(3)?]);
    let questions = u16::from_be_bytes([*message.get(4)?, *message.get(5)?]);
    let is_query = flags & 0xf800 == 0;
    if !is_query || questions != 1 {
        return None;
    }
    let mut name = Vec::new();
    let mut at = HEADER;
    loop {
        let length = usize::from(*message.get(at)?);
        let label = message.get(at + 1..at + 1 + length)?;
        at += 1 + length;
        if length == 0 {
            break;
        }
        // Anything longer would be a pointer, or not a name at all.
        if length > 63 || name.len() + length > 255 {
            return None;
        }
        name.extend_from_slice(label);
        name.push(b'.');
    }
    let kind = message.get(at..at + 4)?;
    let is_address = kind == [0, 1, 0, 1];
    let mut answer = Vec::with_capacity(at + 4 + 16);
    answer.extend_from_slice(id);
    // Flags: a response, authoritative, recursion available, and recursion desired as in the query.
    answer.extend_from_slice(&(0x8480 | (flags & 0x0100)).to_be_bytes());
    answer.extend_from_slice(&[0, 1, 0, u8::from(is_address), 0, 0, 0, 0]);
    answer.extend_from_slice(message.get(HEADER..at + 4)?);
    if is_address {
        // A pointer to the name at the start of the question.
        answer.extend_from_slice(&[0xc0, HEADER as u8, 0, 1, 0, 1]);
        answer.extend_from_slice(&LIFE.to_be_bytes());
        answer.extend_from_slice(&[0, 4]);
        answer.extend_from_slice(&address(&name).octets());
    }
    Some(answer)
}

/// The same address for the same name, ignoring case.
fn address(name: &[u8]) -> Ipv4Addr {
    let hash = name.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193)
    });
    let [.., high, low] = (hash ^ (hash >> 16)).to_be_bytes();
    let [top, ..] = hash.to_be_bytes();
    // Neither the network's first address nor its last one.
    Ipv4Addr::new(198, 18 | (top & 1), high, low.clamp(1, 254))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(name: &str, kind: u8) -> Vec<u8> {
        let mut message = vec![7, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        for label in name.split('.') {
            message.push(label.len() as u8);
            message.extend(label.bytes());
        }
        message.extend([0, 0, kind, 0, 1]);
        message
    }

    #[test]
    fn every_name_has_one_address_in_the_network_for_benchmarks() {
        let answers = ["tea.test", "TEA.test", "other.test"].map(|name| {
            let answer = answer(&question(name, 1)).unwrap();
            assert_eq!(answer[..8], [7, 9, 0x85, 0x80, 0, 1, 0, 1]);
            answer[answer.len() - 4..].to_vec()
        });
        assert_eq!(answers[0], answers[1]);
        assert_ne!(answers[0], answers[2]);
        assert!(
            answers
                .iter()
                .all(|ip| ip[0] == 198 && (18..=19).contains(&ip[1]))
        );
    }

    #[test]
    fn other_questions_have_an_empty_answer() {
        let answer = answer(&question("tea.test", 28)).unwrap();
        assert_eq!(answer[6..8], [0, 0]);
    }

    #[test]
    fn an_invalid_question_gets_no_answer() {
        let whole = question("tea.test", 1);
        for length in 0..whole.len() {
            assert_eq!(answer(&whole[..length]), None);
        }
        let mut pointer = whole.clone();
        pointer[HEADER] = 0xc0;
        assert_eq!(answer(&pointer), None);
        let mut reply = whole;
        reply[2] |= 0x80;
        assert_eq!(answer(&reply), None);
        let long = vec!["a"; 200].join(".");
        assert_eq!(answer(&question(&long, 1)), None);
    }
}
