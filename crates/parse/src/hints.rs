//! Finds what a page's markup says about its kind.
//!
//! schema.org types occur as attributes anywhere on the page or inside JSON-LD scripts. Both are found by name alone,
//! without a tree and without parsing JSON, so a broken page still gives what it can. Every function looks at each
//! byte a bounded number of times.
//!
//! Deliberately absent: RDFa, and types that say nothing about the kind of page.

use memchr::{memchr3_iter, memmem};
use scenthound_types::{Hint, PageHints};

/// The most types a list of types may name.
const TYPES: usize = 8;

/// Notes the schema.org types in the page's attributes.
pub(crate) fn note_item_types(html: &str, hints: &mut PageHints) {
    let bytes = html.as_bytes();
    for at in memmem::find_iter(bytes, b"schema.org/") {
        // itemtype="https://www.schema.org/…
        let before = bytes.get(at.saturating_sub(24)..at).unwrap_or_default();
        if memmem::find(before, b"itemtype").is_none() {
            continue;
        }
        let name = bytes.get(at + "schema.org/".len()..).unwrap_or_default();
        note_type(word(name), hints);
    }
}

/// Notes the schema.org types in a JSON-LD script.
pub(crate) fn note_json_types(json: &str, hints: &mut PageHints) {
    let bytes = json.as_bytes();
    for at in memmem::find_iter(bytes, b"\"@type\"") {
        let mut rest = bytes.get(at + "\"@type\"".len()..).unwrap_or_default();
        for _ in 0..TYPES {
            let skipped = rest
                .iter()
                .take(64)
                .take_while(|b| b.is_ascii_whitespace() || matches!(b, b':' | b'[' | b','))
                .count();
            let Some((b'"', name)) = rest.get(skipped..).and_then(<[u8]>::split_first) else {
                break;
            };
            let name = name
                .strip_prefix(b"http://schema.org/")
                .or_else(|| name.strip_prefix(b"https://schema.org/"))
                .unwrap_or(name);
            let name = word(name);
            note_type(name, hints);
            let end = skipped + 1 + name.len();
            // A second name follows only in a list.
            match rest.get(end..).and_then(<[u8]>::split_first) {
                Some((b'"', behind)) if behind.first() == Some(&b',') && is_list(rest, skipped) => {
                    rest = behind
                }
                _ => break,
            }
        }
    }
}

/// Whether the skipped bytes opened or continued a list.
fn is_list(rest: &[u8], skipped: usize) -> bool {
    rest.get(..skipped)
        .unwrap_or_default()
        .iter()
        .any(|b| matches!(b, b'[' | b','))
}

/// The letters up to the first other byte, no longer than any known type.
fn word(bytes: &[u8]) -> &[u8] {
    let length = bytes
        .iter()
        .take(40)
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    bytes.get(..length).unwrap_or_default()
}

fn note_type(name: &[u8], hints: &mut PageHints) {
    use Hint::*;
    let hint = match name {
        b"Article"
        | b"ScholarlyArticle"
        | b"Report"
        | b"OpinionNewsArticle"
        | b"AdvertiserContentArticle" => SchemaArticle,
        b"NewsArticle" | b"ReportageNewsArticle" | b"AnalysisNewsArticle" | b"LiveBlogPosting" => SchemaNews,
        b"NewsMediaOrganization" => SchemaNewsMedia,
        b"Blog" | b"BlogPosting" => SchemaBlog,
        b"Product" | b"Offer" | b"AggregateOffer" | b"ProductGroup" | b"IndividualProduct"
        | b"SomeProducts" | b"ProductModel" => SchemaProduct,
        b"DiscussionForumPosting" | b"QAPage" | b"SocialMediaPosting" => SchemaForum,
        b"Comment" | b"UserComments" | b"InteractionCounter" => SchemaComment,
        b"VideoObject" | b"Movie" | b"TVEpisode" | b"Clip" | b"VideoGallery" => SchemaVideo,
        b"ImageGallery" | b"MediaGallery" | b"Photograph" => SchemaGallery,
        b"ItemList" | b"CollectionPage" | b"SearchResultsPage" | b"OfferCatalog" => SchemaList,
        b"JobPosting" => SchemaJob,
        b"Course" | b"CourseInstance" | b"LearningResource" | b"Syllabus" => SchemaCourse,
        b"TechArticle" | b"APIReference" | b"SoftwareSourceCode" | b"Code" => SchemaTechnical,
        b"Service"
        | b"FinancialProduct"
        | b"GovernmentService"
        | b"ProfessionalService"
        | b"LegalService"
        | b"SoftwareApplication"
        | b"WebApplication" => SchemaService,
        b"LocalBusiness"
        | b"Store"
        | b"Restaurant"
        | b"Dentist"
        | b"Physician"
        | b"MedicalBusiness"
        | b"HomeAndConstructionBusiness"
        | b"Hotel" => SchemaOrganisation,
        b"ProfilePage" | b"AboutPage" => SchemaPerson,
        b"FAQPage" => SchemaFaq,
        b"Review" | b"AggregateRating" | b"Rating" => SchemaReview,
        b"Event" => SchemaEvent,
        b"Recipe" | b"HowTo" => SchemaDirections,
        b"PodcastEpisode" | b"PodcastSeries" | b"AudioObject" | b"MusicRecording" => SchemaAudio,
        b"BreadcrumbList" => SchemaBreadcrumb,
        _ => return,
    };
    hints.note(hint);
}

