//! What a host, a pattern of URLs and a domain have brought so far.

use super::Brought;
use super::vocabulary::Vocabulary;

/// Patterns remembered per host. Beyond that, those met once make room for new ones.
const MOST_PATTERNS: usize = 64;
/// Pages of a pattern that a new one is compared with.
const RECENT: usize = 4;
/// Two pages of one pattern that differ in at most this many bits of 64 say the same: a calendar's other month. On real sites
/// nine of ten pages of a pattern differ in more, and unrelated pages in about 32.
const ALIKE: u32 = 12;
/// Alike pages that are read of a pattern that leads to itself; after that, one for two pages that are not alike.
const CHAIN_START: f64 = 64.0;
/// The same on a host that has brought relevant pages elsewhere: it has better to offer.
const POOR_CHAIN_START: f64 = 1.5;
/// So many relevant pages elsewhere on the host make a chain without any a poor one.
const BETTER: u32 = 3;
/// Copies that are read of a pattern; after that, one for each new page.
const PATTERN_START: f64 = 64.0;
/// Copies that are read of a host; after that, one for two new pages.
const HOST_START: f64 = 100.0;
/// Copies that are read of the host of a seed; after that, one for each new page.
const SEED_HOST_START: f64 = 200.0;
/// A missing page, or one without words, is so much of a repetition: every site has some.
const MISSING: f64 = 0.25;
/// How many more pages a relevant page of a pattern is worth.
const PER_RELEVANT_OF_PATTERN: f64 = 20.0;
/// Relevant pages that are alike are worth one more page each, up to this many: endless pages may be full of the topic's words.
const MOST_ALIKE_RELEVANT: u32 = 200;
/// How many more pages a relevant page of a host is worth.
const PER_RELEVANT_OF_HOST: f64 = 30.0;
/// The words of a host are looked at once it has had so many pages.
const LISTEN_FROM: u32 = 64;
/// So many pages of one pattern without a new word end it, however relevant they are. On a real site of 100,000 pages about one
/// page in twenty still brings a new word among those sampled.
const QUIET_PATTERN: u32 = 256;
/// The same for a host.
const QUIET_HOST: u32 = 1_024;
/// How many more hosts a relevant page of a domain is worth.
const HOSTS_PER_RELEVANT: u32 = 4;
/// Parameters remembered per host.
const MOST_PARAMETERS: usize = 32;
/// Families of URLs remembered per host.
const MOST_FAMILIES: usize = 256;
/// So many times a parameter must have changed nothing before it is believed to be inert; one less for those that name a
/// visitor or a campaign.
const INERT_FROM: u8 = 3;

/// Pages read, and what they were worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Yield {
    pages: u32,
    /// Those whose words and links repeat another page of the crawl.
    copies: u32,
    /// Those that are missing or have no words.
    missing: u32,
    /// Those that are new but like others of their pattern…
    alike: u32,
    /// …and of these, the relevant ones.
    alike_relevant: u32,
    /// Those that are new, unlike others and relevant.
    relevant: u32,
}

impl Yield {
    fn novel(&self) -> f64 {
        f64::from(self.pages - self.copies - self.missing - self.alike)
    }

    fn repeats(&self) -> f64 {
        f64::from(self.copies) + MISSING * f64::from(self.missing)
    }

    /// What was relevant earns.
    fn earned(&self, per_relevant: f64) -> f64 {
        per_relevant * f64::from(self.relevant) + f64::from(self.alike_relevant.min(MOST_ALIKE_RELEVANT))
    }

    /// Whether it repeated other pages more often than `start`, `per_new` for each new page and what was relevant earned.
    fn repeats_others(&self, start: f64, per_new: f64, per_relevant: f64) -> bool {
        let new = self.novel() + f64::from(self.alike);
        self.repeats() >= start + per_new * new + self.earned(per_relevant)
    }

