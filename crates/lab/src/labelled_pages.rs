//! The labelled pages of recorded webs, as examples of genres.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use scenthound_judge::GenreTrainingSet;
use scenthound_types::{CanonicalUrl, registrable_domain};

use crate::error::LabError;
use crate::recorded::{PageId, RecordedFault, WebFolder};
use crate::session::Lab;

/// Which pages of recorded webs have which class.
pub struct LabelledPages<'a> {
    /// The webs.
    pub webs: &'a [WebFolder],
    /// Pages with their labels, used instead of the labels of the webs.
    pub list: Option<&'a [(CanonicalUrl, String)]>,
    /// The columns of the webs' labels that hold the label; the first that a web has.
    pub columns: &'a [String],
    /// The column whose values keep pages together in folds. Without it, pages of one domain stay together.
    pub group_column: Option<&'a str>,
    /// The class of a web's label on the page with this URL; none leaves the page out.
    pub class_of: &'a dyn Fn(&str, &str, &CanonicalUrl) -> Option<String>,
}

/// What was found of the labelled pages.
#[derive(Debug, Default)]
pub struct LabelledFound {
    /// Which pages of the list are in a web, by their position.
    pub found: BTreeSet<usize>,
    /// Pages left out, by web and label.
    pub left_out: BTreeMap<(String, String), usize>,
    /// The webs that lack the column that keeps pages together. Their pages are kept together by domain.
    pub without_groups: Vec<String>,
}

impl Lab<'_> {
    /// Reads labelled pages into a training set, each page once, whichever of its URLs are labelled.
    pub fn read_labelled(
        &self,
        pages: &LabelledPages<'_>,
        training: &mut GenreTrainingSet,
    ) -> Result<LabelledFound, LabError> {
        let mut result = LabelledFound::default();
        for folder in pages.webs {
            self.read_labelled_web(folder, pages, training, &mut result)?;
        }
        Ok(result)
    }

    fn read_labelled_web(
        &self,
        folder: &WebFolder,
        pages: &LabelledPages<'_>,
        training: &mut GenreTrainingSet,
        result: &mut LabelledFound,
    ) -> Result<(), LabError> {
        let web = self.load(folder)?;
        let labels = match pages.list.is_none() || pages.group_column.is_some() {
            true => folder.labels()?,
            false => None,
        };
        let mut groups: HashMap<&CanonicalUrl, &str> = HashMap::new();
        if let (Some(column), Some(labels)) = (pages.group_column, &labels) {
            match labels.column(column) {
                Ok(values) => groups.extend(values),
                Err(fault) if pages.webs.len() == 1 => return Err(fault.into()),
                Err(_) => result.without_groups.push(folder.name.clone()),
            }
        }
        let labelled: Vec<(&CanonicalUrl, &str)> = match (pages.list, &labels) {
            (Some(list), _) => list.iter().map(|(url, label)| (url, label.as_str())).collect(),
            (None, Some(labels)) => {
                let has = |column: &&String| labels.columns().contains(column);
                let column = pages.columns.iter().find(has).or(pages.columns.first());
                labels.column(column.map_or("genre", String::as_str))?.collect()
            }
            (None, None) => {
                return Err(RecordedFault::NoLabels {
                    path: folder.path.clone(),
                }
                .into());
            }
        };
        let mut taken: BTreeSet<PageId> = BTreeSet::new();
        for (position, (url, label)) in labelled.into_iter().enumerate() {
            let class = (pages.class_of)(&folder.name, label, url).filter(|class| !class.is_empty());
            let Some(class) = class else {
                let key = (folder.name.clone(), label.to_owned());
                *result.left_out.entry(key).or_default() += 1;
                continue;
            };
            let Some(page) = web.page_at(url) else {
                continue;
            };
            result.found.insert(position);
            if taken.insert(page)
                && let Some(parsed) = web.page(page)
            {
                let domain = || registrable_domain(url.host());
                training.push(&parsed, &class, groups.get(url).copied().unwrap_or_else(domain));
            }
        }
        Ok(())
    }
}
