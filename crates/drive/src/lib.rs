//! A whole drive: queue, link, write buffer, translation layer and timing; the hard disk; the
//! drive-file schema.

pub mod codec;
pub mod device;
pub mod disk;
pub mod file;
mod flashless;
pub mod health;
pub mod host;
pub mod host_queue;
pub mod magic;
mod model_version;
mod ram;
pub mod saved;
pub mod smart;
pub mod ssd;

pub use device::{CacheRefused, Counters, Device, EraseRefused};
pub use file::{
    Catalog, DriveError, DriveFile, Extent, FileSystemPlaces, Kind, OperatingSystem, ParameterRow,
    Processor, Scale, Testbed,
};
pub use flashless::{Flashless, Medium};
pub use ftlab_timing::Energy;
pub use health::Health;
pub use host::{Host, Port};
pub use model_version::{MODEL_VERSION, version};
pub use ram::{Ram, RamParams};
