//! AnandTech's Storage Bench of 2011, as its review of the SSD 520 describes it.

use super::{Family, Runs, Series, Step, Work};
use ftlab_play::states::State;
use ftlab_result::Chart;

const HEAVY: &str = "atsb2011-heavy";
const LIGHT: &str = "atsb2011-light";

/// A step of a slug that plays a trace.
const fn plays(slug: &'static str, trace: &'static str) -> Step {
    Step {
        slug,
        label: "",
        work: Work::Trace(trace),
        series: Series::Unread,
    }
}

/// A family drawn as bars of one figure of a trace.
const fn family(
    (method, slug): (&'static str, &'static str),
    title: &'static str,
    text: &'static str,
    (metric, unit): (&'static str, &'static str),
    states: &'static [State],
    steps: &'static [Step],
) -> Family {
    Family {
        slug,
        method,
        title,
        text,
        chart: Chart::Bars,
        metric,
        unit,
        testbed: "anandtech-2012",
        runs: Runs::WithAll,
        states,
        steps,
    }
}

// How full the drives were is not stated. The heavy trace overwrites its part of the drive twice, so
// that the room beside it matters.
const HEAVY_STATES: &[State] = &[State::Filled, State::New];
const LIGHT_STATES: &[State] = &[State::Filled];

const RATE: (&str, &str) = ("mb_s", "MB/s");
const BUSY: (&str, &str) = ("busy_s", "s");

pub static FAMILIES: &[Family] = &[
    family(
        ("D6", "atsb2011-heavy"),
        "Storage Bench 2011, heavy: data rate",
        "Two weeks of use of a heavy user, played back: 2,168,893 reads and 1,783,447 writes, 106.32 GB \
         of them, with the published shares of sizes, of requests in order and of those alone, and the \
         mean queue depth. The trace itself was not published: this one is drawn at random with exactly \
         these counts, and its summary says what it assumes beside them. Pauses are left out: the next \
         requests come when the last have ended. The rate is what was moved over the time the drive was \
         busy; beside it stand those of reads and writes over the time with some of them outstanding. \
         The state is not stated: played are a drive that had been filled once, and a new one, whose \
         reads of what was never written need no flash.",
        RATE,
        HEAVY_STATES,
        &[plays("atsb2011-heavy", HEAVY)],
    ),
    family(
        ("D6", "atsb2011-heavy-busy"),
        "Storage Bench 2011, heavy: time busy",
        "How long the drive was busy with the same run: less is quicker. Beside it stand the times with \
         reads and with writes outstanding; time with both counts for both.",
        BUSY,
        HEAVY_STATES,
        &[plays("atsb2011-heavy-busy", HEAVY)],
    ),
    family(
        ("D7", "atsb2011-light"),
        "Storage Bench 2011, light: data rate",
        "Everyday use, played back as the heavy trace is: 372,630 reads and 459,709 writes with the \
         published shares of sizes. The source gives no other figure of this trace; it is assumed to \
         be more in order and less deep than the heavy one. The state is assumed: filled once.",
        RATE,
        LIGHT_STATES,
        &[plays("atsb2011-light", LIGHT)],
    ),
    family(
        ("D7", "atsb2011-light-busy"),
        "Storage Bench 2011, light: time busy",
        "How long the drive was busy with the same run, as for the heavy trace.",
        BUSY,
        LIGHT_STATES,
        &[plays("atsb2011-light-busy", LIGHT)],
    ),
];
