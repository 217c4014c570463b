//! Programs beside others that load the drive.

use super::*;
use crate::check::{Check, Finding, script, test};
use ftlab_host::Port;

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
        id: "C101",
        needs: &[
            test(SLC, "multitask1-extract-photoshop"),
            test(RAPTOR, "multitask1-extract-photoshop"),
            test(X25M, "multitask1-extract-photoshop"),
        ],
        judge: |s| {
            Finding::new(
                rises(&of(s, "extract_seconds")),
                list(s, "extract_seconds", "s"),
            )
        },
    },
    Check {
        id: "C102",
        needs: &[
            test(SLC, "multitask1-extract-photoshop"),
            test(X25M, "multitask1-extract-photoshop"),
            test(RAPTOR, "multitask1-extract-photoshop"),
            test(CORE, "multitask1-extract-photoshop"),
        ],
        judge: |s| {
            let took = of(s, "photoshop_launch_seconds");
            Finding::new(
                rises(&took[..3]) && took[3] > took[1] && took[3] < 2.0 * took[1],
                list(s, "photoshop_launch_seconds", "s"),
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
        id: "C191",
        needs: &[
            test(V3_240, "launch-3dsmax"),
            test(M4_256, "launch-3dsmax"),
            test(I320_120, "launch-3dsmax"),
            test(I320_300, "launch-3dsmax"),
            test(FALCON2, "launch-3dsmax"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            Finding::new(
                took[1..].iter().all(|&t| took[0] < t)
                    && took[2..].iter().all(|&t| t > 22.0)
                    && took[1] < 22.0,
                list(s, "seconds", "s"),
            )
        },
    },
    Check {
        id: "C192",
        needs: &[
            test(V3_120, "launch-3dsmax"),
            test(V3_120, "launch-3dsmax-photoshop-word-excel"),
            test(CAVIAR, "launch-3dsmax"),
            test(CAVIAR, "launch-3dsmax-photoshop-word-excel"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            let more = [took[1] - took[0], took[3] - took[2]];
            Finding::new(
                more[0] < 1.5 && more[1] > 10.0 * more[0],
                format!("three programs more cost {}", row(&more, "s")),
            )
        },
    },
    Check {
        id: "C193",
        needs: &[
            test(V3_120, "launch-3dsmax"),
            test(V3_120, "launch-3dsmax-photoshop-word-excel"),
            test(CAVIAR, "launch-3dsmax"),
            test(CAVIAR, "launch-3dsmax-photoshop-word-excel"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            Finding::new(
                took[1] < 1.15 * took[0] && took[3] > 1.5 * took[2],
                format!("one program and four at once: {}", list(s, "seconds", "s")),
            )
        },
    },
    Check {
        id: "C187",
        // The SSDs of the roundup, on either port. From its quickest to its slowest, which it calls nearly
        // the same, it gives 19.5 and 22.7 s (C191), printed to a tenth.
        needs: &[
            test(V3_240, "launch-3dsmax"),
            test(V3_120, "launch-3dsmax"),
            test(M4_256, "launch-3dsmax"),
            test(M4_128, "launch-3dsmax"),
            test(I510_250, "launch-3dsmax"),
            test(I510_120, "launch-3dsmax"),
            test(C300_256, "launch-3dsmax"),
            test(I320_300, "launch-3dsmax"),
            test(I320_120, "launch-3dsmax"),
            test(G2_120, "launch-3dsmax"),
            test(FALCON2, "launch-3dsmax"),
            script(V3_240, "launch-3dsmax").on("behardware-2011", Some(Port::Sata3g)),
            script(M4_256, "launch-3dsmax").on("behardware-2011", Some(Port::Sata3g)),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            let ports = [took[11] / took[0], took[12] / took[2]];
            Finding::new(
                spread(&took) < 22.75 / 19.45 && ports.iter().all(|&r| near(r, 1.0, 0.05)),
                format!(
                    "{}; at 3 Gbit/s, of the time at 6: {}",
                    list(s, "seconds", "s"),
                    row(&ports, "")
                ),
            )
        },
    },
    Check {
        id: "C124",
        needs: &[
            test(VERTEX, "launch-photoshop-cs3"),
            test(G2, "launch-photoshop-cs3"),
            test(VERTEX, "launch-photoshop-cs3-while-extract-5gb"),
            test(G2, "launch-photoshop-cs3-while-extract-5gb"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            let [alone, beside] = [took[0] / took[1], took[2] / took[3]];
            Finding::new(
                near(alone, 1.0, 0.15) && beside > 1.2 * alone,
                format!(
                    "{}; of each other's time {} alone, {} beside an extraction",
                    list(s, "seconds", "s"),
                    short(alone),
                    short(beside)
                ),
            )
        },
    },
    Check {
        id: "C180",
        needs: &[
            test(V3_240, "file-read-xl"),
            test(I510_250, "file-read-xl"),
            test(M4_256, "file-read-xl"),
            test(M4_128, "file-read-xl"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[..2].iter().all(|&r| near(r, 399.0, 0.1))
                    && rates[2..]
                        .iter()
                        .all(|&r| r < rates[0] && near(r, rates[0], 0.15)),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C184",
        needs: &[
            test(I510_250, "file-write-xl"),
            test(V3_240, "file-write-xl"),
            test(M4_256, "file-write-xl"),
            test(M4_128, "file-write-xl"),
            test(V3_120, "file-write-xl"),
            test(C300_256, "file-write-xl"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                falls(&rates[..3]) && rates[3] > rates[4] && rates[5] < rates[2],
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C185",
        needs: &[test(V3_120, "file-write-xl"), test(V3_240, "file-write-xl")],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                near(500.0 / rates[0], 3.0, 0.15) && rates[1] < 450.0,
                list(s, "mb_s", "MB/s of the 500 announced"),
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
