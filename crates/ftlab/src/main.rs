//! ftlab: a software SSD and the bench to review it.

mod accuracy;
mod claims;
mod cli;
mod compare;
mod drives;
mod endurance;
mod failure;
mod files;
mod health;
mod image;
mod memory;
mod paper;
mod progress;
mod provenance;
mod pts;
mod report;
mod results;
mod review;
mod run;
mod screen;
mod serve;
mod show;
mod tests;
mod theory;
mod tools;

use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Drives => drives::command(),
        Command::Tests(args) => tests::command(&args),
        Command::Show(args) => show::command(&args),
        Command::Run(args) => run::command(&args),
        Command::Info(args) => image::info(&args),
        Command::Fsck(args) => image::fsck(&args),
        Command::Endurance(args) => endurance::command(&args),
        Command::Review(args) => review::command(&args),
        Command::Pts(args) => pts::command(&args),
        Command::Report(args) => report::command(&args),
        Command::Compare(args) => compare::command(&args),
        Command::Accuracy(args) => accuracy::command(&args),
        Command::Theory(args) => theory::command(&args),
        Command::Claims(args) => claims::command(&args),
        Command::Serve(args) => serve::command(&args),
        Command::Stop(args) => serve::stop(&args),
        Command::Smart(args) => tools::smart(&args),
        Command::Top(args) => tools::top(&args),
        Command::Erase(args) => tools::erase(&args),
        Command::Trim(args) => tools::trim(&args),
        Command::Fault(args) => tools::fault(&args),
        Command::Firmware(args) => tools::firmware(&args),
        Command::SetMax(args) => tools::set_max(&args),
    };
    failure::exit(outcome)
}
