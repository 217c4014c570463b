//! The writes that preparation is made of.

use crate::watch::{Stopped, Watch};
use crate::{PrepareError, State};
use ftlab_base::rng::Stream;
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Outcome, Placement, SECTOR_BYTES, SimTime,
    SubmissionQueue,
};
use ftlab_drive::Device;
use rand::RngExt;
use rand::seq::SliceRandom;
use std::collections::VecDeque;

/// Sectors of a write that fills a drive: 1 MiB, as a copy of large files makes them.
const FILL_SECTORS: u32 = 2048;

/// Sectors of the image that reviewers restore before a test: system, programs and the data of tests, 30 GiB.
/// What the scripts of applications read lies in it; what they make lies behind, mostly.
pub(super) const IMAGE_SECTORS: u64 = 30 << 21;

/// Sectors of a random write: 4 KiB, the cluster of a Windows file system.
pub const RANDOM_SECTORS: u32 = 8;

/// Random writes of the used state, as a share of the capacity: 1 / this. A quarter is more than
/// the spare area of the drives sold to consumers (7 to 28 %, where reviews state it), so nothing
/// of the first fill's order is left to write to for free, and what a drive does from then on is
/// garbage collection. More would move the drive on to the steady state of random writes, which
/// is an endurance test and not what reviewers call used.
const RANDOM_SHARE: u64 = 4;

/// The hot part of a used drive, as a share of its capacity from the start: 1 / this.
const HOT_SHARE: u64 = 10;

/// Random writes that go to the hot part, in percent; the others go anywhere. Nine tenths of the
/// writes to a tenth of the data is the classical rule for the locality of clients, and the start
/// of the drive is where an operating system keeps what it rewrites most.
const HOT_PERCENT: u32 = 90;

/// The random writes of the used state also end when the flash has been programmed N times
/// over, in capacities. Page-mapped drives stay below: at 7 % spare area a random write costs seven
/// at most, a quarter of the capacity less than two capacities. A drive that rewrites a block of
/// hundreds of pages for a random write would take days for its quarter, longer than any review,
/// and has rewritten every block several times by then.
pub(super) const PROGRAMMED_MAX: u64 = 2;

/// Random writes between two looks at how much was programmed, and at how far it is.
const WRITES_A_LOOK: u64 = 1024;

/// Writes of 1 MiB between two looks at the progress.
const FILLS_A_LOOK: u64 = 64;

/// Random writes that are known before they are made, so that memory can be fetched meanwhile.
const AHEAD: usize = 8;

/// Bytes programmed for a byte written, beyond which a drive is not filled in random order. On
/// page-mapped drives it is the sectors of a slot over eight, 16 at most, and no collection; a
/// drive that rewrites whole blocks is at hundreds.
const FILL_COST_MAX: u64 = 64;

/// Writes to a drive, one command after the other, and stops at the first that is refused.
pub struct Writer<'a> {
    pub device: &'a mut dyn Device,
    state: State,
    data: Content,
    commands: u64,
    watch: &'a Watch<'a>,
    /// Name of the present stage, for whoever watches.
    pub stage: String,
}

impl<'a> Writer<'a> {
    /// Writes `data` to `device`, on its way to `state`.
    pub fn new(
        device: &'a mut dyn Device,
        state: State,
        data: Content,
        watch: &'a Watch<'a>,
    ) -> Self {
        Writer {
            device,
            state,
            data,
            commands: 0,
            watch,
            stage: format!("preparing, {}", state.name()),
        }
    }

    /// Says how far the stage is, which may end it.
    ///
    /// # Errors
    /// When whoever watches has ended the work.
    pub fn tell(&self, done: u64, all: u64) -> Result<(), Stopped> {
        (self.watch)(&self.stage, Some(done as f64 / all.max(1) as f64))
    }

    /// Writes a range of sectors.
    ///
    /// # Errors
    /// When the drive takes no more writes.
    pub fn write(&mut self, lba: u64, sectors: u32) -> Result<(), PrepareError> {
        self.apply(self.command(lba, sectors))
    }

    /// Flushes what was written.
    ///
    /// # Errors
    /// When the drive takes no more writes.
    pub fn flush(&mut self) -> Result<(), PrepareError> {
        self.apply(Command {
            kind: CommandKind::Flush,
            ..self.command(0, 0)
        })
    }

    fn apply(&mut self, command: Command) -> Result<(), PrepareError> {
        let outcome = self.device.apply(command);
        self.commands += 1;
        match outcome {
            Outcome::Good => Ok(()),
            Outcome::WriteFault | Outcome::Unrecoverable | Outcome::Gone => Err(self.fault()),
        }
    }

    /// Says that sectors will soon be written.
    pub fn expect(&self, lba: u64, sectors: u32) {
        self.device.expect(&self.command(lba, sectors));
    }

