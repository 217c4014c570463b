//! Files copied to and from a drive, games loaded, and what is left of all that in practice.

use super::*;
use crate::check::{Check, Finding, Need, script, test};

/// What somebody does with a computer, on one drive.
const fn in_practice(drive: &'static str) -> [Need; 5] {
    [
        test(drive, "boot-windows7"),
        test(drive, "launch-3dsmax"),
        test(drive, "game-load-civilization5"),
        test(drive, "game-load-crysis2"),
        test(drive, "install-photoshop-cs5"),
    ]
}

/// Three drives of the new generation and three of those before.
static BOTH_GENERATIONS: [[Need; 5]; 6] = [
    in_practice(V3_240),
    in_practice(M4_256),
    in_practice(I510_250),
    in_practice(C300_256),
    in_practice(FALCON2),
    in_practice(G2_120),
];
const I320_IN_PRACTICE: [Need; 5] = in_practice(I320_120);
const G2_IN_PRACTICE: [Need; 5] = in_practice(G2_120);

const fn batch(drive: &'static str, name: &'static str) -> Need {
    script(drive, name).on("behardware-2011", None)
}

pub static CHECKS: &[Check] = &[
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
        id: "C188",
        needs: &[
            batch(V3_240, "batch-pictures"),
            batch(FALCON2, "batch-pictures"),
            batch(I320_120, "batch-pictures"),
            batch(V3_240, "batch-pictures-while-download"),
            batch(FALCON2, "batch-pictures-while-download"),
            batch(I320_120, "batch-pictures-while-download"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            Finding::new(
                spread(&took) < 1.02,
                format!(
                    "a batch of pictures {}; beside a download {}",
                    list(&s[..3], "seconds", "s"),
                    row(&took[3..], "s")
                ),
            )
        },
    },
    Check {
        id: "C194",
        needs: &[
            I320_IN_PRACTICE[0],
            I320_IN_PRACTICE[1],
            I320_IN_PRACTICE[2],
            I320_IN_PRACTICE[3],
            G2_IN_PRACTICE[0],
            G2_IN_PRACTICE[1],
            G2_IN_PRACTICE[2],
            G2_IN_PRACTICE[3],
            test(I320_120, "file-read-small"),
            test(G2_120, "file-read-small"),
        ],
        judge: |s| {
            let took = of(&s[..8], "seconds");
            let (newer, older) = took.split_at(4);
            let read = of(&s[8..], "mb_s");
            Finding::new(
                newer.iter().zip(older).all(|(n, o)| n > o) && read[0] < read[1],
                format!(
                    "boot, launch and two games {}, on {G2_120} {}; small files {}",
                    row(newer, "s"),
                    row(older, "s"),
                    list(&s[8..], "mb_s", "MB/s")
                ),
            )
        },
    },
    Check {
        id: "C215",
        needs: BOTH_GENERATIONS.as_flattened(),
        judge: |s| {
            let took = of(s, "seconds");
            let (new, old) = took.split_at(15);
            let mean_of = |of: &[f64], what: usize| {
                let times: Vec<f64> = of[what..].iter().copied().step_by(5).collect();
                mean(&times)
            };
            let gains: Vec<f64> = (0..5)
                .map(|what| mean_of(old, what) / mean_of(new, what))
                .collect();
            Finding::new(
                gains.iter().all(|&gain| gain < 1.1),
                format!(
                    "boot, launch, two games and an installation took the drives before {} times as long",
                    row(&gains, "")
                ),
            )
        },
    },
];
