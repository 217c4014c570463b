//! BeHardware, "SSD 2011 roundup: Crucial M4, OCZ Vertex 3, Intel 510/320", 2011.

use super::{Act, Fact, Family, Job, Procedure, Runs, Series, Span, Step, Work, fact, job, step};
use ftlab_base::Content;
use ftlab_host::Port;
use ftlab_play::states::State;
use ftlab_result::Chart;

static SEQREAD: Job = job!("seqread-2m.fio");
static SEQREAD_EASY: Job = job!("seqread-2m-compressible.fio");
static SEQWRITE: Job = job!("seqwrite-2m.fio");
static SEQWRITE_EASY: Job = job!("seqwrite-2m-compressible.fio");
static SEQREAD_QD1: Job = job!("seqread-4k-qd1.fio");
static SEQWRITE_QD1: Job = job!("seqwrite-4k-qd1.fio");
static READS_QD1: Job = job!("randread-4k-qd1.fio");
static WRITES_QD1: Job = job!("randwrite-4k-qd1.fio");
static SEQREAD_QD2: Job = job!("seqread-4k-qd2.fio");
static SEQWRITE_QD2: Job = job!("seqwrite-4k-qd2.fio");
static READS_QD2: Job = job!("randread-4k-qd2.fio");
static WRITES_QD2: Job = job!("randwrite-4k-qd2.fio");
static SEQREAD_QD4: Job = job!("seqread-4k-qd4.fio");
static SEQWRITE_QD4: Job = job!("seqwrite-4k-qd4.fio");
static READS_QD4: Job = job!("randread-4k-qd4.fio");
static WRITES_QD4: Job = job!("randwrite-4k-qd4.fio");
static SEQREAD_QD8: Job = job!("seqread-4k-qd8.fio");
static SEQWRITE_QD8: Job = job!("seqwrite-4k-qd8.fio");
static READS_QD8: Job = job!("randread-4k-qd8.fio");
static WRITES_QD8: Job = job!("randwrite-4k-qd8.fio");
static SEQREAD_QD16: Job = job!("seqread-4k-qd16.fio");
static SEQWRITE_QD16: Job = job!("seqwrite-4k-qd16.fio");
static READS_QD16: Job = job!("randread-4k-qd16.fio");
static WRITES_QD16: Job = job!("randwrite-4k-qd16.fio");
static SEQREAD_QD32: Job = job!("seqread-4k-qd32.fio");
static SEQWRITE_QD32: Job = job!("seqwrite-4k-qd32.fio");
static READS_QD32: Job = job!("randread-4k-qd32.fio");
static WRITES_QD32: Job = job!("randwrite-4k-qd32.fio");
static TRIM_RANDOM: Job = job!("trim-10gb-randwrite.fio");
static TRIM_SEQUENTIAL: Job = job!("trim-10gb-seqwrite.fio");
static IDLE: Job = job!("power-idle.fio");

/// The ports of the four sets of results: native, and a drive of 6 Gbit/s on a port of 3.
const PORTS: &[Option<Port>] = &[None, Some(Port::Sata3g)];

/// What is left free of the drive, as the host's system counts GB.
const TEN_GB: u64 = 10 << 30;

/// The seven steps of the source: the drive is full of video files but for 10 GB, and only these
/// are written to.
static TRIM_10GB: Procedure = Procedure {
    slug: "trim-10gb",
    span: Span::Whole,
    acts: &[
        Act::FillFrom(TEN_GB, Content::RANDOM),
        Act::Measure(&TRIM_RANDOM, "new"),
        Act::Measure(&TRIM_SEQUENTIAL, "used"),
        Act::Trim(Some(TEN_GB)),
        Act::Measure(&TRIM_SEQUENTIAL, "after-trim"),
        Act::Measure(&TRIM_RANDOM, "used"),
        Act::Trim(Some(TEN_GB)),
        Act::Measure(&TRIM_RANDOM, "after-trim"),
        Act::SecureErase,
        Act::FillFrom(TEN_GB, Content::RANDOM),
        Act::Measure(&TRIM_SEQUENTIAL, "new"),
    ],
};

