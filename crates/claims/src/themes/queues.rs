//! Latency and rate against queue depth.

use super::*;
use crate::check::{Check, Finding, Need, test};

const DEPTHS: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

const CORE_DEPTHS: [Need; 7] = [
    test(CORE, "randwrite-4k-qd1"),
    test(CORE, "randwrite-4k-qd2"),
    test(CORE, "randwrite-4k-qd4"),
    test(CORE, "randwrite-4k-qd8"),
    test(CORE, "randwrite-4k-qd16"),
    test(CORE, "randwrite-4k-qd32"),
    test(CORE, "randwrite-4k-qd64"),
];

const READ_DEPTHS: [Need; 6] = [
    test(X25M, "randread-4k-qd1"),
    test(X25M, "randread-4k-qd2"),
    test(X25M, "randread-4k-qd4"),
    test(X25M, "randread-4k-qd8"),
    test(X25M, "randread-4k-qd16"),
    test(X25M, "randread-4k-qd32"),
];

pub static CHECKS: &[Check] = &[
    Check {
        id: "C062",
        needs: &CORE_DEPTHS,
        judge: |s| {
            let lat = of(s, "lat_avg_ms");
            let expected = lat
                .iter()
                .zip(DEPTHS)
                .all(|(&l, depth)| near(l, depth * lat[0], 0.15));
            Finding::new(
                rises(&lat) && expected,
                format!("1 to 64 outstanding: {}", row(&lat, "ms")),
            )
        },
    },
    Check {
        id: "C063",
        needs: &[
            test(CORE, "randwrite-4k-qd4"),
            test(CORE, "randwrite-4k-qd64"),
        ],
        judge: |s| {
            let [worst_4, worst_64] = [s[0].get("lat_max_ms"), s[1].get("lat_max_ms")];
            let mean = s[1].get("lat_avg_ms");
            Finding::new(
                near(mean, 15_000.0, 0.1) && worst_64 > 30_000.0 && worst_4 > 2000.0,
                format!(
                    "64 outstanding: {} s on average, {} s at most; 4 outstanding: {} s at most",
                    short(mean / 1e3),
                    short(worst_64 / 1e3),
                    short(worst_4 / 1e3)
                ),
            )
        },
    },
    Check {
        id: "C165",
        needs: &[
            test(CAVIAR, "randread-4k-qd1"),
            test(C300_256, "randread-4k-qd1"),
            test(I320_120, "randread-4k-qd1"),
            test(V3_120, "randread-4k-qd1"),
        ],
        judge: |s| {
            let iops = of(s, "iops");
            let by_time: Vec<f64> = of(s, "lat_avg_ms").iter().map(|ms| 1000.0 / ms).collect();
            let follows = iops
                .iter()
                .zip(&by_time)
                .all(|(&iops, &by_time)| near(iops, by_time, 0.03));
            Finding::new(
                follows
                    && iops[0] <= 100.0
                    && iops[1..].iter().all(|&n| (4300.0..=7800.0).contains(&n)),
                format!(
                    "{}; one over the access time: {}",
                    list(s, "iops", "IOPS"),
                    row(&by_time, "")
                ),
            )
        },
    },
    Check {
        id: "C166",
        needs: &READ_DEPTHS,
        judge: |s| {
            let iops = of(s, "iops");
            let factors: Vec<f64> = iops.windows(2).map(|pair| pair[1] / pair[0]).collect();
            let last = factors[factors.len() - 1];
            Finding::new(
                factors.iter().all(|&f| f <= 2.02) && last < factors[0] && factors[0] > 1.3,
                format!(
                    "each doubling of the depth from 1 to 32 gives {} times the reads",
                    row(&factors, "")
                ),
            )
        },
    },
];
