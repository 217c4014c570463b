//! A drive of NVMe, as smartctl shows it: the log of the standard.

use super::{DRIVE_FAILS, IN_USE_CELSIUS, blocks_and_bytes, heading};
use ftlab_attach::control::DriveReport;
use ftlab_base::SECTOR_BYTES;
use ftlab_drive::nvme::{HealthLog, IS_READ_ONLY, Logs, SPARE_IS_LOW};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Minutes beyond a temperature, transitions, and the like: the model's temperature does not change.
pub(super) const NEVER: u32 = 0;

pub(super) fn exit_status(log: &HealthLog) -> u32 {
    match log.critical_warning {
        0 => 0,
        _ => DRIVE_FAILS,
    }
}

pub(super) fn as_text(report: &DriveReport, log: &HealthLog) -> String {
    let mut text = heading(report, log.critical_warning == 0);
    text += "SMART/Health Information (NVMe Log 0x02)\n";
    for (name, value) in [
        (
            "Critical Warning",
            format!("0x{:02x}", log.critical_warning),
        ),
        ("Temperature", format!("{IN_USE_CELSIUS} Celsius")),
        ("Available Spare", format!("{}%", log.available_spare)),
        (
            "Available Spare Threshold",
            format!("{}%", log.spare_threshold),
        ),
        ("Percentage Used", format!("{}%", log.percentage_used)),
        ("Data Units Read", log.data_units_read.to_string()),
        ("Data Units Written", log.data_units_written.to_string()),
        ("Host Read Commands", log.host_reads.to_string()),
        ("Host Write Commands", log.host_writes.to_string()),
        ("Controller Busy Time", log.busy_minutes.to_string()),
        ("Power Cycles", log.power_cycles.to_string()),
        ("Power On Hours", log.power_on_hours.to_string()),
        ("Unsafe Shutdowns", log.unsafe_shutdowns.to_string()),
        (
            "Media and Data Integrity Errors",
            log.media_errors.to_string(),
        ),
        (
            "Error Information Log Entries",
            log.error_entries.to_string(),
        ),
    ] {
        writeln!(text, "{:<36}{value}", format!("{name}:")).expect("writing to a string");
    }
    text
}

/// What smartctl says of such a drive alone. Which version of NVMe it speaks is not known, nor who made it.
pub(super) fn as_json(report: &DriveReport, logs: &Logs, target: &Path) -> Value {
    let name = target.display().to_string();
    let log = &logs.health;
    let mut namespace = json!({
        "id": 1,
        "size": blocks_and_bytes(report.capacity_bytes),
        "capacity": blocks_and_bytes(report.capacity_bytes),
        "formatted_lba_size": SECTOR_BYTES,
    });
    if let Some(extended) = &logs.extended {
        namespace["utilization"] = blocks_and_bytes(extended.used_sectors * SECTOR_BYTES);
    }
    json!({
        "device": {
            "name": &name,
            "info_name": &name,
            "type": "nvme",
            "protocol": "NVMe",
        },
        "nvme_total_capacity": report.native_bytes,
        "nvme_unallocated_capacity": report.native_bytes - report.capacity_bytes,
        "nvme_number_of_namespaces": 1,
        "nvme_namespaces": [namespace],
        "smart_status": {
            "passed": log.critical_warning == 0,
            "nvme": warning(log.critical_warning),
        },
        "nvme_smart_health_information_log": {
            "critical_warning": log.critical_warning,
            "temperature": IN_USE_CELSIUS,
            "available_spare": log.available_spare,
            "available_spare_threshold": log.spare_threshold,
            "percentage_used": log.percentage_used,
            "data_units_read": log.data_units_read,
            "data_units_written": log.data_units_written,
            "host_reads": log.host_reads,
            "host_writes": log.host_writes,
            "controller_busy_time": log.busy_minutes,
            "power_cycles": log.power_cycles,
            "power_on_hours": log.power_on_hours,
            "unsafe_shutdowns": log.unsafe_shutdowns,
            "media_errors": log.media_errors,
            "num_err_log_entries": log.error_entries,
            "warning_temp_time": NEVER,
            "critical_comp_time": NEVER,
        },
        "power_on_time": { "hours": log.power_on_hours },
    })
}

/// The bits of the critical warning, which are told when there is one. The others stand for what the model does not have.
fn warning(bits: u8) -> Value {
    match bits {
        0 => json!({ "value": bits }),
        _ => json!({
            "value": bits,
            "spare_below_threshold": bits & SPARE_IS_LOW != 0,
            "temperature_above_or_below_threshold": false,
            "reliability_degraded": false,
            "media_read_only": bits & IS_READ_ONLY != 0,
            "volatile_memory_backup_failed": false,
            "persistent_memory_region_unreliable": false,
            "other": 0,
        }),
    }
}
