//! Bounds on what a merge has under way.

use ftlab_nand::{Fence, OpBatch};
use std::collections::VecDeque;

/// Bounds the program units whose pages have been read and not yet programmed: unit *i* is read
/// when unit *i* − `units` is programmed.
#[derive(Debug)]
pub(super) struct Window {
    /// Units in flight at most; `None` for no bound.
    units: Option<u32>,
    /// Units that were begun.
    begun: u32,
    /// Units that were ended.
    ended: u32,
    /// Units there will be.
    copied: u32,
    /// What units to come wait for, the next one first.
    gates: VecDeque<Fence>,
}

impl Window {
    /// A window for `copied` units. The number is exact, so that every gate gets its waiter.
    pub fn new(units: Option<u32>, copied: u32) -> Window {
        Window {
            units,
            begun: 0,
            ended: 0,
            copied,
            gates: VecDeque::new(),
        }
    }

    /// Begins a unit; gives what its reads wait for.
    pub fn begin(&mut self) -> Fence {
        let Some(units) = self.units else {
            return Fence::NONE;
        };
        self.begun += 1;
        if self.begun > units {
            self.gates.pop_front().expect("a unit left a gate")
        } else {
            Fence::NONE
        }
    }

    /// Ends the oldest unit begun; gives what its program holds open.
    pub fn end(&mut self, batch: &mut OpBatch) -> Fence {
        self.ended += 1;
        match self.units {
            Some(units) if units <= self.copied.saturating_sub(self.ended) => {
                let gate = batch.fence();
                self.gates.push_back(gate);
                gate
            }
            _ => Fence::NONE,
        }
    }

    /// Units in flight at most; `None` for no bound.
    pub fn units(&self) -> Option<u32> {
        self.units
    }
}
