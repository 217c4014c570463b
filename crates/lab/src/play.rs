//! Loads as they are played on drives, and what is to be said of that.

use crate::length::Length;
use crate::outcome::with_logs;
use crate::subject::{Devices, Subject};
use ftlab_base::amount::grouped;
use ftlab_base::{RootSeed, SECTOR_BYTES};
use ftlab_drive::{Counters, Device, DriveFile};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock, DriverError, RunReport};
use ftlab_play::load::{Load, What};
use ftlab_play::record::Record;
use ftlab_play::warnings::{self, Ground};
use ftlab_result::Warning;
use ftlab_states::watch::Watch;

/// Manner in which a load runs.
pub struct How<'a> {
    /// Length of the run, if it has a time.
    pub length: Length,
    /// With a clock or without.
    pub clock: Clock,
    /// The seed of the load's requests.
    pub seed: RootSeed,
    /// True if the garbage collection of all drives had settled before.
    pub has_settled: bool,
    /// Hears how far it is.
    pub watch: &'a Watch<'a>,
}

/// Plays a load on drives that are plugged into the machine.
///
/// # Errors
/// When it does not fit them, or a drive fails or loses a command.
pub fn play(
    load: &Load,
    subject: &Subject,
    devices: &mut Devices,
    machine: &Testbed,
    how: &How<'_>,
) -> Result<Record, DriverError> {
    let (seed, watch) = (how.seed, how.watch);
    let before: Vec<Counters> = devices.iter().map(|device| device.counters()).collect();
    let ground = Ground {
        target: &subject.shapes(),
        slot_bytes: subject.files().filter_map(DriveFile::slot_bytes).max(),
        settled: None,
        machine: &machine.slug,
        is_job: false,
    };
    let most = how.length.operations_max();
    let mut record = match load.what() {
        What::Job(jobs) => {
            let jobs = how.length.of(jobs.clone());
            let target = &mut subject.target(devices).on(machine);
            let report = driver::run_on(&jobs, target, how.clock, seed, watch)?;
            let ground = Ground {
                settled: report.settled(how.has_settled),
                is_job: true,
                ..ground
            };
            let mut record = Record::of_jobs(&jobs, &report);
            record.run.warnings = warnings::of_run(&jobs, how.clock, ground, &report)?;
            record.settled(ground.settled)
        }
        What::Script(scenario) => {
            only(load, subject)?;
            let device = devices[0].as_mut();
            let report = driver::run_scenario(scenario, device, machine, seed, watch)?;
            // Its state is part of its procedure, so that its figures bear no mark.
            warned(Record::of_scenario(&report), &report.run, ground, how).settled(None)
        }
        What::Trace(trace) => {
            only(load, subject)?;
            let report = driver::run_trace(trace, devices[0].as_mut(), most, seed, watch)?;
            warned(Record::of_trace(&report), &report.run, ground, how).settled(None)
        }
        What::Recording(recording) => {
            only(load, subject)?;
            let device = devices[0].as_mut();
            let report = driver::run_replay(recording, device, how.clock, most, watch)?;
            let record = Record::of_replay(recording, device, &report);
            warned(record, &report.run, ground, how)
        }
    };
    // A drive that read unwritten data is found by its counters, before against after; each drive is looked at by
    // itself.
    let reads = devices.iter().zip(before).zip(subject.files());
    record
        .run
        .warnings
        .extend(reads.filter_map(|((device, before), file)| {
            reads_of_nothing(device.as_ref(), &before, file.slot_bytes()?)
        }));
    let record = record.on(devices.iter().map(AsRef::as_ref));
    Ok(with_logs(record, subject, devices))
}

/// As often as this the host writes a drive's capacity until every block has been collected.
const CAPACITIES_TO_SETTLE: u64 = 2;

/// The record of a load that changes as it goes, with its warnings. No steady state is looked for in it: garbage collection
/// had settled where it began so, or after writes of some capacities.
fn warned(mut record: Record, report: &RunReport, ground: Ground<'_>, how: &How<'_>) -> Record {
    let bytes: u64 = ground.target.iter().map(|device| device.bytes).sum();
    let has_written =
        report.counters().host_bytes_written >= CAPACITIES_TO_SETTLE.saturating_mul(bytes);
    let settled = report.settled(how.has_settled || has_written);
    let ground = Ground { settled, ..ground };
    (record.run.warnings).extend(warnings::of_load(ground, report));
    record.settled(settled)
}

/// The share of reads that need no flash from which on they are worth a word.
const WITHOUT_FLASH_LEAST: f64 = 0.25;

/// Reads of a drive that was not written: they take no time of its flash. Since then it has done what the run asked of it.
fn reads_of_nothing(device: &dyn Device, before: &Counters, slot_bytes: u64) -> Option<Warning> {
    let counters = device.counters().since(before);
    let reads = counters.host.reads;
    // A read that finds something reads a page at least, and a page is no more than its bytes. Reads of collection are among
    // them, so that there are fewer of the host's, if anything.
    let of_flash = counters.nand_reads - counters.map_reads;
    let without = |found: u64, all: u64| 1.0 - (found as f64 / all.max(1) as f64).min(1.0);
    let of_reads = without(of_flash, reads);
    let share = of_reads.max(without(counters.nand_bytes_read, counters.host.bytes_read));
    let bytes = device.capacity_sectors() * SECTOR_BYTES;
    let mapped = device
        .page_layer()
        .map(|layer| u64::from(layer.mapped_slots()) * slot_bytes);
    let written = mapped.map_or(1.0, |mapped| mapped as f64 / bytes as f64);
    let is_whole = mapped.is_some_and(|mapped| mapped >= bytes);
    let is_nothing = of_flash == 0 && counters.host.writes == 0 && !is_whole;
    // A drive that is mostly written has few slots that could be read in vain.
    if reads == 0 || !(is_nothing || share >= WITHOUT_FLASH_LEAST.max(2.0 * written)) {
        return None;
    }
    Some(Warning {
        saw: match is_nothing {
            true => format!("100 % of the {} reads found nothing written.", grouped(reads)),
            false => format!(
                "At least {:.0} % of the {} reads found nothing written, or what the drive still had in its buffer.",
                (100.0 * share).floor(),
                grouped(reads)
            ),
        },
        why: "Such a read takes no time of the flash: rates and latencies are those of an empty drive.".to_owned(),
        option: "Start with --state filled, or have the load write first what it reads.".to_owned(),
    })
}

/// Checks that a load fits the drives, the machine and the clock.
///
/// # Errors
/// Why it does not.
pub fn check(
    load: &Load,
    subject: &Subject,
    machine: &Testbed,
    clock: Clock,
) -> Result<(), DriverError> {
    let bytes = || Ok::<u64, DriverError>(only(load, subject)?.capacity_bytes());
    match load.what() {
        What::Job(file) => driver::check(file, &subject.shapes(), machine, clock),
        What::Script(scenario) => driver::check_scenario(scenario, bytes()?, machine),
        What::Trace(trace) => driver::check_trace(trace, bytes()?),
        What::Recording(recording) => driver::check_replay(recording, bytes()?),
    }
}

/// The drive of a load that says nothing of devices.
fn only<'s>(load: &Load, subject: &'s Subject) -> Result<&'s DriveFile, DriverError> {
    subject.only().ok_or(DriverError::OneDevice {
        what: load.what().word(),
    })
}
