//! The language of a page.
//!
//! Trigrams distinguish nearly seventy languages, but cost more than the rest of parsing a page. So the page's words
//! are first looked up in our stop lists: if a large share of them are function words of one major language, and no
//! other language comes close, that is the language. The vote only decides for languages without close relatives that
//! lack a list (Bulgarian would pass for Russian, Czech for Polish, Afrikaans for Dutch), with fewer words if the page declares
//! the same language. Everything else, and every doubtful case, goes to the trigrams. Chinese, Japanese and Korean are recognised by their script before that: a
//! page about a program has more letters of code than characters of prose, and trigrams would call it English. The
//! language a page declares is used only if all of these fail.

use std::sync::LazyLock;

use scenthound_types::text::StopList;
use scenthound_types::{Language, Text, Token};
use whatlang::Lang;

/// How much text the trigrams are taken from.
pub(crate) const SAMPLE_BYTES: usize = 2 << 10;

/// How many words vote, spread evenly over the page.
const VOTERS: usize = 400;
/// With fewer words than this there is no vote.
const FEWEST_VOTERS: u32 = 40;

/// With fewer words than this the script is not considered.
const FEWEST_IN_SCRIPT: u32 = 20;

/// The maximum share of words, in percent, in a script that no eligible language uses.
const MOST_STRANGERS: u32 = 15;

/// The languages that the vote may decide for, and the minimum share of words, in percent, that must be in their list
/// (half of that if no other language gets a quarter of the votes).
const ELIGIBLE: [(&str, u32); 6] = [
    ("en", 22),
    ("de", 30),
    ("es", 30),
    ("fr", 30),
    ("it", 30),
    ("pt", 30),
];

/// If the page declares the language, this fraction of the share is enough.
const DECLARED: u32 = 4;

/// Detects the language of a page from its words and a sample of its text, or falls back on what the page declares.
pub(crate) fn detect(text: &Text, sample: &str, declared: Option<&str>) -> Option<Language> {
    let declared =
        declared.and_then(|declared| Language::from_code(declared.trim().split(['-', '_']).next()?));
    let census = VOTE.count(text);
    by_script(&census)
        .or_else(|| VOTE.decide(&census, declared))
        .or_else(|| by_trigrams(sample))
        .or(declared)
}

/// What a sample of a page's words says about its language.
#[derive(Default)]
struct Census {
    words: u32,
    /// Words with East Asian characters, by script.
    han: u32,
    kana: u32,
    hangul: u32,
    /// Words that begin with a character of three bytes or more.
    strangers: u32,
    /// For each language with a list of function words: its share of the votes, and how many words are in its list.
    shares: [u32; 32],
    hits: [u32; 32],
}

impl Census {
    /// Counts a word that is not all ASCII by its script.
    fn count_script(&mut self, spelling: &str) {
        let has = |is_in: fn(char) -> bool| spelling.chars().any(is_in);
        if has(|c| matches!(c, '\u{3041}'..='\u{30ff}')) {
            self.kana += 1;
        } else if has(|c| matches!(c, '\u{ac00}'..='\u{d7a3}')) {
            self.hangul += 1;
        } else if has(|c| matches!(c, '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3134f}')) {
            self.han += 1;
        }
    }
}

/// The language of a page on which at least half of the words are pairs of East Asian characters: Korean if most of
/// them are Hangul, Japanese if one in ten has a kana, otherwise Chinese.
fn by_script(census: &Census) -> Option<Language> {
    let all = census.han + census.kana + census.hangul;
    if census.words < FEWEST_IN_SCRIPT || all * 2 < census.words {
        return None;
    }
    Language::from_code(if census.hangul * 2 > all {
        "ko"
    } else if census.kana * 10 >= all {
        "ja"
    } else {
        "zh"
    })
}

fn by_trigrams(sample: &str) -> Option<Language> {
    let info = whatlang::detect(sample)?;
    info.is_reliable().then(|| code(info.lang())).flatten()
}

/// Every word of every stop list, with the lists it is in.
struct Vote {
    languages: Vec<Language>,
    /// Open-addressed, at most a quarter full, with a power-of-two length. Bit n of a slot's lists is the nth
    /// language.
    slots: Vec<(Token, u32)>,
    /// A bit for each of some hashes. The table is too large for the processor's first cache, and most words are in no list.
    filter: Box<[u64; FILTER_BITS / 64]>,
}

const FILTER_BITS: usize = 1 << 16;

/// The place of a token's bit. The table uses the lowest bits of the hash, so these are others.
fn filter_bit(token: Token) -> (usize, u64) {
    let bit = (token.hash() >> 48) as usize;
    (bit / 64, 1 << (bit % 64))
}

