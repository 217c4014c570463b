//! Replies on their way to a client, and how many requests are in flight.
//!
//! Whoever completes a request sends the reply, so that no other thread must be woken for it. If some
//! thread is sending already, the reply joins the queue, and that thread takes it along. Nobody waits
//! for a client that does not read: when the socket is full, the connection's writer, a thread that
//! otherwise sleeps, takes over. Only the thread that reads requests holds its replies back until it
//! has seen all requests that are there, and sends them with one call.

use super::Limits;
use super::socket::Socket;
use crate::protocol::reply::Head;
use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// Replies that are sent with one call.
const BATCH: usize = 32;

/// A buffer that is kept for another request: how many, and of what size at most.
const POOL_COUNT: usize = 64;
const POOL_BYTES_MAX: usize = 256 << 10;

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
    /// What follows the head, or the data of a write, which do not.
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

/// Who sends.
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
    /// What is being sent, and how many bytes of it are gone.
    batch: Vec<Reply>,
    sent_bytes: usize,
    sender: Sender,
    /// The client is gone: replies are dropped.
    broken: bool,
    /// The writer shall end.
    finished: bool,
    in_flight: usize,
    in_flight_bytes: usize,
    reader_waits: bool,
    pool: Vec<Vec<u8>>,
}

/// The replies of one connection.
#[derive(Debug)]
pub(super) struct Outbox {
    number: u64,
    socket: Arc<Socket>,
    limits: Limits,
    state: Mutex<State>,
    /// The reader waits here for requests to be answered.
    answered: Condvar,
    /// The writer waits here for a full socket.
    full: Condvar,
}

impl Outbox {
    /// An outbox whose requests this thread reads.
    pub fn for_this_thread(socket: Arc<Socket>, limits: Limits) -> Outbox {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        READS_FOR.set(number);
        Outbox {
            number,
            socket,
            limits,
            state: Mutex::new(State {
                queue: VecDeque::new(),
                batch: Vec::with_capacity(BATCH),
                sent_bytes: 0,
                sender: Sender::Nobody,
                broken: false,
                finished: false,
                in_flight: 0,
                in_flight_bytes: 0,
                reader_waits: false,
                pool: Vec::new(),
            }),
            answered: Condvar::new(),
            full: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic holds an outbox")
    }

    /// Waits until another request may be in flight, and gives a buffer for it; nothing if the
    /// client is gone. What the buffer holds is left from an earlier request of this connection.
    pub fn admit(&self, bytes: usize) -> Option<Buffer> {
        let mut state = self.lock();
        loop {
            if state.broken {
                return None;
            }
            // A request larger than all that may be in flight is in flight alone.
            let fits =
                state.in_flight_bytes.saturating_add(bytes) <= self.limits.in_flight_bytes_max;
            if state.in_flight == 0 || (fits && state.in_flight < self.limits.in_flight_max) {
                break;
            }
            // What holds the room may be replies that this thread keeps back.
            state = match state.sender {
                Sender::Nobody if !state.queue.is_empty() => self.send(state, false),
                _ => self.wait_for_answers(state),
            };
        }
        state.in_flight += 1;
        state.in_flight_bytes += bytes;
        let mut memory = match bytes {
            0 => Vec::new(),
            _ => state.pool.pop().unwrap_or_default(),
        };
        drop(state);
        if memory.len() < bytes {
            memory = vec![0; bytes];
        }
        Some(Buffer {
            memory,
            length: bytes,
        })
    }

    /// Takes back a request that was admitted and never came whole.
    pub fn withdraw(&self, bytes: usize) {
        let mut state = self.lock();
        state.in_flight -= 1;
        state.in_flight_bytes -= bytes;
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
        if !waits || state.queue.len() >= BATCH || state.broken {
            drop(self.send(state, false));
        }
    }

    /// Sends what waits.
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
            let result = match state.broken {
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
                    state.broken = true;
                    self.socket.hang_up();
                }
            }
            sent = 0;
            for reply in batch.drain(..) {
                state.settle(reply);
            }
            if std::mem::take(&mut state.reader_waits) {
                self.answered.notify_one();
            }
        }
    }

    /// Sends a batch from byte `sent` on, and says whether that was all of it.
    fn transmit(&self, batch: &[Reply], sent: &mut usize, waits: bool) -> io::Result<bool> {
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
                0 if waits => self.socket.wait_for_room()?,
                0 => return Ok(false),
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
}

impl State {
    /// A reply is sent or dropped: its request is no longer in flight.
    fn settle(&mut self, reply: Reply) {
        self.in_flight -= 1;
        self.in_flight_bytes -= reply.admitted_bytes;
        let memory = reply.buffer.memory;
        if !memory.is_empty() && memory.len() <= POOL_BYTES_MAX && self.pool.len() < POOL_COUNT {
            self.pool.push(memory);
        }
    }
}
