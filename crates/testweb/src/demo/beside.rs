//! Sites about tea that are mostly not guides: a diary, a forum, a shop.

use crate::demo::guide;
use crate::demo::layout::{LinkTo, capital, fill, heading, link, links, list, paragraph, slug};
use crate::demo::site::Site;
use crate::demo::tea::{NAMES, TEAS, Tea};
use crate::rng::PageRng;
use crate::site::SiteResponse;

const MOMENTS: [&str; 8] = [
    "It rained until noon and the {v} tasted of nothing but rain. I drank it anyway, by the window, with the radio off.",
    "My sister came by with a bag of {v} she had carried through two airports. We talked about the dog instead.",
    "Third day of {v}. I have begun to greet the tin.",
    "The landlord turned off the gas, so there was no tea, and I understood how much of my day is waiting for steam.",
    "Found an old notebook. In 2011 I wrote that {v} smells like my grandmother's coat, and it still does.",
    "A cup of {v} on the balcony, the swifts screaming overhead, the neighbour's saxophone: a perfect bad evening.",
    "Somebody at the market sold me {v} that was certainly something else. It was not bad, whatever it was.",
    "I gave my last {v} to a man who mends umbrellas. He said it needed sugar. He may be right.",
];

const MUSINGS: [&str; 6] = [
    "I do not know what a day is for, but a part of it is for this.",
    "The street was loud, the room was not, and that was enough.",
    "Nobody asked, and so I write it here.",
    "Tomorrow I will be sensible and go to bed early.",
    "The cat has no view on the matter and slept through all of it.",
    "On the way home I counted eleven bicycles without lights.",
];

/// The months of the diary.
const MONTHS: [&str; 6] = ["2025-01", "2025-02", "2025-03", "2025-04", "2025-05", "2025-06"];

/// brewing-notes.test: a diary with an occasional guide.
pub(super) fn brewing_notes() -> Site {
    let mut site = Site::new(
        "brewing-notes.test",
        "Brewing Notes",
        &[
            ("/", "Latest"),
            ("/archive.html", "Archive"),
            ("/about.html", "Who writes this"),
        ],
    );
    for (place, month) in MONTHS.iter().enumerate() {
        let mut posts: Vec<LinkTo> = Vec::new();
        for day in 0..6 {
            let tea = &TEAS[(place * 6 + day) % TEAS.len()];
            let path = format!("/{month}/{:02}-{}.html", 3 + day * 4, slug(tea.name));
            let mut rng = PageRng::named(&path);
            let title = fill(
                rng.pick(&[
                    "A day with {v}",
                    "{V}, again",
                    "Notes on {v}",
                    "{V} and the weather",
                ]),
                &[("v", tea.name), ("V", &capital(tea.name))],
            );
            let mut body: String = rng
                .some(&MOMENTS, 2)
                .into_iter()
                .map(|moment| paragraph(&fill(moment, &[("v", tea.name)])))
                .collect();
            body.push_str(&paragraph(rng.pick(&MUSINGS)));
            site.page(&path, &title, &body);
            posts.push((path, title));
        }
        for half in 0..2 {
            let tea = &TEAS[(place * 5 + half * 13 + 2) % TEAS.len()];
            let path = format!("/{month}/how-i-brew-{}.html", slug(tea.name));
            if site.pages.contains_key(&path) {
                continue;
            }
            let mut rng = PageRng::named(&path);
            let title = guide::title(tea, &mut rng);
            let body = guide::body(tea, &mut rng, &[("/archive.html".into(), "All months".into())]);
            site.wanted(&path, &title, &body);
            posts.insert(3, (path, title));
        }
        site.page(
            &format!("/{month}/"),
            &format!("Posts of {month}"),
            &links(&posts),
        );
    }
    let months: Vec<LinkTo> = MONTHS
        .iter()
        .map(|month| (format!("/{month}/"), (*month).to_owned()))
        .collect();
    site.page("/archive.html", "Archive", &links(&months));
    // Moved to the laboratory: another host's politeness rules apply.
    site.put(
        "/yellow-tea",
        SiteResponse::redirect(301, "http://kettle-lab.test/guides/yellow.html"),
    );
    site.page(
        "/",
        "Brewing Notes",
        &[
            paragraph("A diary of cups, kept since the winter the heating failed."),
            links(&months[3..]),
            paragraph(&format!(
                "Moved: {}. Read with me: {}.",
                link("/yellow-tea", "my page about yellow tea"),
                link("http://leaf-forum.test/", "the forum")
            )),
            "<p><a rel=\"nofollow sponsored\" href=\"/sponsor.html\">Our sponsor sells mattresses</a></p>\n"
                .into(),
        ]
        .concat(),
    );
    site.page(
        "/sponsor.html",
        "Mattresses",
        &paragraph("Sleep well. Pay in twelve parts."),
    );
    site.page(
        "/about.html",
        "Who writes this",
        &paragraph("A retired cartographer with one good chair. I answer letters, not messages."),
    );
    site
}