static VOTE: LazyLock<Vote> = LazyLock::new(|| {
    let lists: Vec<(Language, &StopList)> = StopList::all().collect();
    let words: usize = lists.iter().map(|(_, list)| list.tokens().len()).sum();
    let mut vote = Vote {
        languages: lists.iter().map(|(language, _)| *language).collect(),
        slots: vec![(Token::BREAK, 0); (words * 4).next_power_of_two()],
        filter: Box::new([0; FILTER_BITS / 64]),
    };
    for (index, (_, list)) in lists.iter().enumerate() {
        for token in list.tokens() {
            let at = vote.place(*token);
            if let Some(slot) = vote.slots.get_mut(at) {
                *slot = (*token, slot.1 | 1 << index);
            }
            let (at, bit) = filter_bit(*token);
            if let Some(bits) = vote.filter.get_mut(at) {
                *bits |= bit;
            }
        }
    }
    vote
});

impl Vote {
    /// The slot of a token, or the empty slot where it would go.
    fn place(&self, token: Token) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = token.hash() as usize & mask;
        while let Some((taken, _)) = self.slots.get(at)
            && *taken != token
            && taken.is_word()
        {
            at = (at + 1) & mask;
        }
        at
    }

    /// The lists that a word is in.
    fn lists(&self, token: Token) -> u32 {
        let (at, bit) = filter_bit(token);
        if self.filter.get(at).is_none_or(|bits| bits & bit == 0) {
            return 0;
        }
        self.slots.get(self.place(token)).map_or(0, |(_, lists)| *lists)
    }

    /// Looks at some words of a page, spread evenly over it.
    fn count(&self, text: &Text) -> Census {
        let mut census = Census::default();
        let step = text.tokens().len().div_ceil(VOTERS).max(1);
        for (token, position) in text.tokens().iter().step_by(step).zip((0_u32..).step_by(step)) {
            if !token.is_word() {
                continue;
            }
            census.words += 1;
            let spelling = text.spelling(position);
            if !spelling.is_ascii() {
                census.strangers += u32::from(spelling.bytes().next().is_some_and(|b| b >= 0xe0));
                census.count_script(spelling);
            }
            let lists = self.lists(*token);
            // A word shared by several languages says less about each of them.
            let share = 1000 / lists.count_ones().max(1);
            let mut rest = lists;
            while rest != 0 {
                let language = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if let (Some(shares), Some(hits)) =
                    (census.shares.get_mut(language), census.hits.get_mut(language))
                {
                    *shares += share;
                    *hits += 1;
                }
            }
        }
        census
    }

    fn decide(&self, census: &Census, declared: Option<Language>) -> Option<Language> {
        let Census {
            words: voters,
            strangers,
            shares,
            hits,
            ..
        } = census;
        // Many words in scripts of three-byte characters: a page in another language that quotes one of ours.
        if *voters < FEWEST_VOTERS || strangers * 100 > voters * MOST_STRANGERS {
            return None;
        }
        let (best, share) = shares.iter().enumerate().max_by_key(|(_, share)| **share)?;
        let second = shares
            .iter()
            .enumerate()
            .filter(|(language, _)| *language != best)
            .map(|(_, share)| *share)
            .max()?;
        let language = *self.languages.get(best)?;
        let needed = ELIGIBLE.iter().find(|(code, _)| *code == language.code())?.1;
        let hits = hits.get(best)? * 100;
        // Lists of names and links have fewer function words; the lead must then be larger.
        let clear = hits >= needed * voters && *share >= 2 * second;
        let lone = hits * 2 >= needed * voters && *share >= 4 * second;
        // What a page declares is often wrong, but not if its function words say the same.
        let agreed = declared == Some(language) && hits * DECLARED >= needed * voters && *share >= 2 * second;
        (clear || lone || agreed).then_some(language)
    }
}

