//! What valid settings become, and that they can be written and read back.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

#[allow(dead_code)]
mod surroundings;

use std::path::PathBuf;
use std::time::Duration;

use proptest::prelude::*;
use scenthound_config::{
    Settings, Shape, Surroundings, changes, check, default_of_judge, judge_settings, options,
};
use scenthound_engine::{ScopeKind, SitemapUse};
use scenthound_judge::JudgeKind;
use scenthound_strategy::{StrategyKind, Ties};
use scenthound_types::{Merge, Parents};
use surroundings::{STRATEGIES, check_text, check_with};

const SEED: &str = "seed-urls=http://a.test/";

const FULL: &str = r#"
[topic]
name = "databases \"course\" syllabi"
query = "database course syllabus"
language = "EN"
[terms]
genre = ["syllabus", "course, with a comma"]
content = ["relational model", "sql"]
url = "cs, edu"
exclude = ["jungle"]
[seeds]
urls = ["https://a.test", "https://b.test/x?y=1"]
file = "seeds.txt"
[judge]
threshold = 0.47
joint = true
genre-weight = 2
idf = "idf.json"
[strategy]
kind = "fs-2"
parents = "first"
merge = "set"
ties = "probe"
[crawl]
max-pages = 5_000
max-time = "2h"
max-bytes = "10GB"
depth = 0
width = 200
scope = "domain"
include = ['^https?://[^/]*\.test/', 'a,b{1,2}']
exclude = ["\\.pdf$"]
delay = "1500ms"
lang = ["en", "pt"]
allow-net = ["127.9.9.9/8", "::1"]
resolver = "9.9.9.9"
proxy = "socks5://u:p@proxy.test:1080"
ca-file = "/etc/ca.pem"
contact = "me@a.test"
sitemaps = "all"
seed = 0xff
"#;

fn full() -> Settings {
    let files = [
        ("/here/sub/full.toml", FULL),
        (
            "/here/sub/seeds.txt",
            "\u{feff}https://c.test/\r\n# no\r\nhttps://a.test/\r\n",
        ),
        ("/here/sub/idf.json", "{}"),
        ("/etc/ca.pem", ""),
    ];
    check_with(
        &files,
        "sub/full.toml",
        &[
            "seed-urls=https://d.test/",
            "delay=3s",
            "seed=18446744073709551615",
        ],
    )
    .unwrap()
}

fn read_back(settings: &Settings) -> Settings {
    let toml = settings.to_toml();
    let files = [
        ("/crawl/crawl.toml", toml.as_str()),
        ("/here/sub/idf.json", "{}"),
        ("/etc/ca.pem", ""),
    ];
    check_with(&files, "/crawl/crawl.toml", &[]).unwrap_or_else(|faults| panic!("{faults}\n{toml}"))
}

#[test]
fn a_topic_file_and_the_command_line_become_one() {
    let settings = full();
    let urls: Vec<&str> = settings.seeds.urls.iter().map(|url| url.as_str()).collect();
    assert_eq!(
        urls,
        [
            "https://a.test/",
            "https://b.test/x?y=1",
            "https://d.test/",
            "https://c.test/"
        ]
    );
    assert_eq!(settings.topic.name, "databases \"course\" syllabi");
    assert_eq!(
        settings.topic.language.map(|l| l.to_string()),
        Some("en".to_owned())
    );
    assert_eq!(settings.terms.genre, ["syllabus", "course, with a comma"]);
    assert_eq!(settings.terms.url, ["cs", "edu"]);
    assert_eq!(
        (settings.judge.threshold, settings.judge.genre_weight),
        (0.47, 2.0)
    );
    assert_eq!(settings.judge.idf, Some(PathBuf::from("/here/sub/idf.json")));
    assert_eq!(settings.strategy.kind, StrategyKind::Fs2);
    assert_eq!(
        (settings.strategy.parents, settings.strategy.merge),
        (Parents::First, Merge::Replace)
    );
    assert_eq!(settings.strategy.ties, Ties::Probe);
    let crawl = &settings.crawl;
    assert_eq!(crawl.delay, Duration::from_secs(3));
    assert_eq!((crawl.max_pages, crawl.depth), (Some(5000), Some(0)));
    assert_eq!(crawl.max_bytes, Some(10_000_000_000));
    assert_eq!(
        (crawl.scope, crawl.sitemaps),
        (ScopeKind::Domain, SitemapUse::All)
    );
    assert_eq!(crawl.seed, u64::MAX);
    assert_eq!(crawl.resolver, Some("9.9.9.9:53".parse().unwrap()));
    assert!(crawl.include[0].0.is_match("http://x.test/"));
    assert_eq!(crawl.allow_net[0].to_string(), "127.0.0.0/8");
    assert!(crawl.allow_net[1].contains(&"::1".parse::<std::net::IpAddr>().unwrap()));
    assert_eq!(
        settings.user_agent(),
        concat!("scenthound/", env!("CARGO_PKG_VERSION"), " (+me@a.test)")
    );
    assert_eq!(
        settings.warnings,
        ["the password of the proxy is not kept; to resume the crawl, give --proxy with it again"]
    );
}

