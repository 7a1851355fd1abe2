//! The server's cost of generating a page of the benchmark web.

#![allow(missing_docs, clippy::unwrap_used)] // nobody calls a bench, and its input is its own

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use divan::Bencher;
use scenthound_testweb::bench::{BenchSize, BenchWeb, Naming};
use scenthound_testweb::{ServeOptions, TestSite, serve};

fn main() {
    divan::main();
}

#[divan::bench]
fn bench_page(bencher: Bencher) {
    let web = BenchWeb::new(BenchSize::default(), Naming::Names);
    let mut page = 0_usize;
    bencher.bench_local(|| {
        page = (page + 1) % 990 + 1;
        web.answer(
            "h7.bench.test",
            &format!("/section-{}/article-{page}.html", page / 100),
        )
    });
}

#[divan::bench]
fn bench_page_over_a_socket(bencher: Bencher) {
    let web = BenchWeb::new(BenchSize::default(), Naming::Names);
    let options = ServeOptions {
        log: false,
        ..ServeOptions::default()
    };
    let serving = serve(Arc::new(web), options).unwrap();
    let mut connection = TcpStream::connect(serving.addr()).unwrap();
    let mut come = vec![0; 64 * 1024];
    let mut page = 0_usize;
    bencher.bench_local(|| {
        page = (page + 1) % 990 + 1;
        let section = page / 100;
        let request =
            format!("GET /section-{section}/article-{page}.html HTTP/1.1\r\nHost: h7.bench.test\r\n\r\n");
        connection.write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        while !come[..length].ends_with(b"</html>\n") {
            length += connection.read(&mut come[length..]).unwrap();
        }
        length
    });
}
