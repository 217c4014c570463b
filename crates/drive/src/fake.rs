//! A drive for tests of whoever runs drives: every command takes the same time, N at once.

use crate::saved::{DeviceState, StateError};
use crate::{Counters, Device, Energy, EraseRefused};
use ftlab_base::{Command, CommandKind, Completion, Nanos, Outcome, SECTOR_BYTES, SimTime};
use ftlab_host::Host;
use std::collections::VecDeque;

/// A drive whose answers can be worked out by hand.
#[derive(Debug, Clone)]
pub struct Fake {
    sectors: u64,
    /// Time of one command.
    pub service: Nanos,
    /// Commands served at the same time; the others wait.
    pub ways: usize,
    /// Bytes programmed for a byte written.
    pub amplification: u64,
    /// True if that is one byte more in every other pass over the capacity.
    pub is_restless: bool,
    /// True if it programs only what compression leaves.
    pub compresses: bool,
    /// From this command on, writes fail.
    pub fails_from: u64,
    /// True if it then gives a reason.
    pub gives_reasons: bool,
    /// From this command on, nothing is answered.
    pub dies_at: u64,
    /// This command alone is not answered.
    pub loses: u64,
    /// First sectors of the commands that it did.
    pub places: Vec<u64>,
    taken: u64,
    waiting: VecDeque<Command>,
    serving: Vec<(SimTime, Command)>,
    counters: Counters,
}

impl Fake {
    /// A drive of N sectors; a command takes 100 us, one at a time.
    #[must_use]
    pub fn new(sectors: u64) -> Self {
        Fake {
            sectors,
            service: Nanos::from_micros(100),
            ways: 1,
            amplification: 2,
            is_restless: false,
            compresses: false,
            fails_from: u64::MAX,
            gives_reasons: false,
            dies_at: u64::MAX,
            loses: u64::MAX,
            places: Vec::new(),
            taken: 0,
            waiting: VecDeque::new(),
            serving: Vec::new(),
            counters: Counters::default(),
        }
    }

    fn count(&mut self, command: &Command) {
        self.counters.host_ios += 1;
        self.places.push(command.lba.0);
        if command.kind == CommandKind::Write {
            let pass = self.counters.host_bytes_written / (self.sectors * SECTOR_BYTES);
            let more = if self.is_restless { pass % 2 } else { 0 };
            self.counters.host_bytes_written += command.bytes();
            let left = match self.compresses {
                true => u64::from(command.content.bytes_left(command.bytes() as u32)),
                false => command.bytes(),
            };
            self.counters.nand_bytes_programmed += (self.amplification + more) * left;
            self.counters.nand_erases += 1;
        }
    }

    fn begin(&mut self, command: Command, now: SimTime) {
        self.serving.push((now + self.service, command));
        self.serving.sort_by_key(|(at, command)| (*at, command.id));
    }
}

impl Device for Fake {
    fn capacity_sectors(&self) -> u64 {
        self.sectors
    }

    fn submit(&mut self, command: Command, now: SimTime) {
        assert!(command.lba.0 + u64::from(command.sectors) <= self.sectors);
        self.taken += 1;
        if self.taken > self.dies_at || self.taken == self.loses {
            return;
        }
        if self.serving.len() < self.ways {
            self.begin(command, now);
        } else {
            self.waiting.push_back(command);
        }
    }

    fn next_event(&self) -> Option<SimTime> {
        self.serving.first().map(|(at, _)| *at)
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        while let Some(&(at, command)) = self.serving.first().filter(|(at, _)| *at <= now) {
            self.serving.remove(0);
            self.count(&command);
            let fails = self.counters.host_ios > self.fails_from;
            let outcome = if fails {
                Outcome::WriteFault
            } else {
                Outcome::Good
            };
            done.push(Completion {
                id: command.id,
                at,
                outcome,
            });
            if let Some(next) = self.waiting.pop_front() {
                self.begin(next, at);
            }
        }
    }

    fn apply(&mut self, command: Command) -> Outcome {
        assert!(command.lba.0 + u64::from(command.sectors) <= self.sectors);
        self.count(&command);
        if self.counters.host_ios > self.fails_from {
            Outcome::WriteFault
        } else {
            Outcome::Good
        }
    }

    fn fault(&self) -> Option<String> {
        (self.counters.host_ios > self.fails_from && self.gives_reasons)
            .then(|| "it is worn out".to_owned())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn energy(&self, now: SimTime) -> Option<Energy> {
        // A watt, and a joule a command.
        Some(Energy {
            controller: now.as_secs(),
            nand: self.counters.host_ios as f64,
            ..Energy::default()
        })
    }

    fn rest_watts(&self) -> Option<f64> {
        Some(1.0)
    }

    fn plug(&mut self, _host: &Host) {}

    fn secure_erase(&mut self) -> Result<(), EraseRefused> {
        Ok(())
    }

    fn restart_stream_hash(&mut self) {
        self.counters.stream_hash = 0;
    }

    fn save(&self) -> DeviceState {
        DeviceState::Flashless(self.counters)
    }

    fn restore(&mut self, state: DeviceState) -> Result<(), StateError> {
        let DeviceState::Flashless(counters) = state else {
            return Err(StateError("it is of flash".to_owned()));
        };
        self.counters = counters;
        Ok(())
    }

    fn snapshot(&self) -> Box<dyn Device> {
        Box::new(self.clone())
    }

    fn fork(&self) -> Box<dyn Device> {
        Box::new(self.clone())
    }
}
