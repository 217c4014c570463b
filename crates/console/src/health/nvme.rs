//! The logs of an NVMe drive for people.

use super::ocp;
use ftlab_result::{NvmeExtended, NvmeHealth, NvmeLogs};
use serde_json::Value;
use std::fmt::Write;

/// Columns before a value: smartctl's, and what OCP's longest name takes.
const NAME_COLUMNS: usize = 36;
const LONG_NAME_COLUMNS: usize = 38;

/// Both logs, one below the other.
pub fn nvme_logs(logs: &NvmeLogs) -> String {
    let extended = logs.extended.as_ref().map(extended_log);
    nvme_health(&logs.health) + &extended.unwrap_or_default()
}

/// SMART / Health Information, as `smartctl -A` prints it.
pub fn nvme_health(log: &NvmeHealth) -> String {
    let mut rows = vec![
        (
            "Critical Warning",
            format!("0x{:02x}", log.critical_warning),
        ),
        ("Temperature", format!("{} Celsius", log.celsius)),
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
    ];
    let busy = log.busy_minutes.map(|minutes| minutes.to_string());
    rows.extend(busy.map(|busy| ("Controller Busy Time", busy)));
    rows.extend([
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
        (
            "Warning  Comp. Temperature Time",
            log.warning_minutes.to_string(),
        ),
        (
            "Critical Comp. Temperature Time",
            log.critical_minutes.to_string(),
        ),
    ]);
    let ([light, heavy], [light_s, heavy_s]) = (log.throttled, log.throttled_s);
    let transitions = [
        ("Thermal Temp. 1 Transition Count", light),
        ("Thermal Temp. 2 Transition Count", heavy),
        ("Thermal Temp. 1 Total Time", light_s),
        ("Thermal Temp. 2 Total Time", heavy_s),
    ];
    // As smartctl: those that are not 0.
    let transitions = transitions.into_iter().filter(|(_, count)| *count > 0);
    rows.extend(transitions.map(|(name, count)| (name, count.to_string())));
    let mut text = "SMART/Health Information (NVMe Log 0x02)\n".to_owned();
    for (name, value) in rows {
        row(&mut text, name, NAME_COLUMNS, &value);
    }
    text
}

/// OCP's log, with the names that nvme-cli has for its fields.
fn extended_log(log: &NvmeExtended) -> String {
    let mut text = "\nSMART/Health Information Extended (OCP Log 0xC0)\n".to_owned();
    let fields = ocp::extended_log(log);
    for (name, value) in fields.as_object().into_iter().flatten() {
        let value = match value {
            Value::String(text) => text.clone(),
            // A number of 128 bits.
            Value::Object(halves) => halves["lo"].to_string(),
            other => other.to_string(),
        };
        row(&mut text, name, LONG_NAME_COLUMNS, &value);
    }
    text
}

fn row(text: &mut String, name: &str, columns: usize, value: &str) {
    let name = format!("{name}:");
    writeln!(text, "{name:<columns$}{value}").expect("writing to a string");
}
