//! The order of the drives of 2011 and 2012 in the tests of their reviews.

use super::*;
use crate::check::{Check, Finding, test};

/// Whether no sample of a group is above the one before by more than the noise of a run.
fn not_rising(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] > 0.98 * pair[1])
}

pub static CHECKS: &[Check] = &[
    Check {
        id: "C129",
        // The same make with more flash, as far as there are files of both.
        needs: &[
            test(V3_240, "seqwrite-2m"),
            test(V3_120, "seqwrite-2m"),
            test(V3_240, "randread-4k-qd32"),
            test(V3_120, "randread-4k-qd32"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] > 1.1 * rates[1] && rates[2] > 0.98 * rates[3],
                format!(
                    "written {}; read at random {}",
                    list(&s[..2], "mb_s", "MB/s"),
                    list(&s[2..], "mb_s", "MB/s")
                ),
            )
        },
    },
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
        id: "C143",
        needs: &[
            test(V3_120, "randread-4k-qd32"),
            test(V3_240, "randread-4k-qd32"),
        ],
        judge: |s| Finding::new(rises(&of(s, "iops")), list(s, "iops", "IOPS")),
    },
    Check {
        id: "C151",
        needs: &[
            test(I510_250, "seqread-2m"),
            test(M4_256, "seqread-2m"),
            test(M4_256, "randread-4k-qd32"),
            test(I510_250, "randread-4k-qd32"),
            test(M4_256, "randwrite-4k-2011-qd32"),
            test(I510_250, "randwrite-4k-2011-qd32"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] > 1.05 * rates[1]
                    && rates[2] > 1.5 * rates[3]
                    && rates[4] > 1.5 * rates[5],
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C152",
        needs: &[
            test(I510_120, "seqread-2m"),
            test(I320_120, "seqread-2m"),
            test(I320_120, "randread-4k-qd32"),
            test(I510_120, "randread-4k-qd32"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] > 1.3 * rates[1] && rates[2] > rates[3],
                list(s, "mb_s", "MB/s"),
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
        id: "C160",
        needs: &[
            test(I510_250, "seqwrite-2m"),
            test(V3_240, "seqwrite-2m"),
            test(M4_256, "seqwrite-2m"),
        ],
        judge: |s| Finding::new(falls(&of(s, "mb_s")), list(s, "mb_s", "MB/s")),
    },
    Check {
        id: "C161",
        needs: &[
            test(I510_120, "seqwrite-2m"),
            test(M4_128, "seqwrite-2m"),
            test(V3_120, "seqwrite-2m"),
            test(I320_120, "seqwrite-2m"),
            test(G2_120, "seqwrite-2m"),
        ],
        judge: |s| Finding::new(falls(&of(s, "mb_s")), list(s, "mb_s", "MB/s")),
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
    Check {
        id: "C170",
        needs: &[
            test(I320_120, "randread-4k-qd1"),
            test(G2_120, "randread-4k-qd1"),
            test(I320_120, "randread-4k-qd8"),
            test(G2_120, "randread-4k-qd8"),
            test(I320_120, "randread-4k-qd32"),
            test(G2_120, "randread-4k-qd32"),
            test(I320_300, "randread-4k-qd32"),
        ],
        judge: |s| {
            let iops = of(s, "iops");
            Finding::new(
                near(iops[0], iops[1], 0.1)
                    && near(iops[2], iops[3], 0.1)
                    && iops[4] > 1.05 * iops[5]
                    && near(iops[6], iops[4], 0.1),
                list(s, "iops", "IOPS"),
            )
        },
    },
    Check {
        id: "C171",
        needs: &[
            test(I510_120, "randread-4k-qd1"),
            test(V3_120, "randread-4k-qd1"),
            test(I510_120, "randread-4k-qd4"),
            test(V3_120, "randread-4k-qd4"),
            test(I510_120, "randread-4k-qd16"),
            test(V3_120, "randread-4k-qd16"),
        ],
        judge: |s| {
            let iops = of(s, "iops");
            Finding::new(
                iops[0] > iops[1] && iops[2] > iops[3] && iops[4] < iops[5],
                list(s, "iops", "IOPS"),
            )
        },
    },
    Check {
        id: "C175",
        needs: &[
            test(V3_120, "randwrite-4k-2011-qd1"),
            test(V3_120, "randread-4k-qd1"),
            test(V3_240, "randwrite-4k-2011-qd1"),
            test(V3_240, "randread-4k-qd1"),
            test(G2_120, "randwrite-4k-2011-qd1"),
            test(G2_120, "randread-4k-qd1"),
        ],
        judge: |s| {
            let iops = of(s, "iops");
            Finding::new(
                iops.chunks(2).all(|pair| pair[0] > 1.3 * pair[1]),
                format!("written and read: {}", list(s, "iops", "IOPS")),
            )
        },
    },
    Check {
        id: "C177",
        needs: &[
            test(V3_120, "randwrite-4k-2011-qd4"),
            test(V3_240, "randwrite-4k-2011-qd4"),
            test(I510_120, "randwrite-4k-2011-qd4"),
            test(I510_250, "randwrite-4k-2011-qd4"),
        ],
        judge: |s| {
            let iops = of(s, "iops");
            Finding::new(
                iops[0] > iops[1] && iops[2] > iops[3],
                list(s, "iops", "IOPS"),
            )
        },
    },
    Check {
        id: "C178",
        needs: &[
            test(V3_120, "randwrite-4k-2011-qd32"),
            test(I320_120, "randwrite-4k-2011-qd32"),
            test(G2_120, "randwrite-4k-2011-qd32"),
        ],
        judge: |s| {
            let iops = of(s, "iops");
            Finding::new(
                iops[0] > 1.5 * iops[1] && iops[1] > iops[2] && iops[1] < 2.0 * iops[2],
                list(s, "iops", "IOPS"),
            )
        },
    },
    Check {
        id: "C214",
        needs: &[
            test(V3_120, "randwrite-4k-2011-qd4"),
            test(M4_128, "randwrite-4k-2011-qd4"),
            test(I510_120, "randwrite-4k-2011-qd4"),
            test(I320_120, "randwrite-4k-2011-qd4"),
        ],
        judge: |s| {
            let iops = of(s, "iops");
            Finding::new(
                iops[..2].iter().all(|&n| n > iops[2].max(iops[3])),
                list(s, "iops", "IOPS"),
            )
        },
    },
    Check {
        id: "C233",
        needs: &[
            test(I520, "randread-4k-qd3-8gb"),
            test(HYPERX, "randread-4k-qd3-8gb"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates.iter().all(|&r| near(r, 60.0, 0.2)),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C236",
        needs: &[
            test(I510_250, "seqread-128k-qd1"),
            test(I520, "seqread-128k-qd1"),
            test(HYPERX, "seqread-128k-qd1"),
        ],
        judge: |s| Finding::new(falls(&of(s, "mb_s")), list(s, "mb_s", "MB/s")),
    },
    Check {
        id: "C217",
        needs: &[
            test(I520, "as-ssd-seqwrite-filled"),
            test(HYPERX, "as-ssd-seqwrite-filled"),
            test(I520, "seqread-128k-qd1"),
            test(HYPERX, "seqread-128k-qd1"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates.chunks(2).all(|pair| near(pair[0], pair[1], 0.1)),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
];
