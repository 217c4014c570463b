//! `ftlab fault`: something goes wrong with a drive, because somebody wants to see what comes of it.

use super::{Target, change, input, nobody_serves};
use crate::failure::Outcome;
use crate::screen;
use clap::{Args, Subcommand};
use ftlab_attach::control::{Asked, ask};
use ftlab_image::FlashFault;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(subcommand_value_name = "FAULT", subcommand_help_heading = "Faults")]
pub struct FaultOptions {
    /// An image, or the control socket of a drive at work
    target: PathBuf,
    #[command(subcommand)]
    fault: Fault,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
enum Fault {
    /// A block wears out: its next erase fails, or a program; the drive replaces it
    BadBlock {
        /// The number of the block in the array
        block: u32,
    },
    /// What is stored somewhere is beyond what ECC corrects, until it is written anew
    Unreadable {
        /// Where in the drive, for example 8m
        #[arg(value_name = "BYTES", value_parser = ftlab_workload::bytes)]
        offset: u64,
    },
    /// A die dies: with parity (RAISE) it is rebuilt in pauses, without what it held is lost
    Die {
        /// The number of the die in the array
        die: u16,
    },
    /// All blocks wear out: what is spare is soon used up, then writes fail and reads go on
    EndOfLife,
    /// A drive at work leaves its bus: nothing is answered, and the host gives up after 30 s
    Vanish,
    /// It comes back
    Return,
}

impl Fault {
    /// What it does to flash; nothing if it is the bus that it concerns.
    fn of_flash(self) -> Option<FlashFault> {
        Some(match self {
            Fault::BadBlock { block } => FlashFault::BadBlock { block },
            Fault::Unreadable { offset } => FlashFault::Unreadable {
                offset_bytes: offset,
            },
            Fault::Die { die } => FlashFault::Die { die },
            Fault::EndOfLife => FlashFault::EndOfLife,
            Fault::Vanish | Fault::Return => return None,
        })
    }

    fn done(self) -> String {
        match self {
            Fault::BadBlock { block } => format!("block {block} is worn out\n"),
            Fault::Unreadable { offset } => {
                format!("what lies {offset} bytes into the drive cannot be corrected\n")
            }
            Fault::Die { die } => format!("die {die} is dead\n"),
            Fault::EndOfLife => "all blocks are worn out\n".to_owned(),
            Fault::Vanish => "the drive is off its bus\n".to_owned(),
            Fault::Return => "the drive is back\n".to_owned(),
        }
    }
}

/// `ftlab fault`: something goes wrong with a drive.
pub fn fault(options: &FaultOptions) -> Outcome {
    let target = Target::find(&options.target)?;
    match (target, options.fault.of_flash()) {
        (Target::AtWork(control), Some(fault)) => {
            let body = serde_json::to_string(&fault).expect("names and numbers");
            ask(&control, Asked::Post("/fault", &body))?;
        }
        (Target::Image(path), Some(fault)) => {
            change(&path, |drive| drive.inject(fault).map_err(input))?;
        }
        (Target::AtWork(control), None) => {
            let is_back = options.fault == Fault::Return;
            let url = if is_back { "/return" } else { "/vanish" };
            ask(&control, Asked::Post(url, ""))?;
        }
        (Target::Image(path), None) => return Err(nobody_serves(&path)),
    }
    screen::print(&options.fault.done())
}
