//! A block-mapped layer in a saved state.

use super::logs::LogsState;
use super::pool::Use;
use super::{BlockLayer, MergeCounters};
use crate::Refusal;
use crate::donors::Donors;
use crate::lost::Lost;
use ftlab_base::SuperblockId;
use ftlab_nand::{ArrayState, StateError};
use serde::{Deserialize, Serialize};

/// Everything that changes in a [`BlockLayer`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockState {
    array: ArrayState,
    /// Superblock of each logical block's data.
    data: Vec<Option<SuperblockId>>,
    logs: LogsState,
    /// Free superblocks, by group, the next one first.
    free: Vec<Vec<SuperblockId>>,
    validity: Vec<u64>,
    merges: MergeCounters,
    merges_since_wear: u32,
    refusal: Option<Refusal>,
    /// Slots that were lost, in order.
    lost: Vec<u32>,
}

impl BlockLayer {
    pub(super) fn state(&self) -> BlockState {
        let free = |group| self.pool.free(group).iter().copied().collect();
        BlockState {
            array: self.array.state(),
            data: self.data.clone(),
            logs: self.logs.state(),
            free: (0..self.layout.groups).map(free).collect(),
            validity: self.validity.words().to_vec(),
            merges: self.merges,
            merges_since_wear: self.merges_since_wear,
            refusal: self.refusal,
            lost: self.lost.saved(),
        }
    }

    /// Takes over a state; `self` is as built. After an error it is to be thrown away.
    pub(super) fn take_over(&mut self, state: BlockState) -> Result<(), StateError> {
        StateError::length("the map", state.data.len(), self.data.len())?;
        let groups = self.layout.groups as usize;
        StateError::length("the list of groups", state.free.len(), groups)?;
        self.array.restore(state.array)?;
        self.validity.restore(state.validity)?;
        self.logs.restore(state.logs)?;
        let superblocks = self.layout.superblocks();
        let logs = self.logs.iter().map(|(_, log)| log.superblock);
        let data = state.data.iter().flatten().copied();
        // The pool indexes by these numbers, so they are checked before it is restored.
        for superblock in state.free.iter().flatten().copied().chain(logs).chain(data) {
            StateError::unless(superblock.0 < superblocks, || {
                format!("{superblock} does not exist; there are {superblocks}")
            })?;
        }
        let MergeCounters {
            switch,
            partial,
            full,
            wear_moves,
        } = state.merges;
        for count in [
            switch,
            partial,
            full,
            wear_moves,
            state.merges_since_wear.into(),
        ] {
            StateError::count("a count of merges", count)?;
        }
        StateError::unless(state.merges_since_wear <= u32::MAX / 2, || {
            format!("{} merges since wear was levelled", state.merges_since_wear)
        })?;
        self.data = state.data;
        let data = self.data.iter().enumerate();
        let data = data.filter_map(|(n, &s)| Some((s?, self.space.block(n))));
        let logs = self.logs.iter().map(|(block, log)| (log.superblock, block));
        self.pool.restore(state.free, data, logs, &self.array);
        self.merges = state.merges;
        self.merges_since_wear = state.merges_since_wear;
        self.refusal = state.refusal;
        self.lost = Lost::restored(state.lost, self.space.slots)?;
        self.donors = Donors::new(&self.layout);
        for (s, place) in (0..).map(SuperblockId).zip(self.pool.uses()) {
            if *place == Use::Retired {
                self.donors.take_apart(&self.layout, s, &self.array);
            }
        }
        self.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::BlockConfig;
    use crate::testing::WriteWhole;
    use ftlab_base::{Geometry, Layout, Lpn};
    use ftlab_nand::OpBatch;

    fn layer() -> BlockLayer {
        let geometry = Geometry {
            channels: 1,
            dies: 1,
            planes_per_die: 1,
            blocks_per_die: 16,
            pages_per_block: 8,
            page_bytes: 4096,
            slot_bytes: 4096,
        };
        let config = BlockConfig {
            log_blocks: 2,
            wear_every_merges: 4,
            wear_blocks: 2,
        };
        BlockLayer::new(Layout::new(geometry, 1).unwrap(), config, 64, None).unwrap()
    }

    fn written() -> BlockState {
        let (mut layer, mut batch) = (layer(), OpBatch::default());
        for n in 0..500 {
            let lpn = Lpn(n * 37 % 64);
            layer.write_whole(lpn, &mut batch).unwrap();
            batch.clear();
        }
        layer.state()
    }

    #[test]
    fn parts_that_contradict_each_other_are_refused() {
        layer().take_over(written()).unwrap();
        let refused = |change: fn(&mut BlockState)| {
            let mut state = written();
            change(&mut state);
            layer().take_over(state).unwrap_err().0
        };
        let twice = refused(|s| s.free[0].push(s.data.iter().flatten().next().copied().unwrap()));
        assert!(twice.contains("at once"), "{twice}");
        let nowhere = refused(|s| {
            let data = s.data.iter_mut().find(|data| data.is_some());
            *data.unwrap() = None;
        });
        assert!(!nowhere.is_empty());
        let full = refused(|s| s.free[0].clear());
        assert!(full.contains("not even free"), "{full}");
    }
}
