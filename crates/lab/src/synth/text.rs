//! The text of a page: its title, its paragraphs and lists, and the words of its links.
//!
//! Words are drawn from the page's topic, its genre and everyday words, by the shares in the settings. A descriptive anchor
//! takes words from its target's title, and the words around it are the target's too.
//!
//! Invariant: the links of the blocks, in order, are the page's links.

use std::ops::Range;

use crate::synth::SynthWeb;
use crate::synth::nature::{Nature, PageKind};
use crate::synth::rng::{PageRng, Purpose};
use crate::synth::settings::TermLists;
use crate::synth::web::{SynthLink, SynthPage};
use crate::synth::words::{Words, Zipf};

/// The kind of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockKind {
    /// The heading, which is the title.
    Heading,
    /// The bar with the link to the home page.
    Navigation,
    /// Running text.
    Paragraph,
    /// An item of a list.
    Item,
}

/// A link in a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockLink {
    /// Where it leads.
    pub link: SynthLink,
    /// The byte range of its anchor in the block's text.
    pub anchor: Range<usize>,
}

/// A block of a page's visible text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SynthBlock {
    /// Its kind.
    pub kind: BlockKind,
    /// Its text, without markup.
    pub text: String,
    /// Its links, in order.
    pub links: Vec<BlockLink>,
}

/// Shared tables from which ranks are drawn.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    general: Zipf,
    topical: Zipf,
    little: Zipf,
    layer: Zipf,
}

impl Draws {
    pub(crate) fn new(flat_words: bool) -> Draws {
        Draws {
            general: if flat_words {
                Zipf::flat(1_500)
            } else {
                Zipf::new(1_500)
            },
            topical: Zipf::new(40),
            little: Zipf::new(40),
            layer: Zipf::new(30),
        }
    }
}

/// Number of words in a sentence of running text.
const SENTENCE: u32 = 14;
/// Number of words in a paragraph without links.
const PARAGRAPH: u32 = 45;

/// The source that words are drawn from.
struct Voice<'a> {
    page: u32,
    words: &'a Words,
    nature: Nature,
    /// Some pages keep to their topic more than others.
    strength: f64,
    /// The other topic that some words come from.
    stray: u16,
}

/// Which list of terms a word comes from.
#[derive(Clone, Copy)]
enum ListKind {
    Topic,
    Genre,
}

impl SynthWeb {
    /// The title of a page.
    pub fn title(&self, page: u32) -> String {
        let mut title = String::with_capacity(40);
        self.push_title(page, 5, &mut title);
        title
    }

    /// The visible text of a page, block by block.
    pub fn blocks(&self, page: u32) -> Vec<SynthBlock> {
        let mut links = Vec::new();
        self.links(page, &mut links);
        self.blocks_of(page, &links)
    }

    /// As [`blocks`](SynthWeb::blocks), for a caller that already has the page's links.
    pub fn blocks_of(&self, page: u32, links: &[SynthLink]) -> Vec<SynthBlock> {
        let seed = self.settings.seed;
        let host = self.layout.host(page);
        let mut rng = PageRng::new(seed, Purpose::Text, u64::from(page));
        let voice = self.voice(page, host, &mut rng);
        let mut left = f64::from(self.settings.words) * (0.5 + rng.fraction());
        let mut blocks = Vec::with_capacity(links.len() + 4);
        let mut rest = links;
        let home = SynthPage::Page(self.layout.start(host));
        if let Some((first, others)) = links.split_first()
            && first.target == home
        {
            let mut block = SynthBlock::new(BlockKind::Navigation);
            block.push_anchor(*first, voice.words.tongue.home());
            blocks.push(block);
            rest = others;
        }
        let mut heading = SynthBlock::new(BlockKind::Heading);
        heading.text = self.title(page);
        blocks.push(heading);

        // All links of a list or hub are items; other pages have half of theirs in the text.
        let inline = if self.kind(page) == PageKind::Plain {
            rest.len() / 2
        } else {
            0
        };
        let (inline, listed) = rest.split_at(inline);
        let mut inline = inline.iter();
        let mut used = listed.len() as f64 * 5.0;
        while let Some(&link) = inline.next() {
            let mut block = SynthBlock::new(BlockKind::Paragraph);
            let mut words = self.push_sentence(&voice, 6, &mut rng, &mut block.text);
            words += self.push_link(page, link, &voice, &mut block);
            if let Some(&second) = inline.next() {
                words += self.push_words(&voice, 6, &mut rng, &mut block.text);
                words += self.push_link(page, second, &voice, &mut block);
            }
            words += self.push_sentence(&voice, SENTENCE, &mut rng, &mut block.text);
            used += f64::from(words);
            blocks.push(block);
        }
        left -= used;
        while left >= 1.0 {
            let mut block = SynthBlock::new(BlockKind::Paragraph);
            let words = PARAGRAPH.min(left as u32);
            let mut written = 0;
            while written < words {
                let sentence = SENTENCE.min(words - written);
                written += self.push_sentence(&voice, sentence.max(1), &mut rng, &mut block.text);
            }
            left -= f64::from(words);
            blocks.push(block);
        }
        for &link in listed {
            let mut block = SynthBlock::new(BlockKind::Item);
            self.push_link(page, link, &voice, &mut block);
            blocks.push(block);
        }
        blocks
    }

