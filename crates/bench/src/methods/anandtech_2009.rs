//! AnandTech, "The SSD Relapse: Understanding and Choosing the Best SSD", 2009.

use super::{Family, Job, Runs, job, step};
use ftlab_play::states::State;
use ftlab_result::Chart;

static RANDOM_QD3_8G: Job = job!("randwrite-4k-qd3-8gb.fio");
static READS_QD3_8G: Job = job!("randread-4k-qd3-8gb.fio");

pub static FAMILIES: &[Family] = &[
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
        testbed: "anandtech-2009",
        runs: Runs::ByDefault,
        states: &[State::New, State::Used],
        steps: &[step("randwrite-4k-qd3-8gb", "", &[&RANDOM_QD3_8G])],
    },
    Family {
        slug: "randread-4k-qd3",
        method: "B2",
        title: "4 KiB random reads on 8 GB",
        text: "4 KiB random reads with three outstanding, presumably over 8 GB and for three minutes \
               as the writes. Measured are MB/s (binary in the source). The state of the drives is \
               not stated; assumed is a drive that had been filled once.",
        chart: Chart::Bars,
        metric: "mib_s",
        unit: "MiB/s",
        testbed: "anandtech-2009",
        runs: Runs::ByDefault,
        states: &[State::Filled],
        steps: &[step("randread-4k-qd3", "", &[&READS_QD3_8G])],
    },
];
