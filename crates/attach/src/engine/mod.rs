//! The engine: a drive that holds data, and those who ask it for something.
//!
//! With time, one thread owns the drive, has its time go on as the wall clock does, and answers each
//! request at the instant at which the drive is done with it. Without time, whoever asks has the drive
//! to himself meanwhile, and no other thread is woken. Either way a large request is done in pieces, so that
//! nobody waits long for a request of somebody else.

mod cut;
mod map;
mod pieces;
mod recorder;
mod request;
mod reset;
mod statistics;
mod timed;
mod untimed;

pub use cut::{CutFailed, Power, PowerOff};
pub use map::Run;
pub use recorder::Recorder;
pub use request::{Answer, IoRequest, Operation};
pub use reset::ResetFailed;
pub use statistics::{Statistics, Tally};

use crate::faults::Faults;
use cut::PowerListener;
use ftlab_base::{Lba, Outcome, SECTOR_BYTES};
use ftlab_drive::faults::Program;
use ftlab_image::DataDrive;
use ftlab_nbd::NbdError;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use timed::Timed;
use untimed::Untimed;

/// Something to do with the drive.
type Call = Box<dyn FnOnce(&mut DataDrive) + Send>;

/// Time that answers take: the model's, or that of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// As late as the model says.
    Model,
    /// No longer than the work takes.
    Off,
}

/// The engine has stopped, or a call ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the drive is shutting down")]
pub struct Stopped;

enum Mode {
    Timed(Timed),
    Untimed(Arc<Untimed>),
}

/// A drive at work.
pub struct Engine {
    mode: Mode,
    size_bytes: u64,
    trim_sectors: Option<u64>,
    slot_bytes: u32,
    recorder: OnceLock<Arc<Recorder>>,
    faults: Arc<Faults>,
    /// Called at a power cut and after it.
    power_listeners: Mutex<Vec<PowerListener>>,
}

impl Engine {
    /// Starts to serve a drive, with or without the time of its model.
    ///
    /// # Errors
    /// When there is no thread for it.
    pub fn start(drive: DataDrive, timing: Timing) -> io::Result<Engine> {
        let size_bytes = drive.capacity_bytes();
        let trim_sectors = drive.trims().then(|| u64::from(drive.slot_sectors()));
        let slot_bytes = drive.slot_sectors() * SECTOR_BYTES as u32;
        let has_time = timing == Timing::Model;
        // The faults of its file come in the time of the model.
        let program = match has_time {
            true => drive.drive_file().faults(),
            false => Program::default(),
        };
        let faults = Arc::new(Faults::of(program, size_bytes, has_time));
        Ok(Engine {
            mode: match timing {
                Timing::Model => {
                    Mode::Timed(Timed::start(drive, trim_sectors, Arc::clone(&faults))?)
                }
                Timing::Off => {
                    Mode::Untimed(Untimed::start(drive, trim_sectors, Arc::clone(&faults))?)
                }
            },
            size_bytes,
            trim_sectors,
            slot_bytes: slot_bytes.max(4096),
            recorder: OnceLock::new(),
            faults,
            power_listeners: Mutex::default(),
        })
    }

    /// Faults of requests, which can be changed.
    #[must_use]
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The drive's capacity when the engine began.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Sectors of what it trims at once; nothing if it takes no trims.
    #[must_use]
    pub fn trim_sectors(&self) -> Option<u64> {
        self.trim_sectors
    }

    /// Bytes of the blocks in which it is best written and trimmed: its slots, or a page of memory where
    /// there are none.
    #[must_use]
    pub fn slot_bytes(&self) -> u32 {
        self.slot_bytes
    }

    /// Has everything that is asked from now on recorded; by the first recorder, if there are several.
    pub fn record(&self, recorder: Arc<Recorder>) {
        self.recorder.get_or_init(|| recorder);
    }

    /// True if requests are recorded.
    #[must_use]
    pub fn is_recorded(&self) -> bool {
        self.recorder.get().is_some()
    }

    /// Asks for something that lies within the drive; it is answered, at once or later, from this thread
    /// or another, or dropped when the engine has stopped.
    pub fn submit(&self, request: IoRequest) {
        if let Some(recorder) = self.recorder.get() {
            recorder.asked(&request, self.trim_sectors);
        }
        match &self.mode {
            Mode::Timed(timed) => timed.submit(request),
            Mode::Untimed(untimed) => untimed.submit(request),
        }
    }

    /// Looks at the drive, or does something to it that takes no time of its own.
    ///
    /// # Errors
    /// When the engine has stopped.
    pub fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&mut DataDrive) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        self.call(look, false)
    }

    /// Calls `act` with the drive while it has nothing to do and everything is flushed. Requests that arrive
    /// meanwhile wait. Without time, a large request may be half done.
    ///
    /// # Errors
    /// When the engine has stopped.
    pub fn quietly<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut DataDrive) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        self.call(act, true)
    }

    fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&mut DataDrive) -> T + Send + 'static,
        quietly: bool,
    ) -> Result<T, Stopped> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let call: Call = Box::new(move |drive| {
            // The caller waits below until this is sent.
            let _ = sender.send(call(drive));
        });
        match &self.mode {
            Mode::Timed(timed) => timed.call(call, quietly),
            // Nothing is under way while somebody has the drive.
            Mode::Untimed(untimed) => untimed.call(call),
        }
        receiver.recv().map_err(|_| Stopped)
    }

    /// Has the drive leave its bus, as drives do whose firmware hangs, or come back. While it is away
    /// nothing is answered, until the host gives up after 30 seconds; without time at once.
    pub fn set_presence(&self, is_there: bool) {
        match &self.mode {
            Mode::Timed(timed) => timed.set_presence(is_there),
            Mode::Untimed(untimed) => untimed.set_presence(is_there),
        }
    }

    /// Counts since the engine began.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        match &self.mode {
            Mode::Timed(timed) => timed.statistics(),
            Mode::Untimed(untimed) => untimed.statistics(),
        }
    }

    /// Stops: what is under way is finished at once, and what is asked from now on is dropped. Gives the
    /// drive back, the first time, unless a fault of the program ended it.
    pub fn stop(&self) -> Option<DataDrive> {
        match &self.mode {
            Mode::Timed(timed) => timed.stop(),
            Mode::Untimed(untimed) => untimed.stop(),
        }
    }
}

/// The answer to what a drive need not be asked for.
fn answer_at_once(request: &IoRequest, trim_sectors: Option<u64>) -> Option<Result<(), NbdError>> {
    match request.operation() {
        Operation::Cache => Some(Ok(())),
        // Data that nobody needs may stay.
        Operation::Trim if trim_sectors.is_none() => Some(Ok(())),
        Operation::Zero {
            fast: true,
            no_hole,
        } if no_hole || trim_sectors.is_none() => Some(Err(NbdError::NotSup)),
        _ => None,
    }
}

/// Result that a client is given for the outcome of a command. A drive that takes no more writes fails with an
/// error of the medium: it still has the room that it promised.
fn outcome(outcome: Outcome) -> Result<(), NbdError> {
    match outcome {
        Outcome::Good => Ok(()),
        Outcome::WriteFault | Outcome::Unrecoverable | Outcome::Gone => Err(NbdError::Io),
    }
}

/// Has the bytes of a part of a read, in sectors.
fn read(drive: &mut DataDrive, part: &Range<u64>, request: &mut IoRequest) -> Result<(), NbdError> {
    let read = drive.read(Lba(part.start), request.part_mut(part));
    read.map_err(|_| NbdError::Io)
}
