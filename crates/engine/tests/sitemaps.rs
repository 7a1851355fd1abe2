//! Whose sitemaps are read, how deep, and what happens to the pages they list.

mod small_web;

use scenthound_engine::{ScopeKind, SitemapUse};
use scenthound_lab::LabSettings;

use small_web::{SmallWeb, asked_for, crawl, obedient, outcomes, visits, within};

/// Both hosts list a page that nobody links to.
fn two_sites() -> SmallWeb {
    SmallWeb::draw(
        "hub/0: x -> other/1
         hub/robots.txt | Sitemap: http://hub.test/map.xml
         other/robots.txt | Sitemap: /map.xml
         other/1: x
         hub/listed: x
         other/listed: x",
    )
    .sitemap("hub/map.xml", &["hub/listed"])
    .sitemap("other/map.xml", &["other/listed"])
}

fn reading(sitemaps: SitemapUse, web: &SmallWeb) -> LabSettings {
    let mut settings = within(ScopeKind::Any, &web.seed(), obedient());
    settings.crawl.sitemaps = sitemaps;
    settings
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn sitemaps_are_not_read_unless_asked_for() {
    let web = two_sites();
    let run = crawl(&web, &reading(SitemapUse::Off, &web));
    assert_eq!(asked_for(&run, "sitemap"), [""; 0]);
    assert_eq!(visits(&run), ["hub/0", "other/1"]);
}

#[test]
fn with_seeds_only_the_sitemaps_of_seed_hosts_are_read() {
    let web = two_sites();
    let run = crawl(&web, &reading(SitemapUse::Seeds, &web));
    assert_eq!(asked_for(&run, "sitemap"), ["hub/map.xml"]);
    assert_eq!(sorted(visits(&run)), ["hub/0", "hub/listed", "other/1"]);
}

#[test]
fn with_all_the_sitemaps_of_every_host_are_read() {
    let web = two_sites();
    let run = crawl(&web, &reading(SitemapUse::All, &web));
    assert_eq!(
        sorted(asked_for(&run, "sitemap")),
        ["hub/map.xml", "other/map.xml"]
    );
    assert_eq!(
        sorted(visits(&run)),
        ["hub/0", "hub/listed", "other/1", "other/listed"]
    );
}

#[test]
fn sitemaps_are_requests_but_not_pages() {
    let web = two_sites();
    let run = crawl(&web, &reading(SitemapUse::All, &web));
    // Two robots.txt and two sitemaps.
    assert_eq!((run.tally.pages, run.tally.other_requests), (4, 4));
}

#[test]
fn sitemaps_of_sitemaps_are_followed_two_deep() {
    let web = SmallWeb::draw(
        "hub/0: x
         hub/robots.txt | Sitemap: /a.xml
         hub/deep: x
         hub/deeper: x",
    )
    .sitemap_index("hub/a.xml", &["hub/b.xml"])
    .sitemap_index("hub/b.xml", &["hub/c.xml", "hub/list.xml"])
    .sitemap("hub/list.xml", &["hub/deep"])
    .sitemap_index("hub/c.xml", &["hub/d.xml"])
    .sitemap("hub/d.xml", &["hub/deeper"]);
    let run = crawl(&web, &reading(SitemapUse::All, &web));
    assert_eq!(
        sorted(asked_for(&run, "sitemap")),
        ["hub/a.xml", "hub/b.xml", "hub/c.xml", "hub/list.xml"]
    );
    assert_eq!(visits(&run), ["hub/0", "hub/deep"]);
}

#[test]
fn a_sitemap_of_another_site_is_ignored_wherever_it_is_named() {
    let web = SmallWeb::draw(
        "hub/0: x
         hub/robots.txt | Sitemap: http://other.test/map.xml\\nSitemap: /index.xml",
    )
    .sitemap_index("hub/index.xml", &["other/map.xml"])
    .sitemap("other/map.xml", &["other/listed"]);
    let run = crawl(&web, &reading(SitemapUse::All, &web));
    assert_eq!(asked_for(&run, "sitemap"), ["hub/index.xml"]);
    assert_eq!(visits(&run), ["hub/0"]);
}

#[test]
fn a_sitemap_on_another_host_of_the_site_is_read() {
    let web = SmallWeb::draw(
        "hub/0: x
         hub/robots.txt | Sitemap: http://maps.hub.test/map.xml
         maps.hub/listed: x",
    )
    .sitemap("maps.hub/map.xml", &["maps.hub/listed"]);
    let run = crawl(&web, &reading(SitemapUse::All, &web));
    assert_eq!(visits(&run), ["hub/0", "maps.hub/listed"]);
}

#[test]
fn a_sitemap_may_redirect_within_its_site_only() {
    let web = SmallWeb::draw(
        "hub/0: x
         hub/robots.txt | Sitemap: /near.xml\\nSitemap: /far.xml
         hub/near.xml => www.hub/map.xml
         hub/far.xml => other/map.xml",
    )
    .sitemap("www.hub/map.xml", &[])
    .sitemap("other/map.xml", &["other/listed"]);
    let run = crawl(&web, &reading(SitemapUse::All, &web));
    assert_eq!(outcomes(&run, "hub/near.xml"), ["redirect"]);
    assert_eq!(outcomes(&run, "www.hub/map.xml"), ["ok"]);
    assert_eq!(outcomes(&run, "hub/far.xml"), ["refused-scope"]);
    assert_eq!(outcomes(&run, "other/map.xml"), [""; 0]);
}

#[test]
fn listed_pages_must_be_in_scope_and_allowed_by_robots() {
    let web = SmallWeb::draw(
        "hub/in/0: x
         hub/robots.txt | User-agent: *\\nDisallow: /in/private\\nSitemap: /map.xml
         hub/in/1: x
         hub/out/1: x
         hub/in/private: x",
    )
    .sitemap("hub/map.xml", &["hub/in/private", "hub/out/1", "hub/in/1"]);
    let mut settings = within(ScopeKind::Prefix, &web.seed(), obedient());
    settings.crawl.sitemaps = SitemapUse::All;
    let run = crawl(&web, &settings);
    assert_eq!(visits(&run), ["hub/in/0", "hub/in/1"]);
    assert_eq!(outcomes(&run, "hub/in/private"), ["refused-robots"]);
    assert_eq!(outcomes(&run, "hub/out/1"), [""; 0]);
}

#[test]
fn a_sitemap_that_robots_forbids_is_not_read() {
    let web = SmallWeb::draw(
        "hub/0: x
         hub/robots.txt | User-agent: *\\nDisallow: /map.xml\\nSitemap: /map.xml
         hub/listed: x",
    )
    .sitemap("hub/map.xml", &["hub/listed"]);
    let run = crawl(&web, &reading(SitemapUse::All, &web));
    assert_eq!(outcomes(&run, "hub/map.xml"), ["refused-robots"]);
    assert_eq!(visits(&run), ["hub/0"]);
}
