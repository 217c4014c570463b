//! Pace of collection beside the host's writes: by a rule of the layer, which takes no call, or by a policy that
//! decides over a read-only view.

/// Rule by which victims are copied while the host writes.
#[derive(Debug)]
pub enum Pace {
    /// In step: each slot of the host earns its share of a victim, which is copied at once.
    InStep,
    /// In turns: the host writes `slots` slots, and then the layer copies the share of the victim that belongs to them. The
    /// host's next programs wait behind the copies.
    InTurns {
        /// Slots that the host writes to a group between two turns.
        slots: u32,
        /// True if the drive says when a turn goes on
        /// ([`TranslationLayer::take_turn`](crate::TranslationLayer::take_turn)), a row at a time. If the host writes
        /// meanwhile, the layer copies the share of those writes; the turn stays due.
        gives_way: bool,
    },
    /// In batches: a group that is low makes so much writable in one go, in whole superblocks.
    InBatches {
        /// Slots made writable beside the reserve.
        slots: u32,
    },
    /// As a policy says.
    By(Box<dyn PacingPolicy>),
}

impl Pace {
    /// Slots of a group that are kept writable for it, beside the reserve: what a batch makes, or what is owed at a turn.
    pub(super) fn slots(&self) -> u32 {
        match *self {
            Pace::InTurns { slots, .. } | Pace::InBatches { slots } => slots,
            Pace::InStep | Pace::By(_) => 0,
        }
    }

    /// Slots that the host writes before what they earned is copied.
    #[inline]
    pub(super) fn turn_slots(&self) -> u32 {
        match *self {
            Pace::InTurns { slots, .. } => slots,
            _ => 0,
        }
    }
}

impl Clone for Pace {
    fn clone(&self) -> Self {
        match self {
            Pace::InStep => Pace::InStep,
            &Pace::InTurns { slots, gives_way } => Pace::InTurns { slots, gives_way },
            &Pace::InBatches { slots } => Pace::InBatches { slots },
            Pace::By(policy) => Pace::By(policy.boxed()),
        }
    }
}

/// The collection that is under way in a group, as a policy sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PacingView {
    /// Slots that the group can still write before anything more is collected.
    pub writable_slots: u32,
    /// A group begins to collect with as many writable slots, or fewer.
    pub low_slots: u32,
    /// Valid slots of the victim that are still to be copied; at least one.
    pub left_slots: u32,
    /// Slots that are copied together.
    pub row_slots: u32,
    /// Slots of the victim that were valid when it was chosen.
    pub valid_slots: u32,
    /// Slots that were not: what its collection gains.
    pub gain_slots: u32,
    /// Copies that the host's writes have earned since and that were not made: each slot of the host earns
    /// `valid_slots / gain_slots`. Infinite for a victim without gain.
    pub owed_slots: f64,
    /// True if less is writable than even the end of a cycle leaves.
    pub is_behind: bool,
}

/// Decides when a victim's valid slots are copied. A policy may keep state, but acts on nothing. Where it waits for too
/// long, the host waits: a group never opens its last superblocks for data before there is room again.
pub trait PacingPolicy: std::fmt::Debug + Send {
    /// Returns true if the next row of the victim is copied now. Asked after each slot that the host writes to a group
    /// under collection, and again after each row, until it says no.
    fn copies(&mut self, view: &PacingView) -> bool;

    /// A copy in a box, for snapshots of a drive: it goes on as this one would.
    fn boxed(&self) -> Box<dyn PacingPolicy>;
}

#[cfg(test)]
mod tests;
