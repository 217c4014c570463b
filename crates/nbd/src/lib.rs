//! Network block devices: the NBD protocol, a server, and answers that leave on time.
//!
//! [`protocol`] is the protocol as functions over bytes. [`server`] gives what implements [`Export`]
//! to clients over sockets, each client on threads of its own. [`pacing`] lets answers leave at given
//! instants of the wall clock. [`memory`] is an export that keeps its data in memory.
//!
//! What lies behind an export is nothing to this crate: it has sockets, threads that wait and the wall clock, and no drive.
//!
//! # The path of a request
//!
//! The engine of `crates/attach` is what implements `Export`; memory does, too, in tests and in the benchmark.
//!
//! ```text
//! accept_all              nbd/src/server/mod.rs         a client: a thread that reads, and one that sleeps
//!   negotiate             server/connection.rs          within a time limit
//!     Handshake::advance  protocol/handshake.rs         bytes in, bytes out, no socket
//!     Socket::start_tls   server/socket.rs              if it is required, before anything else; still within that limit
//!       Session::receive, send_some  server/session.rs  from then on between socket and bytes: a lock nobody waits with
//!   Requests::read_all    server/connection.rs          all requests that have arrived, with one call
//!     RequestHeader::check  protocol/request.rs         flags, blocks, bounds, read-only: decided here, once
//!     Outbox::admit       server/outbox.rs              at most N requests and bytes in flight, or the reader waits
//!       Budget::borrow    server/budget.rs              what a connection needs beyond its own memory, from what all share
//!     Export::submit      server/export.rs              takes the Request; dropped unanswered, it is an input/output error
//!       Pacer::schedule   pacing/pacer.rs               for later: a heap of instants
//!         Waiter::wait    pacing/waiter.rs              sleeps until shortly before, and spins
//! Request::complete       server/request.rs             from any thread, in any order
//!   Outbox::push          server/outbox.rs              sent by whoever completes; held back only by the reader, until it
//!                                                       has seen what is there; a full socket is left to the second thread
//! ```
//!
//! # Invariants
//!
//! - **A client costs its own connection at most.** `protocol` is total: any bytes are answered,
//!   refused or waited for, and what is waited for is bounded (`crates/nbd/tests/protocol.rs`, the fuzz target `nbd_client`).
//!   Time to negotiate, requests in flight, their bytes and connections are bounded (`Limits`), and so are the bytes of all
//!   connections together: a request is neither read nor executed before there is memory for its data and its answer. A
//!   client that lets memory lie that others wait for is hung up on; a small request waits for nobody's memory. Nobody who answers waits for a
//!   client: `Request::complete` sends what the socket takes. `crates/nbd/tests/server/hostile.rs` has the clients that try,
//!   `memory.rs` those that try to hold memory, and `tls/hostile.rs` those that try within TLS.
//! - **A socket is removed by its owner.** `UnixSocket` (`crates/nbd/src/server/unix_socket.rs`) removes what it bound and
//!   nothing else, and takes a path over only if nobody listens there; a lock on the folder keeps others from doing the same in between.
//! - **Other machines need a certificate.** A server is reached by Unix sockets and loopback
//!   addresses alone, unless clients must show a certificate (`Listen::Tls`) or the user said that everybody may read and
//!   write (`disk/src/serve/listen.rs`). Where TLS is required, an option in the open is refused whatever it is, so nothing said
//!   there holds within (decision 0013).

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
