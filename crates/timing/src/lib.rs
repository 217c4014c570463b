//! Dies, channels and serial servers: an agenda that prices NAND operations.
//!
//! The scheduler knows dies, channels and fences; it knows neither logical addresses nor data.

mod agenda;
mod scheduler;
mod server;

pub use scheduler::{NandTiming, Scheduler};
pub use server::Server;
