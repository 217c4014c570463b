//! One client: negotiation, then requests, until either side ends it.

use super::admission::Admission;
use super::budget::Budget;
use super::inbox::Inbox;
use super::limits::Limits;
use super::outbox::{Buffer, Outbox, Reply};
use super::socket::Socket;
use super::{Export, Extents, NamedExport, Request, TlsCredentials};
use crate::protocol::constants::NBD_CMD_FLAG_REQ_ONE;
use crate::protocol::{
    BadRequest, Command, ExportInfo, Handshake, HandshakeEnd, NbdError, OPTION_BYTES_MAX, Progress,
    REQUEST_BYTES, RequestHeader, Transmission, Violation, reply,
};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

/// Reason why a connection ended other than by the client's request.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The negotiation was not over in time.
    #[error("the negotiation took too long")]
    Slow,
    /// The negotiation could not go on.
    #[error("negotiation: {0}")]
    Violation(#[from] Violation),
    /// Something came that is no request.
    #[error(transparent)]
    BadRequest(#[from] BadRequest),
    /// The client does not speak TLS, or has no certificate that is taken.
    #[error("TLS: {0}")]
    Tls(io::Error),
    /// The client had a share of the memory of all connections lie while others waited for it.
    #[error(
        "the client does not take its answers, or does not send what it announced, and others wait for the memory"
    )]
    Overdue,
    /// It had shown no certificate, and others came.
    #[error("it showed no certificate, and made room for others")]
    GaveWay,
    /// There are as many clients as may be.
    #[error("refused, there are as many clients as may be")]
    TooMany,
    /// The client went away without a word, at a point where it owed one.
    #[error("the client is gone amid a message")]
    Gone,
    /// A read or a write of the socket failed, as by a reset.
    #[error("socket: {0}")]
    Socket(io::Error),
}

impl From<io::Error> for ConnectionError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut => ConnectionError::Slow,
            io::ErrorKind::InvalidData => ConnectionError::Tls(error),
            io::ErrorKind::UnexpectedEof => ConnectionError::Gone,
            _ => ConnectionError::Socket(error),
        }
    }
}

/// State that all connections of a server share.
pub(super) struct ServerContext {
    pub exports: Vec<NamedExport>,
    pub infos: Vec<ExportInfo>,
    /// Credentials, if clients must start TLS before anything else.
    pub tls: Option<TlsCredentials>,
    pub limits: Limits,
    pub budget: Arc<Budget>,
    pub admission: Admission,
    pub stopping: AtomicBool,
}

/// Serves a client to its end.
pub(super) fn serve(
    number: u64,
    socket: &Arc<Socket>,
    context: &ServerContext,
) -> Result<(), ConnectionError> {
    let mut inbox = Inbox::new();
    match negotiate(number, socket, context, &mut inbox)? {
        Some(transmission) => {
            socket.choose(transmission.export);
            transmit(socket, context, inbox, &transmission)
        }
        None => Ok(()),
    }
}

fn negotiate(
    number: u64,
    socket: &Socket,
    context: &ServerContext,
    inbox: &mut Inbox,
) -> Result<Option<Transmission>, ConnectionError> {
    let deadline = Instant::now() + context.limits.negotiation;
    socket.send_before(&Handshake::greeting(), deadline)?;
    let mut handshake = match context.tls {
        Some(_) => Handshake::requiring_tls(&context.infos),
        None => Handshake::new(&context.infos),
    };
    let mut output = Vec::new();
    loop {
        let progress = handshake.advance(inbox.unread(), &mut output);
        // What was answered goes out before an end, and before answers pile up.
        let piled = output.len() > OPTION_BYTES_MAX as usize;
        if piled || !matches!(progress, Ok(Progress::Took(_))) {
            socket.send_before(&output, deadline)?;
            output.clear();
        }
        match progress? {
            Progress::Took(count) => drop(inbox.take(count)),
            Progress::StartsTls(count) => {
                inbox.take(count);
                let tls = context.tls.as_ref().expect("only then is it asked for");
                let ahead = std::mem::replace(inbox, Inbox::new());
                context.admission.begins_tls(number);
                socket.start_tls(tls.config(), ahead, deadline)?;
                if !context.admission.is_known(number) {
                    return Err(ConnectionError::TooMany);
                }
            }
            Progress::Needs(_) => {
                let between_options = inbox.unread().is_empty();
                let count = socket.receive(inbox.room(), Some(deadline))?;
                inbox.arrived(count);
                match count {
                    // As clients do that only wanted to look at the server.
                    0 if between_options => return Ok(None),
                    0 => return Err(ConnectionError::Gone),
                    _ => {}
                }
            }
            Progress::Ended(count, end) => {
                inbox.take(count);
                return Ok(match end {
                    HandshakeEnd::Transmission(transmission) => Some(transmission),
                    HandshakeEnd::Aborted => None,
                });
            }
        }
    }
}

fn transmit(
    socket: &Arc<Socket>,
    context: &ServerContext,
    inbox: Inbox,
    transmission: &Transmission,
) -> Result<(), ConnectionError> {
    let budget = Arc::clone(&context.budget);
    let outbox = Outbox::for_this_thread(Arc::clone(socket), context.limits, budget);
    let outbox = Arc::new(outbox);
    let ended = thread::scope(|scope| {
        let writer = thread::Builder::new().name("nbd-writer".into());
        writer
            .spawn_scoped(scope, || outbox.write_when_full())
            .map_err(ConnectionError::Socket)?;
        // Requests in flight are answered, and the writer ends, however the connection does.
        let _end = Finish(&outbox);
        let mut reader = Requests {
            socket,
            limits: &context.limits,
            export: &*context.exports[transmission.export].export,
            transmission,
            outbox: &outbox,
            inbox,
            arrived_at: Instant::now(),
        };
        reader.read_all(&context.stopping)
    });
    match outbox.was_overdue() {
        true => Err(ConnectionError::Overdue),
        false => ended,
    }
}

