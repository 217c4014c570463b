//! OCP's log as nvme-cli prints it in JSON.

use ftlab_result::NvmeExtended;
use serde_json::{Map, Value, json};

/// The health of capacitors: as on the first day, or that there are none.
const CAPACITORS_NEW: u32 = 100;
const NO_CAPACITORS: u32 = 0xFFFF;

/// Mark of the page, and the version of OCP's specification that has the fields below and no others.
const EXTENDED_LOG_GUID: &str = "0xafd514c97c6f4f9ca4f2bfea2810afc5";
const EXTENDED_LOG_VERSION: u32 = 2;

/// Count of events that the model has no kind of: errors of the link and of what protects data on their way, refreshed
/// blocks.
const NONE: u32 = 0;

/// A number of 128 bits.
fn halves(number: u64) -> Value {
    json!({ "hi": 0, "lo": number })
}

/// `nvme ocp smart-add-log`. What is not known of a model is left out: bad blocks of a system area and its wear, as the
/// tables lie among the data, and the version of the firmware's keys.
pub fn extended_log(log: &NvmeExtended) -> Value {
    let capacitors = match log.has_capacitors {
        true => CAPACITORS_NEW,
        false => NO_CAPACITORS,
    };
    // Field names are nvme-cli's own, with its spelling, so that scripts for real drives read them.
    let mut fields = Map::new();
    for (key, value) in [
        (
            "Physical media units written",
            halves(log.media_bytes_written),
        ),
        ("Physical media units read", halves(log.media_bytes_read)),
        ("Bad user nand blocks - Raw", log.bad_blocks.into()),
        (
            "Bad user nand blocks - Normalized",
            log.spare_percent.into(),
        ),
        ("XOR recovery count", log.parity_recoveries.into()),
        ("Uncorrectable read error count", log.unreadable.into()),
        ("Soft ecc error count", log.beyond_ecc.into()),
        ("End to end detected errors", NONE.into()),
        ("End to end corrected errors", NONE.into()),
        ("Refresh counts", NONE.into()),
        ("Max User data erase counts", log.erases_max.into()),
        ("Min User data erase counts", log.erases_min.into()),
        ("Number of Thermal throttling events", log.throttled.into()),
        ("Current throttling status", log.throttling.into()),
        ("PCIe correctable error count", NONE.into()),
        ("Incomplete shutdowns", log.incomplete_shutdowns.into()),
        ("Percent free blocks", log.free_percent.into()),
        ("Capacitor health", capacitors.into()),
        ("Unaligned I/O", log.unaligned.into()),
        ("NUSE - Namespace utilization", log.used_sectors.into()),
        ("PLP start count", log.capacitor_starts.into()),
    ] {
        fields.insert(key.to_owned(), value);
    }
    if let Some(endurance) = log.endurance_gb {
        fields.insert("Endurance estimate".to_owned(), endurance.into());
    }
    fields.insert("Log page version".to_owned(), EXTENDED_LOG_VERSION.into());
    fields.insert("Log page GUID".to_owned(), EXTENDED_LOG_GUID.into());
    Value::Object(fields)
}