    fn command(&self, lba: u64, sectors: u32) -> Command {
        Command {
            id: CommandId(self.commands),
            kind: CommandKind::Write,
            lba: Lba(lba),
            sectors,
            content: self.data,
            queue: SubmissionQueue::FIRST,
            placement: Placement::DEFAULT,
            at: SimTime::ZERO,
        }
    }

    #[cold]
    fn fault(&self) -> PrepareError {
        let why = self.device.fault();
        PrepareError::Fault {
            state: self.state.name(),
            why: why.unwrap_or_else(|| "it gives no reason".into()),
        }
    }

    /// Places of whole 4 KiB.
    pub fn places(&self) -> u64 {
        self.device.capacity_sectors() / u64::from(RANDOM_SECTORS)
    }

    /// Writes 4 KiB to each of N places as they are drawn, until the device, which is asked now
    /// and then, has had enough.
    pub fn write_places(
        &mut self,
        count: u64,
        mut draw: impl FnMut() -> u64,
        has_enough: impl Fn(&dyn Device) -> bool,
    ) -> Result<(), PrepareError> {
        let lba = |place| place * u64::from(RANDOM_SECTORS);
        let mut soon = VecDeque::with_capacity(AHEAD);
        let mut drawn = 0;
        for n in 0..count {
            while drawn < count && soon.len() < AHEAD {
                let place = draw();
                self.expect(lba(place), RANDOM_SECTORS);
                soon.push_back(place);
                drawn += 1;
            }
            if n.is_multiple_of(WRITES_A_LOOK) {
                self.tell(n, count)?;
                if has_enough(self.device) {
                    break;
                }
            }
            let place = soon.pop_front().expect("one was drawn");
            self.write(lba(place), RANDOM_SECTORS)?;
        }
        Ok(())
    }

    pub fn capacity_bytes(&self) -> u64 {
        self.device.capacity_sectors() * SECTOR_BYTES
    }

    /// Every sector once, in order.
    pub fn fill(&mut self) -> Result<(), PrepareError> {
        self.write_in_order(self.device.capacity_sectors())
    }

    /// An image of a system, or as much of it as there is room for.
    pub fn restore(&mut self) -> Result<(), PrepareError> {
        self.write_in_order(IMAGE_SECTORS.min(self.device.capacity_sectors()))
    }

    fn write_in_order(&mut self, end: u64) -> Result<(), PrepareError> {
        for (n, lba) in (0..).zip((0..end).step_by(FILL_SECTORS as usize)) {
            if u64::is_multiple_of(n, FILLS_A_LOOK) {
                self.tell(lba, end)?;
            }
            let sectors = u64::from(FILL_SECTORS).min(end - lba) as u32;
            self.write(lba, sectors)?;
        }
        Ok(())
    }

    /// Every sector once, in random order.
    pub fn fill_at_random(&mut self, stream: &mut Stream) -> Result<(), PrepareError> {
        let capacity = self.device.capacity_sectors();
        let start = self.device.counters();
        let mut places: Vec<u32> = (0..capacity.div_ceil(RANDOM_SECTORS.into()) as u32).collect();
        places.shuffle(stream);
        let lba = |place: u32| u64::from(place) * u64::from(RANDOM_SECTORS);
        for (n, &place) in places.iter().enumerate() {
            if (n as u64).is_multiple_of(WRITES_A_LOOK) {
                self.tell(n as u64, places.len() as u64)?;
                let done = self.device.counters().since(&start);
                let most = done.host_bytes_written * FILL_COST_MAX + self.capacity_bytes();
                if done.nand_bytes_programmed > most {
                    return Err(PrepareError::TooDear {
                        written_bytes: done.host_bytes_written,
                        programmed_bytes: done.nand_bytes_programmed,
                    });
                }
            }
            if let Some(&place) = places.get(n + AHEAD) {
                self.expect(lba(place), 1);
            }
            let lba = lba(place);
            // The last place may be a part of one.
            let sectors = u64::from(RANDOM_SECTORS).min(capacity - lba) as u32;
            self.write(lba, sectors)?;
        }
        Ok(())
    }

    /// The random writes of a used drive.
    pub fn write_at_random(&mut self, stream: &mut Stream) -> Result<(), PrepareError> {
        let places = self.places();
        let enough =
            self.device.counters().nand_bytes_programmed + self.capacity_bytes() * PROGRAMMED_MAX;
        let draw = || {
            let hot = stream.random_range(0..100) < HOT_PERCENT;
            let among = if hot { places / HOT_SHARE } else { places };
            stream.random_range(0..among)
        };
        self.write_places(places / RANDOM_SHARE, draw, |device| {
            device.counters().nand_bytes_programmed >= enough
        })
    }
}
