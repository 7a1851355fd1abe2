//! Which text of a page is judged.

use std::borrow::Cow;

use scenthound_types::{ParsedPage, named_enum};

named_enum! {
    /// Which text of a page is judged.
    #[derive(Default)]
    pub enum PageText {
        /// All visible words.
        #[default]
        Page = "page",
        /// The main text, without menus, footers and other boilerplate. A page without one is judged by all its words.
        Main = "main",
    }
}

impl PageText {
    /// A page with the words that are judged.
    pub(crate) fn of(self, page: &ParsedPage) -> Cow<'_, ParsedPage> {
        match self {
            PageText::Page => Cow::Borrowed(page),
            PageText::Main => page.of_main_text().map_or(Cow::Borrowed(page), Cow::Owned),
        }
    }
}
