//! HTTP/1 on real sockets, against servers that answer exactly the bytes a test gives them.
#![allow(clippy::unwrap_used, reason = "test support outside test functions")]

mod server;

use std::io::Write;
use std::time::Duration;

use scenthound_fetch::{Fetcher, Protocol, RetryAfter, Want};
use scenthound_types::{CanonicalUrl, Failure, Outcome, Refusal, Timestamp, Truncation};

use crate::server::{After, Served, fetcher, gzip, local, page, settings};

const WHOLE: Option<Truncation> = None;

fn body(status: u16, truncated: Option<Truncation>) -> Outcome {
    Outcome::Body { status, truncated }
}

#[tokio::test]
async fn the_recording_is_what_went_over_the_wire_byte_for_byte() {
    let response = "HTTP/1.1 200 Very  Well\r\ncOnTent-TYPE:text/html\r\nX-Odd:   two  spaces \r\ntransfer-encoding: Chunked\r\n\r\n\
                    4;name=\"va;lue\"\r\nabcd\r\n00003 \r\nefg\r\n0\r\nTrailer: yes\r\n\r\n";
    let server = Served::always(response).await;
    let fetched = server.fetch("/odd?q=1").await;
    assert_eq!(fetched.outcome, body(200, WHOLE));
    assert_eq!(fetched.body, "abcdefg");
    let raw = fetched.raw.unwrap();
    assert_eq!(raw.protocol, Protocol::Http1);
    assert_eq!(raw.response, response);
    assert_eq!(raw.request, server.requests()[0]);
    assert_eq!(fetched.ip, Some(server.address.ip()));
}

#[tokio::test]
async fn the_request_says_who_asks_and_for_what() {
    let server = Served::always(page("")).await;
    server.fetch("/a|b?`c^").await;
    let request = server.requests().remove(0);
    let lines: Vec<&str> = request.split("\r\n").collect();
    let host = format!("Host: {}", server.address);
    assert_eq!(
        lines,
        [
            "GET /a|b?`c^ HTTP/1.1",
            &host,
            "User-Agent: scenthound-test/0 (+https://example.com/)",
            "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1",
            "Accept-Encoding: gzip, deflate, br, zstd",
            "",
            ""
        ]
    );
}

#[tokio::test]
async fn a_plain_body_shares_its_memory_with_the_recording() {
    let server = Served::always(page("hello")).await;
    let fetched = server.fetch("/").await;
    assert_eq!(fetched.body, "hello");
    let raw = fetched.raw.unwrap().response;
    assert!(raw.as_ptr_range().contains(&fetched.body.as_ptr()));
}

#[tokio::test]
async fn an_encoded_body_is_decoded_and_recorded_as_sent() {
    let encoded = gzip(&b"tea and crabs ".repeat(1000));
    let mut response = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        encoded.len()
    )
    .into_bytes();
    response.extend(&encoded);
    let server = Served::always(response.clone()).await;
    let fetched = server.fetch("/").await;
    assert_eq!(fetched.outcome, body(200, WHOLE));
    assert_eq!(fetched.body, b"tea and crabs ".repeat(1000));
    assert_eq!(fetched.raw.unwrap().response, response);
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let server = Served::always(page("again")).await;
    let fetcher = server.fetcher();
    for _ in 0..5 {
        let fetched = server.fetch_with(&fetcher, "/", Want::Page).await;
        assert_eq!(
            (fetched.outcome, &fetched.body[..]),
            (body(200, WHOLE), &b"again"[..])
        );
        assert_eq!(fetched.raw.unwrap().response, page("again"));
    }
    assert_eq!((server.connections(), server.requests().len()), (1, 5));
}

#[tokio::test]
async fn only_so_many_idle_connections_are_kept_and_only_so_long() {
    let (one, other) = (
        Served::always(page("one")).await,
        Served::always(page("other")).await,
    );
    let mut few = settings();
    few.idle_connections = 1;
    let mut short = settings();
    short.idle_time = Duration::ZERO;
    for settings in [few, short] {
        let before = one.connections();
        let fetcher = fetcher(settings);
        for server in [&one, &other, &one] {
            server.fetch_with(&fetcher, "/", Want::Page).await;
        }
        assert_eq!(one.connections() - before, 2);
    }
}

