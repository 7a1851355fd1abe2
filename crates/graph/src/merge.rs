//! Merges sorted runs.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::GraphFault;

/// Passes on the items of sorted runs in order, each with the number of its run. `next` replaces the given item with
/// the run's next one, and returns false at the end.
pub(crate) fn merge<Item: Ord + Default>(
    runs: usize,
    mut next: impl FnMut(usize, &mut Item) -> Result<bool, GraphFault>,
    mut visit: impl FnMut(&Item, usize) -> Result<(), GraphFault>,
) -> Result<(), GraphFault> {
    let mut heads = BinaryHeap::with_capacity(runs);
    for run in 0..runs {
        let mut item = Item::default();
        if next(run, &mut item)? {
            heads.push(Reverse((item, run)));
        }
    }
    while let Some(mut head) = heads.peek_mut() {
        let Reverse((item, run)) = &mut *head;
        visit(item, *run)?;
        if !next(*run, item)? {
            PeekMut::pop(head);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_come_in_one_order_and_nothing_is_lost(
            mut runs in prop::collection::vec(prop::collection::vec(0_u64..50, 0..20), 0..6),
        ) {
            for run in &mut runs {
                run.sort_unstable();
            }
            let mut at = vec![0; runs.len()];
            let mut seen = Vec::new();
            let next = |run: usize, item: &mut u64| {
                let found = runs[run].get(at[run]).copied();
                at[run] += 1;
                *item = found.unwrap_or_default();
                Ok(found.is_some())
            };
            merge(runs.len(), next, |item, run| {
                seen.push((*item, run));
                Ok(())
            }).unwrap();
            let mut expected: Vec<(u64, usize)> = (0..)
                .zip(&runs)
                .flat_map(|(number, run)| run.iter().map(move |item| (*item, number)))
                .collect();
            expected.sort_unstable();
            prop_assert_eq!(seen, expected);
        }
    }
}
