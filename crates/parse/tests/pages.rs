//! Small pages and what is read from them.

// The lint exception for tests does not cover their shared functions.
#![allow(clippy::unwrap_used)]

use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, Link, LinkSource, ParsedPage, TokenRange};

const HERE: &str = "http://a.test/dir/page.html";

fn page_of(content_type: &str, body: &[u8]) -> ParsedPage {
    let url = CanonicalUrl::parse(HERE).unwrap();
    let input = PageInput {
        url: &url,
        content_type: Some(content_type),
        body,
        truncated: false,
    };
    parse(&input, &Limits::default())
}

fn page(html: &str) -> ParsedPage {
    page_of("text/html; charset=utf-8", html.as_bytes())
}

/// The words of a page, with `|` for a break.
fn words(html: &str) -> String {
    let page = page(html);
    let words: Vec<&str> = (0..page.text.len())
        .map(|position| match page.text.spelling(position) {
            "" => "|",
            word => word,
        })
        .collect();
    words.join(" ").trim_end_matches(" |").to_owned()
}

fn spelled(text: &scenthound_types::Text, range: &TokenRange) -> String {
    let words: Vec<&str> = range.clone().map(|position| text.spelling(position)).collect();
    words.join(" ")
}

fn urls(html: &str) -> Vec<String> {
    page(html).links.iter().map(|link| link.url.to_string()).collect()
}

fn only_link(page: &ParsedPage) -> &Link {
    assert_eq!(page.links.len(), 1, "{:?}", page.links);
    &page.links[0]
}

fn anchors(html: &str) -> Vec<String> {
    let page = page(html);
    page.links
        .iter()
        .map(|link| spelled(&page.text, &link.anchor))
        .collect()
}

#[test]
fn the_title_comes_first_as_a_block_of_its_own() {
    assert_eq!(words("<title> A\n &amp; B </title><p>Text"), "a b | text");
    assert_eq!(words("<p>Text</p><title>Late title</title>"), "late title | text");
    let page = page("<p>Text <a href=/x>link</a><title>Late &lt;title&gt;</title>");
    assert_eq!(page.title, "Late <title>");
    assert_eq!(spelled(&page.text, &page.links[0].anchor), "link");
    assert_eq!(page.text.spelling(0), "late");
}

#[test]
fn inline_tags_do_not_split_words_and_blocks_split_text() {
    assert_eq!(
        words("<b>foo</b>bar <i>b</i>az<p>one<div>two</div>three"),
        "foobar baz | one | two | three"
    );
    assert_eq!(
        words("<td>a1<td>b1<tr><td>c1<li>d1<li>e1"),
        "a1 | b1 | c1 | d1 | e1"
    );
    assert_eq!(words("a1<img src=x>b1"), "a1 b1");
    assert_eq!(words("foo&#98;ar &eacute;t&eacute;&nbsp;x"), "foobar ete x");
}

#[test]
fn one_line_break_ends_a_sentence_and_two_end_a_block() {
    assert_eq!(
        words("one<br>two<br/> <br>three</br>four"),
        "one two | three four"
    );
    let page = page("one two<br>three <a href=/x>four</a><br>five");
    let link = only_link(&page);
    assert_eq!(spelled(&page.text, &link.sentence), "three four");
}

#[test]
fn what_is_not_seen_is_not_text() {
    assert_eq!(words("a1<script>b1 '<p>'</script>c1"), "a1c1");
    assert_eq!(
        words("a1 <style>b1</style> <template><p>c1</template> <!-- d1 --> e1"),
        "a1 e1"
    );
    assert_eq!(words("a1 <noscript>b1<p>c1</noscript> d1"), "a1 d1");
    assert_eq!(
        words("a1 <select><option>b1<option>c1</select> <textarea>d1</textarea> e1"),
        "a1 e1"
    );
    assert_eq!(
        words("a1 <svg><title>b1</title><text>c1</text></svg> d1"),
        "a1 d1"
    );
    assert_eq!(
        words("a1 <video>b1</video> <iframe>c1</iframe> <canvas>d1</canvas> e1"),
        "a1 e1"
    );
    assert_eq!(words("a1 <svg><path d=x> <p>b1"), "a1 | b1");
    assert_eq!(
        words("<xmp>a1 <b></xmp>c1<plaintext>d1</plaintext>"),
        "a1 b | c1 | d1 plaintext"
    );
}

