//! The control socket: what NBD has no words for, as HTTP over a Unix socket.
//!
//! | | |
//! |---|---|
//! | `GET /statistics` | a [`Report`] as JSON |
//! | `GET /metrics` | the same for Prometheus |
//! | `POST /erase` | `{"all": true}`: ATA SECURITY ERASE UNIT |
//! | `POST /trim` | a [`Scope`]: `{"offset_bytes": …, "bytes": …}`, or `{"all": true}` |
//! | `POST /fault` | a [`FlashFault`](ftlab_image::FlashFault): something goes wrong in the flash |
//! | `POST /fault-rule` | a [`Rule`](crate::faults::Rule): something goes wrong with requests from now on |
//! | `GET /faults`, `POST /fault-clear` | what does, and what came of it; `{"number": …}` ends one, `{}` all |
//! | `POST /power-cut` | a [`PowerCutRequest`]: what is not flushed may be lost |
//! | `POST /vanish`, `/return` | the drive leaves its bus, and comes back |
//! | `POST /mark` | `{"text": …}`: somebody says how far he has come, for a crash log |
//! | `POST /reset` | a [`Reset`]: back to the base of its image, or to `{"to": …}`, a snapshot |
//! | `POST /snapshot`, `GET /snapshots` | a [`NewSnapshot`], and those that there are |
//! | `POST /rest` | `{"hours": …, "celsius": …}`: the drive lies without power, and its data age |
//!
//! A request is done when it came whole and well-formed, and not otherwise (`http.rs`). What fails is answered with
//! A request is done when it came whole and well-formed, and not otherwise (`http.rs`). A failure is answered
//! with a status and a line that says why. A connection takes one request, so a client costs a thread for a
//! bounded time, and the one that is waited for longest makes room for a new one (`connections.rs`).

mod actions;
mod client;
mod connections;
mod http;
mod metrics;
mod report;
mod scope;

pub use actions::{
    FaultAdded, FaultClear, Mark, NewSnapshot, PowerCutReply, PowerCutRequest, Reset, Rest, trim,
};
pub use client::{ControlError, ControlRequest, ask};
pub use connections::{Control, Limits};
pub use report::{DriveReport, Report, Requests, Times, Wear};
pub use scope::Scope;
