//! Maps pages to URLs and back, without a table of either.
//!
//! A host's name spells its place in syllables; a path ends in the page's number on its host. The words in between follow
//! from the page's nature, so a path is checked by generating it again: any other spelling is not a page.

use crate::synth::SynthWeb;
use crate::synth::rng::{PageRng, Purpose};
use crate::synth::web::SynthPage;

const CONSONANTS: [char; 16] = [
    'b', 'd', 'f', 'g', 'h', 'j', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z',
];
const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
const SYLLABLES: u64 = 80;

/// How hosts are named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Naming {
    syllables: u32,
    names: u64,
    scatter: u64,
    gather: u64,
}

impl Naming {
    /// Names for this many hosts.
    pub(crate) fn new(hosts: u32) -> Naming {
        let mut syllables = 3;
        while SYLLABLES.pow(syllables) < u64::from(hosts) {
            syllables += 1;
        }
        let names = SYLLABLES.pow(syllables);
        // Coprime to the number of names, so the mapping can be inverted. It gives neighbouring places unrelated names.
        let scatter = 297_121;
        Naming {
            syllables,
            names,
            scatter,
            gather: inverse(scatter, names),
        }
    }

    fn push_name(self, place: u32, out: &mut String) {
        let mut rest = u64::from(place) * self.scatter % self.names;
        for _ in 0..self.syllables {
            let syllable = (rest % SYLLABLES) as usize;
            rest /= SYLLABLES;
            out.extend(CONSONANTS.get(syllable / VOWELS.len()));
            out.extend(VOWELS.get(syllable % VOWELS.len()));
        }
        out.push_str(".test");
    }

    fn place(self, host: &str) -> Option<u64> {
        let name = host.strip_suffix(".test")?.as_bytes();
        if name.len() != 2 * self.syllables as usize {
            return None;
        }
        let mut scattered = 0;
        for pair in name.chunks_exact(2).rev() {
            let &[consonant, vowel] = pair else { return None };
            let consonant = CONSONANTS.iter().position(|c| *c == char::from(consonant))?;
            let vowel = VOWELS.iter().position(|v| *v == char::from(vowel))?;
            scattered = scattered * SYLLABLES + (consonant * VOWELS.len() + vowel) as u64;
        }
        Some((u128::from(scattered) * u128::from(self.gather) % u128::from(self.names)) as u64)
    }
}

/// The inverse of `number` modulo `whole`.
fn inverse(number: u64, whole: u64) -> u64 {
    let (mut old, mut new) = (i128::from(whole), i128::from(number));
    let (mut undo_old, mut undo) = (0_i128, 1_i128);
    while new != 0 {
        let times = old / new;
        (old, new) = (new, old - times * new);
        (undo_old, undo) = (undo, undo_old - times * undo);
    }
    undo_old.rem_euclid(i128::from(whole)) as u64
}

impl SynthWeb {
    /// The URL of a page.
    pub fn url(&self, page: u32) -> String {
        let mut url = String::with_capacity(48);
        self.push_url(page, &mut url);
        url
    }

    /// Appends the URL of a page.
    pub fn push_url(&self, page: u32, out: &mut String) {
        let host = self.layout.host(page);
        self.push_origin(host, out);
        self.push_path(host, page - self.layout.start(host), out);
    }

    /// The URL of a link's target.
    pub fn target_url(&self, target: SynthPage) -> String {
        let mut url = String::with_capacity(48);
        self.push_target_url(target, &mut url);
        url
    }

    /// Appends the URL of a link's target.
    pub fn push_target_url(&self, target: SynthPage, out: &mut String) {
        match target {
            SynthPage::Page(page) => self.push_url(page, out),
            SynthPage::Trap { host, n } => {
                self.push_origin(host, out);
                out.push_str("/calendar/");
                push_number(n, out);
            }
            SynthPage::Dead { host, n } => {
                self.push_origin(host, out);
                out.push_str("/gone/");
                push_number(n, out);
                out.push_str(".html");
            }
        }
    }

    /// Scheme and name of a host, by its number.
    pub(crate) fn push_origin(&self, host: u32, out: &mut String) {
        out.push_str(if self.is_https(host) {
            "https://"
        } else {
            "http://"
        });
        self.naming.push_name(self.layout.place(host), out);
    }

    pub(crate) fn is_https(&self, host: u32) -> bool {
        let share = self.settings.https;
        share > 0.0 && PageRng::new(self.settings.seed, Purpose::Scheme, u64::from(host)).chance(share)
    }

