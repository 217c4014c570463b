//! Flushes that wait for the machine's storage, which takes as long as a test wants.

use super::tiny::{testbed, tiny};
use crate::storage::{Memory, Storage, Wake};
use crate::{CreateOptions, DataDrive};
use ftlab_base::{Command, CommandId, CommandKind, Completion, Outcome, SECTOR_BYTES, SimTime};
use ftlab_drive::DriveFile;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// What the machine's storage does.
#[derive(Debug, Default)]
struct Machine {
    /// Waits that were begun.
    begun: u64,
    /// Whether the last one goes on until the test ends it.
    is_syncing: bool,
    fails: bool,
}

/// Memory of a machine whose storage takes its time, once it is asked to do so beside other work.
#[derive(Debug, Default)]
struct Slow {
    memory: Memory,
    machine: Arc<Mutex<Machine>>,
    is_beside: bool,
}

impl Storage for Slow {
    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.memory.read_at(at, into)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.memory.write_at(at, bytes)
    }

    fn give_up(&mut self, at: u64, bytes: u64) -> io::Result<()> {
        self.memory.give_up(at, bytes)
    }

    fn next_data(&self, at: u64) -> io::Result<Option<u64>> {
        self.memory.next_data(at)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.end_sync()
    }

    fn begin_sync(&mut self) -> io::Result<()> {
        let mut machine = self.machine.lock().unwrap();
        assert!(!machine.is_syncing, "one at a time");
        machine.begun += 1;
        machine.is_syncing = self.is_beside;
        Ok(())
    }

    fn is_syncing(&self) -> bool {
        self.machine.lock().unwrap().is_syncing
    }

    fn end_sync(&mut self) -> io::Result<()> {
        let mut machine = self.machine.lock().unwrap();
        machine.is_syncing = false;
        match machine.fails {
            true => Err(io::ErrorKind::Other.into()),
            false => Ok(()),
        }
    }

    fn sync_beside(&mut self, _wake: Wake) -> io::Result<()> {
        self.is_beside = true;
        Ok(())
    }
}

/// A drive on such a machine.
struct Bench {
    drive: DataDrive,
    machine: Arc<Mutex<Machine>>,
    commands: u64,
}

impl Bench {
    fn new(file: &DriveFile) -> Bench {
        let storage = Slow::default();
        let machine = Arc::clone(&storage.machine);
        let options = CreateOptions {
            sync: true,
            ..CreateOptions::default()
        };
        let path = Path::new("tiny");
        let made = DataDrive::create_on(
            path,
            storage,
            (file, testbed()),
            &options,
            |_| Ok(()),
            |_, _| Ok(()),
        );
        let mut drive = made.unwrap();
        drive.sync_beside(|| ()).unwrap();
        machine.lock().unwrap().begun = 0;
        Bench {
            drive,
            machine,
            commands: 0,
        }
    }

    fn command(&mut self, kind: CommandKind, lba: u64, now: SimTime) -> Command {
        self.commands += 1;
        let sectors = match kind {
            CommandKind::Flush => 0,
            _ => self.drive.slot_sectors(),
        };
        Command::new(kind, self.commands, lba * u64::from(sectors), sectors, now)
    }

    fn submit(&mut self, kind: CommandKind, slot: u64, now: SimTime) -> CommandId {
        let command = self.command(kind, slot, now);
        let data = match kind {
            CommandKind::Write => {
                vec![slot as u8; (command.sectors as u64 * SECTOR_BYTES) as usize]
            }
            _ => Vec::new(),
        };
        self.drive.submit(command, &data, now);
        command.id
    }

    /// Lets everything happen that happens without the machine's storage; gives when the last was.
    fn run(&mut self, done: &mut Vec<Completion>) -> SimTime {
        let mut now = SimTime::ZERO;
        while let Some(at) = self.drive.next_event() {
            now = now.max(at);
            self.drive.advance(now, done);
        }
        now
    }

    fn begun(&self) -> u64 {
        self.machine.lock().unwrap().begun
    }

    /// The machine's storage has what it was to take.
    fn storage_is_done(&self) {
        self.machine.lock().unwrap().is_syncing = false;
    }

