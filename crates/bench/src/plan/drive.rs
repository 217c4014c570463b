//! One drive under the load: as it is, at its rate, and with other spare areas.

use super::pace::{self, DAY_S, Rates};
use super::point::{Brought, percentile};
use super::settle::{CAPACITIES_A_WINDOW, Settled, clock, pass};
use super::wear::Flash;
use super::{PlanError, Planning, subject};
use crate::proportion::in_proportion;
use ftlab_base::Nanos;
use ftlab_base::amount::{decimal, grouped, three_digits};
use ftlab_drive::{DriveFile, Kind};
use ftlab_host::Testbed;
use ftlab_lab::{Length, check};
use ftlab_play::driver::{Clock, DeviceShape};
use ftlab_play::load::{Load, What};
use ftlab_play::record::Record;
use ftlab_play::recording::Pace;
use ftlab_result::plan::{HighestRate, Latency, Measure, Plan, Point};
use ftlab_result::quantity::{Quantity, table};
use ftlab_result::{Run, Traffic};
use ftlab_states::State;
use ftlab_states::watch::Watch;
use ftlab_workload::{JobSpec, PatternKind};
use rayon::prelude::*;

/// Requests of a run with a clock: as many as lie beyond a 99.9th percentile a hundred times, for each kind of a mix.
const REQUESTS: u64 = 400_000;
const QUICK_REQUESTS: u64 = 100_000;

/// As many as lie beyond a 99th percentile a hundred times.
const REQUESTS_LEAST: u64 = 10_000;

/// Write amplification from which on a run with a clock has fewer requests: that of a block map is in the hundreds.
const DEAR_WA: f64 = 10.0;

/// A drive that takes less of what arrives falls behind: the rest is chance.
pub const KEPT_UP_SHARE: f64 = 0.97;

/// Work of the search for a goal, and for the highest rate, beside that of one spare area.
const GOAL_COST: f64 = 4.0;
const RATE_COST: f64 = 2.0;

/// Work of one rate, which begins where the load has left the drive.
const AT_RATE_COST: f64 = 0.5;

/// Spare areas nearer than this are one.
const SPARE_RATIO: f64 = 1.02;

/// The state that the runs of a plan begin in, as their names have it.
const STATE: &str = "settled";

/// The answers for one drive.
pub struct OfDrive {
    pub plan: Plan,
    /// At the load's rate, as the drive is and with each spare area.
    pub runs: Vec<Run>,
}

/// A drive that is planned.
pub struct Planner<'a> {
    pub asked: &'a Planning,
    pub machine: &'a Testbed,
    /// The drive in its own size.
    pub file: &'a DriveFile,
    /// The load, in proportion to the drive as it is simulated.
    load: Load,
    /// Its own size over that of the simulated drive.
    pub times: f64,
}

/// The test that a spare area is of a load.
pub fn test_of(load: &str, spare: f64) -> String {
    format!("{load}-spare-{}", step_of(spare).replace(" %", ""))
}

/// A spare area as a step of the curve.
pub fn step_of(spare: f64) -> String {
    let percent = (1000.0 * spare).round() / 10.0;
    format!("{percent} %")
}

