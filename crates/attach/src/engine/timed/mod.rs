//! A drive in the time of the wall clock: one thread that owns it and answers when it is done.
//!
//! Virtual time is the time since the engine began. A request reaches the drive at the instant at
//! which it arrived, so what the thread needs to wake up adds nothing to its latency; it only makes
//! the answer late, if the drive is done sooner than that.

mod deferred;
mod reception;

use super::cut::HardReset;
use super::pieces::{DATA_SECTORS_MAX, Piece, Pieces};
use super::request::{IoRequest, Operation};
use super::statistics::Statistics;
use super::{Call, outcome};
use crate::faults::Faults;
use deferred::{Deferred, DeferredQueue};
use ftlab_base::{Command, CommandId, Completion, Nanos, SECTOR_BYTES, SimTime};
use ftlab_image::DataDrive;
use ftlab_nbd::pacing::{Waiter, Waker};
use ftlab_nbd::{Completions, NbdError};
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// After what time a host gives a command up that nobody answers: the default of Linux for disks.
const GIVEN_UP_AFTER: Nanos = Nanos::from_millis(30_000);

/// Commands of one request that are at the drive at once.
const PIECES_AT_ONCE: usize = 8;

/// Work for the thread.
enum Job {
    Request(IoRequest),
    /// A call at the thread's next turn, with requests still under way.
    Look(Call),
    /// Called when nothing is under way and everything is flushed; later jobs wait.
    Quiet(Call),
    /// The drive is on its bus, or off it.
    Presence(bool),
    /// Its power goes, or it goes back.
    HardReset(HardReset),
    Stop,
}

#[derive(Default)]
struct Inbox {
    jobs: Vec<Job>,
    /// Nobody takes anything out any more.
    is_closed: bool,
}

struct Shared {
    inbox: Mutex<Inbox>,
    statistics: Mutex<Statistics>,
}

/// The thread, and what it shares with others.
pub(super) struct Timed {
    shared: Arc<Shared>,
    waker: Waker,
    thread: Mutex<Option<JoinHandle<DataDrive>>>,
}

impl Timed {
    pub fn start(
        mut drive: DataDrive,
        trim_sectors: Option<u64>,
        faults: Arc<Faults>,
    ) -> io::Result<Timed> {
        let shared = Arc::new(Shared {
            inbox: Mutex::default(),
            statistics: Mutex::default(),
        });
        let (ready, started) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("drive".into()).spawn({
            let shared = Arc::clone(&shared);
            // A waiter belongs to the thread that waits, so the thread makes it and hands back the waker, or
            // its error.
            move || {
                let waiter = Waiter::for_this_thread().and_then(|waiter| {
                    let waker = waiter.waker();
                    let beside = drive.sync_beside(move || waker.wake());
                    beside.map(|()| waiter).map_err(io::Error::other)
                });
                let waker = waiter.as_ref().map(Waiter::waker);
                let _ = ready.send(waker.map_err(|error| io::Error::from(error.kind())));
                let closes = Closes(&shared);
                match waiter {
                    Ok(waiter) => Loop::new(drive, trim_sectors, faults, closes.0).run(waiter),
                    Err(_) => drive,
                }
            }
        })?;
        Ok(Timed {
            waker: started.recv().map_err(io::Error::other)??,
            shared,
            thread: Mutex::new(Some(thread)),
        })
    }

    fn give(&self, job: Job) {
        let mut inbox = self.shared.inbox();
        // A job that nobody takes is dropped: whoever asked learns of it.
        if !inbox.is_closed {
            inbox.jobs.push(job);
        }
        drop(inbox);
        self.waker.wake();
    }

    pub fn submit(&self, request: IoRequest) {
        self.give(Job::Request(request));
    }

    pub fn call(&self, call: Call, quietly: bool) {
        self.give(match quietly {
            true => Job::Quiet(call),
            false => Job::Look(call),
        });
    }

    pub fn set_presence(&self, is_there: bool) {
        self.give(Job::Presence(is_there));
    }

    pub fn hard_reset(&self, hard_reset: HardReset) {
        self.give(Job::HardReset(hard_reset));
    }

