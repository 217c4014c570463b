//! A drive where the load has left it, timed at several rates of the load.

use super::PlanError;
use super::drive::{KEPT_UP_SHARE, Planner, latency};
use super::pace::Rates;
use super::point::Brought;
use ftlab_base::amount::grouped;
use ftlab_result::Run;
use ftlab_result::plan::AtRate;
use ftlab_states::watch::Watch;

/// The test that a rate is of a load.
pub fn test_of(load: &str, iops: f64) -> String {
    format!("{load}-rate-{iops:.0}")
}

/// A rate as a step of the curve.
pub fn step_of(iops: f64) -> String {
    format!("{}/s", grouped(iops.round() as u64))
}

impl Planner<'_> {
    /// The drive at each rate that was asked for, and its runs. A rate that the drive does not keep up with is the last
    /// that counts: beyond it, latencies grow as long as a run lasts.
    pub fn at_rates(
        &self,
        own: &Brought,
        rates: &Rates,
        (watch, done): (&Watch<'_>, &(dyn Fn(&str) + Sync)),
    ) -> Result<(Vec<AtRate>, Vec<Run>), PlanError> {
        let Some([_, own_iops]) = rates.own() else {
            return Ok((Vec::new(), Vec::new()));
        };
        let at = |&iops: &f64| -> Result<(AtRate, Run), PlanError> {
            let load = rates.at(self.load(), iops / own_iops, self.requests(own));
            let tell = |what: &str, share| watch(&format!("{}: {what}", step_of(iops)), share);
            let record = self.time(own, &load, self.length_of_rated(), &tell)?;
            let run = &record.run;
            let reached = run.read.iops + run.write.iops + run.trim.iops;
            let at = AtRate {
                asked_iops: iops,
                iops: reached,
                keeps_up: reached >= KEPT_UP_SHARE * iops,
                read: latency(&run.read),
                write: latency(&run.write),
            };
            let point = self.point(own, Some(run));
            let run = self.named(&test_of(&self.asked.load.name, iops), own, &point, record);
            done(&step_of(iops));
            Ok((at, run))
        };
        // One after the other: each begins with a copy of the drive, and a large one has no room for many.
        let found: Result<Vec<(AtRate, Run)>, PlanError> =
            self.asked.rates.iter().map(at).collect();
        Ok(found?.into_iter().unzip())
    }

    /// Notes on the rates that were asked for.
    pub fn rate_notes(&self, rates: &Rates, at_rates: &[AtRate]) -> Vec<String> {
        let mut notes = Vec::new();
        if let (Rates::Fixed(why), false) = (rates, self.asked.rates.is_empty()) {
            notes.push(format!("The load cannot run at other rates: {why}."));
        }
        if !at_rates.is_empty() {
            notes.push(format!(
                "At each rate: from where the repeated load left the drive, requests {}; latency counts from the arrival.",
                rates.words()
            ));
        }
        if let Some(behind) = at_rates.iter().find(|at| !at.keeps_up) {
            notes.push(format!(
                "The drive FALLS BEHIND at {} requests a second: it answers {}, and from there on latencies grow as long as \
                 the run lasts.",
                grouped(behind.asked_iops.round() as u64),
                grouped(behind.iops.round() as u64)
            ));
        }
        notes
    }
}
