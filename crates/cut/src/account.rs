//! The account of a volatile buffer while its drive is at work.

use crate::volatile::{Volatile, lying};
use ftlab_base::{Lpn, Nanos};
use ftlab_drive::ssd::LayerInput;
use ftlab_ftl::TranslationLayer;
use ftlab_nand::DataMove;

/// Idle time after which a drive programs a unit that it has begun, with padding. No source says how long
/// drives wait; a host that flushes does not see it. The filling is not counted.
pub const DRAINED_AFTER: Nanos = Nanos::from_millis(100);

/// Changes of an account by a request of the layer.
#[derive(Debug, Default)]
pub struct Followed {
    /// Slots that were written or given up, and where they lay.
    pub before: Vec<(u32, u32)>,
    /// Slots that cannot be any more what they were before, as that was erased.
    pub gone: Vec<u32>,
}

/// The slots of a volatile buffer, as its drive is asked one thing after the other.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// Slots that a power cut could take.
    pub volatile: Volatile,
    /// Number of slots that the drive's buffer can hold.
    buffer_slots: usize,
    /// Places of slots that the layer is asked to write or to give up.
    before: Vec<(u32, u32)>,
}

impl Account {
    /// The account of a buffer of N slots, which goes on with what is in it.
    #[must_use]
    pub fn of(volatile: Volatile, buffer_slots: usize) -> Account {
        Account {
            volatile,
            buffer_slots,
            before: Vec::new(),
        }
    }

    /// The layer will be asked to write slots, or to give them up.
    pub fn prepare(&mut self, layer: &dyn TranslationLayer, first: Lpn, slots: u32) {
        self.before = lying(layer, first, slots);
    }

    /// The layer was asked something, took it or not, and moved data.
    pub fn follow(&mut self, input: LayerInput, taken: bool, moves: &[DataMove]) -> Followed {
        let before = std::mem::take(&mut self.before);
        let gone = self.volatile.follow(input, taken, &before, moves);
        Followed { before, gone }
    }

    /// A slot whose program must be over, since the buffer has no room for what came after it. With a clock it is said
    /// when slots are programmed; without one this is all that is known.
    #[must_use]
    pub fn overdue(&self) -> Option<u32> {
        let are_too_many = self.volatile.programming() > self.buffer_slots;
        self.volatile.oldest().filter(|_| are_too_many)
    }
}
