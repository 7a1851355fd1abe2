//! Counts how many pages of recorded webs contain each term: the table of how rare terms are.

use std::path::PathBuf;

use scenthound_judge::{Background, PageFields};

use crate::error::LabError;
use crate::recorded::{PageId, WebFolder};
use crate::session::{Lab, LabEvent};

impl Lab<'_> {
    /// A table of the pages of these webs, without the terms that fewer than `least` pages contain.
    pub fn background(&self, webs: &[PathBuf], least: u32) -> Result<Background, LabError> {
        let mut pages = Vec::new();
        for path in webs {
            let folder = WebFolder::open(path)?;
            let web = self.load(&folder)?;
            for page in (0..web.pages() as u32).map(PageId) {
                if page.0.is_multiple_of(1_000) {
                    self.tell(LabEvent::Reading {
                        web: &folder.name,
                        pages: page.0.into(),
                    });
                }
                pages.extend(web.page(page).map(|page| PageFields::read(&page)));
            }
            self.tell(LabEvent::StepEnded);
        }
        Ok(Background::count(&pages, least))
    }
}
