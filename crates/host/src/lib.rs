//! The host's side of the cable.
//!
//! Every drive, whatever it is built of, has the same front end ([`FrontEnd`]): what waits for the drive in the
//! host's order ([`queue`]), then the CPU time of a command; what is larger than the drive takes is split before. Data cross a
//! [`Link`] as fast as port or slot and drive allow, both ways at once on lanes of PCI Express; a RAM disk has none. A [`Testbed`] says what all of these are on a test machine, what a request takes of its cores ([`Path`]), how fast it computes
//! ([`Processor`]), and how its operating system writes back ([`OperatingSystem`]).
//!
//! Nothing here knows what a drive does with a command.

mod front_end;
mod host_keys;
mod limit;
mod link;
mod parts;
mod path;
mod pcie;
mod port;
mod processor;
pub mod queue;
mod system;
mod testbed;
mod turns;

pub use front_end::{FrontEnd, Sent};
pub use limit::{Bucket, Limit};
pub use link::{End, Link};
pub use path::{Coalescing, Cores, Path, Sees};
pub use pcie::{Pcie, PcieEnd};
pub use port::{Host, Port};
pub use processor::Processor;
pub use queue::HostOrder;
pub use system::{FileSystemPlaces, OperatingSystem, PageCache};
pub use testbed::Testbed;
pub use turns::{Arbitration, Weights};
