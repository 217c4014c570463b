//! A drive with its bytes, of either kind: [`flash::Flash`] has a translation layer, a journal, and slots that it moves;
//! [`flat::Flat`] has sectors that lie where they lie. Everything else of an image asks through [`Body`], and never which it is.

pub(crate) mod check;
pub(crate) mod flash;
pub(crate) mod flat;

use crate::checkpoint::Shape;
use crate::crash::Tap;
use crate::journal::Journal;
use crate::mark::{End, Mark};
use crate::regions::Regions;
use crate::storage::Storage;
use check::Checked;
use ftlab_base::{Command, CommandId, Lba, Outcome, SimTime};
use ftlab_cut::BufferedSlot;
use ftlab_cut::volatile::VolatileSlot;
use ftlab_drive::Device;
use ftlab_drive::saved::DeviceState;
use ftlab_ftl::{Fault, Room, TranslationLayer};
use ftlab_nand::InjectionRefused;
use std::io;
use std::ops::Range;

/// Error of a read of the drive's bytes.
#[derive(Debug)]
pub(crate) enum Unreadable {
    /// The machine's storage under the image fails; the data may still be there.
    Storage(io::Error),
    /// The data are not those that were written. Has the first damaged sector, and a description.
    Damaged(u64, String),
}

/// State of a drive's body for a checkpoint.
#[derive(Debug)]
pub(crate) struct SavedBody {
    pub(crate) state: DeviceState,
    pub(crate) buffered: Vec<BufferedSlot>,
    pub(crate) volatile: Vec<VolatileSlot>,
    pub(crate) blank: Vec<u8>,
    /// Numbers of requests that were lost behind holes in the journal.
    pub(crate) lost: Vec<(u64, u64)>,
}

/// A drive with its bytes. What has a default is nothing to a drive without flash.
pub(crate) trait Body: Send {
    /// The drive in virtual time.
    fn device(&self) -> &dyn Device;
    fn device_mut(&mut self) -> &mut dyn Device;

    /// The translation layer, of a drive of flash.
    fn layer(&self) -> Option<&dyn TranslationLayer> {
        None
    }

    /// The shape of its checkpoints, and where in a file what lies.
    fn shape(&self) -> Shape;
    fn regions(&self) -> Regions;

    /// Sectors that survive a power cut as a whole.
    fn slot_sectors(&self) -> u32 {
        1
    }

    /// The storage under the drive.
    fn storage(&mut self) -> &mut dyn Storage;
    fn storage_ref(&self) -> &dyn Storage;

    /// Has them lie on another storage, which says the same; gives the one that they lay on.
    fn replace_storage(&mut self, storage: Box<dyn Storage>) -> Box<dyn Storage>;

    /// The error of the storage that was not made good yet.
    fn failure(&self) -> Option<&io::Error>;

    /// The crash log that is written, if one is.
    fn tap(&mut self) -> &mut Option<Box<Tap>>;

    /// Turns the account of what a power cut could take away on or off.
    fn set_tracks(&mut self, tracks: bool);

    /// Takes a command, with a write's bytes.
    fn submit(&mut self, command: Command, data: &[u8], now: SimTime);

    /// A command has ended; whether its bytes are kept as it promises.
    fn end(&mut self, id: CommandId) -> bool;

    /// The storage has failed where nothing was handed to it, so writes end that wait for room in the buffer.
    fn end_failed_writes(&mut self, _now: SimTime) {}

    /// Time has passed: what the drive has destaged meanwhile goes to its place.
    fn settle_cache(&mut self) {}

    /// Does a command at once, without time.
    fn apply(&mut self, command: Command, data: &[u8]) -> Outcome;

    /// A command was applied, and what it flushes is noted.
    fn note_applied(&mut self, command: &Command);

    /// Reads the newest bytes from a sector on.
    fn read(&self, lba: Lba, into: &mut [u8]) -> Result<(), Unreadable>;

    /// True if the drive holds data in a sector, and for how many of `sectors` that answer holds.
    fn is_mapped(&self, _lba: Lba, sectors: u64) -> (bool, u64) {
        (true, sectors)
    }

    /// The first sector from one on, up to an end, that may hold something.
    fn next_held(&self, from: u64, end: u64) -> io::Result<Option<u64>>;

    /// Looks at everything that it holds.
    fn check(&self) -> io::Result<Checked>;

    /// True if a program unit is begun and nothing waits that would fill it.
    fn has_begun_a_unit(&self) -> bool {
        false
    }

    /// True if the write buffer has data that the layer, or the platter, has not got; of a slot alone.
    fn something_waits(&self) -> bool {
        false
    }
    fn has_waiting(&self, _slot: u32) -> bool {
        false
    }

    /// Whatever the layer was handed, or that of some slots, or everything, is in the cells.
    fn note_handed_on_programmed(&mut self) {}
    fn note_programmed_of(&mut self, _slots: Range<u32>) {}
    fn note_all_programmed(&mut self) {}

    /// Makes the requests so far survive the process, unless only flushes promise anything.
    fn commit(&mut self) {}

    /// Begins to bring everything so far to the storage.
    fn begin_commit(&mut self) -> io::Result<()>;

    /// Takes how that has ended.
    fn end_commit(&mut self, done: io::Result<()>);

    /// Brings sectors alone to their places, where they lie by themselves; whether they do.
    fn flush_sectors(&mut self, _sectors: &Range<u64>) -> bool {
        false
    }

    /// Sectors that would be lost with the process; nothing for a drive that loses none that way.
    fn lost_sectors(&self) -> Option<u64> {
        None
    }

    /// Its state, as a checkpoint says it. `room` may be made beforehand.
    fn saved(&self, room: Room) -> SavedBody;

    /// Numbers of requests that were lost behind holes in the journal, the newest last.
    fn lost(&self) -> &[(u64, u64)] {
        &[]
    }

    /// The journal, if there is one.
    fn journal(&mut self) -> Option<&mut Journal> {
        None
    }

    /// Start of part `part` of the journal behind a checkpoint that is written in place; behind `before` if
    /// there is no journal.
    fn next_part(&mut self, before: End, part: u64) -> End {
        before.begin(part, 0)
    }

    /// Has the journal go on in the next part, beside a checkpoint; gives where that begins.
    fn begin_part(&mut self, _part: u64) -> Option<io::Result<End>> {
        None
    }

    /// Begins an empty journal behind a checkpoint; whether the drive has one.
    fn begin_journal(&mut self, _checkpoint: Mark) -> bool {
        false
    }

    /// Hands on to the layer what a write buffer has kept, or a power cut has left.
    fn hand_on_kept(&mut self) {}

    /// The drive of flash that it is.
    #[cfg(test)]
    fn flash(&mut self) -> Option<&mut flash::Flash> {
        None
    }

    /// Has something go wrong in the flash.
    fn inject(&mut self, _fault: Fault) -> Result<(), InjectionRefused> {
        Err(InjectionRefused::NoFlash)
    }
}
