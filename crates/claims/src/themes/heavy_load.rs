//! Programs beside others that load the drive.

use super::*;
use crate::check::{Check, Finding, test};

pub static CHECKS: &[Check] = &[
    Check {
        id: "C075",
        needs: &[
            test(SLC, "launch-powerpoint2007-while-extract-5gb"),
            test(X25M, "launch-powerpoint2007-while-extract-5gb"),
            test(CORE, "launch-powerpoint2007-while-extract-5gb"),
            test(RAPTOR, "launch-powerpoint2007-while-extract-5gb"),
            test(MOMENTUS, "launch-powerpoint2007-while-extract-5gb"),
            test(SLC, "launch-photoshop-cs3-while-extract-5gb"),
            test(X25M, "launch-photoshop-cs3-while-extract-5gb"),
            test(CORE, "launch-photoshop-cs3-while-extract-5gb"),
            test(RAPTOR, "launch-photoshop-cs3-while-extract-5gb"),
            test(MOMENTUS, "launch-photoshop-cs3-while-extract-5gb"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            let is_so = |t: &[f64]| {
                let best = t[0].max(t[1]);
                best < 0.7 * t[2].min(t[3]) && near(t[2], t[3], 0.3) && t[4] > 1.3 * t[2].max(t[3])
            };
            Finding::new(
                is_so(&took[..5]) && is_so(&took[5..]),
                format!(
                    "PowerPoint {}; Photoshop {}",
                    list(&s[..5], "seconds", "s"),
                    list(&s[5..], "seconds", "s")
                ),
            )
        },
    },
    Check {
        id: "C103",
        needs: &[
            test(GREEN, "multitask2-extract-nav"),
            test(SLC, "multitask2-extract-nav"),
            test(X25M, "multitask2-extract-nav"),
            test(RAPTOR, "multitask2-extract-nav"),
            test(CORE, "multitask2-extract-nav"),
        ],
        judge: |s| {
            let [extract, scan] = ["extract_seconds", "nav_scan_seconds"].map(|m| of(s, m));
            let both: Vec<f64> = extract.iter().zip(&scan).map(|(a, b)| a.max(*b)).collect();
            Finding::new(
                extract[1..].iter().all(|&t| extract[0] < t)
                    && scan[0] > scan[1]
                    && both.iter().all(|&t| both[1] <= t)
                    && extract[4] > 2.0 * extract[2],
                format!(
                    "extraction {}; scan {}",
                    list(s, "extract_seconds", "s"),
                    row(&scan, "s")
                ),
            )
        },
    },
    Check {
        id: "C104",
        needs: &[
            test(X25M, "multitask2-extract-nav"),
            test(RAPTOR, "multitask2-extract-nav"),
            test(MOMENTUS, "multitask2-extract-nav"),
        ],
        judge: |s| {
            let took: Vec<f64> = s
                .iter()
                .map(|s| s.get("extract_seconds").max(s.get("nav_scan_seconds")) / 60.0)
                .collect();
            Finding::new(
                took[1] > 4.0 * took[0] && took[2] > 4.0 * took[0],
                format!(
                    "until both are done: {}",
                    row(&took, "minutes on the SSD and the two disks")
                ),
            )
        },
    },
    Check {
        id: "C105",
        needs: &[
            test(X25M, "multitask2-extract-nav"),
            test(RAPTOR, "multitask2-extract-nav"),
            test(MOMENTUS, "multitask2-extract-nav"),
        ],
        judge: |s| {
            let took: Vec<f64> = of(s, "nav_scan_seconds").iter().map(|s| s / 60.0).collect();
            Finding::new(
                near(took[0], 5.3, 0.25) && took[1] > 23.0 * 0.75 && took[2] > 40.0 * 0.75,
                format!("{} for the scan", row(&took, "minutes")),
            )
        },
    },
    Check {
        id: "C190",
        needs: &[
            test(C300_256, "boot-windows7"),
            test(V3_240, "boot-windows7"),
            test(M4_256, "boot-windows7"),
            test(I320_120, "boot-windows7"),
            test(I320_300, "boot-windows7"),
            test(FALCON2, "boot-windows7"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            Finding::new(
                spread(&took) < 1.09
                    && took[3..]
                        .iter()
                        .all(|&slow| took[..3].iter().all(|&t| t < slow)),
                list(s, "seconds", "s"),
            )
        },
    },
    Check {
        id: "C253",
        needs: &[
            test(I520, "enterprise-oracle-swingbench"),
            test(I320_300, "enterprise-oracle-swingbench"),
            test(I520, "enterprise-ms-sql-dailyupdates"),
            test(I320_300, "enterprise-ms-sql-dailyupdates"),
            test(I520, "enterprise-ms-sql-weeklymaint"),
            test(I320_300, "enterprise-ms-sql-weeklymaint"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            let ratios: Vec<f64> = rates.chunks(2).map(|pair| pair[0] / pair[1]).collect();
            Finding::new(
                ratios
                    .iter()
                    .zip([1.19, 1.82, 1.81])
                    .all(|(&r, said)| r > 1.0 && near(r, said, 0.25)),
                format!("{}; ratios {}", list(s, "mb_s", "MB/s"), row(&ratios, "")),
            )
        },
    },
];
