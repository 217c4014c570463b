//! Files copied to and from a drive, and games loaded.

use super::super::check::{Check, Finding, test};
use super::*;

pub static CHECKS: &[Check] = &[
    Check {
        id: "C097",
        needs: &[
            test(X25M, "game-load-oblivion"),
            test(SLC, "game-load-oblivion"),
            test(RAPTOR, "game-load-oblivion"),
            test(GREEN, "game-load-oblivion"),
            test(MOMENTUS, "game-load-oblivion"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            let ahead = took[2] - took[0].max(took[1]);
            Finding::new(
                (1.0..=3.0).contains(&ahead) && took[3..].iter().all(|&disk| disk > took[2]),
                list(s, "seconds", "s"),
            )
        },
    },
    Check {
        id: "C098",
        needs: &[
            test(X25M, "game-load-crysis"),
            test(RAPTOR, "game-load-crysis"),
            test(SLC, "game-load-crysis"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            let ratios = [took[0] / took[1], took[0] / took[2]];
            Finding::new(
                near(ratios[0], 0.8, 0.05) && near(ratios[1], 0.9, 0.05),
                format!(
                    "{}; of the others' time {}",
                    list(s, "seconds", "s"),
                    row(&ratios, "")
                ),
            )
        },
    },
    Check {
        id: "C195",
        needs: &[
            test(V3_240, "game-load-civilization5"),
            test(FALCON2, "game-load-civilization5"),
            test(CAVIAR, "game-load-civilization5"),
            test(RAMDISK, "game-load-civilization5"),
            test(V3_240, "game-load-crysis2"),
            test(FALCON2, "game-load-crysis2"),
            test(CAVIAR, "game-load-crysis2"),
            test(RAMDISK, "game-load-crysis2"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            // Two SSDs alike, the disk a little behind, and the RAM disk ahead in the second game only.
            let alike = |t: &[f64]| spread(&t[..2]) < 1.1 && t[2] > t[1] && t[2] < 1.5 * t[1];
            let gain = |t: &[f64]| t[0] / t[3];
            let (first, second) = took.split_at(4);
            Finding::new(
                alike(first) && alike(second) && gain(second) > gain(first),
                list(s, "seconds", "s"),
            )
        },
    },
    Check {
        id: "C181",
        needs: &[
            test(V3_240, "file-read-large"),
            test(I510_250, "file-read-large"),
            test(M4_256, "file-read-large"),
            test(V3_240, "file-read-xl"),
            test(I510_250, "file-read-xl"),
            test(M4_256, "file-read-xl"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            let (large, xl) = rates.split_at(3);
            Finding::new(
                large[0] >= large[1].max(large[2]) && spread(large) <= spread(xl),
                format!(
                    "large files {}; very large ones {}",
                    list(&s[..3], "mb_s", "MB/s"),
                    list(&s[3..], "mb_s", "MB/s")
                ),
            )
        },
    },
    Check {
        id: "C182",
        needs: &[
            test(V3_240, "file-read-small"),
            test(I510_250, "file-read-small"),
            test(C300_256, "file-read-small"),
            test(M4_128, "file-read-small"),
            test(M4_256, "file-read-small"),
            test(I320_300, "file-read-small"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0].min(rates[1]) > rates[2] && falls(&rates[2..]),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C186",
        needs: &[
            test(V3_240, "file-write-small"),
            test(I510_250, "file-write-small"),
            test(C300_256, "file-write-small"),
            test(M4_256, "file-write-small"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                falls(&rates[..3]) && rates[2] >= rates[3],
                list(s, "mb_s", "MB/s"),
            )
        },
    },
];
