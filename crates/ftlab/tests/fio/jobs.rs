//! Jobs drawn over every word that ftlab takes: the same places, amounts and order, and the same keys of JSON, as fio's; and
//! rates times latencies give the requests in flight.

use crate::check::{Decided, contradictions, differences};
use crate::in_flight;
use crate::place::Place;
use crate::requests::{Defined, difference, of_log};
use crate::samples;
use ftlab_base::CommandKind;
use ftlab_base::rng::{RootSeed, Stream};
use ftlab_workload::{DIFFERENCES, JobFile, JobSpec};
use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Jobs of `make test`; `make soak` says more in FIO_JOBS.
const JOBS: usize = 400;
/// At a time: most of a run of fio is waiting.
const AT_A_TIME: usize = 8;

/// As large as the drive and fio's device.
const DEVICE_BYTES: u64 = 2 << 20;
const DRIVE: &str = "--drive generic-mlc-8 --set nand.blocks_per_die=16 --set nand.pages_per_block=64 \
                     --set spare.user_capacity=2097152B --state new";

/// What fio says of a job that reads what nobody wrote, and checks it: a drive without data has none to compare.
const UNCHECKED: &[&str] = &["verify: bad", "verify failed", "got pattern", "bad pattern"];

/// What fio says of a machine that cannot do what a job asks.
const OF_THE_MACHINE: &[&str] = &["fcntl write hint"];

/// Engines that have several requests outstanding.
const QUEUES: &[&str] = &["ioengine=libaio", "ioengine=io_uring"];

/// A job, and what it runs on.
struct Job {
    text: String,
    on_loop: bool,
}

impl Job {
    fn has(&self, word: &str) -> bool {
        self.text.lines().any(|line| line.starts_with(word))
    }

    fn any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.has(word))
    }

    /// What it is to ftlab, where ftlab takes it.
    fn spec(&self) -> Option<JobSpec> {
        let file = JobFile::parse(&format!("[job]\n{}\n", self.text), "drawn").ok()?;
        file.jobs.into_iter().next()
    }
}

fn draw(random: &mut Stream, lines: &[&str]) -> Job {
    let kinds = [
        "read",
        "write",
        "randread",
        "randwrite",
        "rw",
        "randrw",
        "trim",
        "randtrim",
        "trimwrite",
        "randtrimwrite",
        "write:8k",
        "read:-8k",
        "rw:4k",
        "randread:4",
        "randwrite:3",
    ];
    let rw = *kinds.choose(random).unwrap();
    let bs = *["4k", "512", "16k", "12k", "32k"].choose(random).unwrap();
    let engine = *["psync", "libaio", "libaio", "io_uring", "sync"]
        .choose(random)
        .unwrap();
    let mut words = vec![
        format!("rw={rw}"),
        format!("bs={bs}"),
        format!("ioengine={engine}"),
    ];
    let mut keys: Vec<&str> = Vec::new();
    for _ in 0..random.random_range(1..4) {
        let line = *lines.choose(random).unwrap();
        let of_line: Vec<&str> = line
            .lines()
            .map(|word| word.split('=').next().unwrap_or(word))
            .collect();
        if of_line.iter().all(|key| !keys.contains(key)) {
            keys.extend(of_line);
            words.push(line.to_owned());
        }
    }
    // Small requests over all of the device are many.
    if bs == "512" && !keys.contains(&"size") {
        words.push("size=256k".to_owned());
    }
    // fio makes a file longer where a size is beyond its end.
    let is_beyond = words
        .iter()
        .any(|word| word.contains("size=3m") && !word.starts_with("io_size"));
    Job {
        on_loop: rw.contains("trim") || is_beyond || random.random_bool(0.7),
        text: words.join("\n"),
    }
}

/// A loop device on a sparse file, which goes when the tests end.
struct Loop(PathBuf);

impl Loop {
    fn on(file: &Path) -> Loop {
        let made = Command::new("losetup")
            .args(["-f", "--show"])
            .arg(file)
            .output();
        let made = made.expect("losetup is installed: apt-get install mount");
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "a loop device needs root: {said}");
        Loop(String::from_utf8_lossy(&made.stdout).trim().into())
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.0).status();
    }
}

/// What a run has come to, or why it was refused.
type Ran = Result<(Value, Option<Vec<crate::requests::Request>>), String>;

fn in_fio(place: &Place, file: &str) -> Ran {
    // One that fio never ends is a difference, too.
    let output = Command::new("timeout")
        .args(["60", "fio", file, "--output-format=json"])
        .current_dir(&place.0)
        .output()
        .expect("fio is installed: apt-get install fio");
    let text = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    let json = text
        .find('{')
        .and_then(|at| serde_json::from_str(&text[at..]).ok());
    match json.filter(|_| output.status.success()) {
        Some(json) => Ok((json, of_log(&place.path(&format!("{file}.log"))))),
        None => Err(format!("{said}{}", text.lines().next().unwrap_or_default())),
    }
}