const QUESTIONS: [&str; 8] = [
    "My {v} is bitter and I have tried everything except being patient. Is it the leaves or is it me?",
    "Does anybody else hear the kettle sing in two notes? Mine does, but only with {v} on the table.",
    "I was sold {v} from {o} and the bag says otherwise. Whom do I believe?",
    "What is a fair price for {v} this year? My dealer laughed when I asked.",
    "Swapping a bag of {v} for anything that does not come from {o}. I have had enough of it.",
    "Is it normal that {v} goes cloudy when it cools?",
    "My teapot has a crack. It still holds {v}, but it weeps.",
    "Who drinks {v} in the evening and still sleeps?",
];

const REPLIES: [&str; 10] = [
    "It is the water. It is always the water.",
    "Same here, and I have given up asking.",
    "Use a bigger cup and smaller expectations.",
    "You were robbed, but pleasantly.",
    "There was a thread about this in spring; nobody agreed then either.",
    "I blame the kettle, but I blame the kettle for most things.",
    "Try another tea. Try another hobby. Come back in a year.",
    "My grandmother would have had words with you.",
    "Thank you, this made my morning.",
    "Moderator's note: stay kind, please.",
];

/// leaf-forum.test: threads, including a few pinned guides.
pub(super) fn leaf_forum() -> Site {
    let mut site = Site::new(
        "leaf-forum.test",
        "Leaf Forum",
        &[
            ("/", "Boards"),
            ("/board/brewing", "Brewing"),
            ("/board/market", "Market"),
            ("/rules", "Rules"),
        ],
    );
    let mut boards: [Vec<LinkTo>; 2] = [Vec::new(), Vec::new()];
    for number in 0..44 {
        let tea = &TEAS[number * 7 % TEAS.len()];
        let path = format!("/thread/{}", 1000 + number * 13);
        let (title, body) = thread(tea, &path);
        site.page(&path, &title, &body);
        boards[number % 2].push((path, title));
    }
    for (place, tea) in [&TEAS[3], &TEAS[12], &TEAS[19], &TEAS[24], &TEAS[26]]
        .into_iter()
        .enumerate()
    {
        let path = format!("/thread/{}", 7 + place * 2);
        let mut rng = PageRng::named(&path);
        let title = format!("Pinned: {}", guide::title(tea, &mut rng));
        let body = [
            paragraph(&format!(
                "{} wrote, and the moderators pinned it:",
                rng.pick(&NAMES)
            )),
            guide::body(tea, &mut rng, &[]),
        ]
        .concat();
        site.wanted(&path, &title, &body);
        boards[0].insert(place, (path, title));
    }
    let [brewing, market] = &boards;
    let (first, second) = brewing.split_at(brewing.len() / 2);
    site.page(
        "/board/brewing",
        "Brewing",
        &[
            links(first),
            paragraph(&link("/board/brewing?page=2", "Older threads")),
        ]
        .concat(),
    );
    site.page("/board/brewing?page=2", "Brewing, older threads", &links(second));
    site.page("/board/market", "Market", &links(market));
    site.page(
        "/rules",
        "Rules",
        &list(
            "ol",
            &["Be kind.", "No pictures of empty cups.", "Be kind again."],
        ),
    );
    site.page(
        "/",
        "Leaf Forum",
        &[
            paragraph("Two boards, nine regulars, one argument."),
            links(&[
                (
                    "/board/brewing".into(),
                    "Brewing: questions and pinned guides".into(),
                ),
                ("/board/market".into(), "Market: swaps and complaints".into()),
                ("/thread/99999".into(), "The deleted thread".into()),
                ("http://teapot-shop.test/".into(), "Teapots".into()),
            ]),
        ]
        .concat(),
    );
    site
}

