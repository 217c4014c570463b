//! A drive without time: whoever asks does the work, one after the other.

use super::ask::{Ask, What};
use super::pieces::{Piece, Pieces};
use super::statistics::Statistics;
use super::{Call, outcome};
use ftlab_base::{Command, CommandId, Content, Lba, SECTOR_BYTES, SimTime};
use ftlab_image::DataDrive;
use ftlab_nbd::NbdError;
use std::sync::{Mutex, MutexGuard};

struct State {
    /// Nothing once the engine has stopped.
    drive: Option<DataDrive>,
    statistics: Statistics,
    /// The drive is off its bus.
    is_gone: bool,
}

pub(super) struct Untimed {
    trim_sectors: Option<u64>,
    state: Mutex<State>,
}

impl Untimed {
    pub fn new(drive: DataDrive, trim_sectors: Option<u64>) -> Untimed {
        Untimed {
            trim_sectors,
            state: Mutex::new(State {
                drive: Some(drive),
                statistics: Statistics::default(),
                is_gone: false,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic holds the drive")
    }

    pub fn ask(&self, mut ask: Ask) {
        if let Some(result) = super::answer_at_once(&ask, self.trim_sectors) {
            ask.answer(result);
            return;
        }
        let mut state = self.state();
        let State {
            drive,
            statistics,
            is_gone,
        } = &mut *state;
        // Dropped, it is answered with an error.
        let Some(drive) = drive else { return };
        // Without time nobody waits for what does not come.
        let result = match *is_gone {
            true => Err(NbdError::Io),
            false => perform(drive, &mut ask, self.trim_sectors),
        };
        let range = ask.range();
        let bytes = (range.end - range.start) * SECTOR_BYTES;
        statistics.count(ask.what(), bytes, result.is_ok(), None);
        drop(state);
        ask.answer(result);
    }

    pub fn set_presence(&self, is_there: bool) {
        self.state().is_gone = !is_there;
    }

    pub fn call(&self, call: Call) {
        if let Some(drive) = &mut self.state().drive {
            call(drive);
        }
    }

    pub fn statistics(&self) -> Statistics {
        self.state().statistics.clone()
    }

    pub fn stop(&self) -> Option<DataDrive> {
        self.state().drive.take()
    }
}

fn perform(
    drive: &mut DataDrive,
    ask: &mut Ask,
    trim_sectors: Option<u64>,
) -> Result<(), NbdError> {
    let mut apply = |piece: &Piece, data: &[u8]| {
        let command = Command {
            id: CommandId(0),
            kind: piece.kind,
            lba: Lba(piece.range.start),
            sectors: piece.sectors() as u32,
            content: Content::RANDOM,
            at: SimTime::ZERO,
        };
        outcome(drive.apply(command, piece.data(data)))
    };
    for piece in Pieces::of(ask.what(), ask.range(), trim_sectors) {
        apply(&piece, ask.data())?;
    }
    if ask.what() == What::Read {
        let lba = Lba(ask.range().start);
        return super::read(drive, lba, ask.data_mut());
    }
    if ask.fua() && ask.what() != What::Flush {
        apply(&Piece::flush(), &[])?;
    }
    Ok(())
}
