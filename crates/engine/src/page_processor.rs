//! Where a body is parsed and judged, on any thread.
//!
//! A desk is made once per crawl and shared by all workers. It holds no state that changes, so the order in which pages
//! reach it cannot matter.

use std::sync::Arc;

use scenthound_judge::{Judge, WrongSense};
use scenthound_parse::{Limits, PageInput};
use scenthound_strategy::Needs;
use scenthound_types::text::{Language, StopList, Token, url_words};
use scenthound_types::{
    CanonicalUrl, Evidence, Judgement, Keyring, Lease, Link, LinkPlace, PageDirectives, PageWords,
    ParsedPage, SnippetScores, TermSet, Verdict,
};

use crate::access::PRODUCT_TOKEN;
use crate::lease_result::{Examined, FoundLink, SitemapFinds, Skipped};
use crate::scope::Scope;

/// What the desk goes by.
#[derive(Clone, Debug)]
pub struct PageSettings {
    /// Which URLs belong to the crawl.
    pub scope: Scope,
    /// Links away from a seed that are still followed.
    pub max_depth: Option<u16>,
    /// Links followed of one page.
    pub width: Option<u32>,
    /// Whether nofollow, on links and for pages, is ignored.
    pub follow_nofollow: bool,
    /// Languages wanted; empty for all. A page whose language cannot be told is let through.
    pub languages: Vec<Language>,
    /// Words of the wrong sense; a page with enough of them is ignored together with its links.
    pub wrong_sense: Option<Arc<WrongSense>>,
    /// Limits of the parser.
    pub limits: Limits,
}

impl Default for PageSettings {
    /// No limits but the parser's: the lab's default.
    fn default() -> PageSettings {
        PageSettings {
            scope: Scope::default(),
            max_depth: None,
            width: None,
            follow_nofollow: true,
            languages: Vec::new(),
            wrong_sense: None,
            limits: Limits::default(),
        }
    }
}

impl PageSettings {
    /// Whether any link could be left out.
    pub fn has_limits(&self) -> bool {
        let is_open = self.scope.is_everything() && self.follow_nofollow;
        !is_open || self.max_depth.is_some() || self.width.is_some()
    }

    /// Whether a page speaks of something else by the same name: then it is irrelevant whatever its judgement was, and none
    /// of its links counts. The judgement tells by which words.
    pub fn ignore(&self, page: &ParsedPage, judgement: &mut Judgement, skipped: &mut Skipped) -> bool {
        let Some(hits) = self.wrong_sense.as_ref().and_then(|sense| sense.of(page)) else {
            return false;
        };
        judgement.relevance = 0.0;
        judgement.verdict = Verdict::Irrelevant;
        let terms = &mut judgement.parts.terms;
        terms.retain(|hit| hit.set != TermSet::Exclude);
        terms.extend(hits);
        skipped.excluded += page.links.len() as u32;
        true
    }

