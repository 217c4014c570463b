//! Findings as results of the schema: a run each, and the tests as the report shows them.

use super::subject::Subject;
use super::{Finding, Part, Plan};
use crate::review::{link_words, sheet};
use ftlab_drive::{Counters, MODEL_VERSION};
use ftlab_play::record::inside_of;
use ftlab_result::pts::Pts;
use ftlab_result::{Chart, Origin, ResultSet, Run, SCHEMA, TestSheet, Way};

/// What is different about every scaled test.
const SCALED: &str = "Only the beginning of each access runs with time and is counted; the rest of its writes \
                      follow without time, as many bytes a second.";

/// The test's name on results.
pub fn slug(part: Part) -> &'static str {
    match part {
        Part::Iops => "pts-iops",
        Part::Throughput(1024) => "pts-throughput-1024k",
        Part::Throughput(_) => "pts-throughput-128k",
        Part::Latency => "pts-latency",
        Part::WriteSaturation => "pts-wsat",
        Part::HostIdleRecovery => "pts-hir",
        Part::CrossStimulusRecovery => "pts-xsr",
    }
}

/// What is different about a scaled test of its own.
fn scaled_words(part: Part) -> Option<&'static str> {
    match part {
        Part::Iops | Part::Throughput(_) | Part::Latency => None,
        Part::WriteSaturation => Some(
            "A sample is 2 % of the capacity written, or 7.2 minutes, and not a minute; the end stays four \
             capacities or a day.",
        ),
        Part::HostIdleRecovery => Some(
            "A round before the pauses is as long as one of the IOPS test, 56 minutes, or the rule would \
                 hold before collection begins. Accesses and pauses are as long as the standard's and run \
                 with time; there are 12 of each, and not 360.",
        ),
        Part::CrossStimulusRecovery => Some(
            "An access group has 48 samples, a scaled ten minutes each, and not 480 of a minute.",
        ),
    }
}

/// A part's test as the report shows it.
fn test(part: Part) -> TestSheet {
    let (method, title, step, metric, unit) = match part {
        Part::Iops => ("PTS-IOPS", "IOPS", "", "iops", "IOPS"),
        Part::Throughput(1024) => ("PTS-TP", "Throughput", "1024 KiB", "mb_s", "MB/s"),
        Part::Throughput(_) => ("PTS-TP", "Throughput", "128 KiB", "mb_s", "MB/s"),
        Part::Latency => ("PTS-LAT", "Latency", "", "lat_avg_ms", "ms"),
        Part::WriteSaturation => ("PTS-WSAT", "Write saturation", "", "iops", "IOPS"),
        Part::HostIdleRecovery => ("PTS-HIR", "Host idle recovery", "", "iops", "IOPS"),
        Part::CrossStimulusRecovery => ("PTS-XSR", "Cross-stimulus recovery", "", "mb_s", "MB/s"),
    };
    TestSheet {
        test: slug(part).to_owned(),
        method: method.to_owned(),
        title: title.to_owned(),
        text: text(part).to_owned(),
        step: step.to_owned(),
        chart: Chart::Bars,
        chart_metric: metric.to_owned(),
        chart_unit: unit.to_owned(),
        source: String::new(),
        roles: Vec::new(),
    }
}

fn text(part: Part) -> &'static str {
    match part {
        Part::Iops => {
            "Random accesses of eight sizes in seven mixes of reads and writes, in rounds until the IOPS of \
             4 KiB writes, of the 65/35 mix of 64 KiB and of 1024 KiB reads are steady. Bars: 4 KiB writes, \
             mean of the measurement window."
        }
        Part::Throughput(_) => {
            "Reads and writes in order, one thread with 32 commands outstanding, in rounds until both are \
             steady. Purge and preconditioning come before each size. Bars: writes, mean of the measurement \
             window."
        }
        Part::Latency => {
            "Random accesses of three sizes in three mixes, one command at a time, in rounds until the mean \
             latency of 4 KiB writes is steady. Bars: that, mean of the measurement window."
        }
        Part::WriteSaturation => {
            "Random writes of 4 KiB from the purge on, until four times the capacity has been written or a \
             day is over. Bars: mean of the last five samples."
        }
        Part::HostIdleRecovery => {
            "Random writes of 4 KiB until they are steady; then five seconds of them in turn with pauses of \
             5, 10, 15, 25 and 50 s, after each of which follow as many without a pause. Bars: the steady \
             state."
        }
        Part::CrossStimulusRecovery => {
            "From the purge on eight hours of writes of 1024 KiB in order, eight of random writes of 8 KiB, \
             eight in order again. Bars: the first group, mean of its last five samples."
        }
    }
}

/// The run of a part.
pub fn run(
    plan: &Plan,
    part: Part,
    subject: &Subject<'_>,
    found: Finding,
    counters: &Counters,
) -> Run {
    let file = subject.file;
    let state = if part.is_preconditioned() {
        "preconditioned"
    } else {
        "new"
    };
    let machine = &plan.testbed;
    let own = file.link_bytes_s();
    let link = own.map_or("none", |own| machine.host().link(own).name());
    let mut steps = subject.steps.clone();
    steps.push(cache_words(subject).to_owned());
    steps.push(format!(
        "Measured on {}, {}.",
        machine.name,
        link_words(link)
    ));
    let words = [SCALED].into_iter().chain(scaled_words(part));
    let scale = subject.scale.sheet(words.map(str::to_owned).collect());
    if !scale.words.is_empty() {
        steps.push(format!(
            "Scaled by {:.1}: a minute of the standard lasts {:.2} s. {}",
            scale.divisor,
            scale.minute_s,
            scale.words.join(" ")
        ));
    }
    let (drive, test) = (file.slug(), slug(part));
    let mut metrics = found.metrics;
    metrics.insert("wa".to_owned(), counters.write_amplification());
    Run {
        id: format!("{drive}/{test}/{state}"),
        drive: drive.to_owned(),
        test: test.to_owned(),
        state: state.to_owned(),
        data: "incompressible".to_owned(),
        link: link.to_owned(),
        steps,
        metrics,
        inside: Some(inside_of(counters)),
        series_interval_s: 1.0,
        pts: Some(Pts {
            settings: subject.settings.clone(),
            scale,
            steady: found.steady,
            cells: found.cells,
            courses: found.courses,
        }),
        ..Run::default()
    }
}

fn cache_words(subject: &Subject<'_>) -> &'static str {
    if subject.settings.write_cache {
        "Write cache on: a write ends when its data are in the drive's buffer."
    } else {
        "Write cache off: a write ends when its data are programmed, and a program unit that nothing more \
         comes for is filled up."
    }
}

/// The runs of a plan as a result set.
pub fn result_set(plan: &Plan, runs: Vec<Run>) -> ResultSet {
    ResultSet {
        schema: SCHEMA,
        provenance: None,
        origin: Origin {
            version: plan.version.clone(),
            way: Way::Simulated,
            model_version: MODEL_VERSION,
            seed: plan.seed.0,
            testbed: plan.testbed.slug.clone(),
            quick: false,
            repeats: 1,
            seeds: Vec::new(),
        },
        drives: plan.drives.iter().map(sheet).collect(),
        tests: plan.parts().into_iter().map(test).collect(),
        figures: Vec::new(),
        runs,
        unfinished: Vec::new(),
    }
}
