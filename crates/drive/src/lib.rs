//! A whole drive: queue, link, write buffer, translation layer and timing; the hard disk; the
//! drive-file schema.

pub mod device;
pub mod disk;
mod disk_device;
pub mod file;
pub mod health;
pub mod host;
pub mod host_queue;
pub mod saved;
pub mod smart;
pub mod ssd;

pub use device::{Counters, Device, EraseRefused};
pub use disk_device::DiskDevice;
pub use file::{
    Catalog, DriveError, DriveFile, Extent, FileSystemPlaces, Kind, OperatingSystem, ParameterRow,
    Scale, Testbed,
};
pub use ftlab_timing::Energy;
pub use health::Health;
pub use host::{Host, Port};
