//! Commands on their way, and whose they are.

use crate::driver::DriverError;
use ftlab_base::{
    Command, CommandId, CommandKind, Completion, Content, Lba, Nanos, Outcome, SimTime,
};
use ftlab_drive::Device;
use ftlab_workload::script::Run;

/// Low bits of a command's id that name its slot; the rest counts commands.
const SLOT_BITS: u32 = 24;

/// Who waits for a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A program's step.
    Read {
        /// The program.
        program: usize,
        /// The step.
        step: u64,
    },
    /// A check of what a program has written.
    Check {
        /// The program.
        program: usize,
    },
    /// A program that writes through.
    Through {
        /// The program.
        program: usize,
    },
    /// The lazy writer, for so many sectors of programs' data.
    Data(u32),
    /// The file system, for its journal.
    Journal,
    /// The file system, for a page of its tables.
    Page,
}

/// A command that ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    pub owner: Owner,
    pub kind: CommandKind,
    pub bytes: u64,
    pub from: SimTime,
    pub to: SimTime,
    pub is_good: bool,
}

#[derive(Debug, Clone, Copy)]
struct InFlight {
    id: CommandId,
    owner: Owner,
    kind: CommandKind,
    bytes: u64,
    at: SimTime,
}

/// The drive and what is outstanding at it.
pub struct Io<'d> {
    pub device: &'d mut dyn Device,
    slots: Vec<Option<InFlight>>,
    free: Vec<u32>,
    pub submitted: u64,
    pub completed: u64,
    pub done: Vec<Completion>,
}

impl<'d> Io<'d> {
    pub fn new(device: &'d mut dyn Device) -> Io<'d> {
        Io {
            device,
            slots: Vec::new(),
            free: Vec::new(),
            submitted: 0,
            completed: 0,
            done: Vec::new(),
        }
    }

    /// Sends a command; `content` is what a write carries.
    pub fn submit(&mut self, owner: Owner, run: Run, content: Content, now: SimTime) {
        let kind = match owner {
            Owner::Read { .. } | Owner::Check { .. } => CommandKind::Read,
            _ => CommandKind::Write,
        };
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            (self.slots.len() - 1) as u32
        });
        let command = Command {
            id: CommandId(self.submitted << SLOT_BITS | u64::from(slot)),
            kind,
            lba: Lba(run.lba),
            sectors: run.sectors,
            content,
            at: now,
        };
        self.slots[slot as usize] = Some(InFlight {
            id: command.id,
            owner,
            kind,
            bytes: command.bytes(),
            at: now,
        });
        self.submitted += 1;
        self.device.submit(command, now);
    }

    /// Takes the completions since the last call.
    pub fn take_ended(&mut self, ended: &mut Vec<Ended>) -> Result<(), DriverError> {
        for completion in std::mem::take(&mut self.done) {
            let slot = (completion.id.0 & ((1 << SLOT_BITS) - 1)) as u32;
            let entry = self.slots.get_mut(slot as usize);
            let Some(command) = entry.and_then(|e| e.take_if(|c| c.id == completion.id)) else {
                let id = completion.id.0 >> SLOT_BITS;
                return Err(DriverError::Unexpected { id });
            };
            self.free.push(slot);
            self.completed += 1;
            ended.push(Ended {
                owner: command.owner,
                kind: command.kind,
                bytes: command.bytes,
                from: command.at,
                to: completion.at,
                is_good: completion.outcome == Outcome::Good,
            });
        }
        Ok(())
    }

    pub fn outstanding(&self) -> u64 {
        self.submitted - self.completed
    }

    pub fn stuck(&self, now: SimTime) -> DriverError {
        let oldest = self.slots.iter().flatten().map(|command| command.at).min();
        DriverError::Stuck {
            at: now.since(SimTime::ZERO),
            outstanding: self.outstanding() as usize,
            since: oldest.map_or(Nanos::ZERO, |at| at.since(SimTime::ZERO)),
        }
    }
}
