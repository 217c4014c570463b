//! Connections of the control socket: a thread each, and never more of them than a limit.
//!
//! A client that is waited for costs others nothing but its place, and the one that was waited for longest gives its
//! place to the next that comes. So whoever sends a request at once is heard, however many others have connected
//! and say nothing.

use super::actions;
use super::http::{self, Answer, RequestError};
use crate::engine::Engine;
use ftlab_nbd::UnixSocket;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use std::collections::BTreeMap;
use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Permissions of the socket: it is its owner's alone.
const MODE: u32 = 0o600;

/// Pause after an accept that failed for lack of file descriptors, which take a while to be freed.
const PAUSE: Duration = Duration::from_millis(50);

/// Limits on clients of a control socket.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time within which a request must arrive whole.
    pub request: Duration,
    /// Time within which the client must take its answer.
    pub answer: Duration,
    /// Connections at once; each has a thread.
    pub connections_max: usize,
    /// Actions at once that change the drive; one more is refused, and may be tried again.
    pub actions_max: usize,
    /// Time that clients have to take their answers when the server stops.
    pub drain: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            request: Duration::from_secs(5),
            answer: Duration::from_secs(5),
            connections_max: 32,
            actions_max: 8,
            drain: Duration::from_millis(500),
        }
    }
}

/// Progress of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The client sends its request.
    Asks,
    /// The engine is asked for something to tell.
    Looks,
    /// The engine changes the drive.
    Changes,
    /// The client is sent the answer.
    IsTold,
}

struct Connection {
    stream: Arc<UnixStream>,
    phase: Phase,
}

impl Connection {
    /// Waits no longer for the client: a request that is here already is still answered.
    fn hurry(&self) {
        // Fails only if the client is gone.
        let _ = match self.phase {
            Phase::Asks => self.stream.shutdown(Shutdown::Read),
            Phase::Looks | Phase::Changes => Ok(()),
            Phase::IsTold => self.stream.shutdown(Shutdown::Both),
        };
    }
}

/// By number, so the first is the oldest.
type Connections = BTreeMap<u64, Connection>;

struct Shared {
    engine: Arc<Engine>,
    read_only: bool,
    limits: Limits,
    connections: Mutex<Connections>,
    /// A connection has ended, or come further.
    changed: Condvar,
}

/// A control socket that is served. It ends when it is dropped.
pub struct Control {
    shared: Arc<Shared>,
    path: PathBuf,
    /// Written to when no more clients shall be accepted.
    stop: Arc<OwnedFd>,
    acceptor: Option<JoinHandle<()>>,
}

impl Control {
    /// Serves what there is to know of an engine, to its owner alone. Nothing changes a drive that is
    /// read-only.
    ///
    /// # Errors
    /// When there can be no socket.
    pub fn start(
        engine: Arc<Engine>,
        path: &Path,
        read_only: bool,
        limits: Limits,
    ) -> io::Result<Control> {
        let socket = UnixSocket::bind(path, MODE)?;
        socket.listener().set_nonblocking(true)?;
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let stop = Arc::new(stop);
        let shared = Arc::new(Shared {
            engine,
            read_only,
            limits,
            connections: Mutex::default(),
            changed: Condvar::new(),
        });
        let acceptor = thread::Builder::new().name("control".into()).spawn({
            let (shared, stop) = (Arc::clone(&shared), Arc::clone(&stop));
            move || accept_all(&shared, &socket, &stop)
        })?;
        Ok(Control {
            shared,
            path: path.to_owned(),
            stop,
            acceptor: Some(acceptor),
        })
    }

    /// Path of the socket.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Control {
    /// Accepts no more, and gives clients a moment to take their answers. Actions that last longer go on with
    /// the engine, and end when that is stopped.
    fn drop(&mut self) {
        // Fails only when as many stops wait as a number can count.
        let _ = rustix::io::write(&self.stop, &1u64.to_ne_bytes());
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
        let connections = self.shared.connections();
        connections
            .values()
            .filter(|connection| connection.phase == Phase::Asks)
            .for_each(Connection::hurry);
        let live = |connections: &mut Connections| !connections.is_empty();
        let drain = self.shared.limits.drain;
        let changed = &self.shared.changed;
        let waited = changed.wait_timeout_while(connections, drain, live);
        let (left, _) = waited.expect("no panic holds the connections");
        left.values().for_each(Connection::hurry);
    }
}

