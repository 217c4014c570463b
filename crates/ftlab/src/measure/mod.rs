//! `ftlab measure`: the bench on a real drive.

mod identify;

use crate::failure::Outcome;
use crate::options::OutputFormat;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab measure --identify /dev/nvme0n1
  ftlab measure --identify disk.img --output-format json

The id says which drive it is, whatever its path: serial number and World Wide
Name of a disk, the place of a file. What writes to a drive has to name it twice,
by its path and by this id. A drive that is in use is never written to.")]
pub struct Options {
    /// A whole disk, a loop device or a regular file
    device: PathBuf,
    /// Print the id of the device and whether it may be measured; nothing is opened
    #[arg(long, required = true)]
    identify: bool,
    /// Form of what is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "normal")]
    output_format: OutputFormat,
}

pub fn command(options: &Options) -> Outcome {
    identify::command(&options.device, options.output_format)
}
