//! From a response to a processed page: parse, judge, apply the page's and the user's rules, keep the links that may be
//! followed.
//!
//! A processor is made once per crawl and shared by all workers. It holds no state that changes, so the order in which
//! responses reach it does not matter. [`PageRules`] are the part of it that needs no bytes: the lab applies them to pages
//! that have already been parsed and judged.
//!
//! **Invariant:** live crawls, replays, rejudging and explaining all decide here what a response amounts to. Nothing else
//! reads directives, filters languages or selects links.

use std::sync::Arc;

use scenthound_judge::{Judge, PageText, SnippetScorer, WrongSense};
use scenthound_parse::{Limits, PageInput, Sitemap, SitemapLimits};
use scenthound_strategy::Needs;
use scenthound_types::text::{Language, StopList, Token};
use scenthound_types::{
    CanonicalUrl, Evidence, Judgement, Keyring, Lease, LeaseKind, Link, LinkPlace, LinkSource, LinkTokens,
    Outcome, PageWords, ParsedPage, Requisite, RequisiteKind, SkippedLinks, SnippetScores, TermSet,
    Timestamp, UrlWords, Verdict, media_type,
};

use crate::access::{PRODUCT_TOKEN, find_rules};
use crate::lease_result::{Found, FoundLink, ProcessedPage, SitemapFinds};
use crate::scope::{OutOfScope, Scope};

/// The settings of a page processor.
#[derive(Clone, Debug)]
pub struct PageSettings {
    /// Which URLs belong to the crawl.
    pub scope: Scope,
    /// How many links away from a seed URLs are still followed.
    pub max_depth: Option<u16>,
    /// How many links away from the page where the crawl entered a host its URLs are still followed.
    pub max_site_depth: Option<u16>,
    /// How many links of one page are followed.
    pub width: Option<u32>,
    /// Whether to ignore nofollow, both of single links and of whole pages.
    pub follow_nofollow: bool,
    /// Languages wanted; empty for all. A page whose language is unknown passes.
    pub languages: Vec<Language>,
    /// Words of the wrong sense; a page with enough of them is ignored together with its links.
    pub wrong_sense: Option<Arc<WrongSense>>,
    /// Which of the files that pages need to be shown are wanted.
    pub requisites: Vec<RequisiteKind>,
    /// The parser's limits.
    pub limits: Limits,
}

impl Default for PageSettings {
    /// Only the parser's limits apply, as is the default in the lab.
    fn default() -> PageSettings {
        PageSettings {
            scope: Scope::default(),
            max_depth: None,
            max_site_depth: None,
            width: None,
            follow_nofollow: true,
            languages: Vec::new(),
            wrong_sense: None,
            requisites: Vec::new(),
            limits: Limits::default(),
        }
    }
}

impl PageSettings {
    /// Whether any link of any page could be skipped.
    fn can_skip_links(&self) -> bool {
        let is_open = self.scope.is_everything() && self.follow_nofollow;
        !is_open || self.max_depth.is_some() || self.max_site_depth.is_some() || self.width.is_some()
    }

    fn is_unwanted(&self, language: Option<Language>) -> bool {
        !self.languages.is_empty() && language.is_some_and(|language| !self.languages.contains(&language))
    }

    /// The links of a page that may be followed, with their positions among all links; counts the others.
    fn select_links<'p>(
        &self,
        lease: &Lease,
        page: &'p ParsedPage,
        skipped: &mut SkippedLinks,
    ) -> impl Iterator<Item = (usize, &'p Link)> {
        let nofollow_page = page.directives.nofollow;
        let too_deep = self.max_depth.is_some_and(|most| lease.depth >= most);
        let deep_in_site = self.max_site_depth.is_some_and(|most| lease.site_depth >= most);
        let site = page.url.authority();
        let width = self.width.unwrap_or(u32::MAX) as usize;
        let mut kept = 0;
        page.links.iter().enumerate().filter(move |(_, link)| {
            if (nofollow_page || link.rel.nofollow) && !self.follow_nofollow {
                skipped.nofollow += 1;
            } else if too_deep || (deep_in_site && link.url.authority() == site) {
                skipped.depth += 1;
            } else if let Err(why) = self.scope.check(&link.url) {
                match why {
                    OutOfScope::FileEnding | OutOfScope::Document => skipped.file_ending += 1,
                    OutOfScope::Elsewhere
                    | OutOfScope::NotIncluded
                    | OutOfScope::Excluded
                    | OutOfScope::Circular => skipped.scope += 1,
                }
            } else if kept >= width {
                skipped.width += 1;
            } else {
                kept += 1;
                return true;
            }
            false
        })
    }
}

