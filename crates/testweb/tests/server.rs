//! The server over real sockets.

#![allow(clippy::unwrap_used)] // a failed step is a failed test

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use scenthound_testweb::bench::{BenchSize, BenchWeb, Naming, main_loop};
use scenthound_testweb::{FixtureWeb, ServeOptions, Serving, TestSite, Trouble, serve};

const WEB: &str = "
hub/0:   tea  -> green/1
green/1: more tea
";

fn fixture(options: ServeOptions) -> Serving {
    serve(Arc::new(FixtureWeb::parse(WEB).unwrap()), options).unwrap()
}

fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    let connection = TcpStream::connect(address).unwrap();
    connection
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    BufReader::new(connection)
}

/// Status, head and body of the next answer.
fn answer(connection: &mut BufReader<TcpStream>, with_body: bool) -> (u16, String, Vec<u8>) {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(
            connection.read_line(&mut head).unwrap(),
            0,
            "closed after {head:?}"
        );
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "))
        .unwrap()
        .parse()
        .unwrap();
    let mut body = vec![0; if with_body { length } else { 0 }];
    connection.read_exact(&mut body).unwrap();
    (status, head, body)
}

fn get(connection: &mut BufReader<TcpStream>, host: &str, path: &str) -> (u16, String, Vec<u8>) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    connection.get_mut().write_all(request.as_bytes()).unwrap();
    answer(connection, true)
}

#[test]
fn one_connection_carries_many_requests_to_several_hosts() {
    let web = FixtureWeb::parse(WEB).unwrap();
    let serving = fixture(ServeOptions::default());
    let mut connection = connect(serving.addr());
    for _ in 0..3 {
        let (status, head, body) = get(&mut connection, "hub.test", "/0");
        assert_eq!((status, body), (200, web.answer("hub.test", "/0").body.to_vec()));
        assert!(head.contains("Content-Type: text/html; charset=utf-8\r\n"));
        assert_eq!(get(&mut connection, "Green.test:80", "/1").0, 200);
        assert_eq!(get(&mut connection, "nowhere.test", "/1").0, 404);
    }
    assert_eq!((serving.connections(), serving.served()), (1, 9));
    assert_eq!(
        (serving.count("hub.test", "/0"), serving.count("green.test", "/0")),
        (3, 0)
    );
}

#[test]
fn the_log_says_what_was_asked_and_when() {
    let serving = fixture(ServeOptions {
        latency: Duration::from_millis(5),
        ..ServeOptions::default()
    });
    let mut connection = connect(serving.addr());
    get(&mut connection, "hub.test", "/0");
    get(&mut connection, "hub.test", "/9");
    // The next answer comes only after the end of the previous one has been logged.
    let log = serving.requests();
    let [first, second] = log.as_slice() else {
        panic!("{log:?}");
    };
    assert_eq!(
        (first.host.as_str(), first.path.as_str(), first.status),
        ("hub.test", "/0", 200)
    );
    assert_eq!((second.path.as_str(), second.status), ("/9", 404));
    assert!(first.finished.unwrap() - first.started >= Duration::from_millis(5));
    assert!(second.started >= first.finished.unwrap());
}

#[test]
fn requests_sent_ahead_are_answered_in_order() {
    let serving = fixture(ServeOptions::default());
    let mut connection = connect(serving.addr());
    let both = "GET /0 HTTP/1.1\r\nHost: hub.test\r\n\r\nHEAD /1 HTTP/1.1\r\nHost: green.test\r\nConnection: close\r\n\r\n";
    for byte in both.as_bytes() {
        connection.get_mut().write_all(&[*byte]).unwrap();
    }
    assert!(
        answer(&mut connection, true)
            .2
            .windows(3)
            .any(|word| word == b"tea")
    );
    let (status, head, _) = answer(&mut connection, false);
    assert_eq!(status, 200);
    assert!(head.contains("Connection: close\r\n"));
    assert_eq!(connection.read(&mut [0; 1]).unwrap(), 0);
}

#[test]
fn a_proxy_request_names_its_host_in_the_target() {
    let serving = fixture(ServeOptions::default());
    let mut connection = connect(serving.addr());
    assert_eq!(get(&mut connection, "ignored.test", "http://green.test/1").0, 200);
}

#[test]
fn every_third_request_fails_if_asked_to_but_never_a_robots_txt() {
    let serving = fixture(ServeOptions {
        trouble: Some((NonZeroU64::new(3).unwrap(), Trouble::Status(503))),
        ..ServeOptions::default()
    });
    let mut connection = connect(serving.addr());
    let paths = ["/0", "/0", "/0", "/0", "/0", "/robots.txt", "/0"];
    let statuses = paths.map(|path| get(&mut connection, "hub.test", path).0);
    assert_eq!(statuses, [200, 200, 503, 200, 200, 404, 200]);
}

#[test]
fn a_hung_up_request_gets_no_answer() {
    let serving = fixture(ServeOptions {
        trouble: Some((NonZeroU64::MIN, Trouble::HangUp)),
        ..ServeOptions::default()
    });
    let mut connection = connect(serving.addr());
    connection
        .get_mut()
        .write_all(b"GET /0 HTTP/1.1\r\nHost: hub.test\r\n\r\n")
        .unwrap();
    assert_eq!(connection.read(&mut [0; 1]).unwrap(), 0);
    assert_eq!(serving.requests()[0].status, 0);
}

#[test]
fn nonsense_is_refused_and_a_head_without_end_is_cut() {
    let serving = fixture(ServeOptions::default());
    let mut connection = connect(serving.addr());
    connection.get_mut().write_all(b"what is this\r\n\r\n").unwrap();
    assert_eq!(answer(&mut connection, true).0, 400);
    let mut connection = connect(serving.addr());
    // The server may close before it has read everything.
    let _ = connection.get_mut().write_all(&[b'x'; 70_000]);
    let mut start = String::new();
    if connection.read_line(&mut start).is_ok() {
        assert!(start.contains("431"), "{start}");
    }
}

#[test]
fn it_listens_on_several_addresses_and_stops_on_all() {
    let serving = fixture(ServeOptions {
        listen: ["127.0.0.1:0", "127.0.0.2:0", "127.0.0.3:0"]
            .map(|address| address.parse().unwrap())
            .to_vec(),
        ..ServeOptions::default()
    });
    let addresses = serving.addrs().to_vec();
    let mut connections: Vec<_> = addresses.iter().map(|address| connect(*address)).collect();
    for connection in &mut connections {
        assert_eq!(get(connection, "hub.test", "/0").0, 200);
    }
    serving.stop();
    for address in addresses {
        assert!(TcpStream::connect(address).is_err(), "{address}");
    }
    for mut connection in connections {
        assert!(!matches!(connection.read(&mut [0; 1]), Ok(read) if read > 0));
    }
}

#[test]
fn the_bench_web_is_served_until_its_pipe_ends() {
    let (until, end) = std::io::pipe().unwrap();
    let (ready, address) = std::sync::mpsc::channel();
    let server = std::thread::spawn(move || {
        let web = BenchWeb::new(BenchSize::default(), Naming::Names);
        let listen = vec![SocketAddr::from(([127, 0, 0, 1], 0))];
        main_loop(web, listen, |serving| ready.send(serving.addr()).unwrap(), until)
    });
    let address = address.recv().unwrap();
    let mut connection = connect(address);
    let (status, _, body) = get(&mut connection, "h24.bench.test", "/section-9/article-999.html");
    assert_eq!(status, 200);
    assert!(body.len() > 20_000);
    drop(end);
    server.join().unwrap().unwrap();
    assert!(TcpStream::connect(address).is_err());
}