/// Notes what a meta element with this name or property says.
pub(crate) fn note_meta(name: &str, content: &str, hints: &mut PageHints) {
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    if is("og:type") {
        hints.note(graph_type(content));
    } else if is("article:published_time") || is("date") || is("pubdate") || is("dc.date.issued") {
        hints.note(Hint::Published);
    } else if is("product:price:amount") || is("og:price:amount") {
        hints.note(Hint::Priced);
    } else if is("author") || is("article:author") {
        hints.note(Hint::Authored);
    } else if is("news_keywords") {
        hints.note(Hint::NewsKeywords);
    } else if is("article:section") {
        hints.note(Hint::Sectioned);
    } else if is("fb:pages") {
        hints.note(Hint::FacebookPage);
    } else if is("fb:app_id") {
        hints.note(Hint::FacebookApplication);
    } else if is("generator") {
        note_generator(content, hints);
    }
}

fn graph_type(content: &str) -> Hint {
    let begins = |known: &str| {
        content
            .trim_ascii_start()
            .get(..known.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(known))
    };
    if begins("article") || begins("blog") {
        Hint::GraphArticle
    } else if begins("website") {
        Hint::GraphWebsite
    } else if begins("product") || begins("og:product") {
        Hint::GraphProduct
    } else if begins("video") {
        Hint::GraphVideo
    } else if begins("profile") {
        Hint::GraphProfile
    } else {
        Hint::GraphOther
    }
}

/// Programs that generate pages, by part of their name, and what they are used for.
const PROGRAMS: &[(&str, Hint)] = &[
    ("wordpress", Hint::MadeForBlogs),
    ("blogger", Hint::MadeForBlogs),
    ("ghost", Hint::MadeForBlogs),
    ("hexo", Hint::MadeForBlogs),
    ("typecho", Hint::MadeForBlogs),
    ("typepad", Hint::MadeForBlogs),
    ("movable type", Hint::MadeForBlogs),
    ("discourse", Hint::MadeForForums),
    ("phpbb", Hint::MadeForForums),
    ("vbulletin", Hint::MadeForForums),
    ("xenforo", Hint::MadeForForums),
    ("mybb", Hint::MadeForForums),
    ("flarum", Hint::MadeForForums),
    ("nodebb", Hint::MadeForForums),
    ("hypermail", Hint::MadeForForums),
    ("pipermail", Hint::MadeForForums),
    ("mhonarc", Hint::MadeForForums),
    ("woocommerce", Hint::MadeForShops),
    ("shopify", Hint::MadeForShops),
    ("magento", Hint::MadeForShops),
    ("prestashop", Hint::MadeForShops),
    ("opencart", Hint::MadeForShops),
    ("bigcommerce", Hint::MadeForShops),
    ("sphinx", Hint::MadeForDocumentation),
    ("docutils", Hint::MadeForDocumentation),
    ("docusaurus", Hint::MadeForDocumentation),
    ("mkdocs", Hint::MadeForDocumentation),
    ("rustdoc", Hint::MadeForDocumentation),
    ("mdbook", Hint::MadeForDocumentation),
    ("gitbook", Hint::MadeForDocumentation),
    ("javadoc", Hint::MadeForDocumentation),
    ("doxygen", Hint::MadeForDocumentation),
    ("docbook", Hint::MadeForDocumentation),
    ("vitepress", Hint::MadeForDocumentation),
    ("asciidoctor", Hint::MadeForDocumentation),
    ("makeinfo", Hint::MadeForDocumentation),
    ("latex2html", Hint::MadeForDocumentation),
    ("mediawiki", Hint::MadeForWikis),
    ("dokuwiki", Hint::MadeForWikis),
    ("moinmoin", Hint::MadeForWikis),
];

fn note_generator(content: &str, hints: &mut PageHints) {
    // The program's name comes first; versions and slogans follow.
    let bytes = content.as_bytes();
    let mut name = bytes.get(..80).unwrap_or(bytes).to_vec();
    name.make_ascii_lowercase();
    for (program, hint) in PROGRAMS {
        if memmem::find(&name, program.as_bytes()).is_some() {
            hints.note(*hint);
        }
    }
}

