//! Dies, channels and serial servers: an agenda that prices NAND operations.
//!
//! The scheduler knows dies, channels and fences; it knows neither logical addresses nor data.

mod agenda;
mod policy;
mod scheduler;
mod server;

pub use policy::{DieOrder, Scheduling, Suspend};
pub use scheduler::{NandTiming, Scheduler};
pub use server::Server;
