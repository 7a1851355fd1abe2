//! How well a crawl with perfect knowledge could do.

use std::collections::{BTreeSet, VecDeque};

use crate::recorded::PageId;
use scenthound_types::CanonicalUrl;

use crate::web::Web;

/// A visiting order computed from the labels and the whole graph: always the shortest path to another relevant page.
/// It is greedy, so not quite optimal, but no crawler will beat it by much.
pub fn greedy_order(web: &dyn Web, seeds: &[CanonicalUrl], relevant: &BTreeSet<PageId>) -> Vec<PageId> {
    let pages = web.pages();
    let mut walk = Walk {
        is_visited: vec![false; pages],
        is_waiting: vec![false; pages],
        order: Vec::new(),
        good: VecDeque::new(),
        dull: VecDeque::new(),
        relevant,
        left: relevant.len(),
    };
    for seed in seeds.iter().filter_map(|seed| web.page_at(seed)) {
        walk.wait(seed);
    }
    let mut links = Vec::new();
    // The predecessor of each page in a search, plus one; 0 if the search has not reached the page.
    let mut before = vec![0_u32; pages];
    loop {
        if let Some(page) = walk.good.pop_front() {
            walk.visit(page, web, &mut links);
            continue;
        }
        // Once nothing is left to find, the rest are visited in waiting order.
        if walk.left > 0
            && let Some(path) = walk.path_to_relevant(web, &mut before)
        {
            for page in path {
                walk.visit(page, web, &mut links);
            }
            continue;
        }
        walk.left = 0;
        match walk.dull.pop_front() {
            Some(page) => walk.visit(page, web, &mut links),
            None => return walk.order,
        }
    }
}

struct Walk<'a> {
    is_visited: Vec<bool>,
    is_waiting: Vec<bool>,
    order: Vec<PageId>,
    /// Relevant pages that are waiting.
    good: VecDeque<PageId>,
    /// Other pages that are waiting.
    dull: VecDeque<PageId>,
    relevant: &'a BTreeSet<PageId>,
    /// Relevant pages not visited yet; also 0 when no link leads to those that are left.
    left: usize,
}

impl Walk<'_> {
    fn wait(&mut self, page: PageId) {
        let at = page.0 as usize;
        if self.is_visited.get(at) == Some(&false) && self.is_waiting.get(at) == Some(&false) {
            self.is_waiting[at] = true;
            if self.relevant.contains(&page) {
                self.good.push_back(page);
            } else {
                self.dull.push_back(page);
            }
        }
    }

    fn visit(&mut self, page: PageId, web: &dyn Web, links: &mut Vec<PageId>) {
        match self.is_visited.get_mut(page.0 as usize) {
            Some(visited) if !*visited => *visited = true,
            _ => return,
        }
        self.order.push(page);
        // Count down only here: a page at the end of a path is also in the queue of relevant pages and comes up twice.
        self.left -= usize::from(self.left > 0 && self.relevant.contains(&page));
        links.clear();
        web.neighbours(page, links);
        for link in links.drain(..) {
            self.wait(link);
        }
    }

    /// The shortest path from the waiting pages to an unvisited relevant page, first step first.
    fn path_to_relevant(&mut self, web: &dyn Web, before: &mut [u32]) -> Option<Vec<PageId>> {
        self.dull
            .retain(|page| self.is_visited.get(page.0 as usize) == Some(&false));
        before.fill(0);
        let mut queue: VecDeque<PageId> = self.dull.iter().copied().collect();
        for start in &queue {
            if let Some(mark) = before.get_mut(start.0 as usize) {
                *mark = u32::MAX;
            }
        }
        let mut links = Vec::new();
        while let Some(page) = queue.pop_front() {
            links.clear();
            web.neighbours(page, &mut links);
            for link in &links {
                let at = link.0 as usize;
                if before.get(at) != Some(&0) || self.is_visited.get(at) != Some(&false) {
                    continue;
                }
                before[at] = page.0 + 1;
                if self.relevant.contains(link) {
                    let mut path = vec![*link];
                    let mut step = page;
                    loop {
                        path.push(step);
                        match before.get(step.0 as usize) {
                            Some(&back) if back != u32::MAX && back > 0 => step = PageId(back - 1),
                            _ => break,
                        }
                    }
                    path.reverse();
                    return Some(path);
                }
                queue.push_back(*link);
            }
        }
        None
    }
}
