//! Parts of slots that are written where the rest cannot be read: what was written is read back, the rest
//! is an error, and nothing else is touched.

use super::driven::forgiving;
use super::driven::{Clock, open};
use super::recorder::Recorder;
use super::tiny::{names, testbed, tiny};
use crate::{DataDrive, FlashFault};
use ftlab_base::{Command, CommandKind, Lba, Lpn, Outcome, SimTime};
use ftlab_drive::{Catalog, DriveFile};
use std::path::Path;

const SECTOR: usize = 512;

/// Cause of an unreadable slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// By a fault of the modelled flash.
    Fault,
    /// By damage to the file.
    Damage,
}

/// A drive, with or without time.
struct Bench {
    drive: DataDrive,
    recorder: Recorder,
    clock: Clock,
    now: SimTime,
    commands: u64,
    what: String,
}

impl Bench {
    /// A drive of which every sector of every slot was written, with the number of its slot.
    fn full(drive: &DriveFile, clock: Clock, what: String) -> Bench {
        let (recorder, path) = (Recorder::default(), Path::new("tiny"));
        let (storage, options) = (recorder.clone(), forgiving());
        let made = DataDrive::create_on(
            path,
            storage,
            (drive, testbed()),
            &options,
            |_| Ok(()),
            |_, _| Ok(()),
        );
        let mut bench = Bench {
            drive: made.unwrap(),
            recorder,
            clock,
            now: SimTime::ZERO,
            commands: 0,
            what,
        };
        for slot in 0..bench.slots() {
            bench.write(slot, 0, bench.drive.slot_sectors(), slot as u8);
        }
        bench.flush();
        bench
    }

    fn slots(&self) -> u64 {
        self.drive.capacity_bytes() / 512 / u64::from(self.drive.slot_sectors())
    }

    fn perform(&mut self, kind: CommandKind, lba: u64, sectors: u32, data: &[u8]) -> Outcome {
        self.commands += 1;
        let command = Command::new(kind, self.commands, lba, sectors, self.now);
        if self.clock == Clock::Untimed {
            return self.drive.apply(command, data);
        }
        self.drive.submit(command, data, self.now);
        let mut done = Vec::new();
        while done.is_empty() {
            self.now = self.drive.next_event().expect("it is outstanding");
            self.drive.advance(self.now, &mut done);
        }
        done[0].outcome
    }

    fn write(&mut self, slot: u64, first: u32, sectors: u32, byte: u8) {
        let lba = slot * u64::from(self.drive.slot_sectors()) + u64::from(first);
        // It does not compress, nor is it like anything else.
        let mut data = vec![byte; sectors as usize * SECTOR];
        for (n, at) in data.iter_mut().enumerate().filter(|(n, _)| n % SECTOR > 0) {
            *at = (n as u64 ^ lba << 9)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .to_be_bytes()[1];
        }
        let outcome = self.perform(CommandKind::Write, lba, sectors, &data);
        assert_eq!(outcome, Outcome::Good, "{}, a write", self.what);
    }

    fn flush(&mut self) {
        let outcome = self.perform(CommandKind::Flush, 0, 0, &[]);
        assert_eq!(outcome, Outcome::Good, "{}, a flush", self.what);
    }

    /// The first byte of a sector of a slot; nothing if it cannot be read.
    fn read(&mut self, slot: u64, sector: u32) -> Option<u8> {
        let lba = slot * u64::from(self.drive.slot_sectors()) + u64::from(sector);
        let outcome = self.perform(CommandKind::Read, lba, 1, &[]);
        let mut data = vec![0; SECTOR];
        let read = self.drive.read(Lba(lba), &mut data);
        (outcome == Outcome::Good && read.is_ok()).then_some(data[0])
    }

    /// What [`Bench::read`] says of each sector of a slot.
    fn sectors(&mut self, slot: u64) -> Vec<Option<u8>> {
        let sectors = 0..self.drive.slot_sectors();
        sectors.map(|sector| self.read(slot, sector)).collect()
    }

    /// Makes a slot unreadable.
    fn spoil(&mut self, slot: u64, how: How) {
        let slot_bytes = u64::from(self.drive.slot_sectors()) * 512;
        if how == How::Damage {
            let place = self
                .drive
                .layer()
                .unwrap()
                .lookup(Lpn(slot as u32))
                .unwrap();
            let at = self.drive.body.regions().place(place.0) + 40;
            self.recorder.flip_bit(at);
            return;
        }
        let offset_bytes = slot * slot_bytes;
        let fault = FlashFault::Unreadable { offset_bytes };
        self.drive.inject(fault).unwrap();
    }

    /// The power goes, and comes back.
    fn cut(&mut self) {
        let (drive, _) = open(&Recorder::of(self.recorder.memory())).unwrap();
        self.drive = drive;
    }
}

/// A tiny drive whose flash can fail.
fn failing(name: &str) -> DriveFile {
    let drive = tiny(name);
    if drive.text().contains("[reliability]") {
        return drive;
    }
    // Blocks that fail need others in their place.
    let lasting = [
        "nand.blocks_per_die=24",
        "reliability.rated_cycles=3000",
        "reliability.median_cycles=6000",
        "reliability.life_shape=4",
        "reliability.erase_share=0.9",
    ];
    let lasting = lasting.map(str::to_owned);
    Catalog::default()
        .parse(drive.slug(), &drive.text(), &lasting)
        .unwrap()
}

