//! What pages need to be shown as they are.

use crate::{CanonicalUrl, named_enum};

named_enum! {
    /// A kind of file that a page needs to be shown. The order is the order in which they are fetched.
    pub enum RequisiteKind {
        /// Style sheets, and the fonts they name.
        Styles = "styles",
        /// Scripts.
        Scripts = "scripts",
        /// Images, also those that style sheets name, and icons.
        Images = "images",
    }
}

/// A file that a page or a style sheet needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requisite {
    /// Where it is.
    pub url: CanonicalUrl,
    /// What it is for.
    pub kind: RequisiteKind,
}
