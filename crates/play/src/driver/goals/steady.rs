//! Whether a job has become steady (fio's `steadystate`): seconds in a row whose rates lie on a flat line, or close
//! to their mean.

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
    now: f64,
    window: VecDeque<f64>,
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
            now: 0.0,
            window: VecDeque::new(),
        })
    }

    /// Takes a completion; whether the job had become steady before it.
    pub fn completed(&mut self, bytes: u64, at: SimTime) -> bool {
        while at >= self.next {
            self.next += SECOND;
            if self.window.len() == self.seconds {
                self.window.pop_front();
            }
            self.window.push_back(self.now);
            self.now = 0.0;
            if self.window.len() == self.seconds && self.is_steady() {
                return true;
            }
        }
        if at + SECOND >= self.next {
            self.now += match self.words.measure {
                Measure::Iops => 1.0,
                Measure::Bandwidth => bytes as f64,
            };
        }
        false
    }

    fn is_steady(&self) -> bool {
        let count = self.window.len() as f64;
        let mean = self.window.iter().sum::<f64>() / count;
        let off = match self.words.by_slope {
            true => self.slope(mean).abs(),
            false => {
                let off = self.window.iter().map(|rate| (rate - mean).abs());
                off.fold(0.0, f64::max)
            }
        };
        let off = match self.words.in_percent {
            true => 100.0 * off / mean,
            false => off,
        };
        off < self.words.limit
    }

    /// The slope of the line through the seconds, in their unit a second.
    fn slope(&self, mean: f64) -> f64 {
        let middle = (self.window.len() as f64 - 1.0) / 2.0;
        let pairs = || self.window.iter().enumerate();
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