#[tokio::test]
async fn chunked_failures_and_redirects_keep_the_connection() {
    let server = Served::in_turn([
        ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", After::Listen),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone", After::Listen),
        ("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", After::Listen),
        ("HTTP/1.1 204 No Content\r\n\r\n", After::Listen),
    ])
    .await;
    let fetcher = server.fetcher();
    let mut codes = Vec::new();
    for _ in 0..4 {
        codes.push(
            server
                .fetch_with(&fetcher, "/", Want::Page)
                .await
                .outcome
                .to_string(),
        );
    }
    assert_eq!(
        codes,
        [
            "ok (200)",
            "failed-status-4xx (404)",
            "redirect (302)",
            "ok (204)"
        ]
    );
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_kept_connection_that_died_is_reported_and_the_next_request_gets_a_new_one() {
    // The server closes the connection when the second request arrives, which the client cannot foresee.
    let server = Served::in_turn([
        (page("first"), After::Listen),
        (String::new(), After::Close),
        (page("second"), After::Listen),
    ])
    .await;
    let fetcher = server.fetcher();
    assert_eq!(server.fetch_with(&fetcher, "/1", Want::Page).await.body, "first");
    let stale = server.fetch_with(&fetcher, "/2", Want::Page).await;
    assert!(
        stale.stale && matches!(stale.outcome, Outcome::Failed(_)),
        "{stale:?}"
    );
    assert_eq!(
        server.requests().len(),
        2,
        "the code that spaces requests decides when to repeat it"
    );
    let second = server.fetch_with(&fetcher, "/2", Want::Page).await;
    assert_eq!((second.stale, second.body.as_ref()), (false, "second".as_bytes()));
    assert_eq!((server.connections(), server.requests().len()), (2, 3));
}

