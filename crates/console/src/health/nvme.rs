//! The logs of an NVMe drive, in the words of the programs that print them.

use super::ocp;
use ftlab_result::{NvmeExtended, NvmeHealth, NvmeLogs};
use serde_json::{Map, Value};
use std::fmt::Write;

/// Columns before a value: smartctl's, and what OCP's longest name takes.
const NAME_COLUMNS: usize = 36;
const LONG_NAME_COLUMNS: usize = 38;

/// 0 °C in the unit in which nvme-cli has temperatures.
const ZERO_CELSIUS_KELVIN: i32 = 273;

/// Groups of endurance that warn: the model has no groups.
const NO_GROUPS: u32 = 0;

/// A field of the standard's log, and how the programs that print it call it.
struct Field {
    /// Name in smartctl's output.
    name: &'static str,
    /// Its key in smartctl's JSON; empty if that has none.
    smartctl: &'static str,
    /// Its key in the JSON of nvme-cli.
    nvme_cli: &'static str,
    /// Prints the value as smartctl does; `None` if it is not known or not worth a line.
    print: fn(&Value) -> Option<String>,
    /// Nothing (null), if it is not known.
    value: fn(&NvmeHealth) -> Value,
}

macro_rules! fields {
    ($($name:literal, $smartctl:literal, $nvme_cli:literal, $print:ident, $field:ident $([$at:literal])?;)*) => {
        [$(Field {
            name: $name,
            smartctl: $smartctl,
            nvme_cli: $nvme_cli,
            print: $print,
            value: |log| log.$field$([$at])?.into(),
        }),*]
    };
}

static FIELDS: [Field; 21] = fields! {
    "Critical Warning", "critical_warning", "critical_warning", bits, critical_warning;
    "Temperature", "temperature", "temperature", celsius, celsius;
    "Available Spare", "available_spare", "avail_spare", percent, available_spare;
    "Available Spare Threshold", "available_spare_threshold", "spare_thresh", percent, spare_threshold;
    "Percentage Used", "percentage_used", "percent_used", percent, percentage_used;
    "Data Units Read", "data_units_read", "data_units_read", number, data_units_read;
    "Data Units Written", "data_units_written", "data_units_written", number, data_units_written;
    "Host Read Commands", "host_reads", "host_read_commands", number, host_reads;
    "Host Write Commands", "host_writes", "host_write_commands", number, host_writes;
    "Controller Busy Time", "controller_busy_time", "controller_busy_time", number, busy_minutes;
    "Power Cycles", "power_cycles", "power_cycles", number, power_cycles;
    "Power On Hours", "power_on_hours", "power_on_hours", number, power_on_hours;
    "Unsafe Shutdowns", "unsafe_shutdowns", "unsafe_shutdowns", number, unsafe_shutdowns;
    "Media and Data Integrity Errors", "media_errors", "media_errors", number, media_errors;
    "Error Information Log Entries", "num_err_log_entries", "num_err_log_entries", number, error_entries;
    "Warning  Comp. Temperature Time", "warning_temp_time", "warning_temp_time", number, warning_minutes;
    "Critical Comp. Temperature Time", "critical_comp_time", "critical_comp_time", number, critical_minutes;
    "Thermal Temp. 1 Transition Count", "", "thm_temp1_trans_count", number_if_any, throttled[0];
    "Thermal Temp. 2 Transition Count", "", "thm_temp2_trans_count", number_if_any, throttled[1];
    "Thermal Temp. 1 Total Time", "", "thm_temp1_total_time", number_if_any, throttled_s[0];
    "Thermal Temp. 2 Total Time", "", "thm_temp2_total_time", number_if_any, throttled_s[1];
};

fn number(value: &Value) -> Option<String> {
    (!value.is_null()).then(|| value.to_string())
}

fn number_if_any(value: &Value) -> Option<String> {
    (*value != 0).then(|| value.to_string())
}

fn percent(value: &Value) -> Option<String> {
    Some(format!("{value}%"))
}

fn celsius(value: &Value) -> Option<String> {
    Some(format!("{value} Celsius"))
}

fn bits(value: &Value) -> Option<String> {
    value.as_u64().map(|bits| format!("0x{bits:02x}"))
}

/// Both logs, one below the other.
pub fn nvme_logs(logs: &NvmeLogs) -> String {
    let extended = logs.extended.as_ref().map(extended_log);
    nvme_health(&logs.health) + &extended.unwrap_or_default()
}

/// SMART / Health Information, as `smartctl -A` prints it.
#[must_use]
pub fn nvme_health(log: &NvmeHealth) -> String {
    let mut text = "SMART/Health Information (NVMe Log 0x02)\n".to_owned();
    for field in &FIELDS {
        if let Some(value) = (field.print)(&(field.value)(log)) {
            row(&mut text, field.name, NAME_COLUMNS, &value);
        }
    }
    text
}

/// Returns the log as smartctl has it in JSON.
#[must_use]
pub fn smartctl_log(log: &NvmeHealth) -> Value {
    let fields = FIELDS.iter().filter(|field| !field.smartctl.is_empty());
    let all = fields.map(|field| (field.smartctl.to_owned(), (field.value)(log)));
    all.collect::<Map<_, _>>().into()
}

/// Returns the log as `nvme smart-log` prints it in JSON.
#[must_use]
pub fn smart_log(log: &NvmeHealth) -> Value {
    let all = FIELDS
        .iter()
        .map(|field| (field.nvme_cli.to_owned(), (field.value)(log)));
    let mut all: Map<_, _> = all.filter(|(_, value)| !value.is_null()).collect();
    let celsius = log.celsius + ZERO_CELSIUS_KELVIN;
    all.insert("temperature".to_owned(), celsius.into());
    let groups = "endurance_grp_critical_warning_summary".to_owned();
    all.insert(groups, NO_GROUPS.into());
    all.into()
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
