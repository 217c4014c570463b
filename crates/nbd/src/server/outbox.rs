//! Replies on their way to a client, and how many requests are in flight.
//!
//! Whoever completes a request sends the reply, so that no other thread must be woken for it. If some
//! thread is sending already, the reply joins the queue, and that thread takes it along. Nobody waits
//! for a client that does not read: when the socket is full, the connection's writer, a thread that
//! otherwise sleeps, takes over. Only the thread that reads requests holds its replies back until it
//! has seen all requests that are there, and sends them with one call.

use super::budget::Budget;
use super::limits::Limits;
use super::socket::Socket;
use crate::protocol::reply::Head;
use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Instant;

/// Replies that are sent with one call.
const BATCH: usize = 32;

/// The largest buffer that is kept for another request.
const KEPT_BYTES_MAX: usize = 256 << 10;

thread_local! {
    /// The outbox whose requests this thread reads, by number; zero is none.
    static READS_FOR: Cell<u64> = const { Cell::new(0) };
}

/// The data of a request, in memory that is used again.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    /// At least as long as the data.
    memory: Vec<u8>,
    length: usize,
}

impl Buffer {
    pub fn of(memory: Vec<u8>) -> Buffer {
        let length = memory.len();
        Buffer { memory, length }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.memory[..self.length]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory[..self.length]
    }
}

/// A reply to one request.
#[derive(Debug)]
pub(super) struct Reply {
    pub head: Head,
    /// Bytes behind the head, or the data of a write, which are not sent.
    pub buffer: Buffer,
    pub sends_buffer: bool,
    /// Bytes that [`Outbox::admit`] was asked for.
    pub admitted_bytes: usize,
}

impl Reply {
    fn parts(&self) -> [&[u8]; 2] {
        let body = if self.sends_buffer {
            self.buffer.bytes()
        } else {
            &[]
        };
        [self.head.as_bytes(), body]
    }
}

/// The thread that sends replies at present, as only one may at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sender {
    Nobody,
    Somebody,
    /// The socket was full: the writer shall.
    Writer,
}

#[derive(Debug)]
struct State {
    queue: VecDeque<Reply>,
    /// Replies that are being sent, and the bytes of them that are sent.
    batch: Vec<Reply>,
    sent_bytes: usize,
    sender: Sender,
    /// The writer shall end.
    finished: bool,
    in_flight: usize,
    in_flight_bytes: usize,
    /// Bytes of these that are borrowed.
    borrowed_bytes: usize,
    reader_waits: bool,
    /// Buffers for other requests, and their bytes.
    pool: Vec<Vec<u8>>,
    pool_bytes: usize,
}

/// The replies of one connection.
#[derive(Debug)]
pub(super) struct Outbox {
    number: u64,
    socket: Arc<Socket>,
    limits: Limits,
    budget: Arc<Budget>,
    /// The client is gone: replies are dropped.
    broken: AtomicBool,
    /// It was hung up on, since it had memory that others waited for.
    overdue: AtomicBool,
    state: Mutex<State>,
    /// The reader waits here for requests to be answered.
    answered: Condvar,
    /// The writer waits here for a full socket.
    full: Condvar,
}

