//! A drive inside somebody else's simulator.
//!
//! The caller owns the clock: it submits commands at the present, asks when something happens next, and moves the clock
//! there or to its own next event, whichever comes first. Nothing here starts a thread, reads a wall clock or a file, or
//! keeps anything global, and the same calls give the same answers to the byte on every machine.
//!
//! ```
//! use ftlab_device::{Command, Device};
//!
//! # fn main() -> Result<(), ftlab_device::Error> {
//! let mut drive = Device::named("samsung-980-pro-1000").shrink_to(3 << 30).state("filled").build()?;
//! let mut done = Vec::new();
//! for id in 0..8 {
//!     drive.submit(Command::read(id, id * 4096, 4096), 0)?;
//! }
//! while let Some(at_ns) = drive.next_event() {
//!     drive.advance(at_ns, &mut done);
//! }
//! assert_eq!(done.len(), 8);
//! assert!(done.iter().all(|end| end.is_good() && end.at_ns < 1_000_000));
//! # Ok(())
//! # }
//! ```
//!
//! - A drive of the catalogue or of a drive file's text, with settings, in a [state](Builder::state), on a
//!   [testbed](Builder::testbed): [`Builder`].
//! - Time is in nanoseconds since the drive was switched on first, positions and lengths in bytes.
//! - With [`Builder::keep_data`] it carries bytes; without, it is a clock alone.
//! - [`Device::power_cut`] takes the power at any instant: what no flush covered may be lost, by a seed, and the drive is
//!   switched on again with what it has left. Images of attached drives have the same rules.
//! - [`Builder::fault`] and [`Device::begin_fault`] have something go wrong with requests: an error, a flush or a write that is
//!   answered and not done, a write that lands elsewhere, a flipped bit, a stall. Drive files have the same in
//!   `[[faults.script]]`, and attached drives obey the same rules. A command that a fault answers never comes to the drive, so
//!   nothing of its data is stored. The bit that is flipped of a read is in the data that [`Device::receive`] gives of that
//!   read, and nowhere else.
//! - [`Clone`] forks a device at work, with all that is outstanding. It copies the tables once
//!   ([`Device::table_bytes`], eight to ten bytes for each slot of 4 KiB); of kept data it copies nothing until one of
//!   the two writes.

mod builder;
mod command;
mod counters;
mod device;
mod error;
mod faults;
mod flat;
mod health;
mod power;
mod slots;
mod store;

pub use builder::Builder;
#[doc(hidden)]
pub use builder::Parts;
pub use command::{BitFlip, Command, Completion, Operation, Outcome, Split};
pub use counters::Counters;
pub use device::Device;
pub use error::Error;
pub use faults::RequestFault;
pub use ftlab_drive::FlashFault;
pub use power::{Lost, PowerCut};

/// Health as a drive reports it.
pub mod smart {
    pub use ftlab_smart::{NvmeExtended, NvmeHealth, NvmeLogs, SmartAttribute};
}

/// Policies of your own, which a builder is given: no other device knows them.
pub mod policy {
    pub use ftlab_base::SuperblockId;
    pub use ftlab_base::rng::Stream;
    pub use ftlab_drive::{OwnPolicies, OwnVictim as Policy, PolicyNameError};
    pub use ftlab_ftl::page::{Candidate, VictimPolicy, VictimView};
}