    /// Handle that wakes the thread.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    pub fn statistics(&self) -> Statistics {
        self.shared.statistics().clone()
    }

    /// Ends the thread; what is under way is answered at once. Gives the drive, the first time.
    pub fn stop(&self) -> Option<DataDrive> {
        self.give(Job::Stop);
        let thread = self
            .thread
            .lock()
            .expect("no panic holds the thread")
            .take();
        thread?.join().ok()
    }
}

impl Shared {
    fn inbox(&self) -> std::sync::MutexGuard<'_, Inbox> {
        self.inbox.lock().expect("no panic holds the inbox")
    }

    fn statistics(&self) -> std::sync::MutexGuard<'_, Statistics> {
        self.statistics
            .lock()
            .expect("no panic holds the statistics")
    }
}

/// Closes the inbox when it is dropped, also by a panic of the drive: nobody waits for ever.
struct Closes<'a>(&'a Shared);

impl Drop for Closes<'_> {
    fn drop(&mut self) {
        if let Ok(mut inbox) = self.0.inbox.lock() {
            inbox.is_closed = true;
            inbox.jobs.clear();
        }
    }
}

/// A request under way.
struct InFlight {
    /// The request; none for a flush of the engine's own.
    request: Option<IoRequest>,
    pieces: Pieces,
    /// True if a flush is to follow.
    needs_flush: bool,
    /// Commands at the drive, and their sectors.
    under_way: Vec<(CommandId, Range<u64>)>,
    result: Result<(), NbdError>,
    began: SimTime,
    /// Factor by which a fault stretches the latency.
    times: f64,
    /// Draw that picks the bit of a read that a fault flips.
    flips: Option<u64>,
}

struct Loop<'a> {
    drive: DataDrive,
    trim_sectors: Option<u64>,
    shared: &'a Shared,
    faults: Arc<Faults>,
    /// Requests and answers that are put off.
    deferred: DeferredQueue,
    /// Instant at which the drive was switched on last.
    on_since: Instant,
    off_until: SimTime,
    /// Present of the drive's time.
    clock: SimTime,
    flights: Vec<Option<InFlight>>,
    free: Vec<u32>,
    /// Commands submitted so far.
    commands: u64,
    /// A call that waits until nothing is under way, and whether everything is flushed for it.
    quiet: Option<(Call, bool)>,
    /// Jobs that arrived since.
    held: VecDeque<Job>,
    /// The drive is off its bus.
    is_gone: bool,
    /// Requests that nobody answers: when the host gives each up, and whether the drive had it, or a part of
    /// it, when it left the bus.
    lost: VecDeque<(SimTime, IoRequest, bool)>,
    is_stopping: bool,
    done: Vec<Completion>,
    /// Times at which the requests just answered were completed.
    answered: Vec<SimTime>,
}