#[test]
fn a_link_has_its_words_those_around_it_and_its_sentence() {
    let before: String = (0..30).map(|i| format!("b{i} ")).collect();
    let after: String = (0..30).map(|i| format!("c{i} ")).collect();
    let page = page(&format!(
        "<p>{before}. See <a href=/x>two words</a>, please. {after}"
    ));
    let link = only_link(&page);
    assert_eq!(spelled(&page.text, &link.anchor), "two words");
    assert_eq!(spelled(&page.text, &link.sentence), "see two words please");
    assert_eq!(
        spelled(&page.text, &link.around),
        "b22 b23 b24 b25 b26 b27 b28 b29 see two words please c0 c1 c2 c3 c4 c5 c6 c7"
    );
    assert_eq!(link.around.len(), 20);
}

#[test]
fn nothing_is_added_around_a_long_anchor() {
    let long: String = (0..25).map(|i| format!("w{i} ")).collect();
    let page = page(&format!("before <a href=/x>{long}</a> after"));
    let link = only_link(&page);
    assert_eq!(link.around, link.anchor);
    assert_eq!(link.anchor.len(), 25);
}

#[test]
fn titles_and_alternative_texts_are_asides() {
    let page = page(
        "<a href=/x title='Go &amp; see'><img alt='A picture'> words</a>
         <a href=/y>plain</a>
         <map><area href=/z alt=Area title=Map></map>",
    );
    let asides: Vec<String> = page
        .links
        .iter()
        .map(|link| spelled(&page.asides, &link.title))
        .collect();
    assert_eq!(asides, ["go see a picture", "", "area map"]);
}

#[test]
fn links_come_from_everywhere_a_browser_finds_them() {
    let page = page(
        r#"<head><link rel="next" href="/next"><link rel=stylesheet href=/css>
           <link rel=alternate type="application/rss+xml" href=/rss>
           <link rel=alternate hreflang=de href=/de><link rel="alternate stylesheet" href=/css2>
           <meta http-equiv=Refresh content="5; URL=/refresh">
           <frameset><frame src=/frame></frameset>
           <noframes><a href=/noframes>x</a></noframes>
           <a href=/a>a</a><map><area href=/area></map><iframe src=/iframe></iframe>
           <noscript><a href=/noscript>x</a></noscript><svg><a xlink:href=/svg>x</a></svg>"#,
    );
    let found: Vec<(&str, LinkSource)> = page
        .links
        .iter()
        .map(|link| (link.url.path(), link.source))
        .collect();
    assert_eq!(
        found,
        [
            ("/next", LinkSource::Head),
            ("/de", LinkSource::Head),
            ("/refresh", LinkSource::Refresh),
            ("/frame", LinkSource::Frame),
            ("/noframes", LinkSource::Noscript),
            ("/a", LinkSource::Anchor),
            ("/area", LinkSource::Area),
            ("/iframe", LinkSource::Frame),
            ("/noscript", LinkSource::Noscript),
            ("/svg", LinkSource::Anchor),
        ]
    );
}

#[test]
fn links_that_wget2_misses_are_found() {
    assert_eq!(
        urls("<a href='/a&#47;b&#x3f;c=1&amp;d=2'>x</a>"),
        ["http://a.test/a/b?c=1&d=2"]
    );
    assert_eq!(
        urls("<a href='/100%/x%zz'>x</a>"),
        ["http://a.test/100%25/x%25zz"]
    );
    assert_eq!(
        urls("<frameset cols=*><frame src=left.html>"),
        ["http://a.test/dir/left.html"]
    );
    assert_eq!(
        urls("<map name=m><area shape=rect href=spot.html>"),
        ["http://a.test/dir/spot.html"]
    );
}