/// Scores the words at the links of a page.
pub struct LinkScorer<'j> {
    judge: &'j dyn Judge,
    /// What the judge knows now, if that changes.
    snippets: Option<Box<SnippetScorer>>,
}

impl<'j> LinkScorer<'j> {
    /// Scores by what the judge knows now.
    pub fn new(judge: &'j dyn Judge) -> LinkScorer<'j> {
        LinkScorer {
            judge,
            snippets: judge.snippets(),
        }
    }

    fn snippet(&self, words: &[Token]) -> f32 {
        match &self.snippets {
            Some(score) => score(words),
            None => self.judge.snippet(words),
        }
    }

    fn url(&self, words: &[Token]) -> f32 {
        match &self.snippets {
            Some(score) => score(words),
            None => self.judge.url_snippet(words),
        }
    }

    /// How relevant the words at a link are, given those of its URL; of several links to one URL the best counts.
    pub fn score(&self, page: &ParsedPage, link: &Link, url: UrlWords<'_>) -> SnippetScores {
        let mut scores = SnippetScores {
            anchor: 0.0,
            around: 0.0,
            url: self.url(url.whole),
        };
        for words in link.all_words() {
            let anchor = self.snippet(page.text.run(&words.anchor));
            let title = self.snippet(page.asides.run(&words.title));
            scores.anchor = scores.anchor.max(anchor).max(title);
            scores.around = scores.around.max(self.snippet(page.text.run(&words.around)));
        }
        scores
    }
}

impl std::fmt::Debug for LinkScorer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LinkScorer").finish_non_exhaustive()
    }
}

/// A link's place in the context graph by its own words, or, if it has none, by those of its title and images; of several links
/// to one URL the best counts. None if the judge has no context graph.
pub fn link_place(judge: &dyn Judge, page: &ParsedPage, link: &Link) -> Option<LinkPlace> {
    let places = link.all_words().filter_map(|words| {
        let anchor = page.text.run(&words.anchor);
        judge.place(if anchor.iter().any(|token| token.is_word()) {
            anchor
        } else {
            page.asides.run(&words.title)
        })
    });
    places.min_by(|a, b| {
        let order = |place: &LinkPlace| (!place.is_hot, place.layer);
        order(a)
            .cmp(&order(b))
            .then(b.similarity.total_cmp(&a.similarity))
    })
}

/// The words at all links to one URL, without stop words: of anchors and their titles, of the surrounding sentences, and of the
/// URL.
pub fn link_evidence(page: &ParsedPage, link: &Link) -> Evidence {
    let stops = StopList::of_text(page.language);
    let hashes = |tokens: &[Token]| {
        tokens
            .iter()
            .filter(|token| token.is_word() && !stops.contains(**token))
            .map(|token| token.hash())
            .collect::<Vec<u64>>()
    };
    let (mut anchor, mut around) = (Vec::new(), Vec::new());
    for words in link.all_words() {
        anchor.extend(hashes(page.text.run(&words.anchor)));
        anchor.extend(hashes(page.asides.run(&words.title)));
        around.extend(hashes(page.text.run(&words.sentence)));
    }
    Evidence::of_words(anchor, around, hashes(&page.url_words(link.url.as_str())))
}

/// The words at a link as short hashes: of the anchor and its title, around the anchor without stop words, and of the URL.
pub fn link_tokens(page: &ParsedPage, link: &Link, url: UrlWords<'_>) -> LinkTokens {
    let stops = page.language.map(StopList::of);
    fn short(token: &Token) -> u32 {
        (token.hash() >> 32) as u32
    }
    fn words(tokens: &[Token]) -> impl Iterator<Item = u32> {
        tokens.iter().filter(|token| token.is_word()).map(short)
    }
    let anchor = words(page.text.run(&link.anchor)).chain(words(page.asides.run(&link.title)));
    let anchor: Vec<u32> = anchor.collect();
    let around = page.text.run(&link.around).iter();
    let around = around
        .filter(|token| token.is_word() && !stops.is_some_and(|stops| stops.contains(**token)))
        .map(short)
        .filter(|word| !anchor.contains(word));
    LinkTokens::new(anchor.iter().copied(), around, words(url.after_origin))
}