/// Finishes the outbox when it is dropped, also by a panic of an export.
struct Finish<'a>(&'a Outbox);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// The reading side of the transmission phase.
struct Requests<'a> {
    socket: &'a Socket,
    limits: &'a Limits,
    export: &'a dyn Export,
    transmission: &'a Transmission,
    outbox: &'a Arc<Outbox>,
    inbox: Inbox,
    /// Instant at which the bytes in the inbox were read.
    arrived_at: Instant,
}

impl Requests<'_> {
    fn read_all(&mut self, stopping: &AtomicBool) -> Result<(), ConnectionError> {
        loop {
            while let Some(header) = self.inbox.unread().first_chunk::<REQUEST_BYTES>() {
                let header = RequestHeader::decode(header)?;
                self.inbox.take(REQUEST_BYTES);
                if header.disconnects() || self.request(header)?.is_break() {
                    return Ok(());
                }
            }
            if stopping.load(Ordering::Relaxed) {
                return Ok(());
            }
            if self.fill()? == 0 {
                return match self.inbox.unread() {
                    [] => Ok(()),
                    _ => Err(ConnectionError::Gone),
                };
            }
        }
    }

    /// Reads more, after everything that can be answered is on its way.
    fn fill(&mut self) -> io::Result<usize> {
        self.outbox.flush();
        let count = self.socket.receive(self.inbox.room(), None)?;
        self.inbox.arrived(count);
        self.arrived_at = Instant::now();
        Ok(count)
    }

    /// Handles one request; a break if there is nobody to answer.
    fn request(&mut self, header: RequestHeader) -> Result<ControlFlow<()>, ConnectionError> {
        let command = match header.check(self.transmission) {
            Ok(command) => command,
            Err(error) => return self.refuse(header, error),
        };
        let structured = self.transmission.structured_replies;
        let carried = match command {
            Command::Read | Command::Write => header.length_bytes as usize,
            _ => 0,
        };
        let Some(mut buffer) = self.outbox.admit(carried) else {
            return Ok(ControlFlow::Break(()));
        };
        match command {
            Command::BlockStatus => {
                let one = header.flags & NBD_CMD_FLAG_REQ_ONE != 0;
                let mut extents = Extents::new(header.length_bytes, one);
                self.export.block_status(header.offset_bytes, &mut extents);
                let extents = extents.into_list();
                // The protocol wants one extent at least, and no flags claim nothing.
                let (head, body) = match extents.is_empty() {
                    true => (
                        reply::error(structured, header.cookie, NbdError::Io),
                        Vec::new(),
                    ),
                    false => reply::block_status(header.cookie, &extents),
                };
                self.outbox.push(
                    Reply {
                        head,
                        buffer: Buffer::of(body),
                        sends_buffer: true,
                        admitted_bytes: 0,
                    },
                    false,
                );
                return Ok(ControlFlow::Continue(()));
            }
            Command::Write => {
                if let Err(error) = self.receive_data(buffer.bytes_mut()) {
                    self.outbox.withdraw(carried);
                    return Err(error);
                }
            }
            _ => {}
        }
        self.export.submit(Request::new(
            self.outbox,
            header,
            command,
            structured,
            buffer,
            self.arrived_at,
        ));
        Ok(ControlFlow::Continue(()))
    }

    /// Answers with an error, after the data of the request, which nobody wants.
    fn refuse(
        &mut self,
        header: RequestHeader,
        error: NbdError,
    ) -> Result<ControlFlow<()>, ConnectionError> {
        let mut left = header.payload_bytes() as usize;
        loop {
            left -= self.inbox.take(left.min(self.inbox.unread().len())).len();
            if left == 0 {
                break;
            }
            if self.fill()? == 0 {
                return Err(ConnectionError::Gone);
            }
        }
        let Some(buffer) = self.outbox.admit(0) else {
            return Ok(ControlFlow::Break(()));
        };
        self.outbox.push(
            Reply {
                head: reply::error(self.transmission.structured_replies, header.cookie, error),
                buffer,
                sends_buffer: false,
                admitted_bytes: 0,
            },
            false,
        );
        Ok(ControlFlow::Continue(()))
    }

    fn receive_data(&mut self, into: &mut [u8]) -> Result<(), ConnectionError> {
        let here = into.len().min(self.inbox.unread().len());
        let (first, mut rest) = into.split_at_mut(here);
        first.copy_from_slice(self.inbox.take(here));
        if rest.is_empty() {
            return Ok(());
        }
        self.outbox.flush();
        let began = Instant::now();
        while !rest.is_empty() {
            match self.receive_some(rest, began)? {
                0 => return Err(ConnectionError::Gone),
                count => rest = &mut rest[count..],
            }
        }
        self.arrived_at = Instant::now();
        Ok(())
    }

    /// Reads some of what the client sends since then.
    fn receive_some(&self, into: &mut [u8], since: Instant) -> Result<usize, ConnectionError> {
        loop {
            if self.outbox.is_overdue(since) {
                return Err(ConnectionError::Overdue);
            }
            // Only who borrows memory may have to give it back.
            let borrows = self.outbox.borrows();
            let deadline = borrows.then(|| Instant::now() + self.limits.patience);
            match self.socket.receive(into, deadline) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                result => return Ok(result?),
            }
        }
    }
}