/// Notes what the classes of the body say.
pub(crate) fn note_body_classes(classes: &str, hints: &mut PageHints) {
    for class in classes.split_ascii_whitespace().take(100) {
        let hint = match class {
            "single-post" | "single" | "post-template-default" | "blog-post" => Hint::BodyPost,
            "single-product" | "product-template-default" | "template-product" | "product-page" => {
                Hint::BodyProduct
            }
            "archive"
            | "category"
            | "tag"
            | "search-results"
            | "search"
            | "blog"
            | "post-type-archive"
            | "woocommerce-shop"
            | "template-collection"
            | "tax-product_cat"
            | "author" => Hint::BodyList,
            "page" | "page-template-default" | "page-template" | "basicpage" => Hint::BodyPage,
            "home" | "front-page" | "frontpage" | "path-frontpage" | "template-index" => Hint::BodyHome,
            _ => continue,
        };
        hints.note(hint);
    }
}

/// The number of prices in a piece of text: a currency sign next to a digit.
pub(crate) fn prices(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(|byte| byte.is_ascii_digit())
    };
    let mut count: u32 = 0;
    // £ and ¥ begin with C2, € and ₹ with E2.
    for at in memchr3_iter(b'$', 0xc2, 0xe2, bytes) {
        let length = match bytes
            .get(at..at + 3)
            .or_else(|| bytes.get(at..))
            .unwrap_or_default()
        {
            [b'$', ..] => 1,
            [0xc2, 0xa3 | 0xa5, ..] => 2,
            [0xe2, 0x82, 0xac | 0xb9] => 3,
            _ => continue,
        };
        let after = at + length;
        let space = usize::from(matches!(bytes.get(after), Some(b' ')));
        let before = at.checked_sub(1).map(|before| match bytes.get(before) {
            Some(b' ') => before.saturating_sub(1),
            // A non-breaking space is C2 A0.
            Some(0xa0) => before.saturating_sub(2),
            _ => before,
        });
        if is_digit(Some(after + space)) || (length > 1 && is_digit(before)) {
            count = count.saturating_add(1);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(note: impl FnOnce(&mut PageHints)) -> Vec<Hint> {
        let mut hints = PageHints::default();
        note(&mut hints);
        Hint::ALL
            .iter()
            .copied()
            .filter(|hint| hints.has(*hint))
            .collect()
    }

    #[test]
    fn types_are_found_in_attributes_and_in_json() {
        assert_eq!(
            noted(|hints| note_item_types(
                "<div itemscope itemtype='https://schema.org/Product'> http://schema.org/JobPosting",
                hints
            )),
            [Hint::SchemaProduct]
        );
        assert_eq!(
            noted(|hints| note_json_types(
                r#"{"@context":"https://schema.org","@type" : ["TechArticle", "BlogPosting"], "x":"Product",
                    "author":{"@type":"Person"}, "about": {"@type":"http://schema.org/FAQPage"}}"#,
                hints
            )),
            [Hint::SchemaBlog, Hint::SchemaTechnical, Hint::SchemaFaq]
        );
        assert_eq!(
            noted(|hints| note_json_types(r#""@type":"Recipe","name":"Product""#, hints)),
            [Hint::SchemaDirections]
        );
    }

    #[test]
    fn programs_and_classes_are_known_by_name() {
        assert_eq!(
            noted(|hints| note_meta("Generator", "WordPress 6.4; WooCommerce", hints)),
            [Hint::MadeForBlogs, Hint::MadeForShops]
        );
        assert_eq!(
            noted(|hints| note_body_classes("x single-product page", hints)),
            [Hint::BodyProduct, Hint::BodyPage]
        );
        assert_eq!(
            noted(|hints| note_meta("og:type", " Article", hints)),
            [Hint::GraphArticle]
        );
    }

    #[test]
    fn what_publishers_of_news_declare_is_noted() {
        assert_eq!(
            noted(|hints| note_json_types(
                r#"{"@type":"NewsArticle","publisher":{"@type":"NewsMediaOrganization"}}"#,
                hints
            )),
            [Hint::SchemaNews, Hint::SchemaNewsMedia]
        );
        for (name, hint) in [
            ("news_keywords", Hint::NewsKeywords),
            ("article:section", Hint::Sectioned),
            ("fb:pages", Hint::FacebookPage),
            ("fb:app_id", Hint::FacebookApplication),
        ] {
            assert_eq!(noted(|hints| note_meta(name, "x", hints)), [hint]);
        }
    }

    #[test]
    fn a_price_is_a_currency_next_to_a_digit() {
        assert_eq!(prices("$5, US$ 12.50 and £3; 20 € or 20\u{a0}€, €9, ¥100, ₹7"), 8);
        assert_eq!(prices("the $ and the € are “currencies”; in $HOME 5$"), 0);
        assert_eq!(prices("€"), 0);
    }
}
