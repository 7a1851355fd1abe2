//! Writes a collection of many made-up pages and measures how long it takes to index, search and rank it.
//!
//! A folder that holds a collection already is measured as it is.
//!
//! ```text
//! cargo run --release -p scenthound-search --example many_pages /tmp/many 100000
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a program for people"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use scenthound::{Collection, RankSettings};
use scenthound_search::SearchIndex;
use scenthound_store::{
    ArchiveSettings, CrawlFolder, Exchange, Mark, Packer, PageRecord, Protocol, RecordFiles, Via,
};
use scenthound_types::{CanonicalUrl, GenreGuess, Parts, Rng, TermHit, TermSet, Timestamp};

/// How many different words there are.
const WORDS: u64 = 50_000;
/// Words of a page.
const LENGTH: u64 = 400;

/// The word with this number: a few syllables.
fn word(mut number: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "ka", "ro", "mi", "ten", "sul", "va", "den", "po", "li", "gar", "es", "tu", "bri", "no", "fal", "hem",
    ];
    let mut word = String::new();
    loop {
        word.push_str(SYLLABLES[(number % 16) as usize]);
        number /= 16;
        if number == 0 {
            return word;
        }
    }
}

/// A word as frequent as words are: the n-th about 1/n as often as the first.
fn any_word(rng: &mut Rng) -> String {
    word((((WORDS as f64).ln() * rng.fraction()).exp()) as u64 - 1)
}

fn write(folder: &Path, pages: u64) {
    let crawl = CrawlFolder::open_or_create(folder).unwrap();
    crawl
        .write_settings("[topic]\nname = \"many\"\n[terms]\ncontent = [\"karo\"]\n[seeds]\nurls = [\"http://h0.test/0\"]\n")
        .unwrap();
    let (mut files, _) =
        RecordFiles::open(&crawl, ArchiveSettings::named("many", 0), Mark::default()).unwrap();
    let mut packer = Packer::new(1);
    let mut rng = Rng::from_seed(1);
    for page in 0..pages {
        let url = CanonicalUrl::parse(&format!("http://h{}.test/section/{page}", page % 997)).unwrap();
        let title = format!("{} {} {page}", any_word(&mut rng), any_word(&mut rng));
        let mut text = String::new();
        for at in 0..LENGTH {
            text.push_str(&any_word(&mut rng));
            text.push_str(match at % 80 {
                79 => ".</p>\n<p>",
                _ if at % 13 == 12 => ". ",
                _ => " ",
            });
        }
        let body = format!(
            "<html lang=en><title>{title}</title><nav><a href=/>home</a> <a href=/a>about</a></nav><article><h1>{title}</h1><p>{text}</p></article>"
        );
        let response = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let exchange = Exchange {
            sequence: page,
            url: &url,
            ip: None,
            date: Timestamp::from_millis(1_700_000_000_000 + page * 100),
            protocol: Protocol::Http1,
            request: b"GET / HTTP/1.1\r\n\r\n",
            response: response.as_bytes(),
            truncated: None,
            metadata: b"{}",
        };
        let archive = files.append_exchange(&packer.pack(&exchange).unwrap()).unwrap();
        let relevance = rng.fraction();
        let terms = (0..8).map(|_| TermHit {
            set: TermSet::Query,
            term: any_word(&mut rng).into(),
            count: 3,
            share: 0.125,
        });
        files
            .append_page(&PageRecord {
                url: url.to_string(),
                status: Some(200),
                fetched_at: exchange.date.to_rfc3339(),
                ms: 120,
                bytes: body.len() as u64,
                content_type: Some("text/html; charset=utf-8".to_owned()),
                title: Some(title),
                language: Some("en".into()),
                relevance: Some(relevance),
                relevant: Some(relevance > 0.7),
                genre: Some(GenreGuess {
                    class: if page % 3 == 0 { "blog" } else { "news" }.into(),
                    confidence: 0.8,
                }),
                parts: Some(Parts {
                    query: Some(relevance),
                    terms: terms.collect(),
                    ..Parts::default()
                }),
                depth: 3,
                parent: Some("http://h0.test/section/0".to_owned()),
                via: Via::Link,
                class: Some(0),
                score: Some(0.5),
                archive: Some(archive),
                fingerprint: Some(rng.number()),
                ..PageRecord::default()
            })
            .unwrap();
    }
    files.mark().unwrap();
}

/// The processor time of this process so far.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

fn measured<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (began, cpu) = (Instant::now(), cpu_time());
    let result = work();
    println!(
        "{what:<34} {:>9.3} s, CPU {:>6.2} s",
        began.elapsed().as_secs_f64(),
        (cpu_time() - cpu).as_secs_f64()
    );
    result
}

fn show(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at =
        |per_cent: usize| times[(times.len() * per_cent / 100).min(times.len() - 1)].as_secs_f64() * 1000.0;
    println!(
        "{:>4} searches, {what}: median {:.1} ms, 95 of 100 below {:.1}, 99 of 100 below {:.1}, slowest {:.1}",
        times.len(),
        at(50),
        at(95),
        at(99),
        at(100)
    );
}

/// Asks the system to forget what it has read of the files in a folder.
fn evict(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let file = std::fs::File::open(entry.path()).unwrap();
        // What has not been written yet would stay.
        let _ = file.sync_all();
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, pages] = arguments.as_slice() else {
        panic!("give a folder and the number of pages")
    };
    let folder = Path::new(folder);
    if !folder.join("pages").exists() {
        measured("written", || write(folder, pages.parse().unwrap()));
    }
    let collection = Collection::open(folder).unwrap();
    measured("indexed, or found complete", || {
        SearchIndex::open(&collection, &mut |_| {}).unwrap()
    });
    let index = measured("opened", || SearchIndex::open(&collection, &mut |_| {}).unwrap());

    // Frequent and rare words, alone and together, with filters and as phrases.
    let mut rng = Rng::from_seed(2);
    let mut queries: Vec<String> = (0..400).map(|_| any_word(&mut rng)).collect();
    queries.extend((0..400).map(|_| format!("{} {}", any_word(&mut rng), any_word(&mut rng))));
    queries.extend((0..200).map(|_| format!("\"{} {}\"", any_word(&mut rng), any_word(&mut rng))));
    let chosen = RankSettings {
        relevant_only: true,
        genres: vec!["blog".to_owned()],
        languages: vec!["en".to_owned()],
        since: Some("2023".to_owned()),
        ..RankSettings::default()
    };
    let kinds = [("all pages", RankSettings::default()), ("with filters", chosen)];
    let timed = |index: &SearchIndex, query: &str, settings: &RankSettings| {
        let began = Instant::now();
        index.search(query, settings, 10).unwrap();
        began.elapsed()
    };
    for (what, settings) in &kinds {
        let times = queries.iter().map(|query| timed(&index, query, settings));
        show(what, times.collect());
    }
    // The system keeps what is mapped into memory.
    drop(index);
    for (what, settings) in &kinds {
        let cold = queries.iter().step_by(10).map(|query| {
            evict(&folder.join("search"));
            let began = Instant::now();
            let index = SearchIndex::open(&collection, &mut |_| {}).unwrap();
            timed(&index, query, settings);
            began.elapsed()
        });
        show(&format!("{what}, opened and read from the disk"), cold.collect());
    }
    let ranking = measured("ranked", || collection.ranked(&RankSettings::default()).unwrap());
    measured("the best 20 read", || ranking.read(0..20).unwrap());
    measured("overview", || collection.overview().unwrap());
}
