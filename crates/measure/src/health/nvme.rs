//! Logs of an NVMe drive as `nvme` and `smartctl` print them in JSON.

use super::{Bytes, Health, count, percent};
use ftlab_result::{NvmeExtended, NvmeHealth, NvmeLogs};
use serde_json::Value;

/// Bytes of a data unit of the standard's log.
const DATA_UNIT: u64 = 512_000;

/// 0 °C in the unit of nvme-cli.
const ZERO_CELSIUS_KELVIN: i64 = 273;

/// Capacitors' health where there are none.
const NO_CAPACITORS: u64 = 0xFFFF;

/// Reads `nvme smart-log`.
pub(super) fn health(log: &Value) -> Option<Health> {
    let of = |key: &str| count(&log[key]);
    let small = |key: &str| percent(&log[key]);
    let health = NvmeHealth {
        critical_warning: small("critical_warning")?,
        celsius: celsius(&log["temperature"])?,
        available_spare: small("avail_spare")?,
        spare_threshold: small("spare_thresh")?,
        percentage_used: small("percent_used")?,
        data_units_read: of("data_units_read")?,
        data_units_written: of("data_units_written")?,
        host_reads: of("host_read_commands")?,
        host_writes: of("host_write_commands")?,
        busy_minutes: of("controller_busy_time"),
        power_cycles: of("power_cycles")?,
        power_on_hours: of("power_on_hours")?,
        unsafe_shutdowns: of("unsafe_shutdowns")?,
        media_errors: of("media_errors")?,
        error_entries: of("num_err_log_entries")?,
        warning_minutes: of("warning_temp_time")?,
        critical_minutes: of("critical_comp_time")?,
        throttled: [of("thm_temp1_trans_count")?, of("thm_temp2_trans_count")?],
        throttled_s: [of("thm_temp1_total_time")?, of("thm_temp2_total_time")?],
    };
    Some(Health {
        host: Some(Bytes::units(health.data_units_written, DATA_UNIT)),
        percentage_used: Some(health.percentage_used),
        celsius: Some(health.celsius),
        available_spare: Some(health.available_spare),
        unsafe_shutdowns: Some(health.unsafe_shutdowns),
        media_errors: Some(health.media_errors),
        nvme: Some(NvmeLogs {
            health,
            extended: None,
        }),
        ..Health::default()
    })
}

/// Adds `nvme ocp smart-add-log`, if the drive has it.
pub(super) fn with_extended(mut health: Health, log: Option<&Value>) -> Health {
    let Some(log) = log else {
        return health;
    };
    // nvme-cli names this log's fields, with its spelling.
    health.media = count(&log["Physical media units written"]).map(|bytes| Bytes::units(bytes, 1));
    if let Some(logs) = &mut health.nvme {
        logs.extended = extended(log);
    }
    health
}

fn extended(log: &Value) -> Option<NvmeExtended> {
    let of = |key: &str| count(&log[key]);
    let small = |key: &str| percent(&log[key]);
    let word = |key: &str| of(key).and_then(|count| u32::try_from(count).ok());
    Some(NvmeExtended {
        media_bytes_written: of("Physical media units written")?,
        media_bytes_read: of("Physical media units read")?,
        bad_blocks: of("Bad user nand blocks - Raw")?,
        spare_percent: small("Bad user nand blocks - Normalized")?,
        parity_recoveries: of("XOR recovery count")?,
        unreadable: of("Uncorrectable read error count")?,
        beyond_ecc: of("Soft ecc error count")?,
        erases_max: word("Max User data erase counts")?,
        erases_min: word("Min User data erase counts")?,
        throttled: small("Number of Thermal throttling events")?,
        throttling: small("Current throttling status")?,
        incomplete_shutdowns: of("Incomplete shutdowns")?,
        free_percent: small("Percent free blocks")?,
        has_capacitors: of("Capacitor health")? != NO_CAPACITORS,
        unaligned: of("Unaligned I/O")?,
        used_sectors: of("NUSE - Namespace utilization")?,
        capacitor_starts: of("PLP start count")?,
        endurance_gb: of("Endurance estimate"),
    })
}

/// Reads the counters of `smartctl -j -a`: it does not print all that the log has, so there is no log of it.
pub(super) fn of_smartctl(json: &Value) -> Health {
    let log = &json["nvme_smart_health_information_log"];
    Health {
        host: count(&log["data_units_written"]).map(|units| Bytes::units(units, DATA_UNIT)),
        percentage_used: percent(&log["percentage_used"]),
        celsius: log["temperature"].as_i64().map(|celsius| celsius as i32),
        available_spare: percent(&log["available_spare"]),
        unsafe_shutdowns: count(&log["unsafe_shutdowns"]),
        media_errors: count(&log["media_errors"]),
        ..Health::default()
    }
}

/// The warning temperature of `nvme id-ctrl`; 0 stands for none.
pub(super) fn warning_celsius(controller: &Value) -> Option<i32> {
    let kelvin = &controller["wctemp"];
    celsius(kelvin).filter(|_| *kelvin != 0)
}

fn celsius(kelvin: &Value) -> Option<i32> {
    i32::try_from(kelvin.as_i64()? - ZERO_CELSIUS_KELVIN).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_drive_warns_of_a_temperature_or_of_none() {
        assert_eq!(warning_celsius(&json!({"wctemp": 343})), Some(70));
        assert_eq!(warning_celsius(&json!({"wctemp": 0})), None);
        assert_eq!(warning_celsius(&json!({})), None);
    }

    #[test]
    fn a_log_that_lacks_a_field_is_none() {
        assert_eq!(health(&json!({"temperature": 310})), None);
        let log = json!({"Physical media units written": {"hi": 0, "lo": 9}});
        let health = with_extended(Health::default(), Some(&log));
        assert_eq!(health.media.map(|bytes| bytes.value), Some(9));
        assert_eq!(health.nvme, None);
    }
}
