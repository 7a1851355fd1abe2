//! Which pages can be reached by links.

use crate::recorded::PageId;
use scenthound_types::CanonicalUrl;

use crate::web::Web;

/// The pages that can be reached by links from the seeds, the seeds included, in breadth-first order.
pub fn reachable(web: &dyn Web, seeds: &[CanonicalUrl]) -> Vec<PageId> {
    let mut is_seen = vec![false; web.pages()];
    let mut order = Vec::new();
    let mut found: Vec<PageId> = seeds.iter().filter_map(|seed| web.page_at(seed)).collect();
    let mut next = 0;
    loop {
        for page in found.drain(..) {
            if let Some(seen) = is_seen.get_mut(page.0 as usize)
                && !std::mem::replace(seen, true)
            {
                order.push(page);
            }
        }
        match order.get(next) {
            Some(page) => web.neighbours(*page, &mut found),
            None => return order,
        }
        next += 1;
    }
}
