//! The least spare area that meets a goal.

use super::PlanError;
use super::closed::ClosedForm;
use super::drive::Planner;
use super::pace::Rates;
use super::search::{Found, Search, Seen};
use ftlab_base::Nanos;
use ftlab_base::amount::decimal;
use ftlab_result::plan::{Goal, Measure, Point};
use ftlab_states::watch::Watch;

/// The least and the largest over-provisioning that are looked at, of the user's capacity.
pub const SPARE_BOUNDS: [f64; 2] = [0.02, 4.0];

/// The precision of write amplification, and of years with it: the share by which a value may be off, and the ratio up
/// to which two spare areas are one.
const EXACT: [f64; 2] = [2e-3, 1.002];

/// The precision of percentiles of latency, in these two terms.
const LATENCIES: [f64; 2] = [0.02, 1.02];

/// A measure as a value that falls with spare area, and the goal in it.
fn value(measure: Measure, point: &Point) -> Option<f64> {
    match measure {
        Measure::Wa => point.wa,
        Measure::LifeYears => point.wear?.rated_years.map(f64::recip),
        Measure::P99Ns => point.p99_ns.map(|ns| ns as f64),
    }
}

/// A value as its measure, and back.
fn of_value(measure: Measure, value: f64) -> f64 {
    match measure {
        Measure::Wa | Measure::P99Ns => value,
        Measure::LifeYears => value.recip(),
    }
}

/// The search for a goal, as exact as its measure can be.
fn search(measure: Measure, wanted: f64) -> Search {
    let [value_share, place_ratio] = match measure {
        Measure::Wa | Measure::LifeYears => EXACT,
        Measure::P99Ns => LATENCIES,
    };
    Search {
        goal: of_value(measure, wanted),
        value_share,
        place_ratio,
        bounds: SPARE_BOUNDS,
    }
}

impl Planner<'_> {
    /// The least spare area that meets a goal, from the points of a curve on. Where no run can decide it, its words are
    /// the reason.
    pub fn goal(
        &self,
        (measure, wanted): (Measure, f64),
        curve: &[Point],
        rates: &Rates,
        closed: Option<ClosedForm>,
        watch: &Watch<'_>,
    ) -> Goal {
        let goal = Goal {
            measure,
            wanted,
            spare: None,
            capacity_bytes: None,
            reached: None,
            closed_form_spare: None,
            is_least: false,
            words: String::new(),
        };
        let seen = match self.without_search(&goal, curve) {
            Ok(seen) => seen,
            Err(known) => return *known,
        };
        // Only at a given rate do years follow from write amplification alone.
        let is_wa = measure == Measure::Wa
            || measure == Measure::LifeYears && self.asked.bytes_per_day.is_some();
        let is_timed = !is_wa;
        let form = closed.filter(|_| is_wa);
        let guide = |spare: f64| form?.wa(spare);
        let mut tried = seen.clone();
        let mut measured = |spare: f64| {
            let file = self.file.with_spare(spare)?;
            let tell = |what: &str, share| {
                watch(&format!("spare area {:.1} %: {what}", 100.0 * spare), share)
            };
            let brought = self.bring(&file, &tell)?;
            let run = match is_timed {
                true => Some(self.at_rate(&brought, rates, &tell)?.run),
                false => None,
            };
            let point = self.point(&brought, run.as_ref());
            let found = value(measure, &point).unwrap_or(f64::INFINITY);
            tried.push((spare, found));
            Ok::<f64, PlanError>(found)
        };
        let search = search(measure, wanted);
        let goal = Goal {
            closed_form_spare: form.and_then(|form| spare_by(form, measure, wanted, curve)),
            ..goal
        };
        match search.least(&seen, &guide, &mut measured) {
            Ok(found) => self.found(goal, found),
            Err(why) => self.as_far_as_tried(goal, &search, &tried, &why),
        }
    }

    /// The answer where the search came to a spare area that the drive cannot have, or the load not run with.
    fn as_far_as_tried(
        &self,
        goal: Goal,
        search: &Search,
        tried: &[Seen],
        why: &PlanError,
    ) -> Goal {
        match search.least_kept(tried) {
            Some(kept) => {
                let found = self.found(goal, Found::Everywhere(kept));
                Goal {
                    words: format!("{} Below: {why}.", found.words),
                    ..found
                }
            }
            None => Goal {
                reached: nearest(tried).map(|seen| of_value(goal.measure, seen.1)),
                words: format!(
                    "No spare area that could be tried does.{} Beyond: {why}.",
                    nearest_in_words(goal.measure, tried)
                ),
                ..goal
            },
        }
    }

    /// The places of the curve to search from, or the goal where no search is needed: an announced amount decides it, or the
    /// curve has no such figure.
    fn without_search(&self, goal: &Goal, curve: &[Point]) -> Result<Vec<Seen>, Box<Goal>> {
        if goal.measure == Measure::LifeYears
            && let Some(known) = self.by_announced(goal, curve)
        {
            return Err(Box::new(known));
        }
        let seen: Option<Vec<Seen>> = (curve.iter())
            .map(|point| Some((point.spare?, value(goal.measure, point)?)))
            .collect();
        seen.ok_or_else(|| {
            Box::new(Goal {
                words: without(goal.measure).to_owned(),
                ..goal.clone()
            })
        })
    }

    /// The goal of years where the announced amount decides it, which no spare area changes; none where cycles do.
    fn by_announced(&self, goal: &Goal, curve: &[Point]) -> Option<Goal> {
        let own = self.file.spare();
        let now = curve.iter().find(|point| point.spare == own)?;
        let wear = now.wear?;
        let years = wear.announced_years?;
        let is_met = years >= goal.wanted;
        if is_met && wear.rated_years.is_some() {
            return None;
        }
        let amount = decimal(self.file.rated_bytes()?.bytes as f64, "B");
        let lasts = in_words(goal.measure, years);
        let words = match is_met {
            true => format!(
                "The amount of host writes that is rated, {amount}, lasts {lasts} with any spare area."
            ),
            false => format!(
                "No spare area does: the amount of host writes that is rated, {amount}, lasts {lasts} whatever the drive \
                 programs beside it."
            ),
        };
        Some(Goal {
            spare: own.filter(|_| is_met),
            capacity_bytes: is_met.then_some(now.capacity_bytes),
            reached: Some(years),
            words,
            ..goal.clone()
        })
    }

    fn found(&self, goal: Goal, found: Found) -> Goal {
        let (Found::At(seen) | Found::Everywhere(seen) | Found::Nowhere(seen)) = found;
        let reached = of_value(goal.measure, seen.1);
        let capacity = self
            .file
            .with_spare(seen.0)
            .map(|file| file.capacity_bytes());
        let capacity = capacity.ok();
        let spare = format!("{:.1} %", 100.0 * seen.0);
        let comes_to = in_words(goal.measure, reached);
        let host = capacity.map_or(String::new(), |bytes| {
            format!(", {} for the host", decimal(bytes as f64, "B"))
        });
        let theory = goal.closed_form_spare.map_or(String::new(), |op| {
            format!("; the closed form says {:.1} %", 100.0 * op)
        });
        let (is_met, is_least, words) = match found {
            Found::At(_) => (
                true,
                true,
                format!("{spare} of spare area{host}: {comes_to}{theory}."),
            ),
            // Below the bound nothing is looked at, so a smaller area may do as well.
            Found::Everywhere(_) => (
                true,
                false,
                format!(
                    "{spare} of spare area{host} is the least that was looked at, and does: {comes_to}."
                ),
            ),
            Found::Nowhere(_) => (
                false,
                true,
                format!("No spare area up to {spare} does. Nearest, there: {comes_to}."),
            ),
        };
        Goal {
            spare: is_met.then_some(seen.0),
            capacity_bytes: capacity.filter(|_| is_met),
            reached: Some(reached),
            is_least,
            words,
            ..goal
        }
    }
}

