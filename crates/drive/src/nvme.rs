//! The logs in which an NVMe drive tells of its health: SMART / Health Information (02h), and OCP's extension of it (C0h).
//!
//! A field has what the model counts. What it counts and never sees, as errors of the link, is 0; what it does not know,
//! as the version of a firmware's keys, is no field here. `docs/endurance.md` has the list.

use crate::counters::Counters;
use crate::device::Device;
use crate::file::DriveFile;
use crate::health::Health;
use crate::heat::{HeatTotals, Temperature};
use ftlab_base::{Nanos, SECTOR_BYTES, SimTime};
use ftlab_ftl::page::PageMapped;
use ftlab_smart::{IS_READ_ONLY, IS_TOO_WARM, SPARE_IS_LOW};
use ftlab_smart::{NvmeExtended, NvmeHealth, NvmeLogs};

/// Bytes of a data unit of the standard's: a thousand units of 512 bytes, of which one that is begun counts.
const DATA_UNIT_BYTES: u64 = 1000 * 512;

/// Percent of the spare blocks at which a drive warns. Each maker's own: this is that of most.
const SPARE_THRESHOLD: u8 = 10;

/// The most that the field can say of the rated life used, in percent.
const PERCENTAGE_USED_MAX: f64 = 255.0;

const SECOND_NS: u64 = 1_000_000_000;
const MINUTE_NS: u64 = 60 * SECOND_NS;
const HOUR_NS: u64 = 60 * MINUTE_NS;

/// A billion bytes, the unit of a drive's endurance.
const ENDURANCE_UNIT_BYTES: f64 = 1e9;

/// The history of a drive beside its work: times on and off, and its power cuts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Life {
    /// Times that it was switched on.
    pub power_cycles: u64,
    /// Times that its power went while it was at work.
    pub unsafe_shutdowns: u64,
    /// Time that it was switched on.
    pub power_on: Nanos,
    /// Part of that time in which it had a command of the host's, if somebody counted.
    pub busy: Option<Nanos>,
}

/// The logs, at an instant of its time, of a drive that is as `file` says; nothing of one that does not speak NVMe.
#[must_use]
pub fn logs_of(
    file: &DriveFile,
    device: &dyn Device,
    now: SimTime,
    life: &Life,
) -> Option<NvmeLogs> {
    // A drive whose blocks do not fail in a run has a rating for all that.
    let health = Health {
        rated_cycles: file.rated_cycles(),
        ..device.health().filter(|_| file.is_nvme())?
    };
    let temperature = device.temperature(now);
    let seen = Seen {
        health: &health,
        counters: &device.counters(),
        temperature: temperature.as_ref(),
        life,
    };
    let extended = device
        .page_layer()
        .map(|layer| extended_log(&seen, layer, file.keeps_its_buffer()));
    Some(NvmeLogs {
        health: health_log(&seen, device.fault().is_none()),
        extended,
    })
}

/// Sources of the logs.
struct Seen<'a> {
    health: &'a Health,
    counters: &'a Counters,
    temperature: Option<&'a Temperature>,
    life: &'a Life,
}

impl Seen<'_> {
    fn heat(&self) -> HeatTotals {
        self.temperature
            .map_or_else(HeatTotals::default, |of| of.totals)
    }
}

fn health_log(seen: &Seen<'_>, takes_writes: bool) -> NvmeHealth {
    let heat = seen.heat();
    let available_spare = seen.health.spare_percent();
    let warning = |bit: u8, is_set: bool| if is_set { bit } else { 0 };
    NvmeHealth {
        critical_warning: warning(SPARE_IS_LOW, available_spare < SPARE_THRESHOLD)
            | warning(
                IS_TOO_WARM,
                seen.temperature.is_some_and(Temperature::warns),
            )
            | warning(IS_READ_ONLY, !takes_writes),
        celsius: Temperature::told(seen.temperature),
        available_spare,
        spare_threshold: SPARE_THRESHOLD,
        percentage_used: (100.0 * seen.health.worn_share())
            .round()
            .min(PERCENTAGE_USED_MAX) as u8,
        // The standard's unit is 1000 sectors of 512 bytes, rounded up.
        data_units_read: seen.counters.host.bytes_read.div_ceil(DATA_UNIT_BYTES),
        data_units_written: seen.counters.host_bytes_written.div_ceil(DATA_UNIT_BYTES),
        host_reads: seen.counters.host.reads,
        host_writes: seen.counters.host.writes,
        busy_minutes: seen.life.busy.map(|busy| busy.0 / MINUTE_NS),
        power_cycles: seen.life.power_cycles,
        power_on_hours: seen.life.power_on.0 / HOUR_NS,
        unsafe_shutdowns: seen.life.unsafe_shutdowns,
        media_errors: seen.health.faults.unreadable,
        error_entries: seen.counters.host.failed,
        warning_minutes: heat.warned_ns / MINUTE_NS,
        critical_minutes: heat.critical_ns / MINUTE_NS,
        throttled: heat.began,
        throttled_s: heat.held_ns.map(|ns| ns / SECOND_NS),
    }
}

