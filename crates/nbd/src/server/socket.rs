//! A client's socket: its bytes as they are, or within TLS.

use super::inbox::Inbox;
use super::session::Session;
use super::stream::Stream;
use rustls::ServerConfig;
use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Socket of a client.
#[derive(Debug)]
pub(super) struct Socket {
    stream: Stream,
    /// Once the client has started it.
    tls: OnceLock<Session>,
    /// Address of the client, if it has one.
    peer: Option<IpAddr>,
    /// The number of the export, once the client has chosen one.
    export: OnceLock<usize>,
}

impl Socket {
    pub fn new(stream: Stream, peer: Option<IpAddr>) -> Socket {
        Socket {
            stream,
            peer,
            tls: OnceLock::new(),
            export: OnceLock::new(),
        }
    }

    /// Address of the client, if it has one.
    pub fn peer(&self) -> Option<IpAddr> {
        self.peer
    }

    /// The client has chosen an export.
    pub fn choose(&self, export: usize) {
        self.export.set(export).expect("a client chooses once");
    }

    /// True if the client has chosen this export.
    pub fn is_of(&self, export: usize) -> bool {
        self.export.get() == Some(&export)
    }

    /// Encrypts all bytes from here on. Those that were read ahead are the client's part of it already.
    pub fn start_tls(
        &self,
        config: &Arc<ServerConfig>,
        ahead: Inbox,
        deadline: Instant,
    ) -> io::Result<()> {
        let session = Session::start(&self.stream, config, ahead, deadline)?;
        self.tls.set(session).expect("a negotiation starts it once");
        Ok(())
    }

    /// Waits for bytes, no longer than until `deadline`, and reads some; none at the end of the stream.
    pub fn receive(&self, into: &mut [u8], deadline: Option<Instant>) -> io::Result<usize> {
        match self.tls.get() {
            None => self.stream.receive(into, deadline),
            Some(tls) => tls.receive(&self.stream, into, deadline),
        }
    }

    /// Sends as much as can be sent without waiting, and says how much that was. The call that follows
    /// begins with what was not sent.
    pub fn send_some(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.tls.get() {
            None => self.stream.send_some(parts),
            Some(tls) => tls.send_some(&self.stream, parts),
        }
    }

    /// Waits until something can be sent, no longer than until `deadline`.
    pub fn wait_for_room(&self, deadline: Instant) -> io::Result<()> {
        self.stream.wait_for_room(deadline)
    }

    /// Sends everything, unless that takes until after `deadline`.
    pub fn send_before(&self, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = self.send_some(&[IoSlice::new(bytes)])?;
            bytes = &bytes[count..];
            if count == 0 {
                self.stream.wait_for_room(deadline)?;
            }
        }
        Ok(())
    }

    /// Nothing more is read than what is here already.
    pub fn stop_reading(&self) {
        self.stream.stop_reading();
    }

    /// Ends both directions; a thread that waits for the socket is woken.
    pub fn hang_up(&self) {
        if let Some(tls) = self.tls.get() {
            tls.say_good_bye(&self.stream);
        }
        self.stream.hang_up();
    }
}