    /// Whether it was alike more often than that. Copies do not count here: a printable form of each page of a series does not
    /// make the series endless.
    fn repeats_itself(&self, start: f64, per_novel: f64, per_relevant: f64) -> bool {
        let repeats = f64::from(self.alike) + MISSING * f64::from(self.missing);
        repeats >= start + per_novel * self.novel() + self.earned(per_relevant)
    }

    /// Whether more than the allowance was read and what was relevant earned.
    fn is_dry(&self, allowance: u64, per_relevant: f64) -> bool {
        f64::from(self.pages) >= allowance as f64 + self.earned(per_relevant)
    }

    fn count(&mut self, kind: Kind, is_relevant: bool) {
        let is_relevant = u32::from(is_relevant);
        self.pages += 1;
        match kind {
            Kind::Copy => self.copies += 1,
            Kind::Missing => self.missing += 1,
            Kind::Alike => {
                self.alike += 1;
                self.alike_relevant += is_relevant;
            }
            Kind::Novel => self.relevant += is_relevant,
        }
    }
}

/// How new a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Copy,
    Missing,
    Alike,
    Novel,
}

#[derive(Clone, Debug, PartialEq)]
struct Pattern {
    hash: u64,
    brought: Yield,
    /// Fingerprints of the latest pages.
    recent: [u64; RECENT],
    /// Pages since the last one with a new word.
    quiet: u32,
}

#[derive(Clone, Debug, PartialEq)]
struct Parameter {
    hash: u64,
    same: u8,
    different: u8,
}

/// What one host has brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct HostHistory {
    brought: Yield,
    patterns: Vec<Pattern>,
    parameters: Vec<Parameter>,
    /// URLs read, each without one of its parameters or with all of them, and the fingerprint of the page: a ring.
    families: Vec<(u64, u64, u64)>,
    next_family: usize,
    /// The words it has used, once it has had a number of pages.
    vocabulary: Option<Vocabulary>,
    /// Pages since the last one with a new word.
    quiet: u32,
    unsaved: u8,
}

impl HostHistory {
    /// Counts a page. Returns whether it is a find: relevant, and not seen before.
    pub fn note_page(&mut self, pattern: u64, is_folder: bool, page: &Brought<'_>) -> bool {
        if page.fingerprint == 0 {
            self.brought.count(Kind::Missing, false);
            self.note_nothing(pattern);
            return false;
        }
        self.unsaved = self.unsaved.saturating_add(1);
        let mut kind = match (page.is_copy, page.is_duplicate) {
            (true, _) => Kind::Copy,
            (_, true) => Kind::Alike,
            _ => Kind::Novel,
        };
        let is_relevant = page.is_relevant && !page.is_duplicate;
        let is_quiet =
            self.brought.pages >= LISTEN_FROM && !self.vocabulary.get_or_insert_default().add(page.words);
        self.quiet = if is_quiet { self.quiet.saturating_add(1) } else { 0 };
        let pattern = self.pattern_mut(pattern);
        let is_like = |print: &u64| *print != 0 && (print ^ page.fingerprint).count_ones() <= ALIKE;
        if kind == Kind::Novel && !is_folder && pattern.recent.iter().any(is_like) {
            kind = Kind::Alike;
        }
        let slot = pattern.brought.pages as usize % RECENT;
        if let Some(recent) = pattern.recent.get_mut(slot) {
            *recent = page.fingerprint;
        }
        pattern.quiet = if is_quiet {
            pattern.quiet.saturating_add(1)
        } else {
            0
        };
        pattern.brought.count(kind, is_relevant);
        self.brought.count(kind, is_relevant);
        kind == Kind::Novel && is_relevant
    }

    /// Counts a visit that brought no page, against its pattern only: broken links are not the fault of a whole host.
    pub fn note_nothing(&mut self, pattern: u64) {
        self.unsaved = self.unsaved.saturating_add(1);
        self.pattern_mut(pattern).brought.count(Kind::Missing, false);
    }