fn in_ftlab(place: &Place, file: &str) -> Ran {
    let logs = format!("{file}.logs");
    let line = format!("run {file} {DRIVE} --output-format json --logs {logs}");
    let output = place.ftlab(&line).output().expect("the program");
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {
            let json = serde_json::from_slice(&output.stdout).expect("JSON");
            Ok((json, of_log(&place.path(&logs).join(format!("{file}.log")))))
        }
        Some(2) => Err(said.into_owned()),
        code => panic!("{code:?}: {said}\n{}", place.read(file)),
    }
}

/// Whether chance decides when it ends: fio ends a pass where it draws a place that is none.
fn ends_by_chance(spec: &JobSpec) -> bool {
    let jumps_seldom = |&kind: &CommandKind| spec.pattern.percentage_random.of(kind) < 100;
    let resolved = spec.resolve(DEVICE_BYTES);
    let may_draw_beyond = resolved.is_ok_and(|job| job.may_draw_beyond());
    let sizes_differ = spec.kinds().iter().any(|&kind| !spec.has_one_size(kind));
    spec.pattern.random && (may_draw_beyond || spec.kinds().iter().any(jumps_seldom))
        || spec.pattern.stride_bytes != 0 && sizes_differ
}

fn defined(job: &Job, spec: &JobSpec) -> Defined {
    let by_chance = ends_by_chance(spec);
    let is_mix = job.any(&["rw=rw", "rw=randrw"]);
    let sizes = job.any(&["bsrange", "bssplit"]);
    let random = job.any(&["rw=rand"]);
    let verify = job.has("verify=");
    // A run of requests that comes to the end ends the job, which chance decides.
    let runs = spec.pattern.random_run > 1;
    let deep = job.has("iodepth=") && job.any(QUEUES);
    let flushes = job.any(&["fsync", "fdatasync", "end_fsync"]);
    let uneven = job.any(&[
        "random_distribution",
        "percentage_random",
        "zone",
        "bs_is_seq_rand",
    ]);
    // With answers outstanding, fio flushes when they have come.
    // fio's log has what its engine sends back, to be sent again, each time.
    let again = deep && job.has("iodepth_batch") && job.any(&["rw=trim", "rw=randtrim"]);
    let order = !random && !is_mix && !sizes && !again && !(deep && (flushes || verify));
    Defined {
        order,
        counts: !(is_mix || sizes || again || uneven || runs || by_chance || random && verify),
        amount: !(verify || runs || again || by_chance || is_mix && !random),
        in_pairs: job.any(&["rw=trimwrite", "rw=randtrimwrite"]),
        flushes: !deep,
        uniform: random && !uneven && !sizes && !runs,
    }
}

/// What is wrong with a job, in words.
fn wrong(place: &Place, nth: usize, job: &Job, device: &Path) -> Vec<String> {
    let file = format!("{nth}.fio");
    let filename = device.display();
    place.write(
        &file,
        &format!(
            "[job]\nfilename={filename}\nwrite_iolog={file}.log\n{}\n",
            job.text
        ),
    );
    let (fio, ours) = (in_fio(place, &file), in_ftlab(place, &file));
    let ((fio, their_log), (ours, our_log)) = match (fio, ours) {
        (Ok(fio), Ok(ours)) => (fio, ours),
        (Err(_), Err(_)) => return Vec::new(),
        (Ok(_), Err(why)) if DIFFERENCES.iter().any(|of| of.refuses(&why)) => return Vec::new(),
        (Err(why), Ok(_)) if only_reads(job) && UNCHECKED.iter().any(|said| why.contains(said)) => {
            return Vec::new();
        }
        (Err(why), Ok(_)) if OF_THE_MACHINE.iter().any(|said| why.contains(said)) => {
            return Vec::new();
        }
        (Err(_), Ok(_)) if job.spec().is_some_and(|spec| covers(&spec)) => return Vec::new(),
        (Ok(_), Err(why)) => return vec![format!("ftlab refuses it: {why}")],
        (Err(why), Ok(_)) => return vec![format!("fio refuses it: {why}")],
    };
    let mut found = contradictions(&ours);
    let spec = job.spec().expect("ftlab has run it");
    let is_otherwise = (DIFFERENCES.iter()).any(|of| of.is_of_requests() && of.covers(&spec));
    let defined = defined(job, &spec);
    if !is_otherwise {
        let requests = their_log.zip(our_log);
        found.extend(requests.and_then(|(fio, ours)| difference(&fio, &ours, defined)));
    }
    if !covers(&spec) {
        found.extend(differences(&fio, &ours, decided(job, defined)));
    }
    found.extend(held(job, &ours));
    found
}