impl<'a> Loop<'a> {
    fn new(
        drive: DataDrive,
        trim_sectors: Option<u64>,
        faults: Arc<Faults>,
        shared: &'a Shared,
    ) -> Loop<'a> {
        Loop {
            drive,
            trim_sectors,
            shared,
            deferred: DeferredQueue::default(),
            on_since: faults.began(),
            off_until: SimTime::ZERO,
            faults,
            clock: SimTime::ZERO,
            flights: Vec::new(),
            free: Vec::new(),
            commands: 0,
            quiet: None,
            held: VecDeque::new(),
            is_gone: false,
            lost: VecDeque::new(),
            is_stopping: false,
            done: Vec::new(),
            answered: Vec::new(),
        }
    }

    fn run(mut self, mut waiter: Waiter) -> DataDrive {
        let mut jobs = Vec::new();
        loop {
            std::mem::swap(&mut jobs, &mut self.shared.inbox().jobs);
            for job in jobs.drain(..) {
                if let Job::HardReset(hard_reset) = job {
                    self.hard_reset(hard_reset, waiter.waker());
                    continue;
                }
                self.begin(job);
                // What is due meanwhile does not wait for the rest.
                self.catch_up();
            }
            self.catch_up();
            if self.is_stopping {
                self.finish_at_once();
                return self.drive;
            }
            let given_up = self.lost.front().map(|(at, ..)| *at);
            let next = self.drive.next_event().into_iter().chain(given_up);
            let next = next.chain(self.deferred.next()).min();
            let began = self.faults.began();
            waiter.wait(next.map(|at| began + std::time::Duration::from_nanos(at.0)));
        }
    }

    fn time_of(&self, instant: Instant) -> SimTime {
        SimTime::ZERO + self.faults.time_of(instant)
    }

    /// Lets the drive's time go on; it never goes back.
    fn advance(&mut self, to: SimTime) {
        self.clock = self.clock.max(to);
        match self.drive.next_event() {
            Some(at) if at <= self.clock => self.drive.advance(self.clock, &mut self.done),
            _ => self.drive.note_time(self.clock),
        }
    }

    fn begin(&mut self, job: Job) {
        match job {
            Job::Stop => self.is_stopping = true,
            Job::Look(call) => {
                self.advance(self.time_of(Instant::now()));
                call(&mut self.drive);
            }
            Job::Presence(true) => self.come_back(),
            Job::Presence(false) => self.vanish(),
            Job::HardReset(_) => unreachable!("it is made in place"),
            job if self.quiet.is_some() => self.held.push_back(job),
            Job::Quiet(call) => {
                self.quiet = Some((call, false));
                self.become_quiet();
            }
            Job::Request(request) => {
                if let Some(result) = super::answer_at_once(&request, self.trim_sectors) {
                    request.answer(result);
                    return;
                }
                self.advance(self.time_of(request.arrived_at()));
                self.receive(request);
            }
        }
    }

    fn pieces(&self, operation: Operation, range: Range<u64>) -> Pieces {
        Pieces::of(operation, range, self.trim_sectors, DATA_SECTORS_MAX)
    }

    fn launch(&mut self, mut flight: InFlight) {
        let number = self.free.pop().unwrap_or_else(|| {
            self.flights.push(None);
            self.flights.len() as u32 - 1
        });
        self.go_on(number, &mut flight);
        self.flights[number as usize] = Some(flight);
    }

    /// Gives the drive what it can have of a request. If it is given nothing, there is nothing left.
    fn go_on(&mut self, number: u32, flight: &mut InFlight) {
        while flight.under_way.len() < PIECES_AT_ONCE
            && flight.result.is_ok()
            && let Some(piece) = flight.pieces.next()
        {
            // The rest of a large request would take as long as its size says.
            match self.is_stopping {
                true => flight.result = Err(NbdError::Shutdown),
                false => self.submit(number, flight, &piece),
            }
        }
        // A flush covers what was done before it began.
        if flight.under_way.is_empty()
            && flight.result.is_ok()
            && std::mem::take(&mut flight.needs_flush)
        {
            let range = flight.request.as_ref().map_or(0..0, IoRequest::range);
            self.submit(number, flight, &Piece::flush_of(range));
        }
    }

    fn submit(&mut self, number: u32, flight: &mut InFlight, piece: &Piece) {
        self.commands += 1;
        let command = Command::new(
            piece.kind,
            self.commands << 32 | u64::from(number),
            piece.range.start,
            piece.sectors() as u32,
            self.clock,
        );
        flight.under_way.push((command.id, piece.range.clone()));
        let request = &flight.request;
        let part = |range: &Range<u64>| {
            request
                .as_ref()
                .map_or(&[][..], |request| request.part(range))
        };
        self.drive.submit(command, piece.data(part), self.clock);
    }

    /// Brings the drive to the present and answers what is done, or was waited for long enough.
    fn catch_up(&mut self) {
        self.advance(self.time_of(Instant::now()));
        self.land();
        while self.lost.front().is_some_and(|(at, ..)| *at <= self.clock) {
            let (_, request, _) = self.lost.pop_front().expect("the first");
            self.count(&request, &Err(NbdError::Io), GIVEN_UP_AFTER);
            request.answer(Err(NbdError::Io));
        }
        self.go_on_later();
    }

    /// Answers what is done, all with one call for each client.
    fn land(&mut self) {
        while !self.done.is_empty() {
            let mut done = std::mem::take(&mut self.done);
            let mut answers = Completions::default();
            for completion in done.drain(..) {
                self.complete(completion, &mut answers);
            }
            let leaving = self.time_of(Instant::now());
            drop(answers);
            self.count_lateness(leaving);
            if self.done.is_empty() {
                self.done = done;
            }
            self.become_quiet();
        }
    }

    fn complete(&mut self, completion: Completion, answers: &mut Completions) {
        let number = completion.id.0 as u32;
        let flight = self.flights[number as usize].take();
        let mut flight = flight.expect("a command of a request under way");
        let mut under_way = flight.under_way.iter();
        let place = under_way.position(|(id, _)| *id == completion.id);
        let (_, part) = flight
            .under_way
            .swap_remove(place.expect("it was submitted"));
        flight.result = flight.result.and(outcome(completion.outcome));
        if let Some(request) = flight
            .request
            .as_mut()
            .filter(|request| request.operation() == Operation::Read)
            && flight.result.is_ok()
        {
            flight.result = super::read(&mut self.drive, &part, request);
        }
        self.go_on(number, &mut flight);
        if !flight.under_way.is_empty() {
            self.flights[number as usize] = Some(flight);
            return;
        }
        self.free.push(number);
        let Some(mut request) = flight.request else {
            return;
        };
        if let Some(draw) = flight.flips.filter(|_| flight.result.is_ok()) {
            request.flip(draw);
            // A fault may have the answer take longer, or the drive may be off its bus by then.
        }
        let took = completion.at.since(flight.began);
        let slow = Nanos((took.0 as f64 * flight.times) as u64);
        let away = self.faults.away_until(completion.at.since(SimTime::ZERO));
        let leaves = (flight.began + slow).max(SimTime::ZERO + away.unwrap_or_default());
        if leaves > completion.at && !self.is_stopping {
            let took = leaves.since(flight.began);
            self.deferred
                .push(leaves, Deferred::Answer(request, flight.result, took));
            return;
        }
        self.count(&request, &flight.result, took);
        self.answered.push(completion.at);
        request.answer_with(answers, flight.result);
    }

    fn count(&self, request: &IoRequest, result: &Result<(), NbdError>, latency: Nanos) {
        let range = request.range();
        let bytes = (range.end - range.start) * SECTOR_BYTES;
        let mut statistics = self.shared.statistics();
        statistics.count(request.operation(), bytes, result.is_ok(), Some(latency));
    }

    /// Counts the lateness of the answers that were handed to the kernel at `leaving`. The time that the kernel
    /// takes to send them and to wake their client is not in it: it depends on the work of the client's core.
    fn count_lateness(&mut self, leaving: SimTime) {
        if self.is_stopping || self.answered.is_empty() {
            return;
        }
        let mut statistics = self.shared.statistics();
        for done_at in self.answered.drain(..) {
            statistics.lateness.record(leaving.since(done_at));
        }
    }

    fn is_idle(&self) -> bool {
        self.free.len() == self.flights.len()
    }

    /// Makes the call that waits for quiet, if it is quiet.
    fn become_quiet(&mut self) {
        while self.is_idle()
            && let Some((call, is_flushed)) = self.quiet.take()
        {
            if is_flushed {
                call(&mut self.drive);
                while self.quiet.is_none()
                    && let Some(job) = self.held.pop_front()
                {
                    self.begin(job);
                }
                continue;
            }
            self.quiet = Some((call, true));
            self.launch(InFlight {
                request: None,
                pieces: self.pieces(Operation::Flush, 0..0),
                needs_flush: false,
                under_way: Vec::new(),
                result: Ok(()),
                began: self.clock,
                times: 1.0,
                flips: None,
            });
        }
    }

    /// Finishes what is under way as fast as the drive's time can be made to pass. Of a request that the drive
    /// has only a part of, the rest is refused.
    fn finish_at_once(&mut self) {
        self.end_later();
        while !self.is_idle() {
            let Some(next) = self.drive.next_event() else {
                if self.drive.end_commits() {
                    continue;
                }
                // Nothing will happen any more: dropped requests are answered with an error.
                return;
            };
            self.advance(next);
            self.land();
        }
    }
}
