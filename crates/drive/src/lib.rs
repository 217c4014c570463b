//! A whole drive: queue, link, write buffer, translation layer and timing; the hard disk; the
//! drive-file schema.

pub mod device;
pub mod disk;
mod disk_device;
pub mod file;
pub mod health;
pub mod host_queue;
pub mod saved;
pub mod smart;
pub mod ssd;

pub use device::{Counters, Device};
pub use disk_device::DiskDevice;
pub use file::{Catalog, DriveError, DriveFile, Extent, Kind, ParameterRow, Scale, Testbed};
pub use health::Health;
