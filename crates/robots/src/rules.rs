//! The rules of one robots.txt for one product token.
//!
//! All groups that name the token count as one; if none does, all groups for `*` do. The longest matching pattern
//! decides, and Allow wins ties. Rules are stored in that order of precedence, so the first match is the answer.
//!
//! A site may write half a megabyte of rules against us, and link to thousands of the paths they are worst for. So rules
//! without a star are looked up ([`crate::literal`]), rules with stars are compared only if the path holds all their
//! pairs of octets, and comparing has a limit per path. Beyond it, rules that forbid count as matching and rules that
//! allow do not: a site that is too costly to understand is left alone.
//!
//! Invariant: patterns are in comparable form (ASCII, see [`crate::escape`]), each begins with `/` or `*`, and no two
//! rules are equal. Deliberately absent: other crawlers' rules, which are dropped while reading.

use std::fmt;
use std::time::Duration;

use crate::agent::{Addressee, addressee};
use crate::escape::{append_pattern, comparable_path};
use crate::line::{Directive, RobotsTxt};
use crate::literal::Literals;
use crate::pattern::{Pairs, Work, matches};

/// Longer crawl-delays are cut to this. Callers will want a smaller limit of their own.
pub const MAX_CRAWL_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What a rule does. Allow comes first because it wins ties.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RuleKind {
    /// The path may be fetched.
    Allow,
    /// The path must not be fetched.
    Disallow,
}

/// A rule in readable form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleText<'a> {
    /// What it does.
    pub kind: RuleKind,
    /// Its pattern, in comparable form.
    pub pattern: &'a str,
    /// The line of the robots.txt it is on; 0 if it comes from the lack of a file.
    pub line: u32,
}

impl fmt::Display for RuleText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            RuleKind::Allow => "Allow",
            RuleKind::Disallow => "Disallow",
        };
        write!(f, "{kind}: {}", self.pattern)?;
        if self.line > 0 {
            write!(f, " (line {})", self.line)?;
        }
        Ok(())
    }
}

/// The rules of one robots.txt for one product token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// All patterns, concatenated.
    pub(crate) patterns: Box<str>,
    /// In order of precedence.
    pub(crate) rules: Box<[Rule]>,
    /// The rules without a star.
    literals: Literals,
    /// The rules with stars, in order of precedence.
    stars: Box<[StarRule]>,
    pub(crate) crawl_delay: Option<Duration>,
    pub(crate) sitemaps: Vec<String>,
}

/// One rule; its pattern is in [`Rules::patterns`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rule {
    pub(crate) start: u32,
    pub(crate) len: u16,
    /// How many literal octets the path must contain. A shorter path cannot match and is not checked further.
    pub(crate) literals: u16,
    pub(crate) line: u32,
    pub(crate) kind: RuleKind,
}

/// A rule with stars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct StarRule {
    /// Its place in the order of precedence.
    place: u32,
    /// What a path must hold to match.
    pairs: Pairs,
}

impl Rules {
    /// Puts rules together that are in order of precedence.
    pub(crate) fn new(
        patterns: Box<str>,
        rules: Box<[Rule]>,
        crawl_delay: Option<Duration>,
        sitemaps: Vec<String>,
    ) -> Rules {
        let mut literals = Vec::new();
        let mut stars = Vec::new();
        for (place, rule) in (0..).zip(&rules) {
            let pattern = rule.pattern(&patterns).as_bytes();
            if pattern.contains(&b'*') {
                let pairs = Pairs::of_pattern(pattern);
                stars.push(StarRule { place, pairs });
            } else {
                literals.push(place);
            }
        }
        let literals = Literals::new(literals, |place| pattern_at(&patterns, &rules, place));
        Rules {
            patterns,
            rules,
            literals,
            stars: stars.into(),
            crawl_delay,
            sitemaps,
        }
    }