    fn pattern_mut(&mut self, hash: u64) -> &mut Pattern {
        let at = self.patterns.iter().position(|pattern| pattern.hash == hash);
        let at = at.unwrap_or_else(|| {
            if self.patterns.len() >= MOST_PATTERNS {
                // The oldest of those met least often goes.
                let least = self
                    .patterns
                    .iter()
                    .enumerate()
                    .min_by_key(|(_, pattern)| pattern.brought.pages);
                let at = least.map_or(0, |(at, _)| at);
                self.patterns.remove(at);
            }
            self.patterns.push(Pattern {
                hash,
                brought: Yield::default(),
                recent: [0; RECENT],
                quiet: 0,
            });
            self.patterns.len() - 1
        });
        &mut self.patterns[at]
    }

    /// Whether a pattern has had all that it may get. `is_chain` is set if the page that leads to the URL is of the pattern too.
    /// A folder has no allowance. `factor` is how much longer it may go without a new word.
    pub fn has_spent_pattern(&self, hash: u64, is_chain: bool, allowance: Option<u64>, factor: u64) -> bool {
        let pattern = self.patterns.iter().find(|pattern| pattern.hash == hash);
        pattern.is_some_and(|pattern| {
            let brought = &pattern.brought;
            let finds = |brought: &Yield| brought.relevant + brought.alike_relevant;
            let is_poor = finds(brought) == 0 && finds(&self.brought) >= BETTER;
            let start = if is_poor { POOR_CHAIN_START } else { CHAIN_START };
            let is_spent = |allowance: u64| {
                brought.repeats_others(PATTERN_START, 1.0, PER_RELEVANT_OF_PATTERN)
                    || brought.is_dry(allowance, PER_RELEVANT_OF_PATTERN)
            };
            let is_quiet = u64::from(pattern.quiet) >= factor * u64::from(QUIET_PATTERN);
            (is_quiet && allowance.is_some())
                || (is_chain && brought.repeats_itself(start, 0.5, PER_RELEVANT_OF_PATTERN))
                || allowance.is_some_and(is_spent)
        })
    }

    /// Pages that were relevant, whether like others or not.
    pub fn relevant(&self) -> u32 {
        self.brought.relevant.saturating_add(self.brought.alike_relevant)
    }

    /// Whether the host has had all that it may get: its allowance, which the host of a seed does not have, the most that any
    /// host may get, or too many pages without a new word.
    pub fn has_spent(&self, allowance: Option<u64>, limit: u64, factor: u64) -> bool {
        let brought = &self.brought;
        if u64::from(brought.pages) >= limit || u64::from(self.quiet) >= factor * u64::from(QUIET_HOST) {
            return true;
        }
        match allowance {
            Some(allowance) => {
                brought.repeats_others(HOST_START, 0.5, PER_RELEVANT_OF_HOST)
                    || brought.is_dry(allowance, PER_RELEVANT_OF_HOST)
            }
            None => brought.repeats_others(SEED_HOST_START, 1.0, PER_RELEVANT_OF_HOST),
        }
    }

