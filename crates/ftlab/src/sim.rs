//! A load on a drive, in virtual time or without time.
//!
//! ```
//! use ftlab::sim::{Clock, Device, JobFile, run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A drive of the catalogue, made small, and filled once in order, as a drive is that has been in use.
//! let drive = Device::named("generic-mlc-8").set("nand.blocks_per_die=64").set("spare.op=28%").state("filled");
//!
//! // A job file of fio.
//! let text = "[writer]\nrw=randwrite\nbs=4k\niodepth=8\nnumber_ios=5000";
//! let job = JobFile::parse(text, "writer")?;
//! let run = run(&job, &drive, Clock::Timed)?;
//!
//! let inside = run.inside().expect("it is a drive of flash");
//! println!("{:.0} IOPS at a write amplification of {:.2}", run.write.iops, inside.wa);
//! assert_eq!(run.write.ios, 5000);
//! # Ok(())
//! # }
//! ```
//!
//! The same drive, load and seed give the same run on every machine, and what `ftlab run` gives. A run without a clock
//! ([`Clock::Untimed`]) gives write amplification and wear in a fraction of the time. A simulator that has loads of its own
//! takes the same drive as [`device`](crate::device).

pub use ftlab_device::{Builder, Device};
pub use ftlab_play::driver::{Clock, DriverError};
pub use ftlab_result::Run;
pub use ftlab_workload::JobFile;

use ftlab_play::driver;
use ftlab_play::record::Record;
use thiserror::Error;

/// What kept a load from running.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such drive, or it cannot come to its state.
    #[error(transparent)]
    Device(#[from] ftlab_device::Error),
    /// The job does not fit the drive, or the drive loses a command.
    #[error(transparent)]
    Driver(#[from] DriverError),
}

/// Runs a job file on a drive as it is described, from its state on. A second run begins there again; one that is to go on
/// from a device's present gets the [saved state](Builder::saved_state) of that.
///
/// # Errors
/// When there is no such drive, the job does not fit it, or it loses a command.
pub fn run(job: &JobFile, drive: &Builder, clock: Clock) -> Result<Run, Error> {
    let mut parts = drive.parts()?;
    let report = driver::run(job, &mut parts.drive, clock, parts.seed)?;
    Ok(Record::of_jobs(job, &report).run)
}
