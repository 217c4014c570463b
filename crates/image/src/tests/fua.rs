//! A write with FUA is safe by itself, and a trim that nobody flushed may come undone.

use super::driven::{Driven, recover_with_seed};
use super::recorder::Recorder;
use super::tiny::{names, tiny, tiny_with};
use ftlab_base::{
    Command, CommandId, CommandKind, Content, Lba, Outcome, Placement, SECTOR_BYTES, SimTime,
    SubmissionQueue,
};
use ftlab_drive::DriveFile;
use std::ops::Range;

/// A drive, with or without a clock.
struct Disk {
    driven: Driven,
    clock: Option<SimTime>,
    commands: u64,
}

/// Slots that a test has to do with: fewer than any buffer has.
const SLOTS: u64 = 6;

impl Disk {
    /// One whose slots hold ones, flushed.
    fn new(file: &DriveFile, timed: bool) -> Disk {
        let mut disk = Disk {
            driven: Driven::that_is_cut(file, 3, false),
            clock: timed.then_some(SimTime::ZERO),
            commands: 0,
        };
        for slot in 0..SLOTS {
            disk.write(slot, 1);
        }
        disk.ask(CommandKind::Flush, 0..0, 0);
        disk
    }

    fn slot_sectors(&self) -> u64 {
        // A disk has none: then as many as a page has.
        u64::from(self.driven.drive.slot_sectors()).max(8)
    }

    fn ask(&mut self, kind: CommandKind, slots: Range<u64>, byte: u8) {
        self.commands += 1;
        let sectors = self.slot_sectors();
        let command = Command {
            id: CommandId(self.commands),
            kind,
            lba: Lba(slots.start * sectors),
            sectors: ((slots.end - slots.start) * sectors) as u32,
            content: Content::RANDOM,
            queue: SubmissionQueue::FIRST,
            placement: Placement::DEFAULT,
            at: self.clock.unwrap_or(SimTime::ZERO),
        };
        let data = match kind {
            CommandKind::Write => vec![byte; command.bytes() as usize],
            _ => Vec::new(),
        };
        let Some(clock) = &mut self.clock else {
            assert_eq!(self.driven.drive.apply(command, &data), Outcome::Good);
            return;
        };
        self.driven.drive.submit(command, &data, *clock);
        let mut done = Vec::new();
        while done.is_empty() {
            let next = self.driven.drive.next_event().expect("it is under way");
            *clock = next.max(*clock);
            self.driven.drive.advance(*clock, &mut done);
        }
        assert_eq!(done[0].outcome, Outcome::Good);
    }

    fn write(&mut self, slot: u64, byte: u8) {
        self.ask(CommandKind::Write, slot..slot + 1, byte);
    }

    /// What slots hold after a power cut now, for each of some seeds.
    fn after_cuts(&self) -> Vec<Vec<u8>> {
        (0..24).map(|seed| self.found(seed)).collect()
    }

    fn found(&self, seed: u64) -> Vec<u8> {
        let left = Recorder::of(self.driven.recorder.memory());
        let file = self.driven.drive.drive_file();
        let (mut drive, _) = recover_with_seed(&left, file, seed).unwrap();
        let sectors = self.slot_sectors();
        let mut slot = |slot: u64| {
            let mut data = vec![0; (sectors * SECTOR_BYTES) as usize];
            drive.read(Lba(slot * sectors), &mut data).unwrap();
            data[0]
        };
        (0..SLOTS).map(&mut slot).collect()
    }
}

fn drives() -> Vec<String> {
    let mut names = names();
    names.push("disk".to_owned());
    names
}

#[test]
fn a_write_with_fua_is_safe_and_makes_no_other_so() {
    for name in &drives() {
        for timed in [false, true] {
            let keeps = tiny(name).keeps_its_buffer();
            let mut disk = Disk::new(&tiny(name), timed);
            (0..SLOTS).for_each(|slot| disk.write(slot, 2));
            disk.ask(CommandKind::Flush, 4..5, 0);
            let cuts = disk.after_cuts();
            assert!(
                cuts.iter().all(|found| found[4] == 2),
                "{name}, {timed}: {cuts:?}"
            );
            // With a clock the others may be in the cells by then.
            let is_lost = cuts.iter().flatten().any(|byte| *byte == 1);
            assert!(is_lost != keeps || timed, "{name}: {cuts:?}");
            disk.ask(CommandKind::Flush, 0..0, 0);
            let cuts = disk.after_cuts();
            assert!(
                cuts.iter().flatten().all(|byte| *byte == 2),
                "{name}, {timed}: {cuts:?}"
            );
        }
    }
}

#[test]
fn on_a_drive_whose_firmware_does_so_fua_flushes_everything() {
    let file = tiny_with("page", &["power_loss.fua_flushes_all=1"]);
    let mut disk = Disk::new(&file, false);
    (0..SLOTS).for_each(|slot| disk.write(slot, 2));
    disk.ask(CommandKind::Flush, 4..5, 0);
    let cuts = disk.after_cuts();
    assert!(cuts.iter().flatten().all(|byte| *byte == 2), "{cuts:?}");
}

#[test]
fn a_trim_that_nobody_flushed_leaves_nothing_or_what_was_there() {
    for name in &names() {
        for timed in [false, true] {
            let keeps = tiny(name).keeps_its_buffer();
            let mut disk = Disk::new(&tiny(name), timed);
            disk.ask(CommandKind::Trim, 0..4, 0);
            let cuts = disk.after_cuts();
            let trimmed: Vec<u8> = cuts.iter().flat_map(|found| &found[..4]).copied().collect();
            assert!(trimmed.contains(&0), "{name}, {timed}: {cuts:?}");
            assert_eq!(trimmed.contains(&1), !keeps, "{name}, {timed}: {cuts:?}");
            assert!(
                trimmed.iter().all(|byte| *byte <= 1),
                "{name}, {timed}: {cuts:?}"
            );
            // One slot by itself, then all.
            disk.ask(CommandKind::Flush, 2..3, 0);
            let cuts = disk.after_cuts();
            assert!(
                cuts.iter().all(|found| found[2] == 0),
                "{name}, {timed}: {cuts:?}"
            );
            disk.ask(CommandKind::Flush, 0..0, 0);
            let cuts = disk.after_cuts();
            let all_gone = cuts.iter().all(|found| found == &[0, 0, 0, 0, 1, 1]);
            assert!(all_gone, "{name}, {timed}: {cuts:?}");
        }
    }
}
