//! Arrival of requests at a drive that is there, off its bus, without power, or has faults.

use super::deferred::Deferred;
use super::{GIVEN_UP_AFTER, InFlight, Loop};
use crate::engine::cut::{HardReset, ResetOutcome};
use crate::engine::request::{IoRequest, Operation};
use crate::faults;
use ftlab_base::{Nanos, SimTime};
use ftlab_drive::faults::Verdict;
use ftlab_nbd::NbdError;
use ftlab_nbd::pacing::Waker;
use std::time::Instant;

impl Loop<'_> {
    /// A request has come to the drive.
    pub(super) fn receive(&mut self, request: IoRequest) {
        if request.arrived_at() < self.on_since {
            // It came before the power went, and whoever asked has no connection any more.
            self.answer_now(request, Err(NbdError::Io));
        } else if self.is_gone {
            self.lose(request, false);
        } else if self.clock < self.off_until {
            self.deferred
                .push(self.off_until, Deferred::Request(request));
        } else {
            let now = self.clock.since(SimTime::ZERO);
            let verdict =
                self.faults
                    .judge(request.operation(), &request.range(), request.fua(), now);
            let not_before = SimTime::ZERO + verdict.not_before;
            match not_before > self.clock {
                true => self
                    .deferred
                    .push(not_before, Deferred::Begin(request, verdict)),
                false => self.start(request, &verdict, self.clock),
            }
        }
    }

    /// Begins a request that has come at that time.
    fn start(&mut self, mut request: IoRequest, verdict: &Verdict, began: SimTime) {
        if let Some(result) = verdict.answer.map(faults::result) {
            let took = self.clock.since(began);
            self.count(&request, &result, took);
            request.answer(result);
            return;
        }
        let reads = request.operation() == Operation::Read;
        if let Some(draw) = verdict.flips.filter(|_| !reads) {
            request.flip(draw);
        }
        if let Some(sector) = verdict.lands_at {
            request.land_at(sector);
        }
        let writes = !matches!(request.operation(), Operation::Read | Operation::Flush);
        let flight = InFlight {
            pieces: self.pieces(request.operation(), request.range()),
            needs_flush: writes && request.fua() && !verdict.drops_flush,
            under_way: Vec::new(),
            result: Ok(()),
            began,
            times: verdict.times,
            flips: verdict.flips.filter(|_| reads),
            request: Some(request),
        };
        self.launch(flight);
    }

    fn answer_now(&mut self, request: IoRequest, result: Result<(), NbdError>) {
        let took = self.clock.since(self.time_of(request.arrived_at()));
        self.count(&request, &result, took);
        request.answer(result);
    }

    /// Aborts the requests under way. The drive comes back in the state of its image.
    pub(super) fn hard_reset(&mut self, hard_reset: HardReset, waker: Waker) {
        self.catch_up();
        let off = Nanos(u64::try_from(hard_reset.off.as_nanos()).unwrap_or(u64::MAX / 2));
        let off_until = self.clock + off;
        let now = Instant::now();
        let mut requests = Vec::new();
        match (hard_reset.act)(&mut self.drive) {
            ResetOutcome::Refused => return,
            ResetOutcome::Lost => self.vanish(),
            ResetOutcome::IsBack => {
                let flights = std::mem::take(&mut self.flights);
                let flights = flights.into_iter().flatten();
                requests.extend(flights.filter_map(|flight| flight.request));
                self.free.clear();
                self.done.clear();
                (self.on_since, self.off_until) = (now, off_until);
                self.is_gone = false;
                // Without a thread for it, flushes wait in place.
                let _ = self.drive.sync_beside(move || waker.wake());
                if let Some((call, _)) = self.quiet.take() {
                    self.quiet = Some((call, false));
                }
            }
        }
        for request in requests {
            self.answer_now(request, Err(NbdError::Io));
        }
        self.become_quiet();
    }

    /// Takes the drive off its bus. Requests under way go on in it without an answer, and it is not given the
    /// rest of them.
    pub(super) fn vanish(&mut self) {
        self.is_gone = true;
        for number in 0..self.flights.len() {
            let Some(flight) = self.flights[number].as_mut() else {
                continue;
            };
            if let Some(request) = flight.request.take() {
                flight.result = Err(NbdError::Io);
                self.lose(request, true);
            }
        }
    }

    /// Brings the drive back on its bus. Requests that arrived meanwhile are served; those that it had when it
    /// left are aborted, as by a reset.
    pub(super) fn come_back(&mut self) {
        self.is_gone = false;
        for (_, request, was_there) in std::mem::take(&mut self.lost) {
            match was_there {
                true => self.answer_now(request, Err(NbdError::Io)),
                false => self.receive(request),
            }
        }
    }

    fn lose(&mut self, request: IoRequest, was_there: bool) {
        let given_up_at = self.clock + GIVEN_UP_AFTER;
        self.lost.push_back((given_up_at, request, was_there));
    }

    /// Does what was held until now.
    pub(super) fn go_on_later(&mut self) {
        while let Some(deferred) = self.deferred.pop(self.clock) {
            match deferred {
                Deferred::Request(request) => self.receive(request),
                Deferred::Begin(request, _)
                    if self.is_gone || request.arrived_at() < self.on_since =>
                {
                    self.receive(request);
                }
                Deferred::Begin(request, verdict) => {
                    let began = self.time_of(request.arrived_at());
                    self.start(request, &verdict, began);
                }
                Deferred::Answer(request, result, took) => {
                    self.count(&request, &result, took);
                    request.answer(result);
                }
            }
        }
    }

    /// It stops: what is held is refused, and answers leave.
    pub(super) fn end_later(&mut self) {
        while let Some(deferred) = self.deferred.pop(SimTime::NEVER) {
            match deferred {
                Deferred::Request(request) | Deferred::Begin(request, _) => {
                    request.answer(Err(NbdError::Shutdown))
                }
                Deferred::Answer(request, result, took) => {
                    self.count(&request, &result, took);
                    request.answer(result);
                }
            }
        }
    }
}