#[tokio::test]
async fn a_fresh_connection_that_dies_is_a_failure_and_not_tried_again() {
    let server = Served::in_turn([(String::new(), After::Close), (page("late"), After::Listen)]).await;
    assert_eq!(
        server.fetch("/").await.outcome,
        Outcome::Failed(Failure::Disconnect)
    );
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_closed_between_requests_is_not_used() {
    let server = Served::in_turn([(page("first"), After::Close), (page("second"), After::Listen)]).await;
    let fetcher = server.fetcher();
    assert_eq!(server.fetch_with(&fetcher, "/", Want::Page).await.body, "first");
    assert_eq!(server.fetch_with(&fetcher, "/", Want::Page).await.body, "second");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_body_may_end_with_the_connection() {
    let server = Served::in_turn([(
        "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\nall there is",
        After::Close,
    )])
    .await;
    let fetched = server.fetch("/").await;
    assert_eq!(
        (fetched.outcome, &fetched.body[..]),
        (body(200, WHOLE), &b"all there is"[..])
    );
}

#[tokio::test]
async fn interim_responses_are_passed_over_and_not_recorded() {
    let server = Served::always(format!(
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n{}",
        page("at last")
    ))
    .await;
    let fetched = server.fetch("/").await;
    assert_eq!(
        (fetched.outcome, &fetched.body[..]),
        (body(200, WHOLE), &b"at last"[..])
    );
    assert_eq!(fetched.raw.unwrap().response, page("at last"));
}

#[tokio::test]
async fn interim_responses_that_leave_no_room_cost_the_end_of_the_body_and_nothing_else() {
    let interim = format!("HTTP/1.1 103 Early Hints\r\nX: {}\r\n\r\n", "x".repeat(33_000));
    let text = "0123456789".repeat(100);
    let server = Served::always(format!("{interim}{interim}{}", page(&text))).await;
    let mut settings = settings();
    settings.limits.wire_bytes = 1000;
    let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
    assert_eq!(fetched.outcome, body(200, Some(Truncation::Length)));
    assert!(!fetched.body.is_empty() && text.as_bytes().starts_with(&fetched.body));
    assert!(fetched.raw.unwrap().response.ends_with(&fetched.body));
}

#[tokio::test]
async fn endless_interim_responses_have_an_end() {
    let server = Served::endless("", "HTTP/1.1 100 Continue\r\n\r\n").await;
    let fetched = server.fetch("/").await;
    assert_eq!(fetched.outcome, Outcome::Failed(Failure::Protocol));
}

#[tokio::test]
async fn a_flood_of_headers_is_refused() {
    let server = Served::endless("HTTP/1.1 200 OK\r\n", "X-Flood: 0123456789\r\n").await;
    assert_eq!(
        server.fetch("/").await.outcome,
        Outcome::Failed(Failure::Protocol)
    );
    let server = Served::endless("HTTP/1.1 200 OK\r\nX-Long: ", "0123456789").await;
    assert_eq!(
        server.fetch("/").await.outcome,
        Outcome::Failed(Failure::Protocol)
    );
    let many = "A: b\r\n".repeat(201);
    let server = Served::always(format!("HTTP/1.1 200 OK\r\n{many}Content-Length: 0\r\n\r\n")).await;
    assert_eq!(
        server.fetch("/").await.outcome,
        Outcome::Failed(Failure::Protocol)
    );
}

#[tokio::test]
async fn what_is_not_http_is_a_failure() {
    for garbage in [
        "SSH-2.0-OpenSSH_9\r\n\r\n",
        "\0\0\0\0\0\0\r\n\r\n",
        "HTTP/1.1 banana\r\n\r\n",
    ] {
        let server = Served::in_turn([(garbage, After::Close)]).await;
        assert_eq!(
            server.fetch("/").await.outcome,
            Outcome::Failed(Failure::Protocol),
            "{garbage:?}"
        );
    }
    let server = Served::in_turn([("HTTP/1.1 200 OK\r\nConte", After::Close)]).await;
    assert_eq!(
        server.fetch("/").await.outcome,
        Outcome::Failed(Failure::Disconnect)
    );
}

#[tokio::test]
async fn an_endless_body_is_cut_at_the_cap_and_kept() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let server = Served::endless(head, "0123456789abcdef").await;
    let mut settings = settings();
    settings.limits.wire_bytes = 100_000;
    let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
    assert_eq!(fetched.outcome, body(200, Some(Truncation::Length)));
    assert_eq!(fetched.body.len(), 100_000);
    assert_eq!(fetched.raw.unwrap().response.len(), head.len() + 100_000);
}

#[tokio::test]
async fn an_endless_chunked_body_is_cut_at_the_cap_and_kept() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";
    let server = Served::endless(head, "1\r\nx\r\n").await;
    let mut settings = settings();
    settings.limits.decoded_bytes = 20_000;
    let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
    assert_eq!(fetched.outcome, body(200, Some(Truncation::Length)));
    assert_eq!(fetched.body, "x".repeat(20_000));
}

#[tokio::test]
async fn a_body_of_exactly_the_cap_is_whole() {
    let server = Served::always(page("12345")).await;
    for (cap, end) in [(5, WHOLE), (4, Some(Truncation::Length))] {
        let mut settings = settings();
        settings.limits.wire_bytes = cap;
        let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
        assert_eq!((fetched.outcome, fetched.body.len()), (body(200, end), cap));
    }
}

/// A gzipped page of this many spaces.
fn gzipped(bytes: usize) -> Vec<u8> {
    let packed = gzip(&vec![b' '; bytes]);
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let mut response = format!("{head}Content-Length: {}\r\n\r\n", packed.len()).into_bytes();
    response.extend(packed);
    response
}

