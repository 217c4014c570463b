//! Dies, channels and serial servers: an event heap that prices NAND operations.
//!
//! The scheduler knows dies, channels and fences; it knows neither logical addresses nor data.

mod scheduler;
mod server;

pub use scheduler::{NandTiming, Scheduler};
pub use server::Server;
