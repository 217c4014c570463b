//! Test of a job for a steady rate (fio's `steadystate`): seconds in a row whose rates lie on a flat line, or close to
//! their mean.

use crate::driver::stats::Interval;
use ftlab_base::{Nanos, SimTime};
use ftlab_workload::{Measure, Steady};
use std::collections::VecDeque;

const SECOND: Nanos = Nanos::from_secs(1);

/// The seconds of a job that count.
#[derive(Debug)]
pub struct SteadyWatch {
    words: Steady,
    seconds: usize,
    /// The end of the second that is counted now.
    next: SimTime,
    now: Interval,
    window: VecDeque<Interval>,
    found: Found,
}

/// Finding about the last seconds that were looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Found {
    /// True if they are steady.
    pub is_attained: bool,
    /// The value that is compared with the limit.
    pub criterion: f64,
    /// Their largest distance from the mean; 0 where the slope is looked at.
    pub deviation: f64,
    /// The slope of the line through them; 0 where the distance is looked at.
    pub slope: f64,
}

/// Report on the steadiness of a job, by the last seconds that count.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyReport {
    /// Condition under which it counts as steady.
    pub words: Steady,
    /// Finding about its last seconds.
    pub found: Found,
    /// The last seconds that count.
    pub seconds: Vec<Interval>,
}

impl SteadyWatch {
    /// Watches a job that begins at `start`; none where it is not to become steady.
    pub fn of(words: Steady, start: SimTime) -> Option<SteadyWatch> {
        let seconds = words.duration.0 / SECOND.0;
        // As in fio, the second after the ramp is left out.
        let ramp = match words.ramp.0 {
            0 => Nanos::ZERO,
            ramp => Nanos(ramp + SECOND.0),
        };
        (seconds > 0).then(|| SteadyWatch {
            words,
            seconds: seconds as usize,
            next: start + ramp + SECOND,
            now: Interval::default(),
            window: VecDeque::new(),
            found: Found::default(),
        })
    }

    /// Takes a completion; returns true if the job had become steady before it.
    pub fn completed(&mut self, bytes: u64, at: SimTime) -> bool {
        while at >= self.next {
            self.next += SECOND;
            if self.window.len() == self.seconds {
                self.window.pop_front();
            }
            self.window.push_back(self.now);
            self.now = Interval::default();
            if self.window.len() == self.seconds {
                self.found = self.look();
                if self.found.is_attained {
                    return true;
                }
            }
        }
        if at + SECOND >= self.next {
            self.now.ios += 1;
            self.now.bytes += bytes;
        }
        false
    }

    /// Returns the finding, once the job has ended.
    pub fn report(&self) -> SteadyReport {
        SteadyReport {
            words: self.words,
            found: self.found,
            seconds: self.window.iter().copied().collect(),
        }
    }

    fn look(&self) -> Found {
        let rates = self.window.iter().map(|second| match self.words.measure {
            Measure::Iops => second.ios as f64,
            Measure::Bandwidth => second.bytes as f64,
        });
        let rates: Vec<f64> = rates.collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        let (deviation, slope) = match self.words.by_slope {
            true => (0.0, Self::slope(&rates, mean)),
            false => {
                let off = rates.iter().map(|rate| (rate - mean).abs());
                (off.fold(0.0, f64::max), 0.0)
            }
        };
        // One of the two is none.
        let off = deviation + slope;
        let criterion = match self.words.in_percent {
            true => 100.0 * off / mean,
            false => off,
        };
        Found {
            is_attained: criterion.abs() < self.words.limit,
            // Seconds without a request have no mean to be a share of.
            criterion: if criterion.is_finite() {
                criterion
            } else {
                0.0
            },
            deviation,
            slope,
        }
    }

    /// The slope of the line through the seconds, in their unit a second.
    fn slope(rates: &[f64], mean: f64) -> f64 {
        let middle = (rates.len() as f64 - 1.0) / 2.0;
        let pairs = || rates.iter().enumerate();
        let along = |(n, _): (usize, &f64)| (n as f64 - middle).powi(2);
        let both = |(n, rate): (usize, &f64)| (n as f64 - middle) * (rate - mean);
        let spread: f64 = pairs().map(along).sum();
        match spread > 0.0 {
            true => pairs().map(both).sum::<f64>() / spread,
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many seconds a job of these requests a second is steady.
    fn steady_after(words: Steady, rates: &[u64]) -> Option<usize> {
        let mut watch = SteadyWatch::of(words, SimTime::ZERO).unwrap();
        for (second, &rate) in rates.iter().enumerate() {
            for n in 0..rate {
                let at = SimTime(second as u64 * SECOND.0 + n * SECOND.0 / rate);
                if watch.completed(4096, at) {
                    return Some(second);
                }
            }
        }
        None
    }

    const FALLING: [u64; 8] = [900, 700, 500, 400, 400, 404, 400, 400];

    #[test]
    fn a_job_is_steady_when_its_seconds_are_alike() {
        let words = |by_slope, limit| Steady {
            by_slope,
            limit,
            duration: Nanos::from_secs(3),
            ..Steady::default()
        };
        // The seconds from the fourth on, and from the fourth to the sixth as a line.
        assert_eq!(steady_after(words(false, 2.0), &FALLING), Some(6));
        assert_eq!(steady_after(words(true, 1.0), &FALLING), Some(6));
        assert_eq!(steady_after(words(true, 0.01), &FALLING), Some(7));
        assert_eq!(steady_after(words(true, 0.01), &FALLING[..6]), None);
        let late = Steady {
            ramp: Nanos::from_secs(1),
            ..words(false, 50.0)
        };
        assert_eq!(steady_after(late, &[100; 8]), Some(5));
    }
}
