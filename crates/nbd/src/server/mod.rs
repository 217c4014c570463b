//! A server: exports, the sockets they are reached through, and the threads between.
//!
//! A connection has one thread that reads. It takes all requests that have arrived with one call, hands
//! each to the [`Export`], and sends all answers that are there by then with one call: a client with a
//! queue depth of 1 costs two system calls a request and one wake-up, and a deep queue less. An answer
//! that comes later is sent by the thread that completes the request, so no third thread is woken
//! between the instant when an answer is due and the client. A client that does not read its answers
//! is left to a second thread of its connection, which sleeps otherwise; so nobody waits for a client
//! but its own threads. Threads rather than an event loop: clients are few, and a thread that blocks
//! in `recv` is woken with less work than one that first asks `epoll` whose turn it is.
//!
//! Bytes go through a lock only if they are encrypted, since TLS has one state for both directions.
//!
//! What a client can hold is bounded: time to negotiate, requests and bytes in flight, connections. What all of
//! them hold together is bounded, too.

mod admission;
mod budget;
mod connection;
mod credentials;
mod export;
mod inbox;
mod limits;
mod listen;
mod outbox;
mod request;
mod session;
mod socket;
mod stream;
mod unix_socket;

pub use connection::ConnectionError;
pub use credentials::{CredentialsError, TlsCredentials};
pub use export::{Export, Extents, Features, NamedExport};
pub use limits::Limits;
pub use listen::{Listen, ServerError};
pub use request::{Completions, Request};
pub use unix_socket::UnixSocket;

use crate::protocol::constants::NBD_MAX_STRING;
use admission::{Admission, Role};
use budget::Budget;
use connection::ServerContext;
use listen::Listener;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use socket::Socket;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Event of a client, reported with the connection's number.
#[derive(Debug)]
pub enum Event {
    /// A client is there.
    Connected,
    /// A client was hung up on: there are as many as may be.
    TooMany,
    /// A connection has ended, by the client's good-bye or otherwise.
    Ended(Result<(), ConnectionError>),
}

struct Shared {
    context: ServerContext,
    /// Written to when the server shall stop.
    stop: OwnedFd,
    log: Box<dyn Fn(u64, Event) + Send + Sync>,
}

/// A server that runs. It stops when it is dropped.
pub struct Server {
    shared: Arc<Shared>,
    listen: Listen,
    acceptor: Option<JoinHandle<()>>,
}

/// Stops a server, or ends its connections, from any thread.
#[derive(Clone)]
pub struct StopHandle(Arc<Shared>);

impl StopHandle {
    /// Ends the connection of every client of an export, by its number, without a word, as a machine does that loses
    /// its power. Others may connect.
    pub fn hang_up(&self, export: usize) {
        self.0.context.admission.hang_up(export);
    }

    /// Has the server stop; returns at once.
    pub fn stop(&self) {
        self.0.context.stopping.store(true, Ordering::Relaxed);
        self.0.context.admission.stop();
        // Fails only when as many stops wait as a number can count.
        let _ = rustix::io::write(&self.0.stop, &1u64.to_ne_bytes());
    }
}

impl Server {
    /// Listens, and serves every client that comes. `log` hears of them.
    ///
    /// # Errors
    /// When it cannot listen there, or an export cannot be described.
    pub fn start(
        listen: &Listen,
        exports: Vec<NamedExport>,
        limits: Limits,
        log: impl Fn(u64, Event) + Send + Sync + 'static,
    ) -> Result<Server, ServerError> {
        exports.iter().try_for_each(check)?;
        let (listener, listen) = Listener::bind(listen)?;
        let tls = match &listen {
            Listen::Tls(_, credentials) => Some(credentials.clone()),
            _ => None,
        };
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
        let shared = Arc::new(Shared {
            context: ServerContext {
                // Exports are described once, so that every client is told the same.
                infos: exports.iter().map(NamedExport::info).collect(),
                exports,
                tls,
                budget: Arc::new(Budget::new(limits.shared_bytes_max)),
                limits,
                admission: Admission::new(limits),
                stopping: AtomicBool::new(false),
            },
            stop: stop.map_err(|error| ServerError::Start(error.into()))?,
            log: Box::new(log),
        });
        let acceptor = thread::Builder::new().name("nbd-accept".into()).spawn({
            let shared = Arc::clone(&shared);
            move || accept_all(&shared, &listener)
        });
        Ok(Server {
            shared,
            listen,
            acceptor: Some(acceptor.map_err(ServerError::Start)?),
        })
    }

