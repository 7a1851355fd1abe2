//! The checked settings, and the one list of options they are made from.
//!
//! Each option is one row below: how many values, the field's name and type, its long name on the command line, its key
//! in the topic file, what its values look like, what becomes of a resumed crawl when it changes, and the default. The
//! structs, the list, writing and comparing all follow from the rows.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use scenthound_engine::{ScopeKind, SeedAssignment, SitemapUse};
use scenthound_judge::{JudgeKind, QueryMatch};
use scenthound_learn::Space;
use scenthound_seeds::search::Category;
use scenthound_strategy::{LearnFrom, ParentScore, StrategyKind, Ties};
use scenthound_types::{AgentId, CanonicalUrl, GENRES, Language, Merge, Parents};
use url::Url;

use crate::choice::{MERGES, PARENTS, merge_from, merge_name, parents_from, parents_name};
use crate::kind::{Kind, Pattern, Value};
use crate::option::{OnResume::*, OptionSpec, Shape};

/// The values found right, by the long names of their options.
pub(crate) type Checked = BTreeMap<&'static str, Vec<Value>>;

macro_rules! settings {
    ($(
        $(#[doc = $section_doc:literal])+
        $section:ident: $Struct:ident {
            $(
                $(#[doc = $doc:literal])+
                $shape:ident $field:ident: $type:ty = $name:literal $key:literal, $kind:expr, $resume:ident
                    $(, $default:literal)?;
            )*
        }
    )*) => {
        $(
            $(#[doc = $section_doc])+
            #[derive(Clone, PartialEq, Debug)]
            #[non_exhaustive]
            pub struct $Struct {
                $( $(#[doc = $doc])+ pub $field: settings!(@type $shape $type), )*
            }
        )*

        /// Everything a crawl needs to know, checked.
        #[derive(Clone, PartialEq, Debug)]
        #[non_exhaustive]
        pub struct Settings {
            $( $(#[doc = $section_doc])+ pub $section: $Struct, )*
            /// What is allowed but probably not meant, in sentences.
            pub warnings: Vec<String>,
        }

        /// The options that become fields, in the order they are written to a file.
        static KEPT: &[OptionSpec] = &[ $( $(
            OptionSpec {
                name: $name,
                section: stringify!($section),
                key: $key,
                kind: $kind,
                shape: settings!(@shape $shape),
                default: settings!(@default $($default)?),
                on_resume: $resume,
                doc: &[$($doc),+],
            },
        )* )* ];

        impl Settings {
            /// Makes settings of checked values; `None` if an option that must have one has none.
            pub(crate) fn from_checked(checked: &mut Checked, warnings: Vec<String>) -> Option<Settings> {
                $( let $section = $Struct {
                    $( $field: settings!(@take $shape checked.remove($name).unwrap_or_default().into_iter()), )*
                }; )*
                Some(Settings { $( $section, )* warnings })
            }

            /// Each option with its values; empty where there is none.
            pub(crate) fn values(&self) -> Vec<(&'static OptionSpec, Vec<Value>)> {
                let values = [ $( $( settings!(@give $shape self.$section.$field), )* )* ];
                KEPT.iter().zip(values).collect()
            }
        }
    };
    (@type one $type:ty) => { $type };
    (@type maybe $type:ty) => { Option<$type> };
    (@type many $type:ty) => { Vec<$type> };
    (@shape one) => { Shape::One };
    (@shape maybe) => { Shape::Maybe };
    (@shape many) => { Shape::Many };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
    (@take one $values:expr) => { $values.next().and_then(Setting::from_value)? };
    (@take maybe $values:expr) => { $values.next().and_then(Setting::from_value) };
    (@take many $values:expr) => { $values.filter_map(Setting::from_value).collect() };
    (@give one $field:expr) => { vec![$field.to_value()] };
    (@give maybe $field:expr) => { $field.iter().map(Setting::to_value).collect() };
    (@give many $field:expr) => { $field.iter().map(Setting::to_value).collect() };
}

settings! {
    /// What is looked for, in a few words.
    topic: TopicSettings {
        /// What the collection is called.
        one name: String = "topic-name" "name", Kind::Text, NeedsRejudging;
        /// The topic as one would ask a search engine.
        maybe query: String = "query" "query", Kind::Text, NeedsRejudging;
        /// The language of the terms; its stop words are left out.
        maybe language: Language = "language" "language", Kind::Language, NeedsRejudging;
    }
    /// The words and phrases to look for.
    terms: TermSettings {
        /// What kind of page is wanted.
        many genre: String = "genre-terms" "genre", Kind::Term, NeedsRejudging;
        /// What it is about.
        many content: String = "content-terms" "content", Kind::Term, NeedsRejudging;
        /// Words of its address.
        many url: String = "url-terms" "url", Kind::Term, NeedsRejudging;
        /// Words of the wrong sense: a page with enough of them is ignored, with its links, whatever the judge.
        many exclude: String = "exclude-terms" "exclude", Kind::Term, NeedsRejudging;
        /// How many different exclude terms are enough to ignore a page.
        one min_exclude: u32 = "min-exclude" "min-exclude", Kind::Count { least: 1, most: 1_000_000 }, NeedsRejudging, "1";
    }
    /// Where to start: the URLs named and those of the files named, each once, in this order.
    seeds: SeedSettings {
        /// URLs to start from.
        many urls: CanonicalUrl = "seed-urls" "urls", Kind::Url, NeedsNewFolder;
        /// Search engines to ask for seeds, once: searxng=URL, brave, google-cse, marginalia, collection=DIR or file=FILE.
        many engines: String = "engine" "engines", Kind::Engine, NeedsNewFolder;
        /// What kind of page they are asked for; web if none is named.
        many categories: Category = "category" "categories", Kind::Choice(Category::NAMES), NeedsNewFolder;
        /// How many seeds to take from them.
        one count: u64 = "seed-count" "count", Kind::Count { least: 1, most: 1_000 }, NeedsNewFolder, "50";
    }
    /// What counts as relevant.
    judge: JudgeSettings {
        /// How pages are judged.
        one kind: JudgeKind = "judge" "kind", Kind::Choice(JudgeKind::NAMES), NeedsRejudging, "terms";
        /// The model file of a judge other than terms, as hound train relevance writes it.
        maybe model: PathBuf = "model" "model", Kind::Path, NeedsRejudging;
        /// A page at least this similar to the topic is relevant.
        one threshold: f64 = "threshold" "threshold", SHARE, NeedsRejudging, "0.45";
        /// query: whether a page must contain all words of the query, the words as a phrase, or any of them.
        one query_match: QueryMatch = "query-match" "query-match", Kind::Choice(QueryMatch::NAMES), NeedsRejudging, "all";
        /// Weight of the genre terms against the content terms.
        one genre_weight: f64 = "genre-weight" "genre-weight", WEIGHT, NeedsRejudging, "5";
        /// Weight of the content terms against the genre terms.
        one content_weight: f64 = "content-weight" "content-weight", WEIGHT, NeedsRejudging, "5";
        /// Weight of genre and content terms against the URL terms.
        one genre_content_weight: f64 = "genre-content-weight" "genre-content-weight", WEIGHT, NeedsRejudging, "7";
        /// Weight of the URL terms against genre and content terms.
        one url_weight: f64 = "url-weight" "url-weight", WEIGHT, NeedsRejudging, "3";
        /// Treat genre and content terms as one list.
        one joint: bool = "joint" "joint", Kind::Switch, NeedsRejudging, "false";
        /// A JSON table of how rare each term is; without it all terms weigh the same.
        maybe idf: PathBuf = "idf" "idf", Kind::Path, NeedsRejudging;
        /// How the genre of a page is told, where genres are named or the strategy is genre: by many features or by nine.
        one genre_detector: String = "genre-detector" "genre-detector", Kind::Choice(GENRE_DETECTORS), NeedsRejudging, "genre";
        /// A model file for that, as hound train genre writes it, in place of the one that comes with the program.
        maybe genre_model: PathBuf = "genre-model" "genre-model", Kind::Path, NeedsRejudging;
        /// A list of words of kinds of pages, to count besides those the detector knows.
        maybe genre_words: PathBuf = "genre-words" "genre-words", Kind::Path, NeedsRejudging;
    }
    /// Which link is followed next.
    strategy: StrategySettings {
        /// How waiting links are ranked.
        one kind: StrategyKind = "strategy" "kind", Kind::Choice(StrategyKind::NAMES), NeedsRejudging, "best-first";
        /// A page must be more relevant than this to raise its siblings (and children).
        one change_threshold: f64 = "change-threshold" "change-threshold", SHARE, NeedsRejudging, "0.2";
        /// Whose children are siblings: those of the page that found the URL first, or of all pages that link to it.
        one parents: Parents = "parents" "parents", Kind::Choice(PARENTS), NeedsRejudging, "all";
        /// Whether the larger score counts or the later one.
        one merge: Merge = "merge" "merge", Kind::Choice(MERGES), NeedsRejudging, "max";
        /// Who is served first among equal scores.
        one ties: Ties = "ties" "ties", Kind::Choice(Ties::NAMES), NeedsRejudging, "fifo";
        /// link-context and otie: weight of the page a link stands on, against the words around the link.
        one page_weight: f64 = "page-weight" "page-weight", SHARE, NeedsNewFolder, "0.25";
        /// otie: how much a page's relevance raises or lowers the cash it passes on.
        one revision: f64 = "revision" "revision", Kind::Number { least: 0.001, most: 1000.0 }, NeedsNewFolder, "0.85";
        /// otie: an odd number; the larger, the less the undecided pages change their cash.
        one revision_power: u32 = "revision-power" "revision-power", Kind::Count { least: 1, most: 99 }, NeedsNewFolder, "3";
        /// otie: after this many pages, fetch again the visited page that has gathered the most cash; 0 for never.
        one recrawl_every: u32 = "recrawl-every" "recrawl-every", Kind::Count { least: 0, most: 1_000_000_000 },
            NeedsNewFolder, "500";
        /// shark: what is left of an inherited score one link further.
        one decay: f64 = "decay" "decay", SHARE, NeedsNewFolder, "0.5";
        /// shark: weight of the inherited score, against the words of the link and around it.
        one inherited_weight: f64 = "inherited-weight" "inherited-weight", SHARE, NeedsNewFolder, "0.5";
        /// shark: weight of the link's own words, against those around it.
        one anchor_weight: f64 = "anchor-weight" "anchor-weight", SHARE, NeedsNewFolder, "0.8";
        /// shark and fish: how many irrelevant pages in a row are followed; links beyond wait until no other is left.
        one fish_depth: u8 = "fish-depth" "fish-depth", Kind::Count { least: 0, most: 255 }, NeedsNewFolder, "3";
        /// fish: how many links of an irrelevant page count for something; of a relevant one half as many again.
        one fish_width: u32 = "fish-width" "fish-width", Kind::Count { least: 1, most: 1_000_000 }, NeedsNewFolder, "30";
        /// genre: weight of the page's relevance; the rest is the weight of where links on pages of its genre lead.
        one relevance_weight: f64 = "relevance-weight" "relevance-weight", SHARE, NeedsNewFolder, "0.95";
        /// genre: a table of how often links on pages of each genre lead to relevant pages, to start from.
        maybe pig: PathBuf = "pig" "pig", Kind::Path, NeedsNewFolder;
        /// genre: keep that table as given; without this, counting goes on during the crawl.
        one pig_fixed: bool = "pig-fixed" "pig-fixed", Kind::Switch, NeedsNewFolder, "false";
        /// context-graph, layered: the model of how far pages stand from a target, as hound train layers writes it.
        maybe layers: PathBuf = "layers" "layers", Kind::Path, NeedsRejudging;
        /// context-graph, layered: learn layers from the crawl itself once this many relevant pages are found, and again each
        /// time they have doubled.
        maybe learn_after: u32 = "learn-after" "learn-after", Kind::Count { least: 2, most: 1_000_000 }, NeedsNewFolder;
        /// context-graph, layered: how links are ranked before layers are learnt.
        one learn_from: LearnFrom = "learn-from" "learn-from", Kind::Choice(LearnFrom::NAMES), NeedsNewFolder, "best-first";
        /// layered: a link whose words are more similar to the query than this comes before all others.
        one hot_threshold: f64 = "hot-threshold" "hot-threshold", SHARE, NeedsRejudging, "0.2";
        /// context-graph, layered, in the lab: a page whose likeliest layer is less likely than this is of none.
        one layer_threshold: f64 = "layer-threshold" "layer-threshold", SHARE, NeedsRejudging, "0.5";
        /// context-graph, layered, in the lab: how many words of a page count in full; without it, as fits pages held out best.
        maybe layer_evidence: f64 = "layer-evidence" "layer-evidence", Kind::Number { least: 0.1, most: 100_000.0 }, NeedsRejudging;
        /// context-graph, layered, in the lab: pages learnt from of each layer beyond the targets.
        one per_layer: u32 = "per-layer" "per-layer", Kind::Count { least: 1, most: 1_000_000_000 }, NeedsRejudging, "200";
        /// context-graph, layered: place a URL that is found again anew, if the new place is better.
        one replace: bool = "replace" "replace", Kind::Switch, NeedsNewFolder, "false";
        /// table: how many words the table has, or starts with if it grows.
        one table_size: u32 = "table-size" "table-size", Kind::Count { least: 0, most: 100_000 }, NeedsNewFolder, "50";
        /// table: each page similar enough adds this share of table-size in words of its own; 0 for a table that stays.
        one table_adds: f64 = "table-adds" "table-adds", SHARE, NeedsNewFolder, "0";
        /// table: a page at least this similar to the table adds words.
        one table_adds_from: f64 = "table-adds-from" "table-adds-from", SHARE, NeedsNewFolder, "0.6";
        /// table: how many words it may grow to.
        one table_ceiling: u32 = "table-ceiling" "table-ceiling", Kind::Count { least: 1, most: 100_000 }, NeedsNewFolder, "1000";
        /// table: compare all of a page's words with the table, or only those that the table holds.
        one table_space: Space = "table-space" "table-space", Kind::Choice(Space::NAMES), NeedsNewFolder, "union";
        /// table: what several pages that link to one URL are worth together.
        one table_parents: ParentScore = "table-parents" "table-parents", Kind::Choice(ParentScore::NAMES), NeedsNewFolder, "sum";
        /// table: how many different words are counted; the rarest are forgotten.
        one table_vocabulary: u32 = "table-vocabulary" "table-vocabulary", Kind::Count { least: 1_000, most: 10_000_000 },
            NeedsNewFolder, "200000";
        /// table: weight of the topic's words in a link's score.
        one link_topic_weight: f64 = "link-topic-weight" "link-topic-weight", WEIGHT, NeedsNewFolder, "1";
        /// table: weight of the words of the genres named with genre; sum is 1 and 1, a weighted mean adds up to 1.
        one link_genre_weight: f64 = "link-genre-weight" "link-genre-weight", WEIGHT, NeedsNewFolder, "1";
        /// table: a list of words of links to kinds of pages, besides or in place of those that come with the program.
        maybe link_words: PathBuf = "link-words" "link-words", Kind::Path, NeedsNewFolder;
    }
    /// How far, how fast and how politely.
    crawl: CrawlSettings {
        /// Stop after this many pages, failed ones included.
        maybe max_pages: u64 = "max-pages" "max-pages", COUNT, Allowed;
        /// Stop after this long, summed over resumes.
        maybe max_time: Duration = "max-time" "max-time", Kind::Time { least: Duration::from_secs(1) }, Allowed;
        /// Stop after this many bytes came over the wire.
        maybe max_bytes: u64 = "max-bytes" "max-bytes", Kind::Size, Allowed;
        /// Follow links at most this far from a seed.
        maybe depth: u16 = "depth" "depth", Kind::Count { least: 0, most: 65_535 }, AllowedFromHere;
        /// Follow at most this many links of a page.
        maybe width: u32 = "width" "width", Kind::Count { least: 1, most: 1_000_000 }, AllowedFromHere;
        /// Fetch at most this many pages of a host.
        maybe max_pages_per_host: u32 = "max-pages-per-host" "max-pages-per-host",
            Kind::Count { least: 1, most: u32::MAX as u64 }, Allowed;
        /// Which links may be followed at all, seen from the seeds.
        one scope: ScopeKind = "scope" "scope", Kind::Choice(ScopeKind::NAMES), NeedsNewFolder, "any";
        /// Follow only URLs that match one of these.
        many include: Pattern = "include" "include", Kind::Pattern, NeedsNewFolder;
        /// Follow no URLs that match one of these.
        many exclude: Pattern = "exclude" "exclude", Kind::Pattern, NeedsNewFolder;
        /// Keep only pages in these languages.
        many lang: Language = "lang" "lang", Kind::Language, NeedsNewFolder;
        /// Look for this kind of page: its usual words join the genre terms.
        many genres: String = "genre" "genres", Kind::Choice(GENRES), NeedsRejudging;
        /// Wait this long between two requests to a host.
        one delay: Duration = "delay" "delay", ANY_TIME, Allowed, "1s";
        /// Wait this long between two requests to an address, whichever host they are for.
        one ip_delay: Duration = "ip-delay" "ip-delay", ANY_TIME, Allowed, "250ms";
        /// The longest wait between requests that a host can ask for.
        one max_delay: Duration = "max-delay" "max-delay", ANY_TIME, Allowed, "60s";
        /// How many requests may be out at once.
        one concurrency: u32 = "concurrency" "concurrency", Kind::Count { least: 1, most: 10_000 }, Allowed, "16";
        /// How many of them to one host.
        one connections_per_host: u16 = "connections-per-host" "connections-per-host",
            Kind::Count { least: 1, most: 64 }, Allowed, "1";
        /// How often a request that failed for the moment is tried again.
        one retries: u8 = "retries" "retries", Kind::Count { least: 0, most: 100 }, Allowed, "2";
        /// How many redirects in a row are followed.
        one redirects: u8 = "redirects" "redirects", Kind::Count { least: 0, most: 100 }, Allowed, "10";
        /// The user agent sent, in place of scenthound/VERSION (+contact).
        maybe user_agent: String = "user-agent" "user-agent", Kind::Header, Allowed;
        /// Where site owners can reach you: a page or an e-mail address.
        maybe contact: String = "contact" "contact", Kind::Contact, Allowed;
        /// Do not ask for robots.txt, nor heed it.
        one ignore_robots: bool = "ignore-robots" "ignore-robots", Kind::Switch, AllowedFromHere, "false";
        /// Follow links marked nofollow.
        one follow_nofollow: bool = "follow-nofollow" "follow-nofollow", Kind::Switch, AllowedFromHere, "false";
        /// Whose sitemaps are read.
        one sitemaps: SitemapUse = "sitemaps" "sitemaps", Kind::Choice(SitemapUse::NAMES), AllowedFromHere, "seeds";
        /// Private networks that may be reached; all are refused unless named.
        many allow_net: IpNet = "allow-net" "allow-net", Kind::Network, Allowed;
        /// The DNS server to ask, in place of the system's.
        maybe resolver: SocketAddr = "resolver" "resolver", Kind::Resolver, Allowed;
        /// The proxy all requests go through. Names are still looked up here, so that private addresses can be refused.
        maybe proxy: Url = "proxy" "proxy", Kind::Proxy, Allowed;
        /// Certificates to trust besides the usual ones, in PEM.
        maybe ca_file: PathBuf = "ca-file" "ca-file", Kind::Path, Allowed;
        /// The longest wait for a connection.
        one connect_timeout: Duration = "connect-timeout" "connect-timeout", SOME_TIME, Allowed, "10s";
        /// The longest wait for the first byte of an answer.
        one first_byte_timeout: Duration = "first-byte-timeout" "first-byte-timeout", SOME_TIME, Allowed, "20s";
        /// The longest wait for a whole answer.
        one body_timeout: Duration = "body-timeout" "body-timeout", SOME_TIME, Allowed, "60s";
        /// Answers slower than this are cut.
        one slowest_rate: u64 = "slowest-rate" "slowest-rate", Kind::Rate, Allowed, "100B/s";
        /// Pages are cut at this size, after decompression.
        one max_page_bytes: u64 = "max-page-bytes" "max-page-bytes", Kind::Size, Allowed, "8MB";
        /// Answers are cut at this size, as sent.
        one max_wire_bytes: u64 = "max-wire-bytes" "max-wire-bytes", Kind::Size, Allowed, "8MB";
        /// Draw this many of the best links at once and visit all before looking again; 0 for one at a time.
        one list_size: u32 = "list-size" "list-size", Kind::Count { least: 0, most: 1_000_000 }, NeedsNewFolder, "0";
        /// How many agents crawl, each from its own seeds, with a strategy and a stack of its own.
        one agents: u8 = "agents" "agents", Kind::Count { least: 1, most: AgentId::MOST as u64 }, NeedsNewFolder, "1";
        /// Which agent begins at which seed.
        one assign_seeds: SeedAssignment = "assign-seeds" "assign-seeds", Kind::Choice(SeedAssignment::NAMES), NeedsNewFolder, "even";
        /// An agent stops when it has found this many relevant pages.
        maybe goal: u64 = "goal" "goal", COUNT, Allowed;
        /// How many requests an agent may have out at once.
        maybe agent_requests: u32 = "agent-requests" "agent-requests", Kind::Count { least: 1, most: 10_000 }, Allowed;
        /// Give what a stopped agent has left of its share of --max-pages to the others.
        one redistribute: bool = "redistribute" "redistribute", Kind::Switch, Allowed, "false";
        /// Forget links that have waited longer than this; they may be found again.
        maybe expire_after: Duration = "expire-after" "expire-after", SOME_TIME, Allowed;
        /// Forget links that have waited while this many pages were fetched; they may be found again.
        maybe expire_after_pages: u64 = "expire-after-pages" "expire-after-pages", COUNT, Allowed;
        /// Keep at most about this many links waiting; the worst are forgotten.
        maybe max_waiting: u64 = "max-waiting" "max-waiting", Kind::Count { least: 1_000, most: u64::MAX }, Allowed;
        /// The number all chance is drawn from: the same number, web and settings give the same crawl.
        one seed: u64 = "seed" "seed", Kind::Count { least: 0, most: u64::MAX }, NeedsNewFolder, "0";
    }
}

/// How the genre of a page can be told.
const GENRE_DETECTORS: &[&str] = &["genre", "genre-9"];

const SHARE: Kind = Kind::Number {
    least: 0.0,
    most: 1.0,
};
const WEIGHT: Kind = Kind::Number {
    least: 0.0,
    most: 1e6,
};
const COUNT: Kind = Kind::Count {
    least: 1,
    most: u64::MAX,
};
const ANY_TIME: Kind = Kind::Time {
    least: Duration::ZERO,
};
const SOME_TIME: Kind = Kind::Time {
    least: Duration::from_millis(1),
};

/// Options that are read but become no field of their own.
static ASIDE: &[OptionSpec] = &[OptionSpec {
    doc: &["A file of URLs to start from, one a line; - for standard input."],
    ..aside("seeds", "seeds", "file", Kind::Path)
}];

const fn aside(name: &'static str, section: &'static str, key: &'static str, kind: Kind) -> OptionSpec {
    OptionSpec {
        name,
        section,
        key,
        kind,
        shape: Shape::Many,
        default: None,
        on_resume: NeedsNewFolder,
        doc: &[],
    }
}

/// Every option there is.
pub fn options() -> impl Iterator<Item = &'static OptionSpec> + Clone {
    KEPT.iter().chain(ASIDE)
}

impl Settings {
    /// The user agent sent with every request.
    pub fn user_agent(&self) -> String {
        let ours = concat!("scenthound/", env!("CARGO_PKG_VERSION"));
        match (&self.crawl.user_agent, &self.crawl.contact) {
            (Some(given), _) => given.clone(),
            (None, Some(contact)) => format!("{ours} (+{contact})"),
            (None, None) => ours.to_owned(),
        }
    }

    /// The settings as a topic file that checks to the same settings, defaults and seeds written out.
    pub fn to_toml(&self) -> String {
        let mut toml =
            "# The settings of this crawl, as checked. A topic file: hound crawl can start from it again.\n"
                .to_owned();
        let mut section = "";
        for (option, values) in self.values() {
            if option.section != section {
                section = option.section;
                toml.push_str(&format!("\n[{section}]\n"));
            }
            let spelled: Vec<String> = values.iter().map(|value| option.kind.spell_toml(value)).collect();
            let value = match (option.shape, spelled.as_slice()) {
                (_, []) => continue,
                (Shape::Many, values) if values.len() > 8 => format!("[\n    {},\n]", values.join(",\n    ")),
                (Shape::Many, values) => format!("[{}]", values.join(", ")),
                (_, [value, ..]) => value.clone(),
            };
            toml.push_str(&format!("{} = {value}\n", option.key));
        }
        toml
    }
}

/// A type that a field of the settings can have.
trait Setting: Sized {
    fn from_value(value: Value) -> Option<Self>;
    fn to_value(&self) -> Value;
}

macro_rules! setting {
    ($($type:ty: $Variant:ident,)+) => { $(
        impl Setting for $type {
            fn from_value(value: Value) -> Option<$type> {
                if let Value::$Variant(value) = value { value.try_into().ok() } else { None }
            }
            fn to_value(&self) -> Value {
                Value::$Variant(self.clone().into())
            }
        }
    )+ };
    ($($type:ty = $from:path, $to:path;)+) => { $(
        impl Setting for $type {
            fn from_value(value: Value) -> Option<$type> {
                if let Value::Text(name) = value { $from(&name) } else { None }
            }
            fn to_value(&self) -> Value {
                Value::Text($to(*self).to_owned())
            }
        }
    )+ };
}

setting! {
    String: Text, u64: Count, u32: Count, u16: Count, u8: Count, f64: Number, bool: Switch, Duration: Time, Pattern: Pattern,
    Language: Language, IpNet: Network, SocketAddr: Address, Url: Proxy, PathBuf: Path, CanonicalUrl: Url,
}
setting! {
    StrategyKind = StrategyKind::from_name, StrategyKind::name;
    JudgeKind = JudgeKind::from_name, JudgeKind::name;
    ScopeKind = ScopeKind::from_name, ScopeKind::name;
    Ties = Ties::from_name, Ties::name;
    SitemapUse = SitemapUse::from_name, SitemapUse::name;
    SeedAssignment = SeedAssignment::from_name, SeedAssignment::name;
    QueryMatch = QueryMatch::from_name, QueryMatch::name;
    Space = Space::from_name, Space::name;
    ParentScore = ParentScore::from_name, ParentScore::name;
    LearnFrom = LearnFrom::from_name, LearnFrom::name;
    Category = Category::from_name, Category::name;
    Parents = parents_from, parents_name;
    Merge = merge_from, merge_name;
}
