//! Network block devices: the NBD protocol, a server, and answers that leave on time.
//!
//! [`protocol`] is the protocol as functions over bytes. [`server`] gives what implements [`Export`]
//! to clients over sockets, each client on threads of its own. [`pacing`] lets answers leave at given
//! instants of the wall clock. [`memory`] is an export that keeps its data in memory.
//!
//! This is the only crate with sockets, threads that wait, and the wall clock.

pub mod memory;
pub mod pacing;
pub mod protocol;
pub mod server;

pub use memory::MemoryExport;
pub use protocol::{BlockSizes, Command, Extent, NbdError};
pub use server::{
    Completions, CredentialsError, Export, Extents, Features, Limits, Listen, NamedExport, Request,
    Server, ServerError, TlsCredentials, UnixSocket,
};
