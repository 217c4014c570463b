//! `ftlab reset` and `ftlab snapshot`: back to a base or to a snapshot, and the snapshots there are.

use super::{Target, change, input, json, read};
use clap::Args;
use ftlab_attach::control::{ControlRequest, NewSnapshot, Reset, ask};
use ftlab_base::amount::decimal;
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::screen;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::{Snapshot, remove_snapshot, reset_image, snapshots};
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab reset changes.img         back to the base that it was made on
  ftlab reset changes.img --to installed
                                  back to a snapshot

The drive is as it was there: its data, its map, its wear and its counters.
Everything written since is gone. Snapshots stay, and so do faults of
`ftlab fault`.

On a drive at work, requests under way end with an error and connections end, as
if the disk had been replaced by another. A mounted file stays mounted, and its
calls under way end with EIO.")]
pub struct ResetOptions {
    /// An image that lies on a base or has snapshots, or the control socket of a drive at work
    target: PathBuf,
    /// The snapshot to go back to; the base, if left out
    #[arg(long, value_name = "NAME")]
    to: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab snapshot changes.img installed
                                  save the drive as it is now
  ftlab snapshot changes.img      list the snapshots
  ftlab snapshot changes.img installed --delete

A snapshot is the image's file under another name, IMAGE.snapshot.NAME. The
image becomes a new file that lies on it. Nothing is copied. Requests to a drive
at work wait meanwhile.")]
pub struct SnapshotOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
    /// What to call it; without a name, all are listed
    name: Option<String>,
    /// Remove the snapshot of that name, if nothing lies on it
    #[arg(long, requires = "name")]
    delete: bool,
}

/// `ftlab reset`: back to a base or a snapshot.
pub fn reset(options: &ResetOptions, catalog: &Catalog) -> Outcome {
    let to = options.to.clone();
    match Target::find(&options.target)? {
        Target::AtWork(control) => {
            drop(ask(
                &control,
                ControlRequest::Post("/reset", &json(&Reset { to })),
            )?);
        }
        Target::Image(path) => {
            let testbed = Testbed::load("attached")?;
            reset_image(&path, to.as_deref(), catalog, &testbed).map_err(input)?;
        }
    }
    screen::print(&match &options.to {
        Some(name) => format!("as it was in snapshot {name}\n"),
        None => "as its base has it\n".to_owned(),
    })
}

/// `ftlab snapshot`: keeps a drive as it is, lists what was kept, or removes it.
pub fn snapshot(options: &SnapshotOptions, catalog: &Catalog) -> Outcome {
    let target = Target::find(&options.target)?;
    match (&options.name, target) {
        (None, Target::AtWork(control)) => {
            let text = ask(&control, ControlRequest::Get("/snapshots"))?;
            let listed: Vec<Listed> = read(&control, &text)?;
            list(listed)
        }
        (None, Target::Image(path)) => {
            let listed = snapshots(&path).map_err(input)?;
            // A snapshot is a file beside the image, so a drive at work need not be asked to remove it.
            list(listed.into_iter().map(Listed::from).collect())
        }
        (Some(name), target) if options.delete => {
            let image = match target {
                Target::Image(path) => path,
                Target::AtWork(control) => image_of(&options.target, &control)?,
            };
            remove_snapshot(&image, name).map_err(input)?;
            screen::print(&format!("snapshot {name} is removed\n"))
        }
        (Some(name), target) => {
            match target {
                Target::AtWork(control) => {
                    let name = name.clone();
                    let asked = json(&NewSnapshot { name });
                    drop(ask(&control, ControlRequest::Post("/snapshot", &asked))?);
                }
                Target::Image(path) => {
                    change(&path, catalog, |drive| drive.snapshot(name).map_err(input))?;
                }
            }
            screen::print(&format!("snapshot {name} is made\n"))
        }
    }
}

/// The image that somebody means who may have named its control socket.
fn image_of(target: &Path, control: &Path) -> Result<PathBuf, Failure> {
    if target != control {
        return Ok(target.to_owned());
    }
    Err(Failure::Input(format!(
        "{}: name the image: a snapshot is a file beside that",
        control.display()
    )))
}

/// A snapshot, as a control socket tells of it.
#[derive(Debug, Deserialize)]
struct Listed {
    name: String,
    base: Option<PathBuf>,
    taken_bytes: u64,
}

impl From<Snapshot> for Listed {
    fn from(snapshot: Snapshot) -> Listed {
        let Snapshot {
            name,
            base,
            taken_bytes,
        } = snapshot;
        Listed {
            name,
            base,
            taken_bytes,
        }
    }
}

fn list(listed: Vec<Listed>) -> Outcome {
    if listed.is_empty() {
        return screen::print("no snapshots\n");
    }
    let mut table = screen::table(&["snapshot", "takes", "lies on"]);
    for one in listed {
        let base = one.base.map(|base| base.display().to_string());
        table.add_row([
            one.name,
            decimal(one.taken_bytes as f64, "B"),
            base.unwrap_or_else(|| "nothing: it is a whole image".to_owned()),
        ]);
    }
    screen::print(&screen::lines(table))
}
