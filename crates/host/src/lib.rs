//! The host's side of the cable.
//!
//! Every drive, whatever it is built of, has the same front end ([`FrontEnd`]): what waits for the drive in the
//! host's order ([`queue`]), then the CPU time of a command. Data cross a [`Link`] as fast as port and drive
//! allow; a RAM disk has none. A [`Testbed`] says what all of these are on a test machine, how fast it computes
//! ([`Processor`]), and how its operating system writes back ([`OperatingSystem`]).
//!
//! Nothing here knows what a drive does with a command.

mod front_end;
mod limit;
mod link;
mod port;
mod processor;
pub mod queue;
mod system;
mod testbed;

pub use front_end::{FrontEnd, Sent};
pub use limit::{Bucket, Limit};
pub use link::Link;
pub use port::{Host, Port};
pub use processor::Processor;
pub use queue::HostOrder;
pub use system::{FileSystemPlaces, OperatingSystem};
pub use testbed::Testbed;
