//! AnandTech, "Intel SSD 520 Review: Cherryville Brings Reliability to SandForce", 2012.

use super::{Act, Family, Job, Procedure, Runs, Series, Span, Step, Work, job, step};
use ftlab_base::Content;
use ftlab_play::states::State;
use ftlab_result::Chart;

static READS_QD3: Job = job!("randread-4k-qd3-8gb.fio");
static WRITES_QD3: Job = job!("randwrite-4k-qd3-8gb.fio");
static WRITES_QD3_EASY: Job = job!("randwrite-4k-qd3-8gb-compressible.fio");
static WRITES_QD32: Job = job!("randwrite-4k-qd32-8gb.fio");
static WRITES_QD32_EASY: Job = job!("randwrite-4k-qd32-8gb-compressible.fio");
static SEQREAD: Job = job!("seqread-128k-qd1.fio");
static SEQWRITE: Job = job!("seqwrite-128k-qd1.fio");
static AS_SSD_READ: Job = job!("as-ssd-seqread.fio");
static AS_SSD_WRITE: Job = job!("as-ssd-seqwrite.fio");
static TORTURE: Job = job!("trim-torture.fio");
static IDLE: Job = job!("power-idle.fio");

/// Clean, after an hour of random writes on a full drive, and after TRIM of everything.
static TRIM_TORTURE: Procedure = Procedure {
    slug: "trim-torture",
    span: Span::Whole,
    acts: &[
        Act::Measure(&AS_SSD_WRITE, "new"),
        Act::FillFrom(0, Content::RANDOM),
        Act::Torture(&TORTURE),
        // The benchmark writes files, and making the file system that they lie on trims the drive. That the
        // source has the same rate here and after its own TRIM speaks for it.
        Act::Trim(None),
        Act::Measure(&AS_SSD_WRITE, "after-torture"),
        Act::Trim(None),
        Act::Measure(&AS_SSD_WRITE, "after-trim"),
    ],
};

pub static FAMILIES: &[Family] = &[
    Family {
        slug: "randread-4k-qd3-8gb",
        method: "D1",
        title: "4 KiB random reads on 8 GB",
        text: "4 KiB random reads over 8 GB with three outstanding, for three minutes. The \
               state of the drives is not stated; assumed is a drive that had been filled once.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "anandtech-2012",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[step("randread-4k-qd3-8gb", "", &[&READS_QD3])],
    },
    Family {
        slug: "randwrite-4k-qd3-8gb-2012",
        method: "D2",
        title: "4 KiB random writes on 8 GB at queue depth 3",
        text: "4 KiB random writes over 8 GB with three outstanding, for three minutes, with \
               data that do not compress and, on drives that compress, with data that do. State \
               as for reads.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "anandtech-2012",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[step(
            "randwrite-4k-qd3-8gb-2012",
            "",
            &[&WRITES_QD3, &WRITES_QD3_EASY],
        )],
    },
    Family {
        slug: "randwrite-4k-qd32-8gb",
        method: "D3",
        title: "4 KiB random writes on 8 GB at queue depth 32",
        text: "As at queue depth 3, with 32 outstanding.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "anandtech-2012",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[step(
            "randwrite-4k-qd32-8gb",
            "",
            &[&WRITES_QD32, &WRITES_QD32_EASY],
        )],
    },
    Family {
        slug: "seq-128k",
        method: "D4",
        title: "Sequential reads and writes of 128 KiB",
        text: "Sequential transfers of 128 KB over the whole drive, one at a time, for a \
               minute, with data that compress. The state is assumed: filled once.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "anandtech-2012",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            step("seqread-128k-qd1", "read", &[&SEQREAD]),
            step("seqwrite-128k-qd1", "write", &[&SEQWRITE]),
        ],
    },
    Family {
        slug: "as-ssd",
        method: "D5",
        title: "AS-SSD",
        text: "Sequential reads and writes of data that do not compress, as AS-SSD makes them: \
               1 GiB in transfers of 16 MiB, one at a time, on a drive that had been filled \
               once; none of this is stated.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "anandtech-2012",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            step("as-ssd-seqread", "read", &[&AS_SSD_READ]),
            step("as-ssd-seqwrite-filled", "write", &[&AS_SSD_WRITE]),
        ],
    },
    Family {
        slug: "trim-torture",
        method: "D8",
        title: "Sequential writes after an hour of random ones, and after TRIM",
        text: "AS-SSD on a clean drive; then the drive is filled, written at random for an hour \
               with 32 outstanding, and AS-SSD runs again, and once more after TRIM of the \
               whole drive. Assumed: AS-SSD writes files, so a file system is made for it first, \
               which trims the drive under Windows 7. Of each minute of the hour the first second runs with time, and the \
               rest without, with as many writes as that second had in each of its parts.",
        chart: Chart::Bars,
        metric: "mb_s",
        unit: "MB/s",
        testbed: "anandtech-2012",
        runs: Runs::WithAllOn(&["intel-520-240", "kingston-hyperx-240"]),
        states: &[],
        steps: &[Step {
            slug: "as-ssd-seqwrite",
            label: "",
            work: Work::Within(&TRIM_TORTURE, &AS_SSD_WRITE),
            series: Series::Unread,
        }],
    },
    Family {
        slug: "power-2012",
        method: "D9",
        title: "Power, idle and writing, in sequence and at random",
        text: "Power at the drive's supply, idle, during sequential writes and during random ones. The \
               source states no method; assumed are the writes of its tests of speed: 128 KiB in sequence \
               one at a time, of data that compress, and 4 KiB on 8 GB with 32 outstanding, of data that \
               do not.",
        chart: Chart::Bars,
        metric: "watts",
        unit: "W",
        testbed: "anandtech-2012",
        runs: Runs::WithAll,
        states: &[State::Filled],
        steps: &[
            step("power-idle-2012", "idle", &[&IDLE]),
            step("power-seqwrite-2012", "sequential writes", &[&SEQWRITE]),
            step("power-randwrite-2012", "random writes", &[&WRITES_QD32]),
        ],
    },
];
