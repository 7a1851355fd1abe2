//! The checked settings, and the one list of options they are made from.
//!
//! Each option is one row below: how many values, the field's name and type, its long name on the command line, its key
//! in the topic file, what its values look like, what happens to a resumed crawl when it changes, and the default. The
//! structs, the list, writing and comparing all follow from the rows.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use scenthound_engine::{ScopeKind, SeedAssignment, SitemapUse};
use scenthound_judge::{Calibrate, Combine, JudgeKind, PageText, QueryMatch};
use scenthound_learn::Space;
use scenthound_seeds::search::Category;
use scenthound_strategy::{LearnFrom, ParentScore, StrategyKind, Ties};
use scenthound_types::text::Stemming;
use scenthound_types::{
    AgentId, ArchiveFormat, CanonicalUrl, GENRES, Language, Merge, Parents, RequisiteKind,
};
use url::Url;

use crate::choice::{MERGES, PARENTS, merge_from, merge_name, parents_from, parents_name};
use crate::kind::{Kind, Pattern, Value};
use crate::option::{OnResume::*, OptionSpec, Shape};
use crate::spec::is_used;

/// The valid values, by the long names of their options.
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
            /// What is allowed but probably not intended, in sentences.
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
            /// Makes settings from checked values; `None` if a required one is missing.
            pub(crate) fn from_checked(checked: &mut Checked, warnings: Vec<String>) -> Option<Settings> {
                $( let $section = $Struct {
                    $( $field: settings!(@take $shape checked.remove($name).unwrap_or_default().into_iter()), )*
                }; )*
                Some(Settings { $( $section, )* warnings })
            }

            /// Each option with its values; empty if it has none.
            pub(crate) fn values(&self) -> Vec<(&'static OptionSpec, Vec<Value>)> {
                let values = [ $( $( settings!(@give $shape self.$section.$field), )* )* ];
                let shown = |values: Vec<Value>| values.into_iter().map(without_password).collect();
                KEPT.iter().zip(values.map(shown)).collect()
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
    /// What to look for, in a few words.
    topic: TopicSettings {
        /// The name of the collection.
        one name: String = "topic-name" "name", Kind::Text, NeedsRejudging;
        /// The topic as you would type it into a search engine.
        maybe query: String = "query" "query", Kind::Text, NeedsRejudging;
        /// The language of the terms; its stop words are ignored.
        maybe language: Language = "language" "language", Kind::Language, NeedsRejudging;
    }
    /// The words and phrases to look for.
    terms: TermSettings {
        /// Words typical of the kind of page you want.
        many genre: String = "genre-terms" "genre", Kind::Term, NeedsRejudging;
        /// Words typical of the subject you want.
        many content: String = "content-terms" "content", Kind::Term, NeedsRejudging;
        /// Words expected in the URL.
        many url: String = "url-terms" "url", Kind::Term, NeedsRejudging;
        /// Words of the wrong sense: a page with enough of them is ignored, along with its links, whatever the judge says.
        many exclude: String = "exclude-terms" "exclude", Kind::Term, NeedsRejudging;
        /// How many different exclude terms a page needs to be ignored.
        one min_exclude: u32 = "min-exclude" "min-exclude", Kind::Count { least: 1, most: 1_000_000 }, NeedsRejudging, "1";
    }
    /// Where to start: the URLs given and those of the files given, each once, in this order.
    seeds: SeedSettings {
        /// URLs to start from.
        many urls: CanonicalUrl = "seed-urls" "urls", Kind::Url, NeedsNewFolder;
        /// Get seeds from a search engine: searxng=URL, brave, collection=DIR, …
        many engines: String = "engine" "engines", Kind::Engine, NeedsNewFolder;
        /// The kind of page to ask search engines for [default: web].
        many categories: Category = "category" "categories", Kind::Choice(Category::NAMES), NeedsNewFolder;
        /// How many seeds to take from search engines.
        one count: u64 = "seed-count" "count", Kind::Count { least: 1, most: 1_000 }, NeedsNewFolder, "50";
    }
    /// What counts as relevant.
    judge: JudgeSettings {
        /// How to judge pages; `hound judges` lists judges and settings.
        one kind: JudgeKind = "judge" "kind", Kind::Choice(JudgeKind::NAMES), NeedsRejudging, "topic";
        /// The name of a judge that belongs to the program running the crawl; set by the library.
        maybe custom: String = "custom-judge" "custom", Kind::Text, NeedsRejudging;
        /// The model file, as written by `hound train relevance`.
        maybe model: PathBuf = "model" "model", Kind::Path, NeedsRejudging;
        /// A page with at least this relevance belongs to the collection.
        one threshold: f64 = "threshold" "threshold", SHARE, NeedsRejudging, "0.45";
        /// Judge all words of a page (page), or only its main text, without menus and footers (main).
        one text: PageText = "text" "text", Kind::Choice(PageText::NAMES), NeedsRejudging, "page";
        /// In the lab: how the score of a trained judge becomes its relevance.
        one calibrate: Calibrate = "calibrate" "calibrate", Kind::Choice(Calibrate::NAMES), NeedsRejudging, "platt";
        /// Pages like those you want: URLs, files, archives, crawl folders or lists of these.
        many examples: String = "examples" "examples", Kind::Pages, Allowed;
        /// Go on learning from the pages of the crawl.
        one learn: bool = "learn" "learn", Kind::Switch, NeedsRejudging, "true";
        /// How rare terms are on the web at large, as written by `hound lab background`, instead of the built-in table.
        maybe background: PathBuf = "background" "background", Kind::Path, NeedsRejudging;
        /// Whether a page must contain all words of the query, the words as a phrase, or any of them.
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
        /// Whether a page's similarity to genre and content terms is their mean or the lower of the two (min).
        one combine: Combine = "combine" "combine", Kind::Choice(Combine::NAMES), NeedsRejudging, "mean";
        /// A JSON table of how rare each term is, as written by `hound terms idf`; without it all terms weigh the same.
        maybe idf: PathBuf = "idf" "idf", Kind::Path, NeedsRejudging;
        /// Compare words by their stems: by the language of each page (auto), or always by that of one language (en, pt, …).
        one stem: Stemming = "stem" "stem", Kind::Choice(Stemming::NAMES), NeedsRejudging, "none";
        /// How the genre of a page is detected. A detector with the nine features of paper 2 (genre-9) needs a genre-model of your own.
        one genre_detector: String = "genre-detector" "genre-detector", Kind::Choice(GENRE_DETECTORS), NeedsRejudging, "genre";
        /// A model file for genre detection, as written by `hound train genre`, instead of the built-in one.
        maybe genre_model: PathBuf = "genre-model" "genre-model", Kind::Path, NeedsRejudging;
        /// A list of genre words to count in addition to those the detector knows.
        maybe genre_words: PathBuf = "genre-words" "genre-words", Kind::Path, NeedsRejudging;
    }
    /// Which link to follow next.
    strategy: StrategySettings {
        /// How to rank links; `hound strategies` lists all.
        one kind: StrategyKind = "strategy" "kind", Kind::Choice(StrategyKind::NAMES), NeedsRejudging, "scent";
        /// The name of a strategy that belongs to the program running the crawl; set by the library.
        maybe custom: String = "custom-strategy" "custom", Kind::Text, NeedsNewFolder;
        /// A page must be more relevant than this to pass its score on.
        one change_threshold: f64 = "change-threshold" "change-threshold", SHARE, NeedsRejudging, "0.2";
        /// Which URLs are siblings: those the same page was first to find (first), or all that a page with a link to the URL links to (all).
        one parents: Parents = "parents" "parents", Kind::Choice(PARENTS), NeedsRejudging, "all";
        /// When a URL gets a second score: keep the larger (max) or take the later (set).
        one merge: Merge = "merge" "merge", Kind::Choice(MERGES), NeedsRejudging, "max";
        /// Which link comes first among equal scores: the oldest, a random one, or one from the page with the fewest visited links.
        one ties: Ties = "ties" "ties", Kind::Choice(Ties::NAMES), NeedsRejudging, "fifo";
        /// Weight of the page that contains a link, against the words around the link.
        one page_weight: f64 = "page-weight" "page-weight", SHARE, NeedsNewFolder, "0.25";
        /// How much a page's relevance raises or lowers the cash it passes on (the paper's a).
        one revision: f64 = "revision" "revision", Kind::Number { least: 0.001, most: 1000.0 }, NeedsNewFolder, "0.85";
        /// An odd number (the paper's d): the larger, the less undecided pages change their cash.
        one revision_power: u32 = "revision-power" "revision-power", Kind::Count { least: 1, most: 99 }, NeedsNewFolder, "3";
        /// After this many pages, fetch the visited page with the most cash again; 0 for never.
        one recrawl_every: u32 = "recrawl-every" "recrawl-every", Kind::Count { least: 0, most: 1_000_000_000 },
            NeedsNewFolder, "500";
        /// After this many pages, fetch the visited page with the most cash again, so that pages have a history; 0 for each page once.
        one history_every: u32 = "history-every" "history-every", Kind::Count { least: 0, most: 1_000_000_000 },
            NeedsNewFolder, "0";
        /// What is left of an inherited score after one more link.
        one decay: f64 = "decay" "decay", SHARE, NeedsNewFolder, "0.5";
        /// Weight of the inherited score, against the words in and around the link.
        one inherited_weight: f64 = "inherited-weight" "inherited-weight", SHARE, NeedsNewFolder, "0.5";
        /// Weight of the link's own words, against those around it.
        one anchor_weight: f64 = "anchor-weight" "anchor-weight", SHARE, NeedsNewFolder, "0.8";
        /// How many irrelevant pages in a row to follow; links beyond that wait until nothing else is left.
        one fish_depth: u8 = "fish-depth" "fish-depth", Kind::Count { least: 0, most: 255 }, NeedsNewFolder, "3";
        /// How many links of an irrelevant page to follow first; of a relevant page, half as many again.
        one fish_width: u32 = "fish-width" "fish-width", Kind::Count { least: 1, most: 1_000_000 }, NeedsNewFolder, "30";
        /// Weight of the page's relevance; the rest is the weight of where links on pages of its genre lead.
        one relevance_weight: f64 = "relevance-weight" "relevance-weight", SHARE, NeedsNewFolder, "0.95";
        /// A table of how often links on pages of each genre lead to relevant pages, to start from.
        maybe pig: PathBuf = "pig" "pig", Kind::Path, NeedsNewFolder;
        /// Keep that table as it is; otherwise the crawl goes on counting.
        one pig_fixed: bool = "pig-fixed" "pig-fixed", Kind::Switch, NeedsNewFolder, "false";
        /// The model of how far pages are from a target, as written by `hound train layers`.
        maybe layers: PathBuf = "layers" "layers", Kind::Path, NeedsRejudging;
        /// Learn layers from the crawl itself after this many relevant pages, and again each time their number doubles.
        /// Three are enough once a hundred pages in a row are not relevant.
        maybe learn_after: u32 = "learn-after" "learn-after", Kind::Count { least: 2, most: 1_000_000 }, NeedsNewFolder;
        /// How to rank links until layers are learnt.
        one learn_from: LearnFrom = "learn-from" "learn-from", Kind::Choice(LearnFrom::NAMES), NeedsNewFolder, "best-first";
        /// A link whose words are more similar to the query than this comes before all others.
        one hot_threshold: f64 = "hot-threshold" "hot-threshold", SHARE, NeedsRejudging, "0.2";
        /// In the lab: a page whose likeliest layer is less likely than this belongs to none.
        one layer_threshold: f64 = "layer-threshold" "layer-threshold", SHARE, NeedsRejudging, "0.5";
        /// In the lab: how many words of a page count in full [default: what fits held-out pages best].
        maybe layer_evidence: f64 = "layer-evidence" "layer-evidence", Kind::Number { least: 0.1, most: 100_000.0 }, NeedsRejudging;
        /// In the lab: the share of pages of the layers that may be taken for pages outside them; 0 to learn from the layers alone.
        one layer_missed: f64 = "layer-missed" "layer-missed", SHARE, NeedsRejudging, "0.1";
        /// In the lab: how many pages of each layer beyond the targets to learn from.
        one per_layer: u32 = "per-layer" "per-layer", Kind::Count { least: 1, most: 1_000_000_000 }, NeedsRejudging, "200";
        /// Move a URL that is found again to a better queue.
        one replace: bool = "replace" "replace", Kind::Switch, NeedsNewFolder, "false";
        /// How many words the table has, or starts with if it grows.
        one table_size: u32 = "table-size" "table-size", Kind::Count { least: 0, most: 100_000 }, NeedsNewFolder, "50";
        /// Each page similar enough adds this share of table-size in words of its own; 0 for a fixed table.
        one table_adds: f64 = "table-adds" "table-adds", SHARE, NeedsNewFolder, "0";
        /// A page at least this similar to the table adds words.
        one table_adds_from: f64 = "table-adds-from" "table-adds-from", SHARE, NeedsNewFolder, "0.6";
        /// How many words the table may grow to.
        one table_ceiling: u32 = "table-ceiling" "table-ceiling", Kind::Count { least: 1, most: 100_000 }, NeedsNewFolder, "1000";
        /// Compare all of a page's words with the table (union), or only those the table holds (table).
        one table_space: Space = "table-space" "table-space", Kind::Choice(Space::NAMES), NeedsNewFolder, "union";
        /// How to combine the scores of several pages that link to one URL.
        one table_parents: ParentScore = "table-parents" "table-parents", Kind::Choice(ParentScore::NAMES), NeedsNewFolder, "sum";
        /// How many different words to count; the rarest are dropped.
        one table_vocabulary: u32 = "table-vocabulary" "table-vocabulary", Kind::Count { least: 1_000, most: 10_000_000 },
            NeedsNewFolder, "200000";
        /// When the table has grown, score waiting links again at most once per this many pages.
        one table_rescore_every: u32 = "table-rescore-every" "table-rescore-every", Kind::Count { least: 1, most: 1_000_000 },
            NeedsNewFolder, "100";
        /// Weight of the topic's words in a link's score.
        one link_topic_weight: f64 = "link-topic-weight" "link-topic-weight", WEIGHT, NeedsNewFolder, "1";
        /// Weight of the words of the genres chosen with --genre: 1 and 1 give a sum, weights that add up to 1 a mean.
        one link_genre_weight: f64 = "link-genre-weight" "link-genre-weight", WEIGHT, NeedsNewFolder, "1";
        /// A list of the words of links to pages of each genre, in addition to or instead of the built-in ones.
        maybe link_words: PathBuf = "link-words" "link-words", Kind::Path, NeedsNewFolder;
        /// Learn the classifier of links anew after this many pages.
        one ache_batch: u32 = "ache-batch" "ache-batch", Kind::Count { least: 1, most: 1_000_000 }, NeedsNewFolder, "100";
        /// How much a group of links gains from having been tried rarely (the publication's α).
        one bandit_explore: f64 = "bandit-explore" "bandit-explore", Kind::Number { least: 0.0, most: 1000.0 }, NeedsNewFolder, "2.83";
        /// The distance from the last relevant page beyond which links wait until nothing else is left (the publication's C).
        one tunnel_cutoff: f64 = "tunnel-cutoff" "tunnel-cutoff", Kind::Number { least: 0.1, most: 1000.0 }, NeedsNewFolder, "20";
        /// The share of visits that go to the link that has waited longest, whatever its score.
        one explore: f64 = "explore" "explore", SHARE, NeedsNewFolder, "0.2";
    }
    /// How far, how fast and how politely.
    crawl: CrawlSettings {
        /// Stop after this many pages, failed ones included.
        maybe max_pages: u64 = "max-pages" "max-pages", COUNT, Allowed;
        /// Stop after this long, summed over resumes.
        maybe max_time: Duration = "max-time" "max-time", Kind::Time { least: Duration::from_secs(1) }, Allowed;
        /// Stop after downloading this many bytes.
        maybe max_bytes: u64 = "max-bytes" "max-bytes", Kind::Size, Allowed;
        /// Stop when, for certain, recent pages bring a smaller share of relevant ones than this: 0.01 for one in a hundred.
        maybe least_yield: f64 = "least-yield" "least-yield", SHARE, Allowed;
        /// Stop when, for certain, this share of the relevant pages that can be found has been found: 0.9 for nine in ten.
        maybe enough: f64 = "enough" "enough", SHARE, Allowed;
        /// Follow links at most this far from a seed.
        maybe depth: u16 = "depth" "depth", Kind::Count { least: 0, most: 65_535 }, AllowedFromHere;
        /// Follow links at most this far into a host, from the page where the crawl entered it.
        maybe site_depth: u16 = "site-depth" "site-depth", Kind::Count { least: 0, most: 1_000 }, AllowedFromHere;
        /// Follow at most this many links per page.
        maybe width: u32 = "width" "width", Kind::Count { least: 1, most: 1_000_000 }, AllowedFromHere;
        /// Fetch at most this many pages per host.
        maybe max_pages_per_host: u32 = "max-pages-per-host" "max-pages-per-host",
            Kind::Count { least: 1, most: u32::MAX as u64 }, Allowed;
        /// Fetch at most this many pages of a host that brings nothing relevant, or a tenth of the crawl; hosts of seeds are exempt.
        one host_allowance: u32 = "host-allowance" "host-allowance", Kind::Count { least: 20, most: 1_000_000_000 }, Allowed, "500";
        /// Fetch at most this many pages with URLs of one pattern that bring nothing relevant, or a twentieth of the crawl; on hosts of seeds, five times as many.
        one pattern_allowance: u32 = "pattern-allowance" "pattern-allowance", Kind::Count { least: 4, most: 100_000_000 }, Allowed, "100";
        /// Fetch at most this many pages of any host, or half of the crawl; on hosts of seeds, five times as many.
        one host_limit: u32 = "host-limit" "host-limit", Kind::Count { least: 20, most: 1_000_000_000 }, Allowed, "20000";
        /// Follow links to at most this many new hosts per page.
        one new_hosts_per_page: u32 = "new-hosts-per-page" "new-hosts-per-page", Kind::Count { least: 1, most: 1_000_000 }, Allowed, "256";
        /// Follow links to at most this many hosts of one domain, and four more for each relevant page found there.
        one new_hosts_per_domain: u32 = "new-hosts-per-domain" "new-hosts-per-domain", Kind::Count { least: 1, most: 1_000_000_000 }, Allowed, "64";
        /// Do without the defence against endless sites: the allowances, the learnt parameters and paths in circles.
        one allow_traps: bool = "allow-traps" "allow-traps", Kind::Switch, Allowed, "false";
        /// Treat a page that repeats another like any page: count it and follow its links.
        one follow_duplicates: bool = "follow-duplicates" "follow-duplicates", Kind::Switch, AllowedFromHere, "false";
        /// Do not fetch or read documents: PDF, DOCX and ODT files.
        one skip_documents: bool = "skip-documents" "skip-documents", Kind::Switch, AllowedFromHere, "false";
        /// Also fetch what pages need to be shown as they are: images, styles, scripts.
        many requisites: RequisiteKind = "requisites" "requisites", Kind::Choice(RequisiteKind::NAMES), AllowedFromHere;
        /// Fetch at most this many of these files.
        one max_requisites: u64 = "max-requisites" "max-requisites", Kind::Count { least: 0, most: u64::MAX }, Allowed, "10000";
        /// The format of the archive: .warc.gz (gz), or .warc.zst (zst), which is written faster and which few other tools read.
        one archive: ArchiveFormat = "archive" "archive", Kind::Choice(ArchiveFormat::NAMES), NeedsNewFolder, "gz";
        /// Do not index the text of pages for hound search while crawling.
        one skip_index: bool = "skip-index" "skip-index", Kind::Switch, Allowed, "false";
        /// Which links to follow: any, domain, host or prefix.
        one scope: ScopeKind = "scope" "scope", Kind::Choice(ScopeKind::NAMES), NeedsNewFolder, "any";
        /// Follow only URLs that match one of these.
        many include: Pattern = "include" "include", Kind::Pattern, NeedsNewFolder;
        /// Never follow URLs that match one of these.
        many exclude: Pattern = "exclude" "exclude", Kind::Pattern, NeedsNewFolder;
        /// Keep only pages in these languages.
        many lang: Language = "lang" "lang", Kind::Language, NeedsNewFolder;
        /// Prefer this kind of page: blog, course, forum, guide, news, shop, …
        many genres: String = "genre" "genres", Kind::Choice(GENRES), NeedsRejudging;
        /// Wait this long between two requests to a host.
        one delay: Duration = "delay" "delay", ANY_TIME, Allowed, "1s";
        /// Wait this long between two requests to one IP address, whichever host they are for.
        one ip_delay: Duration = "ip-delay" "ip-delay", ANY_TIME, Allowed, "250ms";
        /// The longest Crawl-delay to obey; longer ones are cut to this.
        one max_delay: Duration = "max-delay" "max-delay", ANY_TIME, Allowed, "60s";
        /// The most requests to make at a time; politeness usually allows fewer.
        one concurrency: u32 = "concurrency" "concurrency", Kind::Count { least: 1, most: 10_000 }, Allowed, "1024";
        /// How many requests to make to one host at a time.
        one connections_per_host: u16 = "connections-per-host" "connections-per-host",
            Kind::Count { least: 1, most: 64 }, Allowed, "1";
        /// How many times to retry a request after a temporary failure.
        one retries: u8 = "retries" "retries", Kind::Count { least: 0, most: 100 }, Allowed, "2";
        /// How many redirects in a row to follow.
        one redirects: u8 = "redirects" "redirects", Kind::Count { least: 0, most: 100 }, Allowed, "10";
        /// The user agent to send instead of scenthound/VERSION (+contact).
        maybe user_agent: String = "user-agent" "user-agent", Kind::Header, Allowed;
        /// Where site owners can reach you: a web page or an e-mail address.
        maybe contact: String = "contact" "contact", Kind::Contact, Allowed;
        /// Do not fetch or obey robots.txt.
        one ignore_robots: bool = "ignore-robots" "ignore-robots", Kind::Switch, AllowedFromHere, "false";
        /// Follow links marked nofollow.
        one follow_nofollow: bool = "follow-nofollow" "follow-nofollow", Kind::Switch, AllowedFromHere, "false";
        /// Which sitemaps to read: none (off), those of the seeds' hosts, or all.
        one sitemaps: SitemapUse = "sitemaps" "sitemaps", Kind::Choice(SitemapUse::NAMES), AllowedFromHere, "seeds";
        /// Allow requests to this private network; all are refused by default.
        many allow_net: IpNet = "allow-net" "allow-net", Kind::Network, Allowed;
        /// The DNS server to use instead of the system's.
        maybe resolver: SocketAddr = "resolver" "resolver", Kind::Resolver, Allowed;
        /// The proxy for all requests. Names are still looked up here, so that private addresses can be refused.
        maybe proxy: Url = "proxy" "proxy", Kind::Proxy, Allowed;
        /// A PEM file of certificates to trust in addition to the usual ones.
        maybe ca_file: PathBuf = "ca-file" "ca-file", Kind::Path, Allowed;
        /// The longest wait for a connection.
        one connect_timeout: Duration = "connect-timeout" "connect-timeout", SOME_TIME, Allowed, "10s";
        /// The longest wait for the first byte of a response.
        one first_byte_timeout: Duration = "first-byte-timeout" "first-byte-timeout", SOME_TIME, Allowed, "20s";
        /// The longest wait for a whole response.
        one body_timeout: Duration = "body-timeout" "body-timeout", SOME_TIME, Allowed, "60s";
        /// Cut off responses slower than this.
        one slowest_rate: u64 = "slowest-rate" "slowest-rate", Kind::Rate, Allowed, "100B/s";
        /// Cut off pages at this size, after decompression.
        one max_page_bytes: u64 = "max-page-bytes" "max-page-bytes", Kind::Size, Allowed, "8MB";
        /// Cut off responses at this size, as sent.
        one max_wire_bytes: u64 = "max-wire-bytes" "max-wire-bytes", Kind::Size, Allowed, "8MB";
        /// Hold at most this much of large pages in memory at a time, over all requests.
        one bytes_in_flight: u64 = "bytes-in-flight" "bytes-in-flight", Kind::Size, Allowed, "512MB";
        /// Near this much memory let the least promising links wait on the disk, or make fewer requests at a time; if nothing
        /// helps, save and stop. By default, three quarters of what the machine or the container has.
        maybe max_memory: u64 = "max-memory" "max-memory", Kind::Size, Allowed;
        /// Draw this many of the best links at once and visit all of them before drawing again; 0 for one at a time. By default,
        /// what the strategy was published with: 50 for otie, 0 for the others.
        maybe list_size: u32 = "list-size" "list-size", Kind::Count { least: 0, most: 1_000_000 }, NeedsNewFolder;
        /// How many agents crawl, each with its own seeds, strategy and queue.
        one agents: u8 = "agents" "agents", Kind::Count { least: 1, most: AgentId::MOST as u64 }, NeedsNewFolder, "1";
        /// How seeds are assigned to agents: evenly, by host or by genre.
        one assign_seeds: SeedAssignment = "assign-seeds" "assign-seeds", Kind::Choice(SeedAssignment::NAMES), NeedsNewFolder, "even";
        /// Stop when this many relevant pages are found; with several agents, each stops at its own.
        maybe goal: u64 = "goal" "goal", COUNT, Allowed;
        /// How many requests one agent may make at a time.
        maybe agent_requests: u32 = "agent-requests" "agent-requests", Kind::Count { least: 1, most: 10_000 }, Allowed;
        /// Pass the unused share of --max-pages of a stopped agent on to the others.
        one redistribute: bool = "redistribute" "redistribute", Kind::Switch, Allowed, "false";
        /// Forget links that have waited longer than this; they may be found again.
        maybe expire_after: Duration = "expire-after" "expire-after", SOME_TIME, Allowed;
        /// Forget links that have waited while this many pages were fetched; they may be found again.
        maybe expire_after_pages: u64 = "expire-after-pages" "expire-after-pages", COUNT, Allowed;
        /// Keep at most about this many links waiting; the worst are forgotten.
        maybe max_waiting: u64 = "max-waiting" "max-waiting", Kind::Count { least: 1_000, most: u64::MAX }, Allowed;
        /// The random seed: the same seed, web and settings give the same crawl.
        one seed: u64 = "seed" "seed", Kind::Count { least: 0, most: u64::MAX }, NeedsNewFolder, "0";
    }
}

