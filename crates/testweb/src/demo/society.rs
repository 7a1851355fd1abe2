//! The sites with the relevant pages: the tea society and its lists, the laboratory with pages that only its sitemap
//! lists, the mirror with copies, and the museum that asks for patience.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::demo::guide;
use crate::demo::layout;
use crate::demo::layout::{LinkTo, capital, fill, heading, link, links, list, paragraph, slug};
use crate::demo::site::Site;
use crate::demo::tea::{CRAFTS, TEAS, Tea};
use crate::rng::PageRng;
use crate::site::SiteResponse;

/// The number of teas whose guides are on the society's lists. The others are found elsewhere.
const LISTED: usize = 24;

/// The guides that are also on the mirror, by their position among the teas.
const MIRRORED: [usize; 5] = [0, 6, 11, 17, 23];

const SOCIETY: &str = "The Tea Society";
const SOCIETY_DOORS: [(&str, &str); 4] = [
    ("/", "Home"),
    ("/guides/", "Guides"),
    ("/events.html", "Events"),
    ("/about.html", "About us"),
];

const FAMILIES: [(&str, &str); 4] = [
    (
        "green",
        "Green teas are heated soon after picking and keep the colour of the field.",
    ),
    (
        "oolong",
        "Oolongs are bruised, rested and roasted, and fill the space between green and black.",
    ),
    (
        "black",
        "Black teas are rolled and left to darken; they stand milk, rain and conversation.",
    ),
    (
        "white",
        "White teas are hardly touched at all, which is harder than it sounds.",
    ),
];

fn guide_path(tea: &Tea) -> String {
    format!("/guides/{}/{}.html", tea.family, slug(tea.name))
}

fn listed(family: &str) -> impl Iterator<Item = &'static Tea> {
    TEAS.iter().take(LISTED).filter(move |tea| tea.family == family)
}

/// The title and text of the society's guide to a tea.
fn society_guide(tea: &Tea) -> (String, String) {
    let mut rng = PageRng::named(tea.name);
    let siblings: Vec<&Tea> = listed(tea.family)
        .filter(|other| other.name != tea.name)
        .collect();
    let read_on: Vec<LinkTo> = rng
        .some(&siblings, 3)
        .into_iter()
        .map(|other| (guide_path(other), capital(other.name)))
        .collect();
    (guide::title(tea, &mut rng), guide::body(tea, &mut rng, &read_on))
}

/// tea-society.test
pub(super) fn tea_society() -> Site {
    let mut site = Site::new("tea-society.test", SOCIETY, &SOCIETY_DOORS);
    site.put(
        "/robots.txt",
        SiteResponse::text("# Members only.\nUser-agent: *\nDisallow: /members/\nAllow: /\n"),
    );
    site.page(
        "/",
        "Welcome",
        &[
            paragraph(
                "We are some forty people who meet on Thursdays above the old post office, boil water, and talk. \
                 Everybody may come. Nobody has to know anything.",
            ),
            paragraph(&format!(
                "Over the years we have written down what we learnt: see {}. Our friends keep {}, {} and {}.",
                link("/guides/", "our guides to the teas of the world"),
                link("http://kettle-lab.test/", "a laboratory for kettles"),
                link("http://brewing-notes.test/", "a diary of cups"),
                link("http://leaf-forum.test/", "a forum where all of it is disputed"),
            )),
            heading("This month"),
            links(&[
                ("/calendar/day/1".into(), "The calendar of our evenings".into()),
                ("/members/secret-guide.html".into(), "How to brew like the founders: the members' guide".into()),
                ("/members/cellar-list.html".into(), "The cellar list (members)".into()),
                ("http://tea-museum.test/".into(), "The tea museum reopens".into()),
                ("http://garden-club.test/".into(), "Our neighbours, the garden club".into()),
                ("http://teapot-shop.test/".into(), "Where we buy our pots".into()),
            ]),
        ]
        .concat(),
    );
    site.page(
        "/about.html",
        "About us",
        &paragraph(
            "Founded in a wet spring by a librarian, a plumber and two sisters, the society owns eleven pots, one long \
             table and no opinions about sugar. The minutes of our meetings are kept in a biscuit tin.",
        ),
    );
    site.page(
        "/events.html",
        "Events",
        &[
            paragraph("On the first Thursday we taste in silence, on the third we argue. Bring a cushion."),
            links(&[
                ("/calendar/day/1".into(), "All days".into()),
                (
                    "/events/last-year.html".into(),
                    "Last year (this page is gone)".into(),
                ),
            ]),
        ]
        .concat(),
    );
    site.tempting(
        "/members/secret-guide.html",
        "The members' guide",
        &guide::craft(
            "the founders' blend",
            "You should not be reading this.",
            &mut PageRng::named("founders"),
            &[],
        ),
    );
    site.tempting(
        "/members/cellar-list.html",
        "The cellar list",
        &paragraph("Eleven cakes, one lock."),
    );
    lists_of_guides(&mut site);
    guides_behind_odd_links(&mut site);
    site
}

