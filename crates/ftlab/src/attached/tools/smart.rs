//! `ftlab smart`: how a drive stands, as smartctl says it.

use super::{Target, open, report};
use crate::failure::Outcome;
use crate::health::smart_table;
use crate::options::OutputFormat;
use crate::screen;
use clap::Args;
use ftlab_attach::control::{DriveReport, SmartAttribute};
use ftlab_base::SECTOR_BYTES;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct SmartOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
    /// What to print; JSON is as smartctl's, for the programs that read that
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// The smartctl whose JSON this is the shape of.
const SMARTCTL_VERSION: [u32; 2] = [7, 3];

/// The temperature of a drive in use, to the model: that of JEDEC's JESD218 for client drives, which the ages of
/// data are counted at. It does not change with the load.
const IN_USE_CELSIUS: u32 = 40;

/// Bits of smartctl's exit status: the drive says that it fails, and an attribute is at its threshold.
const DRIVE_FAILS: u32 = 1 << 3;
const ATTRIBUTE_FAILS: u32 = 1 << 4;

/// `ftlab smart`: attributes as smartctl prints them.
pub fn smart(options: &SmartOptions) -> Outcome {
    let report = match Target::find(&options.target)? {
        Target::AtWork(control) => report(&control)?.drive,
        Target::Image(path) => DriveReport::of(&open(&path, true)?),
    };
    screen::print(&match options.output_format {
        OutputFormat::Json => format!("{:#}\n", as_json(&report, &options.target)),
        OutputFormat::Normal => as_text(&report),
    })
}

fn is_failing(attribute: &SmartAttribute) -> bool {
    attribute.thresh > 0 && attribute.value <= attribute.thresh
}

/// Whether the drive calls itself well.
fn has_passed(report: &DriveReport) -> bool {
    report.fault.is_none() && !report.smart.iter().any(is_failing)
}

fn as_text(report: &DriveReport) -> String {
    let verdict = match has_passed(report) {
        true => "PASSED",
        false => "FAILED!",
    };
    let mut text = format!(
        "Device Model:     {} ({})\nUser Capacity:    {} bytes [{}]\n\
         SMART overall-health self-assessment test result: {verdict}\n\n",
        report.name,
        report.slug,
        report.capacity_bytes,
        screen::capacity(report.capacity_bytes),
    );
    if let Some(fault) = &report.fault {
        text += &format!("The drive takes no more writes: {fault}\n\n");
    }
    let rows = report
        .smart
        .iter()
        .map(|attribute| ftlab_result::SmartAttribute {
            id: attribute.id,
            name: attribute.name.clone(),
            value: attribute.value,
            threshold: attribute.thresh,
            raw: attribute.raw,
        });
    text += &match report.smart.is_empty() {
        true => {
            "The drive's file does not say whose attributes it has (smart.vendor).\n".to_owned()
        }
        false => smart_table(&rows.collect::<Vec<_>>()),
    };
    text
}

/// In the shape of `smartctl --json --info --health --attributes`. What a real drive has and the model does not, as
/// its world wide name, is left out.
fn as_json(report: &DriveReport, target: &Path) -> Value {
    let name = target.display().to_string();
    let table: Vec<Value> = report.smart.iter().map(row).collect();
    let version = env!("CARGO_PKG_VERSION");
    let (hours, minutes) = hours_and_minutes(report.power_on_ns);
    json!({
        "json_format_version": [1, 0],
        "smartctl": {
            "version": SMARTCTL_VERSION,
            "platform_info": "ftlab",
            "build_info": format!("(ftlab {version})"),
            "argv": ["ftlab", "smart", &name, "--output-format", "json"],
            "exit_status": exit_status(report),
        },
        "device": {
            "name": &name,
            "info_name": format!("{name} [SAT]"),
            "type": "sat",
            "protocol": "ATA",
        },
        "model_name": report.name,
        "serial_number": report.serial,
        "firmware_version": report.firmware,
        "user_capacity": {
            "blocks": report.capacity_bytes / SECTOR_BYTES,
            "bytes": report.capacity_bytes,
        },
        "logical_block_size": SECTOR_BYTES,
        "trim": { "supported": report.trims },
        "smart_support": { "available": true, "enabled": true },
        "smart_status": { "passed": has_passed(report) },
        "ata_smart_attributes": { "revision": 1, "table": table },
        "power_on_time": { "hours": hours, "minutes": minutes },
        "power_cycle_count": report.power_cycles,
        "temperature": { "current": IN_USE_CELSIUS },
        "ftlab": report,
    })
}