#[tokio::test]
async fn large_bodies_wait_for_each_other_and_small_ones_do_not() {
    let large = Served::always(gzipped(3_000_000)).await;
    let small = Served::always(page("small")).await;
    let mut settings = settings();
    settings.bytes_in_flight = 1;
    settings.limits.whole_response = Duration::from_millis(700);
    let fetcher = fetcher(settings);
    let first = large.fetch_with(&fetcher, "/1", Want::Page).await;
    assert_eq!(
        (first.outcome.clone(), first.body.len()),
        (body(200, WHOLE), 3_000_000)
    );
    // As long as the first is held, there is no room for a second, and it is cut where it became large.
    let second = large.fetch_with(&fetcher, "/2", Want::Page).await;
    assert_eq!(second.outcome, body(200, Some(Truncation::Time)));
    assert!(second.body.len() < 400_000, "{}", second.body.len());
    assert_eq!(small.fetch_with(&fetcher, "/", Want::Page).await.body, "small");
    drop((first, second));
    let third = large.fetch_with(&fetcher, "/3", Want::Page).await;
    assert_eq!((third.outcome, third.body.len()), (body(200, WHOLE), 3_000_000));
}

#[tokio::test]
async fn a_bomb_stops_at_the_cap_on_decoded_bytes() {
    let server = Served::always(gzipped(200 << 20)).await;
    let mut settings = settings();
    settings.limits.decoded_bytes = 1_000_000;
    let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
    assert_eq!(fetched.outcome, body(200, Some(Truncation::Length)));
    assert_eq!(fetched.body.len(), 1_000_000);
}

/// 64 MB of zeros in each coding, and in two at once.
#[tokio::test]
async fn bombs_of_every_kind_stop_at_the_cap_on_decoded_bytes() {
    let zeros = vec![0; 64 << 20];
    let zipped = gzip(&zeros);
    let mut deflated = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    deflated.write_all(&zeros).unwrap();
    let mut brotli = Vec::new();
    let quick = brotli::enc::BrotliEncoderParams {
        quality: 3,
        ..Default::default()
    };
    brotli::BrotliCompress(&mut zeros.as_slice(), &mut brotli, &quick).unwrap();
    let bombs = [
        ("gzip", zipped.clone()),
        ("deflate", deflated.finish().unwrap()),
        ("br", brotli),
        ("zstd", zstd::encode_all(zeros.as_slice(), 3).unwrap()),
        ("gzip, gzip", gzip(&zipped)),
        ("gzip, zstd", zstd::encode_all(zipped.as_slice(), 3).unwrap()),
    ];
    for (coding, bomb) in bombs {
        assert!(bomb.len() < 1_000_000, "{coding}: {} bytes", bomb.len());
        let mut response = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n",
            bomb.len()
        )
        .into_bytes();
        response.extend(bomb);
        let server = Served::always(response).await;
        let mut settings = settings();
        settings.limits.decoded_bytes = 1_000_000;
        let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
        assert_eq!(fetched.outcome, body(200, Some(Truncation::Length)), "{coding}");
        assert_eq!(fetched.body.len(), 1_000_000, "{coding}");
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_is_kept_and_marked() {
    let cut = Some(Truncation::Disconnect);
    let encoded = gzip(&b"tea ".repeat(50));
    let mut broken = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
    broken.extend(&encoded[..encoded.len() - 8]);
    let cases: [(Vec<u8>, &str); 3] = [
        // Less than announced.
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\npart".to_vec(),
            "part",
        ),
        // No last chunk.
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n"
                .to_vec(),
            "part",
        ),
        // The checksum is missing.
        (broken, &"tea ".repeat(50)),
    ];
    for (response, kept) in cases {
        let server = Served::in_turn([(response.clone(), After::Close)]).await;
        let fetched = server.fetch("/").await;
        assert_eq!((fetched.outcome, fetched.truncated), (body(200, cut), cut));
        assert_eq!(fetched.body, kept);
        assert_eq!(fetched.raw.unwrap().response, response);
    }
}