/// The hub, a list per family, and the guides on the lists: relevant pages are listed together.
fn lists_of_guides(site: &mut Site) {
    let mut hub = paragraph("Choose a family. Every list leads to one page per tea.");
    for (family, line) in FAMILIES {
        hub.push_str(&paragraph(&format!(
            "{} {line}",
            link(
                &format!("/guides/{family}.html"),
                &format!("{} teas.", capital(family))
            )
        )));
        let items: Vec<String> = listed(family)
            .map(|tea| format!("{}: {}", link(&guide_path(tea), &capital(tea.name)), tea.note))
            .collect();
        site.page(
            &format!("/guides/{family}.html"),
            &format!("{} teas", capital(family)),
            &[paragraph(line), list("ul", &items)].concat(),
        );
    }
    hub.push_str(&heading("From the drawer"));
    hub.push_str(&links(&[
        ("map.html".into(), "The old wall map".into()),
        ("frames.html".into(), "Our page of 1998, still standing".into()),
        ("odds.html".into(), "Odds and ends".into()),
    ]));
    site.page("/guides/", "Guides", &hub);

    for (place, tea) in TEAS.iter().take(LISTED).enumerate() {
        let (title, body) = society_guide(tea);
        let path = guide_path(tea);
        if is_printable(place) {
            let print = printed(&path);
            site.page(&print, &title, &body);
            site.copies.push((site.url(&print), site.url(&path)));
        }
        let body = [body, doors_to_copies(place, tea)].concat();
        site.wanted(&path, &title, &body);
    }
}

/// Some guides have a print version, under another URL.
fn is_printable(place: usize) -> bool {
    place.is_multiple_of(8)
}

fn printed(path: &str) -> String {
    format!("{path}?view=print")
}

/// Links from a guide to its own copies.
fn doors_to_copies(place: usize, tea: &Tea) -> String {
    let mut doors = String::new();
    if is_printable(place) {
        doors.push_str(&paragraph(&link(&printed(&guide_path(tea)), "Print")));
    }
    if MIRRORED.contains(&place) {
        let copy = format!("http://matcha-mirror.test/copy/{}.html", slug(tea.name));
        doors.push_str(&paragraph(&link(&copy, "Mirror")));
    }
    doors
}

