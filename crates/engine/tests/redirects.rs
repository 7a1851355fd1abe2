//! Where redirects lead, and what their targets take over.

mod small_web;

use scenthound_engine::{CrawlSettings, PageSettings, ScopeKind};
use scenthound_lab::LabSettings;
use scenthound_strategy::BestFirst;

use small_web::{SmallWeb, crawl, crawl_by, outcomes, plain, visits, within};

#[test]
fn a_target_takes_the_place_of_its_source_in_the_queue() {
    let web = SmallWeb::draw(
        "hub/0: x -> old/1 late/1
         old/1 => new/1
         new/1: x
         late/1: x",
    );
    let run = crawl(&web, &plain());
    assert_eq!(visits(&run), ["hub/0", "new/1", "late/1"]);
    assert_eq!(outcomes(&run, "old/1"), ["redirect"]);
}

#[test]
fn a_target_takes_over_the_priority() {
    // dull/2 waits longer than old/1, but old/1 was found on the better page.
    let web = SmallWeb::draw(
        "hub/0: x    -> dull/1 rich/1
         dull/1: x   -> dull/2
         rich/1: tea -> old/1
         old/1 => new/1
         new/1: x
         dull/2: x",
    );
    let run = crawl_by(&web, BestFirst, &plain());
    assert_eq!(visits(&run), ["hub/0", "dull/1", "rich/1", "new/1", "dull/2"]);
}

#[test]
fn a_redirect_is_not_a_link_further_from_the_seed() {
    let web = SmallWeb::draw(
        "hub/0: x  -> old/1
         old/1 => new/1
         new/1: x  -> near/1
         near/1: x -> far/1
         far/1: x",
    );
    let settings = LabSettings {
        processor: PageSettings {
            max_depth: Some(2),
            ..plain().processor
        },
        ..plain()
    };
    assert_eq!(visits(&crawl(&web, &settings)), ["hub/0", "new/1", "near/1"]);
}

#[test]
fn a_seed_may_redirect_out_of_scope_and_its_target_is_a_seed() {
    // The second redirect leaves the scope as well, and is followed because its URL stands for the seed.
    let web = SmallWeb::draw(
        "hub/0 => moved/0
         moved/0 => final/0
         final/0: x -> final/1 hub/1
         final/1: x
         hub/1: x",
    );
    let settings = within(ScopeKind::Host, &web.seed(), plain());
    assert_eq!(visits(&crawl(&web, &settings)), ["final/0", "hub/1"]);
}

#[test]
fn a_link_that_redirects_out_of_scope_is_refused() {
    let web = SmallWeb::draw(
        "hub/0: x -> hub/out hub/in
         hub/out => other/1
         hub/in => hub/1
         other/1: x
         hub/1: x",
    );
    let settings = within(ScopeKind::Host, &web.seed(), plain());
    let run = crawl(&web, &settings);
    assert_eq!(outcomes(&run, "hub/out"), ["refused-scope"]);
    assert_eq!(outcomes(&run, "other/1"), [""; 0]);
    assert_eq!(outcomes(&run, "hub/1"), ["ok"]);
}

#[test]
fn a_chain_is_refused_where_it_exceeds_the_limit() {
    let web = "hub/0: x -> chain/1
         chain/1 => chain/2
         chain/2 => chain/3
         chain/3 => chain/4
         chain/4: x";
    let at_most = |redirects| {
        let settings = LabSettings {
            crawl: CrawlSettings {
                redirects,
                ..plain().crawl
            },
            ..plain()
        };
        let run = crawl(&SmallWeb::draw(web), &settings);
        ["chain/1", "chain/2", "chain/3", "chain/4"].map(|name| outcomes(&run, name).join(" "))
    };
    assert_eq!(at_most(3), ["redirect", "redirect", "redirect", "ok"]);
    assert_eq!(
        at_most(2),
        ["redirect", "redirect", "refused-too-many-redirects", ""]
    );
    assert_eq!(at_most(0), ["refused-too-many-redirects", "", "", ""]);
}

#[test]
fn a_loop_is_left_after_one_round() {
    let web = SmallWeb::draw(
        "hub/0: x -> ring/1 self/1 next/1
         ring/1 => ring/2
         ring/2 => ring/1
         self/1 => self/1
         next/1: x",
    );
    let run = crawl(&web, &plain());
    assert_eq!(outcomes(&run, "ring/1"), ["redirect"]);
    assert_eq!(outcomes(&run, "ring/2"), ["redirect"]);
    assert_eq!(outcomes(&run, "self/1"), ["redirect"]);
    assert_eq!(visits(&run), ["hub/0", "next/1"]);
}

#[test]
fn a_target_that_was_read_is_not_asked_for_again() {
    let web = SmallWeb::draw(
        "hub/0: x -> new/1 old/1
         old/1 => new/1
         new/1: x",
    );
    let run = crawl(&web, &plain());
    assert_eq!(outcomes(&run, "new/1"), ["ok"]);
    assert_eq!(visits(&run), ["hub/0", "new/1"]);
}

#[test]
fn a_redirect_to_nowhere_is_refused() {
    // A 301 without Location.
    let web = SmallWeb::draw(
        "hub/0: x -> lost/1 next/1
         lost/1 ! 301
         next/1: x",
    );
    let run = crawl(&web, &plain());
    assert_eq!(outcomes(&run, "lost/1"), ["refused-redirect-target"]);
    assert_eq!(outcomes(&run, "next/1"), ["ok"]);
}
