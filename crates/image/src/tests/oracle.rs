//! Knows what each slot may hold: what it held when it was last promised to stay, or anything that
//! was written since.

use crate::DataDrive;
use ftlab_base::rng::Stream;
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Placement, RootSeed, SECTOR_BYTES, SimTime,
    SubmissionQueue,
};
use rand::{Rng, RngExt};

const SECTOR: usize = SECTOR_BYTES as usize;

/// What a slot held, version after version; the bytes are made of the numbers when they are needed.
#[derive(Debug, Clone)]
pub(super) struct Oracle {
    slot_bytes: usize,
    /// By slot: its versions, and from how many operations of the storage on each is promised.
    slots: Vec<Vec<Version>>,
}

#[derive(Debug, Clone)]
struct Version {
    bytes: Vec<u8>,
    promised_at: usize,
}

/// Result of reading all of a damaged drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Every slot holds what it may.
    AsWritten,
    /// So do those that are no error.
    Errors,
    /// A slot holds what it must not.
    Strange,
}

const NEVER: usize = usize::MAX;

impl Oracle {
    pub(super) fn new(drive: &DataDrive) -> Oracle {
        let slot_bytes = drive.slot_sectors() as usize * SECTOR;
        let slots = drive.capacity_bytes() as usize / slot_bytes;
        let empty = Version {
            bytes: vec![0; slot_bytes],
            promised_at: 0,
        };
        Oracle {
            slot_bytes,
            slots: vec![vec![empty]; slots],
        }
    }

    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// The host has sent a command.
    pub(super) fn sent(&mut self, command: &Command, data: &[u8]) {
        let (mut sector, end) = (
            command.lba.0 as usize,
            command.lba.0 as usize + command.sectors as usize,
        );
        let first = sector;
        let per_slot = self.slot_bytes / SECTOR;
        while sector < end {
            let within = sector % per_slot;
            let sectors = (per_slot - within).min(end - sector);
            let versions = &mut self.slots[sector / per_slot];
            if command.kind == CommandKind::Read {
                return;
            }
            let mut bytes = versions.last().unwrap().bytes.clone();
            let part = &mut bytes[within * SECTOR..(within + sectors) * SECTOR];
            match command.kind {
                CommandKind::Write => {
                    let from = (sector - first) * SECTOR;
                    part.copy_from_slice(&data[from..from + sectors * SECTOR]);
                }
                CommandKind::Trim if sectors == per_slot => part.fill(0),
                _ => {}
            }
            versions.push(Version {
                bytes,
                promised_at: NEVER,
            });
            sector += sectors;
        }
    }

    /// Notes that the host has the answer to a command, after N operations of the storage; of a drive that keeps what
    /// it acknowledges.
    pub(super) fn promised(&mut self, command: &Command, operations: usize) {
        let per_slot = (self.slot_bytes / SECTOR) as u64;
        let end = command.lba.0 + u64::from(command.sectors);
        for slot in command.lba.0 / per_slot..end.div_ceil(per_slot) {
            promise(&mut self.slots[slot as usize], operations);
        }
    }

    /// Notes that the host has the answer to a flush.
    pub(super) fn flushed(&mut self, operations: usize) {
        for versions in &mut self.slots {
            promise(versions, operations);
        }
    }

    /// Checks a drive that was found after N operations. Gives how many slots hold what was not
    /// promised yet.
    pub(super) fn check(&self, drive: &mut DataDrive, operations: usize, what: &str) -> usize {
        let (mut newer, mut found) = (0, vec![0; self.slot_bytes]);
        for (slot, versions) in self.slots.iter().enumerate() {
            let lba = Lba((slot * self.slot_bytes / SECTOR) as u64);
            drive
                .read(lba, &mut found)
                .unwrap_or_else(|why| panic!("{what}: slot {slot}: {why}"));
            let floor = versions.iter().rposition(|v| v.promised_at <= operations);
            let floor = floor.expect("the first is promised");
            let may = &versions[floor..];
            let is = may.iter().rposition(|version| version.bytes == found);
            let Some(is) = is else {
                let old = versions.iter().position(|version| version.bytes == found);
                panic!(
                    "{what}: slot {slot} holds version {old:?} of {}, promised {floor}",
                    versions.len()
                );
            };
            newer += usize::from(is > 0);
            let (mapped, _) = drive.is_mapped(lba, 1);
            assert!(
                mapped || found.iter().all(|&byte| byte == 0),
                "{what}: slot {slot} is unmapped and holds something"
            );
        }
        newer
    }