#[test]
fn words_are_a_topic() {
    let settings = check_with(&[], "green  tea & tea", &[SEED]).unwrap();
    assert_eq!(settings.topic.name, "green tea & tea");
    assert_eq!(settings.terms.content, ["green", "tea", "green tea & tea"]);
    assert_eq!(check_with(&[], "tea", &[SEED]).unwrap().terms.content, ["tea"]);
    // Terms in crawl.toml are not split again.
    let commas = check_with(&[], "tea, milk", &[SEED]).unwrap();
    assert_eq!(commas.terms.content, ["tea,", "milk", "tea, milk"]);
    assert_eq!(read_back(&commas), commas);
}

#[test]
fn a_topic_without_a_name_is_named_after_its_query_or_its_file() {
    let terms = "[terms]\ncontent = [\"tea\"]\n";
    assert_eq!(check_text(terms, &[SEED]).unwrap().topic.name, "t");
    assert_eq!(
        check_text(terms, &[SEED, "query=green tea"]).unwrap().topic.name,
        "green tea"
    );
}

#[test]
fn defaults_are_polite() {
    let settings = check_with(&[], "tea", &[SEED]).unwrap();
    let crawl = &settings.crawl;
    assert_eq!(crawl.delay, Duration::from_secs(1));
    assert_eq!(crawl.ip_delay, Duration::from_millis(250));
    assert_eq!((crawl.connections_per_host, crawl.concurrency), (1, 1_024));
    assert!(!crawl.ignore_robots && !crawl.follow_nofollow && crawl.allow_net.is_empty());
    assert_eq!(
        settings.user_agent(),
        concat!("scenthound/", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(
        settings.warnings,
        [
            "no contact is given, so site owners cannot reach you; give --contact with a page or an e-mail address",
            "there is no max-pages, max-time or max-bytes: the crawl goes on until no link is left",
        ]
    );
}

#[test]
fn the_default_threshold_depends_on_the_judge() {
    let threshold = |given: &[&str]| {
        check_with(&[], "tea", &[&[SEED], given].concat())
            .unwrap()
            .judge
            .threshold
    };
    assert_eq!(threshold(&[]), 0.5);
    assert_eq!(threshold(&["judge=terms"]), scenthound_judge::DEFAULT_THRESHOLD);
    // Only the term judge weighs genre against content.
    assert_eq!(
        threshold(&["genre-weight=2"]),
        scenthound_judge::DEFAULT_THRESHOLD
    );
    assert_eq!(threshold(&["judge=table"]), 0.1);
    // `hound judges` lists the same.
    for kind in [JudgeKind::Topic, JudgeKind::Terms, JudgeKind::Table] {
        let setting = judge_settings(kind)
            .find(|setting| setting.name == "threshold")
            .unwrap();
        let listed = default_of_judge(kind, setting.name).or(setting.default);
        let given = threshold(&[&format!("judge={}", kind.name())]);
        assert_eq!(given.to_string(), listed.unwrap());
    }
    assert_eq!(threshold(&["judge=table", "table-space=table"]), 0.8);
    assert_eq!(threshold(&["judge=table", "threshold=0.3"]), 0.3);
}

#[test]
fn a_longer_delay_raises_max_delay_unless_that_was_given() {
    let settings = check_with(&[], "tea", &[SEED, "delay=5m"]).unwrap();
    assert_eq!(settings.crawl.max_delay, Duration::from_secs(300));
    let hasty = check_with(
        &[],
        "tea",
        &[
            SEED,
            "delay=0",
            "max-delay=0",
            "ip-delay=0",
            "max-pages=1",
            "contact=a@b",
        ],
    );
    assert_eq!(
        hasty.unwrap().warnings,
        ["delay is 0: hosts get requests without a pause"]
    );
}

#[test]
fn checked_settings_are_read_back_the_same() {
    let mut settings = full();
    assert!(!settings.to_toml().contains("u:p@"));
    // Only the password of the proxy is not kept.
    settings.crawl.proxy.as_mut().unwrap().set_password(None).unwrap();
    settings.warnings.clear();
    assert_eq!(read_back(&settings), settings);
    let small = check_with(&[], "tea", &[SEED]).unwrap();
    assert_eq!(read_back(&small), small);
    assert!(
        small.to_toml().contains("\nscope = \"any\"\ndelay = \"1s\"\n"),
        "{}",
        small.to_toml()
    );
}

#[test]
fn option_names_are_unique_and_every_option_has_help() {
    let all: Vec<_> = options().collect();
    for (index, option) in all.iter().enumerate() {
        assert!(
            !option.help().is_empty() && option.help().ends_with(['.', '…']),
            "{}",
            option.name
        );
        assert!(
            option.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
            "{}",
            option.name
        );
        for other in &all[..index] {
            assert_ne!(option.name, other.name);
            assert_ne!((option.section, option.key), (other.section, other.key));
        }
        let has_default = option.default.is_some() || option.name == "topic-name";
        assert_eq!(has_default, option.shape == Shape::One, "{}", option.name);
    }
}

#[test]
fn real_files_are_read_and_a_written_crawl_toml_starts_the_same_crawl() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "t.toml",
        "[terms]\ncontent = [\"tea\"]\n[seeds]\nfile = \"s.txt\"\n[judge]\nidf = \"idf.json\"\n",
    );
    write("s.txt", "http://a.test/\n");
    write("idf.json", "{}");
    let surroundings = Surroundings {
        folder: folder.path(),
        read: &|path| std::fs::read(path),
    };
    let settings = check("t.toml", &[], &surroundings).unwrap();
    assert_eq!(settings.judge.idf, Some(folder.path().join("idf.json")));
    std::fs::create_dir(folder.path().join("crawl")).unwrap();
    write("crawl/crawl.toml", &settings.to_toml());
    assert_eq!(check("crawl/crawl.toml", &[], &surroundings).unwrap(), settings);
}

