//! `ftlab smart`: how a drive stands, as smartctl says it.

use super::{Target, open, report};
use crate::cli::OutputFormat;
use crate::failure::Outcome;
use crate::health::{SmartRow, smart_table};
use crate::screen;
use clap::Args;
use ftlab_attach::control::DriveReport;
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct SmartOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
    /// What to print
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// `ftlab smart`: attributes as smartctl prints them.
pub fn smart(options: &SmartOptions) -> Outcome {
    let report = match Target::find(&options.target)? {
        Target::AtWork(control) => report(&control)?.drive,
        Target::Image(path) => DriveReport::of(&open(&path, true)?),
    };
    let has_passed = passed(&report);
    let text = match options.output_format {
        OutputFormat::Json => smart_json(&report, has_passed),
        OutputFormat::Normal => {
            let verdict = if has_passed { "PASSED" } else { "FAILED!" };
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
            text += &match report.smart.is_empty() {
                true => "The drive's file does not say whose attributes it has (smart.vendor).\n"
                    .to_owned(),
                false => smart_table(&rows(&report)),
            };
            text
        }
    };
    screen::print(&text)
}

/// Whether the drive calls itself well.
fn passed(report: &DriveReport) -> bool {
    let failing = |a: &ftlab_attach::control::SmartAttribute| a.thresh > 0 && a.value <= a.thresh;
    report.fault.is_none() && !report.smart.iter().any(failing)
}

fn rows(report: &DriveReport) -> Vec<SmartRow> {
    let rows = report.smart.iter().map(|attribute| SmartRow {
        id: attribute.id,
        name: attribute.name.clone(),
        value: attribute.value,
        thresh: attribute.thresh,
        raw: attribute.raw,
    });
    rows.collect()
}

/// In the shape of `smartctl --json -A`, as far as there is something to say.
fn smart_json(report: &DriveReport, has_passed: bool) -> String {
    let table: Vec<_> = rows(report)
        .into_iter()
        .map(|row| {
            json!({
                "id": row.id,
                "name": row.name,
                "value": row.value,
                "thresh": row.thresh,
                "raw": { "value": row.raw, "string": row.raw.to_string() },
            })
        })
        .collect();
    let value = json!({
        "model_name": report.name,
        "user_capacity": { "bytes": report.capacity_bytes },
        "smart_status": { "passed": has_passed },
        "ata_smart_attributes": { "table": table },
        "ftlab": report,
    });
    format!("{value:#}\n")
}