    /// Roughly how many bytes of memory the rules take.
    pub fn size(&self) -> usize {
        let sitemaps: usize = self.sitemaps.iter().map(String::len).sum();
        self.patterns.len()
            + sitemaps
            + self.rules.len() * (size_of::<Rule>() + 2 * size_of::<u32>())
            + self.stars.len() * size_of::<StarRule>()
    }

    /// Reads a robots.txt from the point of view of the crawler `product_token`. There are no errors: what cannot be
    /// understood is ignored.
    pub fn parse(body: &[u8], product_token: &str) -> Rules {
        let robots = RobotsTxt::new(body);
        let mut ours = Group::default();
        let mut everybodys = Group::default();
        let mut sitemaps: Vec<String> = Vec::new();
        let mut names_us = false;
        // Which groups the current lines belong to, and whether the most recent agent or rule line was an agent line.
        let (mut to_us, mut to_everybody, mut naming) = (false, false, false);
        for line in robots.lines() {
            match line.directive {
                Directive::UserAgent(value) => {
                    if !naming {
                        (to_us, to_everybody, naming) = (false, false, true);
                    }
                    match addressee(value, product_token) {
                        Addressee::Us => (to_us, names_us) = (true, true),
                        Addressee::Everybody => to_everybody = true,
                        Addressee::Other => {}
                    }
                }
                Directive::Allow(value) | Directive::Disallow(value) => {
                    naming = false;
                    let kind = match line.directive {
                        Directive::Allow(_) => RuleKind::Allow,
                        _ => RuleKind::Disallow,
                    };
                    if to_us {
                        ours.push(kind, value, line.number);
                    }
                    if to_everybody {
                        everybodys.push(kind, value, line.number);
                    }
                }
                // Neither of these ends a group (RFC 9309, 2.2.4).
                Directive::CrawlDelay(value) => {
                    let delay = read_delay(value);
                    if to_us {
                        ours.crawl_delay = ours.crawl_delay.max(delay);
                    }
                    if to_everybody {
                        everybodys.crawl_delay = everybodys.crawl_delay.max(delay);
                    }
                }
                Directive::Sitemap(value) if !value.is_empty() => {
                    sitemaps.push(String::from_utf8_lossy(value).into_owned());
                }
                Directive::Sitemap(_) | Directive::Unknown(_) => {}
            }
        }
        let group = if names_us { ours } else { everybodys };
        group.into_rules(without_repeats(sitemaps))
    }

    /// Everything may be fetched.
    pub fn allow_all() -> Rules {
        Group::default().into_rules(Vec::new())
    }

    /// Nothing but robots.txt may be fetched.
    pub fn disallow_all() -> Rules {
        let mut group = Group::default();
        group.push(RuleKind::Disallow, b"/", 0);
        group.into_rules(Vec::new())
    }

    /// Whether the path (with its query) may be fetched. `/robots.txt` always may.
    pub fn allows(&self, path_and_query: &str) -> bool {
        path_and_query == "/robots.txt"
            || self
                .which(path_and_query)
                .is_none_or(|rule| rule.kind == RuleKind::Allow)
    }

    /// The rule that decides about the path; `None` if no rule matches, which means it is allowed.
    pub fn which(&self, path_and_query: &str) -> Option<RuleText<'_>> {
        if self.rules.is_empty() {
            return None;
        }
        let path = comparable_path(path_and_query);
        let literal = self
            .literals
            .first_match(&path, |place| pattern_at(&self.patterns, &self.rules, place));
        let pairs = Pairs::of_path(&path);
        let mut work = Work::PER_PATH;
        let before_literal = |star: &&StarRule| literal.is_none_or(|place| star.place < place);
        let star = self.stars.iter().take_while(before_literal).find(|star| {
            let Some(rule) = self.rules.get(star.place as usize) else {
                return false;
            };
            star.pairs.are_in(pairs)
                && usize::from(rule.literals) <= path.len()
                && matches(rule.pattern(&self.patterns).as_bytes(), &path, &mut work)
                    .unwrap_or(rule.kind == RuleKind::Disallow)
        });
        let place = star.map(|star| star.place).or(literal)?;
        self.rules.get(place as usize).map(|rule| self.text(rule))
    }

    /// All rules, in order of precedence.
    pub fn iter(&self) -> impl Iterator<Item = RuleText<'_>> {
        self.rules.iter().map(|rule| self.text(rule))
    }

    /// How long to wait between requests, if the file says so. The largest value, if it gives several.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The sitemaps the file names, as written there (even relative ones), each once.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    fn text(&self, rule: &Rule) -> RuleText<'_> {
        RuleText {
            kind: rule.kind,
            pattern: rule.pattern(&self.patterns),
            line: rule.line,
        }
    }
}

