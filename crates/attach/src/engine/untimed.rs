//! A drive without time: whoever asks does the work, one after the other.
//!
//! A large request is done in pieces, and between two of them the drive goes to whoever waits longest.

use super::ask::{Ask, What};
use super::pieces::{DATA_SECTORS_MAX, Piece, Pieces};
use super::statistics::Statistics;
use super::{Call, outcome};
use ftlab_base::{Command, CommandId, CommandKind, Content, Lba, SECTOR_BYTES, SimTime};
use ftlab_image::DataDrive;
use ftlab_nbd::NbdError;
use parking_lot::{Mutex, MutexGuard};

/// Sectors of data between which others have a turn: 256 KiB. As many clients as a server takes, each
/// with a large request, then hold each other up for less than a tenth of a second.
const TURN_SECTORS: u64 = DATA_SECTORS_MAX / 4;

struct State {
    /// Nothing once the engine has stopped, or after a panic amid a command.
    drive: Option<Box<DataDrive>>,
    statistics: Statistics,
    /// The drive is off its bus.
    is_gone: bool,
}

pub(super) struct Untimed {
    trim_sectors: Option<u64>,
    /// Not the standard library's, as whoever unlocks that one and locks it again has it before those who
    /// wait.
    state: Mutex<State>,
}

impl Untimed {
    pub fn new(drive: DataDrive, trim_sectors: Option<u64>) -> Untimed {
        Untimed {
            trim_sectors,
            state: Mutex::new(State {
                drive: Some(Box::new(drive)),
                statistics: Statistics::default(),
                is_gone: false,
            }),
        }
    }

    pub fn ask(&self, mut ask: Ask) {
        if let Some(result) = super::answer_at_once(&ask, self.trim_sectors) {
            ask.answer(result);
            return;
        }
        let (what, range) = (ask.what(), ask.range());
        let pieces = Pieces::of(what, range.clone(), self.trim_sectors, TURN_SECTORS);
        let flush = (ask.fua() && !matches!(what, What::Read | What::Flush)).then(Piece::flush);
        let mut pieces = pieces.chain(flush).peekable();
        let mut state = self.state.lock();
        let mut result = Ok(());
        while result.is_ok()
            && let Some(piece) = pieces.next()
        {
            // Dropped, it is answered with an error.
            let Some(mut drive) = state.drive.take() else {
                return;
            };
            // Without time nobody waits for what does not come.
            result = match state.is_gone {
                true => Err(NbdError::Io),
                false => perform(&mut drive, &piece, &mut ask),
            };
            state.drive = Some(drive);
            if pieces.peek().is_some() {
                MutexGuard::bump(&mut state);
            }
        }
        let bytes = (range.end - range.start) * SECTOR_BYTES;
        state.statistics.count(what, bytes, result.is_ok(), None);
        drop(state);
        ask.answer(result);
    }

    pub fn set_presence(&self, is_there: bool) {
        self.state.lock().is_gone = !is_there;
    }

    pub fn call(&self, call: Call) {
        let mut state = self.state.lock();
        if let Some(mut drive) = state.drive.take() {
            call(&mut drive);
            state.drive = Some(drive);
        }
    }

    pub fn statistics(&self) -> Statistics {
        self.state.lock().statistics.clone()
    }

    pub fn stop(&self) -> Option<DataDrive> {
        self.state.lock().drive.take().map(|drive| *drive)
    }
}

fn perform(drive: &mut DataDrive, piece: &Piece, ask: &mut Ask) -> Result<(), NbdError> {
    let command = Command {
        id: CommandId(0),
        kind: piece.kind,
        lba: Lba(piece.range.start),
        sectors: piece.sectors() as u32,
        content: Content::RANDOM,
        at: SimTime::ZERO,
    };
    outcome(drive.apply(command, piece.data(|range| ask.part(range))))?;
    match piece.kind {
        CommandKind::Read => super::read(drive, &piece.range, ask),
        _ => Ok(()),
    }
}
