//! Loads of a user's own as tests of no review: a family each.

use super::{Family, Latencies, Runs, Series, Source, Step, Test, Work};
use crate::words::words;
use ftlab_host::Port;
use ftlab_play::driver::Clock;
use ftlab_play::load::{Load, What};
use ftlab_play::states::State;
use ftlab_result::quantity::table;
use ftlab_result::{Chart, TestSheet};
use ftlab_workload::JobFile;
use std::sync::Arc;

/// From which block size on a job is about its data rate, in bytes.
const LARGE_BLOCK: u64 = 64 << 10;

/// Jobs that are described; a file may have thousands.
const JOBS_TOLD_MAX: usize = 4;

/// A load as a test of this name that begins in a state.
#[must_use]
pub fn own(slug: &str, load: Load, state: State, clock: Clock) -> Test {
    let (title, text) = match load.what() {
        What::Job(file) => (slug.to_owned(), told(file)),
        What::Script(scenario) => (scenario.name.clone(), scenario.summary.clone()),
        What::Trace(trace) => (trace.name.clone(), trace.summary.clone()),
        What::Recording(recording) => (slug.to_owned(), recording.words()),
    };
    let (metric, unit) = measure(&load, clock);
    let step = Step {
        slug: slug.to_owned(),
        aliases: Vec::new(),
        label: String::new(),
        series: Series::Unread,
        writes_a_page: None,
        latencies: Latencies::Unread,
        roles: Vec::new(),
        work: Work::Loads {
            loads: vec![load.clone()],
            ports: vec![None],
        },
    };
    let step = Arc::new(step);
    let family = Family {
        slug: slug.to_owned(),
        method: String::new(),
        title,
        text,
        assumes: Vec::new(),
        chart: Chart::Bars,
        metric: metric.to_owned(),
        unit: unit.to_owned(),
        beside: String::new(),
        testbed: load.testbed().map(str::to_owned),
        runs: Runs::ByDefault,
        states: vec![state],
        score: None,
        steps: vec![Arc::clone(&step)],
        source: Arc::new(Source {
            key: String::new(),
            title: String::new(),
        }),
    };
    Test {
        family: Arc::new(family),
        step,
    }
}

impl Test {
    /// Whether it is of no suite: a load that a user gave.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.family.source.title.is_empty()
    }

    /// The same on a machine, by its slug, and a port of it; none for its fastest.
    #[must_use]
    pub fn on(mut self, testbed: &str, port: Option<Port>) -> Test {
        Arc::make_mut(&mut self.family).testbed = Some(testbed.to_owned());
        if let Work::Loads { ports, .. } = &mut Arc::make_mut(&mut self.step).work {
            *ports = vec![port];
        }
        self
    }
}

/// A load of a user's own as a report shows it.
#[must_use]
pub fn sheet_of_own(slug: &str, load: &Load, clock: Clock) -> TestSheet {
    // No state is on a sheet.
    own(slug, load.clone(), State::New, clock).sheet()
}

/// What the chart of a load draws, and its unit.
fn measure(load: &Load, clock: Clock) -> (&'static str, &'static str) {
    let is_large = |file: &JobFile| {
        let blocks = file.jobs.iter().map(|job| job.sizes.bs_max);
        let mut largest = blocks.map(|bs| bs.read.max(bs.write).max(bs.trim));
        largest.any(|bytes| bytes >= LARGE_BLOCK)
    };
    match (load.what(), clock) {
        (What::Job(_) | What::Recording(_), Clock::Untimed) => (table::WA.name, ""),
        (What::Job(file), Clock::Timed) if !is_large(file) => (table::IOPS.name, "IOPS"),
        (What::Recording(_), Clock::Timed) => (table::IOPS.name, "IOPS"),
        (What::Job(_) | What::Trace(_), _) => (table::MB_S.name, "MB/s"),
        (What::Script(_), _) => (table::SECONDS.name, "s"),
    }
}

/// What the jobs of a file do.
fn told(file: &JobFile) -> String {
    let mut told: Vec<(String, usize)> = Vec::new();
    for job in words(file) {
        match told.last_mut() {
            Some((last, times)) if *last == job => *times += 1,
            _ => told.push((job, 1)),
        }
    }
    let more = told.len().saturating_sub(JOBS_TOLD_MAX);
    let of = |(job, times): &(String, usize)| match times {
        1 => job.clone(),
        _ => format!("{job}, in {times} jobs"),
    };
    let mut parts: Vec<String> = told.iter().take(JOBS_TOLD_MAX).map(of).collect();
    if more > 0 {
        parts.push(format!("and {more} more jobs"));
    }
    // One sentence: what follows a semicolon begins small.
    for part in parts.iter_mut().skip(1) {
        part[..1].make_ascii_lowercase();
    }
    parts.join("; ") + "."
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(text: &str, clock: Clock) -> Test {
        let load = Load::of_text("mine.fio", text, 1, What::job(text, "mine.fio").unwrap());
        own("mine", load, State::Filled, clock)
    }

    #[test]
    fn a_job_says_what_it_does_and_is_drawn_by_its_size() {
        let small = test("[w]\nrw=randwrite\nbs=4k\nnumjobs=3\n", Clock::Timed).sheet();
        assert_eq!(
            (small.test.as_str(), small.chart_metric.as_str()),
            ("mine", "iops")
        );
        assert_eq!(
            small.text,
            "Random writes of 4 KiB at queue depth 1 to the whole drive once, in 3 jobs."
        );
        let large = test("[r]\nrw=read\nbs=1m\n", Clock::Timed).sheet();
        assert_eq!(large.chart_metric, "mb_s");
        let both = test("[w]\nrw=write\n[r]\nrw=randread\n", Clock::Timed).sheet();
        assert!(
            both.text.contains("; random reads of 4 KiB"),
            "{}",
            both.text
        );
        let untimed = test("[r]\nrw=randwrite\n", Clock::Untimed).sheet();
        assert_eq!(untimed.chart_metric, "wa");
    }

    #[test]
    fn of_many_jobs_some_are_told() {
        let jobs: Vec<String> = (0..9)
            .map(|n| format!("[j{n}]\nrw=read\niodepth={}\n", n + 1))
            .collect();
        let text = test(&jobs.concat(), Clock::Timed).sheet().text;
        assert!(text.ends_with("; and 5 more jobs."), "{text}");
    }
}