fn extended_log(seen: &Seen<'_>, layer: &dyn PageMapped, has_capacitors: bool) -> NvmeExtended {
    let mapping = layer.mapping();
    let superblocks = mapping.groups * mapping.superblocks_per_group;
    let slots = u64::from(superblocks) * u64::from(mapping.slots_per_superblock);
    let mapped = u64::from(layer.mapped_slots());
    let left = (slots - mapped) / u64::from(mapping.slots_per_superblock);
    let free = u64::from(layer.free_superblocks());
    let slot_bytes = u64::from(mapping.slot_bytes);
    let endurance = |rated: u32| {
        let bytes = f64::from(rated) * (slots * slot_bytes) as f64;
        (bytes / ENDURANCE_UNIT_BYTES).ceil() as u64
    };
    // Capacitors start at a cut, or it leaves the drive incomplete: no drive has both.
    let cuts = |with_capacitors: bool| match with_capacitors == has_capacitors {
        true => seen.life.unsafe_shutdowns,
        false => 0,
    };
    NvmeExtended {
        media_bytes_written: seen.counters.nand_bytes_programmed,
        media_bytes_read: seen.counters.nand_bytes_read,
        bad_blocks: seen.health.grown_bad().into(),
        spare_percent: seen.health.spare_percent(),
        parity_recoveries: seen.health.faults.made_good,
        unreadable: seen.health.faults.unreadable,
        beyond_ecc: seen.health.faults.made_good + seen.health.faults.unreadable,
        erases_max: seen.health.wear.max(),
        erases_min: seen.health.wear.min(),
        throttled: u8::try_from(seen.heat().began[0]).unwrap_or(u8::MAX),
        throttling: seen.temperature.map_or(0, |of| of.steps as u8),
        incomplete_shutdowns: cuts(false),
        free_percent: (100 * free / left.max(1)).min(100) as u8,
        has_capacitors,
        unaligned: seen.counters.host.part_writes,
        used_sectors: mapped * slot_bytes / SECTOR_BYTES,
        capacitor_starts: cuts(true),
        endurance_gb: seen.health.rated_cycles.map(endurance),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalog;
    use ftlab_base::{Command, CommandKind, Outcome, RootSeed, SimTime};
    use ftlab_host::Testbed;

    /// Slots of a page of 16 KiB, four planes of each of 16 dies, superblocks of six pages.
    const SUPERBLOCK_SLOTS: u64 = 4 * 4 * 16 * 6;

    fn small(more: &[&str]) -> DriveFile {
        let all = [
            "nand.blocks_per_die=128",
            "nand.pages_per_block=6",
            "map.dram=1MiB",
            "spare.user_capacity=150MB",
            "slc.own_size=1MB",
            "slc.more_size=8MB",
        ];
        let all = all.iter().chain(more).map(ToString::to_string);
        Catalog::default()
            .load("generic-nvme-tlc-8", &all.collect::<Vec<_>>())
            .unwrap()
    }

    fn built(file: &DriveFile) -> Box<dyn Device> {
        let testbed = Testbed::load("attached").unwrap();
        file.build(&testbed, RootSeed(1)).unwrap()
    }

    fn apply(device: &mut dyn Device, kind: CommandKind, lba: u64, sectors: u32) {
        let command = Command::new(kind, 0, lba, sectors, SimTime::ZERO);
        assert_eq!(device.apply(command), Outcome::Good);
    }

    const LIFE: Life = Life {
        power_cycles: 4,
        unsafe_shutdowns: 3,
        power_on: Nanos(2 * HOUR_NS + 59 * MINUTE_NS),
        busy: Some(Nanos(61 * MINUTE_NS - 1)),
    };

    #[test]
    fn what_the_host_did_is_told_in_the_standards_units() {
        let file = small(&[]);
        let mut device = built(&file);
        let log =
            |device: &dyn Device| logs_of(&file, device, SimTime::ZERO, &LIFE).unwrap().health;
        assert_eq!(log(&*device).data_units_written, 0);
        apply(&mut *device, CommandKind::Write, 0, 8);
        assert_eq!(
            log(&*device).data_units_written,
            1,
            "one that is begun counts"
        );
        // A thousand sectors with the first eight, and a unit of 1,001 sectors more.
        apply(&mut *device, CommandKind::Write, 8, 992);
        assert_eq!(log(&*device).data_units_written, 1);
        apply(&mut *device, CommandKind::Write, 1000, 1);
        assert_eq!(log(&*device).data_units_written, 2);
        for _ in 0..3 {
            apply(&mut *device, CommandKind::Read, 0, 1000);
        }
        apply(&mut *device, CommandKind::Trim, 0, 8);
        apply(&mut *device, CommandKind::Flush, 0, 0);
        let log = log(&*device);
        assert_eq!((log.host_reads, log.host_writes), (3, 3));
        assert_eq!(log.data_units_read, 3);
        assert_eq!((log.power_cycles, log.unsafe_shutdowns), (4, 3));
        assert_eq!((log.power_on_hours, log.busy_minutes), (2, Some(60)));
        assert_eq!((log.media_errors, log.error_entries), (0, 0));
        assert_eq!((log.available_spare, log.critical_warning), (100, 0));
    }

    #[test]
    fn what_the_flash_did_is_told_in_bytes() {
        let file = small(&[]);
        let mut device = built(&file);
        for slot in 0..2 * SUPERBLOCK_SLOTS {
            apply(&mut *device, CommandKind::Write, 8 * slot, 8);
        }
        apply(&mut *device, CommandKind::Trim, 0, 8 * 100);
        apply(&mut *device, CommandKind::Write, 7, 2);
        apply(&mut *device, CommandKind::Flush, 0, 0);
        let counters = device.counters();
        let log = logs_of(&file, &*device, SimTime::ZERO, &LIFE)
            .unwrap()
            .extended
            .unwrap();
        assert_eq!(log.media_bytes_written, counters.nand_programs * (16 << 10));
        assert_eq!(log.media_bytes_read, counters.nand_reads * (16 << 10));
        assert!(log.media_bytes_written >= 2 * SUPERBLOCK_SLOTS * 4096);
        // Two slots of those that were trimmed hold a sector each again.
        assert_eq!(log.used_sectors, 8 * (2 * SUPERBLOCK_SLOTS - 98));
        assert_eq!(log.unaligned, 1);
        let before = logs_of(&file, &*built(&file), SimTime::ZERO, &LIFE)
            .unwrap()
            .extended
            .unwrap();
        assert_eq!((before.free_percent, before.used_sectors), (100, 0));
        assert!(log.free_percent < 100, "{log:?}");
        // 1,000 cycles of 128 × 16 blocks of six pages of 16 KiB, in billions of bytes.
        assert_eq!(log.endurance_gb, Some(202));
        // Without capacitors, every cut finds the drive unprepared; with them none does.
        assert_eq!((log.incomplete_shutdowns, log.capacitor_starts), (3, 0));
        let kept = small(&["power_loss.capacitors=1"]);
        let kept = logs_of(&kept, &*built(&kept), SimTime::ZERO, &LIFE)
            .unwrap()
            .extended
            .unwrap();
        assert_eq!((kept.incomplete_shutdowns, kept.capacitor_starts), (0, 3));
        assert!(kept.has_capacitors && !log.has_capacitors);
    }

    #[test]
    fn a_worn_drive_says_so_and_a_dead_one_warns() {
        let file = small(&["reliability.rated_cycles=3"]);
        let mut device = built(&file);
        let sectors = device.capacity_sectors();
        for _ in 0..4 {
            for lba in (0..sectors - 255).step_by(256) {
                apply(&mut *device, CommandKind::Write, lba, 256);
            }
        }
        let log = logs_of(&file, &*device, SimTime::ZERO, &LIFE).unwrap();
        let mean = device.health().unwrap().wear.mean();
        assert_eq!(
            log.health.percentage_used,
            (100.0 * mean / 3.0).round() as u8
        );
        assert!(log.health.percentage_used > 50, "{log:?}");
        let health = |available: u32| Health {
            spare: ftlab_ftl::Spare {
                at_first: 100,
                left: available,
            },
            ..device.health().unwrap()
        };
        let warning = |available, takes_writes| {
            let seen = Seen {
                health: &health(available),
                counters: &device.counters(),
                temperature: None,
                life: &LIFE,
            };
            health_log(&seen, takes_writes).critical_warning
        };
        assert_eq!(warning(10, true), 0);
        assert_eq!(warning(9, true), SPARE_IS_LOW);
        assert_eq!(warning(0, false), SPARE_IS_LOW | IS_READ_ONLY);
    }

    /// A 970 EVO that warms in seconds and stays too warm: light throttling, then heavy.
    #[test]
    fn a_hot_drive_under_load_says_how_warm_it_is_and_for_how_long() {
        let hot = [
            "thermal.ambient=60",
            "thermal.capacity=0.05",
            "thermal.light_until=61",
            "thermal.heavy_until=61",
        ];
        let file = Catalog::default()
            .load("samsung-970-evo-500", &hot.map(str::to_owned))
            .unwrap();
        let mut device = built(&file);
        let (mut now, mut id, mut done) = (SimTime::ZERO, 0, Vec::new());
        let until = SimTime(3_500_000_000);
        let mut is_full = 0;
        while now < until {
            while is_full < 8 {
                let write = Command::write(id, id % 100_000 * 256, 256, now);
                device.submit(write, now);
                (id, is_full) = (id + 1, is_full + 1);
            }
            now = device.next_event().unwrap();
            device.advance(now, &mut done);
            is_full -= done.drain(..).count();
        }
        let temperature = device.temperature(now).unwrap();
        let logs = logs_of(&file, &*device, now, &LIFE).unwrap();
        let (log, extended) = (&logs.health, logs.extended.as_ref().unwrap());
        assert!(temperature.celsius > 70.0, "{temperature:?}");
        assert_eq!(log.celsius, temperature.celsius.round() as i32);
        assert_eq!(log.throttled, [1, 1], "{temperature:?}");
        let totals = temperature.totals;
        assert_eq!(log.throttled_s, totals.held_ns.map(|ns| ns / 1_000_000_000));
        let throttled = totals.throttled();
        assert!(throttled > Nanos::from_millis(2_000) && throttled < now.since(SimTime::ZERO));
        assert_eq!((extended.throttled, extended.throttling), (1, 2));
        // Warning and critical temperature are one: nothing lies between them.
        assert!(
            totals.critical_ns > 0 && totals.warned_ns == 0,
            "{totals:?}"
        );
        // What is counted stays with the drive, and its clock begins anew.
        device.advance(SimTime::NEVER, &mut done);
        apply(&mut *device, CommandKind::Flush, 0, 0);
        let again = device.temperature(SimTime::ZERO).unwrap();
        assert!(again.totals.throttled() >= throttled && again.steps == 0);
        let mut other = built(&file);
        other.restore(device.save()).unwrap();
        assert_eq!(other.temperature(SimTime::ZERO).unwrap(), again);
    }

    #[test]
    fn only_a_drive_that_speaks_nvme_has_logs() {
        let file = Catalog::default().load("generic-mlc-8", &[]).unwrap();
        assert_eq!(logs_of(&file, &*built(&file), SimTime::ZERO, &LIFE), None);
        let both = ["smart.vendor=intel".to_owned()];
        let why = Catalog::default()
            .load("generic-nvme-tlc-8", &both)
            .unwrap_err()
            .to_string();
        assert!(why.contains("leave [smart] out"), "{why}");
    }
}
