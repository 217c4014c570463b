//! The data that a drive must hold, by the requests alone.

use ftlab_base::{Command, CommandKind};

/// The knowledge of one slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Holds {
    /// Never written, or trimmed since.
    #[default]
    Nothing,
    Data,
    /// Written and trimmed at the same time, or written in vain: either may be.
    Either,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    holds: Holds,
    writes: u32,
    trims: u32,
    /// A write and a trim were outstanding together.
    contested: bool,
}

/// Model of the slots of a drive that hold data.
#[derive(Debug)]
pub struct Model {
    sectors_per_slot: u64,
    slots: Vec<Slot>,
}

impl Model {
    /// A drive that nothing was written to.
    pub fn new(slots: u32, sectors_per_slot: u32) -> Model {
        Model {
            sectors_per_slot: u64::from(sectors_per_slot),
            slots: vec![Slot::default(); slots as usize],
        }
    }

    /// A command is under way.
    pub fn begin(&mut self, command: &Command) {
        for slot in self.slots_of(command) {
            match command.kind {
                CommandKind::Write => slot.writes += 1,
                _ => slot.trims += 1,
            }
            slot.contested |= slot.writes > 0 && slot.trims > 0;
        }
    }

    /// A command is over.
    pub fn end(&mut self, command: &Command, good: bool) {
        for slot in self.slots_of(command) {
            let holds = match command.kind {
                CommandKind::Write => {
                    slot.writes -= 1;
                    Holds::Data
                }
                _ => {
                    slot.trims -= 1;
                    Holds::Nothing
                }
            };
            let known = good && !slot.contested;
            slot.holds = if known { holds } else { Holds::Either };
            slot.contested &= slot.writes > 0 || slot.trims > 0;
        }
    }

    /// Compares with what the drive finds, slot by slot.
    pub fn compare(&self, found: impl Fn(u32) -> bool) {
        for (n, slot) in (0..).zip(&self.slots) {
            match slot.holds {
                Holds::Either => {}
                Holds::Data => assert!(found(n), "slot {n} was written and is not there"),
                Holds::Nothing => assert!(!found(n), "slot {n} was never written, or trimmed"),
            }
        }
    }

    /// The slots that a command writes or trims: a trim drops whole slots only. None of a model
    /// without slots.
    fn slots_of(&mut self, command: &Command) -> &mut [Slot] {
        let (first, end) = (command.lba.0, command.lba.0 + u64::from(command.sectors));
        let per_slot = self.sectors_per_slot;
        let range = match command.kind {
            CommandKind::Write => first / per_slot..end.div_ceil(per_slot),
            CommandKind::Trim => first.div_ceil(per_slot)..end / per_slot,
            CommandKind::Read | CommandKind::Flush => 0..0,
        };
        if self.slots.is_empty() || range.is_empty() {
            return &mut [];
        }
        &mut self.slots[range.start as usize..range.end as usize]
    }
}
