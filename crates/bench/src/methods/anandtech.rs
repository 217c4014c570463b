//! The Iometer tests of AnandTech's reviews of 2008 (A) and 2009 (B).

use super::{Family, Job, Load, Step};
use crate::states::State;
use ftlab_result::Chart;

macro_rules! job {
    ($file:literal) => {
        Job {
            file: $file,
            text: include_str!(concat!("../../../../jobs/", $file)),
        }
    };
}

const fn step(slug: &'static str, label: &'static str, job: &'static Job) -> Step {
    Step {
        slug,
        label,
        load: Load::Job(job),
    }
}

// Iometer on a drive of the lab: the source says nothing of its state, and a drive under test had
// been through installations and other benchmarks before.
const UNSTATED: &[State] = &[State::Filled];

static RANDOM_4K: Job = job!("randwrite-4k-qd1.fio");
static RANDOM_16K: Job = job!("randwrite-16k-qd1.fio");
static RANDOM_32K: Job = job!("randwrite-32k-qd1.fio");
static RANDOM_64K: Job = job!("randwrite-64k-qd1.fio");
static RANDOM_128K: Job = job!("randwrite-128k-qd1.fio");
static SEQUENTIAL_100: Job = job!("seqrand-mix-4k-qd1-seq100.fio");
static SEQUENTIAL_90: Job = job!("seqrand-mix-4k-qd1-seq90.fio");
static SEQUENTIAL_50: Job = job!("seqrand-mix-4k-qd1-seq50.fio");
static RANDOM_QD2: Job = job!("randwrite-4k-qd2.fio");
static RANDOM_QD4: Job = job!("randwrite-4k-qd4.fio");
static RANDOM_QD8: Job = job!("randwrite-4k-qd8.fio");
static RANDOM_QD16: Job = job!("randwrite-4k-qd16.fio");
static RANDOM_QD32: Job = job!("randwrite-4k-qd32.fio");
static RANDOM_QD64: Job = job!("randwrite-4k-qd64.fio");
static RANDOM_QD3_8G: Job = job!("randwrite-4k-qd3-8gb.fio");

pub static FAMILIES: &[Family] = &[
    Family {
        slug: "randwrite-4k-qd1",
        method: "A1",
        title: "4 KiB random writes, one at a time",
        text: "4 KiB random writes over the whole drive, the next one issued when the last is \
               done. Measured are IOPS, MB/s (binary in the source), and the average and longest \
               latency. The source states neither span nor length nor the state of the drives; \
               assumed are the whole drive, a minute, and a drive that had been filled once.",
        chart: Chart::Bars,
        metric: "lat_avg_ms",
        unit: "ms",
        states: UNSTATED,
        steps: &[step("randwrite-4k-qd1", "", &RANDOM_4K)],
    },
    Family {
        slug: "randwrite-size-sweep",
        method: "A2",
        title: "Random writes against their size",
        text: "Random writes of 4 to 128 KiB over the whole drive, one at a time. Measured is the \
               average latency; its longest over all sizes stands in the source's prose. Span, \
               length and state are assumed as for the 4 KiB test, which is also the first step.",
        chart: Chart::Lines,
        metric: "lat_avg_ms",
        unit: "ms",
        states: UNSTATED,
        steps: &[
            step("randwrite-size-sweep-4k", "4 KiB", &RANDOM_4K),
            step("randwrite-16k-qd1", "16 KiB", &RANDOM_16K),
            step("randwrite-32k-qd1", "32 KiB", &RANDOM_32K),
            step("randwrite-64k-qd1", "64 KiB", &RANDOM_64K),
            step("randwrite-128k-qd1", "128 KiB", &RANDOM_128K),
        ],
    },
    Family {
        slug: "seqrand-mix-4k-qd1",
        method: "A3",
        title: "4 KiB writes against their share of random ones",
        text: "4 KiB writes, one at a time, each following the last one or, with the given \
               chance, jumping to a random place on the drive. Measured is the average latency. \
               Span, length and state are assumed as for the random test, which is also the last \
               step.",
        chart: Chart::Lines,
        metric: "lat_avg_ms",
        unit: "ms",
        states: UNSTATED,
        steps: &[
            step("seqrand-mix-4k-qd1-seq100", "0 % random", &SEQUENTIAL_100),
            step("seqrand-mix-4k-qd1-seq90", "10 % random", &SEQUENTIAL_90),
            step("seqrand-mix-4k-qd1-seq50", "50 % random", &SEQUENTIAL_50),
            step("seqrand-mix-4k-qd1-seq0", "100 % random", &RANDOM_4K),
        ],
    },
    Family {
        slug: "randwrite-4k-qd-sweep",
        method: "A4",
        title: "4 KiB random writes against queue depth",
        text: "4 KiB random writes over the whole drive with 1 to 64 outstanding. Measured are the \
               average and longest latency. The source draws a line and states few of its values; \
               the steps are powers of two. Span and state are assumed as for a depth of one; \
               the deeper steps run some minutes longer, as single commands take seconds there.",
        chart: Chart::Lines,
        metric: "lat_avg_ms",
        unit: "ms",
        states: UNSTATED,
        steps: &[
            step("randwrite-4k-qd-sweep-qd1", "QD 1", &RANDOM_4K),
            step("randwrite-4k-qd2", "QD 2", &RANDOM_QD2),
            step("randwrite-4k-qd4", "QD 4", &RANDOM_QD4),
            step("randwrite-4k-qd8", "QD 8", &RANDOM_QD8),
            step("randwrite-4k-qd16", "QD 16", &RANDOM_QD16),
            step("randwrite-4k-qd32", "QD 32", &RANDOM_QD32),
            step("randwrite-4k-qd64", "QD 64", &RANDOM_QD64),
        ],
    },
    Family {
        slug: "randwrite-4k-qd3-8gb",
        method: "B1",
        title: "4 KiB random writes on 8 GB, new and used",
        text: "4 KiB random writes over 8 GB of the drive with three outstanding, for three \
               minutes, on a new drive and on a used one. Measured are MB/s (binary in the source) \
               over the whole run. The source does not say how a drive became used; the steps \
               taken here are listed with the runs.",
        chart: Chart::Bars,
        metric: "mib_s",
        unit: "MiB/s",
        states: &[State::New, State::Used],
        steps: &[step("randwrite-4k-qd3-8gb", "", &RANDOM_QD3_8G)],
    },
];
