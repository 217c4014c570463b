//! AnandTech, "Intel X25-M SSD: Intel Delivers One of the World's Fastest Drives", 2008.

use super::{Fact, Family, Job, Runs, fact, job, step};
use ftlab_play::states::State;
use ftlab_result::Chart;

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
static READS: Job = job!("randread-4k-qd1.fio");
static TYPICAL: Job = job!("mobile-typical.fio");

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
        testbed: "anandtech-2008",
        runs: Runs::ByDefault,
        states: UNSTATED,
        steps: &[step("randwrite-4k-qd1", "", &[&RANDOM_4K])],
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
        testbed: "anandtech-2008",
        runs: Runs::ByDefault,
        states: UNSTATED,
        steps: &[
            step("randwrite-size-sweep-4k", "4 KiB", &[&RANDOM_4K]),
            step("randwrite-16k-qd1", "16 KiB", &[&RANDOM_16K]),
            step("randwrite-32k-qd1", "32 KiB", &[&RANDOM_32K]),
            step("randwrite-64k-qd1", "64 KiB", &[&RANDOM_64K]),
            step("randwrite-128k-qd1", "128 KiB", &[&RANDOM_128K]),
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
        testbed: "anandtech-2008",
        runs: Runs::ByDefault,
        states: UNSTATED,
        steps: &[
            step(
                "seqrand-mix-4k-qd1-seq100",
                "0 % random",
                &[&SEQUENTIAL_100],
            ),
            step("seqrand-mix-4k-qd1-seq90", "10 % random", &[&SEQUENTIAL_90]),
            step("seqrand-mix-4k-qd1-seq50", "50 % random", &[&SEQUENTIAL_50]),
            step("seqrand-mix-4k-qd1-seq0", "100 % random", &[&RANDOM_4K]),
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
        testbed: "anandtech-2008",
        runs: Runs::ByDefault,
        states: UNSTATED,
        steps: &[
            step("randwrite-4k-qd-sweep-qd1", "QD 1", &[&RANDOM_4K]),
            step("randwrite-4k-qd2", "QD 2", &[&RANDOM_QD2]),
            step("randwrite-4k-qd4", "QD 4", &[&RANDOM_QD4]),
            step("randwrite-4k-qd8", "QD 8", &[&RANDOM_QD8]),
            step("randwrite-4k-qd16", "QD 16", &[&RANDOM_QD16]),
            step("randwrite-4k-qd32", "QD 32", &[&RANDOM_QD32]),
            step("randwrite-4k-qd64", "QD 64", &[&RANDOM_QD64]),
        ],
    },
    Family {
        slug: "randread-check",
        method: "A5",
        title: "4 KiB random reads",
        text: "The source checks that reads do not stall as writes do, and names a longest one of a \
               quarter of a second on the drive that stalls most; it states nothing else. Assumed \
               are 4 KiB reads over the whole drive, one at a time, for a minute.",
        chart: Chart::Bars,
        metric: "lat_avg_ms",
        unit: "ms",
        testbed: "anandtech-2008",
        runs: Runs::ByDefault,
        states: UNSTATED,
        steps: &[step("randread-check", "", &[&READS])],
    },
    Family {
        slug: "power-spec",
        method: "A21",
        title: "Power of a notebook's drive",
        text: "The maker's figures for a drive at rest and in a typical workload of a notebook, which \
               puts the link of an idle drive to sleep. Neither source nor maker states the \
               workload; assumed are bursts of small requests every two seconds.",
        chart: Chart::Bars,
        metric: "watts",
        unit: "W",
        testbed: "notebook-2008",
        runs: Runs::ByDefault,
        states: UNSTATED,
        steps: &[step("power-spec", "", &[&TYPICAL])],
    },
    Family {
        slug: "spare-area",
        method: "A22",
        title: "Spare area",
        text: "Flash that the host does not see: of the flash built in, or of the user's capacity, \
               whichever the source counts. Worked out from the geometry of the drive.",
        chart: Chart::Bars,
        metric: "spare_pct_of_raw",
        unit: "%",
        testbed: "anandtech-2008",
        runs: Runs::ByDefault,
        states: &[],
        steps: &[fact("spare-area", "", Fact::SpareArea)],
    },
    Family {
        slug: "client-wear",
        method: "A23",
        title: "What a client's writes do to the flash",
        text: "Write amplification of a client load (jobs/client-workload.fio), and the share of the \
               blocks that wear faster than the rest after five years of it. The sources state neither \
               load nor length. Run without a clock.",
        chart: Chart::Bars,
        metric: "wa",
        unit: "x",
        testbed: "anandtech-2008",
        runs: Runs::ByDefault,
        states: &[],
        steps: &[
            fact(
                "write-amp-client",
                "write amplification",
                Fact::ClientWrites,
            ),
            fact("wear-level-inefficiency", "wear", Fact::ClientWrites),
        ],
    },
    Family {
        slug: "endurance-guarantee",
        method: "A24",
        title: "Endurance: 100 GB a day for five years",
        text: "How many GB a day the drive bears for five years, and for how long it bears 100, until \
               its mean block has been erased as often as its flash is rated for: a client's writes to \
               the end of a drive's life, without a clock and in proportion on a smaller drive. A \
               guarantee holds when the drive bears as much or more.",
        chart: Chart::Bars,
        metric: "host_writes_per_day",
        unit: "GB/day",
        testbed: "anandtech-2008",
        runs: Runs::ByDefault,
        states: &[],
        steps: &[fact(
            "endurance-guarantee",
            "",
            Fact::Endurance { gb_per_day: 100 },
        )],
    },
];
