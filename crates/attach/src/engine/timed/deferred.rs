//! Requests and answers that a drive in the time of the wall clock puts off.

use crate::engine::request::IoRequest;
use ftlab_base::{Nanos, SimTime};
use ftlab_drive::faults::Verdict;
use ftlab_nbd::NbdError;
use std::collections::BTreeMap;

/// Work that is put off.
pub(super) enum Deferred {
    /// A request arrives at a drive that was off, or away.
    Request(IoRequest),
    /// A request is begun, about which it is decided.
    Begin(IoRequest, Verdict),
    /// An answer leaves, with how long it took.
    Answer(IoRequest, Result<(), NbdError>, Nanos),
}

/// All that, by time, and at one instant in the order in which it came.
#[derive(Default)]
pub(super) struct DeferredQueue {
    all: BTreeMap<(SimTime, u64), Deferred>,
    number: u64,
}

impl DeferredQueue {
    pub(super) fn push(&mut self, at: SimTime, deferred: Deferred) {
        self.number += 1;
        self.all.insert((at, self.number), deferred);
    }

    /// Time at which the first of it is due.
    pub(super) fn next(&self) -> Option<SimTime> {
        self.all.first_key_value().map(|((at, _), _)| *at)
    }

    /// The first of what is due by then.
    pub(super) fn pop(&mut self, by: SimTime) -> Option<Deferred> {
        let first = self.all.first_entry()?;
        (first.key().0 <= by).then(|| first.remove())
    }
}