#[test]
fn hostile_files_take_time_in_proportion_to_their_length() {
    let nested = format!("[crawl]\nlang = {}", "[".repeat(300_000));
    let one_line = format!("[seeds]\nurls = [{}]", "\"x\",".repeat(300_000));
    let dotted = format!("[crawl]\n{}x = 1", "a.".repeat(300_000));
    let duplicates = format!("[crawl]\n{}", "seed = =\n".repeat(100_000));
    let strange = (0..20_000).map(|n| format!("k{n} = 1\n")).collect::<String>();
    for text in [nested, one_line, dotted, duplicates, strange] {
        assert!(check_text(&text, &[]).unwrap_err().to_string().len() < 200_000);
    }
}

/// The changes as shown, with `+` before those allowed.
fn shown_changes(before: &[&str], now: &[&str]) -> Vec<String> {
    let settings = |options: &[&str]| check_with(&[], "tea", &[&[SEED], options].concat()).unwrap();
    changes(&settings(before), &settings(now))
        .iter()
        .map(|change| format!("{} {change}", if change.is_allowed() { '+' } else { '-' }))
        .collect()
}

#[test]
fn a_crawl_may_be_resumed_with_other_budgets_and_delays_but_not_as_another_crawl() {
    let none: [&str; 0] = [];
    assert_eq!(shown_changes(&[], &[]), none);
    assert_eq!(
        shown_changes(
            &["max-pages=10", "content-terms=tea", "seed=1"],
            &[
                "max-pages=20",
                "delay=2s",
                "contact=a@b",
                "depth=3",
                "content-terms=tea,milk",
                "strategy=fs-2",
                "scope=host"
            ],
        ),
        [
            "- [terms] content was [\"tea\"], now [\"tea\", \"milk\"]; the pages fetched so far were judged by the \
             old value; judge them again with hound rejudge, or start a new folder with -o",
            "- [strategy] kind was \"scent\", now \"fs-2\"; the waiting links were ranked by the old value; start a new \
             folder with -o, or name it in a topic file for hound rejudge, which re-scores them",
            "+ [crawl] max-pages was 10, now 20",
            "+ [crawl] depth was nothing, now 3; what was found before stays as it is",
            "- [crawl] scope was \"any\", now \"host\"; this crawl cannot be resumed with it; start a new folder with -o",
            "+ [crawl] delay was \"1s\", now \"2s\"",
            "+ [crawl] contact was nothing, now \"a@b\"",
            "- [crawl] seed was 1, now 0; this crawl cannot be resumed with it; start a new folder with -o",
        ]
    );
}

