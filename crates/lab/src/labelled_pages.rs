//! The labelled pages of recorded webs, as training examples for genres.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use scenthound_judge::GenreTrainingSet;
use scenthound_types::{CanonicalUrl, registrable_domain};

use crate::recorded::{Labels, PageId, RecordedFault, RecordedWeb};

/// A recorded web whose pages have labels.
pub struct LabelledPages<'a> {
    /// The web.
    pub web: &'a RecordedWeb,
    /// Its labels.
    pub labels: Option<&'a Labels>,
    /// The column of the labels whose values keep pages together in folds; without one, their domains do.
    pub group_column: Option<&'a str>,
    /// The class that a label stands for; pages whose label has none are left out.
    pub class_of: &'a dyn Fn(&str) -> Option<String>,
}

/// What happened to the labelled pages.
#[derive(Debug, Default)]
pub struct LabelledFound {
    /// Positions of the labelled pages that are in the web.
    pub found: BTreeSet<usize>,
    /// Pages left out, by label.
    pub left_out: BTreeMap<String, usize>,
}

impl LabelledPages<'_> {
    /// Checks that the labels have the column that keeps pages together.
    pub fn check_group_column(&self) -> Result<(), RecordedFault> {
        match (self.group_column, self.labels) {
            (Some(column), Some(labels)) => labels.column(column).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Adds labelled pages to a training set. A page with several URLs is added once.
    pub fn add<'l>(
        &self,
        labelled: impl IntoIterator<Item = (&'l CanonicalUrl, &'l str)>,
        training: &mut GenreTrainingSet,
    ) -> LabelledFound {
        let mut group_of: HashMap<&CanonicalUrl, &str> = HashMap::new();
        if let (Some(column), Some(labels)) = (self.group_column, self.labels)
            && let Ok(values) = labels.column(column)
        {
            group_of.extend(values);
        }
        let mut result = LabelledFound::default();
        let mut taken: BTreeSet<PageId> = BTreeSet::new();
        for (position, (url, label)) in labelled.into_iter().enumerate() {
            let Some(class) = (self.class_of)(label).filter(|class| !class.is_empty()) else {
                *result.left_out.entry(label.to_owned()).or_default() += 1;
                continue;
            };
            let Some(page) = self.web.page_at(url) else {
                continue;
            };
            result.found.insert(position);
            if taken.insert(page)
                && let Some(parsed) = self.web.page(page)
            {
                let group = group_of
                    .get(url)
                    .copied()
                    .unwrap_or_else(|| registrable_domain(url.host()));
                training.push(&parsed, &class, group);
            }
        }
        result
    }
}
