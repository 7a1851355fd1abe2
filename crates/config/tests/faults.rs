//! What users see when their settings are wrong.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

#[allow(dead_code)]
mod surroundings;

use surroundings::{check_text, check_with};

/// The faults as shown.
fn shown(text: &str, options: &[&str]) -> String {
    check_text(text, options).unwrap_err().to_string()
}

#[test]
fn every_fault_is_shown_at_once_with_its_line() {
    let text = r#"[topic]
name = "tea"

[terms]
content = ["tea", "!!"]

[seeds]
urls = ["https://tea.test/", "tea.test/green", "ftp://x/"]

[judge]
threshold = 1.5

[strategy]
kind = "bestfirst"
merge = "sum"

[crawl]
delay = "2x"
max_pages = 100
scope = 3
include = ["a(b"]
concurrency = 0
max-bytes = "ten"
joint = true
"#;
    let options = [
        "max-time=soon",
        "max-pagse=3",
        "depth=-1",
        "contact=me",
        "seed=1",
        "seed=2",
    ];
    assert_eq!(
        shown(text, &options),
        r#"t.toml:5:19: "!!" is not a term
    content = ["tea", "!!"]
                      ^^^^
    help: write a word or a phrase
t.toml:8:30: "tea.test/green" cannot be crawled: not an absolute URL
    urls = ["https://tea.test/", "tea.test/green", "ftp://x/"]
                                 ^^^^^^^^^^^^^^^^
    help: write "https://tea.test/green"
t.toml:8:48: "ftp://x/" cannot be crawled: only http and https can be crawled
    urls = ["https://tea.test/", "tea.test/green", "ftp://x/"]
                                                   ^^^^^^^^^^
t.toml:11:13: 1.5 is out of range
    threshold = 1.5
                ^^^
    help: write a number from 0 to 1
t.toml:14:8: "bestfirst" is not one of the choices
    kind = "bestfirst"
           ^^^^^^^^^^^
    help: did you mean best-first? the choices are breadth-first, random, best-first, ps, fs-1, fs-2, pfs-1, pfs-2, link-context, opic, otie, shark, fish, genre, context-graph, layered, table, ache, bandit, tunnel or scent
t.toml:15:9: "sum" is not one of the choices
    merge = "sum"
            ^^^^^
    help: write max or set
t.toml:18:9: "2x" is not a duration
    delay = "2x"
            ^^^^
    help: write 2s, 500ms or 1m
t.toml:19:1: [crawl] has no max_pages
    max_pages = 100
    ^^^^^^^^^
    help: did you mean max-pages?
t.toml:20:9: "3" is not one of the choices
    scope = 3
            ^
    help: write any, domain, host or prefix
t.toml:21:12: "a(b" is not a regular expression: unclosed group
    include = ["a(b"]
               ^^^^^
t.toml:22:15: 0 is out of range
    concurrency = 0
                  ^
    help: write a number from 1 to 10000
t.toml:23:13: "ten" is not a size
    max-bytes = "ten"
                ^^^^^
    help: write 10GB, 512KiB or a number of bytes
t.toml:24:1: [crawl] has no joint
    joint = true
    ^^^^^
    help: write joint under [judge]
--max-pagse: there is no such option; did you mean --max-pages?
--seed: given more than once; give it once
--max-time: "soon" is not a duration; write 2s, 500ms or 1m
--depth: "-1" is not a whole number; write a number from 0 to 65535
--contact: "me" is not a contact; write the URL of a page about you or an e-mail address"#
    );
}