/// The rules for one addressee, while the file is being read.
#[derive(Default)]
pub(crate) struct Group {
    patterns: String,
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

impl Group {
    fn push(&mut self, kind: RuleKind, raw: &[u8], line: u32) {
        // An empty rule means nothing, and one that begins differently cannot match any path.
        if !matches!(raw.first(), Some(b'/' | b'*')) {
            return;
        }
        let start = self.patterns.len();
        // Built separately, so that the previous pattern cannot merge into it.
        let mut pattern = String::with_capacity(raw.len());
        append_pattern(raw, &mut pattern);
        if let Some(rule) = Rule::new(kind, start, &pattern, line) {
            self.patterns.push_str(&pattern);
            self.rules.push(rule);
        }
    }

    fn into_rules(self, sitemaps: Vec<String>) -> Rules {
        let Group {
            patterns,
            mut rules,
            crawl_delay,
        } = self;
        let patterns = patterns.as_str();
        rules.sort_by(|a, b| {
            (b.len, a.kind)
                .cmp(&(a.len, b.kind))
                .then_with(|| a.pattern(patterns).cmp(b.pattern(patterns)))
                .then(a.line.cmp(&b.line))
        });
        rules.dedup_by(|later, first| {
            later.kind == first.kind && later.pattern(patterns) == first.pattern(patterns)
        });
        let mut packed = String::with_capacity(rules.iter().map(|rule| usize::from(rule.len)).sum());
        let rules = rules
            .iter()
            .map(|rule| {
                let start = u32::try_from(packed.len()).unwrap_or(u32::MAX);
                packed.push_str(rule.pattern(patterns));
                Rule { start, ..*rule }
            })
            .collect();
        Rules::new(packed.into_boxed_str(), rules, crawl_delay, sitemaps)
    }
}

/// The pattern of the rule in this place.
fn pattern_at<'a>(patterns: &'a str, rules: &[Rule], place: u32) -> &'a [u8] {
    let rule = rules.get(place as usize);
    rule.map_or(b"", |rule| rule.pattern(patterns).as_bytes())
}

impl Rule {
    /// Its part of all patterns.
    fn pattern<'a>(&self, patterns: &'a str) -> &'a str {
        let start = self.start as usize;
        patterns
            .get(start..start + usize::from(self.len))
            .unwrap_or_default()
    }

    /// `None` if the sizes do not fit, which the limits on body and line rule out.
    pub(crate) fn new(kind: RuleKind, start: usize, pattern: &str, line: u32) -> Option<Rule> {
        let stars = pattern.bytes().filter(|&byte| byte == b'*').count();
        let len = pattern.len();
        Some(Rule {
            start: start.try_into().ok()?,
            len: len.try_into().ok()?,
            literals: (len - stars - usize::from(pattern.ends_with('$')))
                .try_into()
                .ok()?,
            line,
            kind,
        })
    }
}

/// Seconds, with or without a fraction. Crawlers do not agree on the meaning of anything else.
fn read_delay(value: &[u8]) -> Option<Duration> {
    let seconds: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    if seconds.is_nan() || seconds < 0.0 {
        return None;
    }
    // Rounded to milliseconds, which is the precision we save.
    let millis = (seconds.min(MAX_CRAWL_DELAY.as_secs_f64()) * 1000.0).round();
    Some(Duration::from_millis(millis as u64))
}

