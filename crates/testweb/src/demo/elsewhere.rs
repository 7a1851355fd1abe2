//! Sites about other things: a newspaper, a garden club full of guides, a car magazine.

use crate::demo::layout::{LinkTo, capital, fill, heading, link, links, list, paragraph, slug};
use crate::demo::site::Site;
use crate::demo::tea::{NAMES, TEAS};
use crate::rng::PageRng;

const PLACES: [&str; 10] = [
    "Northgate",
    "the harbour quarter",
    "Saint Odo",
    "Millbridge",
    "the old barracks",
    "Fennel Street",
    "Lower Town",
    "the river meadows",
    "Castle Hill",
    "the tram depot",
];

/// A headline and its story.
type Story = (&'static str, &'static str);

const CITY: [Story; 4] = [
    (
        "Council delays decision on {p}",
        "After four hours of debate the council put off its vote on {p} until autumn. {n}, who had brought a cake for the occasion, took it home again.",
    ),
    (
        "Tram to {p} out of service",
        "A fallen branch stopped the tram to {p} on Tuesday morning. Passengers walked; some of them said it had been the best part of their day.",
    ),
    (
        "Residents of {p} fight the noise",
        "A petition from {p} gathered nine hundred signatures against the night market. {n} signed twice and apologised for it.",
    ),
    (
        "New bridge near {p} opens early",
        "For once a building site was finished before its time. The bridge near {p} was opened by the mayor, who got her scissors stuck.",
    ),
];

const SPORT: [Story; 3] = [
    (
        "Rovers lose at {p}",
        "A penalty in the last minute decided the match at {p}. Trainer {n} spoke of the wind, the pitch and fate, in that order.",
    ),
    (
        "Rowers win under rain at {p}",
        "The eight from {p} won by a length in rain so thick that nobody saw it. The judges took their word.",
    ),
    (
        "Chess club of {p} stays up",
        "With a draw in the ninth hour the chess club of {p} keeps its place in the league. {n} fell asleep before the end.",
    ),
];

const FOOD: [Story; 4] = [
    (
        "Tea harvest late in {o}",
        "Frost in March has set back the tea harvest in {o} by three weeks, traders report. Prices for {v} rose by a tenth. {n}, an importer, expects shelves to be full again by June.",
    ),
    (
        "A tea room for {p}",
        "Where the ironmonger stood, {n} has opened a tea room with nine tables. There is {v} from {o}, there is cake, and there is a queue.",
    ),
    (
        "Auction: {v} fetches a record",
        "A chest of {v} was sold in {o} for the price of a small car. The buyer, who wished to stay unnamed, left by the back door.",
    ),
    (
        "Bakers of {p} raise prices",
        "Flour has become dear, and the bakers of {p} have agreed on a dearer roll. {n} of the guild spoke of tears.",
    ),
];

const WEATHER: [&str; 3] = [
    "Showers from the west, clearing towards evening. In {p} the river stays below the mark.",
    "Fog in the valley until ten, then sun. Farmers around {p} are content, which is rare.",
    "Wind, and then more wind. The ferry to {p} does not sail.",
];

