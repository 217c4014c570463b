//! The highest rate of a load that keeps a latency.

use super::PlanError;
use super::drive::Planner;
use super::pace::{DAY_S, Rates};
use super::point::{Brought, longest};
use super::search::{Found, Search};
use ftlab_base::Nanos;
use ftlab_base::amount::decimal;
use ftlab_result::plan::HighestRate;
use ftlab_states::watch::Watch;

/// The least and the largest share of a rate's time between requests that is tried: from a thousand times the load's own
/// rate down to a hundred-thousandth of it.
const BOUNDS: [f64; 2] = [1e-3, 1e5];

/// The share by which percentiles of random arrivals vary.
const LATENCY_SHARE: f64 = 0.01;

/// Rates nearer than this are one.
const RATE_RATIO: f64 = 1.01;

impl Planner<'_> {
    /// The highest rate at which the 99th percentile of reads and of writes is at most `p99_ns`.
    pub fn highest_rate(
        &self,
        brought: &Brought,
        rates: &Rates,
        p99_ns: f64,
        watch: &Watch<'_>,
    ) -> Result<HighestRate, PlanError> {
        let none = |words: String| HighestRate {
            p99_ns: p99_ns as u64,
            host_bytes_per_day: None,
            iops: None,
            reached_ns: None,
            words,
        };
        let Some([write_bytes_s, requests_s]) = rates.own() else {
            let Rates::Fixed(why) = rates else {
                unreachable!("other rates can be changed");
            };
            return Ok(none(format!("The load cannot run at another rate: {why}.")));
        };
        // The longer between requests, the shorter their latency.
        let mut measure = |spacing: f64| {
            let load = rates.at(self.load(), 1.0 / spacing, self.requests(brought));
            let tell = |_: &str, share| watch("looking for the highest rate", share);
            let record = self.time(brought, &load, self.length_of_rated(), &tell)?;
            let longest = longest(&record.run, 99.0);
            Ok::<f64, PlanError>(longest.map_or(f64::INFINITY, |ns| ns as f64))
        };
        let search = Search {
            goal: p99_ns,
            value_share: LATENCY_SHARE,
            place_ratio: RATE_RATIO,
            bounds: BOUNDS,
        };
        let first = (1.0, measure(1.0)?);
        let found = search.least(&[first], &|_| None, &mut measure)?;
        let goal = Nanos(p99_ns as u64);
        let (Found::At(seen) | Found::Everywhere(seen) | Found::Nowhere(seen)) = found;
        let (spacing, value) = seen;
        let (bytes, iops) = (write_bytes_s / spacing * DAY_S, requests_s / spacing);
        let there = format!(
            "{} a day, {iops:.0} requests a second: p99 is {} there.",
            decimal(bytes, "B"),
            Nanos(value as u64)
        );
        let (keeps, words) = match found {
            Found::At(_) => (true, there),
            Found::Everywhere(_) => (true, format!("The highest that was tried: {there}")),
            Found::Nowhere(_) => (false, format!("No rate keeps {goal}. Nearest: {there}")),
        };
        Ok(HighestRate {
            host_bytes_per_day: keeps.then_some(bytes),
            iops: keeps.then_some(iops),
            reached_ns: Some(value as u64),
            ..none(words)
        })
    }
}