/// The words of a page, without stop words.
pub fn page_words(page: &ParsedPage) -> PageWords {
    let stops = StopList::of_text(page.language);
    PageWords::count(
        (0..)
            .zip(page.text.tokens())
            .filter(|(_, token)| token.is_word() && !stops.contains(**token))
            .map(|(position, token)| (token.hash(), page.text.spelling(position))),
    )
}

/// What a judge makes of the words at one link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkOpinion {
    /// How relevant the words around it are, for strategies that need it.
    pub snippets: Option<SnippetScores>,
    /// Its place among the links of a context graph, for strategies that need it.
    pub place: Option<LinkPlace>,
}

/// The rules applied to a page after it has been parsed and judged: the language filter, words of the wrong sense, robots
/// directives and the limits on links.
#[derive(Clone, Debug)]
pub struct PageRules {
    settings: PageSettings,
    needs: Needs,
    keyring: Keyring,
}

impl PageRules {
    /// The rules of a crawl with these settings, for strategies with these needs.
    pub fn new(settings: PageSettings, needs: Needs, keyring: Keyring) -> PageRules {
        PageRules {
            settings,
            needs,
            keyring,
        }
    }

    /// Whether the rules look at the page itself. If not, only its judgement and its links matter:
    /// [`ProcessedPage::of_links`] then gives the same result as [`PageRules::apply`] without reading any words.
    pub fn need_page(&self) -> bool {
        self.settings.can_skip_links()
            || self.settings.wrong_sense.is_some()
            || !self.settings.languages.is_empty()
            || self.needs.words
            || self.needs.evidence
            || self.needs.paths
    }

    /// What the strategies need.
    pub fn needs(&self) -> &Needs {
        &self.needs
    }