/// Guides that are only found by crawlers that handle image maps, frames, entities, bare percent signs and so on.
fn guides_behind_odd_links(site: &mut Site) {
    let craft = |place: usize| {
        let (name, path, particular) = CRAFTS[place];
        let body = guide::craft(name, particular, &mut PageRng::named(path), &[]);
        (format!("How to make {name}"), path, body)
    };
    let (title, path, body) = craft(7);
    site.wanted(&format!("/guides/map/{path}.html"), &title, &body);
    site.page(
        "/guides/map.html",
        "The old wall map",
        &format!(
            "<img src=\"/map.png\" usemap=\"#wall\" alt=\"A map with stains\">\n<map name=\"wall\">\n\
             <area shape=\"rect\" coords=\"0,0,80,80\" href=\"/guides/map/{path}.html\" alt=\"Spice coast\">\n</map>\n"
        ),
    );

    let (title, path, body) = craft(8);
    site.wanted(&format!("/guides/frames/{path}.html"), &title, &body);
    site.page(
        "/guides/frames/left.html",
        "Left",
        &paragraph("The menu was here."),
    );
    site.put(
        "/guides/frames.html",
        SiteResponse::html(format!(
            "<html><head><title>The Tea Society</title></head>\n<frameset cols=\"20%,80%\">\n\
             <frame src=\"frames/left.html\">\n<frame src=\"frames/{path}.html\">\n</frameset></html>\n"
        )),
    );

    let (title, entity, body) = craft(5);
    site.wanted(
        &format!("/guides/odds/{entity}.html?ice=1&sugar=0"),
        &title,
        &body,
    );
    let (title, packed, body) = craft(6);
    let path = format!("/guides/odds/{packed}.html");
    let html = site.html(&title, "", &body);
    site.put(
        &path,
        SiteResponse::html(gzip(html.as_bytes())).with("Content-Encoding", "gzip"),
    );
    site.relevant.push(site.url(&path));
    let (title, refreshed, body) = craft(10);
    site.wanted(&format!("/guides/odds/{refreshed}.html"), &title, &body);
    let html = site.html(
        "Moved",
        &format!("<meta http-equiv=\"refresh\" content=\"0; url=/guides/odds/{refreshed}.html\">\n"),
        &paragraph("This page has moved down the corridor."),
    );
    site.put("/guides/odds/old-crowd.html", SiteResponse::html(html));
    let (title, scriptless, body) = craft(11);
    site.wanted(&format!("/guides/odds/{scriptless}.html"), &title, &body);

    let body = guide::craft(
        "pure oolong",
        "The label says one hundred per cent, and so does the address of this page.",
        &mut PageRng::named("percent"),
        &[],
    );
    site.page("/guides/odds/100%-oolong.html", "Pure oolong: a guide", &body);
    // The URL after canonicalisation; browsers request it as it was written.
    site.wanted("/guides/odds/100%25-oolong.html", "Pure oolong: a guide", &body);

    let body = guide::craft(
        "tea as the cafés of Orléans serve it",
        "“Très léger”, says the señora at the naïve little café, and pours a second cup.",
        &mut PageRng::named("orleans"),
        &[],
    );
    let html = site.html("Tea à la façon d’Orléans: a guide", "", &body);
    let path = "/guides/odds/orleans.html";
    site.put(
        path,
        SiteResponse::page("text/html; charset=windows-1252", windows_1252(&html)),
    );
    site.relevant.push(site.url(path));

    let body = guide::craft(
        "a draft",
        "Not finished; please do not list.",
        &mut PageRng::named("draft"),
        &[],
    );
    let html = site.html(
        "Draft of a guide",
        "<meta name=\"robots\" content=\"noindex\">\n",
        &body,
    );
    site.put("/guides/odds/draft.html", SiteResponse::html(html));
    site.unlisted.push(site.url("/guides/odds/draft.html"));

    site.page(
        "/guides/odds.html",
        "Odds and ends",
        &format!(
            "<ul>\n<li><a href=\"/guides/odds/{entity}.html?ice=1&amp;sugar=0\">Over ice</a></li>\n\
             <li><a href=\"&#47;guides&#x2f;odds/{packed}.html\">With milk</a></li>\n\
             <li><a href=\"odds/old-crowd.html\">For a crowd</a></li>\n\
             <li><a href='odds/100%-oolong.html'>Pure oolong</a></li>\n\
             <li><a href=odds/orleans.html>From Orl&eacute;ans</a></li>\n\
             <li><a href=\"odds/draft.html\">A draft</a></li>\n\
             <li><a href=\"http://kettle-lab.test/files/brewing-chart.pdf\">The chart</a></li>\n</ul>\n\
             <noscript><p><a href=\"odds/{scriptless}.html\">On a camping stove</a></p></noscript>\n"
        ),
    );
}

