//! Links of broken markup, checked against a tree built by html5ever, which parses like browsers.

// The lint exception for tests does not cover their shared functions.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use scenthound_parse::{Limits, PageInput, parse};
use scenthound_types::{CanonicalUrl, LinkSource};

fn by_us(html: &str) -> BTreeSet<String> {
    let url = CanonicalUrl::parse("http://a.test/dir/").unwrap();
    let input = PageInput {
        url: &url,
        content_type: Some("text/html; charset=utf-8"),
        body: html.as_bytes(),
        truncated: false,
    };
    let page = parse(&input, &Limits::default());
    let links = page.links.iter();
    links
        .filter(|link| !matches!(link.source, LinkSource::Refresh | LinkSource::Head))
        .map(|link| link.url.to_string())
        .collect()
}

fn by_tree(html: &str) -> BTreeSet<String> {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            // Links inside noscript count for us.
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    let dom = parse_document(RcDom::default(), options).one(html);
    let page = url::Url::parse("http://a.test/dir/").unwrap();
    let mut base = None;
    let mut hrefs = Vec::new();
    walk(&dom.document, &mut base, &mut hrefs);
    let base = base
        .and_then(|href: String| page.join(&href).ok())
        .unwrap_or(page.clone());
    let own = CanonicalUrl::from_url(page).unwrap();
    hrefs
        .iter()
        .filter_map(|href| CanonicalUrl::from_url(base.join(href).ok()?).ok())
        .filter(|url| *url != own)
        .map(|url| url.to_string())
        .collect()
}

fn walk(node: &Handle, base: &mut Option<String>, hrefs: &mut Vec<String>) {
    if let NodeData::Element { name, attrs, .. } = &node.data {
        let wanted = match &*name.local {
            "a" | "area" | "base" => "href",
            "frame" | "iframe" => "src",
            _ => "",
        };
        let attrs = attrs.borrow();
        if let Some(value) = attrs.iter().find(|attr| &*attr.name.local == wanted) {
            match &*name.local {
                "base" => *base = base.take().or(Some(value.value.to_string())),
                _ => hrefs.push(value.value.to_string()),
            }
        }
    }
    for child in node.children.borrow().iter() {
        walk(child, base, hrefs);
    }
}

const BROKEN: [&str; 60] = [
    "<a href=/1>one<a href=/2>two",
    "<a href='/1'one</a><a href=/2>",
    "<a href=\"/1>x</a><a href=\"/2\">y</a>",
    "<a href=/1 /><a href=/2/>x",
    "<a/href=/1>x</a>",
    "<a href=/1><b><a href=/2></b>x",
    "<table><a href=/1>x</a><tr><td><a href=/2>y</table>",
    "<table><td><a href=/1>x<td><a href=/2>y",
    "<p><a href=/1><p><a href=/2>",
    "<a href = /1 >x</a>",
    "<a\nhref\n=\n/1\n>x",
    "<a HREF=/1 HrEf=/2>x",
    "<A hREF='/1?a=1&b=2&amp;c=3&copy=4&lt=5'>x",
    "<a href=/&#49;&#x2f;2>x",
    "<a href=/a&notin;b>x<a href=/a&notit;b>y",
    "<a href='/1\n2\t3'>x",
    "<a href=/1\">x</a><a href='/2'>y",
    "<a title='<a href=/no>' href=/1>x",
    "<a title=<a href=/1>x",
    "<!-- <a href=/no> --><a href=/1>",
    "<!-- <a href=/no> --!><a href=/1>",
    "<!--><a href=/1>",
    "<!---><a href=/1>-->",
    "<!-- unclosed <a href=/no>",
    "<! <a href=/no>><a href=/1>",
    "<? <a href=/no>><a href=/1>",
    "</ <a href=/no>><a href=/1>",
    "</><a href=/1>",
    "<<a href=/1>x",
    "<1a href=/no><a href=/1>",
    "<script><a href=/no></script><a href=/1>",
    "<script>'<!--<script>'</script><a href=/no></script><a href=/1>",
    "<script><!--</script><a href=/1>-->",
    "<script>\"</scr\"+\"ipt><a href=/no>\"</SCRIPT\n><a href=/1>",
    "<style><a href=/no></style ><a href=/1>",
    "<title><a href=/no></title><a href=/1>",
    "<title>unclosed <a href=/no>",
    "<textarea><a href=/no></textarea><a href=/1>",
    "<xmp><a href=/no></xmp><a href=/1>",
    "<iframe src=/1><a href=/no></iframe><a href=/2>",
    "<noembed><a href=/no></noembed><a href=/1>",
    "<noscript><a href=/1></noscript><a href=/2>",
    "<noscript><p><a href=/1>x</p></noscript><a href=/2>",
    "<plaintext><a href=/no>",
    "<template><a href=/no></template><a href=/1>",
    "<template><template><a href=/no></template><a href=/no2></template><a href=/1>",
    "<svg><a href=/1>x</a></svg><a href=/2>",
    "<svg><a xlink:href=/1>x</a></svg>",
    "<svg><title><a href=/1></title></svg><a href=/2>",
    "<svg><style><a href=/1></style></svg><a href=/2>",
    "<svg><![CDATA[<a href=/no>]]></svg><a href=/1>",
    "<svg><foreignObject><a href=/1></foreignObject></svg><a href=/2>",
    "<svg><p><a href=/1>",
    "<![CDATA[<a href=/no>]]><a href=/1>",
    "<frameset><frame src=/1><frame src='/2'></frameset>",
    "<map><area href=/1><area href=/2></map>",
    "<base href=/b/><base href=/c/><a href=1>",
    "<a href=1><base href=http://b.test/x/>",
    "<body><a href=/1><body><html><head><a href=/2>",
    "<a href=/1 unfinished",
];

/// Where the tree and a crawler differ on purpose, with the reason.
const DIFFERENT: [(&str, &str); 1] = [(
    "<frameset><noframes><a href=/1></noframes></frameset>",
    "noframes is raw text in a browser; its links are what a page of 1997 shows to those without frames",
)];

#[test]
fn links_of_broken_markup_are_those_of_the_tree() {
    for html in BROKEN {
        assert_eq!(by_us(html), by_tree(html), "{html}");
    }
}

#[test]
fn the_differences_are_still_there() {
    for (html, reason) in DIFFERENT {
        assert_ne!(by_us(html), by_tree(html), "{html}: {reason}");
    }
}
