//! A drive of NVMe, as smartctl shows it: the log of the standard.

use super::{DRIVE_FAILS, blocks_and_bytes, heading};
use ftlab_attach::control::DriveReport;
use ftlab_base::SECTOR_BYTES;
use ftlab_console::health::nvme::{nvme_health, smartctl_log};
use ftlab_smart::{IS_READ_ONLY, IS_TOO_WARM, SPARE_IS_LOW};
use ftlab_smart::{NvmeHealth, NvmeLogs};
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn exit_status(log: &NvmeHealth) -> u32 {
    match log.critical_warning {
        0 => 0,
        _ => DRIVE_FAILS,
    }
}

pub(super) fn as_text(report: &DriveReport, log: &NvmeHealth) -> String {
    heading(report, log.critical_warning == 0) + &nvme_health(log)
}

/// Keys of smartctl that only an NVMe drive has. The version of NVMe and the vendor are not known.
pub(super) fn as_json(report: &DriveReport, logs: &NvmeLogs, target: &Path) -> Value {
    let name = target.display().to_string();
    let log = &logs.health;
    let mut namespace = json!({
        "id": 1,
        "size": blocks_and_bytes(report.capacity_bytes),
        "capacity": blocks_and_bytes(report.capacity_bytes),
        "formatted_lba_size": SECTOR_BYTES,
    });
    // Only OCP's log knows how much is used; a drive without it leaves the key out.
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
        "nvme_smart_health_information_log": smartctl_log(log),
        "power_on_time": { "hours": log.power_on_hours },
    })
}

/// smartctl's form of the critical warning: its bits by name, when one is set. Those that the model does not have
/// stay unset.
fn warning(bits: u8) -> Value {
    match bits {
        0 => json!({ "value": bits }),
        _ => json!({
            "value": bits,
            "spare_below_threshold": bits & SPARE_IS_LOW != 0,
            "temperature_above_or_below_threshold": bits & IS_TOO_WARM != 0,
            "reliability_degraded": false,
            "media_read_only": bits & IS_READ_ONLY != 0,
            "volatile_memory_backup_failed": false,
            "persistent_memory_region_unreliable": false,
            "other": 0,
        }),
    }
}