fn thread(tea: &Tea, path: &str) -> (String, String) {
    let mut rng = PageRng::named(path);
    let values = [("v", tea.name), ("o", tea.origin)];
    let question = fill(rng.pick(&QUESTIONS), &values);
    let mut body = format!(
        "<div class=\"post\"><b>{}</b>\n{}</div>\n",
        rng.pick(&NAMES),
        paragraph(&question)
    );
    let replies = 2 + rng.below(4);
    for reply in rng.some(&REPLIES, replies) {
        body.push_str(&format!(
            "<div class=\"post\"><b>{}</b>\n{}</div>\n",
            rng.pick(&NAMES),
            paragraph(reply)
        ));
    }
    let title = fill(
        rng.pick(&[
            "{v} again",
            "A question about {v}",
            "{v}, help",
            "On {v} from {o}",
        ]),
        &values,
    );
    (capital(&title), body)
}

/// teapot-shop.test: products, and a basket that robots must not touch.
pub(super) fn teapot_shop() -> Site {
    let mut site = Site::new(
        "teapot-shop.test",
        "The Teapot Shop",
        &[
            ("/", "Shop"),
            ("/pots/", "Pots"),
            ("/kettles/", "Kettles"),
            ("/leaves/", "Leaves"),
            ("/cart/", "Basket"),
        ],
    );
    site.put(
        "/robots.txt",
        SiteResponse::text(
            "User-agent: *\nDisallow: /cart/\nDisallow: /*?sort=\n\nUser-agent: greedybot\nDisallow: /\n",
        ),
    );
    let shelves: [(&str, &str, Vec<String>); 3] = [
        (
            "pots",
            "Pots",
            ["clay", "glass", "iron", "porcelain", "stoneware", "silver"]
                .iter()
                .flat_map(|material| {
                    ["round", "tall"].map(|shape| format!("{} teapot of {material}", capital(shape)))
                })
                .collect(),
        ),
        (
            "kettles",
            "Kettles",
            ["enamel", "copper", "steel", "travel"]
                .iter()
                .flat_map(|kind| {
                    ["one litre", "two litres"].map(|size| format!("{} kettle, {size}", capital(kind)))
                })
                .collect(),
        ),
        (
            "leaves",
            "Leaves",
            TEAS.iter()
                .take(20)
                .map(|tea| format!("{}, 100 g", capital(tea.name)))
                .collect(),
        ),
    ];
    let mut doors: Vec<LinkTo> = Vec::new();
    for (folder, name, goods) in shelves {
        let mut shelf = Vec::new();
        for product in goods {
            let path = format!("/{folder}/{}.html", slug(&product));
            let mut rng = PageRng::named(&path);
            let price = 9 + rng.below(80);
            let body = [
                paragraph(rng.pick(&[
                    "A favourite of the house, back in stock after a long winter.",
                    "Made by hand in small batches, so no two are alike.",
                    "Plain, honest and hard to break.",
                    "The one you will still own in twenty years.",
                ])),
                list(
                    "ul",
                    &[
                        format!("Price: {price}.90"),
                        format!("In stock: {}", 1 + rng.below(30)),
                        "Delivery within three days, returns within thirty".to_owned(),
                    ],
                ),
                paragraph(&link(
                    &format!("/cart/add?item={}", slug(&product)),
                    "Add to basket",
                )),
                heading("Customers say"),
                paragraph(rng.pick(&[
                    "Arrived whole. My tea has never looked better.",
                    "Smaller than I thought, but so is my kitchen.",
                    "Five stars, one for each cup.",
                ])),
            ]
            .concat();
            site.page(&path, &product, &body);
            site.forbidden
                .push(site.url(&format!("/cart/add?item={}", slug(&product))));
            shelf.push((path, product));
        }
        let sorted = format!("/{folder}/?sort=price");
        let body = [links(&shelf), paragraph(&link(&sorted, "Cheapest first"))].concat();
        site.page(&format!("/{folder}/"), name, &body);
        site.tempting(&sorted, name, &links(&shelf));
        doors.push((format!("/{folder}/"), name.to_owned()));
    }
    doors.push((
        "/cart/free-guide.html".into(),
        "Free with every order: our guide, how to brew loose leaf tea".into(),
    ));
    site.page(
        "/",
        "The Teapot Shop",
        &[paragraph("Everything that holds hot water."), links(&doors)].concat(),
    );
    site.tempting("/cart/", "Your basket", &paragraph("Your basket is empty."));
    site.tempting(
        "/cart/free-guide.html",
        "Our free guide",
        &guide::craft(
            "tea in our pots",
            "Only with your order.",
            &mut PageRng::named("cart"),
            &[],
        ),
    );
    site
}
