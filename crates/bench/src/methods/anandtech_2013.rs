//! AnandTech, "Intel SSD 525 Review (240GB)", 2013.

use super::{Act, Family, Job, Procedure, Runs, Series, Span, Step, Work, job};
use ftlab_base::Content;
use ftlab_result::Chart;

static WRITES: Job = job!("consistency-randwrite-4k-qd32.fio");

/// The source says that the random writes do not compress, and nothing of what fills the drive. On drives
/// that compress, it says, the rate drops for good after half an hour, and at less than 50,000 IOPS that is
/// as much as there is flash: the fill took next to none of it.
const FILL: Content = Content::ZEROS;

const ACTS: &[Act] = &[
    Act::SecureErase,
    Act::FillFrom(0, FILL),
    Act::Measure(&WRITES, "steady"),
];

/// All of the drive.
static AS_SOLD: Procedure = Procedure {
    slug: "consistency",
    span: Span::Whole,
    acts: ACTS,
};

/// As much of it as a maker would sell of a drive with a quarter of its flash as spare area.
static WITH_A_QUARTER_SPARE: Procedure = Procedure {
    slug: "consistency-25-spare",
    span: Span::SparePercent(25),
    acts: ACTS,
};

const fn over(slug: &'static str, label: &'static str, procedure: &'static Procedure) -> Step {
    Step {
        slug,
        label,
        work: Work::Within(procedure, &WRITES),
        series: Series::Drops,
    }
}

pub static FAMILIES: &[Family] = &[Family {
    slug: "consistency",
    method: "E1",
    title: "Consistency: random writes on a full drive",
    text: "After a secure erase every sector is filled in sequence with zeros, then written at \
               random in 4 KiB of random data with 32 outstanding for 2000 seconds; IOPS are recorded every second. \
               Once on all of the drive, once on as much as leaves a quarter of the flash as \
               spare area. The last drop of the rate for good is the usual drop-off.",
    chart: Chart::Scatter,
    metric: "iops",
    unit: "IOPS",
    testbed: "anandtech-2013",
    runs: Runs::WithAllOn(&[
        "intel-dc-s3700-200",
        "intel-335-240",
        "intel-525-240",
        "corsair-neutron-240",
        "ocz-vector-256",
        "samsung-840-pro-256",
    ]),
    states: &[],
    steps: &[
        over("consistency-randwrite-4k-qd32", "as sold", &AS_SOLD),
        over(
            "consistency-randwrite-4k-qd32-25-spare",
            "25 % spare area",
            &WITH_A_QUARTER_SPARE,
        ),
    ],
}];
