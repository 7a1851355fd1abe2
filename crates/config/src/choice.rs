//! Settings with a fixed list of answers.

use scenthound_types::{Merge, Parents};

macro_rules! choices {
    ($(
        $(#[doc = $doc:literal])+
        $Name:ident { $( $(#[doc = $variant_doc:literal])+ $Variant:ident = $spelling:literal, )+ }
    )+) => { $(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $Name { $( $(#[doc = $variant_doc])+ $Variant, )+ }

        impl $Name {
            /// How the answers are written.
            pub const NAMES: &'static [&'static str] = &[$($spelling),+];

            /// How this answer is written.
            pub fn name(self) -> &'static str {
                match self { $( $Name::$Variant => $spelling, )+ }
            }

            /// The answer written so.
            pub fn from_name(name: &str) -> Option<$Name> {
                match name { $( $spelling => Some($Name::$Variant), )+ _ => None }
            }
        }
    )+ };
}

choices! {
    /// Which links may be followed at all.
    Scope {
        /// All of them.
        Any = "any",
        /// Those to the registrable domains of the seeds.
        Domain = "domain",
        /// Those to the hosts of the seeds.
        Host = "host",
        /// Those that begin like a seed, up to its last slash.
        Prefix = "prefix",
    }
    /// Who is served first among equal scores.
    Ties {
        /// The older.
        Fifo = "fifo",
        /// Anyone, drawn with the seed of the crawl.
        Random = "random",
        /// The one whose parent has had the fewest children visited.
        Probe = "probe",
    }
    /// How links are ranked before layers are learnt.
    LearnFrom {
        /// By the relevance of the page they stand on.
        BestFirst = "best-first",
        /// As they are found.
        BreadthFirst = "breadth-first",
    }
    /// Which agent begins at which seed.
    Deal {
        /// In turn.
        Even = "even",
        /// Seeds of a host to the same agent.
        Host = "host",
        /// Seeds of a genre to the same agent.
        Genre = "genre",
    }
    /// What containing a query means.
    QueryMatch {
        /// All of its words, anywhere on the page.
        All = "all",
        /// Its words one after the other.
        Phrase = "phrase",
        /// Any of its words.
        Any = "any",
    }
    /// Over which words a page's length runs when it is compared with a table of words.
    TableSpace {
        /// All of the page's.
        Union = "union",
        /// Those that the table holds too.
        Table = "table",
    }
    /// What several pages that link to one URL are worth together.
    TableParents {
        /// Their sum.
        Sum = "sum",
        /// Their mean.
        Mean = "mean",
        /// The best of them.
        Max = "max",
    }
    /// Whose sitemaps are read.
    Sitemaps {
        /// Nobody's.
        Off = "off",
        /// Those of the seeds' hosts.
        Seeds = "seeds",
        /// Those of every host visited.
        All = "all",
    }
}

/// How `parents` is written.
pub(crate) const PARENTS: &[&str] = &["first", "all"];

pub(crate) fn parents_name(parents: Parents) -> &'static str {
    match parents {
        Parents::First => "first",
        Parents::All => "all",
    }
}

pub(crate) fn parents_from(name: &str) -> Option<Parents> {
    match name {
        "first" => Some(Parents::First),
        "all" => Some(Parents::All),
        _ => None,
    }
}

/// How `merge` is written. Keeping and adding are for strategies to choose, not for users.
pub(crate) const MERGES: &[&str] = &["max", "set"];

pub(crate) fn merge_name(merge: Merge) -> &'static str {
    if merge == Merge::Replace { "set" } else { "max" }
}

pub(crate) fn merge_from(name: &str) -> Option<Merge> {
    match name {
        "max" => Some(Merge::Max),
        "set" => Some(Merge::Replace),
        _ => None,
    }
}
