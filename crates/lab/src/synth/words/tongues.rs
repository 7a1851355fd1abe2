//! How the languages of a synthetic web are written: function words, made-up words, spaces and full stops.

use scenthound_types::text::Language;

/// A language we can write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tongue {
    English,
    Portuguese,
    Chinese,
    Japanese,
}

/// The language with this code; `None` for those we cannot write.
pub(crate) fn tongue(language: Language) -> Option<Tongue> {
    match language.code() {
        "en" => Some(Tongue::English),
        "pt" => Some(Tongue::Portuguese),
        "zh" => Some(Tongue::Chinese),
        "ja" => Some(Tongue::Japanese),
        _ => None,
    }
}

const ENGLISH: [&str; 40] = [
    "ba", "ben", "ca", "cor", "da", "del", "dro", "fe", "fin", "ga", "gle", "hal", "ho", "jo", "ka", "ker",
    "la", "len", "lo", "ma", "mer", "mo", "na", "nel", "or", "pa", "pel", "qui", "ra", "ren", "ro", "sa",
    "sil", "ta", "tem", "tor", "va", "ven", "wi", "zo",
];
const PORTUGUESE: [&str; 40] = [
    "ba", "bei", "ca", "cão", "ço", "da", "dei", "do", "fa", "for", "ga", "gui", "ja", "jo", "la", "lha",
    "lho", "ma", "mei", "mo", "na", "nha", "nho", "pa", "pei", "qua", "ra", "rei", "ro", "sa", "sei", "so",
    "ta", "tei", "tu", "va", "vei", "vo", "xa", "zé",
];
const KATAKANA: [&str; 40] = [
    "ア", "イ", "ウ", "エ", "オ", "カ", "キ", "ク", "ケ", "コ", "サ", "シ", "ス", "セ", "ソ", "タ", "チ",
    "ツ", "テ", "ト", "ナ", "ニ", "ネ", "ノ", "ハ", "ヒ", "フ", "ヘ", "ホ", "マ", "ミ", "ム", "メ", "モ",
    "ヤ", "ユ", "ラ", "リ", "ル", "レ",
];
/// Common characters, in arbitrary order.
const HAN: &str = "山水火木土金石田竹米花草林森河海湖島橋路門窗屋城村市國家園校師生書文字詩歌畫琴棋劍刀弓車馬牛羊魚鳥虎龍\
鳳龜蛇鼠兔猴雞狗豬春夏秋冬日月星雲雨雪風雷電光明暗紅黃藍綠白黑紫青東西南北中前後左右上下內外高低長短大小多少新舊古今早晚天地\
父母兄弟姐妹友客王";

const LITTLE_ENGLISH: &[&str] = &[
    "the", "of", "and", "to", "a", "in", "that", "it", "is", "was", "for", "with", "as", "on", "be", "at",
    "by", "this", "had", "not", "are", "but", "from", "or", "have", "they", "which", "one", "you", "were",
    "all", "there", "would", "their", "when", "who", "will", "more", "about", "into",
];
const LITTLE_PORTUGUESE: &[&str] = &[
    "de", "a", "o", "que", "e", "do", "da", "em", "um", "para", "com", "não", "uma", "os", "no", "se", "na",
    "por", "mais", "as", "dos", "como", "mas", "ao", "ele", "das", "à", "seu", "sua", "ou", "quando",
    "muito", "nos", "já", "eu", "também", "só", "pelo", "pela", "até",
];
const LITTLE_CHINESE: &[&str] = &[
    "的", "是", "在", "了", "和", "有", "也", "就", "都", "而", "與", "為", "這個", "我們", "他們", "可以",
    "沒有", "因為", "所以", "如果",
];
const LITTLE_JAPANESE: &[&str] = &[
    "の", "は", "を", "に", "が", "と", "で", "も", "から", "まで", "です", "ます", "した", "して", "こと",
    "ある", "する", "なる", "この", "その",
];

