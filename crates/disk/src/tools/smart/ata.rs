//! A drive of ATA: attributes.

use super::{ATTRIBUTE_FAILS, DRIVE_FAILS, heading};
use ftlab_attach::control::DriveReport;
use ftlab_console::health::smart_table;
use ftlab_smart::SmartAttribute;
use serde_json::{Value, json};
use std::path::Path;

fn is_failing(attribute: &SmartAttribute) -> bool {
    attribute.threshold > 0 && attribute.value <= attribute.threshold
}

/// Overall health of the drive.
fn has_passed(report: &DriveReport) -> bool {
    report.fault.is_none() && !report.smart.iter().any(is_failing)
}

pub(super) fn as_text(report: &DriveReport) -> String {
    let mut text = heading(report, has_passed(report));
    text += &match report.smart.is_empty() {
        true => {
            "The drive's file does not say whose attributes it has (smart.vendor).\n".to_owned()
        }
        false => smart_table(&report.smart),
    };
    text
}

/// Keys of smartctl that only an ATA drive has.
pub(super) fn as_json(report: &DriveReport, target: &Path) -> Value {
    let name = target.display().to_string();
    let table: Vec<Value> = report.smart.iter().map(row).collect();
    json!({
        "device": {
            "name": &name,
            "info_name": format!("{name} [SAT]"),
            "type": "sat",
            "protocol": "ATA",
        },
        "trim": { "supported": report.trims },
        "smart_status": { "passed": has_passed(report) },
        "ata_smart_attributes": { "revision": 1, "table": table },
    })
}

pub(super) fn exit_status(report: &DriveReport) -> u32 {
    let attribute_fails = report.smart.iter().any(is_failing);
    u32::from(!has_passed(report)) * DRIVE_FAILS + u32::from(attribute_fails) * ATTRIBUTE_FAILS
}

/// A row of the table. A model's attributes can only get worse, so the worst value is the present one, and a
/// failed attribute fails now.
fn row(attribute: &SmartAttribute) -> Value {
    let when_failed = match is_failing(attribute) {
        true => "now",
        false => "",
    };
    json!({
        "id": attribute.id,
        "name": attribute.name,
        "value": attribute.value,
        "worst": attribute.value,
        "thresh": attribute.threshold,
        "when_failed": when_failed,
        "flags": flags(attribute.threshold > 0),
        "raw": { "value": attribute.raw, "string": attribute.raw.to_string() },
    })
}

/// Every attribute is kept up to date while the drive is in use, counts events, and outlives the power. One that
/// has a threshold foretells a failure; the others tell of age.
pub(super) fn flags(foretells_failure: bool) -> Value {
    json!({
        "value": 0x32 + u32::from(foretells_failure),
        "string": if foretells_failure { "PO--CK " } else { "-O--CK " },
        "prefailure": foretells_failure,
        "updated_online": true,
        "performance": false,
        "error_rate": false,
        "event_count": true,
        "auto_keep": true,
    })
}