    /// A host's name, by its number.
    pub fn host_name(&self, host: u32) -> String {
        let mut name = String::with_capacity(16);
        self.naming.push_name(self.layout.place(host), &mut name);
        name
    }

    pub(crate) fn push_path(&self, host: u32, local: u32, out: &mut String) {
        out.push('/');
        if local == 0 {
            return;
        }
        let page = self.layout.start(host) + local;
        let mut rng = PageRng::new(self.settings.seed, Purpose::Slug, u64::from(page));
        let shows_topic = rng.chance(self.settings.url_signal);
        let roll = rng.number();
        let words = &self.slugs;
        let nature = self.nature_at(host, local);
        let (section, word) = if shows_topic {
            let list = nature
                .topic
                .and_then(|topic| words.topics.get(usize::from(topic)))
                .unwrap_or(&words.general);
            let genre = self.settings.genres.get(usize::from(nature.genre));
            (genre.map_or("page", |genre| genre.name.as_str()), list)
        } else {
            ("page", &words.general)
        };
        out.push_str(section);
        out.push('/');
        let frequent = list_head(word);
        let at = ((roll >> 32) * frequent.len() as u64) >> 32;
        out.push_str(frequent.get(at as usize).map_or("x", String::as_str));
        out.push('-');
        push_number(local, out);
        out.push_str(".html");
    }

    /// What is at a path of a host; `None` for paths this web never links to.
    pub fn find(&self, host: &str, path_and_query: &str) -> Option<SynthPage> {
        let place = u32::try_from(self.naming.place(host)?).ok()?;
        let host = self.layout.host_at(place)?;
        let start = self.layout.start(host);
        if path_and_query == "/" {
            return Some(SynthPage::Page(start));
        }
        if let Some(n) = path_and_query.strip_prefix("/calendar/") {
            let n = number(n)?;
            return self.has_trap(host).then_some(SynthPage::Trap { host, n });
        }
        if let Some(n) = path_and_query.strip_prefix("/gone/") {
            let n = number(n.strip_suffix(".html")?)?;
            return Some(SynthPage::Dead { host, n });
        }
        let (_, local) = path_and_query.strip_suffix(".html")?.rsplit_once('-')?;
        let local = number(local)?;
        if local == 0 || local >= self.layout.size(host) {
            return None;
        }
        let mut spelled = String::with_capacity(path_and_query.len());
        self.push_path(host, local, &mut spelled);
        (spelled == path_and_query).then_some(SynthPage::Page(start + local))
    }

    /// What is at a URL; `None` for URLs this web never links to, including those with the wrong scheme.
    pub fn find_url(&self, url: &str) -> Option<SynthPage> {
        let (scheme, rest) = url.split_once("://")?;
        let slash = rest.find('/')?;
        let (host, path) = rest.split_at(slash);
        let found = self.find(host, path)?;
        let https = self.is_https(self.host_of(found));
        (scheme == if https { "https" } else { "http" }).then_some(found)
    }
}

/// The words that slugs are made of: only frequent ones, as in titles.
fn list_head(words: &[String]) -> &[String] {
    words.get(..words.len().min(400)).unwrap_or(words)
}

/// Digits as we write them: no sign, no leading zero.
fn number(digits: &str) -> Option<u32> {
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    plain.then(|| digits.parse().ok()).flatten()
}

fn push_number(number: u32, out: &mut String) {
    let mut digits = [0_u8; 10];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        if let Some(digit) = digits.get_mut(at) {
            *digit = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend(digits.iter().skip(at).map(|digit| char::from(*digit)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_places_stand_for_each_other() {
        for hosts in [10, 600_000, 50_000_000] {
            let naming = Naming::new(hosts);
            for place in [0, 1, 2, hosts / 2, hosts - 1] {
                let mut name = String::new();
                naming.push_name(place, &mut name);
                assert_eq!(naming.place(&name), Some(u64::from(place)), "{name}");
            }
        }
        assert_eq!(Naming::new(10).place("example.com"), None);
        assert_eq!(Naming::new(10).place("ba.test"), None);
        assert_eq!(Naming::new(10).place("éèà.test"), None);
    }

    #[test]
    fn numbers_are_read_as_written_only() {
        let mut text = String::new();
        for n in [0, 9, 10, u32::MAX] {
            text.clear();
            push_number(n, &mut text);
            assert_eq!(number(&text), Some(n));
        }
        for bad in ["", "+1", "01", "4294967296", "1a"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }
}
