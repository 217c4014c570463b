//! The toolbox: `ftlab smart`, `erase`, `trim`, `set-max`, `firmware`, `fault` and `top`, on an image or on a drive at work.

mod fault;
mod firmware;
mod top;

use crate::cli::OutputFormat;
use crate::failure::{Failure, Outcome};
use crate::health::{SmartRow, smart_table};
use crate::screen;
use crate::serve::beside;
use clap::Args;
use ftlab_attach::control::{Asked, ControlError, DriveReport, Report, Trim, ask};
use ftlab_base::{Command, CommandId, CommandKind, Content, Lba, SECTOR_BYTES, SimTime};
use ftlab_drive::Catalog;
use ftlab_image::{DataDrive, ImageError, OpenOptions};
use serde_json::json;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

pub use fault::{FaultOptions, fault};
pub use firmware::{FirmwareOptions, firmware};
pub use top::TopOptions;

#[derive(Debug, Args)]
pub struct SmartOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
    /// What to print
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

#[derive(Debug, Args)]
pub struct EraseOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
}

#[derive(Debug, Args)]
pub struct TrimOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
    /// Where to begin, for example 1g
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = ftlab_workload::bytes)]
    offset: u64,
    /// How much; everything from there on if left out
    #[arg(long, value_name = "BYTES", value_parser = ftlab_workload::bytes)]
    length: Option<u64>,
}

#[derive(Debug, Args)]
pub struct SetMaxOptions {
    /// An image that nobody serves
    image: PathBuf,
    /// What the host can address from now on, for example 20g, or `native` for everything
    size: String,
}

/// What a tool is used on.
enum Target {
    /// A drive at work, by its control socket.
    AtWork(PathBuf),
    /// An image that nobody serves.
    Image(PathBuf),
}

impl Target {
    fn find(path: &Path) -> Result<Target, Failure> {
        let found = path.metadata().map_err(|error| {
            Failure::Input(format!(
                "{}: {error}; give an image of `ftlab serve`, or a control socket",
                path.display()
            ))
        })?;
        if found.file_type().is_socket() {
            return Ok(Target::AtWork(path.to_owned()));
        }
        let control = beside(path, ".control");
        match UnixStream::connect(&control) {
            Ok(_) => Ok(Target::AtWork(control)),
            Err(_) => Ok(Target::Image(path.to_owned())),
        }
    }
}

impl From<ControlError> for Failure {
    fn from(error: ControlError) -> Failure {
        match error {
            ControlError::Refused(_) => Failure::Running(error.to_string()),
            ControlError::Socket { .. } | ControlError::Strange(_) => {
                Failure::Input(error.to_string())
            }
        }
    }
}

fn input(error: ImageError) -> Failure {
    Failure::Input(error.to_string())
}

fn open(path: &Path, read_only: bool) -> Result<DataDrive, Failure> {
    let testbed = Catalog::testbed("attached")?;
    let options = OpenOptions {
        testbed: &testbed,
        drive: None,
        read_only,
        sync: false,
    };
    let (drive, _) = DataDrive::open(path, &options).map_err(input)?;
    Ok(drive)
}

/// Opens an image, changes it, and closes it in order.
fn change(path: &Path, change: impl FnOnce(&mut DataDrive) -> Result<(), Failure>) -> Outcome {
    let mut drive = open(path, false)?;
    let changed = change(&mut drive);
    drive.close().map_err(input)?;
    changed
}

/// What a control socket says of a drive.
fn report(control: &Path) -> Result<Report, Failure> {
    let text = ask(control, Asked::Get("/statistics"))?;
    serde_json::from_str(&text).map_err(|error| {
        Failure::Running(format!(
            "{}: what answers speaks another version: {error}",
            control.display()
        ))
    })
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

/// `ftlab erase`: ATA SECURITY ERASE UNIT.
pub fn erase(options: &EraseOptions) -> Outcome {
    match Target::find(&options.target)? {
        Target::AtWork(control) => drop(ask(&control, Asked::Post("/erase", ""))?),
        Target::Image(path) => change(&path, |drive| drive.secure_erase().map_err(input))?,
    }
    screen::print("erased: every block, and the mapping with them\n")
}

/// `ftlab trim`: the host needs a range no longer.
pub fn trim(options: &TrimOptions) -> Outcome {
    match Target::find(&options.target)? {
        Target::AtWork(control) => {
            let trim = Trim {
                offset_bytes: options.offset,
                bytes: options.length,
            };
            let body = serde_json::to_string(&trim).expect("numbers");
            ask(&control, Asked::Post("/trim", &body))?;
        }
        Target::Image(path) => change(&path, |drive| trim_image(options, drive))?,
    }
    screen::print("trimmed\n")
}

fn trim_image(options: &TrimOptions, drive: &mut DataDrive) -> Outcome {
    let size = drive.capacity_bytes();
    let rest = size.saturating_sub(options.offset);
    let bytes = options.length.unwrap_or(rest);
    let is_whole = |bytes: u64| bytes.is_multiple_of(SECTOR_BYTES);
    if !drive.trims() {
        return Err(Failure::Input("the drive takes no trims".into()));
    }
    if bytes == 0 || bytes > rest || !is_whole(options.offset) || !is_whole(bytes) {
        return Err(Failure::Input(format!(
            "{bytes} bytes from {} on are not whole sectors of the drive, which has {size} bytes",
            options.offset
        )));
    }
    /// Sectors of one command.
    const SECTORS: u64 = 1 << 20;
    let (mut at, end) = (
        options.offset / SECTOR_BYTES,
        (options.offset + bytes) / SECTOR_BYTES,
    );
    while at < end {
        let sectors = SECTORS.min(end - at);
        let command = Command {
            id: CommandId(at),
            kind: CommandKind::Trim,
            lba: Lba(at),
            sectors: sectors as u32,
            content: Content::RANDOM,
            at: SimTime::ZERO,
        };
        drive.apply(command, &[]);
        at += sectors;
    }
    Ok(())
}

/// `ftlab set-max`: what the host can address; the rest is spare area.
pub fn set_max(options: &SetMaxOptions) -> Outcome {
    let Target::Image(path) = Target::find(&options.image)? else {
        return Err(Failure::Input(format!(
            "{} is being served, and its clients know its size: stop the server first",
            options.image.display()
        )));
    };
    let wrong = |allowed| {
        Failure::Input(format!(
            "a size of {}: give {allowed}, or native",
            options.size
        ))
    };
    let bytes = match options.size.as_str() {
        "native" => None,
        text => Some(ftlab_workload::bytes(text).map_err(wrong)?),
    };
    let mut capacity = 0;
    change(&path, |drive| {
        let bytes = bytes.unwrap_or_else(|| drive.drive_file().capacity_bytes());
        capacity = bytes;
        drive.set_max(bytes).map_err(input)
    })?;
    screen::print(&format!("{capacity} bytes\n"))
}

fn nobody_serves(image: &Path) -> Failure {
    Failure::Input(format!(
        "nobody serves {}: start `ftlab serve --image` with it first",
        image.display()
    ))
}

/// `ftlab top`: a drive at work, live.
pub fn top(options: &TopOptions) -> Outcome {
    top::command(options)
}
