//! How a drive takes requests: one that is there, off its bus, without power, or with faults that were asked for.

use super::later::Later;
use super::{Flight, GIVEN_UP_AFTER, Loop};
use crate::engine::ask::{Ask, What};
use crate::engine::cut::{HardReset, ResetOutcome};
use crate::faults;
use ftlab_base::{Nanos, SimTime};
use ftlab_drive::faults::Verdict;
use ftlab_nbd::NbdError;
use ftlab_nbd::pacing::Waker;
use std::time::Instant;

impl Loop<'_> {
    /// A request has come to the drive.
    pub(super) fn receive(&mut self, ask: Ask) {
        if ask.arrived_at() < self.on_since {
            // It came before the power went, and whoever asked has no connection any more.
            self.answer_now(ask, Err(NbdError::Io));
        } else if self.is_gone {
            self.lose(ask, false);
        } else if self.clock < self.off_until {
            self.laters.push(self.off_until, Later::Ask(ask));
        } else {
            let now = self.clock.since(SimTime::ZERO);
            let verdict = self.faults.judge(ask.what(), &ask.range(), ask.fua(), now);
            let not_before = SimTime::ZERO + verdict.not_before;
            match not_before > self.clock {
                true => self.laters.push(not_before, Later::Begin(ask, verdict)),
                false => self.start(ask, &verdict, self.clock),
            }
        }
    }

    /// Begins a request that has come at that time.
    fn start(&mut self, mut ask: Ask, verdict: &Verdict, began: SimTime) {
        if let Some(result) = verdict.answer.map(faults::result) {
            let took = self.clock.since(began);
            self.count(&ask, &result, took);
            ask.answer(result);
            return;
        }
        let reads = ask.what() == What::Read;
        if let Some(draw) = verdict.flips.filter(|_| !reads) {
            ask.flip(draw);
        }
        if let Some(sector) = verdict.lands_at {
            ask.land_at(sector);
        }
        let writes = !matches!(ask.what(), What::Read | What::Flush);
        let flight = Flight {
            pieces: self.pieces(ask.what(), ask.range()),
            needs_flush: writes && ask.fua() && !verdict.drops_flush,
            under_way: Vec::new(),
            result: Ok(()),
            began,
            times: verdict.times,
            flips: verdict.flips.filter(|_| reads),
            ask: Some(ask),
        };
        self.launch(flight);
    }

    fn answer_now(&mut self, ask: Ask, result: Result<(), NbdError>) {
        let took = self.clock.since(self.time_of(ask.arrived_at()));
        self.count(&ask, &result, took);
        ask.answer(result);
    }

    /// What is under way fails, and the drive comes back as its image says.
    pub(super) fn hard_reset(&mut self, hard_reset: HardReset, waker: Waker) {
        self.catch_up();
        let off = Nanos(u64::try_from(hard_reset.off.as_nanos()).unwrap_or(u64::MAX / 2));
        let off_until = self.clock + off;
        let now = Instant::now();
        let mut asks = Vec::new();
        match (hard_reset.act)(&mut self.drive) {
            ResetOutcome::Refused => return,
            ResetOutcome::Lost => self.vanish(),
            ResetOutcome::IsBack => {
                let flights = std::mem::take(&mut self.flights);
                let flights = flights.into_iter().flatten();
                asks.extend(flights.filter_map(|flight| flight.ask));
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
        for ask in asks {
            self.answer_now(ask, Err(NbdError::Io));
        }
        self.become_quiet();
    }

    /// The drive leaves its bus: what is under way goes on in it, and nobody hears of that. What it
    /// was not told yet of a request it is never told.
    pub(super) fn vanish(&mut self) {
        self.is_gone = true;
        for number in 0..self.flights.len() {
            let Some(flight) = self.flights[number].as_mut() else {
                continue;
            };
            if let Some(ask) = flight.ask.take() {
                flight.result = Err(NbdError::Io);
                self.lose(ask, true);
            }
        }
    }

    /// The drive is back on its bus. What came meanwhile is done; what it had when it went is aborted, as by a reset.
    pub(super) fn come_back(&mut self) {
        self.is_gone = false;
        for (_, ask, was_there) in std::mem::take(&mut self.lost) {
            match was_there {
                true => self.answer_now(ask, Err(NbdError::Io)),
                false => self.receive(ask),
            }
        }
    }

    fn lose(&mut self, ask: Ask, was_there: bool) {
        let given_up_at = self.clock + GIVEN_UP_AFTER;
        self.lost.push_back((given_up_at, ask, was_there));
    }

    /// Does what was held until now.
    pub(super) fn go_on_later(&mut self) {
        while let Some(later) = self.laters.pop(self.clock) {
            match later {
                Later::Ask(ask) => self.receive(ask),
                Later::Begin(ask, _) if self.is_gone || ask.arrived_at() < self.on_since => {
                    self.receive(ask);
                }
                Later::Begin(ask, verdict) => {
                    let began = self.time_of(ask.arrived_at());
                    self.start(ask, &verdict, began);
                }
                Later::Answer(ask, result, took) => {
                    self.count(&ask, &result, took);
                    ask.answer(result);
                }
            }
        }
    }

    /// It stops: what is held is refused, and answers leave.
    pub(super) fn end_later(&mut self) {
        while let Some(later) = self.laters.pop(SimTime::NEVER) {
            match later {
                Later::Ask(ask) | Later::Begin(ask, _) => ask.answer(Err(NbdError::Shutdown)),
                Later::Answer(ask, result, took) => {
                    self.count(&ask, &result, took);
                    ask.answer(result);
                }
            }
        }
    }
}