#[tokio::test]
async fn a_damaged_body_is_a_failure_by_its_own_name() {
    let chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut encoded = gzip(&b"tea leaves and kettles ".repeat(5_000));
    let middle = encoded.len() / 2;
    encoded[middle..middle + 20].fill(0xff);
    let mut gzipped = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        encoded.len()
    )
    .into_bytes();
    gzipped.extend(encoded);
    let responses = [
        format!("{chunked}4\r\npart\r\nxyz\r\n").into_bytes(),
        format!("{chunked}4\r\npart\r\nffffffffffffffffff\r\nrest").into_bytes(),
        format!("{chunked}xyz\r\n").into_bytes(),
        gzipped,
    ];
    for response in responses {
        let server = Served::in_turn([(response.clone(), After::Close)]).await;
        let fetched = server.fetch("/").await;
        assert_eq!(fetched.outcome, Outcome::Failed(Failure::Body));
        assert!(fetched.body.is_empty());
        // The archive has what came.
        assert!(response.starts_with(&fetched.raw.unwrap().response));
    }
}

#[tokio::test]
async fn the_limit_for_a_response_includes_the_wait_for_its_first_byte() {
    let parts = [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n",
        "Content-Type: text",
        "/html\r\n\r\n",
        "late",
    ];
    let server = Served::slowly(&parts, Duration::from_millis(1_100)).await;
    let mut settings = settings();
    // Over before the head is complete. Counted from there, there would be time enough for the body.
    settings.limits.whole_response = Duration::from_millis(1_500);
    let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
    assert_eq!(fetched.outcome, body(200, Some(Truncation::Time)));
}

#[tokio::test]
async fn a_refresh_header_is_reported() {
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nRefresh: 0; url=/next\r\nContent-Length: 0\r\n\r\n";
    let server = Served::always(head).await;
    assert_eq!(server.fetch("/").await.refresh.as_deref(), Some("0; url=/next"));
}

#[tokio::test]
async fn a_reset_in_the_middle_of_a_body_keeps_what_came() {
    let server = Served::in_turn([(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\npart",
        After::Reset,
    )])
    .await;
    let fetched = server.fetch("/").await;
    // A reset may overtake data that was not read yet, so the part may be missing, but never the outcome.
    match fetched.outcome {
        Outcome::Body { truncated, .. } => assert_eq!(truncated, Some(Truncation::Disconnect)),
        other => assert_eq!(other, Outcome::Failed(Failure::Disconnect)),
    }
}

#[tokio::test]
async fn bytes_after_the_body_belong_to_nobody() {
    for response in [page("four"), "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n".into()] {
        let server = Served::always(format!("{response}HTTP/1.1 200 OK\r\n\r\nsmuggled")).await;
        let fetcher = server.fetcher();
        for _ in 0..2 {
            let fetched = server.fetch_with(&fetcher, "/", Want::Page).await;
            assert_eq!((fetched.outcome, &fetched.body[..]), (body(200, WHOLE), &b"four"[..]));
            assert_eq!(fetched.raw.unwrap().response, response);
        }
        assert_eq!(server.connections(), 2);
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_runs_into_the_first_limit() {
    let server = Served::in_turn([("", After::Hang)]).await;
    let mut settings = settings();
    settings.limits.first_byte = Duration::from_millis(50);
    let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
    assert_eq!(fetched.outcome, Outcome::Failed(Failure::FirstByteTimeout));
}

#[tokio::test]
async fn a_body_that_stalls_is_cut_by_the_rate_and_kept() {
    let response = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\npart";
    let server = Served::in_turn([(response, After::Hang)]).await;
    let mut settings = settings();
    settings.limits.slow_window = Duration::from_millis(50);
    let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
    assert_eq!(fetched.outcome, body(200, Some(Truncation::Time)));
    assert_eq!(fetched.body, "part");
}

#[tokio::test]
async fn a_body_that_drips_fast_enough_still_has_to_end() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let server = Served::dripping(head, "drip ", Duration::from_millis(5)).await;
    let mut settings = settings();
    settings.limits.slow_window = Duration::from_millis(1000);
    settings.limits.slow_bytes = 1;
    settings.limits.whole_response = Duration::from_millis(200);
    let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
    assert_eq!(fetched.outcome, body(200, Some(Truncation::Time)));
    assert!(fetched.body.starts_with(b"drip "));
}

#[tokio::test]
async fn a_head_that_drips_runs_into_the_first_limit() {
    let server = Served::dripping("HTTP/1.1 200 OK\r\n", "X: y\r\n", Duration::from_millis(5)).await;
    let mut settings = settings();
    settings.limits.first_byte = Duration::from_millis(100);
    let fetched = server.fetch_with(&fetcher(settings), "/", Want::Page).await;
    assert_eq!(fetched.outcome, Outcome::Failed(Failure::FirstByteTimeout));
}

#[tokio::test]
async fn types_we_do_not_read_are_refused_after_the_head() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n";
    let server = Served::endless(head, "0123456789abcdef").await;
    let fetched = server.fetch("/").await;
    assert_eq!(fetched.outcome, Outcome::Refused(Refusal::ContentType));
    assert_eq!(
        (fetched.body.len(), fetched.content_type.as_deref()),
        (0, Some("image/png"))
    );
    let raw = fetched.raw.unwrap();
    assert_eq!(raw.response, head);
}