/// city-herald.test
pub(super) fn city_herald() -> Site {
    let mut site = Site::new(
        "city-herald.test",
        "The City Herald",
        &[
            ("/", "Front page"),
            ("/city/", "City"),
            ("/sport/", "Sport"),
            ("/food/", "Food"),
            ("/weather/", "Weather"),
        ],
    );
    let mut front: Vec<LinkTo> = Vec::new();
    let sections: [(&str, &[Story], usize); 3] =
        [("city", &CITY, 16), ("sport", &SPORT, 12), ("food", &FOOD, 16)];
    for (section, stories, count) in sections {
        let mut index = Vec::new();
        for number in 0..count {
            let path = format!("/{section}/{}.html", 20_250_100 + number * 3);
            let mut rng = PageRng::named(&path);
            let (headline, story) = stories[number % stories.len()];
            let tea = rng.pick(&TEAS);
            let values = [
                ("p", rng.pick(&PLACES)),
                ("n", rng.pick(&NAMES)),
                ("v", tea.name),
                ("o", tea.origin),
            ];
            let title = capital(&fill(headline, &values));
            let mut body = paragraph(&fill(story, &values));
            body.push_str(&paragraph(&fill(
                rng.pick(&[
                    "The Herald has asked the town hall for comment and will go on asking.",
                    "Readers in {p} may write to the editor, as they always have.",
                    "More on this in our Saturday edition, if there is room.",
                ]),
                &values,
            )));
            if section == "food" && number % 5 == 0 {
                body.push_str(&paragraph(&format!(
                    "The {} offers evenings for the curious; {} collects what is said there.",
                    link("http://tea-society.test/", "Tea Society"),
                    link("http://brewing-notes.test/", "a local diary")
                )));
            }
            site.page(&path, &title, &body);
            index.push((path, title));
        }
        site.page(&format!("/{section}/"), &capital(section), &links(&index));
        front.extend(index.into_iter().take(4));
    }
    let mut days = Vec::new();
    for day in 0..6 {
        let path = format!("/weather/day-{day}.html");
        let mut rng = PageRng::named(&path);
        let text = fill(rng.pick(&WEATHER), &[("p", rng.clone().pick(&PLACES))]);
        site.page(&path, &format!("Weather, day {day}"), &paragraph(&text));
        days.push((path, format!("Day {day}")));
    }
    site.page("/weather/", "Weather", &links(&days));
    site.page(
        "/",
        "Front page",
        &[
            links(&front),
            paragraph(&format!(
                "From our friends: {} and {}.",
                link("http://cars-weekly.test/", "Cars Weekly"),
                link("http://garden-club.test/", "the Garden Club")
            )),
        ]
        .concat(),
    );
    site
}

const PLANTS: [&str; 18] = [
    "apple trees",
    "beans",
    "beetroot",
    "blackcurrants",
    "box hedges",
    "cabbages",
    "chard",
    "clematis",
    "garlic",
    "hydrangeas",
    "lavender",
    "leeks",
    "parsnips",
    "peonies",
    "plum trees",
    "potatoes",
    "sage",
    "tomatoes",
];

const TASKS: [(&str, &str); 2] = [("plant", "planting"), ("prune", "keeping")];

/// garden-club.test: nothing but guides, though about gardens.
pub(super) fn garden_club() -> Site {
    let mut site = Site::new(
        "garden-club.test",
        "The Garden Club",
        &[("/", "Home"), ("/guides/", "Guides")],
    );
    let mut index = Vec::new();
    let roses = ["tea roses", "climbing tea roses"];
    for plant in PLANTS.iter().chain(&roses) {
        for (task, doing) in TASKS {
            let path = format!("/guides/{}-{}.html", slug(plant), task);
            let mut rng = PageRng::named(&path);
            let values = [("p", *plant), ("t", task), ("d", doing)];
            let body = [
                paragraph(&fill(
                    rng.pick(&[
                        "This guide explains how to {t} {p} without hurting your back. The method suits beginners.",
                        "Even beginners can {t} {p}. Follow this guide, and the method will become second nature.",
                        "How to {t} {p} is asked at every meeting. Here is our guide for beginners, and the method we trust.",
                    ]),
                    &values,
                )),
                heading("You will need"),
                list("ul", &["a spade with a straight edge", "gloves that fit", "string and two pegs"]),
                heading("Step by step"),
                list("ol", &[
                    fill("Wait for a dry week and clear the ground of stones.", &values),
                    fill(rng.pick(&["Mark a line for the {p}.", "Lay out the {p} before you dig.", "Look at the {p} from all sides."]), &values),
                    fill(rng.pick(&["Work from the middle outwards.", "Work backwards, so that you never tread on what is done.", "Work in the morning, rest at noon."]), &values),
                    "Water once, well, and then leave it alone.".to_owned(),
                ]),
                heading("Tips"),
                list("ul", &[rng.pick(&[
                    "Slugs come at night; so should you.",
                    "A mulch of straw saves an hour of watering.",
                    "Sharpen the blade before you blame the branch.",
                ])]),
                paragraph("Keep these instructions in the shed, on a nail."),
            ]
            .concat();
            let title = fill("How to {t} {p}", &values);
            site.page(&path, &title, &body);
            index.push((path, title));
        }
    }
    site.page("/guides/", "Guides", &links(&index));
    site.page(
        "/",
        "The Garden Club",
        &[
            paragraph(
                "We meet by the compost heap on Sundays. Afterwards there is tea at the society next door.",
            ),
            links(&[
                ("/guides/".into(), "Guides for every bed".into()),
                ("/nursery.html".into(), "Our nursery (closed)".into()),
                ("http://tea-society.test/".into(), "The society next door".into()),
            ]),
        ]
        .concat(),
    );
    site
}

