//! Commands for drives that hold data: images, servers, and tools for both. They need Unix, so the program has them behind
//! its feature `attach`.
//!
//! The lab, which runs loads on drives and reports about them, is the other half of the command line. The two use the
//! same crates below them and know nothing of each other.

mod crash;
mod image;
mod serve;
mod tools;

use clap::Subcommand;
use ftlab_console::failure::Outcome;
use ftlab_console::screen;
use ftlab_drive::Catalog;
use ftlab_image::CutReport;

/// A command of the disk. There is one for each time the program is called.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the drive of an image and its history
    Info(image::Options),
    /// Check an image for damage
    ///
    /// Nothing in it changes, unless --accept or --rebuild is given. Exit code 1 when something is damaged.
    Fsck(image::FsckOptions),
    /// Pack an image of a drive into one dense file
    Pack(image::PackOptions),
    /// Make an image of a packed one
    Unpack(image::UnpackOptions),
    /// Attach a drive as a block device that keeps its data
    Serve(serve::Options),
    /// Check the states that a power cut could leave
    Crash(crash::Options),
    /// Note in a crash log how far a program has come
    Mark(tools::MarkOptions),
    /// End a server in the background
    Stop(serve::StopOptions),
    /// Show a drive's SMART attributes, as smartctl does
    Smart(tools::SmartOptions),
    /// Watch an attached drive at work
    Top(tools::TopOptions),
    /// Erase a whole drive (ATA SECURITY ERASE UNIT)
    Erase(tools::EraseOptions),
    /// Discard data of an attached drive (TRIM)
    Trim(tools::TrimOptions),
    /// Inject a fault into a drive
    Fault(tools::FaultOptions),
    /// Return a drive to its base, or to a snapshot
    Reset(tools::ResetOptions),
    /// Save a drive as it is now
    Snapshot(tools::SnapshotOptions),
    /// Change the capacity that the host sees (ATA SET MAX)
    SetMax(tools::SetMaxOptions),
    /// Give a drive new firmware and keep its data
    Firmware(tools::FirmwareOptions),
}

/// Does what a command asks, with drives that know the policies of the catalogue; `version` is that of the program, for
/// what it writes.
///
/// # Errors
/// Wrong input, or what failed on the way.
pub fn command(command: &Command, catalog: &Catalog, version: &str) -> Outcome {
    match command {
        Command::Info(args) => image::info(args, catalog),
        Command::Fsck(args) => image::fsck(args, catalog),
        Command::Pack(args) => image::pack(args, catalog),
        Command::Unpack(args) => image::unpack(args),
        Command::Serve(args) => serve::command(args, catalog, version),
        Command::Crash(args) => crash::command(args),
        Command::Mark(args) => tools::mark(args),
        Command::Stop(args) => serve::stop(args),
        Command::Smart(args) => tools::smart(args, catalog),
        Command::Top(args) => tools::top(args),
        Command::Erase(args) => tools::erase(args, catalog),
        Command::Trim(args) => tools::trim(args, catalog),
        Command::Fault(args) => tools::fault(args, catalog),
        Command::Reset(args) => tools::reset(args, catalog),
        Command::Snapshot(args) => tools::snapshot(args, catalog),
        Command::SetMax(args) => tools::set_max(args, catalog),
        Command::Firmware(args) => tools::firmware(args, catalog),
    }
}

/// A ratio of what was written: of nothing there is none.
fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.2}"))
}

/// Describes the losses of a power cut from a volatile write buffer.
fn power_cut(cut: &CutReport) -> String {
    let CutReport {
        seed,
        slots,
        new,
        old,
        torn,
    } = cut;
    format!(
        "{old} of {slots} slots in its volatile write buffer lost, {torn} torn, {new} kept (seed {seed})"
    )
}

/// Describes the length of a sparse file, and the space that it takes.
fn sparse_file(long_bytes: u64, taken_bytes: u64) -> String {
    format!(
        "{} long with its holes, {} taken; copy it with cp --sparse=always",
        screen::capacity(long_bytes),
        screen::capacity(taken_bytes)
    )
}
