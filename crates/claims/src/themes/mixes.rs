//! Random writes of 2008: drives, sizes and shares of random ones.

use super::*;
use crate::check::{Check, Finding, Need, job, test};
use ftlab_play::states::State;

/// Reads, while a program on the same disk appends to a log of messages: six pages in six places each time.
const READS_BESIDE_A_LOG: &str = "reads-beside-a-log";

/// The steps of the sweep over sizes: 4, 16, 32, 64, 128 KiB.
const fn sizes(drive: &'static str) -> [Need; 5] {
    [
        test(drive, "randwrite-4k-qd1"),
        test(drive, "randwrite-16k-qd1"),
        test(drive, "randwrite-32k-qd1"),
        test(drive, "randwrite-64k-qd1"),
        test(drive, "randwrite-128k-qd1"),
    ]
}

/// The steps of the sweep over the share of random writes: 0, 10, 50, 100 %.
const fn shares(drive: &'static str) -> [Need; 4] {
    [
        test(drive, "seqrand-mix-4k-qd1-seq100"),
        test(drive, "seqrand-mix-4k-qd1-seq90"),
        test(drive, "seqrand-mix-4k-qd1-seq50"),
        test(drive, "randwrite-4k-qd1"),
    ]
}

const X25M_SIZES: [Need; 5] = sizes(X25M);
const CORE_SHARES: [Need; 4] = shares(CORE);

pub static CHECKS: &[Check] = &[
    Check {
        id: "C046",
        needs: &[test(X25M, "randwrite-4k-qd1")],
        judge: |s| {
            let four = ["iops", "mib_s", "lat_avg_ms", "lat_max_ms"].map(|metric| s[0].get(metric));
            Finding::new(
                four.iter().all(|&figure| figure > 0.0),
                format!(
                    "{} IOPS, {} MB/s, {} ms on average, {} ms at most",
                    short(four[0]),
                    short(four[1]),
                    short(four[2]),
                    short(four[3])
                ),
            )
        },
    },
    Check {
        id: "C049",
        needs: &[
            test(X25M, "randwrite-4k-qd1"),
            test(SLC, "randwrite-4k-qd1"),
            test(MOMENTUS, "randwrite-4k-qd1"),
            test(CORE, "randwrite-4k-qd1"),
        ],
        judge: |s| {
            let times = s
                .iter()
                .map(|s| s.get("iops") * s.get("lat_avg_ms") / 1000.0);
            let times: Vec<f64> = times.collect();
            let bytes = s
                .iter()
                .map(|s| s.get("mib_s") * 1_048_576.0 / 4096.0 / s.get("iops"));
            let bytes: Vec<f64> = bytes.collect();
            Finding::new(
                times
                    .iter()
                    .chain(&bytes)
                    .all(|&product| near(product, 1.0, 0.02)),
                format!(
                    "IOPS times average latency: {}; MB/s over IOPS times 4 KiB: {}",
                    row(&times, ""),
                    row(&bytes, "")
                ),
            )
        },
    },
    Check {
        id: "C054",
        needs: &X25M_SIZES,
        judge: |s| {
            let lat = of(s, "lat_avg_ms");
            let per_kib: Vec<f64> = lat[1..]
                .iter()
                .zip([16.0, 32.0, 64.0, 128.0])
                .map(|(l, k)| l / k)
                .collect();
            Finding::new(
                rises(&lat) && spread(&per_kib) < 1.15,
                format!("4 to 128 KiB: {}", row(&lat, "ms")),
            )
        },
    },
    Check {
        id: "C057",
        needs: &CORE_SHARES,
        judge: |s| {
            let lat = of(s, "lat_avg_ms");
            let between = |share: f64| lat[0] + share * (lat[3] - lat[0]);
            Finding::new(
                near(lat[1], between(0.1), 0.1) && near(lat[2], between(0.5), 0.1),
                format!(
                    "0, 10, 50, 100 % random: {}; on the line between the ends {} and {}",
                    row(&lat, "ms"),
                    short(between(0.1)),
                    short(between(0.5))
                ),
            )
        },
    },
    Check {
        id: "C058",
        needs: &[
            test(SLC, "seqrand-mix-4k-qd1-seq100"),
            test(SLC, "seqrand-mix-4k-qd1-seq90"),
            test(SLC, "seqrand-mix-4k-qd1-seq50"),
            test(SLC, "randwrite-4k-qd1"),
            test(MOMENTUS, "seqrand-mix-4k-qd1-seq100"),
            test(MOMENTUS, "seqrand-mix-4k-qd1-seq90"),
            test(MOMENTUS, "seqrand-mix-4k-qd1-seq50"),
            test(MOMENTUS, "randwrite-4k-qd1"),
        ],
        judge: |s| {
            let lat = of(s, "lat_avg_ms");
            let goes =
                |lat: &[f64]| rises(lat) && near(lat[0], 0.16, 0.2) && near(lat[3], 9.3, 0.2);
            Finding::new(
                goes(&lat[..4]) && goes(&lat[4..]),
                format!(
                    "0, 10, 50, 100 % random: {SLC} {}; {MOMENTUS} {}",
                    row(&lat[..4], "ms"),
                    row(&lat[4..], "ms")
                ),
            )
        },
    },
    Check {
        id: "C064",
        needs: &[
            job(CORE, State::Filled, READS_BESIDE_A_LOG),
            job(SLC, State::Filled, READS_BESIDE_A_LOG),
        ],
        judge: |s| {
            let mean: Vec<f64> = s.iter().map(|s| s.read.lat_ns_mean / 1e6).collect();
            let percentiles = &s[0].read.lat_ns_percentiles;
            let at_99 = percentiles.iter().find(|(percent, _)| *percent == 99.0);
            let p99 = at_99.map_or(f64::NAN, |(_, ns)| *ns as f64 / 1e6);
            let worst = s[0].read.lat_ns_max as f64 / 1e6;
            Finding::new(
                mean[0] < 1.5 * mean[1] && near(worst, 250.0, 0.5) && p99 < 10.0,
                format!(
                    "reads at random beside a log that now and then is appended to: {CORE}, {SLC} {} on \
                     average; the longest {} ms, the 99th percentile {}",
                    row(&mean, "ms"),
                    short(worst),
                    short(p99)
                ),
            )
        },
    },
];