/// What is to be seen of a slot of which some sectors were written anew, and the others are lost.
fn expected(sectors: u32, written: &[(u32, u8)]) -> Vec<Option<u8>> {
    let mut expected = vec![None; sectors as usize];
    for &(sector, byte) in written {
        expected[sector as usize] = Some(byte);
    }
    expected
}

fn writes_are_read_back(drive: &DriveFile, clock: Clock, how: How, what: &str) -> bool {
    let mut bench = Bench::full(drive, clock, what.to_owned());
    let (slot, sectors) = (bench.slots() / 2, bench.drive.slot_sectors());
    bench.spoil(slot, how);
    if bench.sectors(slot).contains(&Some(slot as u8)) {
        // It is made good from elsewhere: nothing is lost.
        bench.write(slot, 3, 1, 201);
        bench.flush();
        let mut all = vec![Some(slot as u8); sectors as usize];
        all[3] = Some(201);
        assert_eq!(bench.sectors(slot), all, "{what}");
        return false;
    }
    assert_eq!(bench.sectors(slot), expected(sectors, &[]), "{what}");
    bench.write(slot, 3, 1, 201);
    let first = [(3, 201)];
    assert_eq!(bench.sectors(slot), expected(sectors, &first), "{what}");
    bench.flush();
    assert_eq!(
        bench.sectors(slot),
        expected(sectors, &first),
        "{what}, flushed"
    );
    let second = [(3, 201), (5, 202), (6, 202)];
    bench.write(slot, 5, 2, 202);
    bench.flush();
    bench.cut();
    assert_eq!(
        bench.sectors(slot),
        expected(sectors, &second),
        "{what}, after a cut"
    );
    // Collection moves it.
    for round in 0..4 {
        for other in (0..bench.slots()).filter(|other| *other != slot) {
            bench.write(other, 0, sectors, round);
        }
    }
    bench.flush();
    assert_eq!(
        bench.sectors(slot),
        expected(sectors, &second),
        "{what}, moved"
    );
    for other in (0..bench.slots()).filter(|other| *other != slot) {
        assert_eq!(bench.read(other, 0), Some(3), "{what}, slot {other}");
    }
    bench.write(slot, 0, sectors, 203);
    bench.flush();
    assert_eq!(
        bench.sectors(slot),
        vec![Some(203); sectors as usize],
        "{what}, cured"
    );
    true
}

#[test]
fn a_part_written_into_a_slot_that_cannot_be_read_is_read_back() {
    let mut lost = Vec::new();
    for name in &names() {
        for clock in [Clock::Untimed, Clock::Timed] {
            for how in [How::Fault, How::Damage] {
                let what = format!("{name}, {clock:?}, {how:?}");
                if writes_are_read_back(&failing(name), clock, how, &what) {
                    lost.push(what);
                }
            }
        }
    }
    // Parity makes faults of the packed drive's flash good; nothing does that for a damaged file.
    for expected in [
        "page, Untimed, Fault",
        "page-dram, Timed, Fault",
        "packed, Timed, Damage",
    ] {
        assert!(
            lost.iter().any(|what| what == expected),
            "{expected}: {lost:?}"
        );
    }
}

/// The sectors that can be had do not compress, and their slot was allotted less.
#[test]
fn a_part_finds_room_where_the_slot_had_compressed() {
    let mut bench = Bench::full(&tiny("packed"), Clock::Untimed, "zeros".to_owned());
    let sectors = bench.drive.slot_sectors();
    let outcome = bench.perform(
        CommandKind::Write,
        0,
        sectors,
        &[[7; 64], [0; 64]].concat().repeat(32),
    );
    assert_eq!(outcome, Outcome::Good);
    bench.spoil(0, How::Damage);
    bench.write(0, 0, sectors - 1, 9);
    bench.cut();
    assert_eq!(bench.read(0, sectors - 2), bench.read(0, sectors - 2));
    assert_eq!(bench.read(0, 0), Some(9));
    assert_eq!(bench.read(0, sectors - 1), None);
    for slot in 1..bench.slots() {
        assert_eq!(bench.read(slot, 0), Some(slot as u8), "slot {slot}");
    }
}

/// A slot with the same data as one that is damaged is stored by itself.
#[test]
fn what_equals_a_damaged_slot_is_not_shared_with_it() {
    let file = Catalog::default().load(
        "ocz-vertex3-120",
        &[
            "nand.blocks_per_die=12",
            "nand.pages_per_block=2",
            "gc.reserve=2",
            "spare.op=0.8",
        ]
        .map(str::to_owned),
    );
    let mut bench = Bench::full(&file.unwrap(), Clock::Untimed, "equal".to_owned());
    let sectors = bench.drive.slot_sectors();
    let data: Vec<u8> = (0..sectors as usize * SECTOR)
        .map(|n| (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes()[1])
        .collect();
    let at = |slot: u64| slot * u64::from(sectors);
    assert_eq!(
        bench.perform(CommandKind::Write, at(1), sectors, &data),
        Outcome::Good
    );
    bench.spoil(1, How::Damage);
    assert_eq!(
        bench.perform(CommandKind::Write, at(2), sectors, &data),
        Outcome::Good
    );
    let mut read = vec![0; data.len()];
    bench.drive.read(Lba(at(2)), &mut read).unwrap();
    assert!(read == data);
    assert_eq!(bench.read(1, 0), None);
}