impl<'a> Planner<'a> {
    /// # Errors
    /// When the drive cannot be shrunk.
    pub fn new(
        asked: &'a Planning,
        machine: &'a Testbed,
        file: &'a DriveFile,
    ) -> Result<Planner<'a>, PlanError> {
        // It is played pass by pass, and what is hot stays so.
        let mut load = asked.load.load.keeping_orders(asked.seed);
        let mut times = 1.0;
        if let Some(bytes) = shrink_to(asked, file)
            && let What::Job(job) = load.what()
        {
            times = file.shrunk_to(bytes)?.1;
            load = load.paced(What::Job(in_proportion(job, 1.0 / times)));
        }
        Ok(Planner {
            asked,
            machine,
            file,
            load,
            times,
        })
    }

    pub fn load(&self) -> &Load {
        &self.load
    }

    /// The drive as it is simulated: in its own size, or smaller.
    pub fn simulated(&self, file: &DriveFile) -> Result<DriveFile, PlanError> {
        Ok(match shrink_to(self.asked, file) {
            Some(bytes) => file.shrunk_to(bytes)?.0,
            None => file.clone(),
        })
    }

    pub fn state(&self) -> State {
        self.asked.state
    }

    /// Requests of a run with a clock: fewer on a drive that programs much for each.
    pub fn requests(&self, brought: &Brought) -> u64 {
        let all = match self.asked.length {
            Length::Full => REQUESTS,
            Length::Quick => QUICK_REQUESTS,
        };
        let wa = brought.settled.map_or(1.0, |settled| settled.wa);
        let share = (DEAR_WA / wa).min(1.0);
        ((all as f64 * share) as u64).max(REQUESTS_LEAST)
    }

    /// The length of a run at another rate. The rate already sets the time of jobs, so a quick plan does not cut it
    /// again.
    pub fn length_of_rated(&self) -> Length {
        match self.load().what() {
            What::Job(_) => Length::Full,
            _ => self.asked.length,
        }
    }

    /// Checks that the load fits the drive, with a clock and without.
    pub fn check(&self) -> Result<(), PlanError> {
        let whole = &self.asked.load.load;
        check(whole, &subject(self.file), self.machine, Clock::Timed)?;
        let subject = subject(&self.simulated(self.file)?);
        let load = self.load();
        check(load, &subject, self.machine, Clock::Timed)?;
        Ok(check(&pass(load), &subject, self.machine, clock(load))?)
    }

    /// Bytes that a recorded trace writes a second at the pace that it is replayed at; none where only a run shows
    /// them.
    pub fn trace_rate(&self) -> Option<f64> {
        let What::Recording(recording) = self.load().what() else {
            return None;
        };
        let [_, written, ..] = recording.scan.bytes;
        let seconds = Nanos(recording.scan.span_ns()).as_secs();
        let factor = recording.pace.factor().filter(|_| seconds > 0.0)?;
        Some(written as f64 / seconds * factor)
    }

    /// Bytes a day that the load is run at; none for its own rate, which jobs that have one keep: a day's bytes then say how
    /// much is written, and the rate how fast it is asked for.
    fn rate_per_day(&self) -> Option<f64> {
        let asked = self.asked;
        asked.bytes_per_day.filter(|_| !asked.load.has_job_rate())
    }

    /// The run of a drive at so many bytes a day or, without them, at the load's own rate.
    pub fn at_rate(
        &self,
        brought: &Brought,
        rates: &Rates,
        watch: &Watch<'_>,
    ) -> Result<Record, PlanError> {
        let wanted = self.rate_per_day().map(|bytes| bytes / DAY_S);
        match wanted.zip(rates.own()) {
            Some((wanted, [own, _])) if own > 0.0 => {
                let load = rates.at(self.load(), wanted / own, self.requests(brought));
                self.time(brought, &load, self.length_of_rated(), watch)
            }
            _ => self.at_own_rate(brought, watch),
        }
    }

    fn at_own_rate(&self, brought: &Brought, watch: &Watch<'_>) -> Result<Record, PlanError> {
        let file = brought.subject.first();
        let shape = DeviceShape {
            name: "",
            bytes: file.capacity_bytes(),
            handles: file.placement_handles(),
            atomic_bytes: file.atomic_write_bytes(),
        };
        let (load, _) = pace::own(self.load(), shape, self.requests(brought))?;
        self.time(brought, &load, self.asked.length, watch)
    }

    /// The work of each part of a plan beside that of one spare area, and a last part for its end.
    pub fn costs(&self) -> Vec<f64> {
        let mut costs = vec![1.0];
        costs.extend(self.asked.rates.iter().map(|_| AT_RATE_COST));
        if let Some(spare) = self.file.spare() {
            costs.extend(self.others(spare).iter().map(|_| 1.0));
            costs.extend(self.asked.goals.iter().map(|_| GOAL_COST));
        }
        let wants_rate = |goal: &(Measure, f64)| goal.0 == Measure::P99Ns;
        costs.extend(
            self.asked
                .goals
                .iter()
                .filter(|goal| wants_rate(goal))
                .map(|_| RATE_COST),
        );
        costs.push(0.0);
        costs
    }

    /// The number of spare areas that the drive is run with, its own among them.
    pub fn spares(&self) -> usize {
        let spare = self.file.spare();
        1 + spare.map_or(0, |spare| self.others(spare).len())
    }

    /// Bytes that the host writes at least until the drive is steady with each of them: all of it once, and a window of
    /// the rule.
    pub fn written_least(&self) -> Result<u64, PlanError> {
        if self.file.kind() != Kind::Ssd {
            return Ok(0);
        }
        let each = self.simulated(self.file)?.capacity_bytes() * (1 + CAPACITIES_A_WINDOW);
        Ok(self.spares() as u64 * each)
    }

    /// Spare areas of the curve beside the drive's own.
    fn others(&self, spare: f64) -> Vec<f64> {
        let is_own = |other: f64| (other / spare).max(spare / other) < SPARE_RATIO;
        (self.asked.spares.iter().copied())
            .filter(|other| !is_own(*other))
            .collect()
    }

    /// All answers. `done` hears of each part that is done.
    pub fn plan(
        &self,
        watch: &Watch<'_>,
        done: &(dyn Fn(&str) + Sync),
    ) -> Result<OfDrive, PlanError> {
        let own = self.bring(self.file, watch)?;
        let at_own = self.at_own_rate(&own, watch)?;
        let rates = Rates::of(self.load(), &at_own.run);
        let at_rate = match self.rate_per_day() {
            None => at_own,
            Some(_) => self.at_rate(&own, &rates, watch)?,
        };
        let now = self.point(&own, Some(&at_rate.run));
        let mut notes = self.notes(&own, &rates, &now, &at_rate.run);
        let slug = self.asked.load.name.clone();
        let mut runs = vec![self.named(&slug, &own, &now, at_rate)];
        done("as it is");
        let (at_rates, of_rates) = self.at_rates(&own, &rates, (watch, done))?;
        notes.extend(self.rate_notes(&rates, &at_rates));
        let (mut curve, of_curve) =
            self.curve((&own, &now, &runs[0]), &rates, (watch, done), &mut notes);
        // The drive as it is was run first; the curve has it in its place among the other spare areas.
        curve.sort_by(|a, b| a.spare.unwrap_or(0.0).total_cmp(&b.spare.unwrap_or(0.0)));
        runs.extend(of_curve);
        runs.extend(of_rates);
        let goals = match curve.is_empty() {
            true => Vec::new(),
            false => (self.asked.goals.par_iter())
                .map(|goal| self.goal(*goal, &curve, &rates, own.closed, watch))
                .inspect(|_| done("goal"))
                .collect(),
        };
        let first = &runs[0];
        Ok(OfDrive {
            plan: Plan {
                drive: self.file.slug().to_owned(),
                test: slug,
                capacity_bytes: self.file.capacity_bytes(),
                flash_bytes: self.file.raw_bytes(),
                rated_cycles: self.file.rated_cycles(),
                rated_bytes: self.file.rated_bytes().map(|rated| rated.bytes),
                rated_bytes_assumed: self
                    .file
                    .rated_bytes()
                    .is_some_and(|rated| rated.is_assumed),
                host_drive_writes_per_day: (now.host_bytes_per_day)
                    .map(|bytes| bytes / self.file.capacity_bytes() as f64),
                read: latency(&first.read),
                write: latency(&first.write),
                highest_rate: self
                    .highest(&own, &rates, watch)?
                    .inspect(|_| done("highest rate")),
                now,
                rates: at_rates,
                curve,
                goals,
                notes,
            },
            runs,
        })
    }

    fn highest(
        &self,
        own: &Brought,
        rates: &Rates,
        watch: &Watch<'_>,
    ) -> Result<Option<HighestRate>, PlanError> {
        let mut goals = self.asked.goals.iter();
        let p99 = goals.find(|(measure, _)| *measure == Measure::P99Ns);
        p99.map(|(_, ns)| self.highest_rate(own, rates, *ns, watch))
            .transpose()
    }

    /// The drive with each spare area, and its runs there. What cannot be had is noted.
    fn curve(
        &self,
        (own, now, at_rate): (&Brought, &Point, &Run),
        rates: &Rates,
        (watch, done): (&Watch<'_>, &(dyn Fn(&str) + Sync)),
        notes: &mut Vec<String>,
    ) -> (Vec<Point>, Vec<Run>) {
        let Some(spare) = own.file.spare() else {
            notes.push(no_spare(self.file));
            return (Vec::new(), Vec::new());
        };
        let others = self.others(spare);
        if others.is_empty() {
            return (vec![now.clone()], Vec::new());
        }
        let point = |&op: &f64| -> Result<(Point, Run), PlanError> {
            let file = self.file.with_spare(op)?;
            let tell =
                |what: &str, share| watch(&format!("spare area {}: {what}", step_of(op)), share);
            let brought = self.bring(&file, &tell)?;
            let record = self.at_rate(&brought, rates, &tell)?;
            let point = self.point(&brought, Some(&record.run));
            let slug = test_of(&self.asked.load.name, op);
            let run = self.named(&slug, &brought, &point, record);
            done(&format!("spare area {}", step_of(op)));
            Ok((point, run))
        };
        let found: Vec<Result<(Point, Run), PlanError>> =
            others.par_iter().with_max_len(1).map(point).collect();
        let (mut points, mut runs) = (vec![now.clone()], Vec::new());
        // The drive as it is has run already: the curve has that run once more, as one of its steps.
        let mut same = at_rate.clone();
        same.test = test_of(&self.asked.load.name, spare);
        same.id = format!("{}/{}/{STATE}", same.drive, same.test);
        runs.push(same);
        for (op, found) in others.iter().zip(found) {
            match found {
                Ok((point, run)) => {
                    points.push(point);
                    runs.push(run);
                }
                Err(why) => notes.push(format!(
                    "With {} of spare area the drive could not be run: {why}.",
                    step_of(*op)
                )),
            }
        }
        (points, runs)
    }

    /// A record as the run of a test, with what was found beside it. Its `wa` is that of the load repeated.
    pub fn named(&self, test: &str, brought: &Brought, point: &Point, record: Record) -> Run {
        let file = &brought.file;
        let slug = self.file.slug();
        let mut steps = ftlab_states::steps(file.kind(), self.state(), None);
        steps.extend(brought.settled.as_ref().map(|settled| {
            let state = if settled.is_steady { "" } else { "not " };
            format!(
                "Then the load, {}: {} of host writes, after which write amplification was {state}steady.",
                times(settled.passes),
                decimal(self.times * settled.host_bytes as f64, "B")
            )
        }));
        let mut run = record.run;
        let mut put = |of: &Quantity, value: Option<f64>| {
            if let Some(value) = value {
                of.put(&mut run.metrics, value);
            }
        };
        put(&table::WA, point.wa);
        put(&table::WA_CLOSED_FORM, point.closed_form_wa);
        put(
            &table::LAT_P99_9_MS,
            point.p99_9_ns.map(|ns| ns as f64 / 1e6),
        );
        let wear = point.wear;
        put(&table::LIFETIME_YEARS, wear.and_then(|wear| wear.years()));
        put(
            &table::FAILING_YEARS,
            wear.and_then(|wear| wear.failed_1_pct_years),
        );
        put(
            &table::USED_5_YEARS_PCT,
            wear.and_then(|wear| wear.used_pct_5_years),
        );
        let per_day = point.host_bytes_per_day;
        let capacity = file.capacity_bytes() as f64;
        put(
            &table::HOST_WRITES_PER_DAY,
            per_day.map(|bytes| bytes / 1e9),
        );
        put(
            &table::DRIVE_WRITES_PER_DAY,
            per_day.map(|bytes| bytes / capacity),
        );
        // That figure is of the timed run alone, and `wa` above is of all passes before it.
        run.metrics.remove(table::WA_STEADY.name);
        let settings = point.spare.filter(|_| file.hash() != self.file.hash());
        Run {
            id: format!("{slug}/{test}/{STATE}"),
            drive: slug.to_owned(),
            test: test.to_owned(),
            state: STATE.to_owned(),
            data: self.load().data().to_owned(),
            link: file.link_on(&self.machine.host()).to_owned(),
            testbed: self.machine.slug.clone(),
            settings: (settings.iter())
                .map(|spare| ("spare.op".to_owned(), spare.to_string()))
                .collect(),
            steps,
            ..run
        }
    }

    /// Notes on how the numbers were obtained, and on what limits them.
    fn notes(&self, own: &Brought, rates: &Rates, now: &Point, run: &Run) -> Vec<String> {
        let settled = own.settled.map(|settled| self.settled_words(settled));
        let mut notes: Vec<String> = Vec::new();
        if self.times > 1.0 {
            notes.push(format!(
                "Simulated as a drive of {}, {} times smaller, with the same dies, channels and shares of spare area; bytes \
                 and years are those of the drive in its own size.",
                decimal(own.subject.first().capacity_bytes() as f64, "B"),
                three_digits(self.times)
            ));
        }
        notes.extend(settled);
        let writers = self.load().job_file().map_or(0, |file| {
            let writes = |job: &&JobSpec| job.pattern.kind != PatternKind::Read;
            file.jobs.iter().filter(writes).count()
        });
        if writers > 1 {
            notes.push(format!(
                "Without a clock the {writers} jobs that write take turns, a request each, whatever their rates are."
            ));
        }
        if let Some(form) = own.closed {
            notes.push(format!("Closed form: {}.", form.words()));
        }
        notes.push(self.latency_words(rates, now, run));
        // Jobs arrive in an open loop, whose queue never ends on a drive that is too slow.
        if let (Some(wanted), Rates::Jobs { .. }) = (self.rate_per_day(), rates)
            && run.write.bytes_per_s * DAY_S < KEPT_UP_SHARE * wanted
        {
            notes.push(format!(
                "The drive FALLS BEHIND at that rate: it took {} a day, and latencies grow as long as the run lasts.",
                decimal(run.write.bytes_per_s * DAY_S, "B")
            ));
        }
        notes.extend(now.wear.map(|_| self.wear_words()));
        notes
    }

    /// A note on the amounts that years are counted by.
    fn wear_words(&self) -> String {
        let flash = Flash::of(self.file);
        let cycles = flash.and_then(|flash| flash.cycles).map(|[rated, failing]| {
            format!(
                "{} rated cycles of a block, {} until 1 % have worn out, as if all blocks wore alike",
                three_digits(rated),
                three_digits(failing)
            )
        });
        let announced = self.file.rated_bytes().map(|rated| {
            let amount = decimal(rated.bytes as f64, "B");
            match rated.is_assumed {
                true => format!(
                    "{amount} of host writes, which is usual in the drive's class (no source gives the amount of this drive)"
                ),
                false => format!("{amount} of host writes, the amount that its maker announces"),
            }
        });
        let known: Vec<String> = announced.into_iter().chain(cycles).collect();
        match known.is_empty() {
            true => "Years are unknown: the drive file has neither an announced amount (reliability.rated_bytes) nor cycles of a \
                     block (reliability.rated_cycles)."
                .to_owned(),
            false => format!("Years: {}; what is used up first counts.", known.join("; ")),
        }
    }

    /// A note on the measurement of write amplification.
    fn settled_words(&self, settled: Settled) -> String {
        let clock = match clock(self.load()) {
            Clock::Untimed => "without a clock",
            Clock::Timed => "with a clock",
        };
        let how = match settled.is_steady {
            true => "until five rounds of host writes were alike (SNIA's rule)",
            false => "and was NOT steady then: the figure is that of its last part",
        };
        let part = settled.cut_to.map_or(String::new(), |requests| {
            format!(", {} requests of it at a time", grouped(requests))
        });
        format!(
            "Write amplification: the load on a drive that was {}, {clock}, {}{part}, {how}: {} of host writes.",
            self.state().name(),
            times(settled.passes),
            decimal(self.times * settled.host_bytes as f64, "B")
        )
    }

    /// Words on how latencies were measured.
    fn latency_words(&self, rates: &Rates, now: &Point, run: &Run) -> String {
        let requests = grouped(run.read.ios + run.write.ios);
        let at = match (self.rate_per_day(), rates) {
            (Some(_), Rates::Fixed(why)) => {
                format!("at the load's own rate, as {why}; a day repeats it as often as it takes")
            }
            (Some(bytes), rates) => format!(
                "{} ({} a day from the host); latency counts from the arrival",
                rates.words(),
                decimal(bytes, "B")
            ),
            (None, _) if self.asked.bytes_per_day.is_some() => {
                "at the rate that its jobs give; years are at the bytes a day that were asked for"
                    .to_owned()
            }
            (None, _) => format!("at the load's own rate: {}", self.own_words(now)),
        };
        format!("Latencies: with a clock, from there, {requests} reads and writes {at}.")
    }

    /// Words on the load's own rate, in bytes written a day.
    fn own_words(&self, now: &Point) -> String {
        let bytes = now.host_bytes_per_day.unwrap_or(0.0);
        let bytes = decimal(bytes, "B");
        match self.load().what() {
            What::Recording(recording) if recording.pace.factor().is_some() => {
                let pace = match recording.pace {
                    Pace::Scaled(_) => "at that pace",
                    _ => "as it was recorded",
                };
                format!("{bytes} written a day if the trace goes on all day {pace}")
            }
            _ => format!("{bytes} written a day if it goes on all day"),
        }
    }
}

