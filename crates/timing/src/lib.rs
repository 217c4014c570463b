//! Dies, channels and serial servers: an agenda that prices NAND operations.
//!
//! The scheduler knows dies, channels and fences; it knows neither logical addresses nor data.

mod agenda;
mod energy;
mod policy;
mod scheduler;
mod server;

pub use energy::{Activity, Energy, NandActivity, PowerModel};
pub use policy::{DieOrder, Scheduling, Suspend};
pub use scheduler::{NandTiming, Scheduler};
pub use server::Server;