fn accept_all(shared: &Arc<Shared>, socket: &UnixSocket, stop: &OwnedFd) {
    for number in 0.. {
        let mut fds = [
            PollFd::new(stop, PollFlags::IN),
            PollFd::new(socket.listener(), PollFlags::IN),
        ];
        let _ = poll(&mut fds, None);
        if !fds[0].revents().is_empty() {
            return;
        }
        match socket.listener().accept() {
            Ok((stream, _)) => shared.connect(number, stream),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

impl Shared {
    fn connections(&self) -> MutexGuard<'_, Connections> {
        let connections = self.connections.lock();
        connections.expect("no panic holds the connections")
    }

    /// Gives a client a thread, if there is room for one.
    fn connect(self: &Arc<Self>, number: u64, stream: UnixStream) {
        if stream.set_nonblocking(false).is_err() {
            return;
        }
        let Some(mut connections) = self.make_room() else {
            let busy = Answer::wrong(503, "all connections wait for the drive: try again later");
            // It fits into the socket, or the client is gone.
            let _ = http::send(&stream, &busy, self.limits.answer);
            return;
        };
        let stream = Arc::new(stream);
        let connection = Connection {
            stream: Arc::clone(&stream),
            phase: Phase::Asks,
        };
        connections.insert(number, connection);
        drop(connections);
        let live = Live {
            shared: Arc::clone(self),
            number,
        };
        // If there is no thread for it, the client sees its connection closed.
        let _ = thread::Builder::new()
            .name(format!("control-{number}"))
            .spawn(move || live.serve(&stream));
    }

    /// Makes room for another connection, at the cost of the client that is waited for longest. There is none if
    /// all wait for the drive.
    fn make_room(&self) -> Option<MutexGuard<'_, Connections>> {
        let mut connections = self.connections();
        while connections.len() >= self.limits.connections_max {
            let waited_for = |one: &&Connection| matches!(one.phase, Phase::Asks | Phase::IsTold);
            connections.values().find(waited_for)?.hurry();
            let waited = self.changed.wait(connections);
            connections = waited.expect("no panic holds the connections");
        }
        Some(connections)
    }
}

/// A connection that is counted until this is dropped, also by a panic.
struct Live {
    shared: Arc<Shared>,
    number: u64,
}

impl Live {
    fn serve(&self, stream: &UnixStream) {
        let limits = &self.shared.limits;
        let (answer, was_refused) = match http::receive(stream, limits.request) {
            Ok(request) => (self.act(&request), false),
            Err(RequestError::Refused(answer)) => (answer, true),
            Err(RequestError::Silent) => return,
        };
        self.enter(&mut self.shared.connections(), Phase::IsTold);
        // A client that does not take its answer has none.
        if http::send(stream, &answer, limits.answer).is_ok() && was_refused {
            http::linger(stream);
        }
    }

    fn act(&self, request: &http::Request) -> Answer {
        let shared = &self.shared;
        let mut connections = shared.connections();
        if !actions::changes_the_drive(&request.url) {
            self.enter(&mut connections, Phase::Looks);
        } else if shared.read_only {
            return Answer::wrong(403, "the drive is served read-only");
        } else {
            let all = connections.values();
            let under_way = all.filter(|one| one.phase == Phase::Changes).count();
            if under_way >= shared.limits.actions_max {
                let why = format!("{under_way} actions are under way: try again later");
                return Answer::wrong(503, why);
            }
            self.enter(&mut connections, Phase::Changes);
        }
        drop(connections);
        actions::answer(&shared.engine, request)
    }

    fn enter(&self, connections: &mut Connections, phase: Phase) {
        if let Some(connection) = connections.get_mut(&self.number) {
            connection.phase = phase;
        }
        self.shared.changed.notify_all();
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Ok(mut connections) = self.shared.connections.lock() {
            connections.remove(&self.number);
        }
        self.shared.changed.notify_all();
    }
}