/// The bytes that a drive is simulated in at most; none for its own size, which loads keep whose addresses are their own,
/// and drives with a block map, whose merges depend on the size of a block.
pub(super) fn shrink_to(asked: &Planning, file: &DriveFile) -> Option<u64> {
    let is_job = matches!(asked.load.load.what(), What::Job(_));
    let is_page_mapped = file.spare().is_some();
    asked.shrink_to.filter(|_| is_job && is_page_mapped)
}

fn times(passes: u32) -> String {
    match passes {
        1 => "played once".to_owned(),
        2 => "played twice".to_owned(),
        many => format!("played {} times", grouped(u64::from(many))),
    }
}

/// The reason that a drive has no curve, as a note.
fn no_spare(file: &DriveFile) -> String {
    match file.kind() {
        Kind::Ssd => "The spare area is not varied: a block map merges in log blocks, which map.* gives it, and more spare \
                      area changes nothing."
            .to_owned(),
        Kind::Disk | Kind::Ram => {
            "The drive has no flash: there is no spare area to vary, and nothing wears out.".to_owned()
        }
    }
}

/// Latencies of a kind of request; none where there was none.
pub fn latency(traffic: &Traffic) -> Option<Latency> {
    Some(Latency {
        iops: traffic.iops,
        p50_ns: percentile(traffic, 50.0)?,
        p99_ns: percentile(traffic, 99.0)?,
        p99_9_ns: percentile(traffic, 99.9)?,
    })
}
