//! ftlab: a software SSD and the bench to review it.
//!
//! The program `ftlab` is [`main_with_policies`] without policies. Your own program with your own victim policies is
//! that function with them, and has every command of `ftlab`; [`policy`] has what they are written with. A program
//! that runs loads on drives itself takes what it needs of [`sim`]; a simulator that wants a drive, of [`device`].
//!
//! These four are the Rust interface of ftlab, and keep to Semantic Versioning. The crates `ftlab-…`, which they are
//! made of, are internal: what is in them may change in any release.
//!
//! The feature `attach`, which is on by default, is all that needs Unix: `ftlab serve`, the commands for images and
//! attached drives, and `ftlab measure`.

mod apart;
mod calibrate;
mod card;
mod claims;
mod cli;
mod compare;
mod completions;
mod drives;
mod endurance;
mod fio_words;
mod fit;
mod import;
mod list_tests;
mod loads;
mod man;
#[cfg(feature = "attach")]
mod measure;
mod options;
mod plan;
mod predict;
mod provenance;
mod pts;
mod report;
mod results;
mod review;
mod run;
mod session;
mod show;
mod shrink;
mod shuffle;
mod suite;
mod sweep;
mod trace;
mod variants;
mod verdicts;
mod words;

pub mod sim;

/// A drive inside somebody else's simulator: the crate `ftlab-device`.
pub mod device {
    pub use ftlab_device::{
        Builder, Command, Completion, Counters, Device, Error, FlashFault, Lost, Operation,
        Outcome, PowerCut, Split, policy, smart,
    };
}

use clap::FromArgMatches;
use cli::{Cli, Command};
use failure::Failure;
use ftlab_console::{failure, files, health, memory, own, progress, screen};
use ftlab_drive::{Catalog, OwnPolicies};
use std::process::ExitCode;

/// Types and traits that a victim policy is written with.
pub mod policy {
    pub use ftlab_base::SuperblockId;
    pub use ftlab_base::rng::Stream;
    pub use ftlab_drive::{OwnPolicies, OwnVictim as Policy, PolicyNameError};
    pub use ftlab_ftl::page::{Candidate, NOT_A_CANDIDATE, VictimPolicy, VictimView};
}

/// The whole program: does what the process's arguments ask, with drives that know `policies` as values
/// of `gc.policy` beside those of ftlab, and returns the exit code. A policy whose name is taken
/// or cannot be one is wrong input.
///
/// A panic ends the process at once (SIGABRT), also one of a thread: a server that lost a thread would
/// keep its clients waiting.
#[must_use]
pub fn main_with_policies(policies: &'static [policy::Policy]) -> ExitCode {
    ExitCode::from(run_with(policies))
}

/// The whole program within another one, which the package for Python is: does what `call` asks, and returns the exit
/// code. The process is the program's from then on: it may end within, and at a panic does.
///
/// Internal: it is no part of the Rust interface.
#[doc(hidden)]
#[must_use]
pub fn main_called(call: own::Call) -> u8 {
    own::called(call);
    run_with(&[])
}

fn run_with(policies: &'static [policy::Policy]) -> u8 {
    // A panic of one thread ends the program: the others would wait for its work.
    let say = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        say(panic);
        std::process::abort();
    }));
    let catalog = match OwnPolicies::of(policies) {
        Ok(own) => Catalog::with(own),
        Err(why) => return failure::exit_code(Err(Failure::Input(why.to_string()))),
    };
    let cli = cli::command();
    let arguments = words::alike(&cli, own::words());
    let matches = cli.get_matches_from(fio_words::arranged(arguments));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Err(why) = apart::check(&cli::command(), &matches) {
        return failure::exit_code(Err(why));
    }
    let outcome = match cli.command {
        Command::Drives(options) => drives::command(&options),
        Command::Tests(args) => list_tests::command(&args),
        Command::Show(args) => show::command(&args, &catalog),
        Command::Run(args) | Command::Fio(args) => run::command(&args, &catalog),
        Command::Import(args) => import::command(&args),
        Command::Card(args) => card::command(&args, &catalog),
        Command::Calibrate(args) => calibrate::command(&args, &catalog),
        Command::Fit(args) => fit::command(&args, &catalog),
        Command::Predict(args) => predict::command(&args, &catalog),
        Command::Trace(args) => trace::command(&args),
        Command::Plan(args) => plan::command(&args, &catalog),
        Command::Endurance(args) => endurance::command(&args, &catalog),
        Command::Review(args) => review::command(&args, &catalog),
        Command::Pts(args) => pts::command(&args, &catalog),
        #[cfg(feature = "attach")]
        Command::Measure(args) => measure::command(&args),
        Command::Report(args) => report::command(&args),
        Command::Compare(args) => compare::command(&args, &catalog),
        Command::Sweep(args) => sweep::command(&args, &catalog),
        Command::Claims(args) => claims::command(&args, &catalog),
        #[cfg(feature = "attach")]
        Command::Disk(command) => ftlab_disk::command(&command, &catalog, provenance::version()),
        Command::Completions(args) => completions::command(&args, &catalog),
        Command::Man(args) => man::command(&args),
    };
    failure::exit_code(outcome)
}