/// kettle-lab.test
pub(super) fn kettle_lab() -> Site {
    let mut site = Site::new(
        "kettle-lab.test",
        "The Kettle Laboratory",
        &[("/", "Home"), ("/crafts/", "Crafts"), ("/reports/", "Reports")],
    );
    site.put(
        "/robots.txt",
        SiteResponse::text("User-agent: *\nDisallow:\n\nSitemap: http://kettle-lab.test/sitemap.xml\n"),
    );
    site.page(
        "/",
        "The Kettle Laboratory",
        &[
            paragraph("We boil water for a living and write down what happens."),
            links(&[
                (
                    "/crafts/".into(),
                    "Crafts: how to do things with hot water".into(),
                ),
                ("/reports/".into(), "Reports from the bench".into()),
                ("/old/liu-bao".into(), "Liu bao (old address)".into()),
                ("/loop/a".into(), "A door that leads to a door".into()),
                ("/status/broken".into(), "The page that always breaks".into()),
                ("/gone".into(), "A page that is gone".into()),
                ("/files/brewing-chart.pdf".into(), "Our chart as a file".into()),
                ("http://tea-society.test/".into(), "The Tea Society".into()),
            ]),
        ]
        .concat(),
    );

    let crafts: Vec<_> = CRAFTS.iter().take(5).chain(CRAFTS.get(9)).collect();
    let index: Vec<LinkTo> = crafts
        .iter()
        .map(|(name, path, _)| (format!("/crafts/{path}.html"), capital(name)))
        .collect();
    site.page(
        "/crafts/",
        "Crafts",
        &[paragraph("Six crafts, each on a page of its own."), links(&index)].concat(),
    );
    for (name, path, particular) in crafts {
        let body = guide::craft(name, particular, &mut PageRng::named(path), &[]);
        site.wanted(
            &format!("/crafts/{path}.html"),
            &format!("{}: a guide", capital(name)),
            &body,
        );
    }
    reports(&mut site);
    redirects_and_dead_ends(&mut site);
    sitemaps(&mut site);
    site
}

fn reports(site: &mut Site) {
    let subjects = [
        "limescale",
        "whistles",
        "lids",
        "spouts",
        "handles",
        "gooseneck flow",
    ];
    let index: Vec<LinkTo> = subjects
        .iter()
        .map(|subject| (format!("/reports/{}.html", slug(subject)), capital(subject)))
        .collect();
    site.page("/reports/", "Reports", &links(&index));
    for subject in subjects {
        let body = fill(
            "We measured {s} on forty kettles between March and June. The median kettle lost eleven degrees in ten \
             minutes, whatever its price. Three of them leaked. The effect of {s} on the taste of tea was smaller than \
             the effect of the taster's mood, which we also measured.",
            &[("s", subject)],
        );
        site.page(
            &format!("/reports/{}.html", slug(subject)),
            &format!("Report on {subject}"),
            &paragraph(&body),
        );
    }
}

fn redirects_and_dead_ends(site: &mut Site) {
    let tea = &TEAS[28];
    let mut rng = PageRng::named("lab liu bao");
    let body = guide::body(tea, &mut rng, &[]);
    site.wanted("/guides/liu-bao.html", &guide::title(tea, &mut rng), &body);
    site.put(
        "/old/liu-bao",
        SiteResponse::redirect(301, "/guides/liu-bao.html"),
    );
    // Requested through brewing-notes.test, which moved its page here.
    let tea = &TEAS[29];
    let mut rng = PageRng::named("lab yellow");
    let body = guide::body(tea, &mut rng, &[]);
    site.wanted("/guides/yellow.html", &guide::title(tea, &mut rng), &body);
    site.put("/loop/a", SiteResponse::redirect(302, "/loop/b"));
    site.put(
        "/loop/b",
        SiteResponse::redirect(302, "http://kettle-lab.test/loop/a"),
    );
    site.put("/status/broken", SiteResponse::fault(500));
    site.put("/gone", SiteResponse::fault(410));
    site.put(
        "/files/brewing-chart.pdf",
        SiteResponse::page(
            "application/pdf",
            &b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\nnot really a chart\n%%EOF\n"[..],
        ),
    );
}

/// An index of two sitemaps, one of them compressed; four guides are listed nowhere else.
fn sitemaps(site: &mut Site) {
    let mut listed = [Vec::new(), Vec::new()];
    for (place, tea) in TEAS[LISTED..28].iter().enumerate() {
        let mut rng = PageRng::named(&format!("lab {}", tea.name));
        let path = format!("/unlinked/{}.html", slug(tea.name));
        let body = guide::body(tea, &mut rng, &[]);
        site.wanted(&path, &guide::title(tea, &mut rng), &body);
        listed[place % 2].push(site.url(&path));
    }
    listed[0].push(site.url("/crafts/"));
    let map = |urls: &[String]| {
        let entries: String = urls
            .iter()
            .map(|url| format!("<url><loc>{url}</loc></url>\n"))
            .collect();
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}</urlset>\n"
        )
    };
    site.put(
        "/sitemap-a.xml",
        SiteResponse::page("application/xml", map(&listed[0])),
    );
    site.put(
        "/sitemap-b.xml.gz",
        SiteResponse::page("application/gzip", gzip(map(&listed[1]).as_bytes())),
    );
    site.put(
        "/sitemap.xml",
        SiteResponse::page(
            "application/xml",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
             <sitemap><loc>http://kettle-lab.test/sitemap-a.xml</loc></sitemap>\n\
             <sitemap><loc>http://kettle-lab.test/sitemap-b.xml.gz</loc></sitemap>\n</sitemapindex>\n",
        ),
    );
}

