//! A load on a drive, in virtual time or without time.
//!
//! ```
//! use ftlab::sim::{Catalog, Clock, JobFile, Record, RootSeed, State, Testbed, prepare, run};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A drive of the catalogue, made small; a path to a drive file would do as well.
//! let settings = ["nand.blocks_per_die=64".to_owned(), "spare.op=28%".to_owned()];
//! let file = Catalog::load("generic-mlc-8", &settings)?;
//! let testbed = Testbed::load("anandtech-2008")?;
//! let seed = RootSeed(1);
//! let mut drive = file.build(&testbed, seed)?;
//!
//! // Filled once in order, as a drive is that has been in use.
//! prepare(&mut *drive, State::New, State::Filled, seed)?;
//!
//! // A job file of fio.
//! let text = "[writer]\nrw=randwrite\nbs=4k\niodepth=8\nnumber_ios=5000";
//! let job = JobFile::parse(text, "writer")?;
//! let report = run(&job, &mut *drive, Clock::Timed, seed)?;
//!
//! let run = Record::of_jobs(&job, &report).run;
//! let inside = run.inside().expect("it is a drive of flash");
//! println!("{:.0} IOPS at a write amplification of {:.2}", run.write.iops, inside.wa);
//! assert_eq!(run.write.ios, 5000);
//! # Ok(())
//! # }
//! ```
//!
//! The same drive, load and seed give the same run on every machine. A run without a clock ([`Clock::Untimed`]) gives
//! write amplification and wear in a fraction of the time.

pub use ftlab_base::RootSeed;
pub use ftlab_drive::{Catalog, Device, DriveFile};
pub use ftlab_host::Testbed;
pub use ftlab_play::driver::{Clock, RunReport, run};
pub use ftlab_play::record::Record;
pub use ftlab_result::Run;
pub use ftlab_states::State;
pub use ftlab_states::prepare;
pub use ftlab_workload::JobFile;