/// The spare area that meets a goal by the closed form.
fn spare_by(form: ClosedForm, measure: Measure, wanted: f64, curve: &[Point]) -> Option<f64> {
    match measure {
        Measure::Wa => form.spare(wanted, SPARE_BOUNDS),
        Measure::LifeYears => {
            // Years are as the reciprocal of write amplification, on the same flash.
            let own = curve.iter().find(|point| point.wear.is_some())?;
            let years = own.wear?.rated_years?;
            form.spare(own.wa? * years / wanted, SPARE_BOUNDS)
        }
        Measure::P99Ns => None,
    }
}

/// A sentence on the nearest of those that were tried: where a load still fits, and a drive can still be made.
fn nearest_in_words(measure: Measure, tried: &[Seen]) -> String {
    nearest(tried).map_or(String::new(), |&(spare, found)| {
        let comes_to = in_words(measure, of_value(measure, found));
        format!(" Nearest, with {:.1} %: {comes_to}.", 100.0 * spare)
    })
}

fn nearest(tried: &[Seen]) -> Option<&Seen> {
    tried.iter().min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The reason for which there is nothing to look for.
fn without(measure: Measure) -> &'static str {
    match measure {
        Measure::Wa => "The drive has no write amplification.",
        Measure::LifeYears => {
            "Unknown: the drive file gives neither an announced amount (reliability.rated_bytes) nor cycles of a block \
             (reliability.rated_cycles)."
        }
        Measure::P99Ns => "The load gives no latencies.",
    }
}

/// A value of a measure, with its name or unit.
pub fn in_words(measure: Measure, value: f64) -> String {
    match measure {
        Measure::Wa => format!("write amplification {value:.3}"),
        Measure::LifeYears => format!("{} years", ftlab_base::amount::three_digits(value)),
        Measure::P99Ns => format!("p99 {}", Nanos(value as u64)),
    }
}
