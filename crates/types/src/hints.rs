//! What a page's markup says about its kind, in a few bits.
//!
//! Pages name what they are for machines: schema.org types, OpenGraph types, feeds, the program that made them. Whoever
//! parses the page keeps only which of the known hints it met.
//!
//! Deliberately absent: any string of the page, and any opinion which hints make which genre.

macro_rules! hints {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// Something the markup says about the kind of page.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Hint {
            $($(#[$doc])+ $name,)+
        }

        impl Hint {
            /// All hints, in the order of their bits.
            pub const ALL: &'static [Hint] = &[$(Hint::$name),+];

            /// The name, for tables.
            pub fn name(self) -> &'static str {
                match self {
                    $(Hint::$name => stringify!($name),)+
                }
            }
        }
    };
}

hints! {
    /// schema.org: an article of no nearer kind.
    SchemaArticle,
    /// schema.org: news.
    SchemaNews,
    /// schema.org: a blog or a post of one.
    SchemaBlog,
    /// schema.org: a product or an offer.
    SchemaProduct,
    /// schema.org: a discussion, or questions and answers.
    SchemaForum,
    /// schema.org: comments on something else.
    SchemaComment,
    /// schema.org: a video.
    SchemaVideo,
    /// schema.org: a gallery.
    SchemaGallery,
    /// schema.org: a list of items, a collection or search results.
    SchemaList,
    /// schema.org: a job.
    SchemaJob,
    /// schema.org: a course.
    SchemaCourse,
    /// schema.org: technical writing.
    SchemaTechnical,
    /// schema.org: a service.
    SchemaService,
    /// schema.org: a business with a place, or an organisation.
    SchemaOrganisation,
    /// schema.org: a person or a profile.
    SchemaPerson,
    /// schema.org: questions a business answers itself.
    SchemaFaq,
    /// schema.org: reviews or ratings.
    SchemaReview,
    /// schema.org: an event.
    SchemaEvent,
    /// schema.org: a recipe or directions.
    SchemaDirections,
    /// schema.org: an episode, a podcast or other sound.
    SchemaAudio,
    /// schema.org: the way from the home page to here.
    SchemaBreadcrumb,
    /// OpenGraph: article or blog.
    GraphArticle,
    /// OpenGraph: website.
    GraphWebsite,
    /// OpenGraph: product.
    GraphProduct,
    /// OpenGraph: video.
    GraphVideo,
    /// OpenGraph: profile.
    GraphProfile,
    /// OpenGraph: something else.
    GraphOther,
    /// A meta element tells when it was published.
    Published,
    /// A meta element tells a price.
    Priced,
    /// A meta element tells the author.
    Authored,
    /// Made by a program for blogs.
    MadeForBlogs,
    /// Made by a program for forums.
    MadeForForums,
    /// Made by a program for shops.
    MadeForShops,
    /// Made by a program for documentation.
    MadeForDocumentation,
    /// Made by a program for wikis.
    MadeForWikis,
    /// The body is classed as one post.
    BodyPost,
    /// The body is classed as one product.
    BodyProduct,
    /// The body is classed as a list: an archive, a category, search results.
    BodyList,
    /// The body is classed as a page that is no post.
    BodyPage,
    /// The body is classed as the home page.
    BodyHome,
    /// The next or the previous page is named.
    Paged,
}

/// The hints met on a page, and how often prices and feeds were.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PageHints {
    bits: u64,
    /// Amounts of money in the visible text.
    pub prices: u32,
    /// Feeds named in the head.
    pub feeds: u32,
}

impl PageHints {
    /// Notes a hint.
    pub fn note(&mut self, hint: Hint) {
        self.bits |= 1 << hint as u8;
    }

    /// Whether the hint was met.
    pub fn has(&self, hint: Hint) -> bool {
        self.bits & (1 << hint as u8) != 0
    }

    /// All hints as bits, for storing.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// From stored bits.
    pub fn from_bits(bits: u64, prices: u32, feeds: u32) -> PageHints {
        PageHints { bits, prices, feeds }
    }
}

// Every hint has a bit.
const _: () = assert!(Hint::ALL.len() <= 64);
