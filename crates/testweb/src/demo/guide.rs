//! Guides to brewing tea, in varied words and a fixed order: what it is about, what you need, what to do, what to
//! watch for.

use crate::demo::layout::{LinkTo, capital, fill, heading, links, list, paragraph};
use crate::demo::tea::Tea;
use crate::rng::PageRng;

const OPENINGS: [&str; 6] = [
    "This guide shows how to brew {v} so that the cup tastes of {note} and not of regret. It is written for beginners, \
     and the method is the one our members use at the long table.",
    "{V} forgives a great deal once you know how to treat it. In this guide for beginners we walk through the method \
     one step at a time, from the cold kettle to the last cup.",
    "Ask three people how to brew {v} and you hear four opinions. This guide keeps to one method that has never let \
     beginners down, and it leads to a cup full of {note}.",
    "If your {v} comes out thin or harsh, the leaves are rarely to blame. This guide tells beginners how to find the \
     {note} in it, with a method that needs no scales and no stopwatch.",
    "There is a quiet pleasure in {v} from {origin}: {note}, and then a long sweetness. The guide below is a method for \
     beginners, and a reminder for the rest of us how to slow down.",
    "A visitor from {origin} taught us this method, and we wrote it down before we could forget it. Here is the guide, \
     for beginners who wonder how to get {note} into a cup.",
];

const NEEDS: [&str; 6] = [
    "{g} grams of loose leaf {v}, kept dry and away from spices",
    "a small teapot that holds about {ml} millilitres",
    "a kettle, if possible one that shows the water temperature",
    "one cup for each guest, and one for yourself",
    "a jug to pour into, so that every cup is equally strong",
    "a quiet quarter of an hour",
];

const STEPS: [[&str; 3]; 5] = [
    [
        "Fill the kettle with fresh water and bring the water temperature to {c} degrees.",
        "Heat the kettle until the water temperature reaches {c} degrees, no more.",
        "Let the kettle boil, then wait until the water temperature has come down to {c} degrees.",
    ],
    [
        "Rinse the teapot with hot water and pour it away.",
        "Warm the teapot from within, then dry the outside with a cloth.",
        "Swirl a little hot water in the teapot and empty it over the tray.",
    ],
    [
        "Add the loose leaf {v} and breathe in: warm leaves tell you what is to come.",
        "Tip in the leaves and close the lid for a moment, so that the loose leaf wakes up.",
        "Lay the loose leaf in the warm pot; the leaves should cover the bottom twice over.",
    ],
    [
        "Pour in a thin stream and let it steep for {m} minutes with the lid on.",
        "Pour slowly along the wall and let the leaves steep for {m} minutes.",
        "Fill up, close the lid, and let everything steep for {m} minutes without stirring.",
    ],
    [
        "Empty the pot to the last drop. The second infusion needs half the time, the third infusion twice as long.",
        "Serve at once. Keep the leaves for another infusion; the second infusion is often the best.",
        "Pour every drop into the cup, for what stays behind turns the next infusion bitter.",
    ],
];

const TIPS: [&str; 7] = [
    "If the infusion is bitter, lower the water temperature before you shorten the time.",
    "If it is thin, use more leaves rather than let them steep longer.",
    "A teapot that has met fish or perfume will remember it.",
    "Brew twice with the same loose leaf before you judge it.",
    "Never fill the kettle with water that has boiled before and gone flat.",
    "Write down what you did; tomorrow's cup will thank you.",
    "Good tea keeps for months in a dark tin, but an open bag is stale within weeks.",
];

const CLOSINGS: [&str; 4] = [
    "These instructions are a beginning. Brew it again tomorrow, change one thing, and taste what that does to the tea.",
    "Once the instructions feel like habit, forget them and brew by nose. The tea will tell you when it is ready.",
    "Print the instructions and keep them by the kettle. To brew well is mostly to do the same simple thing again.",
    "Other instructions will tell you otherwise, and they may be right for other water. Brew, taste, and trust your tea.",
];

/// The title of a guide to one tea.
pub(super) fn title(tea: &Tea, rng: &mut PageRng) -> String {
    let form = rng.pick(&[
        "How to brew {v}, step by step",
        "{V}: a step by step guide",
        "Brew {v} well: a guide in five steps",
        "A short guide to {v}",
    ]);
    fill(form, &[("v", tea.name), ("V", &capital(tea.name))])
}

/// The text of a guide to one tea, and further links.
pub(super) fn body(tea: &Tea, rng: &mut PageRng, read_on: &[LinkTo]) -> String {
    let ml = rng.pick(&["200", "250", "300", "350"]);
    let title = capital(tea.name);
    let values = [
        ("v", tea.name),
        ("V", title.as_str()),
        ("note", tea.note),
        ("origin", tea.origin),
        ("c", tea.celsius),
        ("g", tea.grams),
        ("m", tea.minutes),
        ("ml", ml),
    ];
    compose(&values, "", rng, read_on)
}

/// The text of a guide to a craft.
pub(super) fn craft(name: &str, particular: &str, rng: &mut PageRng, read_on: &[LinkTo]) -> String {
    let title = capital(name);
    let values = [
        ("v", name),
        ("V", title.as_str()),
        ("note", "what you hoped for"),
        ("origin", "the old town"),
        ("c", "85"),
        ("g", "five"),
        ("m", "two"),
        ("ml", "300"),
    ];
    compose(&values, particular, rng, read_on)
}

fn compose(values: &[(&str, &str)], particular: &str, rng: &mut PageRng, read_on: &[LinkTo]) -> String {
    let mut body = paragraph(&fill(rng.pick(&OPENINGS), values));
    if !particular.is_empty() {
        body.push_str(&paragraph(particular));
    }
    body.push_str(&heading("You will need"));
    let needs: Vec<String> = rng
        .some(&NEEDS[3..], 2)
        .into_iter()
        .chain(&NEEDS[..3])
        .map(|need| fill(need, values))
        .collect();
    body.push_str(&list("ul", &needs));
    body.push_str(&heading("Step by step"));
    let steps: Vec<String> = STEPS.iter().map(|step| fill(rng.pick(step), values)).collect();
    body.push_str(&list("ol", &steps));
    body.push_str(&heading("Tips"));
    let tips: Vec<String> = rng
        .some(&TIPS, 3)
        .into_iter()
        .map(|tip| fill(tip, values))
        .collect();
    body.push_str(&list("ul", &tips));
    body.push_str(&paragraph(&fill(rng.pick(&CLOSINGS), values)));
    if !read_on.is_empty() {
        body.push_str(&heading("Read on"));
        body.push_str(&links(read_on));
    }
    body
}
