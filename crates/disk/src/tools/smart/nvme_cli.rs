//! The standard's log as nvme-cli prints it in JSON.

use ftlab_result::NvmeHealth;
use serde_json::{Value, json};

/// 0 °C in the unit of the log.
const ZERO_CELSIUS_KELVIN: i32 = 273;

/// Groups of endurance that warn: the model has no groups.
const NONE: u32 = 0;

/// `nvme smart-log`.
pub(super) fn smart_log(log: &NvmeHealth) -> Value {
    let mut all = json!({
        "critical_warning": log.critical_warning,
        "temperature": log.celsius + ZERO_CELSIUS_KELVIN,
        "avail_spare": log.available_spare,
        "spare_thresh": log.spare_threshold,
        "percent_used": log.percentage_used,
        "endurance_grp_critical_warning_summary": NONE,
        "data_units_read": log.data_units_read,
        "data_units_written": log.data_units_written,
        "host_read_commands": log.host_reads,
        "host_write_commands": log.host_writes,
        "power_cycles": log.power_cycles,
        "power_on_hours": log.power_on_hours,
        "unsafe_shutdowns": log.unsafe_shutdowns,
        "media_errors": log.media_errors,
        "num_err_log_entries": log.error_entries,
        "warning_temp_time": log.warning_minutes,
        "critical_comp_time": log.critical_minutes,
        "thm_temp1_trans_count": log.throttled[0],
        "thm_temp2_trans_count": log.throttled[1],
        "thm_temp1_total_time": log.throttled_s[0],
        "thm_temp2_total_time": log.throttled_s[1],
    });
    if let Some(minutes) = log.busy_minutes {
        all["controller_busy_time"] = minutes.into();
    }
    all
}