    /// Address that it listens on, with the port that it got.
    #[must_use]
    pub fn listen(&self) -> &Listen {
        &self.listen
    }

    /// Handle that stops the server.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.shared))
    }

    /// Waits until somebody stops it and every connection has ended.
    pub fn wait(mut self) {
        self.join();
    }

    fn join(&mut self) {
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
            self.shared.context.admission.drain();
        }
    }
}

impl Drop for Server {
    /// Stops: takes no more clients, answers what is in flight, and ends.
    fn drop(&mut self) {
        self.stop_handle().stop();
        self.join();
    }
}

fn check(export: &NamedExport) -> Result<(), ServerError> {
    let sizes = export.export.block_sizes();
    let size_bytes = export.export.size_bytes();
    let what = if !sizes.are_lawful() {
        format!("{sizes:?} are not block sizes that the protocol allows")
    } else if size_bytes == 0 || !size_bytes.is_multiple_of(u64::from(sizes.minimum_bytes)) {
        format!(
            "{size_bytes} bytes are not a number of blocks of {} bytes",
            sizes.minimum_bytes
        )
    } else if export.name.len() > NBD_MAX_STRING
        || export.export.description().len() > NBD_MAX_STRING
    {
        format!("its name or description has more than {NBD_MAX_STRING} bytes")
    } else {
        return Ok(());
    };
    Err(ServerError::Export {
        name: export.name.clone(),
        what,
    })
}

fn accept_all(shared: &Arc<Shared>, listener: &Listener) {
    for number in 1.. {
        let mut fds = [
            PollFd::new(&shared.stop, PollFlags::IN),
            PollFd::from_borrowed_fd(listener.as_fd(), PollFlags::IN),
        ];
        let _ = poll(&mut fds, None);
        if shared.context.stopping.load(Ordering::Relaxed) {
            return;
        }
        match listener.accept() {
            Ok(socket) => connect(shared, number, socket),
            Err(ConnectionError::Socket(error)) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => {
                // The client is gone already, or there are no more files; these take a while to come
                // free, and the client waits for it.
                let pause = Timespec {
                    tv_sec: 0,
                    tv_nsec: 50_000_000,
                };
                let _ = poll(&mut fds[..1], Some(&pause));
            }
        }
    }
}

fn connect(shared: &Arc<Shared>, number: u64, socket: Socket) {
    let socket = Arc::new(socket);
    let role = match shared.context.tls {
        Some(_) => Role::Unauthenticated,
        None => Role::Client,
    };
    if !shared.context.admission.enter(number, role, &socket) {
        (shared.log)(number, Event::TooMany);
        return;
    }
    (shared.log)(number, Event::Connected);
    let live = Live {
        shared: Arc::clone(shared),
        number,
    };
    // If there is no thread for it, the client sees its connection closed.
    let _ = thread::Builder::new()
        .name(format!("nbd-{number}"))
        .spawn(move || {
            let mut result = connection::serve(number, &socket, &live.shared.context);
            socket.hang_up();
            // Whoever hears of the end finds the place free.
            if live.shared.context.admission.leave(number) {
                result = Err(ConnectionError::GaveWay);
            }
            (live.shared.log)(number, Event::Ended(result));
        });
}

/// A connection that is counted until this is dropped, also by a panic.
struct Live {
    shared: Arc<Shared>,
    number: u64,
}

impl Drop for Live {
    fn drop(&mut self) {
        self.shared.context.admission.told(self.number);
    }
}
