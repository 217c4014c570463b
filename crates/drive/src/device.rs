//! A drive in virtual time, whatever it is built of.

use crate::counters::Counters;
use crate::health::Health;
use crate::heat::Temperature;
use crate::occupancy::Occupancy;
use crate::ssd::Ssd;
use crate::state::DeviceState;
use ftlab_base::{Command, CommandId, Completion, Nanos, Outcome, SECTOR_BYTES, SimTime};
use ftlab_ftl::page::PageMapped;
use ftlab_host::Host;
use ftlab_nand::StateError;
use ftlab_timing::Energy;
use std::ops::Range;
use thiserror::Error;

/// The drive cannot be erased as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("there is no flash to erase")]
pub struct EraseRefused;

/// The write cache cannot be turned off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("there is no write cache that can be turned off")]
pub struct CacheRefused;

/// A drive behind its host's driver queue.
///
/// The caller owns the clock: it submits commands at the present, asks when something happens
/// next, and moves the clock there or to the next submission, whichever comes first.
pub trait Device: Send {
    /// Sectors of 512 bytes the host can address.
    fn capacity_sectors(&self) -> u64;

    /// Bytes that are written as a whole, or not at all, when the power goes.
    fn atomic_bytes(&self) -> u64 {
        SECTOR_BYTES
    }

    /// Time begins, and nothing is asked of the drive yet: what it does in pauses it does until something is.
    fn begin_time(&mut self, _now: SimTime) {}

    /// It is `now` for a drive that is on, whether it is asked for anything or not: what is due by then has happened.
    fn note_time(&mut self, _now: SimTime) {}

    /// Takes a command. Any number may be outstanding: those beyond the drive's own queue wait in
    /// the host's.
    ///
    /// # Panics
    /// When the command reaches beyond [`Device::capacity_sectors`]; the caller checks.
    fn submit(&mut self, command: Command, now: SimTime);

    /// Says that a command will be submitted, now or later, and gives the id by which a store behind the drive will hear of
    /// its data.
    fn announce(&mut self, command: &Command) -> CommandId {
        command.id
    }

    /// Takes a command that was announced, as [`Device::submit`] does, by the id that this gave.
    fn submit_announced(&mut self, command: Command, _at_store: CommandId, now: SimTime) {
        self.submit(command, now);
    }

    /// The earliest instant at which something happens; `None` when nothing will.
    fn next_event(&self) -> Option<SimTime>;

    /// Lets everything at or before `now` happen and appends what completed, in order.
    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>);

    /// Lets things happen up to and including the first instant at which something completes, but
    /// nothing after `limit`: the same as [`Device::advance`] from event to event. Gives the last
    /// instant at which something happened, if anything did.
    fn advance_to_completion(
        &mut self,
        limit: SimTime,
        done: &mut Vec<Completion>,
    ) -> Option<SimTime> {
        let (before, mut last) = (done.len(), None);
        while done.len() == before
            && let Some(at) = self.next_event().filter(|at| *at <= limit)
        {
            self.advance(at, done);
            last = Some(at);
        }
        last
    }

    /// Applies a command at once, without time: for write amplification, wear, preconditioning.
    /// Only while nothing is outstanding.
    fn apply(&mut self, command: Command) -> Outcome;

    /// Says that a command will soon be applied. Changes nothing; a drive may fetch what it will need
    /// from memory.
    fn expect(&self, _command: &Command) {}

    /// Erases of each block of its flash; empty if it has none.
    fn erase_counts(&self) -> &[u32] {
        &[]
    }

    /// Says in words why the drive takes no more writes; `None` while it does.
    fn fault(&self) -> Option<String> {
        None
    }

    /// State of health of the drive, if it is of flash.
    fn health(&self) -> Option<Health> {
        None
    }

    /// Lets the drive lie without power for N hours at a temperature in degrees Celsius: its
    /// data age. Only while nothing is outstanding.
    fn rest(&mut self, _hours: f64, _celsius: f64) {}

    /// Counters since the drive was made.
    fn counters(&self) -> Counters;

    /// Joules that the drive has taken from its supply by `now`, with time; only differences between two instants of a
    /// run have a meaning. `None` when its file does not say what its parts take.
    fn energy(&self, now: SimTime) -> Option<Energy>;

    /// Temperature at `now`, with time; `None` when its file does not say how it warms.
    fn temperature(&self, _now: SimTime) -> Option<Temperature> {
        None
    }

    /// Watts it takes with nothing to do; `None` when its file does not say.
    fn rest_watts(&self) -> Option<f64>;

    /// Time that the host and the parts of the drive have worked by `now`; only differences between two instants of a
    /// run have a meaning. `None` for what does not say.
    fn occupancy(&self, _now: SimTime) -> Option<Occupancy> {
        None
    }

    /// Time that the host's cores have worked for its requests by `now`, all together; only differences between two instants
    /// of a run have a meaning. `None` where the host does not say what a request takes of them, each way.
    fn host_busy(&self, _now: SimTime) -> Option<Nanos> {
        None
    }

    /// Turns the write cache off or on, as ATA SET FEATURES does: while it is off, a write ends when its
    /// data are where they stay. A drive as built has it on. Only while nothing is outstanding.
    ///
    /// # Errors
    /// When it cannot be turned off.
    fn set_write_cache(&mut self, on: bool) -> Result<(), CacheRefused> {
        if on { Ok(()) } else { Err(CacheRefused) }
    }

    /// Sectors that were written and are in a volatile write cache alone, run by run, as far as time has come.
    /// None for a drive that says slot by slot when it has programmed something, as an SSD does.
    fn dirty(&self) -> Vec<Range<u64>> {
        Vec::new()
    }

    /// Sectors that a volatile write cache of such a drive takes.
    fn cache_sectors(&self) -> u64 {
        0
    }

    /// Plugs the drive into another machine, or another port. Only while nothing is outstanding.
    fn plug(&mut self, host: &Host);

    /// Erases every block and forgets the mapping (ATA SECURITY ERASE UNIT), without time. Only
    /// while nothing is outstanding.
    ///
    /// # Errors
    /// What has no flash refuses: it would have to write itself over.
    fn secure_erase(&mut self) -> Result<(), EraseRefused> {
        Err(EraseRefused)
    }

    /// Starts the hash of the operation stream anew, so that a run's hash is the run's own.
    fn restart_stream_hash(&mut self) {}

    /// The mapping, to look at, if the drive is page-mapped.
    fn page_layer(&self) -> Option<&dyn PageMapped> {
        None
    }

    /// Everything the drive keeps while it is off. Only while nothing is outstanding; after a run
    /// with time, a flush must have been applied without time.
    fn save(&self) -> DeviceState;

    /// Takes over a state; the drive is as built. After an error it is to be thrown away.
    ///
    /// # Errors
    /// When a drive built so cannot have such a state.
    fn restore(&mut self, state: DeviceState) -> Result<(), StateError>;

    /// The drive as it is, for a second run from the same state. Only while nothing is
    /// outstanding; its clock starts at zero again.
    fn snapshot(&self) -> Box<dyn Device>;

    /// The drive at work, with all that is outstanding and its clock, for a second future. It copies the mapping once, and
    /// what the store behind the flash says of copies.
    fn fork(&self) -> Box<dyn Device>;

    /// The SSD that it is, or that it stands in front of.
    fn ssd(&self) -> Option<&Ssd> {
        None
    }

    /// The same, to give it a store and data.
    fn ssd_mut(&mut self) -> Option<&mut Ssd> {
        None
    }
}

impl Clone for Box<dyn Device> {
    fn clone(&self) -> Box<dyn Device> {
        self.fork()
    }
}
