//! A storage that notes every operation, so that a test can make of them what any cut would leave.

use crate::storage::{Memory, Storage};
use std::io;
use std::sync::{Arc, Mutex};

/// An operation that changes something.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    Write(u64, Vec<u8>),
    GiveUp(u64, u64),
    Sync,
}

impl Operation {
    /// Does it.
    pub(super) fn apply(&self, to: &mut Memory) {
        match self {
            Operation::Write(at, bytes) => to.write_at(*at, bytes).unwrap(),
            Operation::GiveUp(at, bytes) => to.give_up(*at, *bytes).unwrap(),
            Operation::Sync => {}
        }
    }

    /// What a cut may leave of it beside all and nothing.
    pub(super) fn torn(&self) -> Operation {
        match self {
            Operation::Write(at, bytes) => {
                let half = bytes.len() / 2;
                // Nothing tears a sector.
                let half = match bytes.len() % 512 {
                    0 => half / 512 * 512,
                    _ => half,
                };
                Operation::Write(*at, bytes[..half].to_vec())
            }
            Operation::GiveUp(at, bytes) => Operation::GiveUp(*at, bytes / 2),
            Operation::Sync => Operation::Sync,
        }
    }
}

/// Memory that notes what is done to it.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorder {
    shared: Arc<Mutex<Recorded>>,
}

#[derive(Debug, Default)]
struct Recorded {
    memory: Memory,
    operations: Vec<Operation>,
    /// Writes are refused from that many bytes written on.
    room: Option<u64>,
}

impl Recorder {
    /// Goes on from what a cut left.
    pub(super) fn of(memory: Memory) -> Recorder {
        let recorder = Recorder::default();
        recorder.shared.lock().unwrap().memory = memory;
        recorder
    }

    /// Operations so far.
    pub(super) fn count(&self) -> usize {
        self.shared.lock().unwrap().operations.len()
    }

    /// All operations.
    pub(super) fn operations(&self) -> Vec<Operation> {
        self.shared.lock().unwrap().operations.clone()
    }

    /// What is there now.
    pub(super) fn memory(&self) -> Memory {
        self.shared.lock().unwrap().memory.clone()
    }

    /// A bit flips that nobody wrote.
    pub(super) fn flip_bit(&self, at: u64) {
        let mut shared = self.shared.lock().unwrap();
        let mut byte = [0];
        shared.memory.read_at(at, &mut byte).unwrap();
        shared.memory.write_at(at, &[byte[0] ^ 1]).unwrap();
    }

    /// Has room for so many more bytes of writes; without a number, for all.
    pub(super) fn set_room(&self, room: Option<u64>) {
        self.shared.lock().unwrap().room = room;
    }
}

impl Storage for Recorder {
    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.shared.lock().unwrap().memory.read_at(at, into)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut shared = self.shared.lock().unwrap();
        let fits = match shared.room {
            None => bytes.len(),
            Some(room) => bytes.len().min(room as usize),
        };
        let operation = Operation::Write(at, bytes[..fits].to_vec());
        operation.apply(&mut shared.memory);
        shared.operations.push(operation);
        if let Some(room) = &mut shared.room {
            *room -= fits as u64;
        }
        match fits == bytes.len() {
            true => Ok(()),
            false => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    fn give_up(&mut self, at: u64, bytes: u64) -> io::Result<()> {
        let mut shared = self.shared.lock().unwrap();
        let operation = Operation::GiveUp(at, bytes);
        operation.apply(&mut shared.memory);
        shared.operations.push(operation);
        Ok(())
    }

    fn next_data(&self, at: u64) -> io::Result<Option<u64>> {
        self.shared.lock().unwrap().memory.next_data(at)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.shared.lock().unwrap().operations.push(Operation::Sync);
        Ok(())
    }
}