#[test]
fn odd_urls_are_read_as_in_browsers() {
    assert_eq!(urls("<a href=' \n/a\n\tb '>x</a>"), ["http://a.test/ab"]);
    assert_eq!(urls("<A HREF=/up>x</A>"), ["http://a.test/up"]);
    assert_eq!(urls("<a href=/first href=/second>x</a>"), ["http://a.test/first"]);
    assert_eq!(
        urls("<a href=''>self</a><a href='#x'>self</a><a href='page.html#x'>self</a>"),
        [""; 0]
    );
    assert_eq!(
        urls("<a href='javascript:x'>a</a><a href=mailto:a@b.c>b</a><a href='data:,x'>c</a>"),
        [""; 0]
    );
    assert_eq!(
        urls("<a name=x>a</a><template><a href=/t>b</a></template><!-- <a href=/c> -->"),
        [""; 0]
    );
}

#[test]
fn the_first_base_counts_for_every_link() {
    assert_eq!(
        urls("<link rel=next href=n><base target=x><base href=/b/><base href=/c/><a href=p>x</a>"),
        ["http://a.test/b/n", "http://a.test/b/p"]
    );
}

#[test]
fn one_target_is_one_link_with_the_first_words_there_are() {
    assert_eq!(
        anchors("<a href=/x><img></a> and <a href=/x#y>words</a> and <a href=/x>more</a>"),
        ["words"]
    );
    let page = page("<a rel='nofollow ugc' href=/x>x</a><a href=/x>x</a><a rel=Sponsored href=/y>y</a>");
    let nofollow: Vec<bool> = page.links.iter().map(|link| link.rel.nofollow).collect();
    assert_eq!(nofollow, [false, true]);
}

#[test]
fn anchors_end_where_they_should() {
    assert_eq!(anchors("<a href=/1>one <a href=/2>two</a> three"), ["one", "two"]);
    assert_eq!(
        anchors("<a href=/1><div>one</div><p>two</p></a>three"),
        ["one  two"]
    );
    assert_eq!(anchors("<a href=/1>unclosed to the end"), ["unclosed to the end"]);
    assert_eq!(anchors("w<a href=/1></a>ord"), [""]);
    assert_eq!(anchors("再び<a href=/1>日本語</a>です"), ["日本 本語"]);
}

#[test]
fn robots_directives_and_the_canonical_url_are_read() {
    let page = page(
        "<html lang=pt-BR><head><meta name=ROBOTS content='NoIndex, nofollow'><meta name=googlebot content=noarchive>
         <link rel=canonical href=/canon><meta name=scenthound content=noarchive>",
    );
    assert!(page.directives.noindex && page.directives.nofollow && page.directives.noarchive);
    assert_eq!(page.canonical.unwrap().as_str(), "http://a.test/canon");
    assert_eq!(page.language.unwrap().code(), "pt");
    assert!(page.links.is_empty());
}

#[test]
fn elements_are_counted() {
    let tags = page(
        "<h1>x</h1><h2>y</h2><p>p<p>q<ul><li>1<li>2</ul><img><video></video><iframe src='https://www.youtube.com/embed/x'></iframe>
         <form><input><input type=hidden><select></select><textarea></textarea></form><table></table><pre><code></code></pre>
         <article><time></time></article><script></script><noscript><img></noscript>",
    )
    .tags;
    assert_eq!(
        (
            tags.headings,
            tags.paragraphs,
            tags.list_items,
            tags.images,
            tags.media
        ),
        (2, 2, 2, 1, 2)
    );
    assert_eq!(
        (tags.forms, tags.inputs, tags.tables, tags.code_blocks),
        (1, 3, 1, 1)
    );
    assert_eq!(
        (tags.articles, tags.times, tags.scripts, tags.elements),
        (1, 1, 1, 22)
    );
}

#[test]
fn visible_characters_are_counted_with_white_space_folded() {
    assert_eq!(
        page("<title>not me</title><p> a  b\n\n c </p> <p>été</p>").visible_chars,
        5 + 3
    );
}