/// Whether the page says of a job that fio does otherwise.
fn covers(spec: &JobSpec) -> bool {
    DIFFERENCES.iter().any(|of| of.covers(spec))
}

/// Whether it writes nothing that it could check.
fn only_reads(job: &Job) -> bool {
    let spec = job.spec();
    spec.is_some_and(|spec| spec.kinds() == [CommandKind::Read])
}

/// What a deeper queue waits for.
const WAITS: &[&str] = &[
    "rate",
    "thinktime",
    "iodepth_",
    "verify",
    "rw=trimwrite",
    "rw=randtrimwrite",
];

/// What of the JSON's values the job's words decide.
fn decided(job: &Job, defined: Defined) -> Decided {
    let is_mix = job.any(&["rw=rw", "rw=randrw"]);
    let deep = job.has("iodepth=") && job.any(QUEUES);
    let flushes = job.any(&["fsync=", "fdatasync="]);
    Decided {
        requests: defined.counts || defined.order,
        each_direction: !is_mix,
        flushes: (defined.counts || defined.order) && !is_mix && !(deep && flushes),
        depth: true,
        submissions: true,
        // A deeper queue is as full as the machine lets it be where answers come in batches, or where it waits for some. The flush that
        // closes a job counts where fio's engine queues it.
        levels: !(deep && (flushes || job.any(WAITS)))
            && !(job.has("ioengine=io_uring") && job.any(&["end_fsync=1", "fsync_on_close=1"])),
    }
}

/// Rates times latencies give the requests in flight, of a job that is not held back and keeps its latencies.
fn held(job: &Job, ours: &Value) -> Vec<String> {
    const HELD_BACK: &[&str] = &[
        "rate",
        "thinktime",
        "verify",
        "startdelay",
        "exec_prerun",
        "end_fsync=1",
        "fsync_on_close=1",
        "gtod_reduce=1",
        "disable_lat=1",
        "disable_clat=1",
    ];
    match job.any(HELD_BACK) {
        true => Vec::new(),
        false => in_flight::wrong(ours),
    }
}

#[test]
fn jobs_over_every_word_are_those_of_fio() {
    let page = Place::new().root("docs/fio.md");
    let (lines, missing) = samples::lines(&page);
    assert!(
        missing.is_empty(),
        "words without a value to draw: {missing:?}"
    );
    let count = std::env::var("FIO_JOBS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(JOBS);
    let seed = std::env::var("FIO_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(33);
    let mut random = RootSeed(seed).stream("jobs over every word");
    let jobs: Vec<Job> = (0..count).map(|_| draw(&mut random, &lines)).collect();
    let place = Place::new();
    let next = AtomicUsize::new(0);
    let each = |thread: usize| {
        let [sparse, under_loop] =
            ["sparse", "loop"].map(|what| place.path(&format!("{what}{thread}")));
        for file in [&sparse, &under_loop] {
            std::fs::File::create(file)
                .and_then(|file| file.set_len(DEVICE_BYTES))
                .expect("a sparse file");
        }
        let device = Loop::on(&under_loop);
        let mut found = Vec::new();
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(nth) else {
                return found;
            };
            let device = if job.on_loop { &device.0 } else { &sparse };
            let wrong = wrong(&place, nth, job, device);
            let told = |what| {
                format!(
                    "job {nth}, {}: {what}\n    {}",
                    device.display(),
                    job.text.replace('\n', "; ")
                )
            };
            found.extend(wrong.into_iter().map(told));
        }
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..AT_A_TIME)
            .map(|thread| scope.spawn(move || each(thread)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("a thread"))
            .collect()
    });
    assert!(
        wrong.is_empty(),
        "{} of {count} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_option_of_fio_is_on_the_page() {
    let page = Place::new().root("docs/fio.md");
    let help = |arguments: &[&str]| {
        let output = Command::new("fio").args(arguments).output();
        let output = output.expect("fio is installed: apt-get install fio");
        let names = String::from_utf8_lossy(&output.stdout).into_owned();
        let name = |line: &str| Some(line.split_once(':')?.0.trim().to_owned());
        let is_name = |name: &String| !name.is_empty() && !name.contains(' ');
        let names = names.lines().filter(|line| !line.starts_with([' ', '\t']));
        names.filter_map(name).filter(is_name).collect::<Vec<_>>()
    };
    let mut names = help(&["--cmdhelp"]);
    assert!(names.len() > 100, "{names:?}");
    for engine in ["libaio", "psync", "sg"] {
        names.extend(help(&[&format!("--enghelp={engine}")]));
    }
    let missing: Vec<_> = names
        .iter()
        .filter(|name| !page.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
