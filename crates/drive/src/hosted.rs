//! A drive behind cores of a host that requests take time of, both ways.

use crate::device::{CacheRefused, Device, EraseRefused};
use crate::occupancy::Occupancy;
use crate::passes_on::passes_on;
use crate::state::DeviceState;
use ftlab_base::{Command, Completion, Nanos, Outcome, SimTime};
use ftlab_host::{Cores, Host, Path};

/// A drive and the way of requests to it and back.
pub struct Hosted {
    device: Box<dyn Device>,
    path: Path,
    transfer_max: Option<u32>,
    cores: Cores,
    /// True if time has gone on since the cores were new.
    is_timed: bool,
    /// Scratch: completions that the drive has just ended, and commands that it is just sent.
    ended: Vec<Completion>,
    sent: Vec<Command>,
}

impl Hosted {
    /// Puts a drive behind `path`. A command of its host moves at most `transfer_max` sectors.
    #[must_use]
    pub fn new(device: Box<dyn Device>, path: Path, transfer_max: Option<u32>) -> Hosted {
        Hosted {
            device,
            path,
            transfer_max,
            cores: Cores::new(path, transfer_max),
            is_timed: false,
            ended: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// Time ends: when it begins again, whatever the clock says then, the cores have nothing to do.
    fn end_time(&mut self) {
        if self.is_timed {
            assert!(self.cores.is_idle(), "requests are under way");
            self.cores = Cores::new(self.path, self.transfer_max);
            self.is_timed = false;
        }
    }

    /// Hands on what the drive has ended.
    fn take_ended(&mut self) {
        for completion in self.ended.drain(..) {
            self.cores.end(completion);
        }
    }

    /// Lets the earliest things happen that are not after `limit`; gives when.
    fn step(&mut self, limit: SimTime, seen: &mut Vec<Completion>) -> Option<SimTime> {
        let own = self.cores.next_event();
        let drives = self.device.next_event().unwrap_or(SimTime::NEVER);
        if own.min(drives) > limit || own.min(drives) == SimTime::NEVER {
            return None;
        }
        if drives <= own {
            let limit = limit.min(own);
            let at = self.device.advance_to_completion(limit, &mut self.ended);
            self.take_ended();
            return at;
        }
        self.cores.advance(own, &mut self.sent, seen);
        for command in self.sent.drain(..) {
            self.device.submit(command, own);
        }
        Some(own)
    }
}

impl Device for Hosted {
    passes_on!();

    fn submit(&mut self, command: Command, now: SimTime) {
        self.is_timed = true;
        self.cores.submit(command, now);
    }

    fn next_event(&self) -> Option<SimTime> {
        let next = self.device.next_event().unwrap_or(SimTime::NEVER);
        let next = next.min(self.cores.next_event());
        (next < SimTime::NEVER).then_some(next)
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        while self.step(now, done).is_some() {}
    }

    fn advance_to_completion(
        &mut self,
        limit: SimTime,
        done: &mut Vec<Completion>,
    ) -> Option<SimTime> {
        let (before, mut last) = (done.len(), None);
        while done.len() == before
            && let Some(at) = self.step(limit, done)
        {
            last = Some(at);
        }
        // The rest of the instant, of which there is mostly none.
        if let Some(at) = last
            && self.next_event().is_some_and(|next| next <= at)
        {
            self.advance(at, done);
        }
        last
    }

    fn apply(&mut self, command: Command) -> Outcome {
        self.end_time();
        self.device.apply(command)
    }

    fn occupancy(&self, now: SimTime) -> Option<Occupancy> {
        let mut occupancy = self.device.occupancy(now)?;
        occupancy.host_busy.extend(self.cores.worked_until(now));
        Some(occupancy)
    }

    fn host_busy(&self, now: SimTime) -> Option<Nanos> {
        Some(self.cores.busy_until(now))
    }

    fn set_write_cache(&mut self, on: bool) -> Result<(), CacheRefused> {
        self.end_time();
        self.device.set_write_cache(on)
    }

    fn plug(&mut self, host: &Host) {
        self.end_time();
        self.device.plug(host);
    }

    fn secure_erase(&mut self) -> Result<(), EraseRefused> {
        self.end_time();
        self.device.secure_erase()
    }

    fn save(&self) -> DeviceState {
        assert!(self.cores.is_idle(), "saving a drive at work");
        self.device.save()
    }

    fn snapshot(&self) -> Box<dyn Device> {
        assert!(self.cores.is_idle(), "a snapshot of a drive at work");
        Box::new(Hosted::new(
            self.device.snapshot(),
            self.path,
            self.transfer_max,
        ))
    }
}
