//! The jobs of a group, which run at the same time, as a source of requests.

use super::io::{Ended, Io};
use super::shares::Shares;
use super::source::Source;
use super::stats::JobReport;
use super::worker::Worker;
use ftlab_base::{RootSeed, SimTime};

/// Jobs that run at the same time.
pub struct Group {
    workers: Vec<Worker>,
}

impl Group {
    pub fn new<'a>(
        index: usize,
        jobs: impl Iterator<Item = &'a Shares>,
        seed: RootSeed,
        start: SimTime,
    ) -> Self {
        Group {
            workers: jobs
                .map(|job| Worker::new(job, index, seed, start))
                .collect(),
        }
    }

    /// What each job did.
    pub fn reports(self) -> impl Iterator<Item = JobReport> {
        self.workers.into_iter().map(Worker::finish)
    }
}

impl Source for Group {
    /// The job, by its place in the group.
    type Tag = u32;

    #[inline]
    fn act(&mut self, now: SimTime, io: &mut Io<'_, '_, u32>) -> SimTime {
        let mut next = SimTime::NEVER;
        for (index, worker) in (0..).zip(&mut self.workers) {
            loop {
                let at = worker.issues_at(now);
                if at > now {
                    next = next.min(at);
                    break;
                }
                let (device, request) = worker.issue();
                io.submit(index, device, request, now);
            }
        }
        next
    }

    #[inline]
    fn ended(&mut self, ended: Ended<u32>) -> bool {
        let worker = &mut self.workers[ended.tag as usize];
        if ended.is_good {
            worker.complete(ended.kind, ended.bytes, ended.from, ended.to);
        } else {
            worker.fail(ended.to);
        }
        true
    }

    #[inline]
    fn is_over(&self, wake: SimTime, outstanding: u64) -> bool {
        wake == SimTime::NEVER && outstanding == 0
    }

    /// The jobs end with the last of them.
    fn share(&self, now: SimTime, _completed: u64) -> Option<f64> {
        let shares = self.workers.iter().map(|worker| worker.share(now));
        Some(shares.fold(1.0, f64::min))
    }

    fn only_time_ends(&self) -> bool {
        self.workers.iter().any(Worker::only_time_ends)
    }

    fn counts_from(&self) -> Option<SimTime> {
        self.workers.iter().map(|w| w.report.measured_from).min()
    }

    fn ends(&self) -> Option<SimTime> {
        self.workers.iter().map(Worker::ends).max()
    }
}
