//! A drive, those who command it, and the oracle that knows what it must hold.

use super::oracle::{Commands, Oracle};
use super::recorder::Recorder;
use super::tiny::{catalog, testbed};
use crate::base::Base;
use crate::convert::open_beside;
use crate::new::New;
use crate::recovery::bring_back;
use crate::recovery::found::{Found, Opening, on_kill_of};
use crate::regions::Regions;
use crate::storage::Memory;
use crate::{CreateOptions, DataDrive, ImageError, OnKill, OpenOptions, Recovery};
use ftlab_base::{Command, CommandKind, Outcome, SimTime};
use ftlab_drive::{Device, DriveFile};
use std::path::Path;
use std::sync::Arc;

/// How a drive is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    Untimed,
    Timed,
}

/// A drive at work.
#[derive(Debug)]
pub(super) struct Driven {
    /// Dropped before the drive.
    _let_go: LetGo,
    pub(super) drive: DataDrive,
    pub(super) oracle: Oracle,
    pub(super) commands: Commands,
    pub(super) recorder: Recorder,
    now: SimTime,
    promises_flushes_only: bool,
    /// Whether a checkpoint is always under way, which is let do an operation with each command.
    keeps_checkpointing: bool,
    /// Whether commands may fail, and how many have.
    may_fail: bool,
    failed: u64,
}

fn options() -> OpenOptions<'static> {
    OpenOptions {
        on_kill: OnKill::Keep,
        ..OpenOptions::on(catalog(), testbed())
    }
}

/// What was handed to the flash is there when the process is killed.
pub(super) fn forgiving() -> CreateOptions {
    CreateOptions {
        on_kill: OnKill::Keep,
        ..CreateOptions::default()
    }
}

/// Opens what a recorder holds.
pub(super) fn open(recorder: &Recorder) -> Result<(DataDrive, Recovery), ImageError> {
    open_beside(Path::new("tiny"), recorder.image(false), None, &options())
}

/// The same, of a drive that is known, which saves reading its file.
pub(super) fn recover(
    recorder: &Recorder,
    file: &DriveFile,
) -> Result<(DataDrive, Recovery), ImageError> {
    recover_with(recorder, file, &options())
}

/// The same, with the seed that decides what a power cut took.
pub(super) fn recover_with_seed(
    recorder: &Recorder,
    file: &DriveFile,
    seed: u64,
) -> Result<(DataDrive, Recovery), ImageError> {
    let options = OpenOptions {
        cut_seed: Some(seed),
        ..options()
    };
    recover_with(recorder, file, &options)
}

/// The same, on a machine that may lose its power again.
pub(super) fn recover_and_sync(
    recorder: &Recorder,
    file: &DriveFile,
) -> Result<(DataDrive, Recovery), ImageError> {
    let options = OpenOptions {
        sync: true,
        ..options()
    };
    recover_with(recorder, file, &options)
}

fn recover_with(
    recorder: &Recorder,
    file: &DriveFile,
    options: &OpenOptions<'_>,
) -> Result<(DataDrive, Recovery), ImageError> {
    let new = New::of(file, testbed(), 0)?;
    let storage = recorder.image(options.sync);
    // As it was served: otherwise a new checkpoint says what it survives now.
    let options = &OpenOptions {
        on_kill: on_kill_of(&*storage, &new).unwrap_or(options.on_kill),
        ..*options
    };
    let opening = Opening {
        path: Path::new("tiny"),
        drive: file,
        seed: 0,
        options,
    };
    let found = Found::read(opening.path, &*storage, new, options.accepts_loss)?;
    bring_back(found, storage, &opening)
}

impl Driven {
    /// A new drive on a new storage.
    pub(super) fn new(file: &DriveFile, seed: u64) -> Driven {
        Self::with(file, seed, &forgiving())
    }

    /// The same, for which an end out of order is a power cut: only what is flushed is promised.
    pub(super) fn that_is_cut(file: &DriveFile, seed: u64, sync: bool) -> Driven {
        let on_kill = OnKill::Cut;
        let options = CreateOptions {
            sync,
            on_kill,
            ..forgiving()
        };
        Self::with(file, seed, &options).promising_flushes()
    }

    /// The same, on a machine that may lose its power: only what is flushed is promised.
    pub(super) fn that_syncs(file: &DriveFile, seed: u64) -> Driven {
        let sync = true;
        Self::with(
            file,
            seed,
            &CreateOptions {
                sync,
                ..forgiving()
            },
        )
    }

