//! The states a drive is tested in, and how it is brought there.

use ftlab_base::rng::Stream;
use ftlab_base::{Command, CommandId, CommandKind, Content, Lba, RootSeed, SECTOR_BYTES, SimTime};
use ftlab_drive::Device;
use rand::RngExt;

/// What a drive holds before a run. Each state is the one before it and something more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Nothing was ever written.
    New,
    /// Every sector was written once, in order.
    Filled,
    /// Filled, then written at random for a while.
    Used,
}

/// Sectors of a write that fills a drive: 1 MiB, as a copy of large files makes them.
const FILL_SECTORS: u32 = 2048;

/// Sectors of a random write: 4 KiB, the cluster of a Windows file system.
const RANDOM_SECTORS: u32 = 8;

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

/// The random writes also end when the flash has been programmed so many times over, in
/// capacities. Page-mapped drives stay below: at 7 % spare area a random write costs seven at most,
/// a quarter of the capacity less than two capacities. A drive that rewrites a block of
/// hundreds of pages for a random write would take days for its quarter, longer than any review,
/// and has rewritten every block several times by then.
const PROGRAMMED_MAX: u64 = 2;

/// Random writes between two looks at how much was programmed.
const WRITES_A_LOOK: u64 = 1024;

impl State {
    /// All states, each built from the one before.
    pub const ALL: [State; 3] = [State::New, State::Filled, State::Used];

    /// The word for it on the command line, in results and in the reference table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            State::New => "new",
            State::Filled => "filled",
            State::Used => "used",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<State> {
        State::ALL.into_iter().find(|state| state.name() == name)
    }

    /// What brings a flash drive here, in words.
    #[must_use]
    pub fn steps(self) -> Vec<String> {
        let fill = "Every sector written once, in order, in writes of 1 MiB.";
        let random = "Then random writes of 4 KiB, nine tenths of them to the first tenth of the \
                      drive, until a quarter of its capacity has been written or, on drives that \
                      rewrite whole blocks, twice its capacity programmed.";
        let steps: &[&str] = match self {
            State::New => &["Nothing was ever written: as delivered, or after a secure erase."],
            State::Filled => &[fill],
            State::Used => &[fill, random],
        };
        steps.iter().map(|&step| step.to_owned()).collect()
    }

    /// Why a disk needs no preparation, in words.
    #[must_use]
    pub fn steps_of_a_disk() -> Vec<String> {
        vec!["None: what a disk holds does not change its speed.".to_owned()]
    }
}

/// Brings a drive from one state to a later one, without time. `seed` is the drive's own.
pub fn prepare(device: &mut dyn Device, from: State, to: State, seed: RootSeed) {
    if from < State::Filled && to >= State::Filled {
        fill(device);
    }
    if from < State::Used && to >= State::Used {
        write_at_random(device, &mut seed.stream("state/used"));
    }
}

fn fill(device: &mut dyn Device) {
    let capacity = device.capacity_sectors();
    for (n, lba) in (0..capacity).step_by(FILL_SECTORS as usize).enumerate() {
        let sectors = u64::from(FILL_SECTORS).min(capacity - lba) as u32;
        device.apply(write(n as u64, lba, sectors));
    }
}

fn write_at_random(device: &mut dyn Device, stream: &mut Stream) {
    let slots = device.capacity_sectors() / u64::from(RANDOM_SECTORS);
    let enough = device.counters().nand_bytes_programmed
        + device.capacity_sectors() * SECTOR_BYTES * PROGRAMMED_MAX;
    for n in 0..slots / RANDOM_SHARE {
        if n % WRITES_A_LOOK == 0 && device.counters().nand_bytes_programmed >= enough {
            break;
        }
        let hot = stream.random_range(0..100) < HOT_PERCENT;
        let among = if hot { slots / HOT_SHARE } else { slots };
        let lba = stream.random_range(0..among) * u64::from(RANDOM_SECTORS);
        device.apply(write(n, lba, RANDOM_SECTORS));
    }
}

fn write(n: u64, lba: u64, sectors: u32) -> Command {
    Command {
        id: CommandId(n),
        kind: CommandKind::Write,
        lba: Lba(lba),
        sectors,
        content: Content::RANDOM,
        at: SimTime::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    const SECTORS: u64 = 100_000;

    fn written(amplification: u64, from: State, to: State) -> u64 {
        let mut device = Fake::new(SECTORS);
        device.amplification = amplification;
        prepare(&mut device, from, to, RootSeed(1));
        device.counters().host_bytes_written / SECTOR_BYTES
    }

    #[test]
    fn each_state_adds_its_writes() {
        assert_eq!(written(2, State::New, State::New), 0);
        assert_eq!(written(2, State::New, State::Filled), SECTORS);
        assert_eq!(written(2, State::New, State::Used), SECTORS + SECTORS / 4);
        assert_eq!(written(2, State::Filled, State::Used), SECTORS / 4);
        assert_eq!(written(2, State::Used, State::Used), 0);
    }

    #[test]
    fn a_drive_that_rewrites_blocks_is_spared() {
        let random = written(128, State::Filled, State::Used);
        let least = SECTORS * PROGRAMMED_MAX / 128;
        assert!((least..SECTORS / 8).contains(&random), "{random} sectors");
    }

    #[test]
    fn names_lead_back() {
        for state in State::ALL {
            assert_eq!(State::named(state.name()), Some(state));
            assert!(!state.steps().is_empty());
        }
        assert_eq!(State::named("unstated"), None);
    }
}
