//! Suites of a few megabytes that fio runs on a file and on a loop device. No rate is looked at: counts and arithmetic are.

use crate::machine::{Machine, hold, open};
use ftlab_bench::suites::{Suite, Test};
use ftlab_lab::Length;
use ftlab_measure::device::held::{Access, Held};
use ftlab_measure::fio::Fio;
use ftlab_measure::health::Monitor;
use ftlab_measure::heat::{Heat, Watch};
use ftlab_measure::kernel::KernelLog;
use ftlab_measure::plan::{Assumed, Plan, Target};
use ftlab_measure::programs::Programs;
use ftlab_measure::session::{Listener, Session, SessionError};
use ftlab_measure::stop::Stop;
use ftlab_result::Run;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const BYTES: u64 = 8 << 20;

const SUITE: &str = r#"
schema = 1
title = "Small"
testbed = "linux-2024-nvme"

[[procedure]]
slug = "twice"
acts = [
  { do = "fill", data = "random" },
  { do = "measure", job = "write.fio", state = "first" },
  { do = "trim", to = "1m" },
  { do = "measure", job = "write.fio", state = "second" },
]

[[family]]
slug = "reads"
title = "Reads"
chart = "bars"
metric = "iops"
unit = "IOPS"
states = ["new", "filled"]
[[family.step]]
slug = "read"
job = "read.fio"
latencies_of = "all"

[[family]]
slug = "long-reads"
title = "Reads for a while"
chart = "bars"
metric = "iops"
unit = "IOPS"
states = ["new"]
[[family.step]]
slug = "long"
job = "long.fio"

[[family]]
slug = "writes"
title = "Writes"
chart = "bars"
metric = "iops"
unit = "IOPS"
states = ["used"]
[[family.step]]
slug = "write"
job = "write.fio"
latencies_of = "all"

[[family]]
slug = "procedures"
title = "Writes again"
chart = "bars"
metric = "iops"
unit = "IOPS"
[[family.step]]
slug = "write-twice"
job = "write.fio"
procedure = "twice"

[[family]]
slug = "facts"
title = "Facts"
chart = "bars"
metric = "spare_pct_of_raw"
unit = "%"
[[family.step]]
slug = "spare"
fact = "spare-area"

[[family]]
slug = "too-large"
title = "Too large"
chart = "bars"
metric = "iops"
unit = "IOPS"
states = ["new"]
[[family.step]]
slug = "large"
job = "large.fio"
"#;

const READ: &str =
    "[r]\nrw=randread\nbs=4k\nnumber_ios=2000\niodepth=4\nnorandommap\nsize=100%\nioengine=psync\n";
const WRITE: &str = "[w]\nrw=randwrite\nbs=4k\nnumber_ios=500\nfdatasync=5\nnumjobs=2\ngroup_reporting\n\
                     norandommap\nsize=4m\nrandom_distribution=zoned:90/10:10/90\nshuffle=shared\n";
const LONG: &str = "[global]\nrw=randread\nbs=4k\nnorandommap\nsize=100%\ntime_based\nruntime=2\n\
                    [r]\n[after-a-rest]\nstonewall\nexec_prerun=sleep 2\nruntime=1\n";
const LARGE: &str = "[l]\nrw=randwrite\nbs=4k\nsize=1g\n";

pub struct Kept {
    pub runs: Vec<Run>,
    pub begun: Vec<String>,
    stop_after: Option<usize>,
    stop: Stop,
}

impl Listener for Kept {
    fn begins(&mut self, words: &str) {
        self.begun.push(words.to_owned());
    }

    fn keep(&mut self, runs: Vec<Run>) -> Result<(), String> {
        self.runs.extend(runs);
        if Some(self.runs.len()) == self.stop_after {
            self.stop.call();
        }
        Ok(())
    }
}

pub struct Bench {
    pub held: Held,
    tests: Vec<Test>,
    /// What they lie in.
    _dir: TempDir,
}

