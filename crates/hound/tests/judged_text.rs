//! Pages are judged by all their words or by their main text, and the same way wherever they are judged.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{Workspace, serve_paths};
use scenthound_testweb::SiteResponse;

/// A page about harbours whose menu is about tea.
const PAGE: &str = "<html lang=en><title>Harbours</title><nav><ul><li><a href=/a>green tea</a></li><li><a href=/b>green tea \
    shop</a></li><li><a href=/c>green tea pots</a></li></ul></nav><article><h1>Harbours</h1><p>Old harbours had warehouses, \
    cranes and taverns, where sailors told long stories about storms, islands, whales and the price of rope, and clerks wrote \
    every barrel into heavy books by candlelight until the bells rang.</p><p>Later the harbours were filled with sand, and the \
    town moved on to other trades, such as wool and glass, which needed no ships at all.</p></article></html>";

#[test]
fn the_main_text_leaves_out_the_menu_in_judge_crawl_and_rejudge() {
    let work = Workspace::new();
    let (_serving, root) = serve_paths(|path| match path {
        "/" => SiteResponse::html(PAGE),
        _ => SiteResponse::missing(),
    });
    std::fs::write(work.path("page.html"), PAGE).unwrap();
    let topic = |text: &str| {
        format!(
            "[topic]\nname = \"green tea\"\nquery = \"green tea\"\n[judge]\nkind = \"query\"\ntext = \"{text}\"\n\
             [seeds]\nurls = [\"{root}/\"]\n[crawl]\ndelay = \"1ms\"\nallow-net = [\"127.0.0.0/8\"]\nmax-pages = 1\n"
        )
    };
    for text in ["page", "main"] {
        std::fs::write(work.path(&format!("{text}.toml")), topic(text)).unwrap();
    }
    let judged = |text: &str| {
        let file = format!("{text}.toml");
        let pages = work
            .hound(&["judge", "--topic", &file, "page.html", "--json"])
            .json_lines();
        pages[0]["relevance"].as_f64().unwrap()
    };
    assert_eq!((judged("page"), judged("main")), (1.0, 0.0));
    let relevance = || {
        let pages = work.hound(&["results", "out", "--format", "jsonl"]).json_lines();
        pages[0]["relevance"].as_f64().unwrap()
    };
    let run = work.hound(&["crawl", "main.toml", "-o", "out"]);
    assert!(run.is_good(), "{run:?}");
    assert_eq!(relevance(), 0.0);
    let run = work.hound(&["rejudge", "out", "--topic", "page.toml"]);
    assert!(run.is_good(), "{run:?}");
    assert_eq!(relevance(), 1.0);
}
