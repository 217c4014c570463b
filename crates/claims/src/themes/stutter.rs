//! The stutter of block mapping behind a buffer of 16 KB.

use super::*;
use crate::check::{Check, Finding, Job, job, own_job, script, test};
use ftlab_play::states::State;

/// A write that a user notices, in ms.
const STALL_MS: f64 = 500.0;

/// Writes of at least so many ms, as a share of all.
fn share_above(sample: &Sample, ms: f64) -> f64 {
    let bound = ms * 1e6;
    let histogram = &sample.write.lat_ns_histogram;
    let above = histogram.iter().filter(|(upper, _)| *upper as f64 > bound);
    above.map(|(_, count)| *count).sum::<u64>() as f64 / sample.write.ios.max(1) as f64
}

/// Small writes now and then, each alone, as a log of messages makes them.
const APPENDS: &Job = own_job!(
    "appends",
    "rw=randwrite\nbs=4k\nnorandommap\nthinktime=2s\nthinktime_blocks=1\ntime_based\nruntime=240"
);
/// The same where each makes NTFS write six pages in six places: the data, two of the journal, the record of the
/// file, the bitmap and the directory.
const APPENDS_OF_SIX: &Job = own_job!(
    "appends-of-six",
    "rw=randwrite\nbs=4k\nnorandommap\nthinktime=2s\nthinktime_blocks=6\ntime_based\nruntime=240"
);
const WRITES_OF_SIX: f64 = 6.0;

/// Writes in sequence, and one in ten elsewhere.
const BURST: &Job = own_job!(
    "burst",
    "rw=randwrite\nbs=4k\nnorandommap\nnumber_ios=24\niodepth=1"
);
const READS_ALONE: &Job = own_job!(
    "reads-alone",
    "rw=randread\nbs=16k\nnorandommap\ntime_based\nruntime=60"
);
const READS_BESIDE: &Job = &Job {
    file: "claims/reads-beside-writes",
    text: "[global]\nnorandommap\ntime_based\nruntime=60\n[reads]\nrw=randread\nbs=16k\n[writes]\nrw=randwrite\nbs=4k\n",
};