/// Anchors that say nothing about their target.
const DULL_ENGLISH: &[&str] = &[
    "read more",
    "click here",
    "next",
    "more",
    "details",
    "this page",
    "continue",
];
const DULL_PORTUGUESE: &[&str] = &[
    "leia mais",
    "clique aqui",
    "próximo",
    "mais",
    "detalhes",
    "esta página",
];
const DULL_CHINESE: &[&str] = &["更多", "按這裡", "下一頁", "詳細", "本頁", "繼續"];
const DULL_JAPANESE: &[&str] = &["もっと見る", "こちら", "次へ", "詳細", "続きを読む"];

impl Tongue {
    /// The function words of its sentences.
    pub(crate) fn little(self) -> &'static [&'static str] {
        match self {
            Tongue::English => LITTLE_ENGLISH,
            Tongue::Portuguese => LITTLE_PORTUGUESE,
            Tongue::Chinese => LITTLE_CHINESE,
            Tongue::Japanese => LITTLE_JAPANESE,
        }
    }

    /// Anchors that say nothing about their target.
    pub(crate) fn dull_anchors(self) -> &'static [&'static str] {
        match self {
            Tongue::English => DULL_ENGLISH,
            Tongue::Portuguese => DULL_PORTUGUESE,
            Tongue::Chinese => DULL_CHINESE,
            Tongue::Japanese => DULL_JAPANESE,
        }
    }

    /// The anchor of the link to the home page.
    pub(crate) fn home(self) -> &'static str {
        match self {
            Tongue::English => "Home",
            Tongue::Portuguese => "Início",
            Tongue::Chinese => "首頁",
            Tongue::Japanese => "トップ",
        }
    }

    /// What calendars are called.
    pub(crate) fn calendar(self) -> &'static str {
        match self {
            Tongue::English => "calendar",
            Tongue::Portuguese => "calendário",
            Tongue::Chinese => "日曆",
            Tongue::Japanese => "カレンダー",
        }
    }

    /// The separator between two words.
    pub(crate) fn space(self) -> &'static str {
        match self {
            Tongue::English | Tongue::Portuguese => " ",
            Tongue::Chinese | Tongue::Japanese => "",
        }
    }

    /// The end of a sentence, with the space after it.
    pub(crate) fn full_stop(self) -> &'static str {
        match self {
            Tongue::English | Tongue::Portuguese => ". ",
            Tongue::Chinese | Tongue::Japanese => "。",
        }
    }

    /// The made-up word for a number. Different numbers below 13,000 have different words.
    pub(crate) fn spell(self, number: u32) -> String {
        match self {
            Tongue::English => syllables(&ENGLISH, number),
            Tongue::Portuguese => syllables(&PORTUGUESE, number),
            Tongue::Japanese => syllables(&KATAKANA, number),
            Tongue::Chinese => {
                let characters: Vec<char> = HAN.chars().collect();
                let count = characters.len() as u32;
                // A coprime multiplier keeps numbers apart and scatters neighbours.
                let scattered = (u64::from(number) * 7_919 % (u64::from(count) * u64::from(count))) as u32;
                [scattered / count, scattered % count]
                    .iter()
                    .filter_map(|place| characters.get(*place as usize))
                    .collect()
            }
        }
    }
}

/// Three syllables of forty: 64,000 words.
fn syllables(set: &[&str; 40], number: u32) -> String {
    let scattered = u64::from(number) * 27_901 % 64_000;
    [scattered / 1_600, scattered / 40 % 40, scattered % 40]
        .iter()
        .filter_map(|place| set.get(*place as usize).copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_words_are_made_of_distinct_characters_in_sufficient_number() {
        let mut characters: Vec<char> = HAN.chars().collect();
        let count = characters.len();
        characters.sort_unstable();
        characters.dedup();
        assert_eq!(characters.len(), count);
        assert!(count * count >= 13_000 && !count.is_multiple_of(7_919), "{count}");
    }
}