/// Text that is almost a topic file, so that the deeper code is reached too.
fn nearly_toml() -> impl Strategy<Value = String> {
    let keys: Vec<String> = options().map(|option| option.key.to_owned()).collect();
    let sections: Vec<String> = options().map(|option| format!("[{}]", option.section)).collect();
    let value = prop_oneof![
        "[0-9a-z\"'.,{}\\[\\]=# é\\\\]{0,12}",
        any::<f64>().prop_map(|number| number.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        ".{0,10}".prop_map(|text| format!("{text:?}")),
        proptest::collection::vec(".{0,6}", 0..4).prop_map(|texts| format!("{texts:?}")),
    ];
    let line = prop_oneof![
        1 => proptest::sample::select(sections),
        4 => (proptest::sample::select(keys), value).prop_map(|(key, value)| format!("{key} = {value}")),
        1 => ".{0,20}",
    ];
    proptest::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in prop_oneof![nearly_toml(), ".*", "(?s).{0,200}"]) {
        match check_text(&text, &[]) {
            Ok(settings) => { let _ = settings.to_toml(); }
            Err(faults) => {
                let shown = faults.to_string();
                prop_assert!(!shown.is_empty());
                prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
            }
        }
    }

    #[test]
    fn no_value_breaks_an_option_and_right_ones_are_read_back(
        name in proptest::sample::select(options().map(|option| option.name).collect::<Vec<_>>()),
        value in prop_oneof![
            ".*",
            "(?s).{0,30}",
            "[0-9.]{1,6}(ms|s|m|h|KB|GB|B/s|MiB)?",
            "[0-9a-f.:/]{2,20}",
            "[a-z]{2,4}(,[a-z]{2})?",
            any::<u64>().prop_map(|number| number.to_string()),
            proptest::sample::select(STRATEGIES).prop_map(str::to_owned),
            "http://[a-z]{1,5}(:[0-9]{1,5})?/?[a-z(?]{0,3}",
        ],
    ) {
        match check_with(&[], "tea", &[SEED, &format!("{name}={value}")]) {
            Ok(mut settings) => {
                // What was ignored is not written, so nothing warns of it again.
                settings.warnings.retain(|warning| !warning.contains("is ignored"));
                prop_assert_eq!(read_back(&settings), settings);
            }
            Err(faults) => {
                let shown = faults.to_string();
                let place = if name == "seed-urls" { "SEED_URL: ".to_owned() } else { format!("--{name}: ") };
                prop_assert!(shown.starts_with(&place), "{shown}");
                prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
            }
        }
    }
}

#[test]
fn settings_of_another_strategy_are_ignored_with_a_warning_and_not_written() {
    let text = "[terms]\ncontent = [\"tea\"]\n[seeds]\nurls = [\"http://a.test/\"]\n[strategy]\nkind = \"otie\"\ndecay = 0.9\n";
    let settings = check_text(text, &[]).unwrap();
    assert_eq!(settings.strategy.decay, 0.5, "the default");
    let warning = "[strategy] decay is ignored: it is not a setting of the strategy otie or the judge topic";
    assert!(
        settings.warnings.iter().any(|told| told == warning),
        "{:?}",
        settings.warnings
    );
    let written = settings.to_toml();
    assert!(
        written.contains("revision = ") && !written.contains("decay"),
        "{written}"
    );
}

#[test]
fn a_list_of_stop_words_alone_is_refused_where_it_stands() {
    let list = |terms: &str| format!("[topic]\nlanguage = \"en\"\n[terms]\ncontent = [{terms}]\n");
    let refused = check_text(&list("\"the\", \"of and\""), &[SEED])
        .unwrap_err()
        .to_string();
    assert!(
        refused.starts_with("t.toml:4:12: the terms are stop words or signs"),
        "{refused}"
    );
    assert!(
        refused.contains("\"the\", \"of and\"") && refused.contains("use the judge terms"),
        "{refused}"
    );
    // The judge terms counts stop words where a term has nothing else.
    assert!(check_text(&list("\"the\""), &[SEED, "judge=terms"]).is_ok());
    // A query of stop words means them.
    assert!(check_with(&[], "the who", &[SEED]).is_ok());
    let some = check_text(&list("\"the\", \"tea\""), &[SEED]).unwrap();
    assert!(
        some.warnings
            .contains(&"terms of stop words alone do not count: \"the\"".to_owned()),
        "{:?}",
        some.warnings
    );
}