fn tests(dir: &Path) -> Vec<Test> {
    for (name, text) in [
        ("suite.toml", SUITE),
        ("read.fio", READ),
        ("write.fio", WRITE),
        ("large.fio", LARGE),
        ("long.fio", LONG),
    ] {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let suite = Suite::open(&dir.join("suite.toml")).unwrap();
    suite.tests().collect()
}

fn bench(path: Option<PathBuf>) -> Bench {
    let dir = TempDir::new().unwrap();
    let path = path.unwrap_or_else(|| {
        let path = dir.path().join("disk");
        File::create(&path).unwrap().set_len(BYTES).unwrap();
        path
    });
    Bench {
        held: hold(&path).unwrap(),
        tests: tests(dir.path()),
        _dir: dir,
    }
}

impl Bench {
    /// The suite on a device that is held.
    pub fn on(held: Held) -> Bench {
        let dir = TempDir::new().unwrap();
        Bench {
            held,
            tests: tests(dir.path()),
            _dir: dir,
        }
    }

    pub fn tests_of(&self, names: &[&str]) -> Vec<Test> {
        let is_wanted = |test: &&Test| names.is_empty() || names.contains(&test.step.slug.as_str());
        self.tests.iter().filter(is_wanted).cloned().collect()
    }

    pub fn target(&self) -> Target {
        let device = self.held.device();
        Target {
            bytes: device.bytes,
            kind: device.kind,
            has_flash: true,
        }
    }

    pub fn plan(&self, names: &[&str]) -> Plan {
        Plan::of(&self.tests_of(names), self.target(), Length::Full)
    }

    pub fn run(&self, plan: &Plan, stop_after: Option<usize>) -> (Kept, Result<(), SessionError>) {
        let programs = Programs::here();
        let monitor = Monitor::of(&self.held, programs.clone());
        self.run_with(plan, stop_after, &programs, &monitor, None)
    }

    pub fn run_with(
        &self,
        plan: &Plan,
        stop_after: Option<usize>,
        programs: &Programs,
        monitor: &Monitor,
        heat: Option<Heat<'_>>,
    ) -> (Kept, Result<(), SessionError>) {
        let mut kept = Kept {
            runs: Vec::new(),
            begun: Vec::new(),
            stop_after,
            stop: Stop::default(),
        };
        // The listener ends it as a user does.
        let stop = std::mem::take(&mut kept.stop);
        let mut listener = Stopping { kept, stop: &stop };
        let ended = self.session(plan, &mut listener, programs, monitor, heat, &stop);
        (listener.kept, ended)
    }

    fn run_for(&self, plan: &Plan, listener: &mut dyn Listener) -> Result<(), SessionError> {
        let programs = Programs::here();
        let monitor = Monitor::of(&self.held, programs.clone());
        self.session(plan, listener, &programs, &monitor, None, &Stop::default())
    }

    fn session(
        &self,
        plan: &Plan,
        listener: &mut dyn Listener,
        programs: &Programs,
        monitor: &Monitor,
        heat: Option<Heat<'_>>,
        stop: &Stop,
    ) -> Result<(), SessionError> {
        let fio = Fio::find(&self.held, 1, None).unwrap();
        let session = Session {
            held: &self.held,
            fio: &fio,
            drive: "mine",
            notes: &[],
            programs,
            monitor,
            heat,
            kernel: &KernelLog::now(),
            stop,
        };
        session.run(plan, listener)
    }
}

/// Hands on, and calls the session's own end.
struct Stopping<'a> {
    kept: Kept,
    stop: &'a Stop,
}

impl Listener for Stopping<'_> {
    fn begins(&mut self, words: &str) {
        self.kept.begins(words);
    }

    fn keep(&mut self, runs: Vec<Run>) -> Result<(), String> {
        self.kept.keep(runs)?;
        if self.kept.stop.is_called() {
            self.stop.call();
        }
        Ok(())
    }
}

fn ids(runs: &[Run]) -> Vec<&str> {
    runs.iter().map(|run| run.id.as_str()).collect()
}

#[test]
fn a_suite_on_a_file_counts_what_its_jobs_say() {
    let bench = bench(None);
    let plan = bench.plan(&[]);
    assert!(plan.writes());
    let (kept, ended) = bench.run(&plan, None);
    ended.unwrap();
    assert_eq!(
        ids(&kept.runs),
        [
            "mine/read/new",
            "mine/long/new",
            "mine/read/filled",
            "mine/write/used",
            "mine/write-twice/first",
            "mine/write-twice/second"
        ]
    );
    let [read, .., twice] = &kept.runs[..] else {
        unreachable!()
    };
    assert_eq!(
        (read.read.ios, read.read.bytes, read.write.ios),
        (2000, 2000 * 4096, 0)
    );
    assert_eq!(read.submitted, read.completed);
    let [rate, seconds] = [read.metrics["iops"], read.seconds];
    assert!((rate * seconds - 2000.0).abs() < 1e-6, "{rate} {seconds}");
    // Of 2000 reads twenty lie beyond the 99th percentile and two beyond the 99.9th.
    assert!(read.read.percentile_ns(99.0).is_some() && read.read.percentile_ns(99.9).is_none());
    assert!(read.metrics.contains_key("read_lat_p99_us"));
    let traffic = &read.read;
    assert!(
        traffic.lat_ns_min as f64 <= traffic.lat_ns_mean
            && traffic.lat_ns_mean <= traffic.lat_ns_max as f64
    );
    assert_eq!(
        traffic.lat_ns_bins.iter().map(|bin| bin.1).sum::<u64>(),
        2000
    );
    // Two clones, reported as one, each with 500 writes and a flush after every fifth.
    assert_eq!(
        (twice.write.ios, twice.jobs.len(), twice.jobs[0].clones),
        (1000, 1, 2)
    );
    assert!(
        (198..=200).contains(&twice.flush.ios),
        "{}",
        twice.flush.ios
    );
    assert!(
        twice.notes.iter().any(|note| note.contains("shuffle")),
        "{:?}",
        twice.notes
    );
    assert!(
        twice
            .steps
            .iter()
            .any(|step| step.contains("measured (first)")),
        "{:?}",
        twice.steps
    );
    let left: Vec<&str> = plan
        .left_out
        .iter()
        .map(|(test, _)| test.as_str())
        .collect();
    assert_eq!(left, ["spare", "large"]);
    assert_eq!(bench.held.file().unwrap().metadata().unwrap().len(), BYTES);
}