fn exit_status(report: &DriveReport) -> u32 {
    let attribute_fails = report.smart.iter().any(is_failing);
    u32::from(!has_passed(report)) * DRIVE_FAILS + u32::from(attribute_fails) * ATTRIBUTE_FAILS
}

fn hours_and_minutes(ns: u64) -> (u64, u64) {
    let minutes = ns / 60_000_000_000;
    (minutes / 60, minutes % 60)
}

/// A row of the table. What an attribute counts can only get worse, so its worst value is the present one, and
/// what has failed fails now.
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
        "thresh": attribute.thresh,
        "when_failed": when_failed,
        "flags": flags(attribute.thresh > 0),
        "raw": { "value": attribute.raw, "string": attribute.raw.to_string() },
    })
}

/// Every attribute is kept up to date while the drive is in use, counts events, and outlives the power. One that
/// has a threshold foretells a failure; the others tell of age.
fn flags(foretells_failure: bool) -> Value {
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

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_drive::Catalog;
    use ftlab_host::Testbed;
    use ftlab_image::DataDrive;

    fn report() -> DriveReport {
        let file = Catalog::load("intel-320-120", &[]).expect("a drive");
        let testbed = Testbed::load("attached").expect("a testbed");
        DriveReport::of(&DataDrive::in_memory(&file, &testbed, 1).expect("a drive"))
    }

    #[test]
    fn a_failing_attribute_shows_wherever_smartctl_shows_it() {
        let mut report = report();
        let well = as_json(&report, Path::new("disk.img"));
        assert_eq!(well["smartctl"]["exit_status"], 0);
        assert_eq!(well["smart_status"]["passed"], true);
        let reserve = report.smart.iter().position(|row| row.thresh > 0);
        let reserve = reserve.expect("one has a threshold");
        report.smart[reserve].value = report.smart[reserve].thresh;
        let ill = as_json(&report, Path::new("disk.img"));
        assert_eq!(ill["smartctl"]["exit_status"], 8 + 16);
        assert_eq!(ill["smart_status"]["passed"], false);
        let rows = ill["ata_smart_attributes"]["table"]
            .as_array()
            .expect("rows");
        let failing = |row: &&Value| row["when_failed"] == "now";
        let failing: Vec<_> = rows.iter().filter(failing).collect();
        assert_eq!(failing.len(), 1);
        assert_eq!(failing[0]["worst"], failing[0]["thresh"]);
        report.smart.clear();
        report.fault = Some("worn out".to_owned());
        assert_eq!(
            as_json(&report, Path::new("x"))["smartctl"]["exit_status"],
            8
        );
    }

    #[test]
    fn flags_are_the_bits_that_their_letters_stand_for() {
        // As ATA numbers them, and as smartctl writes them.
        let bits = [
            ("prefailure", 'P'),
            ("updated_online", 'O'),
            ("performance", 'S'),
            ("error_rate", 'R'),
            ("event_count", 'C'),
            ("auto_keep", 'K'),
        ];
        for foretells in [false, true] {
            let flags = flags(foretells);
            let value = flags["value"].as_u64().expect("a number");
            let text: Vec<char> = flags["string"].as_str().expect("text").chars().collect();
            assert_eq!(text.len(), 7);
            for (bit, (name, letter)) in bits.into_iter().enumerate() {
                assert_eq!(flags[name], value >> bit & 1 == 1, "{name}");
                assert_eq!(text[bit] == letter, value >> bit & 1 == 1, "{name}");
            }
        }
    }

    #[test]
    fn time_is_told_in_whole_hours_and_the_minutes_beside() {
        let minute_ns = 60_000_000_000;
        assert_eq!(hours_and_minutes(0), (0, 0));
        assert_eq!(hours_and_minutes(60 * minute_ns - 1), (0, 59));
        assert_eq!(hours_and_minutes(125 * minute_ns), (2, 5));
    }
}
