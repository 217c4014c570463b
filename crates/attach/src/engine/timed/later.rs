//! What a drive in the time of the wall clock does later: requests that are held, and answers that are.

use crate::engine::ask::Ask;
use ftlab_base::{Nanos, SimTime};
use ftlab_drive::faults::Verdict;
use ftlab_nbd::NbdError;
use std::collections::BTreeMap;

/// What is done later.
pub(super) enum Later {
    /// A request comes to a drive that was off, or away.
    Ask(Ask),
    /// A request is begun, about which it is decided.
    Begin(Ask, Verdict),
    /// An answer leaves, with how long it took.
    Answer(Ask, Result<(), NbdError>, Nanos),
}

/// All that, by time, and at one instant in the order in which it came.
#[derive(Default)]
pub(super) struct Laters {
    all: BTreeMap<(SimTime, u64), Later>,
    number: u64,
}

impl Laters {
    pub(super) fn push(&mut self, at: SimTime, later: Later) {
        self.number += 1;
        self.all.insert((at, self.number), later);
    }

    /// When the first of it is due.
    pub(super) fn next(&self) -> Option<SimTime> {
        self.all.first_key_value().map(|((at, _), _)| *at)
    }

    /// The first of what is due by then.
    pub(super) fn pop(&mut self, by: SimTime) -> Option<Later> {
        let first = self.all.first_entry()?;
        (first.key().0 <= by).then(|| first.remove())
    }
}
