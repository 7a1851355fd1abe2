//! The elements that matter to a crawler.
//!
//! Every other element is [`Element::Other`]: counted, and otherwise ignored.

macro_rules! elements {
    ($($variant:ident $name:literal,)*) => {
        /// An element by its name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Element {
            Other,
            $($variant,)*
        }

        impl Element {
            /// Recognises a tag's name, in any case.
            #[inline]
            #[allow(non_upper_case_globals)]
            pub(crate) fn of(name: &[u8]) -> Element {
                $(const $variant: u128 = pack($name.as_bytes());)*
                match pack(name) {
                    $($variant => Element::$variant,)*
                    _ => Element::Other,
                }
            }

            /// The name in lower case; empty for [`Element::Other`].
            pub(crate) fn name(self) -> &'static str {
                match self {
                    Element::Other => "",
                    $(Element::$variant => $name,)*
                }
            }
        }
    };
}

/// A lower-case name as one number, so that elements are compared as numbers. Names longer than any known one become
/// 0.
#[inline]
const fn pack(name: &[u8]) -> u128 {
    if name.len() > 16 {
        return 0;
    }
    let mut packed = 0;
    let mut at = 0;
    while at < name.len() {
        packed = packed << 8 | name[at].to_ascii_lowercase() as u128;
        at += 1;
    }
    packed
}

elements! {
    A "a", Address "address", Area "area", Article "article", Aside "aside", Audio "audio",
    Base "base", Blockquote "blockquote", Body "body", Br "br", Button "button",
    Canvas "canvas", Caption "caption", Center "center", Code "code",
    Dd "dd", Desc "desc", Details "details", Dialog "dialog", Dir "dir", Div "div", Dl "dl", Dt "dt",
    Embed "embed",
    Fieldset "fieldset", Figcaption "figcaption", Figure "figure", Footer "footer", ForeignObject "foreignobject",
    Form "form", Frame "frame", Frameset "frameset",
    H1 "h1", H2 "h2", H3 "h3", H4 "h4", H5 "h5", H6 "h6", Head "head", Header "header", Hgroup "hgroup", Hr "hr",
    Html "html",
    Iframe "iframe", Img "img", Input "input",
    Legend "legend", Li "li", Link "link", Listing "listing",
    Main "main", Math "math", Menu "menu", Meta "meta",
    Nav "nav", Noembed "noembed", Noframes "noframes", Noscript "noscript",
    Object "object", Ol "ol", Optgroup "optgroup", Option "option",
    P "p", Plaintext "plaintext", Pre "pre",
    Script "script", Search "search", Section "section", Select "select", Style "style", Summary "summary", Svg "svg",
    Table "table", Tbody "tbody", Td "td", Template "template", Textarea "textarea", Tfoot "tfoot", Th "th",
    Thead "thead", Time "time", Title "title", Tr "tr",
    Ul "ul",
    Video "video",
    Xmp "xmp",
}

impl Element {
    /// Whether the text before and after the element's tags belongs to different blocks. Table cells and list items
    /// are blocks: nobody reads across them.
    #[inline]
    pub(crate) fn is_block(self) -> bool {
        use Element::*;
        matches!(
            self,
            Address
                | Article
                | Aside
                | Blockquote
                | Body
                | Caption
                | Center
                | Dd
                | Details
                | Dialog
                | Dir
                | Div
                | Dl
                | Dt
                | Fieldset
                | Figcaption
                | Figure
                | Footer
                | Form
                | Frameset
                | H1
                | H2
                | H3
                | H4
                | H5
                | H6
                | Head
                | Header
                | Hgroup
                | Hr
                | Html
                | Legend
                | Li
                | Listing
                | Main
                | Menu
                | Nav
                | Noframes
                | Ol
                | P
                | Plaintext
                | Pre
                | Search
                | Section
                | Summary
                | Table
                | Tbody
                | Td
                | Tfoot
                | Th
                | Thead
                | Tr
                | Ul
                | Xmp
        )
    }

    /// Whether the element is a heading.
    #[inline]
    pub(crate) fn is_heading(self) -> bool {
        use Element::*;
        matches!(self, H1 | H2 | H3 | H4 | H5 | H6)
    }

    /// Whether the element sits in a line like an image, so that the words before and after it are separate.
    #[inline]
    pub(crate) fn is_object(self) -> bool {
        use Element::*;
        matches!(
            self,
            Audio | Button | Canvas | Embed | Iframe | Img | Input | Object | Select | Svg | Textarea | Video
        )
    }

    /// Whether any attribute of the element is ever used.
    #[inline]
    pub(crate) fn has_telling_attributes(self) -> bool {
        use Element::*;
        matches!(
            self,
            A | Area | Base | Body | Frame | Html | Iframe | Img | Input | Link | Meta | Script | Template
        )
    }

    /// Start tags that end foreign content (an unclosed svg), as in browsers.
    pub(crate) fn ends_foreign_content(self) -> bool {
        use Element::*;
        matches!(
            self,
            Blockquote
                | Body
                | Br
                | Center
                | Code
                | Dd
                | Div
                | Dl
                | Dt
                | Embed
                | H1
                | H2
                | H3
                | H4
                | H5
                | H6
                | Head
                | Hr
                | Img
                | Li
                | Listing
                | Menu
                | Meta
                | Ol
                | P
                | Pre
                | Table
                | Ul
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_in_any_case() {
        assert_eq!(Element::of(b"BlockQuote"), Element::Blockquote);
        assert_eq!(Element::of(b"a"), Element::A);
        assert_eq!(Element::of(b"ab"), Element::Other);
        assert_eq!(Element::of(b"averyveryverylongname"), Element::Other);
        assert_eq!(Element::of(b""), Element::Other);
        assert_eq!(Element::Figcaption.name(), "figcaption");
    }
}
