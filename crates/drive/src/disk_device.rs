//! The hard disk as a [`Device`], with its totals.

use crate::device::{Counters, Device, EraseRefused};
use crate::disk::{Disk, DiskPower};
use crate::host::Host;
use crate::saved::DeviceState;
use ftlab_base::{Command, CommandKind, Completion, Outcome, SimTime};
use ftlab_ftl::page::PageMapped;
use ftlab_nand::StateError;
use ftlab_timing::Energy;

/// A hard disk with the totals of a [`Device`].
#[derive(Debug, Clone)]
pub struct DiskDevice {
    disk: Disk,
    capacity_sectors: u64,
    power: Option<DiskPower>,
    outstanding: Vec<Command>,
    counters: Counters,
}

impl DiskDevice {
    /// Counts what `disk` does, and what it takes if that is known.
    #[must_use]
    pub fn new(disk: Disk, capacity_sectors: u64, power: Option<DiskPower>) -> DiskDevice {
        DiskDevice {
            disk,
            capacity_sectors,
            power,
            outstanding: Vec::new(),
            counters: Counters::default(),
        }
    }

    fn count(&mut self, command: &Command) {
        self.counters.host_ios += 1;
        if command.kind == CommandKind::Write {
            self.counters.host_bytes_written += command.bytes();
        }
    }
}

impl Device for DiskDevice {
    fn capacity_sectors(&self) -> u64 {
        self.capacity_sectors
    }

    fn submit(&mut self, command: Command, now: SimTime) {
        self.outstanding.push(command);
        self.disk.submit(command, now);
    }

    fn next_event(&self) -> Option<SimTime> {
        self.disk.next_event()
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        let before = done.len();
        self.disk.advance(now, done);
        for completion in &done[before..] {
            let place = self.outstanding.iter().position(|c| c.id == completion.id);
            let command = self
                .outstanding
                .swap_remove(place.expect("it was submitted"));
            self.count(&command);
        }
    }

    fn apply(&mut self, command: Command) -> Outcome {
        // Without time a disk has nothing to remember.
        self.count(&command);
        Outcome::Good
    }

    fn fault(&self) -> Option<String> {
        None
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn erase_counts(&self) -> &[u32] {
        &[]
    }

    fn energy(&self, now: SimTime) -> Option<Energy> {
        self.power
            .as_ref()
            .map(|power| self.disk.energy(power, now))
    }

    fn rest_watts(&self) -> Option<f64> {
        self.power.map(|power| power.rest_watts())
    }

    fn plug(&mut self, host: &Host) {
        assert!(self.outstanding.is_empty(), "a disk at work is unplugged");
        self.disk.plug(host);
    }

    fn secure_erase(&mut self) -> Result<(), EraseRefused> {
        Err(EraseRefused)
    }

    fn restart_stream_hash(&mut self) {}

    fn page_layer(&self) -> Option<&dyn PageMapped> {
        None
    }

    fn save(&self) -> DeviceState {
        assert!(self.outstanding.is_empty(), "saving a disk at work");
        DeviceState::Disk(self.counters)
    }

    fn restore(&mut self, state: DeviceState) -> Result<(), StateError> {
        let DeviceState::Disk(counters) = state else {
            return Err(StateError(
                "it is of an SSD, and the drive is a disk".into(),
            ));
        };
        counters.check()?;
        self.counters = counters;
        Ok(())
    }

    fn snapshot(&self) -> Box<dyn Device> {
        assert!(self.outstanding.is_empty(), "a snapshot of a disk at work");
        Box::new(self.clone())
    }
}
