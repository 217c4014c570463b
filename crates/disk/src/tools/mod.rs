//! The toolbox: `ftlab smart`, `erase`, `trim`, `set-max`, `firmware`, `fault`, `reset`, `snapshot` and `top`, on an image or on a drive at work.

mod fault;
mod firmware;
mod mark;
mod program;
mod reset;
mod smart;
mod top;
mod trim;

use super::serve::beside;
use clap::Args;
use ftlab_attach::control::{ControlRequest, Report, Scope, ask};
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::files;
use ftlab_console::screen;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::{DataDrive, ImageError, OpenOptions};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

pub use fault::{FaultOptions, fault};
pub use firmware::{FirmwareOptions, firmware};
pub use ftlab_drive::faults::words::time;
pub use mark::{MarkOptions, mark};
pub use reset::{ResetOptions, SnapshotOptions, reset, snapshot};
pub use smart::{SmartOptions, smart};
pub use top::TopOptions;
pub use trim::{TrimOptions, trim};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab erase x25m.img            an image that nobody serves
  ftlab erase x25m.img.control    a drive at work, by its control socket")]
pub struct EraseOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab set-max x25m.img 20g      the host sees 20 GB, the rest is spare area
  ftlab set-max x25m.img native   the host sees the whole drive again")]
pub struct SetMaxOptions {
    /// An image that nobody serves
    image: PathBuf,
    /// Capacity that the host sees from now on, for example 20g, or `native` for everything
    size: String,
}

/// The object of a tool.
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

/// Body of a control request.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers and names")
}

fn input(error: ImageError) -> Failure {
    Failure::Input(error.to_string())
}

fn open(path: &Path, catalog: &Catalog, read_only: bool) -> Result<DataDrive, Failure> {
    let testbed = Testbed::load("attached")?;
    let options = OpenOptions {
        read_only,
        ..OpenOptions::on(catalog, &testbed)
    };
    let opened = || DataDrive::open(path, &options).map_err(input);
    Ok(files::guarded(path, opened)?.0)
}

/// Opens an image, changes it, and closes it in order.
fn change(
    path: &Path,
    catalog: &Catalog,
    change: impl FnOnce(&mut DataDrive) -> Result<(), Failure>,
) -> Outcome {
    let mut drive = open(path, catalog, false)?;
    let changed = change(&mut drive);
    drive.close().map_err(input)?;
    changed
}

/// Reads the report of a drive from its control socket.
fn report(control: &Path) -> Result<Report, Failure> {
    let text = ask(control, ControlRequest::Get("/statistics"))?;
    read(control, &text)
}

/// Parses an answer of a control socket.
fn read<T: DeserializeOwned>(control: &Path, text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| {
        Failure::Running(format!(
            "{}: what answers speaks another version: {error}",
            control.display()
        ))
    })
}

/// `ftlab erase`: ATA SECURITY ERASE UNIT.
pub fn erase(options: &EraseOptions, catalog: &Catalog) -> Outcome {
    match Target::find(&options.target)? {
        Target::AtWork(control) => drop(ask(
            &control,
            ControlRequest::Post("/erase", &json(&Scope::ALL)),
        )?),
        Target::Image(path) => change(&path, catalog, |drive| drive.secure_erase().map_err(input))?,
    }
    screen::print("erased: every block, and the mapping with them\n")
}

/// `ftlab set-max`: what the host can address; the rest is spare area.
pub fn set_max(options: &SetMaxOptions, catalog: &Catalog) -> Outcome {
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
    change(&path, catalog, |drive| {
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