    /// Applies the rules to a page whose directives are complete. `opinion` is called for each link that may be followed,
    /// with the link's position among all links of the page and the words of its URL.
    pub fn apply(
        &self,
        lease: &Lease,
        page: ParsedPage,
        mut judgement: Judgement,
        opinion: impl Fn(usize, &ParsedPage, &Link, UrlWords<'_>) -> LinkOpinion,
    ) -> ProcessedPage {
        let mut skipped = SkippedLinks::default();
        let review = self.review(&page, &mut judgement);
        let all_links = u32::try_from(page.links.len()).unwrap_or(u32::MAX);
        // No links of an ignored page are followed, and no strategy learns from it.
        let links = if review.wrong_sense {
            skipped.wrong_sense = all_links;
            Vec::new()
        } else if review.unwanted_language {
            skipped.unwanted_language = all_links;
            Vec::new()
        } else {
            self.followable(lease, &page, opinion, &mut skipped)
        };
        let is_used = !review.unwanted_language && !review.wrong_sense;
        ProcessedPage {
            lesson: None,
            sample: crate::traps::sample(&page),
            words: (self.needs.words && is_used).then(|| Box::new(page_words(&page))),
            title: page.title,
            language: page.language,
            judgement,
            is_revised: false,
            links,
            skipped,
            directives: page.directives,
            canonical: page.canonical,
            requisites: Vec::new(),
            length: page.text.len(),
            duplicate_of: None,
            is_copy: false,
            fingerprint: page.fingerprint,
            encoding: page.encoding,
            unwanted_language: review.unwanted_language,
            wrong_sense: review.wrong_sense,
            unread: page.unread,
        }
    }

    /// Makes a page irrelevant, whatever its judgement was, if its language is unwanted or it uses the words in the wrong
    /// sense. In the second case the judgement then names those words.
    fn review(&self, page: &ParsedPage, judgement: &mut Judgement) -> Review {
        let excluded = self
            .settings
            .wrong_sense
            .as_ref()
            .and_then(|sense| sense.of(page));
        let review = Review {
            unwanted_language: self.settings.is_unwanted(page.language),
            wrong_sense: excluded.is_some(),
        };
        if review.unwanted_language || review.wrong_sense {
            judgement.relevance = 0.0;
            judgement.verdict = Verdict::Irrelevant;
        }
        if let Some(hits) = excluded {
            let terms = &mut judgement.parts.terms;
            terms.retain(|hit| hit.set != TermSet::Exclude);
            terms.extend(hits);
        }
        review
    }

    fn followable(
        &self,
        lease: &Lease,
        page: &ParsedPage,
        opinion: impl Fn(usize, &ParsedPage, &Link, UrlWords<'_>) -> LinkOpinion,
        skipped: &mut SkippedLinks,
    ) -> Vec<FoundLink> {
        let followed = self.settings.select_links(lease, page, skipped);
        let mut urls = page.link_url_words();
        let reads_urls = self.needs.snippets || self.needs.notes;
        followed
            .map(|(at, link)| {
                let url = if reads_urls {
                    urls.of(&link.url)
                } else {
                    UrlWords::default()
                };
                let LinkOpinion { snippets, place } = opinion(at, page, link, url);
                FoundLink {
                    key: self.keyring.key(&link.url),
                    url: link.url.clone(),
                    path: link.path,
                    snippets,
                    place,
                    evidence: self.needs.evidence.then(|| Box::new(link_evidence(page, link))),
                    tokens: self.needs.notes.then(|| Arc::new(link_tokens(page, link, url))),
                }
            })
            .collect()
    }

    /// Keeps the listed URLs that belong to the crawl.
    fn select_listed(&self, sitemap: Sitemap) -> SitemapFinds {
        // What a sitemap lists is one step away from the seeds, as a seed's links are.
        let reaches = self.settings.max_depth != Some(0);
        let urls = sitemap.pages.into_iter().map(|entry| entry.url);
        SitemapFinds {
            pages: urls
                .filter(|url| reaches && self.settings.scope.check(url).is_ok())
                .map(|url| FoundLink::plain(url, self.keyring))
                .collect(),
            sitemaps: sitemap.sitemaps,
        }
    }
}

/// Whether a response is a style sheet.
fn is_style(content_type: Option<&str>) -> bool {
    let named = content_type.and_then(media_type);
    named.is_some_and(|kind| kind.eq_ignore_ascii_case("text/css"))
}

/// Why a page is ignored, if it is.
#[derive(Clone, Copy)]
struct Review {
    unwanted_language: bool,
    wrong_sense: bool,
}

/// A response as a driver received it, for any kind of lease.
#[derive(Clone, Copy, Debug, Default)]
pub struct Response<'a> {
    /// The content type as the server named it.
    pub content_type: Option<&'a str>,
    /// The values of X-Robots-Tag.
    pub x_robots_tag: &'a [String],
    /// The value of Refresh.
    pub refresh: Option<&'a str>,
    /// The body, with any content encoding removed.
    pub body: &'a [u8],
}

/// Adds the link that a Refresh header names, as if it stood in the page.
fn add_refresh(url: &CanonicalUrl, refresh: &str, page: &mut ParsedPage) {
    let target = scenthound_parse::refresh_target(refresh).and_then(|target| url.join(target).ok());
    if let Some(target) = target
        && target != *url
        && page.links.iter().all(|link| link.url != target)
    {
        page.links.push(Link::bare(target, LinkSource::Refresh));
    }
}

/// Turns responses into what was found in them.
pub struct PageProcessor {
    judge: Arc<dyn Judge>,
    rules: PageRules,
}

impl PageProcessor {
    /// A processor with this judge, for strategies with these needs.
    pub fn new(
        judge: Arc<dyn Judge>,
        needs: Needs,
        keyring: Keyring,
        settings: PageSettings,
    ) -> PageProcessor {
        PageProcessor {
            judge,
            rules: PageRules::new(settings, needs, keyring),
        }
    }

    /// A processor that only judges pages.
    pub fn of_judge(judge: Arc<dyn Judge>, keyring: Keyring, settings: PageSettings) -> PageProcessor {
        PageProcessor::new(judge, Needs::default(), keyring, settings)
    }

    /// What was found in the response to a lease: a page, a sitemap or a host's rules, depending on its kind.
    pub fn process(
        &self,
        lease: &Lease,
        outcome: &Outcome,
        response: &Response<'_>,
        now: Timestamp,
    ) -> Found {
        self.process_in_steps(lease, outcome, response, now, &|| {})
    }

