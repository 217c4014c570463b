//! Uses of each block of 4 KiB of a trace: writes to it, and the distance of its accesses. Memory is bounded: of a
//! trace that touches many blocks, those are followed that a hash draws, ever fewer of them.
//!
//! The sample is by block, so the counts of a block that is followed are whole: SHARDS (C. Waldspurger, N. Park, A. Garthwaite,
//! I. Ahmad, "Efficient MRC construction with SHARDS", FAST 2015) with a bounded sample.

use crate::record::Record;
use ftlab_base::CommandKind;
use ftlab_base::hash::mix64;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// Bytes of a block.
pub const BLOCK_BYTES: u64 = 4096;

/// Blocks that are followed at most.
const BLOCKS_MAX: usize = 1 << 20;

/// Accesses between two times at which their places are numbered anew.
const PLACES: usize = 4 * BLOCKS_MAX;

/// Accesses to a block so far.
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    reads: u32,
    writes: u32,
    /// Writes to what held data of the trace.
    overwrites: u32,
    holds_data: bool,
    /// Place of its last access among all.
    place: u32,
}

/// Counts of blocks, scaled to all of them.
#[derive(Debug, Default)]
pub struct Blocks {
    followed: HashMap<(u32, u64), Block, FxBuildHasher>,
    /// A block is followed if its hash has at least this number of leading zeros.
    zeros: u32,
    /// Followed blocks whose last access stands at a place, as a tree of sums.
    tree: Vec<u32>,
    next: usize,
    /// Accesses by the blocks between them and the one before to the same block: below 2^n of them; scaled.
    distances: Vec<f64>,
}

/// Counts of the blocks of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// One block in this many was followed: 1 if all were.
    pub one_of: u64,
    /// Bytes that are touched.
    pub footprint_bytes: f64,
    /// Bytes that are written at least once.
    pub written_bytes: f64,
    /// Bytes that are written over data of the trace.
    pub overwritten_bytes: f64,
    /// Number of blocks that were written n times: (n, blocks), by n.
    pub writes: Vec<(u32, f64)>,
    /// Accesses to a block that was accessed before, by how many other blocks were between, below 2^n of them.
    pub distances: Vec<f64>,
}

fn hash(device: u32, block: u64) -> u64 {
    mix64(block ^ mix64(u64::from(device) + 1))
}

impl Blocks {
    /// Counts the blocks of a request.
    pub fn take(&mut self, record: &Record) {
        if record.length_bytes == 0 || record.kind == CommandKind::Flush {
            return;
        }
        let device = record.device.0;
        let blocks = record.offset_bytes / BLOCK_BYTES..=(record.end_bytes() - 1) / BLOCK_BYTES;
        if record.kind == CommandKind::Trim {
            // What is freed: whole blocks.
            let blocks =
                record.offset_bytes.div_ceil(BLOCK_BYTES)..record.end_bytes() / BLOCK_BYTES;
            return self.trim(device, blocks);
        }
        for block in blocks {
            if hash(device, block).leading_zeros() >= self.zeros {
                self.access(device, block, record.kind == CommandKind::Write);
            }
        }
    }

    fn trim(&mut self, device: u32, blocks: std::ops::Range<u64>) {
        if blocks.end.saturating_sub(blocks.start) > self.followed.len() as u64 {
            for ((of, block), state) in &mut self.followed {
                state.holds_data &= *of != device || !blocks.contains(block);
            }
            return;
        }
        for block in blocks {
            if let Some(state) = self.followed.get_mut(&(device, block)) {
                state.holds_data = false;
            }
        }
    }

