//! A heap of small numbers whose order lives elsewhere and may change.
//!
//! The members are ids. An [`Order`] knows which comes first and where each member currently sits. So when a priority
//! changes, its member moves in place: there are no stale copies to skip or clean up, and a member costs four bytes.

/// Decides which member comes first, and records where each one sits.
pub(crate) trait Order {
    fn before(&self, a: u32, b: u32) -> bool;
    fn moved(&mut self, member: u32, slot: u32);
}

/// Four children per node: flatter than two, and the four are adjacent in memory.
const ARITY: usize = 4;

#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    members: Vec<u32>,
}

impl Heap {
    pub fn best(&self) -> Option<u32> {
        self.members.first().copied()
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub fn push(&mut self, member: u32, order: &mut impl Order) {
        self.members.push(member);
        self.rise(self.members.len() - 1, order);
    }

    /// Removes the member at a slot.
    pub fn remove(&mut self, slot: u32, order: &mut impl Order) {
        let slot = slot as usize;
        if slot >= self.members.len() {
            return;
        }
        self.members.swap_remove(slot);
        if slot < self.members.len() {
            self.settle(slot, order);
        }
    }

    /// Moves a member whose order changed to its new place.
    pub fn update(&mut self, slot: u32, order: &mut impl Order) {
        if (slot as usize) < self.members.len() {
            self.settle(slot as usize, order);
        }
    }

    /// All members, in no particular order.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    pub fn bytes(&self) -> usize {
        self.members.capacity() * 4
    }

    /// Frees memory that is no longer needed.
    pub fn shrink(&mut self) {
        if self.members.len() * 4 < self.members.capacity() {
            self.members.shrink_to(self.members.len() * 2);
        }
    }

    /// Fills an empty heap in linear time.
    pub fn rebuild(&mut self, members: Vec<u32>, order: &mut impl Order) {
        self.members = members;
        for slot in (0..self.members.len()).rev() {
            self.sink(slot, order);
        }
    }

    /// Fills an empty heap with members in the order that another heap had them.
    pub fn restore(&mut self, members: Vec<u32>) {
        self.members = members;
    }

    fn settle(&mut self, slot: usize, order: &mut impl Order) {
        if self.rise(slot, order) == slot {
            self.sink(slot, order);
        }
    }

    fn rise(&mut self, mut slot: usize, order: &mut impl Order) -> usize {
        let member = self.members[slot];
        while slot > 0 {
            let parent = (slot - 1) / ARITY;
            let above = self.members[parent];
            if !order.before(member, above) {
                break;
            }
            self.members[slot] = above;
            order.moved(above, slot as u32);
            slot = parent;
        }
        self.members[slot] = member;
        order.moved(member, slot as u32);
        slot
    }

    fn sink(&mut self, mut slot: usize, order: &mut impl Order) {
        let member = self.members[slot];
        loop {
            let first = slot * ARITY + 1;
            let children = first..(first + ARITY).min(self.members.len());
            let Some(best) = children.reduce(|best, child| {
                if order.before(self.members[child], self.members[best]) {
                    child
                } else {
                    best
                }
            }) else {
                break;
            };
            let below = self.members[best];
            if !order.before(below, member) {
                break;
            }
            self.members[slot] = below;
            order.moved(below, slot as u32);
            slot = best;
        }
        self.members[slot] = member;
        order.moved(member, slot as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Table {
        keys: Vec<u32>,
        slots: Vec<u32>,
    }

    impl Order for Table {
        fn before(&self, a: u32, b: u32) -> bool {
            (self.keys[a as usize], a) < (self.keys[b as usize], b)
        }
        fn moved(&mut self, member: u32, slot: u32) {
            self.slots[member as usize] = slot;
        }
    }

    #[test]
    fn members_come_out_in_order_whatever_was_changed_or_removed_in_between() {
        let mut table = Table {
            keys: (0..200).map(|i| (i * 7919) % 1009).collect(),
            slots: vec![0; 200],
        };
        let mut heap = Heap::default();
        heap.rebuild((0..100).collect(), &mut table);
        for member in 100..200 {
            heap.push(member, &mut table);
        }
        for member in (0..200).step_by(3) {
            table.keys[member as usize] = (member * 31) % 500;
            heap.update(table.slots[member as usize], &mut table);
        }
        let mut left: Vec<u32> = (0..200).collect();
        for member in (0..200).step_by(7) {
            heap.remove(table.slots[member as usize], &mut table);
            left.retain(|kept| *kept != member);
        }
        left.sort_by_key(|member| (table.keys[*member as usize], *member));
        let mut seen = Vec::new();
        while let Some(best) = heap.best() {
            seen.push(best);
            heap.remove(0, &mut table);
        }
        assert_eq!(seen, left);
    }
}