fn code(lang: Lang) -> Option<Language> {
    Language::from_code(match lang {
        Lang::Afr => "af",
        Lang::Aka => "ak",
        Lang::Amh => "am",
        Lang::Ara => "ar",
        Lang::Aze => "az",
        Lang::Bel => "be",
        Lang::Ben => "bn",
        Lang::Bul => "bg",
        Lang::Cat => "ca",
        Lang::Ces => "cs",
        Lang::Cmn => "zh",
        Lang::Dan => "da",
        Lang::Deu => "de",
        Lang::Ell => "el",
        Lang::Eng => "en",
        Lang::Epo => "eo",
        Lang::Est => "et",
        Lang::Fin => "fi",
        Lang::Fra => "fr",
        Lang::Guj => "gu",
        Lang::Heb => "he",
        Lang::Hin => "hi",
        Lang::Hrv => "hr",
        Lang::Hun => "hu",
        Lang::Hye => "hy",
        Lang::Ind => "id",
        Lang::Ita => "it",
        Lang::Jav => "jv",
        Lang::Jpn => "ja",
        Lang::Kan => "kn",
        Lang::Kat => "ka",
        Lang::Khm => "km",
        Lang::Kor => "ko",
        Lang::Lat => "la",
        Lang::Lav => "lv",
        Lang::Lit => "lt",
        Lang::Mal => "ml",
        Lang::Mar => "mr",
        Lang::Mkd => "mk",
        Lang::Mya => "my",
        Lang::Nep => "ne",
        Lang::Nld => "nl",
        Lang::Nob => "no",
        Lang::Ori => "or",
        Lang::Pan => "pa",
        Lang::Pes => "fa",
        Lang::Pol => "pl",
        Lang::Por => "pt",
        Lang::Ron => "ro",
        Lang::Rus => "ru",
        Lang::Sin => "si",
        Lang::Slk => "sk",
        Lang::Slv => "sl",
        Lang::Sna => "sn",
        Lang::Spa => "es",
        Lang::Srp => "sr",
        Lang::Swe => "sv",
        Lang::Tam => "ta",
        Lang::Tel => "te",
        Lang::Tgl => "tl",
        Lang::Tha => "th",
        Lang::Tuk => "tk",
        Lang::Tur => "tr",
        Lang::Ukr => "uk",
        Lang::Urd => "ur",
        Lang::Uzb => "uz",
        Lang::Vie => "vi",
        Lang::Yid => "yi",
        Lang::Zul => "zu",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_beats_the_declaration() {
        let english = "The quick brown fox jumps over the lazy dog while the farmer looks at the weather and thinks about his fields.";
        assert_eq!(
            detect(&Text::default(), english, Some("de")),
            Language::from_code("en")
        );
        assert_eq!(
            detect(&Text::default(), "", Some("pt-BR")),
            Language::from_code("pt")
        );
        assert_eq!(detect(&Text::default(), "42", None), None);
    }

    #[test]
    fn prose_between_code_is_recognised_by_its_script() {
        let told = |prose: &str| {
            let mut words = Text::default();
            let code = "let result = match parse(input) { Ok(value) => value, Err(error) => return Err(error.into()) };";
            words.push(&format!("{prose} {code} {prose}"));
            detect(&words, code, None).map(|language| language.to_string())
        };
        assert_eq!(
            told("如果解析失败，就把错误返回给调用它的函数，否则继续往下执行。").as_deref(),
            Some("zh")
        );
        assert_eq!(
            told("解析に失敗したときは、エラーを呼び出し元に返します。成功すれば先へ進みます。").as_deref(),
            Some("ja")
        );
        assert_eq!(
            told("분석에 실패하면 오류를 호출한 함수로 돌려주고 그렇지 않으면 계속 실행합니다.").as_deref(),
            Some("ko")
        );
        // An English page that mentions a name in Chinese is English.
        let english = "This is the house that was built by the people who had lived in it for many years, 老房子 by name.";
        assert_ne!(told(english).as_deref(), Some("zh"));
    }

    #[test]
    fn a_declaration_counts_if_some_function_words_agree() {
        let mut words = Text::default();
        let names =
            "lecture slides homework grading syllabus projects reading textbook instructor schedule exam ";
        words.push(&format!("{names} for the {names} of a {names} to {names}"));
        let census = VOTE.count(&words);
        let decide = |declared: Option<&str>| VOTE.decide(&census, declared.and_then(Language::from_code));
        assert_eq!(decide(None), None);
        assert_eq!(decide(Some("en")), Language::from_code("en"));
        assert_eq!(decide(Some("de")), None);
    }

    #[test]
    fn grammar_votes_for_its_language() {
        let vote = |text: &str| {
            let mut words = Text::default();
            words.push(text);
            VOTE.decide(&VOTE.count(&words), None)
                .map(|language| language.to_string())
        };
        let english = "This is the house that was built by the people who had lived in it for many years, and it is now
            one of the oldest in the town. If you come from the north you will see it on the left side of the road, before
            the bridge over the river. They say that no other house in this part of the country has been so well kept.";
        let portuguese = "Esta é a casa que foi construída pelas pessoas que moravam nela havia muitos anos, e agora é uma das
            mais antigas da cidade. Se você vem do norte, vai ver a casa no lado esquerdo da estrada, antes da ponte sobre o
            rio. Dizem que nenhuma outra casa desta parte do país foi tão bem conservada como esta, e que os donos não a vendem.";
        assert_eq!(vote(english).as_deref(), Some("en"));
        assert_eq!(vote(portuguese).as_deref(), Some("pt"));
        assert_eq!(
            vote("data systems network page index home contact").as_deref(),
            None
        );
        assert_eq!(
            vote(&"заглавие на страницата и за да се види от кого е ".repeat(20)).as_deref(),
            None
        );
    }
}