#[test]
fn a_rest_between_two_jobs_is_in_the_time_of_their_run_and_in_its_course() {
    let bench = bench(None);
    let (kept, ended) = bench.run(&bench.plan(&["long"]), None);
    ended.unwrap();
    let [run] = &kept.runs[..] else {
        panic!("{:?}", kept.begun)
    };
    assert!(run.seconds >= 2.0 + 2.0 + 1.0, "{}", run.seconds);
    let is_idle: Vec<bool> = run.series_ios.iter().map(|&ios| ios == 0).collect();
    // A whole second at least lies within two.
    assert!(is_idle.contains(&true), "{is_idle:?}");
    assert!(!is_idle[0] && !is_idle[is_idle.len() - 1], "{is_idle:?}");
}

#[test]
fn states_say_the_steps_that_led_to_them() {
    let bench = bench(None);
    let (kept, ended) = bench.run(&bench.plan(&["read", "write"]), None);
    ended.unwrap();
    let [new, filled, used] = &kept.runs[..] else {
        panic!("{:?}", ids(&kept.runs))
    };
    assert_eq!([new, filled, used].map(|run| run.steps.len()), [1, 2, 3]);
    assert!(new.steps[0].contains("hole"));
    assert!(filled.steps[1].contains("Every sector written once"));
    assert!(used.steps[2].contains("a quarter"));
    // Nothing of the file is a hole once it was filled.
    let blocks =
        std::os::unix::fs::MetadataExt::blocks(&bench.held.file().unwrap().metadata().unwrap());
    assert!(blocks * 512 >= BYTES, "{blocks}");
}

#[test]
fn what_is_left_after_an_interruption_is_what_was_not_measured() {
    let bench = bench(None);
    let mut plan = bench.plan(&["read", "write-twice"]);
    let (kept, ended) = bench.run(&plan, Some(2));
    assert!(matches!(ended, Err(SessionError::Stopped)), "{ended:?}");
    assert_eq!(ids(&kept.runs), ["mine/read/new", "mine/read/filled"]);
    plan.forget(|id| kept.runs.iter().any(|run| run.id == format!("mine/{id}")));
    assert_eq!(plan.measures().count(), 2);
    // Half a procedure is none.
    plan.forget(|id| id == "write-twice/first");
    assert_eq!(plan.measures().count(), 2);
    plan.forget(|id| id.starts_with("write-twice/"));
    assert_eq!(plan.measures().count(), 0);
}

#[test]
fn tests_that_only_read_measure_a_drive_as_it_was_found() {
    let bench = bench(None);
    let is_read = |test: &&Test| test.step.slug == "read" || test.step.slug == "spare";
    let tests: Vec<Test> = bench.tests.iter().filter(is_read).cloned().collect();
    let plan = Plan::as_found(&tests, bench.target(), Length::Full);
    assert!(!plan.writes() && !plan.has_writers());
    let all = Plan::as_found(&bench.tests, bench.target(), Length::Full);
    assert!(!all.writes() && all.has_writers());

    std::os::unix::fs::FileExt::write_all_at(bench.held.file().unwrap(), b"somebody's", 0).unwrap();
    let before = std::fs::read(&bench.held.device().path).unwrap();
    let (kept, ended) = bench.run(&plan, None);
    ended.unwrap();
    assert_eq!(ids(&kept.runs), ["mine/read/as-found"]);
    assert_eq!(kept.runs[0].steps, ["The drive as it was found."]);
    assert_eq!(std::fs::read(&bench.held.device().path).unwrap(), before);
}

#[test]
fn fio_itself_writes_nothing_to_a_drive_that_is_read_alone() {
    let bench = bench(None);
    let path = bench.held.device().path.clone();
    drop(bench.held);
    let held = open(&path, Access::Read).unwrap();
    let fio = Fio::find(&held, 1, None).unwrap();
    let jobs = ftlab_measure::fio::JobText::new(
        "w",
        &[("rw", "write".to_owned()), ("bs", "4k".to_owned())],
    );
    fio.run(&jobs, false, &Watch::of(&Stop::default()))
        .expect_err("fio is not to write");
    assert!(std::fs::read(&path).unwrap().iter().all(|byte| *byte == 0));
}