#[tokio::test]
async fn without_a_type_the_first_bytes_decide() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<p>hi";
    assert_eq!(Served::always(text).await.fetch("/").await.body, "<p>hi");
    let binary = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nPK\x03\x04\r\n0\r\n\r\n";
    let fetched = Served::always(binary).await.fetch("/").await;
    assert_eq!(fetched.outcome, Outcome::Refused(Refusal::ContentType));
    // A word that is not a coding is ignored, as in browsers, but then the bytes must be text.
    let odd = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: UTF-8\r\nContent-Length: 5\r\n\r\n<p>hi";
    assert_eq!(Served::always(odd).await.fetch("/").await.body, "<p>hi");
}

#[tokio::test]
async fn robots_and_sitemaps_are_read_whatever_their_type() {
    let response =
        "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 5\r\n\r\nhello";
    let server = Served::always(response).await;
    let fetcher = server.fetcher();
    for want in [Want::Robots, Want::Sitemap] {
        assert_eq!(
            server.fetch_with(&fetcher, "/robots.txt", want).await.body,
            "hello"
        );
    }
    let server = Served::endless("HTTP/1.1 200 OK\r\n\r\n", "# comment\n").await;
    let fetched = server.fetch_with(&fetcher, "/robots.txt", Want::Robots).await;
    assert_eq!(fetched.body.len(), 500 * 1024);
}

#[tokio::test]
async fn a_redirect_names_its_target() {
    for (location, to) in [
        ("Location: /b?c#d", Some("/b?c")),
        ("Location: ../x y", Some("/x%20y")),
        ("Location: /\u{e9}", Some("/%C3%A9")),
        ("Location: mailto:a@b.c", None),
        ("Location: http://", None),
        ("X-None: x", None),
    ] {
        let server = Served::always(format!(
            "HTTP/1.1 301 Moved\r\n{location}\r\nContent-Length: 4\r\n\r\nover"
        ))
        .await;
        let fetched = server.fetch("/a/").await;
        let expected = match to {
            Some(to) => Outcome::Redirect {
                status: 301,
                to: server.url(to),
            },
            None => Outcome::Refused(Refusal::RedirectTarget),
        };
        assert_eq!(
            (fetched.outcome, &fetched.body[..]),
            (expected, &b"over"[..]),
            "{location}"
        );
    }
}

