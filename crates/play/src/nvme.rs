//! The logs of NVMe drives as results have them.

use ftlab_drive::nvme::{ExtendedLog, HealthLog, Logs};
use ftlab_result::{NvmeExtended, NvmeHealth, NvmeLogs};

/// Logs as results have them.
#[must_use]
pub fn logs_of(logs: &Logs) -> NvmeLogs {
    NvmeLogs {
        health: health_of(&logs.health),
        extended: logs.extended.as_ref().map(extended_of),
    }
}

fn health_of(log: &HealthLog) -> NvmeHealth {
    // Taken apart by name: a field that is new in the drive's log has to be dealt with here.
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
    // Taken apart by name: a field that is new in the drive's log has to be dealt with here.
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
