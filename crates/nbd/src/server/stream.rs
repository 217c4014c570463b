//! A connected stream socket, Unix or TCP, and the bytes on it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvFlags, SendAncillaryBuffer, SendFlags, Shutdown, recv, sendmsg, shutdown, sockopt,
};
use std::io::{self, IoSlice};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// A connected stream socket.
#[derive(Debug)]
pub(super) struct Stream {
    fd: OwnedFd,
}

impl Stream {
    pub fn unix(fd: OwnedFd) -> Stream {
        Stream { fd }
    }

    pub fn tcp(fd: OwnedFd) -> io::Result<Stream> {
        // A reply must not wait for the acknowledgement of the one before, and a peer that is gone
        // without a word must be noticed.
        sockopt::set_tcp_nodelay(&fd, true)?;
        sockopt::set_socket_keepalive(&fd, true)?;
        Ok(Stream { fd })
    }

    /// Waits for bytes, no longer than until `deadline`, and reads some; none at the end of the stream.
    pub fn receive(&self, into: &mut [u8], deadline: Option<Instant>) -> io::Result<usize> {
        if let Some(deadline) = deadline {
            self.ready(PollFlags::IN, deadline)?;
        }
        loop {
            match recv(&self.fd, &mut *into, RecvFlags::empty()) {
                Ok((_, count)) => return Ok(count),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sends as much as fits into the socket's buffer; nothing if that is full.
    pub fn send_some(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        loop {
            match sendmsg(&self.fd, parts, &mut SendAncillaryBuffer::default(), flags) {
                Ok(count) => return Ok(count),
                Err(Errno::AGAIN) => return Ok(0),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits until something can be sent, no longer than until `deadline`.
    pub fn wait_for_room(&self, deadline: Instant) -> io::Result<()> {
        self.ready(PollFlags::OUT, deadline)
    }

    fn ready(&self, what: PollFlags, deadline: Instant) -> io::Result<()> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let left = Timespec::try_from(left).ok();
            let mut fds = [PollFd::new(&self.fd, what)];
            match poll(&mut fds, left.as_ref()) {
                // Hang-ups and errors too: the next call on the socket tells them.
                Ok(1) => return Ok(()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Nothing more is read than what is here already.
    pub fn stop_reading(&self) {
        // Fails only if the peer is gone.
        let _ = shutdown(&self.fd, Shutdown::Read);
    }

    /// Ends both directions; a thread that waits for the socket is woken.
    pub fn hang_up(&self) {
        let _ = shutdown(&self.fd, Shutdown::Both);
    }
}
