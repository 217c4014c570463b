//! The order of the drives of 2011 and 2012 in the tests of their reviews.

use super::*;
use crate::check::{Check, Finding, test};

/// Whether no sample of a group is above the one before by more than the noise of a run.
fn not_rising(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] > 0.98 * pair[1])
}

pub static CHECKS: &[Check] = &[
    Check {
        id: "C189",
        needs: &[
            test(RAMDISK, "randread-4k-qd1"),
            test(C300_256, "randread-4k-qd1"),
            test(RAMDISK, "launch-3dsmax"),
            test(C300_256, "launch-3dsmax"),
        ],
        judge: |s| {
            let times_faster = s[0].get("iops") / s[1].get("iops");
            let time = s[2].get("seconds") / s[3].get("seconds");
            Finding::new(
                (9.0..=16.0).contains(&times_faster) && (0.75..=1.0).contains(&time),
                format!(
                    "{} times the random reads of {}, and {} % of its time to start a program",
                    short(times_faster),
                    s[1].drive,
                    short(100.0 * time)
                ),
            )
        },
    },
    Check {
        id: "C158",
        needs: &[
            test(V3_240, "seqread-2m"),
            test(V3_120, "seqread-2m"),
            test(I510_250, "seqread-2m"),
            test(M4_256, "seqread-2m"),
            test(C300_256, "seqread-2m"),
            test(I320_120, "seqread-2m"),
            test(G2_120, "seqread-2m"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            let fast = rates.iter().filter(|&&rate| rate > 500.0).count();
            Finding::new(
                fast == 2 && rates[..2].iter().all(|&r| r > 500.0) && not_rising(&rates[1..]),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C167",
        needs: &[
            test(C300_256, "randread-4k-qd1"),
            test(M4_128, "randread-4k-qd1"),
            test(I320_120, "randread-4k-qd1"),
            test(V3_240, "randread-4k-qd1"),
            test(C300_256, "randread-4k-qd32"),
            test(M4_128, "randread-4k-qd32"),
            test(I320_120, "randread-4k-qd32"),
            test(V3_240, "randread-4k-qd32"),
        ],
        judge: |s| {
            let rates = of(s, "iops");
            let is_first = |group: &[f64]| group[1..].iter().all(|&other| group[0] > other);
            Finding::new(
                is_first(&rates[..4]) && is_first(&rates[4..]),
                list(s, "iops", "IOPS"),
            )
        },
    },
    Check {
        id: "C169",
        // The curves from one to 32 outstanding, as the source shows them: the SSD 510 rises early and
        // then stays where it is, so one point does not tell which drive is ahead.
        needs: &[
            test(M4_128, "randread-4k-qd1"),
            test(I320_120, "randread-4k-qd1"),
            test(I510_120, "randread-4k-qd1"),
            test(V3_120, "randread-4k-qd1"),
            test(M4_128, "randread-4k-qd2"),
            test(I320_120, "randread-4k-qd2"),
            test(I510_120, "randread-4k-qd2"),
            test(V3_120, "randread-4k-qd2"),
            test(M4_128, "randread-4k-qd4"),
            test(I320_120, "randread-4k-qd4"),
            test(I510_120, "randread-4k-qd4"),
            test(V3_120, "randread-4k-qd4"),
            test(M4_128, "randread-4k-qd8"),
            test(I320_120, "randread-4k-qd8"),
            test(I510_120, "randread-4k-qd8"),
            test(V3_120, "randread-4k-qd8"),
            test(M4_128, "randread-4k-qd16"),
            test(I320_120, "randread-4k-qd16"),
            test(I510_120, "randread-4k-qd16"),
            test(V3_120, "randread-4k-qd16"),
            test(M4_128, "randread-4k-qd32"),
            test(I320_120, "randread-4k-qd32"),
            test(I510_120, "randread-4k-qd32"),
            test(V3_120, "randread-4k-qd32"),
        ],
        judge: |s| {
            let iops = of(s, "iops");
            let drives = [0, 1, 2, 3];
            let curve = |of: usize| iops[of..].iter().step_by(4).product::<f64>();
            let curves = drives.map(|of| curve(of).powf(1.0 / 6.0));
            let is_first = |at: &[f64]| at[1..].iter().all(|&other| at[0] > other);
            Finding::new(
                iops.chunks(4).all(is_first) && curves[1] > curves[2].max(curves[3]),
                format!(
                    "means of the curves from one to 32 outstanding: {}",
                    row(&curves, "IOPS")
                ),
            )
        },
    },
];