    /// Looks at a drive that was damaged. An error is an honest answer, so only data that are old or another slot's
    /// are strange.
    pub(super) fn look(&self, drive: &mut DataDrive, operations: usize) -> Found {
        let mut all = Found::AsWritten;
        for (slot, versions) in self.slots.iter().enumerate() {
            let mut found = vec![0; self.slot_bytes];
            let lba = Lba((slot * self.slot_bytes / SECTOR) as u64);
            if drive.read(lba, &mut found).is_err() {
                all = Found::Errors;
                continue;
            }
            let floor = versions.iter().rposition(|v| v.promised_at <= operations);
            let may = &versions[floor.expect("the first is promised")..];
            if !may.iter().any(|version| version.bytes == found) {
                return Found::Strange;
            }
        }
        all
    }

    /// Which version of a slot that is, the newest of those that are equal; nothing, if it never held that.
    pub(super) fn version(&self, slot: usize, bytes: &[u8]) -> Option<usize> {
        let versions = &self.slots[slot];
        versions.iter().rposition(|version| version.bytes == bytes)
    }

    /// The newest version of a slot that is promised to stay after N operations, and whether that is nothing.
    pub(super) fn promise(&self, slot: usize, operations: usize) -> (usize, bool) {
        let versions = &self.slots[slot];
        let floor = versions.iter().rposition(|v| v.promised_at <= operations);
        let floor = floor.expect("the first is promised");
        (floor, versions[floor].bytes.iter().all(|&byte| byte == 0))
    }

    /// All that a slot held, the oldest first.
    pub(super) fn versions(&self, slot: usize) -> impl Iterator<Item = &[u8]> {
        self.slots[slot].iter().map(|version| &*version.bytes)
    }

    /// Checks that a drive at work gives the newest of what a command covers.
    pub(super) fn check_newest(&self, drive: &mut DataDrive, command: &Command) {
        let mut found = vec![0; command.bytes() as usize];
        drive.read(command.lba, &mut found).unwrap();
        let per_slot = self.slot_bytes / SECTOR;
        for (n, found) in found.chunks(SECTOR).enumerate() {
            let sector = command.lba.0 as usize + n;
            let newest = &self.slots[sector / per_slot].last().unwrap().bytes;
            let from = sector % per_slot * SECTOR;
            assert!(
                newest[from..from + SECTOR] == *found,
                "sector {sector} is not the newest"
            );
        }
    }

    /// Checks that a drive at work gives the newest of everything.
    pub(super) fn check_all(&self, drive: &mut DataDrive) {
        let per_slot = (self.slot_bytes / SECTOR) as u64;
        for slot in 0..self.slots.len() as u64 {
            let lba = Lba(slot * per_slot);
            let command = Command {
                id: CommandId(0),
                kind: CommandKind::Read,
                lba,
                sectors: per_slot as u32,
                content: Content::RANDOM,
                queue: SubmissionQueue::FIRST,
                placement: Placement::DEFAULT,
                at: SimTime::ZERO,
            };
            self.check_newest(drive, &command);
        }
    }

    /// A drive was found so: what it holds is all that there is.
    pub(super) fn settle(&mut self, drive: &mut DataDrive) {
        for (slot, versions) in self.slots.iter_mut().enumerate() {
            let mut bytes = vec![0; self.slot_bytes];
            let lba = Lba((slot * self.slot_bytes / SECTOR) as u64);
            drive.read(lba, &mut bytes).unwrap();
            *versions = vec![Version {
                bytes,
                promised_at: 0,
            }];
        }
    }
}

fn promise(versions: &mut [Version], operations: usize) {
    let last = versions.last_mut().expect("there is a first one");
    last.promised_at = last.promised_at.min(operations);
}

/// Commands at random, with their bytes.
#[derive(Debug)]
pub(super) struct Commands {
    rng: Stream,
    capacity_sectors: u64,
    slot_sectors: u64,
    trims: bool,
    next: u64,
    /// Whether data are such as take little room where they are packed.
    packs_well: bool,
}

