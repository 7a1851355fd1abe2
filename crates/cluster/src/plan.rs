//! Which node should own which shard.
//!
//! Every node computes the plan from the names of the nodes that run, so they agree without speaking. Each shard prefers the
//! nodes in an order of its own; it gets the first that is not full. When a node joins or leaves, few shards move.

use std::collections::BTreeMap;

/// The node that should own each shard, by the shard's number. Empty if there are no nodes.
pub(crate) fn plan<'a>(shards: u16, nodes: &[&'a str]) -> Vec<&'a str> {
    if nodes.is_empty() {
        return Vec::new();
    }
    let most = usize::from(shards).div_ceil(nodes.len());
    let mut load: BTreeMap<&str, usize> = BTreeMap::new();
    let mut planned = Vec::with_capacity(usize::from(shards));
    for shard in 0..shards {
        let free = |node: &&&str| load.get(**node).copied().unwrap_or_default() < most;
        let best = nodes
            .iter()
            .filter(free)
            .max_by_key(|node| (preference(node, shard), **node));
        if let Some(best) = best {
            *load.entry(best).or_default() += 1;
            planned.push(*best);
        }
    }
    planned
}

/// How much a shard prefers a node: FNV-1a of both, mixed once more.
fn preference(node: &str, shard: u16) -> u64 {
    let bytes = node.bytes().chain(shard.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_spread_evenly_and_few_move() {
        let three = plan(256, &["a", "b", "c"]);
        assert_eq!(three.len(), 256);
        for node in ["a", "b", "c"] {
            let owned = three.iter().filter(|owner| **owner == node).count();
            assert!((84..=86).contains(&owned), "{node} has {owned}");
        }
        let two = plan(256, &["a", "c"]);
        let moved = (0..256)
            .filter(|at| three[*at] != "b" && three[*at] != two[*at])
            .count();
        assert!(moved < 40, "{moved} of 170 moved without need");
        assert!(two.iter().all(|owner| *owner != "b"));
        assert_eq!(plan(4, &[]), Vec::<&str>::new());
        assert_eq!(plan(3, &["x"]), ["x", "x", "x"]);
    }
}