impl Outbox {
    /// An outbox whose requests this thread reads.
    pub fn for_this_thread(socket: Arc<Socket>, limits: Limits, budget: Arc<Budget>) -> Outbox {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        READS_FOR.set(number);
        Outbox {
            number,
            socket,
            limits,
            budget,
            broken: AtomicBool::new(false),
            overdue: AtomicBool::new(false),
            state: Mutex::new(State {
                queue: VecDeque::new(),
                batch: Vec::with_capacity(BATCH),
                sent_bytes: 0,
                sender: Sender::Nobody,
                finished: false,
                in_flight: 0,
                in_flight_bytes: 0,
                borrowed_bytes: 0,
                reader_waits: false,
                pool: Vec::new(),
                pool_bytes: 0,
            }),
            answered: Condvar::new(),
            full: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic holds an outbox")
    }

    fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Relaxed)
    }

    /// Waits until another request may be in flight, and returns a buffer for it; none if the client is gone.
    /// What the buffer holds is left from an earlier request of this connection.
    pub fn admit(&self, bytes: usize) -> Option<Buffer> {
        let mut state = self.lock();
        loop {
            if self.is_broken() {
                return None;
            }
            if self.has_room(&mut state, bytes) {
                break;
            }
            // What holds the room may be replies that this thread keeps back.
            state = match state.sender {
                Sender::Nobody if !state.queue.is_empty() => self.send(state, false),
                _ if state.in_flight > 0 => self.wait_for_answers(state),
                _ => self.borrow(state, bytes)?,
            };
        }
        state.in_flight += 1;
        state.in_flight_bytes += bytes;
        self.give_back(&mut state);
        let mut memory = match bytes {
            0 => Vec::new(),
            _ => state.pool.pop().unwrap_or_default(),
        };
        state.pool_bytes -= memory.len();
        drop(state);
        if memory.len() < bytes {
            memory = vec![0; bytes];
        }
        Some(Buffer {
            memory,
            length: bytes,
        })
    }

    /// True if N bytes more may be in flight. Borrows what they need, if it can be had at once.
    fn has_room(&self, state: &mut State, bytes: usize) -> bool {
        // A request larger than all that may be in flight is in flight alone.
        let fits = state.in_flight_bytes.saturating_add(bytes) <= self.limits.in_flight_bytes_max;
        if state.in_flight > 0 && (!fits || state.in_flight >= self.limits.in_flight_max) {
            return false;
        }
        let wanted = self.beyond_own(state.in_flight_bytes + bytes);
        let missing = wanted.saturating_sub(state.borrowed_bytes);
        let has_all = missing == 0 || self.budget.borrow_now(missing);
        if has_all {
            state.borrowed_bytes += missing;
        }
        has_all
    }

    /// Waits for what a request must borrow that is to be in flight alone: a small one has room by then. So
    /// nobody waits for others who has what they may wait for.
    fn borrow<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        bytes: usize,
    ) -> Option<MutexGuard<'a, State>> {
        drop(state);
        let missing = self.beyond_own(bytes);
        let is_lent = self
            .budget
            .borrow(self.number, missing, || self.is_broken());
        let mut state = self.lock();
        state.borrowed_bytes += if is_lent { missing } else { 0 };
        is_lent.then_some(state)
    }

    /// Bytes that must be borrowed for N bytes in flight.
    fn beyond_own(&self, bytes: usize) -> usize {
        bytes.saturating_sub(self.limits.own_bytes)
    }

    /// Gives back what is borrowed and no longer needed.
    fn give_back(&self, state: &mut State) {
        let needed = self.beyond_own(state.in_flight_bytes);
        self.budget.give_back(state.borrowed_bytes - needed);
        state.borrowed_bytes = needed;
    }

    /// Takes back a request that was admitted and never came whole.
    pub fn withdraw(&self, bytes: usize) {
        let mut state = self.lock();
        state.in_flight -= 1;
        state.in_flight_bytes -= bytes;
        self.give_back(&mut state);
    }

    /// True if this connection has memory that others may wait for.
    pub fn borrows(&self) -> bool {
        self.lock().borrowed_bytes > 0
    }

    /// True if the client has let memory lie since then that others wait for, and its time is over.
    pub fn is_overdue(&self, since: Instant) -> bool {
        since.elapsed() >= self.limits.patience && self.borrows() && self.budget.is_short()
    }

    /// True if the client was disconnected for that.
    pub fn was_overdue(&self) -> bool {
        self.overdue.load(Ordering::Relaxed)
    }

    fn wait_for_answers<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.reader_waits = true;
        self.answered.wait(state).expect("no panic holds an outbox")
    }

    /// Takes the reply to a request, and sends it or has it sent. If more are about to follow it, or if
    /// this is the reader, who flushes when it has seen all requests that are there, it may wait for
    /// [`Outbox::flush`].
    pub fn push(&self, reply: Reply, more_follow: bool) {
        let waits = more_follow || READS_FOR.get() == self.number;
        let mut state = self.lock();
        state.queue.push_back(reply);
        if !waits || state.queue.len() >= BATCH || self.is_broken() {
            drop(self.send(state, false));
        }
    }

    /// Sends the replies that wait.
    pub fn flush(&self) {
        drop(self.send(self.lock(), false));
    }

    /// Sends until the queue is empty, unless somebody else does. Only the writer waits for room.
    fn send<'a>(&'a self, mut state: MutexGuard<'a, State>, waits: bool) -> MutexGuard<'a, State> {
        match state.sender {
            Sender::Nobody => {}
            Sender::Writer if waits => {}
            Sender::Somebody | Sender::Writer => return state,
        }
        state.sender = Sender::Somebody;
        let mut batch = std::mem::take(&mut state.batch);
        let mut sent = std::mem::take(&mut state.sent_bytes);
        loop {
            let room = BATCH - batch.len();
            let more = state.queue.len().min(room);
            // What is partly sent goes on as it is: `sent` counts from its beginning.
            batch.extend(state.queue.drain(..more));
            if batch.is_empty() {
                state.batch = batch;
                state.sender = Sender::Nobody;
                return state;
            }
            let result = match self.is_broken() {
                true => Ok(true),
                false => {
                    drop(state);
                    let result = self.transmit(&batch, &mut sent, waits);
                    state = self.lock();
                    result
                }
            };
            match result {
                Ok(true) => {}
                Ok(false) => {
                    state.batch = batch;
                    state.sent_bytes = sent;
                    state.sender = Sender::Writer;
                    self.full.notify_one();
                    return state;
                }
                Err(_) => {
                    // The reader learns it from the socket; the replies have nowhere to go.
                    self.broken.store(true, Ordering::Relaxed);
                    self.socket.hang_up();
                }
            }
            sent = 0;
            for reply in batch.drain(..) {
                self.settle(&mut state, reply);
            }
            self.give_back(&mut state);
            if std::mem::take(&mut state.reader_waits) {
                self.answered.notify_one();
            }
        }
    }

    /// Sends a batch from byte `sent` on, and says whether that was all of it.
    fn transmit(&self, batch: &[Reply], sent: &mut usize, waits: bool) -> io::Result<bool> {
        let began = Instant::now();
        loop {
            let mut parts = [IoSlice::new(&[]); 2 * BATCH];
            let mut count = 0;
            let mut skip = *sent;
            for part in batch.iter().flat_map(Reply::parts) {
                let gone = skip.min(part.len());
                skip -= gone;
                if gone < part.len() {
                    parts[count] = IoSlice::new(&part[gone..]);
                    count += 1;
                }
            }
            let left: usize = parts[..count].iter().map(|part| part.len()).sum();
            let now = self.socket.send_some(&parts[..count])?;
            *sent += now;
            match now {
                all if all == left => return Ok(true),
                // The socket took a part, which says nothing about the rest.
                1.. => {}
                0 if waits => self.wait_for_room(began)?,
                0 => return Ok(false),
            }
        }
    }

    /// Waits until the client takes more of what it is being sent since then.
    fn wait_for_room(&self, since: Instant) -> io::Result<()> {
        loop {
            if self.is_overdue(since) {
                self.overdue.store(true, Ordering::Relaxed);
                return Err(io::ErrorKind::TimedOut.into());
            }
            match self
                .socket
                .wait_for_room(Instant::now() + self.limits.patience)
            {
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                result => return result,
            }
        }
    }

    /// The writer: sends when the socket was full, until [`Outbox::finish`].
    pub fn write_when_full(&self) {
        let mut state = self.lock();
        while !state.finished {
            state = match state.sender {
                Sender::Writer => self.send(state, true),
                _ => self.full.wait(state).expect("no panic holds an outbox"),
            };
        }
    }

    /// Waits until every request is answered, and ends the writer.
    pub fn finish(&self) {
        let mut state = self.send(self.lock(), false);
        while state.in_flight > 0 {
            state = self.wait_for_answers(state);
        }
        state.finished = true;
        self.full.notify_one();
        READS_FOR.set(0);
    }

    /// A reply is sent or dropped: its request is no longer in flight.
    fn settle(&self, state: &mut State, reply: Reply) {
        state.in_flight -= 1;
        state.in_flight_bytes -= reply.admitted_bytes;
        let memory = reply.buffer.memory;
        let is_kept = memory.len() <= KEPT_BYTES_MAX
            && state.pool_bytes + memory.len() <= self.limits.own_bytes;
        if !memory.is_empty() && is_kept {
            state.pool_bytes += memory.len();
            state.pool.push(memory);
        }
    }
}
