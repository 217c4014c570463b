//! The host's side of the cable.
//!
//! Every drive, whatever it is built of, has the same front end ([`FrontEnd`]). It splits commands that are larger than the
//! drive takes, keeps them in the host's order ([`queue`]), and spends the CPU time of each. Data cross a [`Link`] as fast as
//! port or slot and drive allow, both ways at once on lanes of PCI Express; a RAM disk has none.
//!
//! A [`Testbed`] describes a test machine: all of the above, the cost of a request on its cores ([`Path`]), its speed
//! ([`Processor`]), and the write-back of its operating system ([`OperatingSystem`]).
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
