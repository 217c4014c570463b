//! Drives that were used before they had bytes.

use super::cuts::cut_everywhere;
use super::driven::{Clock, Driven};
use super::tiny::{catalog, names, testbed, tiny};
use crate::{CreateOptions, DataDrive, ImageError, fsck};
use ftlab_base::{Command, Outcome, SimTime};
use ftlab_drive::Device;

/// Writes all of a drive, twice.
pub(super) fn wear(device: &mut dyn Device) -> Result<(), ImageError> {
    for sector in (0..device.capacity_sectors()).chain(0..device.capacity_sectors()) {
        let write = Command::write(sector, sector, 1, SimTime::ZERO);
        assert_eq!(device.apply(write), Outcome::Good);
    }
    Ok(())
}

#[test]
fn what_was_written_before_a_drive_had_bytes_reads_as_zeros_until_it_is_written_over() {
    for name in &names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("aged.img");
        let options = CreateOptions::default();
        let made = DataDrive::create_aged(&path, &tiny(name), testbed(), &options, wear);
        let drive = made.unwrap();
        let mapped = drive.info().mapped_slots.unwrap();
        assert!(mapped > 15, "{name}: {mapped} slots");
        let erases = drive.device().counters().nand_erases;
        assert!(erases > 0, "{name} is used");
        drive.close().unwrap();
        let found = fsck(&path, catalog(), testbed()).unwrap();
        assert!(found.is_good(), "{name}: {found:?}");
        assert_eq!(found.mapped_slots, mapped);
    }
}

#[test]
fn a_used_drive_comes_back_from_every_cut() {
    let clocks = [Clock::Timed, Clock::Untimed];
    for (name, clock) in names().iter().zip(clocks.into_iter().cycle()) {
        let mut driven = Driven::aged(&tiny(name), 7, wear);
        driven.oracle.check_all(&mut driven.drive);
        let first = driven.recorder.count();
        driven.work(clock, if name == "block" { 6 } else { 16 });
        driven.drive.checkpoint().unwrap();
        driven.work(clock, 6);
        let seen = cut_everywhere(&driven, first, &format!("used {name}"));
        assert!(seen.replayed > 0 && seen.cuts > 50, "{name}: {seen:?}");
        // Until nothing of what was there is left.
        driven.work(Clock::Untimed, 6 * driven.oracle.slots());
        driven.oracle.check_all(&mut driven.drive);
        driven.drive.check_layer();
    }
}