#[test]
fn a_plan_says_what_it_writes_before_it_does() {
    let bench = bench(None);
    let assumed = Assumed { bytes_per_s: 1e6 };
    let plan = bench.plan(&["write"]);
    let amount = plan.amount(BYTES, assumed);
    // Filled, a quarter at random, and two times 500 writes.
    let bytes = BYTES as f64 * 1.25 + 1000.0 * 4096.0;
    assert_eq!([amount.least_bytes, amount.most_bytes], [bytes; 2]);
    let (kept, ended) = bench.run(&plan, None);
    ended.unwrap();
    assert_eq!(kept.runs[0].write.bytes, 1000 * 4096);
}

#[test]
fn a_suite_runs_on_a_loop_device() {
    let Some(mut machine) = Machine::turn("a suite on a loop device") else {
        return;
    };
    let file = machine.path("small");
    File::create(&file).unwrap().set_len(BYTES).unwrap();
    let device = machine.attach(&file, &[]);
    let bench = bench(Some(device));
    let (kept, ended) = bench.run(&bench.plan(&["read", "write-twice"]), None);
    ended.unwrap();
    assert_eq!(kept.runs.len(), 4);
    assert!(
        kept.runs[0].steps[0].contains("TRIM of everything"),
        "{:?}",
        kept.runs[0].steps
    );
}

#[test]
fn a_device_that_somebody_comes_to_use_ends_the_session() {
    let Some(mut machine) = Machine::turn("a session on a device that is taken") else {
        return;
    };
    let file = machine.path("small");
    File::create(&file).unwrap().set_len(BYTES).unwrap();
    let device = machine.attach(&file, &[]);
    let bench = bench(Some(device.clone()));
    machine.attach(&device, &[]);
    let (kept, ended) = bench.run(&bench.plan(&["read"]), None);
    assert!(
        matches!(ended, Err(SessionError::Device { .. })),
        "{ended:?}"
    );
    assert!(kept.runs.is_empty());
}

#[test]
fn an_error_of_the_drive_ends_the_session_with_the_kernels_words_and_it_goes_on_later() {
    let Some(mut machine) = Machine::turn("a drive with errors") else {
        return;
    };
    // A file that has room for a part of what it shows: writes fail as those of a broken drive do.
    let at = machine.room("2m");
    let file = at.join("small");
    File::create(&file).unwrap().set_len(BYTES).unwrap();
    let device = machine.attach(&file, &[]);
    let bench = bench(Some(device.clone()));
    let mut plan = bench.plan(&["read"]);
    let (kept, ended) = bench.run(&plan, None);
    assert_eq!(ids(&kept.runs), ["mine/read/new"]);
    let error = ended.expect_err("it has no room").to_string();
    let name = device.file_name().unwrap().to_string_lossy();
    assert!(error.starts_with("read/filled: fio failed: "), "{error}");
    let (_, kernel) = error.split_once("; the kernel says: ").expect(&error);
    assert!(
        kernel.contains("error") && kernel.contains(&*name),
        "{error}"
    );

    machine.more_room(&at, "20m");
    plan.forget(|id| kept.runs.iter().any(|run| run.id == format!("mine/{id}")));
    let (kept, ended) = bench.run(&plan, None);
    ended.unwrap();
    assert_eq!(ids(&kept.runs), ["mine/read/filled"]);
}

#[test]
fn a_drive_that_vanishes_between_two_steps_ends_the_session() {
    let Some(mut machine) = Machine::turn("a drive that vanishes") else {
        return;
    };
    let file = machine.path("small");
    File::create(&file).unwrap().set_len(BYTES).unwrap();
    let device = machine.attach(&file, &[]);
    let bench = bench(Some(device));
    let mut kept = Vanishing {
        runs: Vec::new(),
        file: file.clone(),
    };
    let ended = bench.run_for(&bench.plan(&["read"]), &mut kept);
    assert_eq!(ids(&kept.runs), ["mine/read/new"]);
    let error = ended.expect_err("what it shows has gone").to_string();
    assert!(error.starts_with("read/filled: "), "{error}");
    assert!(error.contains("another size"), "{error}");
}

/// Cuts what a loop device shows once something was measured.
struct Vanishing {
    runs: Vec<Run>,
    file: PathBuf,
}

impl Listener for Vanishing {
    fn begins(&mut self, _words: &str) {}

    fn keep(&mut self, runs: Vec<Run>) -> Result<(), String> {
        self.runs.extend(runs);
        let file = File::options().write(true).open(&self.file).unwrap();
        file.set_len(4096).map_err(|why| why.to_string())
    }
}
