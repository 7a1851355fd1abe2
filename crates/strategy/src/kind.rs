//! The strategies there are, by the names they are chosen by.

use scenthound_types::named_enum;

named_enum! {
    /// How waiting links are ranked.
    #[derive(Default)]
    pub enum StrategyKind {
        /// In the order links are found.
        BreadthFirst = "breadth-first",
        /// In random order.
        Random = "random",
        /// By the relevance of the page a link stands on.
        BestFirst = "best-first",
        /// Paper 1: pages pass their relevance on to the pages they link to.
        Ps = "ps",
        /// Paper 1: pages pass their relevance on to their siblings, the other links of the page that led to them.
        Fs1 = "fs-1",
        /// Paper 1: like fs-1, but only pages above the change threshold do so.
        Fs2 = "fs-2",
        /// Paper 1: pages pass their relevance on to both the pages they link to and their siblings.
        Pfs1 = "pfs-1",
        /// Paper 1: like pfs-1, but only pages above the change threshold do so.
        Pfs2 = "pfs-2",
        /// By the page a link stands on and the words in and around the link.
        LinkContext = "link-context",
        /// Paper 3's baseline: pages pass their cash on to the pages they link to; the richest URL comes first.
        Opic = "opic",
        /// Paper 3: on-line topical importance; cash that grows on relevant pages and shrinks on others.
        Otie = "otie",
        /// Shark search: the scores of earlier pages fade with every link.
        Shark = "shark",
        /// Fish search: irrelevant pages are followed for only a few links.
        Fish = "fish",
        /// Paper 2: by the page's relevance and by where links on pages of its genre usually lead.
        Genre = "genre",
        /// Paper 5: pages are queued by how many links they are thought to be from a target.
        ContextGraph = "context-graph",
        /// Paper 5 with links: queues by layer, and within them by the words of the link itself.
        Layered = "layered",
        /// Paper 4: a table of weighted words learnt from the seeds scores links by their words and parents.
        Table = "table",
        /// Baseline: a classifier of the words at links, learnt from the pages visited, puts links in three bands.
        Ache = "ache",
        /// Baseline: links grouped by host and by the elements they stand in; groups are drawn by an upper confidence bound.
        Bandit = "bandit",
        /// Baseline: best-first that goes on for a while through irrelevant pages.
        Tunnel = "tunnel",
        /// By everything known about a link, with weights learnt while crawling, and one visit in five breadth-first.
        #[default]
        Scent = "scent",
    }
}

impl StrategyKind {
    /// Whether it goes by the layers of a context graph.
    pub fn uses_layers(self) -> bool {
        matches!(self, StrategyKind::ContextGraph | StrategyKind::Layered)
    }
}