/// How the genre of a page can be detected.
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

/// Options that are read but do not become fields of their own.
static ASIDE: &[OptionSpec] = &[OptionSpec {
    doc: &["A file of URLs to start from, one per line; - for standard input."],
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

/// All options.
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

    /// The settings as a topic file that gives the same settings again, with defaults and seeds written out. Only the
    /// password of a proxy is left out.
    pub fn to_toml(&self) -> String {
        let mut toml =
            "# The checked settings of this crawl. This is a topic file: hound crawl can start a new crawl from it.\n"
                .to_owned();
        let mut section = "";
        for (option, values) in self.values() {
            if matches!(option.section, "strategy" | "judge")
                && !is_used(option, self.strategy.kind, self.judge.kind)
            {
                continue;
            }
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

/// The value without the password of a proxy, which is neither written to a file nor shown.
fn without_password(value: Value) -> Value {
    match value {
        Value::Proxy(mut url) if url.password().is_some() => {
            // A URL that has a password can do without.
            let _ = url.set_password(None);
            Value::Proxy(url)
        }
        value => value,
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
    Combine = Combine::from_name, Combine::name;
    Calibrate = Calibrate::from_name, Calibrate::name;
    Stemming = Stemming::from_name, Stemming::name;
    RequisiteKind = RequisiteKind::from_name, RequisiteKind::name;
    ArchiveFormat = ArchiveFormat::from_name, ArchiveFormat::name;
    PageText = PageText::from_name, PageText::name;
    QueryMatch = QueryMatch::from_name, QueryMatch::name;
    Space = Space::from_name, Space::name;
    ParentScore = ParentScore::from_name, ParentScore::name;
    LearnFrom = LearnFrom::from_name, LearnFrom::name;
    Category = Category::from_name, Category::name;
    Parents = parents_from, parents_name;
    Merge = merge_from, merge_name;
}
