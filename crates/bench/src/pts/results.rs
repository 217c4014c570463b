//! Findings of tests as runs of a result set.

use super::subject::Subject;
use super::{Finding, Part};
use ftlab_drive::Counters;
use ftlab_host::Testbed;
use ftlab_lab::link_words;
use ftlab_play::record::inside_of;
use ftlab_result::pts::Pts;
use ftlab_result::quantity::table;
use ftlab_result::{At, Run};

/// The note on every scaled test.
const SCALED: &str = "Only the beginning of each access runs with time and is counted; the rest of its writes \
                      follow without time, as many bytes a second.";

/// The run of a part.
pub fn run(
    machine: &Testbed,
    part: &Part,
    subject: &Subject<'_>,
    found: Finding,
    counters: &Counters,
) -> Run {
    let file = subject.file;
    let state = if part.preconditioned {
        "preconditioned"
    } else {
        "new"
    };
    let link = file.link_on(&machine.host());
    let mut steps = subject.steps.clone();
    steps.push(cache_words(subject).to_owned());
    steps.push(format!(
        "Measured on {}, {}.",
        machine.name,
        link_words(link)
    ));
    let words = [SCALED].into_iter().chain(part.scaled.as_deref());
    let scale = subject.scale.sheet(words.map(str::to_owned).collect());
    if !scale.words.is_empty() {
        steps.push(format!(
            "Scaled by {:.1}: a minute of the standard lasts {:.2} s. {}",
            scale.divisor,
            scale.minute_s,
            scale.words.join(" ")
        ));
    }
    let (drive, test) = (file.slug(), &part.sheet.test);
    let mut metrics = found.metrics;
    table::WA.put(&mut metrics, counters.write_amplification());
    Run {
        id: format!("{drive}/{test}/{state}"),
        drive: drive.to_owned(),
        test: test.clone(),
        state: state.to_owned(),
        // The standard asks for random data.
        data: "incompressible".to_owned(),
        link: link.to_owned(),
        testbed: machine.slug.clone(),
        steps,
        metrics,
        at: vec![At {
            inside: Some(inside_of(counters)),
            ..At::default()
        }],
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
