//! `ftlab firmware`: the same drive with what it holds, and another controller program.

use super::{Target, input};
use clap::Args;
use ftlab_console::drives;
use ftlab_console::failure::{Failure, Outcome};
use ftlab_console::screen;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::DataDrive;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab firmware x25m.img --set gc.idle_after=100ms --set gc.ahead=8
                                  firmware that cleans up while the host pauses
  ftlab firmware vertex.img --drive gskill-falcon2-128
                                  that of another drive with the same flash")]
pub struct FirmwareOptions {
    /// An image that nobody serves
    image: PathBuf,
    /// Take the firmware of this drive: a name of `ftlab drives`, or a path to a drive file
    #[arg(long, value_name = "DRIVE", value_parser = drives::name(), hide_possible_values = true)]
    drive: Option<String>,
    /// Change a number of it; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

/// `ftlab firmware`: changes what the controller of an image's drive does.
pub fn firmware(options: &FirmwareOptions, catalog: &Catalog) -> Outcome {
    if options.drive.is_none() && options.settings.is_empty() {
        return Err(Failure::Input(
            "say what is to be different: a drive with --drive, or numbers with --set".into(),
        ));
    }
    let Target::Image(path) = Target::find(&options.image)? else {
        return Err(Failure::Input(format!(
            "{} is being served: stop the server first",
            options.image.display()
        )));
    };
    let other = options.drive.as_deref();
    let other = other.map(|name| catalog.load(name, &[])).transpose()?;
    let testbed = Testbed::load("attached")?;
    let updated = DataDrive::update_firmware(&path, catalog, &testbed, |own| {
        // It stays the same unit: what fails in its flash, and when, does not change.
        let text = other.as_ref().unwrap_or(own).text();
        catalog.parse(own.slug(), &text, &options.settings)
    });
    screen::print(&match updated.map_err(input)? {
        Some(difference) => format!("updated: {difference}\n"),
        None => "that is the firmware it has\n".to_owned(),
    })
}
