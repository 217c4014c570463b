//! The model's version is raised when results change: a few small runs of every kind of drive, with what they
//! came to when the version was last raised.

use ftlab_base::RootSeed;
use ftlab_drive::{Catalog, Device, MODEL_VERSION};
use ftlab_host::Testbed;
use ftlab_play::driver::{self, Clock};
use ftlab_play::embedded::TRACES;
use ftlab_states::State;
use ftlab_states::watch::nobody;
use ftlab_workload::JobFile;
use ftlab_workload::trace::Trace;

/// What the runs below came to under the version in the first line. When it changes, results have changed:
/// raise `MODEL_VERSION` in `crates/drive/src/model_version.rs`, and put here what the test prints.
const KNOWN: &str = include_str!("model_version.txt");

const SEED: RootSeed = RootSeed(1);

const WRITES: &str = "[w]\nrw=randwrite\nbs=4k\nnorandommap\niodepth=8\nnumber_ios=4000\n";
const MIXED: &str =
    "[m]\nrw=randrw\nbs=8k\niodepth=4\nnumber_ios=2000\nbuffer_compress_percentage=50\n";

/// Drive, settings that make it small, state, job.
const RUNS: [(&str, &[&str], State, &str); 7] = [
    ("generic-mlc-8", &SMALL, State::Steady, WRITES),
    (
        "generic-mlc-8",
        &["gc.policy=d-choices", "gc.choices=3", SMALL[0], SMALL[1]],
        State::Used,
        WRITES,
    ),
    ("intel-x25-m-g1-80", &SMALL, State::Used, MIXED),
    ("ocz-core-jmf602", &SMALL, State::Filled, WRITES),
    ("ocz-vertex3-120", &SMALL, State::Used, MIXED),
    ("seagate-momentus-7200.2", &[], State::New, MIXED),
    ("wd-velociraptor-300", &[], State::New, WRITES),
];

const SMALL: [&str; 2] = ["nand.blocks_per_die=128", "spare.op=0.15"];

fn prepared(slug: &str, settings: &[&str], state: State) -> Box<dyn Device> {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    let file = Catalog::default().load(slug, &settings).expect("it loads");
    let testbed = Testbed::load("anandtech-2008").expect("it loads");
    let mut device = file.build(&testbed, SEED).expect("it can be built");
    ftlab_states::prepare(&mut *device, State::New, state, SEED).expect("it can be prepared");
    device
}

/// A line for a run: what ran, the hash of its operations, and how long it took.
fn line(what: &str, device: &dyn Device, took: ftlab_base::Nanos) -> String {
    let hash = device.counters().stream_hash;
    format!("{what}: operations {hash:016x}, {} ns\n", took.0)
}

fn now() -> String {
    let mut lines = format!("model version {MODEL_VERSION}\n");
    for (slug, settings, state, job) in RUNS {
        let mut device = prepared(slug, settings, state);
        let file = JobFile::parse(job, "job").expect("it parses");
        let report = driver::run(&file, &mut *device, Clock::Timed, SEED).expect("it runs");
        let what = format!("{slug}, {}, {}", state.name(), file.jobs[0].name);
        lines += &line(&what, &*device, report.simulated);
    }
    let (file, text) = TRACES.find("atsb2011-light").expect("it is there");
    let trace = Trace::parse(text, &file).expect("it is one");
    let mut device = prepared("intel-320-120", &[], State::New);
    let report =
        driver::run_trace(&trace, &mut *device, Some(2000), SEED, &nobody).expect("it runs");
    lines += &line("intel-320-120, new, trace", &*device, report.run.simulated);
    lines
}

/// What a change of the runs asks for; nothing if there is none.
fn asks(known: &str, now: &str) -> Option<String> {
    let version = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    if known == now {
        return None;
    }
    let what = match version(known) == version(now) {
        true => "results have changed: raise MODEL_VERSION in crates/drive/src/model_version.rs",
        false => {
            "MODEL_VERSION was raised: put these lines into crates/play/tests/model_version.txt"
        }
    };
    Some(format!("{what}\n\n{now}"))
}

#[test]
fn results_change_with_the_model_version_alone() {
    if let Some(what) = asks(KNOWN, &now()) {
        panic!("{what}");
    }
}

#[test]
fn a_change_of_results_asks_for_a_version_and_a_new_version_for_its_results() {
    let [one, other] = ["model version 1\na: 1\n", "model version 1\na: 2\n"];
    assert_eq!(asks(one, one), None);
    assert!(asks(one, other).expect("it is another").contains("raise"));
    let raised = other.replace("version 1", "version 2");
    assert!(
        asks(one, &raised)
            .expect("it is new")
            .contains("was raised")
    );
}