const MODELS: [&str; 14] = [
    "Heron 2",
    "Heron Estate",
    "Lark",
    "Lark Electric",
    "Bastion",
    "Corvid S",
    "Pilgrim",
    "Pilgrim Van",
    "Tern",
    "Otter",
    "Otter Four",
    "Quill",
    "Marten",
    "Marten Sport",
];

const PARTS: [&str; 10] = [
    "brake pads",
    "wiper blades",
    "spark plugs",
    "engine oil",
    "air filter",
    "cabin filter",
    "headlight bulb",
    "battery",
    "coolant",
    "tyres",
];

/// cars-weekly.test
pub(super) fn cars_weekly() -> Site {
    let mut site = Site::new(
        "cars-weekly.test",
        "Cars Weekly",
        &[
            ("/", "Home"),
            ("/tests/", "Road tests"),
            ("/workshop/", "Workshop"),
            ("/archive/", "Archive"),
        ],
    );
    let mut tests = Vec::new();
    for (place, model) in MODELS.iter().enumerate() {
        for year in [2024, 2025] {
            let path = format!("/tests/{}-{year}.html", slug(model));
            let mut rng = PageRng::named(&path);
            let other = MODELS[(place + 1 + rng.below(MODELS.len() - 1)) % MODELS.len()];
            let body = [
                paragraph(&fill(
                    rng.pick(&[
                        "The {m} turns where you point it and complains only on cobbles. The seats are better than the radio.",
                        "Quiet, heavy and sure of itself, the {m} is a sofa with a number plate.",
                        "We drove the {m} for a week. It drank little, squeaked twice and never failed to start.",
                    ]),
                    &[("m", model)],
                )),
                paragraph(&fill(
                    rng.pick(&[
                        "Against the {o} it loses on room and wins on charm.",
                        "The {o} costs less, but you notice where.",
                        "Whoever likes the {o} will miss its big boot.",
                    ]),
                    &[("o", other)],
                )),
                list("ul", &[
                    format!("Power: {} kW", 50 + rng.below(150)),
                    format!("Top speed: {} km/h", 140 + rng.below(80)),
                    format!("Price from {},900", 14 + rng.below(40)),
                ]),
            ]
            .concat();
            let title = format!("{model} ({year}): road test");
            site.page(&path, &title, &body);
            tests.push((path, title));
        }
    }
    let mut workshop = Vec::new();
    for part in PARTS {
        let path = format!("/workshop/{}.html", slug(part));
        let body = [
            paragraph(&format!(
                "A guide for beginners: how to change the {part} with the method of our workshop."
            )),
            heading("You will need"),
            list(
                "ul",
                &[
                    "a jack and two stands",
                    "a spanner of thirteen millimetres",
                    "rags",
                ],
            ),
            heading("Step by step"),
            list(
                "ol",
                &[
                    "Park on level ground and pull the brake.".to_owned(),
                    format!("Take out the old {part} and lay them on a rag."),
                    "Put in the new ones, and do not force anything.".to_owned(),
                ],
            ),
            heading("Tips"),
            paragraph("Read the maker's instructions first. Photograph everything before you loosen it."),
        ]
        .concat();
        let title = format!("How to change the {part}");
        site.page(&path, &title, &body);
        workshop.push((path, title));
    }
    site.page("/tests/", "Road tests", &links(&tests));
    site.page("/workshop/", "Workshop", &links(&workshop));
    site.page(
        "/",
        "Cars Weekly",
        &[
            paragraph("On the road every Wednesday."),
            links(&[
                ("/tests/".into(), "Road tests".into()),
                ("/workshop/".into(), "The workshop".into()),
                ("/archive/".into(), "All issues since the first".into()),
                ("http://city-herald.test/".into(), "Our mother paper".into()),
            ]),
        ]
        .concat(),
    );
    site
}
