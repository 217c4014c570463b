//! Fences: how many unfinished operations hold each open, and who waits for it.

use ftlab_nand::Fence;

/// Nobody, in a chain of sleepers.
pub(crate) const NOBODY: u16 = u16::MAX;

/// State of one fence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FenceState {
    /// Unfinished operations that signal it.
    pub(crate) open: u32,
    /// Operations that wait for it and have not started.
    pub(crate) waiters: u32,
    /// The first of the dies that sleep on it.
    pub(crate) first_sleeper: u16,
    /// The drive waits for it.
    pub(crate) watched: bool,
}

/// All fences, by number.
#[derive(Debug, Clone)]
pub(crate) struct Fences {
    states: Vec<FenceState>,
}

impl Fences {
    const CLEAR: FenceState = FenceState {
        open: 0,
        waiters: 0,
        first_sleeper: NOBODY,
        watched: false,
    };

    pub(crate) fn new() -> Fences {
        Fences {
            states: vec![Self::CLEAR],
        }
    }

    /// The state of a fence, used before or not.
    #[inline]
    pub(crate) fn get(&mut self, fence: Fence) -> &mut FenceState {
        if fence.index() >= self.states.len() {
            self.states.resize(fence.index() + 1, Self::CLEAR);
        }
        &mut self.states[fence.index()]
    }

    /// Returns true if nothing holds a fence open.
    #[inline]
    pub(crate) fn is_reached(&self, fence: Fence) -> bool {
        self.states
            .get(fence.index())
            .is_none_or(|state| state.open == 0)
    }
}
