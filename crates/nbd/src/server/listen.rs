//! Addresses of a server.

use super::socket::Socket;
use super::stream::Stream;
use super::unix_socket::UnixSocket;
use super::{ConnectionError, TlsCredentials};
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;

/// Permissions of a Unix socket, less the process's umask: as `bind` gives them.
const MODE: u32 = 0o777;

/// An address to listen at.
#[derive(Debug, Clone)]
pub enum Listen {
    /// A Unix socket, by its path.
    Unix(PathBuf),
    /// TCP on an address of this machine alone; with port 0, on a free port.
    Loopback(SocketAddr),
    /// TCP on an address that other machines may reach. Nothing is encrypted and nobody is asked who
    /// they are.
    Insecure(SocketAddr),
    /// TCP on any address, with TLS. The credentials decide who may connect.
    Tls(SocketAddr, TlsCredentials),
}

impl fmt::Display for Listen {
    /// Formats the address as the URI that clients take.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listen::Unix(path) => write!(f, "nbd+unix:///?socket={}", path.display()),
            Listen::Loopback(address) | Listen::Insecure(address) => write!(f, "nbd://{address}"),
            Listen::Tls(address, _) => write!(f, "nbds://{address}"),
        }
    }
}

/// Error of starting a server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be listened at.
    #[error("cannot listen at {at}: {source}")]
    Bind {
        /// Address that was asked for.
        at: Listen,
        /// Error of the system.
        source: io::Error,
    },
    /// An address that is not of this machine alone.
    #[error(
        "{0} can be reached from other machines, unencrypted: use a Unix socket, a loopback address or TLS"
    )]
    LeavesTheMachine(SocketAddr),
    /// An export that the protocol cannot describe.
    #[error("export {name:?}: {what}")]
    Export {
        /// Name of the export.
        name: String,
        /// Description of the fault.
        what: String,
    },
    /// The machine has no more threads or files.
    #[error("cannot start the server: {0}")]
    Start(io::Error),
}

/// A socket that clients connect to.
#[derive(Debug)]
pub(super) enum Listener {
    Unix(UnixSocket),
    Tcp(TcpListener),
}

impl Listener {
    /// Binds a socket. Returns the address with the port that the system chose.
    pub fn bind(at: &Listen) -> Result<(Listener, Listen), ServerError> {
        let failed = |source| ServerError::Bind {
            at: at.clone(),
            source,
        };
        match at {
            Listen::Unix(path) => {
                let socket = UnixSocket::bind(path, MODE).map_err(failed)?;
                socket.listener().set_nonblocking(true).map_err(failed)?;
                Ok((Listener::Unix(socket), at.clone()))
            }
            Listen::Loopback(address) if !address.ip().is_loopback() => {
                Err(ServerError::LeavesTheMachine(*address))
            }
            Listen::Loopback(address) | Listen::Insecure(address) | Listen::Tls(address, _) => {
                let listener = TcpListener::bind(address).map_err(failed)?;
                listener.set_nonblocking(true).map_err(failed)?;
                let bound = listener.local_addr().map_err(failed)?;
                let mut at = at.clone();
                if let Listen::Loopback(at) | Listen::Insecure(at) | Listen::Tls(at, _) = &mut at {
                    *at = bound;
                }
                Ok((Listener::Tcp(listener), at))
            }
        }
    }

    /// The next client that waits; `WouldBlock` if none does.
    pub fn accept(&self) -> Result<Socket, ConnectionError> {
        Ok(match self {
            Listener::Unix(socket) => {
                let (stream, _) = socket.listener().accept()?;
                Socket::new(Stream::unix(stream.into()), None)
            }
            Listener::Tcp(listener) => {
                let (stream, peer) = listener.accept()?;
                Socket::new(Stream::tcp(stream.into())?, Some(peer.ip()))
            }
        })
    }

    pub fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Listener::Unix(socket) => socket.listener().as_fd(),
            Listener::Tcp(listener) => listener.as_fd(),
        }
    }
}
