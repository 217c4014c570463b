//! Virtual time: an instant and a span are different types, both in whole nanoseconds.
//!
//! Sums stop at [`SimTime::NEVER`], some 584 years: a drive file may give every phase an hour and a
//! rate of a byte a second, and an instant that wrapped around would lie in the past.

use crate::amount::three_digits;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// An instant of virtual time, in nanoseconds since the run began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SimTime(pub u64);

/// A span of time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub u64);

impl SimTime {
    /// The instant at which every run begins.
    pub const ZERO: SimTime = SimTime(0);
    /// Later than anything that happens.
    pub const NEVER: SimTime = SimTime(u64::MAX);

    /// The span since `earlier`; zero when `earlier` is not earlier.
    #[must_use]
    pub fn since(self, earlier: SimTime) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }

    /// The instant so long before; the beginning of the run at the earliest.
    #[must_use]
    pub fn less(self, span: Nanos) -> SimTime {
        SimTime(self.0.saturating_sub(span.0))
    }

    /// Seconds since the run began.
    #[must_use]
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Nanos {
    /// The span of no length.
    pub const ZERO: Nanos = Nanos(0);

    /// A span of whole microseconds.
    #[must_use]
    pub const fn from_micros(us: u64) -> Nanos {
        Nanos(us * 1_000)
    }

    /// A span of whole milliseconds.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Nanos {
        Nanos(ms * 1_000_000)
    }

    /// A span of whole seconds.
    #[must_use]
    pub const fn from_secs(s: u64) -> Nanos {
        Nanos(s * 1_000_000_000)
    }

    /// The nearest whole number of nanoseconds to `s` seconds; negative and NaN give zero.
    #[must_use]
    pub fn from_secs_f64(s: f64) -> Nanos {
        Nanos((s * 1e9).round().max(0.0) as u64)
    }

    /// The span in seconds.
    #[must_use]
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The span in milliseconds.
    #[must_use]
    pub fn as_millis(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The span in microseconds.
    #[must_use]
    pub fn as_micros(self) -> f64 {
        self.0 as f64 / 1e3
    }
}

impl Add<Nanos> for SimTime {
    type Output = SimTime;
    #[inline]
    fn add(self, span: Nanos) -> SimTime {
        SimTime(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Nanos> for SimTime {
    #[inline]
    fn add_assign(&mut self, span: Nanos) {
        *self = *self + span;
    }
}

impl Add for Nanos {
    type Output = Nanos;
    #[inline]
    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    #[inline]
    fn add_assign(&mut self, other: Nanos) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Nanos;
    #[inline]
    fn sub(self, other: Nanos) -> Nanos {
        Nanos(self.0 - other.0)
    }
}

impl Mul<u64> for Nanos {
    type Output = Nanos;
    #[inline]
    fn mul(self, times: u64) -> Nanos {
        Nanos(self.0.saturating_mul(times))
    }
}

impl Sum for Nanos {
    fn sum<I: Iterator<Item = Nanos>>(spans: I) -> Nanos {
        spans.fold(Nanos::ZERO, Add::add)
    }
}

impl fmt::Display for Nanos {
    /// The span in the largest unit that leaves a whole part, with three significant digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            ns @ 0..1_000 => return write!(f, "{ns} ns"),
            1_000..1_000_000 => (self.as_micros(), "µs"),
            1_000_000..1_000_000_000 => (self.as_millis(), "ms"),
            _ => (self.as_secs(), "s"),
        };
        write!(f, "{} {unit}", three_digits(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_prints_in_its_largest_whole_unit() {
        let shown: Vec<String> = [999, 1_500, 89_500, 244_000_000, 15_600_000_000]
            .map(|ns| Nanos(ns).to_string())
            .to_vec();
        assert_eq!(shown, ["999 ns", "1.50 µs", "89.5 µs", "244 ms", "15.6 s"]);
    }

    #[test]
    fn time_ends_and_does_not_begin_again() {
        let (day, ages) = (Nanos::from_secs(86_400), Nanos(u64::MAX - 1));
        assert_eq!(SimTime(5) + ages + day, SimTime::NEVER);
        assert_eq!(day + ages, Nanos(u64::MAX));
        assert_eq!(day * u64::MAX, Nanos(u64::MAX));
        assert_eq!([ages, day].into_iter().sum::<Nanos>(), Nanos(u64::MAX));
        let (mut instant, mut span) = (SimTime(u64::MAX - 1), ages);
        instant += day;
        span += day;
        assert_eq!((instant, span), (SimTime::NEVER, Nanos(u64::MAX)));
    }

    #[test]
    fn an_instant_before_gives_no_span() {
        assert_eq!(SimTime(5).since(SimTime(9)), Nanos::ZERO);
        assert_eq!(SimTime(9).since(SimTime(5)), Nanos(4));
    }
}