#[test]
fn plain_text_has_blocks_between_blank_lines() {
    let page = page_of("text/plain", b"First <b>line\nsecond\r\n\r\nThird &amp; last");
    let words: Vec<&str> = (0..page.text.len()).map(|i| page.text.spelling(i)).collect();
    assert_eq!(
        words,
        ["first", "b", "line", "second", "", "third", "amp", "last", ""]
    );
}

#[test]
fn xhtml_closes_what_html_leaves_open() {
    let body = b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='x'/></head>
        <body><p>seen <![CDATA[a <b> &amp; c]]> <a href='/x'>link</a></p></body></html>";
    let page = page_of("application/xhtml+xml", body);
    let words: Vec<&str> = (0..page.text.len()).map(|i| page.text.spelling(i)).collect();
    assert_eq!(words, ["seen", "a", "b", "amp", "c", "link", ""]);
    assert_eq!(page.links.len(), 1);
}

#[test]
fn pictures_are_not_words() {
    let page = page_of("image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10");
    assert!(page.text.is_empty());
}

#[test]
fn limits_cut_and_say_so() {
    let url = CanonicalUrl::parse(HERE).unwrap();
    let body: String = (0..200)
        .map(|i| format!("<p>word{i} <a href=/{i}>x</a>"))
        .collect();
    let input = PageInput {
        url: &url,
        content_type: Some("text/html"),
        body: body.as_bytes(),
        truncated: false,
    };
    let whole = parse(&input, &Limits::default());
    assert!(!whole.truncated && whole.links.len() == 200);
    for limits in [
        Limits {
            body_bytes: 1000,
            ..Limits::default()
        },
        Limits {
            tokens: 50,
            ..Limits::default()
        },
        Limits {
            links: 10,
            ..Limits::default()
        },
    ] {
        let cut = parse(&input, &limits);
        assert!(cut.truncated, "{limits:?}");
        assert!(
            cut.text.len() < whole.text.len() || cut.links.len() == 10,
            "{limits:?}"
        );
    }
}

#[test]
fn near_duplicates_have_near_fingerprints() {
    let story: String = (0..300)
        .map(|i| format!("<p>word{} and{} more", i * 31 % 211, i))
        .collect();
    let one = page(&format!(
        "<html><body><nav>Home</nav>{story}<footer>Printed Monday"
    ));
    let two = page(&format!(
        "<html><body><div><nav>Home</nav></div>{story}<footer>Printed Tuesday"
    ));
    let other = page(&story.replace("word", "thing"));
    let apart = (one.fingerprint ^ two.fingerprint).count_ones();
    assert!(apart <= 6, "{apart}");
    assert!((one.fingerprint ^ other.fingerprint).count_ones() > 12);
}

#[test]
fn headings_are_runs_of_the_text_and_links_of_one_list_share_a_path() {
    let page = page(
        "<title>T</title><h1>Green <b>tea</b></h1><p>See <a href=/a>a</a></p><ul><li><a href=/b>b</a><li><a href=/c>c</a>\
         </ul><h2>Black<div>not this</div></h2>",
    );
    let headings: Vec<String> = page
        .headings
        .iter()
        .map(|run| spelled(&page.text, run).trim_end().to_owned())
        .collect();
    assert_eq!(headings, ["green tea", "black"]);
    let paths: Vec<u32> = page.links.iter().map(|link| link.path).collect();
    assert_ne!(paths[0], paths[1]);
    assert_eq!(paths[1], paths[2]);
}

#[test]
fn the_words_of_every_link_to_a_url_are_kept() {
    let page = page(
        "<p>Read <a href='/tea'>more</a> here.</p><p>All about <a href='/tea'>green tea from Japan</a> today.</p>\
         <p><a href='/tea'><img alt='tea bowl'></a></p>",
    );
    let link = only_link(&page);
    assert_eq!(link.times, 3);
    let anchors: Vec<String> = link
        .all_words()
        .map(|words| {
            let run = page.text.run(&words.anchor).len();
            format!("{run} {}", page.asides.run(&words.title).len())
        })
        .collect();
    assert_eq!(anchors, ["1 0", "4 0", "0 2"]);
    let second = &link.more[0];
    assert!(second.sentence.start < second.anchor.start && second.sentence.end > second.anchor.end);
}
