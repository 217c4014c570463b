//! What NVMe drives told of themselves, as results have it.

use super::subject::{Devices, Subject};
use ftlab_base::SimTime;
use ftlab_drive::nvme::{ExtendedLog, HealthLog, Life, Logs};
use ftlab_play::record::Record;
use ftlab_result::{NvmeExtended, NvmeHealth, NvmeLogs};

/// A record with what its drives told at the end. Each was switched on for the run: what was done to it before had no
/// clock.
pub(super) fn with_logs(mut record: Record, subject: &Subject, devices: &Devices) -> Record {
    let life = Life {
        power_cycles: 1,
        unsafe_shutdowns: 0,
        power_on: record.answered,
        busy: None,
    };
    let now = SimTime::ZERO + record.answered;
    let logs = subject.files().zip(devices.iter()).map(|(file, device)| {
        let logs = Logs::of(file, device.as_ref(), now, &life);
        logs.as_ref().map(logs_of)
    });
    let mut logs: Vec<Option<NvmeLogs>> = logs.collect();
    match &mut logs[..] {
        [only] => record.run.nvme = only.take(),
        _ => {
            for (at, logs) in record.run.devices.iter_mut().zip(logs) {
                at.nvme = logs;
            }
        }
    }
    record
}

/// Logs as results have them.
#[must_use]
pub fn logs_of(logs: &Logs) -> NvmeLogs {
    NvmeLogs {
        health: health_of(&logs.health),
        extended: logs.extended.as_ref().map(extended_of),
    }
}

fn health_of(log: &HealthLog) -> NvmeHealth {
    let &HealthLog {
        critical_warning,
        celsius,
        available_spare,
        spare_threshold,
        percentage_used,
        data_units_read,
        data_units_written,
        host_reads,
        host_writes,
        busy_minutes,
        power_cycles,
        power_on_hours,
        unsafe_shutdowns,
        media_errors,
        error_entries,
        warning_minutes,
        critical_minutes,
        throttled,
        throttled_s,
    } = log;
    NvmeHealth {
        critical_warning,
        celsius,
        available_spare,
        spare_threshold,
        percentage_used,
        data_units_read,
        data_units_written,
        host_reads,
        host_writes,
        busy_minutes,
        power_cycles,
        power_on_hours,
        unsafe_shutdowns,
        media_errors,
        error_entries,
        warning_minutes,
        critical_minutes,
        throttled,
        throttled_s,
    }
}

fn extended_of(log: &ExtendedLog) -> NvmeExtended {
    let &ExtendedLog {
        media_bytes_written,
        media_bytes_read,
        bad_blocks,
        spare_percent,
        parity_recoveries,
        unreadable,
        beyond_ecc,
        erases_max,
        erases_min,
        throttled,
        throttling,
        incomplete_shutdowns,
        free_percent,
        has_capacitors,
        unaligned,
        used_sectors,
        capacitor_starts,
        endurance_gb,
    } = log;
    NvmeExtended {
        media_bytes_written,
        media_bytes_read,
        bad_blocks,
        spare_percent,
        parity_recoveries,
        unreadable,
        beyond_ecc,
        erases_max,
        erases_min,
        throttled,
        throttling,
        incomplete_shutdowns,
        free_percent,
        has_capacitors,
        unaligned,
        used_sectors,
        capacitor_starts,
        endurance_gb,
    }
}