/// matcha-mirror.test
pub(super) fn matcha_mirror() -> Site {
    let mut site = Site::new("matcha-mirror.test", "Matcha Mirror", &[("/", "Home")]);
    let mut index = Vec::new();
    for place in MIRRORED {
        let tea = &TEAS[place];
        let (title, body) = society_guide(tea);
        let body = [body, doors_to_copies(place, tea)].concat();
        // Exactly the same words; only the links differ.
        let html = layout::page(SOCIETY, &SOCIETY_DOORS, &title, "", &body)
            .replace("href=\"/", "href=\"http://tea-society.test/");
        let path = format!("/copy/{}.html", slug(tea.name));
        site.put(&path, SiteResponse::html(html));
        site.copies.push((
            site.url(&path),
            format!("http://tea-society.test{}", guide_path(tea)),
        ));
        index.push((path, capital(tea.name)));
    }
    site.page(
        "/",
        "Mirror",
        &[paragraph("We keep copies of pages we like."), links(&index)].concat(),
    );
    site
}

/// tea-museum.test
pub(super) fn tea_museum() -> Site {
    let mut site = Site::new(
        "tea-museum.test",
        "The Tea Museum",
        &[("/", "Home"), ("/rooms.html", "Rooms")],
    );
    site.put(
        "/robots.txt",
        SiteResponse::text("User-agent: *\nCrawl-delay: 1\nDisallow: /attic/\n"),
    );
    let rooms = [
        (
            "The caravan room",
            "Bricks of pressed tea crossed the steppe on camels, and came out of it tasting of camel.",
        ),
        (
            "The clipper room",
            "A race across two oceans was decided by twenty minutes and a broken topsail.",
        ),
        (
            "The kettle gallery",
            "Two hundred kettles hang from the ceiling. Visitors under two metres are safe.",
        ),
        (
            "The porcelain cabinet",
            "A teapot shaped like a cabbage shares a shelf with a cup nobody may touch.",
        ),
        (
            "The tax office",
            "When leaves were dearer than silver, every chest had three locks and three keepers.",
        ),
        (
            "The last room",
            "A window, two chairs, and a pot that the guard fills at four o'clock.",
        ),
    ];
    let mut index: Vec<LinkTo> = Vec::new();
    for (name, story) in rooms {
        let path = format!("/rooms/{}.html", slug(name));
        site.page(
            &path,
            name,
            &[
                paragraph(story),
                paragraph(
                    "Open daily but Monday. The museum asks its visitors, and their robots, to walk slowly.",
                ),
            ]
            .concat(),
        );
        index.push((path, name.to_owned()));
    }
    index.push((
        "/attic/lost-guides.html".into(),
        "The attic: lost guides on how to brew".into(),
    ));
    site.page("/rooms.html", "Rooms", &links(&index));
    site.page(
        "/",
        "The Tea Museum",
        &paragraph(&format!(
            "Six rooms and an attic. Begin with {}.",
            link("/rooms.html", "the rooms")
        )),
    );
    site.tempting(
        "/attic/lost-guides.html",
        "Lost guides",
        &guide::craft(
            "the emperor's tea",
            "Found under the roof.",
            &mut PageRng::named("attic"),
            &[],
        ),
    );
    site
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = packer.write_all(bytes);
    packer.finish().unwrap_or_default()
}

/// Latin letters as they are, and the quotation marks that windows-1252 has and Latin-1 lacks.
fn windows_1252(text: &str) -> Vec<u8> {
    text.chars()
        .map(|letter| match letter {
            '‘' => 0x91,
            '’' => 0x92,
            '“' => 0x93,
            '”' => 0x94,
            _ => u8::try_from(u32::from(letter)).unwrap_or(b'?'),
        })
        .collect()
}
