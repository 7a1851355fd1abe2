//! A web whose words are reduced to stems, for judges that compare stems.
//!
//! Everything that reads a page in the lab reads it from the web: examples, judges, the words of links. So the web is the one
//! place where the lab has to stem.

use std::borrow::Cow;
use std::sync::Arc;

use scenthound_judge::PageText;
use scenthound_types::text::Stemming;
use scenthound_types::{CanonicalUrl, Keyring, ParsedPage};

use crate::error::LabError;
use crate::recorded::PageId;
use crate::spec::JudgeSpec;
use crate::trial::Trial;
use crate::web::{Links, Reply, Web};

struct StemmedWeb {
    web: Arc<dyn Web>,
    stemming: Stemming,
}

impl Web for StemmedWeb {
    fn pages(&self) -> usize {
        self.web.pages()
    }

    fn find(&self, url: &CanonicalUrl) -> Reply {
        self.web.find(url)
    }

    fn page_with(&self, page: PageId, wanted: PageText) -> Option<ParsedPage> {
        let mut page = self.web.page_with(page, wanted)?;
        page.stem(self.stemming.stemmer(page.language));
        Some(page)
    }

    fn spelled(&self, page: PageId) -> String {
        self.web.spelled(page)
    }

    fn links(&self, keyring: Keyring) -> Box<dyn Links + '_> {
        self.web.links(keyring)
    }

    fn page_at(&self, url: &CanonicalUrl) -> Option<PageId> {
        self.web.page_at(url)
    }

    fn neighbours(&self, page: PageId, out: &mut Vec<PageId>) {
        self.web.neighbours(page, out);
    }
}

impl JudgeSpec {
    /// Whose stems the judge compares.
    pub(crate) fn stemming(&self) -> Result<Stemming, LabError> {
        match self.setting("stem") {
            None => Ok(Stemming::None),
            Some(given) => Stemming::from_name(given).ok_or_else(|| LabError::Unknown {
                what: "stemming",
                name: given.to_owned(),
                known: Stemming::NAMES.join(", "),
            }),
        }
    }
}

impl Trial {
    /// The trial as this judge reads it.
    pub(crate) fn read_by(&self, judge: &JudgeSpec) -> Result<Cow<'_, Trial>, LabError> {
        let stemming = judge.stemming()?;
        if stemming == Stemming::None {
            return Ok(Cow::Borrowed(self));
        }
        let web = StemmedWeb {
            web: self.web.clone(),
            stemming,
        };
        Ok(Cow::Owned(Trial {
            web: Arc::new(web),
            ..self.clone()
        }))
    }
}
