//! `ftlab trim`: the host needs a range no longer, or everything.

use super::{Target, input, json, open};
use clap::Args;
use ftlab_attach::control::{self, ControlRequest, Scope, ask};
use ftlab_attach::{Engine, Timing};
use ftlab_base::SECTOR_BYTES;
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::screen;
use ftlab_drive::Catalog;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab trim x25m.img --offset 8m --length 8m
  ftlab trim x25m.img --all       the whole drive: nothing of it is left")]
pub struct TrimOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
    /// Where to begin, for example 1g; together with --length
    #[arg(long, value_name = "BYTES", value_parser = ftlab_workload::bytes)]
    offset: Option<u64>,
    /// How much; together with --offset
    #[arg(long, value_name = "BYTES", value_parser = ftlab_workload::bytes)]
    length: Option<u64>,
    /// The whole drive
    #[arg(long, conflicts_with_all = ["offset", "length"])]
    all: bool,
}

impl TrimOptions {
    /// The range to trim; an option left out never means everything.
    fn scope(&self) -> Result<Scope, Failure> {
        match (self.all, self.offset, self.length) {
            (true, ..) => Ok(Scope::ALL),
            (false, _, Some(0)) => Err(Failure::Input(format!(
                "--length 0 trims nothing: give at least one sector of {SECTOR_BYTES} bytes, or --all for \
                 the whole drive"
            ))),
            (false, Some(offset), Some(length)) => {
                Scope::bytes(offset, length).map_err(Failure::Input)
            }
            (false, ..) => Err(Failure::Input(
                "say what to trim: --offset and --length, or --all for the whole drive".into(),
            )),
        }
    }
}

/// `ftlab trim`: the host needs a range no longer.
pub fn trim(options: &TrimOptions, catalog: &Catalog) -> Outcome {
    let scope = options.scope()?;
    match Target::find(&options.target)? {
        Target::AtWork(control) => {
            drop(ask(&control, ControlRequest::Post("/trim", &json(&scope)))?)
        }
        Target::Image(path) => trim_image(&path, catalog, &scope)?,
    }
    screen::print("trimmed\n")
}

/// Serves an image to nobody, as long as a trim takes.
fn trim_image(path: &Path, catalog: &Catalog, scope: &Scope) -> Outcome {
    let engine = Engine::start(open(path, catalog, false)?, Timing::Off)
        .map_err(|error| Failure::Running(format!("cannot start: {error}")))?;
    let trimmed = control::trim(&engine, scope).map_err(Failure::Input);
    let drive = engine.stop().expect("nobody else stops it");
    drive.close().map_err(input)?;
    trimmed
}