    /// The links of a page that may be followed, with their places among all; counts the others.
    pub fn sift<'p>(
        &self,
        lease: &Lease,
        links: &'p [Link],
        nofollow_page: bool,
        skipped: &mut Skipped,
    ) -> impl Iterator<Item = (usize, &'p Link)> {
        let too_deep = self.max_depth.is_some_and(|most| lease.depth >= most);
        let width = self.width.unwrap_or(u32::MAX) as usize;
        let mut kept = 0;
        links.iter().enumerate().filter(move |(_, link)| {
            if (nofollow_page || link.rel.nofollow) && !self.follow_nofollow {
                skipped.nofollow += 1;
            } else if too_deep {
                skipped.depth += 1;
            } else if self.scope.check(&link.url).is_err() {
                skipped.scope += 1;
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

/// How relevant the words at a link are.
pub fn snippet_scores(judge: &dyn Judge, page: &ParsedPage, link: &Link) -> SnippetScores {
    SnippetScores {
        anchor: judge
            .snippet(page.text.run(&link.anchor))
            .max(judge.snippet(page.asides.run(&link.title))),
        around: judge.snippet(page.text.run(&link.around)),
        url: judge.url_snippet(&url_words(link.url.as_str())),
    }
}

/// Where a link stands by its words, or by those of its title and its images where it has none of its own; none from a judge
/// that knows no context graph.
pub fn link_place(judge: &dyn Judge, page: &ParsedPage, link: &Link) -> Option<LinkPlace> {
    let anchor = page.text.run(&link.anchor);
    judge.place(if anchor.iter().any(|token| token.is_word()) {
        anchor
    } else {
        page.asides.run(&link.title)
    })
}

/// The words at a link, without stop words: of the anchor and its title, of the sentence around, and of the URL.
pub fn link_evidence(page: &ParsedPage, link: &Link) -> Evidence {
    let stops = page.language.map(StopList::of);
    let hashes = |tokens: &[Token]| {
        tokens
            .iter()
            .filter(|token| token.is_word() && !stops.is_some_and(|stops| stops.contains(**token)))
            .map(|token| token.hash())
            .collect::<Vec<u64>>()
    };
    let mut anchor = hashes(page.text.run(&link.anchor));
    anchor.extend(hashes(page.asides.run(&link.title)));
    Evidence::of_words(
        anchor,
        hashes(page.text.run(&link.sentence)),
        hashes(&url_words(link.url.as_str())),
    )
}

/// The words of a page, without stop words.
pub fn page_words(page: &ParsedPage) -> PageWords {
    let stops = page.language.map(StopList::of);
    PageWords::count(
        (0..)
            .zip(page.text.tokens())
            .filter(|(_, token)| token.is_word() && !stops.is_some_and(|stops| stops.contains(**token)))
            .map(|(position, token)| (token.hash(), page.text.spelling(position))),
    )
}

/// A body to look at.
#[derive(Clone, Copy, Debug)]
pub struct Response<'a> {
    /// As the server names the type.
    pub content_type: Option<&'a str>,
    /// The values of X-Robots-Tag.
    pub x_robots_tag: &'a [String],
    /// The body, content decoding undone.
    pub body: &'a [u8],
    /// Whether it was cut short.
    pub truncated: bool,
}

/// Parses and judges bodies.
pub struct PageProcessor {
    judge: Arc<dyn Judge>,
    needs: Needs,
    keyring: Keyring,
    settings: PageSettings,
}

impl PageProcessor {
    /// A desk with this judge, for a strategy with these needs.
    pub fn new(
        judge: Arc<dyn Judge>,
        needs: Needs,
        keyring: Keyring,
        settings: PageSettings,
    ) -> PageProcessor {
        PageProcessor {
            judge,
            needs,
            keyring,
            settings,
        }
    }

    /// Parses and judges a page.
    pub fn examine(&self, lease: &Lease, response: &Response<'_>) -> Examined {
        let input = PageInput {
            url: &lease.url,
            content_type: response.content_type,
            body: response.body,
            truncated: response.truncated,
        };
        let page = scenthound_parse::parse(&input, &self.settings.limits);
        self.examine_parsed(lease, page, response.x_robots_tag)
    }

    /// Judges a page that is parsed already.
    pub fn examine_parsed(&self, lease: &Lease, page: ParsedPage, x_robots_tag: &[String]) -> Examined {
        let mut judgement = self.judge.judge(&page);
        let by_header =
            scenthound_robots::x_robots_tag(x_robots_tag.iter().map(String::as_str), PRODUCT_TOKEN);
        let directives = PageDirectives {
            noindex: page.directives.noindex || by_header.noindex,
            nofollow: page.directives.nofollow || by_header.nofollow,
            noarchive: page.directives.noarchive || by_header.noarchive,
        };
        let wanted = &self.settings.languages;
        let foreign = !wanted.is_empty() && page.language.is_some_and(|language| !wanted.contains(&language));
        if foreign {
            judgement.relevance = 0.0;
            judgement.verdict = Verdict::Irrelevant;
        }
        let mut skipped = Skipped::default();
        let excluded = self.settings.ignore(&page, &mut judgement, &mut skipped);
        let links = if foreign || excluded {
            Vec::new()
        } else {
            self.followable(lease, &page, directives.nofollow, &mut skipped)
        };
        Examined {
            // A page that is set aside teaches nobody anything.
            words: (self.needs.words && !foreign && !excluded).then(|| Box::new(page_words(&page))),
            title: page.title,
            language: page.language,
            judgement,
            links,
            skipped,
            directives,
            canonical: page.canonical,
            fingerprint: page.fingerprint,
            encoding: page.encoding,
            foreign,
            excluded,
        }
    }

    fn followable(
        &self,
        lease: &Lease,
        page: &ParsedPage,
        nofollow_page: bool,
        skipped: &mut Skipped,
    ) -> Vec<FoundLink> {
        let followed = self.settings.sift(lease, &page.links, nofollow_page, skipped);
        followed
            .map(|(_, link)| FoundLink {
                key: self.keyring.key(&link.url),
                url: link.url.clone(),
                snippets: self
                    .needs
                    .snippets
                    .then(|| snippet_scores(self.judge.as_ref(), page, link)),
                place: if self.needs.places {
                    link_place(self.judge.as_ref(), page, link)
                } else {
                    None
                },
                evidence: self.needs.evidence.then(|| Box::new(link_evidence(page, link))),
            })
            .collect()
    }

    /// Keeps what a sitemap lists that belongs to the crawl.
    pub fn sift_sitemap(&self, pages: Vec<CanonicalUrl>, sitemaps: Vec<CanonicalUrl>) -> SitemapFinds {
        // What a sitemap lists is one step away from the user's own words, as a link of a seed is.
        let reaches = self.settings.max_depth != Some(0);
        let pages = pages
            .into_iter()
            .filter(|url| reaches && self.settings.scope.check(url).is_ok())
            .map(|url| FoundLink {
                key: self.keyring.key(&url),
                url,
                snippets: None,
                place: None,
                evidence: None,
            })
            .collect();
        SitemapFinds { pages, sitemaps }
    }
}
