//! A drive behind cores of a host that requests take time of, both ways.

use crate::device::{CacheRefused, Device, EraseRefused};
use crate::occupancy::Occupancy;
use crate::passes_on::passes_on;
use crate::state::DeviceState;
use ftlab_base::{Command, CommandId, Completion, Nanos, Outcome, SimTime};
use ftlab_host::{Cores, Host, Path};

/// A drive and the way of requests to it and back.
#[derive(Clone)]
pub struct Hosted {
    device: Box<dyn Device>,
    path: Path,
    transfer_max: Option<u32>,
    cores: Cores,
    /// True if time has gone on since the cores were new.
    is_timed: bool,
    /// Scratch: completions that the drive has just ended.
    ended: Vec<Completion>,
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

    /// Instant of the drive's next event; [`SimTime::NEVER`] when there is none.
    #[inline]
    fn drives_next(&self) -> SimTime {
        self.device.next_event().unwrap_or(SimTime::NEVER)
    }

    /// Lets things happen up to `limit`, or until programs see more than `completions`; gives the last instant at which
    /// something happened.
    fn run(
        &mut self,
        limit: SimTime,
        completions: usize,
        seen: &mut Vec<Completion>,
    ) -> Option<SimTime> {
        let (mut last, mut drives) = (None, self.drives_next());
        while seen.len() <= completions {
            let own = self.cores.next_event();
            let next = own.min(drives);
            if next > limit || next == SimTime::NEVER {
                break;
            }
            if drives <= own {
                let limit = limit.min(own);
                let at = self.device.advance_to_completion(limit, &mut self.ended);
                for n in 0..self.ended.len() {
                    self.cores.end(self.ended[n]);
                }
                self.ended.clear();
                last = at.or(last);
                if at.is_none() {
                    break;
                }
            } else {
                let device = &mut self.device;
                let send = |command| device.submit(command, own);
                self.cores.advance(own, send, seen);
                last = Some(own);
            }
            drives = self.drives_next();
        }
        last
    }
}

impl Device for Hosted {
    passes_on!();

    fn submit(&mut self, command: Command, now: SimTime) {
        self.is_timed = true;
        self.cores.submit(command, now);
    }

    fn announce(&mut self, command: &Command) -> CommandId {
        self.is_timed = true;
        self.cores.announce(command)
    }

    fn submit_announced(&mut self, command: Command, at_store: CommandId, now: SimTime) {
        self.cores.call(command, at_store, now);
    }

    fn next_event(&self) -> Option<SimTime> {
        let next = self.drives_next().min(self.cores.next_event());
        (next < SimTime::NEVER).then_some(next)
    }

    fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        self.run(now, usize::MAX, done);
    }

    fn advance_to_completion(
        &mut self,
        limit: SimTime,
        done: &mut Vec<Completion>,
    ) -> Option<SimTime> {
        let last = self.run(limit, done.len(), done);
        // The rest of the instant, of which there is mostly none.
        if let Some(at) = last
            && self.drives_next().min(self.cores.next_event()) <= at
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