    /// Compares a page with those whose URL differs in one parameter. `whole` is the hash of its URL; a family is the hash of
    /// the parameter's name, whether it is known to be for tracking, and the hash of the URL without it.
    pub fn note_parameters(&mut self, whole: u64, families: &[(u64, bool, u64)], fingerprint: u64) {
        for (name, is_for_tracking, family) in families {
            let others = self
                .families
                .iter()
                .filter(|(key, from, _)| key == family && *from != whole);
            let mut same = 0_u8;
            let mut different = 0_u8;
            for (_, _, print) in others {
                if fingerprint != 0 && (print ^ fingerprint).count_ones() <= 3 {
                    same = 1;
                } else {
                    different = 1;
                }
            }
            if same + different == 0 {
                continue;
            }
            let at = self
                .parameters
                .iter()
                .position(|parameter| parameter.hash == *name);
            let at = match at {
                Some(at) => at,
                None if self.parameters.len() < MOST_PARAMETERS => {
                    self.parameters.push(Parameter {
                        hash: *name,
                        same: u8::from(*is_for_tracking),
                        different: 0,
                    });
                    self.parameters.len() - 1
                }
                None => continue,
            };
            if let Some(parameter) = self.parameters.get_mut(at) {
                parameter.same = parameter.same.saturating_add(same);
                parameter.different = parameter.different.saturating_add(different);
            }
        }
        let read = families.iter().map(|(_, _, family)| *family).chain([whole]);
        for family in read {
            let entry = (family, whole, fingerprint);
            if self.families.len() < MOST_FAMILIES {
                self.families.push(entry);
            } else if let Some(oldest) = self.families.get_mut(self.next_family) {
                *oldest = entry;
                self.next_family = (self.next_family + 1) % MOST_FAMILIES;
            }
        }
    }

    /// Whether a parameter has turned out not to change pages.
    pub fn is_inert(&self, name: u64) -> bool {
        let parameter = self.parameters.iter().find(|parameter| parameter.hash == name);
        parameter.is_some_and(|parameter| parameter.same >= INERT_FROM && parameter.different == 0)
    }

    /// Whether a URL, given without its inert parameters, was read in some form.
    pub fn has_read(&self, stripped: u64) -> bool {
        self.families.iter().any(|(family, _, _)| *family == stripped)
    }

    /// Changes since it was last saved.
    pub fn unsaved(&self) -> u8 {
        self.unsaved
    }

    /// The form the notes keep.
    pub fn save(&mut self) -> Vec<u8> {
        self.unsaved = 0;
        let mut out = Writer::default();
        out.of_yield(&self.brought);
        out.number(self.patterns.len() as u64);
        for pattern in &self.patterns {
            out.word(pattern.hash);
            out.of_yield(&pattern.brought);
            out.number(pattern.quiet.into());
            pattern.recent.iter().for_each(|print| out.word(*print));
        }
        out.number(self.parameters.len() as u64);
        for parameter in &self.parameters {
            out.word(parameter.hash);
            out.0.extend([parameter.same, parameter.different]);
        }
        out.number(self.families.len() as u64);
        for (family, whole, print) in &self.families {
            [family, whole, print].iter().for_each(|word| out.word(**word));
        }
        out.number(self.next_family as u64);
        out.number(self.quiet.into());
        if let Some(vocabulary) = &self.vocabulary {
            out.0.extend(vocabulary.as_bytes());
        }
        out.0
    }

    /// Reads what [`HostHistory::save`] wrote; none if it is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Option<HostHistory> {
        let mut input = Reader(bytes);
        let mut host = HostHistory {
            brought: input.of_yield()?,
            ..HostHistory::default()
        };
        for _ in 0..input.length(MOST_PATTERNS)? {
            let mut pattern = Pattern {
                hash: input.word()?,
                brought: input.of_yield()?,
                quiet: input.number()?,
                recent: [0; RECENT],
            };
            for print in &mut pattern.recent {
                *print = input.word()?;
            }
            host.patterns.push(pattern);
        }
        for _ in 0..input.length(MOST_PARAMETERS)? {
            host.parameters.push(Parameter {
                hash: input.word()?,
                same: input.byte()?,
                different: input.byte()?,
            });
        }
        for _ in 0..input.length(MOST_FAMILIES)? {
            host.families.push((input.word()?, input.word()?, input.word()?));
        }
        host.next_family = input.length(MOST_FAMILIES)?;
        host.quiet = input.number()?;
        if !input.0.is_empty() {
            host.vocabulary = Some(Vocabulary::split_off(&mut input.0)?);
        }
        Some(host)
    }
}

