//! The server, by its sockets: clients that people use, and clients that no one would.

mod clients;
mod hostile;
mod listening;
mod memory;
mod order;
mod pki;
mod programs;
mod raw;
mod tls;

use ftlab_nbd::server::Event;
use ftlab_nbd::{Export, Limits, Listen, MemoryExport, NamedExport, Server, TlsCredentials};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

/// Long enough for whatever should happen, so that a test that fails does end.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server on a socket in a folder of its own, or with TLS on a port.
struct Site {
    server: Option<Server>,
    socket: PathBuf,
    address: Option<SocketAddr>,
    ends: Mutex<mpsc::Receiver<String>>,
    _folder: TempDir,
}

impl Site {
    fn of(export: Arc<dyn Export>) -> Site {
        Site::with(export, false, Limits::default())
    }

    fn memory(size_bytes: u64) -> Site {
        Site::of(Arc::new(MemoryExport::new(size_bytes)))
    }

    fn with(export: Arc<dyn Export>, read_only: bool, limits: Limits) -> Site {
        Site::at(None, export, read_only, limits)
    }

    fn with_tls(credentials: TlsCredentials, export: Arc<dyn Export>, limits: Limits) -> Site {
        let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
        Site::at(
            Some(Listen::Tls(anywhere, credentials)),
            export,
            false,
            limits,
        )
    }

    fn at(at: Option<Listen>, export: Arc<dyn Export>, read_only: bool, limits: Limits) -> Site {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("nbd.sock");
        let listen = at.unwrap_or(Listen::Unix(socket.clone()));
        let exports = vec![NamedExport {
            name: "disk".into(),
            read_only,
            export,
        }];
        let (sender, ends) = mpsc::channel();
        let log = move |_, event| {
            let told = match event {
                Event::Connected => return,
                Event::TooMany => "too many".to_owned(),
                Event::Ended(Ok(())) => "ok".to_owned(),
                Event::Ended(Err(error)) => error.to_string(),
            };
            // Nobody listens any more when the site is dropped.
            let _ = sender.send(told);
        };
        let server = Server::start(&listen, exports, limits, log).expect("it listens");
        let address = match server.listen() {
            Listen::Tls(address, _) => Some(*address),
            _ => None,
        };
        Site {
            server: Some(server),
            socket,
            address,
            ends: Mutex::new(ends),
            _folder: folder,
        }
    }

    fn uri(&self) -> String {
        format!("nbd+unix:///?socket={}", self.socket.display())
    }

    /// How the next connection to end did.
    fn next_end(&self) -> String {
        let ends = self.ends.lock().expect("one test, one thread");
        ends.recv_timeout(PATIENCE).expect("a connection ends")
    }

    fn stop(&mut self) {
        drop(self.server.take());
    }
}
