//! The teas, vessels and people of the demo web.

/// A tea and how to brew it.
#[derive(Clone, Copy)]
pub(super) struct Tea {
    pub(super) name: &'static str,
    pub(super) family: &'static str,
    pub(super) celsius: &'static str,
    pub(super) grams: &'static str,
    pub(super) minutes: &'static str,
    pub(super) note: &'static str,
    pub(super) origin: &'static str,
}

/// One line of the table below.
const fn tea(
    name: &'static str,
    family: &'static str,
    [celsius, grams, minutes]: [&'static str; 3],
    note: &'static str,
    origin: &'static str,
) -> Tea {
    Tea {
        name,
        family,
        celsius,
        grams,
        minutes,
        note,
        origin,
    }
}

pub(super) const TEAS: [Tea; 30] = [
    tea(
        "sencha",
        "green",
        ["70", "four", "one and a half"],
        "cut grass and sea air",
        "Shizuoka",
    ),
    tea("gyokuro", "green", ["55", "six", "two"], "sweet broth", "Uji"),
    tea(
        "genmaicha",
        "green",
        ["80", "five", "one"],
        "toasted rice",
        "Kyoto",
    ),
    tea(
        "houjicha",
        "green",
        ["90", "five", "one"],
        "roasted chestnut",
        "Kyoto",
    ),
    tea(
        "bancha",
        "green",
        ["85", "four", "two"],
        "straw and walnut",
        "Shizuoka",
    ),
    tea(
        "kukicha",
        "green",
        ["75", "five", "one"],
        "young wood and cream",
        "Uji",
    ),
    tea(
        "longjing",
        "green",
        ["80", "three", "three"],
        "warm chestnut",
        "Hangzhou",
    ),
    tea(
        "biluochun",
        "green",
        ["75", "three", "two"],
        "apricot and snow peas",
        "Suzhou",
    ),
    tea(
        "gunpowder",
        "green",
        ["80", "three", "two and a half"],
        "smoke and bay leaf",
        "Zhejiang",
    ),
    tea(
        "huangshan maofeng",
        "green",
        ["80", "three", "three"],
        "orchid and broad beans",
        "Anhui",
    ),
    tea(
        "tieguanyin",
        "oolong",
        ["95", "six", "one"],
        "lilac and butter",
        "Anxi",
    ),
    tea(
        "da hong pao",
        "oolong",
        ["95", "six", "one"],
        "cocoa and wet slate",
        "Wuyi",
    ),
    tea(
        "dong ding",
        "oolong",
        ["92", "six", "one"],
        "toasted sugar",
        "Nantou",
    ),
    tea(
        "alishan",
        "oolong",
        ["92", "five", "one and a half"],
        "cream and pine",
        "Chiayi",
    ),
    tea(
        "oriental beauty",
        "oolong",
        ["85", "four", "two"],
        "honey and muscat",
        "Hsinchu",
    ),
    tea(
        "phoenix dancong",
        "oolong",
        ["95", "six", "half a"],
        "peach skin",
        "Chaozhou",
    ),
    tea(
        "darjeeling first flush",
        "black",
        ["88", "three", "three"],
        "green grapes",
        "Darjeeling",
    ),
    tea(
        "assam",
        "black",
        ["98", "three", "four"],
        "malt and raisins",
        "Assam",
    ),
    tea(
        "nilgiri",
        "black",
        ["95", "three", "three"],
        "lemon rind",
        "the Nilgiri hills",
    ),
    tea(
        "uva",
        "black",
        ["95", "three", "three"],
        "menthol and orange",
        "Uva",
    ),
    tea(
        "keemun",
        "black",
        ["90", "three", "three"],
        "rose and dry wine",
        "Qimen",
    ),
    tea(
        "lapsang souchong",
        "black",
        ["95", "three", "three"],
        "pine smoke",
        "Wuyi",
    ),
    tea(
        "yunnan gold",
        "black",
        ["92", "three", "three"],
        "sweet potato and pepper",
        "Yunnan",
    ),
    tea(
        "white peony",
        "white",
        ["85", "four", "four"],
        "melon and hay",
        "Fuding",
    ),
    tea(
        "silver needle",
        "white",
        ["80", "four", "five"],
        "cucumber and honey",
        "Fuding",
    ),
    tea(
        "shou mei",
        "white",
        ["95", "five", "four"],
        "dates and autumn woods",
        "Fujian",
    ),
    tea(
        "ripe puer",
        "dark",
        ["98", "six", "half a"],
        "beetroot and clean earth",
        "Menghai",
    ),
    tea(
        "raw puer",
        "dark",
        ["95", "six", "half a"],
        "bitter apricot",
        "Yiwu",
    ),
    tea(
        "liu bao",
        "dark",
        ["98", "five", "one"],
        "betel nut and cellar stone",
        "Wuzhou",
    ),
    tea(
        "junshan yinzhen",
        "yellow",
        ["80", "four", "three"],
        "sweet corn",
        "Junshan island",
    ),
];

/// What a guide may be about besides a single tea: title, path, and details.
pub(super) const CRAFTS: [(&str, &str, &str); 12] = [
    (
        "water for tea",
        "water",
        "Hard water dulls the fragrance; a jug filter and a little patience mend most of it.",
    ),
    (
        "warming the pot",
        "warming",
        "Cold clay steals ten degrees before anything has happened.",
    ),
    (
        "gongfu service",
        "gongfu",
        "Small vessel, many leaves, short pours: the evening is as long as you want it.",
    ),
    (
        "grandpa style in a tall glass",
        "grandpa",
        "The glass is never empty and nothing is ever strained.",
    ),
    (
        "cold infusion overnight",
        "cold",
        "The refrigerator does the work and nothing turns bitter.",
    ),
    (
        "iced tea without sugar",
        "iced",
        "Double the strength, halve the volume, let the ice do the rest.",
    ),
    (
        "milk tea the slow way",
        "milk",
        "Warm the milk apart, and let it meet the pot at the table.",
    ),
    (
        "spiced tea in a saucepan",
        "spiced",
        "Crush the cardamom before you light the stove.",
    ),
    (
        "mint tea from a silver pot",
        "mint",
        "Pour from high above the glass; the foam is the point.",
    ),
    (
        "whisked matcha",
        "matcha",
        "Sift first, whisk in a letter M, stop when the foam is fine.",
    ),
    (
        "tea for a crowd",
        "crowd",
        "Make a strong base in one pot and let everybody dilute it.",
    ),
    (
        "tea on a camping stove",
        "camping",
        "Wind costs more heat than altitude does.",
    ),
];

pub(super) const NAMES: [&str; 16] = [
    "Mira", "Anselm", "Ottilie", "Jun", "Priya", "Tobias", "Wanda", "Kofi", "Elin", "Rafael", "Noor",
    "Hedda", "Silvan", "Beatrix", "Ludo", "Yara",
];