    /// The words of the language of a host.
    pub(crate) fn words_of(&self, host: u32) -> &Words {
        let mut at = 0;
        if self.words.len() > 1 {
            let mut rng = PageRng::new(self.settings.seed, Purpose::Language, u64::from(host));
            at = usize::from(self.language_draws.draw(rng.fraction())).min(self.words.len() - 1);
        }
        self.words.get(at).unwrap_or(&self.slugs)
    }

    fn voice(&self, page: u32, host: u32, rng: &mut PageRng) -> Voice<'_> {
        Voice {
            page,
            words: self.words_of(host),
            nature: self.nature_at(host, page - self.layout.start(host)),
            strength: 0.5 + rng.fraction(),
            stray: rng.below(u32::from(self.topics())) as u16,
        }
    }

    /// Up to `most` words of the page's title.
    fn push_title(&self, page: u32, most: usize, out: &mut String) {
        let host = self.layout.host(page);
        let nature = self.nature_at(host, page - self.layout.start(host));
        let words = self.words_of(host);
        let mut rng = PageRng::new(self.settings.seed, Purpose::Title, u64::from(page));
        let length = (2 + rng.below(4) as usize).min(most);
        let begin = out.len();
        for at in 0..length {
            let roll = rng.number();
            let word = match at {
                // Terms stand in the text, where their number is known.
                _ if self.settings.term_lists.is_some() => None,
                0 | 2 => self.topical_word(words, nature, roll),
                1 => genre_word(words, nature, roll),
                _ => None,
            };
            let word = word.unwrap_or_else(|| general_word(words, &self.draws, roll));
            if at > 0 {
                out.push_str(words.tongue.space());
            }
            out.push_str(word);
        }
        capitalise(out, begin);
    }

    /// A word of the topic or, for pages that lead to it, of the layer.
    fn topical_word<'a>(&self, words: &'a Words, nature: Nature, roll: u64) -> Option<&'a str> {
        if let Some(topic) = nature.topic {
            let list = words.topics.get(usize::from(topic))?;
            return list.get(self.draws.topical.rank(roll)).map(String::as_str);
        }
        let layer = nature.layer?;
        let list = words.layers.get(usize::from(layer))?;
        list.get(self.draws.layer.rank(roll)).map(String::as_str)
    }

    fn word<'a>(&'a self, voice: &Voice<'a>, rng: &mut PageRng) -> &'a str {
        let settings = &self.settings;
        let roll = rng.number();
        let mut fraction = rng.fraction();
        let topical = settings.topic_words * voice.strength;
        if let Some(lists) = &settings.term_lists {
            let kind = if fraction < topical {
                Some((ListKind::Topic, true))
            } else if fraction < topical + settings.genre_words {
                Some((ListKind::Genre, true))
            } else if fraction < topical + settings.genre_words + settings.noise_words {
                let kind = if roll & 2 == 0 {
                    ListKind::Topic
                } else {
                    ListKind::Genre
                };
                Some((kind, false))
            } else {
                None
            };
            let term = kind.and_then(|(kind, is_own)| match is_own {
                true => self.listed_term(voice, lists, kind, rng),
                false => self.mentioned_term(voice, lists, kind, rng),
            });
            return term.unwrap_or_else(|| self.plain_word(voice, roll));
        }
        if fraction < topical
            && let Some(word) = self.topical_word(voice.words, voice.nature, roll)
        {
            return word;
        }
        fraction -= topical;
        if (0.0..settings.genre_words).contains(&fraction)
            && let Some(word) = genre_word(voice.words, voice.nature, roll)
        {
            return word;
        }
        fraction -= settings.genre_words;
        if (0.0..settings.noise_words).contains(&fraction) {
            let list = voice.words.topics.get(usize::from(voice.stray));
            let word = list.and_then(|list| list.get(self.draws.topical.rank(roll)));
            return word.map_or("", String::as_str);
        }
        self.plain_word(voice, roll)
    }

    /// One of the terms that a page uses of the list of its topic or genre; `None` if it has no such list.
    fn listed_term<'a>(
        &self,
        voice: &Voice<'a>,
        lists: &TermLists,
        kind: ListKind,
        rng: &mut PageRng,
    ) -> Option<&'a str> {
        let Nature { topic, genre, .. } = voice.nature;
        let (list, purpose) = match kind {
            ListKind::Topic => (voice.words.topics.get(usize::from(topic?))?, Purpose::TopicTerms),
            ListKind::Genre => (voice.words.genres.get(usize::from(genre))?, Purpose::GenreTerms),
        };
        let mut drawn = PageRng::new(self.settings.seed, purpose, u64::from(voice.page));
        let is_wanted = self.settings.tasks.iter().any(|task| {
            let name = self
                .settings
                .genres
                .get(usize::from(genre))
                .map(|genre| &genre.name);
            task.topic == topic && task.genre.as_ref() == name
        });
        let [least, most] = if is_wanted { lists.wanted } else { lists.single };
        let share = least + (most - least) * drawn.fraction();
        let used = ((list.len() as f64 * share).round() as u32).max(1);
        // The terms are dealt in an order of the page's own; it uses the first ones.
        let place = rng.below(used);
        let start = drawn.below(list.len() as u32);
        let step = coprime_step(list.len() as u32, drawn.below(list.len() as u32));
        let at = (start + place * step) % list.len().max(1) as u32;
        list.get(at as usize).map(String::as_str)
    }

    /// A term of a topic or a genre that the page does not have; `None` if it mentions none.
    fn mentioned_term<'a>(
        &self,
        voice: &Voice<'a>,
        lists: &TermLists,
        kind: ListKind,
        rng: &mut PageRng,
    ) -> Option<&'a str> {
        let (all, own, purpose) = match kind {
            ListKind::Topic => (&voice.words.topics, voice.nature.topic, Purpose::TopicTerms),
            ListKind::Genre => (&voice.words.genres, Some(voice.nature.genre), Purpose::GenreTerms),
        };
        let mut drawn = PageRng::new(self.settings.seed, purpose, !u64::from(voice.page));
        let chance = drawn.fraction();
        let terms = u32::from(chance < lists.mentions) + u32::from(chance < lists.mentions / 2.0);
        let other = drawn.below(all.len() as u32) as u16;
        if terms == 0 || Some(other) == own {
            return None;
        }
        let list = all.get(usize::from(other))?;
        let first = drawn.below(list.len() as u32);
        let at = (first + rng.below(terms)) % list.len().max(1) as u32;
        list.get(at as usize).map(String::as_str)
    }

    /// A word that belongs to no topic and no genre.
    fn plain_word<'a>(&'a self, voice: &Voice<'a>, roll: u64) -> &'a str {
        if roll & 1 == 0 {
            let little = voice.words.tongue.little();
            let rank = self.draws.little.rank(roll) % little.len().max(1);
            return little.get(rank).copied().unwrap_or_default();
        }
        general_word(voice.words, &self.draws, roll)
    }

    /// Appends words of the page; returns how many.
    fn push_words(&self, voice: &Voice<'_>, words: u32, rng: &mut PageRng, out: &mut String) -> u32 {
        let space = voice.words.tongue.space();
        for _ in 0..words {
            if !out.is_empty() && !out.ends_with(' ') {
                out.push_str(space);
            }
            out.push_str(self.word(voice, rng));
        }
        words
    }

    /// As [`push_words`](Self::push_words), with a capital letter and a full stop.
    fn push_sentence(&self, voice: &Voice<'_>, words: u32, rng: &mut PageRng, out: &mut String) -> u32 {
        if !out.is_empty() && !out.ends_with(' ') {
            out.push_str(voice.words.tongue.space());
        }
        let begin = out.len();
        self.push_words(voice, words, rng, out);
        capitalise(out, begin);
        out.push_str(voice.words.tongue.full_stop());
        words
    }

    /// Appends a link with words before and after it; returns how many words.
    fn push_link(&self, page: u32, link: SynthLink, voice: &Voice<'_>, block: &mut SynthBlock) -> u32 {
        let (kind, a, b) = match link.target {
            SynthPage::Page(target) => (0, target, 0),
            SynthPage::Trap { host, n } => (1, host, n),
            SynthPage::Dead { host, n } => (2, host, n),
        };
        let number = (u64::from(page) << 32 | u64::from(a)) ^ (u64::from(b) << 7) ^ (kind << 62);
        let mut rng = PageRng::new(self.settings.seed, Purpose::Anchor, number);
        let is_descriptive = rng.chance(self.settings.anchor_signal);
        let mut anchor = String::new();
        let mut about = None;
        match link.target {
            SynthPage::Page(target) if is_descriptive => {
                self.push_title(target, 3, &mut anchor);
                let host = self.layout.host(target);
                let mut voice = self.voice(target, host, &mut rng);
                voice.strength = 2.0;
                about = Some(voice);
            }
            SynthPage::Trap { n, .. } => anchor = format!("{} {n}", voice.words.tongue.calendar()),
            _ => {
                let dull = voice.words.tongue.dull_anchors();
                let at = rng.below(dull.len() as u32) as usize;
                anchor.push_str(dull.get(at).copied().unwrap_or_default());
            }
        }
        let about = about.as_ref().unwrap_or(voice);
        let mut words = self.push_words(about, 2, &mut rng, &mut block.text);
        if !block.text.ends_with(' ') {
            block.text.push(' ');
        }
        block.push_anchor(link, &anchor);
        block.text.push(' ');
        words += self.push_words(about, 2, &mut rng, &mut block.text);
        words + 2
    }
}

