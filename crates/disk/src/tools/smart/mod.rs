//! `ftlab smart`: how a drive stands, as smartctl and nvme-cli say it.

mod ata;
mod nvme;

use super::{Target, open, report};
use clap::{Args, ValueEnum};
use ftlab_attach::control::DriveReport;
use ftlab_base::SECTOR_BYTES;
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::health::nvme::smart_log;
use ftlab_console::health::ocp;
use ftlab_console::screen;
use ftlab_drive::Catalog;
use ftlab_smart::{NvmeExtended, NvmeLogs};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab smart x25m.img
  ftlab smart x25m.img --output-format json")]
pub struct SmartOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Normal)]
    output_format: Format,
}

/// Format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, as smartctl does
    Normal,
    /// smartctl's JSON, for the programs that read that
    Json,
    /// The JSON of `nvme smart-log`, of an NVMe drive
    NvmeCli,
    /// The JSON of `nvme ocp smart-add-log`, of an NVMe drive
    Ocp,
}

/// The smartctl whose JSON this is the shape of.
const SMARTCTL_VERSION: [u32; 2] = [7, 3];

/// Bits of smartctl's exit status: the drive says that it fails, and an attribute is at its threshold.
const DRIVE_FAILS: u32 = 1 << 3;
const ATTRIBUTE_FAILS: u32 = 1 << 4;

/// `ftlab smart`: attributes and logs as others print them.
pub fn smart(options: &SmartOptions, catalog: &Catalog) -> Outcome {
    let report = match Target::find(&options.target)? {
        Target::AtWork(control) => report(&control)?.drive,
        Target::Image(path) => DriveReport::of(&open(&path, catalog, true)?),
    };
    screen::print(&match options.output_format {
        Format::Normal => as_text(&report),
        Format::Json => lines(&as_json(&report, &options.target)),
        Format::NvmeCli => lines(&smart_log(&logs(&report)?.health)),
        Format::Ocp => lines(&ocp::extended_log(extended(&report)?)),
    })
}

fn lines(json: &Value) -> String {
    format!("{json:#}\n")
}

/// The logs, which a drive of ATA does not have.
fn logs(report: &DriveReport) -> Result<&NvmeLogs, Failure> {
    report.nvme.as_ref().ok_or_else(|| {
        Failure::Input(format!(
            "{} has no logs of NVMe, as its drive file has no link.port; `--output-format json` has \
             its attributes",
            report.slug
        ))
    })
}

/// OCP's log, of which the model knows that of page-mapped drives.
fn extended(report: &DriveReport) -> Result<&NvmeExtended, Failure> {
    logs(report)?.extended.as_ref().ok_or_else(|| {
        Failure::Input(format!(
            "{} has no log of OCP's, which is known of drives with map.scheme = \"page\"; `--output-format nvme-cli` has the \
             standard's",
            report.slug
        ))
    })
}

fn as_text(report: &DriveReport) -> String {
    match &report.nvme {
        Some(logs) => nvme::as_text(report, &logs.health),
        None => ata::as_text(report),
    }
}

/// In the shape of `smartctl --json --info --health --attributes`, without keys that the model has no value
/// for, as the world wide name.
fn as_json(report: &DriveReport, target: &Path) -> Value {
    let (own, exit_status) = match &report.nvme {
        Some(logs) => (
            nvme::as_json(report, logs, target),
            nvme::exit_status(&logs.health),
        ),
        None => (ata::as_json(report, target), ata::exit_status(report)),
    };
    let version = env!("CARGO_PKG_VERSION");
    let (hours, minutes) = hours_and_minutes(report.power_on_ns);
    let mut all = json!({
        "json_format_version": [1, 0],
        "smartctl": {
            "version": SMARTCTL_VERSION,
            "platform_info": "ftlab",
            "build_info": format!("(ftlab {version})"),
            "argv": ["ftlab", "smart", target.display().to_string(), "--output-format", "json"],
            "exit_status": exit_status,
        },
        "model_name": report.name,
        "serial_number": report.serial,
        "firmware_version": report.firmware,
        "user_capacity": blocks_and_bytes(report.capacity_bytes),
        "logical_block_size": SECTOR_BYTES,
        "smart_support": { "available": true, "enabled": true },
        "power_on_time": { "hours": hours, "minutes": minutes },
        "power_cycle_count": report.power_cycles,
        "temperature": { "current": report.told_celsius },
        "ftlab": report,
    });
    // Keys of ATA or NVMe follow those that smartctl prints for every drive.
    if let (Value::Object(all), Value::Object(own)) = (&mut all, own) {
        all.extend(own);
    }
    all
}

fn blocks_and_bytes(bytes: u64) -> Value {
    json!({ "blocks": bytes / SECTOR_BYTES, "bytes": bytes })
}

fn hours_and_minutes(ns: u64) -> (u64, u64) {
    let minutes = ns / 60_000_000_000;
    (minutes / 60, minutes % 60)
}

/// Lines that the text of both kinds of drive begins with.
fn heading(report: &DriveReport, has_passed: bool) -> String {
    let verdict = match has_passed {
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
    text
}

#[cfg(test)]
mod tests;