    fn apply(&mut self, kind: CommandKind, slot: u64) {
        let command = self.command(kind, slot, SimTime::ZERO);
        let data = match kind {
            CommandKind::Write => vec![1; (u64::from(command.sectors) * SECTOR_BYTES) as usize],
            _ => Vec::new(),
        };
        let outcome = self.drive.apply_unflushed(command, &data);
        assert_eq!(outcome, Outcome::Good);
    }
}

#[test]
fn a_flush_waits_for_storage_beside_its_modelled_time_and_nothing_else_waits_with_it() {
    for file in [tiny("page"), tiny("packed")] {
        let mut bench = Bench::new(&file);
        let (mut done, start) = (Vec::new(), SimTime::ZERO);
        bench.submit(CommandKind::Write, 3, start);
        while done.is_empty() {
            let at = bench.drive.next_event().unwrap();
            bench.drive.advance(at, &mut done);
        }
        let written = done.pop().unwrap().at;
        let flush = bench.submit(CommandKind::Flush, 0, written);
        // Storage is asked before the drive is done with the flush, in the model's time.
        let mut begun_at = None;
        let mut now = written;
        while let Some(at) = bench.drive.next_event() {
            now = now.max(at);
            bench.drive.advance(now, &mut done);
            if bench.begun() > 0 && begun_at.is_none() {
                begun_at = Some(now);
            }
        }
        assert!(done.is_empty(), "{}: storage has nothing yet", file.slug());
        // A read is not held up.
        let read = bench.submit(CommandKind::Read, 3, now);
        bench.run(&mut done);
        assert_eq!(done.len(), 1);
        assert_eq!((done[0].id, done[0].outcome), (read, Outcome::Good));
        let read_at = done.pop().unwrap().at;
        bench.storage_is_done();
        bench.run(&mut done);
        assert_eq!(done.len(), 1);
        assert_eq!((done[0].id, done[0].outcome), (flush, Outcome::Good));
        // It counts as done when the model was done, so that what is late is storage's share alone.
        assert!(done[0].at < read_at, "{}", file.slug());
        assert!(begun_at.unwrap() < done[0].at, "{}", file.slug());
        assert_eq!(bench.begun(), 1);
    }
}

#[test]
fn flushes_that_come_while_storage_is_busy_share_the_next_wait() {
    let mut bench = Bench::new(&tiny("page"));
    bench.apply(CommandKind::Write, 1);
    let before = bench.begun();
    let first = bench.drive.begin_commit();
    let mut later = Vec::new();
    for slot in 2..5 {
        bench.apply(CommandKind::Write, slot);
        later.push(bench.drive.begin_commit());
    }
    assert_eq!(bench.begun(), before + 1);
    assert_eq!(bench.drive.outcome_of(first), None);
    bench.storage_is_done();
    assert_eq!(bench.drive.outcome_of(first), Some(Outcome::Good));
    assert_eq!(bench.begun(), before + 2);
    assert!(
        later
            .iter()
            .all(|commit| bench.drive.outcome_of(*commit).is_none())
    );
    bench.storage_is_done();
    assert!(
        later
            .iter()
            .all(|commit| bench.drive.outcome_of(*commit) == Some(Outcome::Good))
    );
    assert_eq!(bench.begun(), before + 2);
    assert!(!bench.drive.end_commits());
}

#[test]
fn a_flush_fails_when_storage_does() {
    for timed in [false, true] {
        let mut bench = Bench::new(&tiny("page"));
        let mut done = Vec::new();
        if timed {
            bench.submit(CommandKind::Write, 3, SimTime::ZERO);
            let now = bench.run(&mut done);
            bench.submit(CommandKind::Flush, 0, now);
            bench.run(&mut done);
            assert_eq!(done.len(), 1, "the write");
        } else {
            bench.apply(CommandKind::Write, 1);
        }
        let commit = bench.drive.begin_commit();
        bench.machine.lock().unwrap().fails = true;
        bench.storage_is_done();
        if timed {
            bench.run(&mut done);
            assert_eq!(done[1].outcome, Outcome::WriteFault);
        } else {
            assert_eq!(bench.drive.outcome_of(commit), Some(Outcome::WriteFault));
        }
    }
}