#[tokio::test]
async fn failures_keep_their_body_and_what_the_headers_say() {
    let server = Served::always(
        "HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nX-Robots-Tag: noindex\r\nX-Robots-Tag: a: nofollow\r\nETag: \"x\"\r\n\
         Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nbusy",
    )
    .await;
    let fetched = server.fetch("/").await;
    assert_eq!(fetched.outcome, Outcome::Failed(Failure::Status(503)));
    assert_eq!(
        fetched.retry_after,
        Some(RetryAfter::Delay(Duration::from_secs(120)))
    );
    assert_eq!(fetched.x_robots_tag, ["noindex", "a: nofollow"]);
    assert_eq!(fetched.etag.as_deref(), Some("\"x\""));
    assert_eq!(
        fetched.last_modified.as_deref(),
        Some("Sun, 06 Nov 1994 08:49:37 GMT")
    );
    assert_eq!(fetched.body, "busy");
    let server = Served::always(
        "HTTP/1.1 429 Slow\r\nRetry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 0\r\n\r\n",
    )
    .await;
    let at = RetryAfter::At(Timestamp::from_millis(784_111_777_000));
    assert_eq!(server.fetch("/").await.retry_after, Some(at));
    let head = "HTTP/1.1 500 Oh\r\n\r\n";
    let fetched = Served::endless(head, "0123456789").await.fetch("/").await;
    assert_eq!(fetched.outcome, Outcome::Failed(Failure::Status(500)));
    assert_eq!(
        (fetched.body.len(), fetched.truncated),
        (64 * 1024, Some(Truncation::Length))
    );
    for status in [300, 304, 101] {
        let server = Served::always(format!("HTTP/1.1 {status} Odd\r\nContent-Length: 0\r\n\r\n")).await;
        assert_eq!(
            server.fetch("/").await.outcome,
            Outcome::Failed(Failure::Status(status))
        );
    }
}

#[tokio::test]
async fn nobody_listening_is_a_failure_to_connect() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = local(listener.local_addr().unwrap(), "/");
    drop(listener);
    let fetcher = fetcher(settings());
    let at = fetcher.locate(&url).await.unwrap();
    let fetched = fetcher.fetch(&url, &at, Want::Page).await;
    assert_eq!(
        (fetched.outcome, fetched.ip),
        (Outcome::Failed(Failure::Connect), None)
    );
}

#[tokio::test]
async fn private_addresses_are_refused_in_any_spelling() {
    let mut settings = settings();
    settings.allowed_nets.clear();
    let fetcher = Fetcher::new(settings).unwrap();
    for host in [
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "2130706433",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "10.0.0.1",
        "169.254.169.254",
        "0",
        "[64:ff9b::7f00:1]",
        "[fd00::1]",
        "%31%32%37.0.0.1",
    ] {
        let url = CanonicalUrl::parse(&format!("http://{host}:8080/")).unwrap();
        assert_eq!(
            fetcher.locate(&url).await,
            Err(Outcome::Refused(Refusal::Address)),
            "{host}"
        );
    }
    let url = CanonicalUrl::parse("http://8.8.8.8:81/").unwrap();
    assert_eq!(
        fetcher.locate(&url).await.unwrap().addresses(),
        ["8.8.8.8:81".parse().unwrap()]
    );
}

#[tokio::test]
async fn ports_of_other_services_are_refused_whatever_the_address() {
    let fetcher = fetcher(settings());
    for port in [22, 25, 110, 143, 465, 587, 993, 6_000, 6_667, 10_080] {
        for host in ["127.0.0.1", "[::1]", "8.8.8.8", "2130706433"] {
            let url = CanonicalUrl::parse(&format!("http://{host}:{port}/")).unwrap();
            let located = fetcher.locate(&url).await;
            assert_eq!(located, Err(Outcome::Refused(Refusal::Port)), "{url}");
        }
    }
}

#[tokio::test]
async fn a_pinned_host_is_asked_at_its_address_under_its_name() {
    let server = Served::always(page("pinned")).await;
    let mut settings = settings();
    settings.allowed_nets.clear();
    settings.pins.insert("tea.example".into(), server.address);
    let fetcher = fetcher(settings);
    let url = CanonicalUrl::parse("http://tea.example/x").unwrap();
    let at = fetcher.locate(&url).await.unwrap();
    assert_eq!(fetcher.fetch(&url, &at, Want::Page).await.body, "pinned");
    assert!(server.requests()[0].contains("\r\nHost: tea.example\r\n"));
}
