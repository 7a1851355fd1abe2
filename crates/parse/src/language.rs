//! The language of a page.

use scenthound_types::Language;
use whatlang::Lang;

/// How much text is looked at.
pub(crate) const SAMPLE_BYTES: usize = 4 << 10;

/// Detects the language of a sample, or believes what the page declares when the sample cannot tell.
pub(crate) fn detect(sample: &str, declared: Option<&str>) -> Option<Language> {
    detected(sample).or_else(|| {
        let code = declared?.trim().split(['-', '_']).next()?;
        Language::from_code(code)
    })
}

fn detected(sample: &str) -> Option<Language> {
    let info = whatlang::detect(sample)?;
    info.is_reliable().then(|| code(info.lang())).flatten()
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
        assert_eq!(detect(english, Some("de")), Language::from_code("en"));
        assert_eq!(detect("", Some("pt-BR")), Language::from_code("pt"));
        assert_eq!(detect("42", None), None);
    }
}