    fn access(&mut self, device: u32, block: u64, is_write: bool) {
        if self.next == PLACES || self.tree.is_empty() {
            self.number_anew();
        }
        let mut place = self.next as u32;
        self.next += 1;
        let before = match self.followed.get_mut(&(device, block)) {
            Some(state) => Some(std::mem::replace(&mut state.place, place)),
            None => {
                if self.followed.len() == BLOCKS_MAX {
                    self.thin_out();
                    if hash(device, block).leading_zeros() < self.zeros {
                        return;
                    }
                    place = self.next as u32;
                    self.next += 1;
                }
                let new = Block {
                    place,
                    ..Block::default()
                };
                self.followed.insert((device, block), new);
                None
            }
        };
        if let Some(before) = before {
            // All but this one and those accessed before it.
            let between = self.followed.len() as u64 - self.sum(before as usize);
            let scaled = between << self.zeros;
            let class = (u64::BITS - scaled.leading_zeros()) as usize;
            if self.distances.len() <= class {
                self.distances.resize(class + 1, 0.0);
            }
            self.distances[class] += (1_u64 << self.zeros) as f64;
            self.add(before as usize, u32::MAX);
        }
        self.add(place as usize, 1);
        let Some(state) = self.followed.get_mut(&(device, block)) else {
            return;
        };
        if is_write {
            state.writes = state.writes.saturating_add(1);
            state.overwrites = state.overwrites.saturating_add(u32::from(state.holds_data));
            state.holds_data = true;
        } else {
            state.reads = state.reads.saturating_add(1);
        }
    }

    /// Follows half as many blocks.
    fn thin_out(&mut self) {
        self.zeros += 1;
        let zeros = self.zeros;
        self.followed
            .retain(|(device, block), _| hash(*device, *block).leading_zeros() >= zeros);
        self.number_anew();
    }

    /// Numbers the last accesses of all blocks from 0 on, in their order.
    fn number_anew(&mut self) {
        let mut states: Vec<&mut Block> = self.followed.values_mut().collect();
        states.sort_unstable_by_key(|state| state.place);
        self.tree = vec![0; PLACES + 1];
        for (place, state) in states.iter_mut().enumerate() {
            state.place = place as u32;
        }
        self.next = states.len();
        for place in 0..self.next {
            self.add(place, 1);
        }
    }

    /// Adds to a place; the largest number takes one away.
    fn add(&mut self, place: usize, count: u32) {
        let mut at = place + 1;
        while at < self.tree.len() {
            self.tree[at] = self.tree[at].wrapping_add(count);
            at += at & at.wrapping_neg();
        }
    }

    /// Blocks whose last access stands at a place or before it.
    fn sum(&self, place: usize) -> u64 {
        let mut at = place + 1;
        let mut sum = 0;
        while at > 0 {
            sum += u64::from(self.tree[at]);
            at &= at - 1;
        }
        sum
    }

    /// Returns the counts at the end, scaled to all blocks.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let scale = (1_u64 << self.zeros) as f64;
        let bytes = |blocks: u64| blocks as f64 * scale * BLOCK_BYTES as f64;
        let mut writes: Vec<u32> = (self.followed.values())
            .map(|block| block.writes)
            .filter(|writes| *writes > 0)
            .collect();
        writes.sort_unstable();
        let groups = writes.chunk_by(|a, b| a == b);
        Counts {
            one_of: 1 << self.zeros,
            footprint_bytes: bytes(
                self.followed
                    .values()
                    .filter(|block| block.reads + block.writes > 0)
                    .count() as u64,
            ),
            written_bytes: bytes(writes.len() as u64),
            overwritten_bytes: bytes(
                self.followed
                    .values()
                    .map(|block| u64::from(block.overwrites))
                    .sum(),
            ),
            writes: groups
                .map(|group| (group[0], group.len() as f64 * scale))
                .collect(),
            distances: self.distances.clone(),
        }
    }
}

impl Counts {
    /// The share of all writes that go to the hottest share of the written blocks; none where nothing was written.
    #[must_use]
    pub fn hottest(&self, share: f64) -> Option<f64> {
        let blocks: f64 = self.writes.iter().map(|(_, blocks)| blocks).sum();
        let all: f64 = self
            .writes
            .iter()
            .map(|(writes, blocks)| f64::from(*writes) * blocks)
            .sum();
        let mut left = blocks * share;
        let mut hot = 0.0;
        for (writes, blocks) in self.writes.iter().rev() {
            let taken = blocks.min(left);
            hot += taken * f64::from(*writes);
            left -= taken;
        }
        (all > 0.0).then(|| hot / all)
    }