impl SynthBlock {
    fn new(kind: BlockKind) -> SynthBlock {
        SynthBlock {
            kind,
            text: String::new(),
            links: Vec::new(),
        }
    }

    fn push_anchor(&mut self, link: SynthLink, anchor: &str) {
        let start = self.text.len();
        self.text.push_str(anchor);
        self.links.push(BlockLink {
            link,
            anchor: start..self.text.len(),
        });
    }
}

fn genre_word(words: &Words, nature: Nature, roll: u64) -> Option<&str> {
    let list = words.genres.get(usize::from(nature.genre))?;
    let at = ((roll >> 32) * list.len() as u64) >> 32;
    list.get(at as usize).map(String::as_str)
}

/// A number without a common divisor with `length`, so that steps of it visit every place of a list once.
fn coprime_step(length: u32, wish: u32) -> u32 {
    let divides = |a: u32, b: u32| {
        let (mut a, mut b) = (a, b);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    (wish.max(1)..)
        .find(|step| divides(*step, length.max(1)) == 1)
        .unwrap_or(1)
}

fn general_word<'a>(words: &'a Words, draws: &Draws, roll: u64) -> &'a str {
    let rank = draws.general.rank(roll);
    words.general.get(rank).map_or("", String::as_str)
}

/// Capitalises the letter at `begin` if it is a lower-case ASCII letter.
fn capitalise(text: &mut str, begin: usize) {
    if let Some(first) = text.get_mut(begin..begin + 1) {
        first.make_ascii_uppercase();
    }
}