#[test]
fn broken_toml_is_shown_with_the_rest_and_nothing_is_called_missing() {
    let text = "[crawl]\ndelay = 2s\nmax-pages = = 3\nmax-pages = 4\nwidth = 0\n[topic\nname = \"x\"\n";
    assert_eq!(
        shown(text, &["delay=1"]),
        r#"t.toml:2:9: string values must be quoted
    delay = 2s
            ^^
    help: write "2s"
t.toml:3:13: extra `=`, expected nothing
    max-pages = = 3
                ^
t.toml:4:1: duplicate key
    max-pages = 4
    ^^^^^^^^^
t.toml:5:9: 0 is out of range
    width = 0
            ^
    help: write a number from 1 to 1000000
t.toml:6:7: unclosed table, expected `]`
    [topic
          ^
--delay: "1" is not a duration; write 2s, 500ms or 1m"#
    );
}

#[test]
fn names_in_the_wrong_place_are_sent_to_the_right_one() {
    let text = r#"max-pages = 5
[crawll]
x = 1
[crawl]
threshold = 0.5
strategy = "fs-2"
content = ["tea"]
dealy = "1s"
zebra = 1
[strategy]
kind = ["fs-2"]
ties = { a = 1 }
[[judge]]
kind = "terms"
[zoo]
[topic]
name = "x"
[terms]
content = ["x"]
"#;
    assert_eq!(
        shown(text, &["seed-urls=http://a.test/"]),
        r#"t.toml:1:1: max-pages is outside any section
    max-pages = 5
    ^^^^^^^^^
    help: write max-pages under [crawl]
t.toml:2:2: there is no section [crawll]
    [crawll]
     ^^^^^^
    help: did you mean [crawl]?
t.toml:5:1: [crawl] has no threshold
    threshold = 0.5
    ^^^^^^^^^
    help: write threshold under [judge]
t.toml:6:1: [crawl] has no strategy
    strategy = "fs-2"
    ^^^^^^^^
    help: write kind under [strategy]
t.toml:7:1: [crawl] has no content
    content = ["tea"]
    ^^^^^^^
    help: write content under [terms]
t.toml:8:1: [crawl] has no dealy
    dealy = "1s"
    ^^^^^
    help: did you mean delay?
t.toml:9:1: [crawl] has no zebra
    zebra = 1
    ^^^^^
    help: the keys of this section are max-pages, max-time, max-bytes, least-yield, enough, depth, site-depth, width, max-pages-per-host, host-allowance, pattern-allowance, host-limit, new-hosts-per-page, new-hosts-per-domain, allow-traps, follow-duplicates, skip-documents, requisites, max-requisites, archive, skip-index, scope, include, exclude, lang, genres, delay, ip-delay, max-delay, concurrency, connections-per-host, retries, redirects, user-agent, contact, ignore-robots, follow-nofollow, sitemaps, allow-net, resolver, proxy, ca-file, connect-timeout, first-byte-timeout, body-timeout, slowest-rate, max-page-bytes, max-wire-bytes, bytes-in-flight, max-memory, list-size, agents, assign-seeds, goal, agent-requests, redistribute, expire-after, expire-after-pages, max-waiting, seed
t.toml:11:8: expected a single value, found a list
    kind = ["fs-2"]
           ^^^^^^^^
t.toml:12:8: expected a single value, found a table
    ties = { a = 1 }
           ^^^^^^^^^
t.toml:13:3: expected a section, found a list
    [[judge]]
      ^^^^^
t.toml:15:2: there is no section [zoo]
    [zoo]
     ^^^
    help: the sections are [topic], [terms], [seeds], [judge], [strategy], [crawl]"#
    );
}

#[test]
fn what_is_missing_is_named_with_every_way_to_give_it() {
    assert_eq!(
        shown("", &[]),
        "settings: there is nowhere to start from; give seed URLs after the topic, a file of them with --seeds, or a search \
         engine with --engine, such as searxng=URL or brave; in the topic file these are urls, file and engines under [seeds]\n\
         settings: there is nothing to look for: the topic has no terms; list terms as genre, content or url under \
         [terms] in the topic file, write words in place of a topic file, or give pages like those you want with --examples"
    );
    assert_eq!(
        check_with(&[], "gone.toml", &["width=0"])
            .unwrap_err()
            .to_string(),
        "--width: 0 is out of range; write a number from 1 to 1000000\n\
         settings: could not read gone.toml: no such file"
    );
    assert_eq!(
        check_with(&[], "https://tea.test/", &["seed-urls=http://a.test/"])
            .unwrap_err()
            .to_string(),
        "settings: \"https://tea.test/\" is an address, not a topic; first say what to look for, then where to start: \
         hound crawl \"words\" \"https://tea.test/\""
    );
    assert_eq!(
        check_with(
            &[],
            "cheese",
            &["seed-urls=making", "seed-urls=tips", "seed-urls=http://a.test/"]
        )
        .unwrap_err()
        .to_string(),
        "SEED_URL: \"making\" and \"tips\" cannot be crawled: not an absolute URL; quote the words to look for: \
         hound crawl \"cheese making tips\" URL; a seed begins with https:// or http://"
    );
    // An address without its scheme gets the other advice.
    let address = check_with(&[], "cheese", &["seed-urls=a.test"])
        .unwrap_err()
        .to_string();
    assert!(address.ends_with("write \"https://a.test/\""), "{address}");
    let file = |name: &str, topic: &str| {
        let files = [(name, "green tea\n")];
        check_with(&files, topic, &["seed-urls=http://a.test/"]).map_err(|faults| faults.to_string())
    };
    assert_eq!(
        file("/here/words.txt", "words.txt").unwrap_err(),
        "settings: words.txt is a file, but not a topic file; topic files end in .toml; to look for the words in this one: \
         hound crawl \"$(cat 'words.txt')\""
    );
    assert!(
        file("/here/tea", "tea")
            .unwrap_err()
            .ends_with("hound crawl \" tea\"")
    );
    assert!(file("/here/tea", " tea").is_ok());
    assert_eq!(
        check_with(&[], " && ", &["seed-urls=http://a.test/"])
            .unwrap_err()
            .count(),
        1
    );
}

#[test]
fn a_search_engine_that_is_unknown_or_lacks_its_address_is_reported_with_a_remedy() {
    let text =
        "[seeds]\nengines = [\"searxng\", \"brvae\"]\ncategories = [\"blog\"]\n[terms]\nurl = [\"tea\"]\n";
    assert_eq!(
        shown(text, &[]),
        r#"t.toml:2:12: "searxng" is not a valid search engine
    engines = ["searxng", "brvae"]
               ^^^^^^^^^
    help: write searxng=URL with the address of a SearXNG server, such as searxng=http://127.0.0.1:8888
t.toml:2:23: "brvae" is not one of the choices
    engines = ["searxng", "brvae"]
                          ^^^^^^^
    help: did you mean brave? the choices are searxng, brave, google-cse, marginalia, collection or file
t.toml:3:15: "blog" is not one of the choices
    categories = ["blog"]
                  ^^^^^^
    help: did you mean blogs? the choices are web, news, discussions or blogs"#
    );
    let given = |engine: &str| {
        let option = format!("engine={engine}");
        check_with(&[], "tea", &[&option]).unwrap_err().to_string()
    };
    assert_eq!(
        given("file="),
        "--engine: \"file=\" is not a valid search engine; write file=FILE with a file of URLs, one per line"
    );
    for hidden in ["searxng=http://me:hush@a.test/", "brave=http://a.test/?key=hush"] {
        let message = given(hidden);
        assert!(
            message.contains("the address alone") && !message.contains("hush"),
            "{message}"
        );
    }
}

#[test]
fn bad_lines_of_a_seed_file_are_shown_with_its_name_and_their_numbers() {
    let files = [
        (
            "/here/topics/t.toml",
            "[terms]\ncontent = \"tea\"\n[seeds]\nfile = \"seeds.txt\"\n[judge]\nidf = \"gone.json\"\n",
        ),
        (
            "/here/topics/seeds.txt",
            "# mine\nhttp://a.test/\n\n   tea.test \nno url here\n",
        ),
    ];
    let faults = check_with(&files, "topics/t.toml", &["seeds=more.txt"]).unwrap_err();
    assert_eq!(
        faults.to_string(),
        r#"topics/t.toml:6:7: could not read topics/gone.json: no such file
    idf = "gone.json"
          ^^^^^^^^^^^
topics/seeds.txt:4:4: "tea.test" cannot be crawled: not an absolute URL
       tea.test 
       ^^^^^^^^
    help: write "https://tea.test/"
topics/seeds.txt:5:1: "no url here" cannot be crawled: not an absolute URL
    no url here
    ^^^^^^^^^^^
--seeds: could not read more.txt: no such file"#
    );
}

#[test]
fn settings_that_do_not_go_together_are_faults() {
    let text = "[terms]\ngenre = [\"blog\"]\n[judge]\ngenre-weight = 0\n[seeds]\nurls = \"http://a.test\"\n[crawl]\nmax-delay = \"5s\"\n";
    assert_eq!(
        shown(text, &["delay=10s"]),
        r#"t.toml:8:13: delay = 10s is longer than the longest wait, max-delay = 5s
    max-delay = "5s"
                ^^^^
    help: raise max-delay or lower the other one
settings: the weights of the term lists given add up to 0; give at least one of them a weight above 0"#
    );
}

#[test]
fn a_million_faults_are_counted_not_kept() {
    let seeds = "bad\n".repeat(1_000_000);
    let faults = check_with(&[("/here/s.txt", &seeds)], "tea", &["seeds=s.txt"]).unwrap_err();
    assert_eq!(faults.count(), 1_000_000);
    assert_eq!(faults.iter().count(), 200);
    assert!(faults.to_string().ends_with("… and 999800 more faults"));
}

#[test]
fn an_even_power_and_weights_out_of_range_are_reported_with_a_remedy() {
    let text = "[terms]\ncontent = \"tea\"\n[seeds]\nurls = [\"https://tea.test/\"]\n[strategy]\nkind = \"otie\"\nrevision-power = 4\n";
    let faults = shown(text, &["page-weight=1.5", "revision=0", "fish-width=0"]);
    for expected in [
        "t.toml:7:18: 4 is even: irrelevant pages would gain as much as relevant ones",
        "help: write an odd number, such as 3",
        "--page-weight: 1.5 is out of range; write a number from 0 to 1",
        "--revision: 0 is out of range; write a number from 0.001 to 1000",
        "--fish-width: 0 is out of range; write a number from 1 to 1000000",
    ] {
        assert!(faults.contains(expected), "{expected}\n{faults}");
    }
    assert!(check_text(&text.replace("= 4", "= 5"), &[]).is_ok());
}