pub static CHECKS: &[Check] = &[
    Check {
        id: "C038",
        // Drives of the same controller and other flash around it.
        needs: &[
            test(CORE, "randwrite-4k-qd1"),
            test(CORE, "randwrite-4k-qd1")
                .with(&["nand.blocks_per_die=16384", "spare.user_capacity=128GB"]),
            test(CORE, "randwrite-4k-qd1")
                .with(&["nand.blocks_per_die=4096", "spare.user_capacity=32GB"]),
        ],
        judge: |s| {
            let worst = of(s, "lat_max_ms");
            Finding::new(
                worst.iter().all(|&ms| ms > STALL_MS),
                format!(
                    "longest write with 64, 128 and 32 GB of flash: {}",
                    row(&worst, "ms")
                ),
            )
        },
    },
    Check {
        id: "C039",
        needs: &[test(CORE, "seqrand-mix-4k-qd1-seq90")],
        judge: |s| {
            let slow = share_above(&s[0], 100.0);
            let between = share_above(&s[0], 2.0) - slow;
            Finding::new(
                slow > 0.01 && slow < 0.5 && between < slow / 5.0,
                format!(
                    "{} % of the writes take over 100 ms, {} % between 2 and 100 ms, the rest less",
                    short(100.0 * slow),
                    short(100.0 * between)
                ),
            )
        },
    },
    Check {
        id: "C045",
        needs: &[job(CORE, State::Filled, APPENDS)],
        judge: |s| {
            let slow = share_above(&s[0], 100.0);
            Finding::new(
                slow > 0.5 && near(s[0].get("lat_max_ms"), 1000.0, 0.4),
                format!(
                    "of writes two seconds apart, {} % take over 100 ms; the longest {} ms",
                    short(100.0 * slow),
                    short(s[0].get("lat_max_ms"))
                ),
            )
        },
    },
    Check {
        id: "C047",
        needs: &[
            test(CORE, "randwrite-4k-qd1").with(&["spare.user_capacity=60GB"]),
            test(CORE, "randwrite-4k-qd1")
                .with(&["nand.blocks_per_die=16384", "spare.user_capacity=128GB"]),
        ],
        judge: |s| {
            let mean = of(s, "lat_avg_ms");
            Finding::new(
                mean.iter().all(|&ms| near(ms, 244.0, 0.15)),
                format!(
                    "random writes of drives of 60 and 128 GB: {}",
                    row(&mean, "ms")
                ),
            )
        },
    },
    Check {
        id: "C051",
        needs: &[
            test(CORE, "randwrite-4k-qd1"),
            test(X25M, "randwrite-4k-qd1"),
            test(X25M, "randwrite-4k-qd1").with(&[
                "nand.t_read=60us",
                "nand.t_program=800us",
                "nand.t_erase=1.5ms",
            ]),
        ],
        judge: |s| {
            let lat = of(s, "lat_avg_ms");
            let ratio = lat[0] / lat[1];
            Finding::new(
                near(ratio, 2700.0, 0.25) && lat[0] / lat[2] > 1000.0,
                format!(
                    "{} ms against {} ms, {} times; on the flash of the first, {} ms",
                    short(lat[0]),
                    short(lat[1]),
                    short(ratio),
                    short(lat[2])
                ),
            )
        },
    },
    Check {
        id: "C065",
        needs: &[
            test(CORE, "randwrite-4k-qd1"),
            test(X25M, "randwrite-4k-qd1").with(&[
                "nand.t_read=60us",
                "nand.t_program=800us",
                "nand.t_erase=1.5ms",
            ]),
        ],
        judge: |s| {
            let worst = of(s, "lat_max_ms");
            Finding::new(
                worst[0] > STALL_MS && worst[1] < STALL_MS / 2.0,
                format!(
                    "longest write behind the one and the other controller, on the same flash: {}",
                    row(&worst, "ms")
                ),
            )
        },
    },
    Check {
        id: "C071",
        needs: &[
            test(CORE, "archive-create-200mb-while-extract-5gb"),
            test(SLC, "archive-create-200mb-while-extract-5gb"),
            test(X25M, "archive-create-200mb-while-extract-5gb"),
            test(MOMENTUS, "archive-create-200mb-while-extract-5gb"),
            test(RAPTOR, "archive-create-200mb-while-extract-5gb"),
        ],
        judge: |s| {
            let pauses = of(s, "pauses");
            Finding::new(
                pauses[0] >= 10.0 && pauses[1..].iter().all(|&n| n == 0.0),
                list(s, "pauses", "pauses"),
            )
        },
    },
    Check {
        id: "C074",
        needs: &[
            test(CORE, "archive-create-200mb-while-extract-5gb"),
            test(MOMENTUS, "archive-create-200mb-while-extract-5gb"),
        ],
        judge: |s| {
            let took = of(s, "extract_seconds");
            let idle = |s: &Sample| {
                let still = s.series_bytes.iter().filter(|&&bytes| bytes == 0).count();
                100.0 * still as f64 / s.series_bytes.len().max(1) as f64
            };
            let idle = [idle(&s[0]), idle(&s[1])];
            Finding::new(
                near(took[0], took[1], 0.3)
                    && s[0].get("pauses") > 0.0
                    && s[1].get("pauses") == 0.0,
                format!(
                    "{}; seconds without data {}; {}",
                    list(s, "extract_seconds", "s"),
                    row(&idle, "%"),
                    list(s, "pauses", "pauses")
                ),
            )
        },
    },
    Check {
        id: "C077",
        needs: &[
            job(CORE, State::Filled, APPENDS_OF_SIX),
            job(CORE, State::Filled, APPENDS_OF_SIX).with(&["buffer.size=256KiB"]),
        ],
        judge: |s| {
            let slow: Vec<f64> = s
                .iter()
                .map(|s| WRITES_OF_SIX * share_above(s, 100.0))
                .collect();
            Finding::new(
                slow[1] < slow[0] / 2.0,
                format!(
                    "of the six writes of an append, {} take over 100 ms with 16 KiB of buffer, {} with 256",
                    short(slow[0]),
                    short(slow[1])
                ),
            )
        },
    },
    Check {
        id: "C078",
        needs: &[job(CORE, State::Filled, BURST)],
        judge: |s| {
            let stalls = s[0].inside.buffer_stalls;
            Finding::new(
                stalls > 0 && s[0].get("lat_max_ms") > 100.0,
                format!(
                    "of 24 writes {stalls} waited for room in the buffer, the longest {} ms",
                    short(s[0].get("lat_max_ms"))
                ),
            )
        },
    },
    Check {
        id: "C079",
        needs: &[
            job(CORE, State::Filled, READS_ALONE),
            job(CORE, State::Filled, READS_BESIDE),
            test("supertalent-mlc-jmf602", "webpage-load-while-extract-5gb"),
        ],
        judge: |s| {
            let reads = [s[0].read.lat_ns_mean / 1e6, s[1].read.lat_ns_mean / 1e6];
            let page = s[2].get("seconds");
            Finding::new(
                reads[1] > 50.0 * reads[0] && page > 10.0,
                format!(
                    "reads take {} ms alone and {} ms beside random writes; a web page during an \
                     extraction {} s",
                    short(reads[0]),
                    short(reads[1]),
                    short(page)
                ),
            )
        },
    },
    Check {
        id: "C080",
        needs: &[
            test(SLC, "randwrite-4k-qd1"),
            test(X25M, "randwrite-4k-qd1"),
            test(SLC, "seqrand-mix-4k-qd1-seq90"),
            test(X25M, "seqrand-mix-4k-qd1-seq90"),
            test(CORE, "seqrand-mix-4k-qd1-seq90"),
        ],
        judge: |s| {
            let worst = of(s, "lat_max_ms");
            Finding::new(
                worst[..4].iter().all(|&ms| ms < STALL_MS) && worst[4] > STALL_MS,
                format!("longest writes: {}", list(s, "lat_max_ms", "ms")),
            )
        },
    },
    Check {
        id: "C081",
        needs: &[
            test(CORE, "randwrite-4k-qd1"),
            test(CORE, "randwrite-4k-qd1").with(&["buffer.size=32MiB", "map.log_blocks=64"]),
        ],
        judge: |s| {
            let lat = of(s, "lat_avg_ms");
            Finding::new(
                lat[1] < lat[0] / 2.0,
                format!(
                    "random writes {} ms; with 32 MiB of buffer and a map of 64 logs, {} ms",
                    short(lat[0]),
                    short(lat[1])
                ),
            )
        },
    },
    Check {
        id: "C174",
        needs: &[
            test(CORE, "randwrite-4k-qd1"),
            script(CORE, "launch-photoshop-cs3"),
            script(X25M, "launch-photoshop-cs3"),
            test(X25M, "randwrite-4k-qd1"),
        ],
        judge: |s| {
            let writes = s[3].get("iops") / s[0].get("iops");
            let launch = s[1].get("seconds") / s[2].get("seconds");
            Finding::new(
                writes > 1000.0 && launch < 2.0,
                format!(
                    "{} times the random writes of the slowest drive launch a program {} times as fast",
                    short(writes),
                    short(launch)
                ),
            )
        },
    },
];