    /// Classes of blocks that are written about as often, coldest first: the share of the blocks, and of the writes.
    #[must_use]
    pub fn classes(&self) -> Vec<(f64, f64)> {
        let blocks: f64 = self.writes.iter().map(|(_, blocks)| blocks).sum();
        let all: f64 = self
            .writes
            .iter()
            .map(|(writes, blocks)| f64::from(*writes) * blocks)
            .sum();
        let classes = self.writes.chunk_by(|a, b| a.0.ilog2() == b.0.ilog2());
        let share = |class: &[(u32, f64)]| {
            let own: f64 = class.iter().map(|(_, blocks)| blocks).sum();
            let writes: f64 = class
                .iter()
                .map(|(writes, blocks)| f64::from(*writes) * blocks)
                .sum();
            (own / blocks, writes / all)
        };
        classes.map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::DeviceId;

    fn record(kind: CommandKind, block: u64, blocks: u64) -> Record {
        Record::new(0, kind, DeviceId(0)).of_bytes(block * BLOCK_BYTES, blocks * BLOCK_BYTES)
    }

    #[test]
    fn blocks_are_counted_and_overwrites_know_of_trims() {
        let mut blocks = Blocks::default();
        for (kind, block, count) in [
            (CommandKind::Write, 0, 8),
            (CommandKind::Write, 0, 2),
            (CommandKind::Write, 0, 1),
            (CommandKind::Trim, 0, 1),
            (CommandKind::Write, 0, 1),
            (CommandKind::Read, 100, 4),
        ] {
            blocks.take(&record(kind, block, count));
        }
        let counts = blocks.counts();
        let of = |blocks: f64| blocks * BLOCK_BYTES as f64;
        assert_eq!(counts.footprint_bytes, of(12.0));
        assert_eq!(counts.written_bytes, of(8.0));
        assert_eq!(counts.overwritten_bytes, of(3.0));
        assert_eq!(counts.writes, [(1, 6.0), (2, 1.0), (4, 1.0)]);
        assert_eq!(counts.hottest(0.125), Some(4.0 / 12.0));
        assert_eq!(counts.hottest(1.0), Some(1.0));
        assert_eq!(
            counts.classes(),
            [(0.75, 0.5), (0.125, 2.0 / 12.0), (0.125, 4.0 / 12.0)]
        );
    }

    #[test]
    fn a_reuse_distance_is_the_blocks_between() {
        let mut blocks = Blocks::default();
        // Round and round over ten blocks: nine others lie between.
        for n in 0..100 {
            blocks.take(&record(CommandKind::Read, n % 10, 1));
        }
        let counts = blocks.counts();
        assert_eq!(counts.distances.iter().sum::<f64>(), 90.0);
        assert_eq!(counts.distances[4], 90.0);
        // And at once again: none.
        let mut blocks = Blocks::default();
        (0..5).for_each(|_| blocks.take(&record(CommandKind::Read, 7, 1)));
        assert_eq!(blocks.counts().distances, [4.0]);
    }

    #[test]
    fn a_sample_stands_for_all() {
        let mut blocks = Blocks::default();
        let all = 5 * BLOCKS_MAX as u64;
        for round in 0..2 {
            for block in 0..all {
                if round == 0 || block % 10 == 0 {
                    blocks.take(&record(CommandKind::Write, block, 1));
                }
            }
        }
        let counts = blocks.counts();
        assert_eq!(counts.one_of, 8);
        let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 0.01, "{got} {want}");
        near(counts.footprint_bytes, (all * BLOCK_BYTES) as f64);
        near(counts.overwritten_bytes, (all / 10 * BLOCK_BYTES) as f64);
        near(counts.hottest(0.1).unwrap(), 2.0 / 11.0);
    }
}