const fn on_both_ports(
    slug: &'static str,
    label: &'static str,
    jobs: &'static [&'static Job],
) -> Step {
    Step {
        slug,
        label,
        work: Work::Jobs { jobs, ports: PORTS },
        series: Series::Unread,
    }
}

const fn on_ten_gb(slug: &'static str, label: &'static str, job: &'static Job) -> Step {
    Step {
        slug,
        label,
        work: Work::Within(&TRIM_10GB, job),
        series: Series::Drops,
    }
}

pub static FAMILIES: &[Family] = &[
    Family {
        slug: "seqread-2m",
        method: "C1",
        title: "Sequential reads of 2 MiB",
        text: "Sequential reads of 2 MB; four sets of results: on the native port and on \
               one of 3 Gbit/s, with data that do not compress and with data that do. Queue \
               depth, length and state are not stated; assumed are one outstanding, a minute, \
               and a drive that had been filled once.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[on_both_ports("seqread-2m", "", &[&SEQREAD, &SEQREAD_EASY])],
    },
    Family {
        slug: "seqwrite-2m",
        method: "C1",
        title: "Sequential writes of 2 MiB",
        text: "As for reads, on a drive as new. The source does not state that either, but its SandForce \
               drives write data that do not compress as fast here as in its test on a new drive, and \
               only a third as fast once their flash is in use.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::New],
        steps: &[on_both_ports(
            "seqwrite-2m",
            "",
            &[&SEQWRITE, &SEQWRITE_EASY],
        )],
    },
    Family {
        slug: "seqread-4k",
        method: "C2",
        title: "4 KiB sequential reads against queue depth",
        text: "Sequential reads of 4 KB with 1 to 32 outstanding. The source announces the test \
               and shows no result. Length and state are assumed.",
        chart: Chart::Lines,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            step("seqread-4k-qd1", "QD 1", &[&SEQREAD_QD1]),
            step("seqread-4k-qd2", "QD 2", &[&SEQREAD_QD2]),
            step("seqread-4k-qd4", "QD 4", &[&SEQREAD_QD4]),
            step("seqread-4k-qd8", "QD 8", &[&SEQREAD_QD8]),
            step("seqread-4k-qd16", "QD 16", &[&SEQREAD_QD16]),
            step("seqread-4k-qd32", "QD 32", &[&SEQREAD_QD32]),
        ],
    },
    Family {
        slug: "seqwrite-4k",
        method: "C2",
        title: "4 KiB sequential writes against queue depth",
        text: "Sequential writes of 4 KB with 1 to 32 outstanding. The source announces the \
               test and shows no result. Length and state are assumed.",
        chart: Chart::Lines,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            step("seqwrite-4k-qd1", "QD 1", &[&SEQWRITE_QD1]),
            step("seqwrite-4k-qd2", "QD 2", &[&SEQWRITE_QD2]),
            step("seqwrite-4k-qd4", "QD 4", &[&SEQWRITE_QD4]),
            step("seqwrite-4k-qd8", "QD 8", &[&SEQWRITE_QD8]),
            step("seqwrite-4k-qd16", "QD 16", &[&SEQWRITE_QD16]),
            step("seqwrite-4k-qd32", "QD 32", &[&SEQWRITE_QD32]),
        ],
    },
    Family {
        slug: "randread-4k",
        method: "C3",
        title: "4 KiB random reads against queue depth",
        text: "Random reads of 4 KB with 1 to 32 outstanding, on the native port and on one of \
               3 Gbit/s. The span is not stated; assumed is the whole drive, filled once.",
        chart: Chart::Lines,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            on_both_ports("randread-4k-qd1", "QD 1", &[&READS_QD1]),
            on_both_ports("randread-4k-qd2", "QD 2", &[&READS_QD2]),
            on_both_ports("randread-4k-qd4", "QD 4", &[&READS_QD4]),
            on_both_ports("randread-4k-qd8", "QD 8", &[&READS_QD8]),
            on_both_ports("randread-4k-qd16", "QD 16", &[&READS_QD16]),
            on_both_ports("randread-4k-qd32", "QD 32", &[&READS_QD32]),
        ],
    },
    Family {
        slug: "randwrite-4k",
        method: "C4",
        title: "4 KiB random writes against queue depth",
        text: "Random writes of 4 KB with 1 to 32 outstanding, on the native port and on one of \
               3 Gbit/s. Span and state are not stated; assumed is the whole drive, as new, like the \
               sequential writes.",
        chart: Chart::Lines,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::New],
        steps: &[
            on_both_ports("randwrite-4k-2011-qd1", "QD 1", &[&WRITES_QD1]),
            on_both_ports("randwrite-4k-2011-qd2", "QD 2", &[&WRITES_QD2]),
            on_both_ports("randwrite-4k-2011-qd4", "QD 4", &[&WRITES_QD4]),
            on_both_ports("randwrite-4k-2011-qd8", "QD 8", &[&WRITES_QD8]),
            on_both_ports("randwrite-4k-2011-qd16", "QD 16", &[&WRITES_QD16]),
            on_both_ports("randwrite-4k-2011-qd32", "QD 32", &[&WRITES_QD32]),
        ],
    },
    Family {
        slug: "trim-10gb",
        method: "C10",
        title: "Writes on the last 10 GB, new, used and after TRIM",
        text: "A drive is filled but for 10 GB, which are then written at random, in sequence, \
               in sequence after TRIM, at random, at random after TRIM, and after a secure \
               erase in sequence; each run is followed second by second. A drop is where the \
               rate falls for good, found as the best division of the series into two or three \
               levels. Transfer size, queue depth and length are not stated without \
               contradiction; assumed are 2 MiB for sequential writes, one outstanding, and \
               four minutes.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "behardware-2011",
        runs: Runs::WithAllOn(&[
            "intel-510-120",
            "intel-320-120",
            "ocz-vertex3-120",
            "crucial-m4-128",
        ]),
        states: &[],
        steps: &[
            on_ten_gb("trim-10gb-randwrite", "random", &TRIM_RANDOM),
            on_ten_gb("trim-10gb-seqwrite", "sequential", &TRIM_SEQUENTIAL),
        ],
    },
    Family {
        slug: "power",
        method: "C11",
        title: "Power, idle and writing",
        text: "Power at the drive's supply, idle and during sequential writes. The length of \
               the writes and the state of the drives are not stated; assumed are a minute and \
               a drive that had been filled once.",
        chart: Chart::Bars,
        metric: "watts",
        unit: "W",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            step("power-idle", "idle", &[&IDLE]),
            step("power-seqwrite", "sequential writes", &[&SEQWRITE]),
        ],
    },
    Family {
        slug: "endurance-spec",
        method: "C13",
        title: "Endurance: 20 GB a day for five years",
        text: "As for the guarantee of 100 GB a day, with the 20 GB that makers of 2011 name.",
        chart: Chart::Bars,
        metric: "host_writes_per_day",
        unit: "GB/day",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[],
        steps: &[fact(
            "endurance-spec",
            "",
            Fact::Endurance { gb_per_day: 20 },
        )],
    },
    Family {
        slug: "endurance-theory",
        method: "C14",
        title: "Endurance in theory",
        text: "What the flash is rated for if nothing is written twice and all blocks wear \
               alike: user capacity times rated cycles, in all and by day over five years.",
        chart: Chart::Bars,
        metric: "host_writes_total",
        unit: "TB",
        testbed: "behardware-2011",
        runs: Runs::WithAll,
        states: &[],
        steps: &[fact("endurance-theory", "", Fact::EnduranceInTheory)],
    },
];