    fn with(file: &DriveFile, seed: u64, options: &CreateOptions) -> Driven {
        Self::with_aged(file, seed, options, |_| Ok(()))
    }

    /// A drive that `age` does something to before it has bytes.
    pub(super) fn aged(
        file: &DriveFile,
        seed: u64,
        age: impl FnOnce(&mut dyn Device) -> Result<(), ImageError>,
    ) -> Driven {
        Self::with_aged(file, seed, &forgiving(), age)
    }

    fn with_aged(
        file: &DriveFile,
        seed: u64,
        options: &CreateOptions,
        age: impl FnOnce(&mut dyn Device) -> Result<(), ImageError>,
    ) -> Driven {
        let (recorder, path) = (Recorder::default(), Path::new("tiny"));
        let storage = recorder.clone();
        let drive =
            DataDrive::create_on(
                path,
                storage,
                (file, testbed()),
                options,
                age,
                |_, _| Ok(()),
            );
        let drive = drive.unwrap();
        Driven {
            _let_go: LetGo(recorder.clone()),
            oracle: Oracle::new(&drive),
            commands: Commands::new(&drive, seed),
            drive,
            recorder,
            now: SimTime::ZERO,
            promises_flushes_only: options.sync,
            keeps_checkpointing: false,
            may_fail: false,
            failed: 0,
        }
    }

    /// A drive that lies on this one, which is closed, with commands of its own.
    pub(super) fn on_top(self, seed: u64, sync: bool) -> Driven {
        self.on_top_of(seed, sync, |memory, regions| {
            Base::of_memory(Arc::new(memory), regions)
        })
    }

    /// The same, where what is closed is kept somewhere.
    pub(super) fn on_top_of(
        self,
        seed: u64,
        sync: bool,
        keep: impl FnOnce(Memory, &Regions) -> Base,
    ) -> Driven {
        let file = self.drive.drive_file().clone();
        let regions = self.drive.body.regions();
        self.recorder.let_go();
        self.drive.close().unwrap();
        let base = keep(self.recorder.memory(), &regions);
        let recorder = Recorder::default().on(Some(&base));
        drop(base.begin(None, Box::new(recorder.clone()), sync).unwrap());
        let found = match sync {
            true => recover_and_sync(&recorder, &file),
            false => recover(&recorder, &file),
        };
        let (mut drive, recovery) = found.unwrap();
        assert!(recovery.clean, "a base was switched off in order");
        let mut oracle = Oracle::new(&drive);
        oracle.settle(&mut drive);
        Driven {
            _let_go: LetGo(recorder.clone()),
            commands: Commands::new(&drive, seed),
            oracle,
            drive,
            recorder,
            now: SimTime::ZERO,
            promises_flushes_only: sync,
            keeps_checkpointing: false,
            may_fail: false,
            failed: 0,
        }
    }

    /// Another drive of the kind goes on from what it holds, with commands of its own.
    pub(super) fn go_on_with(&self, drive: DataDrive, recorder: Recorder, seed: u64) -> Driven {
        let mut oracle = Oracle::new(&drive);
        let commands = Commands::new(&drive, seed);
        let mut drive = drive;
        oracle.settle(&mut drive);
        Driven {
            _let_go: LetGo(recorder.clone()),
            oracle,
            commands,
            drive,
            recorder,
            now: SimTime::ZERO,
            promises_flushes_only: self.promises_flushes_only,
            keeps_checkpointing: false,
            may_fail: false,
            failed: 0,
        }
    }

    /// The drive alone.
    pub(super) fn into_drive(self) -> DataDrive {
        self.drive
    }

    /// Only what is flushed is promised, though a killed drive keeps more.
    pub(super) fn promising_flushes(mut self) -> Driven {
        self.promises_flushes_only = true;
        self
    }

    /// From now on one checkpoint is due behind the other, and each is written beside the commands that come.
    pub(super) fn keep_checkpointing(&mut self) {
        self.recorder.write_beside();
        self.keeps_checkpointing = true;
        self.drive.have_checkpoint_due();
    }

    /// Lets the checkpoint come to its end, and none begin.
    pub(super) fn stop_checkpointing(&mut self) {
        self.keeps_checkpointing = false;
        self.recorder.let_go();
        self.drive.end_checkpoint();
    }

    /// The number of the newest checkpoint.
    pub(super) fn stands(&self) -> u64 {
        self.drive.image.as_ref().unwrap().stands.checkpoint
    }

