//! `ftlab trace`: recorded traces, looked into and converted; and the options of their replay.

mod convert;
mod info;
mod options;
mod page;

use crate::failure::Outcome;
use clap::Subcommand;
pub use options::{ReplayOptions, tell_of_trace};

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what is in a trace: requests, sizes, footprint, overwrites, skew, idle times, reuse distances
    Info(info::Options),
    /// Write a trace in another format, and say what that cannot carry
    Convert(convert::Options),
}

pub fn command(command: &Command) -> Outcome {
    match command {
        Command::Info(options) => info::command(options),
        Command::Convert(options) => convert::command(options),
    }
}