/// What one registrable domain has brought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DomainHistory {
    /// Hosts found through links and redirects.
    pub hosts: u32,
    /// Relevant pages on any of them.
    pub relevant: u32,
}

impl DomainHistory {
    pub fn has_room(&self, most: u32) -> bool {
        self.hosts < most.saturating_add(self.relevant.saturating_mul(HOSTS_PER_RELEVANT))
    }

    pub fn to_bytes(self) -> Vec<u8> {
        [self.hosts.to_le_bytes(), self.relevant.to_le_bytes()].concat()
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<DomainHistory> {
        let (hosts, rest) = bytes.split_first_chunk::<4>()?;
        Some(DomainHistory {
            hosts: u32::from_le_bytes(*hosts),
            relevant: u32::from_le_bytes(*rest.first_chunk::<4>()?),
        })
    }
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn word(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }

    fn number(&mut self, number: u64) {
        self.0.extend((number as u32).to_le_bytes());
    }

    fn of_yield(&mut self, brought: &Yield) {
        let Yield {
            pages,
            copies,
            missing,
            alike,
            alike_relevant,
            relevant,
        } = *brought;
        for count in [pages, copies, missing, alike, alike_relevant, relevant] {
            self.number(count.into());
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn length(&mut self, most: usize) -> Option<usize> {
        let length = self.number()? as usize;
        (length <= most).then_some(length)
    }

    fn of_yield(&mut self) -> Option<Yield> {
        let [pages, copies, missing, alike, alike_relevant, relevant] = [
            self.number()?,
            self.number()?,
            self.number()?,
            self.number()?,
            self.number()?,
            self.number()?,
        ];
        let kinds = copies.checked_add(missing)?.checked_add(alike)?;
        (kinds <= pages).then_some(Yield {
            pages,
            copies,
            missing,
            alike,
            alike_relevant,
            relevant,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(fingerprint: u64, is_relevant: bool) -> Brought<'static> {
        Brought {
            fingerprint,
            is_relevant,
            is_duplicate: false,
            is_copy: false,
            words: &[],
        }
    }

    fn copy(is_relevant: bool) -> Brought<'static> {
        Brought {
            is_duplicate: true,
            is_copy: true,
            ..page(0xff, is_relevant)
        }
    }

    /// Well-spread fingerprints.
    fn print(number: u64) -> u64 {
        let number = number + 1;
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ number.rotate_left(32).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn read_until_spent(
        mut host: HostHistory,
        is_chain: bool,
        mut page_of: impl FnMut(u32) -> Brought<'static>,
    ) -> u32 {
        for number in 0..3_000 {
            if host.has_spent_pattern(1, is_chain, Some(200), 1) {
                return number;
            }
            host.note_page(1, false, &page_of(number));
        }
        3_000
    }

    #[test]
    fn a_pattern_that_leads_to_itself_ends_when_its_pages_are_alike() {
        let alike = |_| page(0xff, false);
        assert_eq!(read_until_spent(HostHistory::default(), true, alike), 66);
        assert_eq!(read_until_spent(HostHistory::default(), false, alike), 200);
        // Pages full of the topic's words are read for longer, but not for ever.
        let relevant = |_| page(0xff, true);
        assert_eq!(read_until_spent(HostHistory::default(), true, relevant), 286);
    }

    #[test]
    fn on_a_host_with_better_pages_it_ends_after_three() {
        let mut good = HostHistory::default();
        (0..3).for_each(|number| {
            good.note_page(9, true, &page(print(number), true));
        });
        assert_eq!(read_until_spent(good, true, |_| page(0xff, false)), 3);
    }

    #[test]
    fn a_pattern_of_copies_ends_soon_and_one_of_new_pages_at_its_allowance() {
        let host = HostHistory::default;
        assert_eq!(read_until_spent(host(), false, |_| copy(true)), 64);
        let new = |number: u32| page(print(number.into()), false);
        assert_eq!(read_until_spent(host(), true, new), 200);
        // Every tenth is relevant, and each has a word that none had before.
        let word: Vec<u16> = (0..3_000).collect();
        let word: &'static [u16] = word.leak();
        let rare = |number: u32| Brought {
            words: &word[number as usize..=number as usize],
            ..page(print(number.into()), number.is_multiple_of(10))
        };
        assert_eq!(read_until_spent(host(), true, rare), 3_000);
    }

    #[test]
    fn a_host_that_is_new_but_irrelevant_ends_at_its_allowance_and_a_seeds_host_does_not() {
        let mut host = HostHistory::default();
        let mut read = 0;
        while !host.has_spent(Some(500), 9_999, 9) {
            host.note_page(9, true, &page(print(read), false));
            read += 1;
        }
        assert_eq!(read, 500);
        assert!(!host.has_spent(None, 9_999, 9));
        (0..800).for_each(|_| {
            host.note_page(9, true, &copy(false));
        });
        assert!(host.has_spent(None, 9_999, 9), "most of it is not new");
    }

    #[test]
    fn pages_full_of_the_topics_words_end_when_they_bring_no_new_ones() {
        // All differ and all are relevant, but they are made of twenty words.
        let words: Vec<u16> = (0..20).collect();
        let words: &'static [u16] = words.leak();
        let generated = |number: u32| Brought {
            words,
            ..page(print(number.into()), true)
        };
        let read = read_until_spent(HostHistory::default(), false, generated);
        assert_eq!(read, LISTEN_FROM + 1 + QUIET_PATTERN);
        // Under ever new patterns they end with the host…
        let mut host = HostHistory::default();
        let mut read = 0;
        while !host.has_spent(Some(500), 20_000, 1) {
            host.note_page(read, false, &generated(read as u32));
            read += 1;
        }
        assert_eq!(read, u64::from(LISTEN_FROM + 1 + QUIET_HOST));
        // …and with words made of random letters at the most that a host may get.
        let mut host = HostHistory::default();
        let mut read = 0;
        while !host.has_spent(Some(500), 20_000, 1) {
            let new = [read as u16];
            let page = Brought {
                words: &new,
                ..page(print(read), true)
            };
            host.note_page(read, false, &page);
            read += 1;
        }
        assert_eq!(read, 20_000);
    }

    #[test]
    fn a_few_missing_pages_do_not_end_a_pattern() {
        let mut host = HostHistory::default();
        (0..5).for_each(|_| host.note_nothing(1));
        assert!(!host.has_spent_pattern(1, true, Some(200), 1));
        (0..300).for_each(|_| host.note_nothing(1));
        assert!(host.has_spent_pattern(1, false, Some(200), 1));
        assert!(!host.has_spent(Some(500), 9_999, 9));
    }

    #[test]
    fn a_parameter_that_changes_nothing_is_learnt_and_one_that_does_is_not() {
        let mut host = HostHistory::default();
        // /a?s=1 … /a?s=4 all show the same page, /b?id=1 … show different ones.
        for number in 1..=4_u64 {
            host.note_parameters(100 + number, &[(1, false, 50)], 9);
            host.note_parameters(200 + number, &[(2, true, 60)], print(number));
        }
        assert!(host.is_inert(1));
        assert!(!host.is_inert(2));
        assert!(host.has_read(50) && !host.has_read(51));
    }

    #[test]
    fn a_history_is_the_same_after_it_was_saved() {
        let mut host = HostHistory::default();
        for number in 0..300_u64 {
            host.note_page(number % 70, false, &page(print(number), number.is_multiple_of(9)));
            host.note_parameters(number, &[(number % 40, false, number / 3)], print(number));
        }
        let bytes = host.save();
        assert_eq!(HostHistory::from_bytes(&bytes), Some(host));
        assert_eq!(HostHistory::from_bytes(&bytes[..bytes.len() - 3]), None);
    }
}