    /// The same, for a caller that wants to know when a page has been parsed and is about to be judged.
    pub fn process_in_steps(
        &self,
        lease: &Lease,
        outcome: &Outcome,
        response: &Response<'_>,
        now: Timestamp,
        parsed: &dyn Fn(),
    ) -> Found {
        match (lease.kind, outcome) {
            (LeaseKind::Robots, _) => find_rules(lease, outcome, response.body, now),
            (LeaseKind::Page, Outcome::Body { truncated, .. }) => {
                let page = self.parse(&lease.url, response, truncated.is_some());
                parsed();
                let mut page = self.judge_parsed(lease, page);
                if !page.is_set_aside() {
                    page.requisites = self.requisites(lease, response, scenthound_parse::requisites_of_page);
                }
                Found::Page(Box::new(page))
            }
            (LeaseKind::Sitemap, Outcome::Body { .. }) => {
                let sitemap = Sitemap::parse(response.body, &lease.url, &SitemapLimits::default());
                Found::Sitemap(self.rules.select_listed(sitemap))
            }
            (LeaseKind::Requisite, Outcome::Body { .. }) if is_style(response.content_type) => {
                Found::Requisite(self.requisites(lease, response, scenthound_parse::requisites_of_style))
            }
            (LeaseKind::Page | LeaseKind::Sitemap | LeaseKind::Requisite, _) => Found::Nothing,
        }
    }

    /// The files of the wanted kinds that a page or a style sheet needs.
    fn requisites(
        &self,
        lease: &Lease,
        response: &Response<'_>,
        find: fn(&PageInput<'_>, &[RequisiteKind], &Limits) -> Vec<Requisite>,
    ) -> Vec<Requisite> {
        let settings = &self.rules.settings;
        if settings.requisites.is_empty() {
            return Vec::new();
        }
        let input = PageInput {
            url: &lease.url,
            content_type: response.content_type,
            body: response.body,
            truncated: false,
        };
        find(&input, &settings.requisites, &settings.limits)
    }

    fn parse(&self, url: &CanonicalUrl, response: &Response<'_>, truncated: bool) -> ParsedPage {
        let input = PageInput {
            url,
            content_type: response.content_type,
            body: response.body,
            truncated,
        };
        let limits = Limits {
            main_text: self.judge.reads() == PageText::Main,
            ..self.rules.settings.limits
        };
        let mut page = scenthound_parse::parse(&input, &limits);
        page.directives.add(scenthound_robots::x_robots_tag(
            response.x_robots_tag.iter().map(String::as_str),
            PRODUCT_TOKEN,
        ));
        if let Some(refresh) = response.refresh {
            add_refresh(url, refresh, &mut page);
        }
        self.judge.prepare(&mut page);
        page
    }

    /// Judges a page by a response, without looking at its links.
    pub fn judge_response(&self, url: &CanonicalUrl, response: &Response<'_>, truncated: bool) -> Judgement {
        let page = self.parse(url, response, truncated);
        let mut judgement = self.judge.judge(&page);
        self.rules.review(&page, &mut judgement);
        judgement
    }

    /// Judges a page outside a crawl: by the same rules, but without looking at its links.
    pub fn judge_page(&self, page: &ParsedPage) -> Judgement {
        let mut page = page.clone();
        self.judge.prepare(&mut page);
        let mut judgement = self.judge.judge(&page);
        self.rules.review(&page, &mut judgement);
        judgement
    }

    /// Judges a parsed page whose directives are complete, and applies the rules to it.
    fn judge_parsed(&self, lease: &Lease, page: ParsedPage) -> ProcessedPage {
        let judge = self.judge.as_ref();
        let (judgement, lesson) = judge.judge_and_keep(&page);
        let needs = &self.rules.needs;
        let scorer = needs.snippets.then(|| LinkScorer::new(judge));
        let processed = self
            .rules
            .apply(lease, page, judgement, |_, page, link, url| LinkOpinion {
                snippets: scorer.as_ref().map(|scorer| scorer.score(page, link, url)),
                place: if needs.places {
                    link_place(judge, page, link)
                } else {
                    None
                },
            });
        ProcessedPage { lesson, ..processed }
    }
}
