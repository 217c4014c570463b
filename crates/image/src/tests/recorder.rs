//! A storage that notes every operation, so that a test can make of them what any cut would leave.
//!
//! Whoever writes beside other work does so when the test lets him, one operation after another.

use crate::base::Base;
use crate::base::open::open_layer;
use crate::storage::{Memory, Storage};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

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
    gate: Arc<Gate>,
    /// What the image lies on whose file it is.
    below: Option<Base>,
}

/// Where a thread waits that writes beside other work.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    /// Whether anybody writes beside other work.
    is_there: bool,
    /// Operations that may be done.
    allowed: usize,
    /// Operations that fail from now on.
    fails: bool,
    writers: usize,
    /// Whether the writer is at the gate.
    waits: bool,
    done: usize,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap()
    }

    /// Does an operation when that is allowed.
    fn pass<T>(&self, operation: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let mut state = self.state();
        state.waits = true;
        self.changed.notify_all();
        while state.allowed == 0 {
            state = self.changed.wait(state).unwrap();
        }
        state.waits = false;
        let result = match state.fails {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => operation(),
        };
        state.allowed -= 1;
        state.done += 1;
        self.changed.notify_all();
        result
    }
}

/// The recorder for a thread that writes beside other work.
#[derive(Debug)]
struct Beside {
    recorder: Recorder,
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.recorder.gate.state().writers -= 1;
        self.recorder.gate.changed.notify_all();
    }
}

impl Storage for Beside {
    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.recorder.read_at(at, into)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let gate = Arc::clone(&self.recorder.gate);
        gate.pass(|| self.recorder.write_at(at, bytes))
    }

    fn give_up(&mut self, at: u64, bytes: u64) -> io::Result<()> {
        let gate = Arc::clone(&self.recorder.gate);
        gate.pass(|| self.recorder.give_up(at, bytes))
    }

    fn next_data(&self, at: u64) -> io::Result<Option<u64>> {
        self.recorder.next_data(at)
    }

    fn sync(&mut self) -> io::Result<()> {
        let gate = Arc::clone(&self.recorder.gate);
        gate.pass(|| self.recorder.sync())
    }
}

#[derive(Debug, Default)]
struct Recorded {
    memory: Memory,
    operations: Vec<Operation>,
    /// Writes are refused from that many bytes written on.
    room: Option<u64>,
    /// How often its machine was started anew.
    starts: u64,
}

impl Recorder {
    /// Goes on from what a cut left.
    pub(super) fn of(memory: Memory) -> Recorder {
        let recorder = Recorder::default();
        recorder.shared.lock().unwrap().memory = memory;
        recorder
    }

    /// It is the file of an image that lies on that.
    pub(super) fn on(self, below: Option<&Base>) -> Recorder {
        Recorder {
            below: below.cloned(),
            ..self
        }
    }

    /// What the image lies on, if it is the file of one that does.
    pub(super) fn below(&self) -> Option<&Base> {
        self.below.as_ref()
    }

    /// The image whose file it is.
    pub(super) fn image(&self, sync: bool) -> Box<dyn Storage> {
        let file = Box::new(self.clone());
        match &self.below {
            None => file,
            Some(base) => Box::new(open_layer(base.layer(file, sync), false).unwrap()),
        }
    }

    /// The machine was started anew.
    pub(super) fn on_restarted_machine(self, starts: u64) -> Recorder {
        self.shared.lock().unwrap().starts = starts;
        self
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

    /// From now on checkpoints are written beside other work, as [`Recorder::step`] lets them.
    pub(super) fn write_beside(&self) {
        self.gate.state().is_there = true;
    }

    /// Lets whoever writes beside other work do one operation; whether anybody does.
    pub(super) fn step(&self) -> bool {
        let mut state = self.gate.state();
        if state.writers == 0 {
            return false;
        }
        state.allowed += 1;
        self.gate.changed.notify_all();
        while state.writers > 0 && !(state.waits && state.allowed == 0) {
            state = self.gate.changed.wait(state).unwrap();
        }
        state.allowed = 0;
        true
    }

    /// Lets him do all that is left.
    pub(super) fn let_go(&self) {
        while self.step() {}
    }

    /// What he does fails from now on, or does not.
    pub(super) fn fail_beside(&self, fails: bool) {
        self.gate.state().fails = fails;
    }

    /// Operations that were done beside other work.
    pub(super) fn done_beside(&self) -> usize {
        self.gate.state().done
    }

    /// Has room for N more bytes of writes; without a number, for all.
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

    fn machine(&self) -> Option<u64> {
        Some(self.shared.lock().unwrap().starts)
    }

    fn beside(&self) -> Option<Box<dyn Storage>> {
        let mut gate = self.gate.state();
        if !gate.is_there {
            return None;
        }
        gate.writers += 1;
        gate.waits = false;
        Some(Box::new(Beside {
            recorder: self.clone(),
        }))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.shared.lock().unwrap().operations.push(Operation::Sync);
        Ok(())
    }
}
