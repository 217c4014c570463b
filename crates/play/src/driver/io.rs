//! Commands on their way to the devices of a target, and whose they are.

use super::error::DriverError;
use super::order::WriteOrder;
use super::target::Target;
use ftlab_base::{
    Command, CommandId, CommandKind, Completion, EndsHash, Nanos, Outcome, SimTime, SubmissionQueue,
};
use ftlab_workload::Request;

/// Low bits of a command's id that name its slot: as many as the jobs and depths of a file allow. The
/// rest counts commands, so that ids are unique within a run.
const SLOT_BITS: u32 = 28;

/// A command that ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended<T> {
    /// Tag by which its source knows it.
    pub tag: T,
    /// Its device, by its place in the target.
    pub device: usize,
    pub kind: CommandKind,
    pub bytes: u64,
    pub from: SimTime,
    pub to: SimTime,
    pub is_good: bool,
}

#[derive(Debug, Clone, Copy)]
struct InFlight<T> {
    id: CommandId,
    tag: T,
    device: u32,
    kind: CommandKind,
    bytes: u64,
    at: SimTime,
}

/// The target and what is outstanding at it.
pub struct Io<'t, 'd, T> {
    pub target: &'t mut Target<'d>,
    slots: Vec<Option<InFlight<T>>>,
    free: Vec<u32>,
    pub submitted: u64,
    pub completed: u64,
    /// Over all ends, in order.
    pub ends: EndsHash,
    pub order: WriteOrder,
    pub done: Vec<Completion>,
}

impl<'t, 'd, T: Copy> Io<'t, 'd, T> {
    pub fn new(target: &'t mut Target<'d>) -> Self {
        Io {
            target,
            slots: Vec::new(),
            free: Vec::new(),
            submitted: 0,
            completed: 0,
            ends: EndsHash::default(),
            order: WriteOrder::default(),
            done: Vec::new(),
        }
    }

    /// Sends a request to the device at that place of the target, through one of the host's submission queues.
    #[inline]
    pub fn submit(&mut self, tag: T, to: (usize, SubmissionQueue), request: Request, now: SimTime) {
        let (device, queue) = to;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            (self.slots.len() - 1) as u32
        });
        let id = CommandId(self.submitted << SLOT_BITS | u64::from(slot));
        let command = Command {
            queue,
            ..request.command(id, now)
        };
        self.slots[slot as usize] = Some(InFlight {
            id: command.id,
            tag,
            device: device as u32,
            kind: command.kind,
            bytes: command.bytes(),
            at: now,
        });
        self.submitted += 1;
        self.order.note(device, &request);
        self.target.device(device).submit(command, now);
    }

    /// Takes a completion and returns the command that ended; an error if no such command is outstanding.
    #[inline]
    pub fn end(&mut self, completion: Completion) -> Result<Ended<T>, DriverError> {
        let slot = (completion.id.0 & ((1 << SLOT_BITS) - 1)) as u32;
        let entry = self.slots.get_mut(slot as usize);
        let Some(command) = entry.and_then(|e| e.take_if(|c| c.id == completion.id)) else {
            let id = completion.id.0 >> SLOT_BITS;
            return Err(DriverError::Unexpected { id });
        };
        self.free.push(slot);
        self.completed += 1;
        self.ends.note(command.id.0 >> SLOT_BITS, completion.at);
        Ok(Ended {
            tag: command.tag,
            device: command.device as usize,
            kind: command.kind,
            bytes: command.bytes,
            from: command.at,
            to: completion.at,
            is_good: completion.outcome == Outcome::Good,
        })
    }

    #[inline]
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
