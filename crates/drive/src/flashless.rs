//! A drive without flash as a [`Device`], with its totals: it has no state that a test could need.

use crate::counters::Counters;
use crate::device::Device;
use crate::occupancy::Occupancy;
use crate::state::DeviceState;
use ftlab_base::{Command, CommandKind, Completion, Outcome, SimTime};
use ftlab_host::Host;
use ftlab_nand::StateError;
use ftlab_timing::Energy;
use std::ops::Range;

/// A medium that takes commands in virtual time, and remembers nothing of them that would show later.
pub trait Medium: Clone + Send + 'static {
    /// Sectors of 512 bytes it has.
    fn capacity_sectors(&self) -> u64;

    /// Takes a command, whatever is under way. `now` must not lie before an instant given earlier.
    ///
    /// # Panics
    /// If the command reads or writes no sectors, or such as the medium does not have.
    fn submit(&mut self, command: Command, now: SimTime);

    /// The earliest instant at which something happens; `None` when it is at rest.
    fn next_event(&self) -> Option<SimTime>;

    /// Lets everything happen that happens at or before `now`.
    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>);

    /// Plugs it into another machine or port; it is at rest.
    fn plug(&mut self, host: &Host);

    /// Sectors that were written and are in its write cache alone, run by run.
    fn dirty(&self) -> Vec<Range<u64>> {
        Vec::new()
    }

    /// Sectors that its write cache takes.
    fn cache_sectors(&self) -> u64 {
        0
    }

    /// Energy that it has taken from its supply by `now`, if that is known.
    fn energy(&self, _now: SimTime) -> Option<Energy> {
        None
    }

    /// Time that the host and its parts have worked by `now`.
    fn occupancy(&self, now: SimTime) -> Occupancy;

    /// Watts it takes with nothing to do, if that is known.
    fn rest_watts(&self) -> Option<f64> {
        None
    }
}

/// A medium with the totals of a [`Device`].
#[derive(Debug, Clone)]
pub struct Flashless<M> {
    medium: M,
    outstanding: Vec<Command>,
    counters: Counters,
}

impl<M> Flashless<M> {
    /// Counts what `medium` does.
    #[must_use]
    pub fn new(medium: M) -> Flashless<M> {
        Flashless {
            medium,
            outstanding: Vec::new(),
            counters: Counters::default(),
        }
    }

    fn count(&mut self, command: &Command, outcome: Outcome) {
        self.counters.host_ios += 1;
        // Any sector can be written alone.
        self.counters.host.count(command, outcome, 1);
        if command.kind == CommandKind::Write {
            self.counters.host_bytes_written += command.bytes();
        }
    }
}

impl<M: Medium> Device for Flashless<M> {
    fn capacity_sectors(&self) -> u64 {
        self.medium.capacity_sectors()
    }

    fn submit(&mut self, command: Command, now: SimTime) {
        self.outstanding.push(command);
        self.medium.submit(command, now);
    }

    fn next_event(&self) -> Option<SimTime> {
        self.medium.next_event()
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        let before = done.len();
        self.medium.advance(now, done);
        for completion in &done[before..] {
            let place = self.outstanding.iter().position(|c| c.id == completion.id);
            let command = self
                .outstanding
                .swap_remove(place.expect("it was submitted"));
            self.count(&command, completion.outcome);
        }
    }

    fn apply(&mut self, command: Command) -> Outcome {
        self.count(&command, Outcome::Good);
        Outcome::Good
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn energy(&self, now: SimTime) -> Option<Energy> {
        self.medium.energy(now)
    }

    fn occupancy(&self, now: SimTime) -> Option<Occupancy> {
        Some(self.medium.occupancy(now))
    }

    fn rest_watts(&self) -> Option<f64> {
        self.medium.rest_watts()
    }

    fn dirty(&self) -> Vec<Range<u64>> {
        self.medium.dirty()
    }

    fn cache_sectors(&self) -> u64 {
        self.medium.cache_sectors()
    }

    fn plug(&mut self, host: &Host) {
        assert!(self.outstanding.is_empty(), "a drive at work is unplugged");
        self.medium.plug(host);
    }

    fn save(&self) -> DeviceState {
        assert!(self.outstanding.is_empty(), "saving a drive at work");
        DeviceState::Flashless(self.counters)
    }

    fn restore(&mut self, state: DeviceState) -> Result<(), StateError> {
        let DeviceState::Flashless(counters) = state else {
            return Err(StateError(
                "it is of an SSD, and the drive has no flash".into(),
            ));
        };
        counters.check()?;
        self.counters = counters;
        Ok(())
    }

    fn snapshot(&self) -> Box<dyn Device> {
        assert!(self.outstanding.is_empty(), "a snapshot of a drive at work");
        Box::new(self.clone())
    }

    fn fork(&self) -> Box<dyn Device> {
        Box::new(self.clone())
    }
}