    fn step(&mut self) {
        if self.keeps_checkpointing && !self.recorder.step() {
            self.drive.have_checkpoint_due();
        }
    }

    /// Flushes, at once.
    pub(super) fn flush(&mut self) {
        let flush = self.commands.flush();
        assert_eq!(self.drive.apply(flush, &[]), Outcome::Good);
        self.oracle.flushed(self.recorder.count());
    }

    /// Works on N commands.
    pub(super) fn work(&mut self, clock: Clock, commands: usize) {
        let end = self.commands.count() + commands as u64;
        while self.commands.count() < end {
            match clock {
                Clock::Untimed => self.apply_next(),
                Clock::Timed => self.submit_some(),
            }
        }
    }

    /// Works until a command fails, and on N commands at most; whether one failed.
    pub(super) fn work_until_refused(&mut self, clock: Clock, commands: usize) -> bool {
        self.may_fail = true;
        let before = self.failed;
        let end = self.commands.count() + commands as u64;
        while self.failed == before && self.commands.count() < end {
            match clock {
                Clock::Untimed => self.apply_next(),
                Clock::Timed => self.submit_some(),
            }
        }
        self.may_fail = false;
        self.failed > before
    }

    /// A command ended so. What is read is there, whether the drive takes writes or not.
    fn ended(&mut self, command: &Command, outcome: Outcome) -> bool {
        let good = outcome == Outcome::Good;
        let may_fail = self.may_fail && command.kind != CommandKind::Read;
        assert!(good || may_fail, "{command:?}: {outcome:?}");
        self.failed += u64::from(!good);
        good
    }

    fn apply_next(&mut self) {
        let (command, data) = self.commands.next();
        self.oracle.sent(&command, &data);
        let outcome = self.drive.apply(command, &data);
        if self.ended(&command, outcome) {
            if command.kind == CommandKind::Flush {
                self.oracle.flushed(self.recorder.count());
            } else if !self.promises_flushes_only {
                self.oracle.promised(&command, self.recorder.count());
            }
            self.check_read(&command);
        }
        self.step();
    }

    /// Some commands at a time, on slots of their own; a flush by itself.
    fn submit_some(&mut self) {
        let mut burst: Vec<(Command, Vec<u8>)> = Vec::new();
        while burst.len() < 4 {
            let (command, data) = self.commands.next();
            let is_flush = command.kind == CommandKind::Flush;
            let overlaps = |other: &(Command, Vec<u8>)| self.commands.overlap(&command, &other.0);
            if is_flush || burst.iter().any(overlaps) {
                self.submit_all(std::mem::take(&mut burst));
            }
            burst.push((command, data));
            if is_flush {
                break;
            }
        }
        self.submit_all(burst);
    }

    fn submit_all(&mut self, burst: Vec<(Command, Vec<u8>)>) {
        let keeps = self.drive.drive_file().keeps_its_buffer() && !self.promises_flushes_only;
        for (command, data) in &burst {
            self.oracle.sent(command, data);
            self.drive.submit(*command, data, self.now);
        }
        let (mut left, mut done) = (burst.len(), Vec::new());
        while left > 0 {
            self.now = self.drive.next_event().expect("something is outstanding");
            self.drive.advance(self.now, &mut done);
            self.step();
            for completion in done.drain(..) {
                left -= 1;
                let command = burst.iter().find(|(c, _)| c.id == completion.id).unwrap().0;
                let is_good = self.ended(&command, completion.outcome);
                match command.kind {
                    _ if !is_good => {}
                    CommandKind::Flush => self.oracle.flushed(self.recorder.count()),
                    CommandKind::Write if keeps => {
                        self.oracle.promised(&command, self.recorder.count());
                    }
                    _ => {}
                }
                self.check_read(&command);
            }
        }
    }

    fn check_read(&mut self, command: &Command) {
        if command.kind == CommandKind::Read && !self.may_fail {
            self.oracle.check_newest(&mut self.drive, command);
        }
    }

    /// Waits until the array is at rest.
    pub(super) fn pause(&mut self) {
        let mut done = Vec::new();
        while let Some(at) = self.drive.next_event() {
            self.now = at;
            self.drive.advance(at, &mut done);
        }
        assert!(done.is_empty(), "nothing was outstanding");
    }
}

/// Lets whoever writes beside other work come to his end: a drive that is dropped waits for that.
#[derive(Debug)]
struct LetGo(Recorder);

impl Drop for LetGo {
    fn drop(&mut self) {
        self.0.let_go();
    }
}