fn without_repeats(mut sitemaps: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    sitemaps.retain(|sitemap| seen.insert(sitemap.clone()));
    sitemaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(body: &str) -> Rules {
        Rules::parse(body.as_bytes(), "scenthound")
    }

    #[test]
    fn our_groups_are_merged_and_hide_everybodys() {
        let rules = rules(
            "User-agent: *\nDisallow: /\n\nUser-agent: Scenthound\nDisallow: /a\n\nUser-agent: other\nDisallow: /b\n\n\
             User-agent: other\nUser-agent: scenthound/1.0\nDisallow: /c\n",
        );
        assert!(!rules.allows("/a") && rules.allows("/b") && !rules.allows("/c") && rules.allows("/d"));
    }

    #[test]
    fn the_deciding_line_can_be_named() {
        let rules = rules("User-agent: *\nDisallow: /shop\nAllow: /shop/*.html$\n");
        assert_eq!(
            rules.which("/shop/a.html").unwrap().to_string(),
            "Allow: /shop/*.html$ (line 3)"
        );
        assert_eq!(
            rules.which("/shop/a").unwrap().to_string(),
            "Disallow: /shop (line 2)"
        );
        assert_eq!(rules.which("/"), None);
        assert_eq!(
            Rules::disallow_all().which("/x").unwrap().to_string(),
            "Disallow: /"
        );
    }

    #[test]
    fn robots_txt_itself_is_always_allowed() {
        assert!(Rules::disallow_all().allows("/robots.txt"));
        assert!(!Rules::disallow_all().allows("/robots.txt?x"));
        assert!(!Rules::disallow_all().allows("/"));
        assert!(Rules::allow_all().allows("/anything"));
    }

    #[test]
    fn an_escaped_star_matches_only_a_star() {
        let rules = rules("User-agent: *\nDisallow: /a-%2A.html\nDisallow: /price-$5\n");
        assert!(!rules.allows("/a-*.html") && !rules.allows("/a-%2a.html") && rules.allows("/a-b.html"));
        assert!(!rules.allows("/price-$50") && rules.allows("/price-"));
    }

    #[test]
    fn crawl_delay_is_read_where_it_makes_sense() {
        let delay =
            |value: &str| rules(&format!("User-agent: *\nCrawl-delay: {value}\nDisallow:\n")).crawl_delay();
        assert_eq!(delay("10"), Some(Duration::from_secs(10)));
        assert_eq!(delay("0.5 # half"), Some(Duration::from_millis(500)));
        assert_eq!(delay("1e99"), Some(MAX_CRAWL_DELAY));
        for nonsense in ["", "-1", "NaN", "ten", "1/5"] {
            assert_eq!(delay(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn crawl_delay_belongs_to_the_agents_named_so_far_and_ends_no_group() {
        let body = "User-agent: scenthound\nCrawl-delay: 10\nUser-agent: other\nDisallow: /private/\n";
        let ours = rules(body);
        assert_eq!(
            (ours.crawl_delay(), ours.allows("/private/")),
            (Some(Duration::from_secs(10)), false)
        );
        let others = Rules::parse(body.as_bytes(), "other");
        assert_eq!((others.crawl_delay(), others.allows("/private/")), (None, false));
    }

    #[test]
    fn sitemaps_are_everybodys_and_listed_once() {
        let rules = rules(
            "Sitemap: /b.xml\nUser-agent: other\nSitemap: http://x.test/A.xml\nsitemap: /b.xml\nSitemap:\n",
        );
        assert_eq!(rules.sitemaps(), ["/b.xml", "http://x.test/A.xml"]);
    }

    #[test]
    fn equal_rules_are_kept_once() {
        let rules = rules("User-agent: *\nDisallow: /%61\nDisallow: /a\nDisallow: /a**b\nDisallow: /a*b\n");
        assert_eq!(rules.iter().map(|rule| rule.line).collect::<Vec<_>>(), [4, 2]);
    }
}