impl Commands {
    pub(super) fn new(drive: &DataDrive, seed: u64) -> Commands {
        Commands {
            rng: RootSeed(seed).stream("commands"),
            capacity_sectors: drive.capacity_bytes() / SECTOR_BYTES,
            slot_sectors: u64::from(drive.slot_sectors()),
            trims: drive.trims(),
            next: 0,
            packs_well: false,
        }
    }

    /// From now on each sector repeats its first eight bytes.
    pub(super) fn pack_well(&mut self) {
        self.packs_well = true;
    }

    /// Commands so far.
    pub(super) fn count(&self) -> u64 {
        self.next
    }

    /// Whether two commands touch a slot in common.
    pub(super) fn overlap(&self, one: &Command, other: &Command) -> bool {
        let slots = |command: &Command| {
            let end = command.lba.0 + u64::from(command.sectors);
            command.lba.0 / self.slot_sectors..end.div_ceil(self.slot_sectors)
        };
        let (one, other) = (slots(one), slots(other));
        one.start < other.end && other.start < one.end
    }

    fn command(&mut self, kind: CommandKind, lba: u64, sectors: u64) -> Command {
        self.next += 1;
        Command::new(kind, self.next, lba, sectors as u32, SimTime::ZERO)
    }

    /// Some sectors: whole slots mostly, and parts of one or two.
    fn range(&mut self) -> (u64, u64) {
        let slots = self.capacity_sectors / self.slot_sectors;
        let first = self.rng.random_range(0..slots) * self.slot_sectors;
        let (lba, sectors) = if self.rng.random_ratio(2, 3) {
            (first, self.rng.random_range(1..=3) * self.slot_sectors)
        } else {
            let within = self.rng.random_range(0..self.slot_sectors);
            let sectors = self.rng.random_range(1..=self.slot_sectors);
            (first + within, sectors)
        };
        (lba, sectors.min(self.capacity_sectors - lba))
    }

    /// A command and its bytes.
    pub(super) fn next(&mut self) -> (Command, Vec<u8>) {
        let (lba, sectors) = self.range();
        match self.rng.random_range(0..20) {
            0 => (self.command(CommandKind::Flush, 0, 0), Vec::new()),
            1 | 2 if self.trims => (self.command(CommandKind::Trim, lba, sectors), Vec::new()),
            3 => (self.command(CommandKind::Read, lba, sectors), Vec::new()),
            _ => {
                let command = self.command(CommandKind::Write, lba, sectors);
                let data = self.data(command.bytes() as usize);
                (command, data)
            }
        }
    }

    /// A write of these sectors, and its bytes.
    pub(super) fn write(&mut self, lba: u64, sectors: u64) -> (Command, Vec<u8>) {
        let command = self.command(CommandKind::Write, lba, sectors);
        let data = self.data(command.bytes() as usize);
        (command, data)
    }

    /// A read of these sectors.
    pub(super) fn read(&mut self, lba: u64, sectors: u64) -> Command {
        self.command(CommandKind::Read, lba, sectors)
    }

    pub(super) fn flush(&mut self) -> Command {
        self.command(CommandKind::Flush, 0, 0)
    }

    /// Bytes that compress not at all, by half, to nothing, or that were written before.
    fn data(&mut self, bytes: usize) -> Vec<u8> {
        let mut data = vec![0; bytes];
        match self.rng.random_range(0..8) {
            0 => {}
            1 => {
                // One of a few, the same for every slot.
                let which = self.rng.random_range(0..3);
                RootSeed(which)
                    .stream("known")
                    .fill_bytes(&mut data[..bytes.min(4096)]);
                let (first, rest) = data.split_at_mut(bytes.min(4096));
                rest.chunks_mut(4096).for_each(|part| {
                    part.copy_from_slice(&first[..part.len()]);
                });
            }
            2 | 3 => data.chunks_mut(SECTOR).for_each(|sector| {
                self.rng.fill_bytes(&mut sector[..SECTOR / 2]);
            }),
            _ => self.rng.fill_bytes(&mut data),
        }
        for sector in data.chunks_mut(SECTOR).filter(|_| self.packs_well) {
            let (first, rest) = sector.split_at_mut(8);
            rest.chunks_mut(8)
                .for_each(|part| part.copy_from_slice(first));
        }
        data
    }
}
