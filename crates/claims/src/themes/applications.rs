//! Programs at work: launches, archives, scans, loads.

use super::*;
use crate::check::{Check, Finding, Job, job, own_job, script, test};
use ftlab_play::states::State;

/// A level of a game: a little data, much work of the CPU, the same on every drive.
const CPU_BOUND: &Job = own_job!(
    "cpu-bound-load",
    "rw=randread\nbs=64k\nnorandommap\nnumber_ios=40\nthinktime=500ms"
);
/// Textures while playing: reads alone.
const TEXTURES: &Job = own_job!(
    "textures",
    "rw=randread\nbs=32k\nnorandommap\niodepth=2\ntime_based\nruntime=20"
);
const OUTER: &Job = own_job!(
    "read-near",
    "rw=read\nbs=128k\nsize=10%\ntime_based\nruntime=15"
);
const INNER: &Job = own_job!(
    "read-far",
    "rw=read\nbs=128k\noffset=80%\nsize=10%\ntime_based\nruntime=15"
);
const NEAR_10: &Job = own_job!(
    "seek-10",
    "rw=randread\nbs=4k\nnorandommap\nsize=10%\ntime_based\nruntime=20"
);
const OVER_90: &Job = own_job!(
    "seek-90",
    "rw=randread\nbs=4k\nnorandommap\nsize=90%\ntime_based\nruntime=20"
);
/// A film read and one written, in long requests.
const FILMS: &Job = own_job!("films", "rw=write\nbs=1m\ntime_based\nruntime=30");

pub static CHECKS: &[Check] = &[
    Check {
        id: "C068",
        needs: &[
            script(CORE, "archive-create-200mb"),
            script(SLC, "archive-create-200mb"),
            script(X25M, "archive-create-200mb"),
            script(MOMENTUS, "archive-create-200mb"),
            script(RAPTOR, "archive-create-200mb"),
        ],
        judge: |s| Finding::new(spread(&of(s, "seconds")) < 1.05, list(s, "seconds", "s")),
    },
    Check {
        id: "C069",
        needs: &[
            test(SLC, "archive-create-200mb-while-extract"),
            test(X25M, "archive-create-200mb-while-extract"),
            test(CORE, "archive-create-200mb-while-extract"),
        ],
        judge: |s| {
            let took = of(s, "create_seconds");
            let ratios: Vec<f64> = took[..2].iter().map(|t| t / took[2]).collect();
            Finding::new(
                ratios.iter().all(|&ratio| near(ratio, 0.7, 0.15)),
                format!(
                    "{}; of the last drive's time {}",
                    list(s, "create_seconds", "s"),
                    row(&ratios, "")
                ),
            )
        },
    },
    Check {
        id: "C070",
        // Of three drives of one controller one is modelled; the others were its fellows on worse days.
        needs: &[
            test(RAPTOR, "archive-create-200mb-while-extract-5gb"),
            test(SLC, "archive-create-200mb-while-extract-5gb"),
            test(X25M, "archive-create-200mb-while-extract-5gb"),
            test(CORE, "archive-create-200mb-while-extract-5gb"),
            test(MOMENTUS, "archive-create-200mb-while-extract-5gb"),
        ],
        judge: |s| {
            Finding::new(
                rises(&of(s, "extract_seconds")),
                list(s, "extract_seconds", "s"),
            )
        },
    },
    Check {
        id: "C086",
        needs: &[
            job(X25M, State::Filled, TEXTURES),
            job(SLC, State::Filled, TEXTURES),
            job(CORE, State::Filled, TEXTURES),
            job(MOMENTUS, State::Filled, TEXTURES),
            job(RAPTOR, State::Filled, TEXTURES),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            let least = rates[..3].iter().copied().fold(f64::NAN, f64::min);
            Finding::new(
                rates[3..].iter().all(|&disk| least > 2.0 * disk),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C085",
        needs: &[
            job(RAPTOR, State::Filled, FILMS),
            job(X25M, State::Filled, FILMS),
        ],
        judge: |s| {
            Finding::new(
                falls(&of(s, "mb_s")),
                list(s, "mb_s", "MB/s in a stream written"),
            )
        },
    },
    Check {
        id: "C090",
        needs: &[
            job(RAPTOR, State::Filled, OUTER),
            job(RAPTOR, State::Filled, INNER),
            job(RAPTOR, State::Filled, NEAR_10),
            job(RAPTOR, State::Filled, OVER_90),
            job(X25M, State::Filled, OUTER),
            job(X25M, State::Filled, INNER),
            job(X25M, State::Filled, NEAR_10),
            job(X25M, State::Filled, OVER_90),
        ],
        judge: |s| {
            let [rates, seeks] = ["mb_s", "lat_avg_ms"].map(|metric| of(s, metric));
            let disk = rates[0] > 1.1 * rates[1] && seeks[3] > 1.1 * seeks[2];
            let flash = near(rates[5], rates[4], 0.05) && near(seeks[7], seeks[6], 0.05);
            Finding::new(
                disk && flash,
                format!(
                    "near the start and the end of the drive, {RAPTOR} reads {}, {X25M} {}; random \
                     reads over a tenth and nine tenths of it take {} and {}",
                    row(&rates[..2], "MB/s"),
                    row(&rates[4..6], "MB/s"),
                    row(&seeks[2..4], "ms"),
                    row(&seeks[6..8], "ms")
                ),
            )
        },
    },
    Check {
        id: "C091",
        needs: &[
            test(X25M, "app-launch-four-at-boot"),
            test(RAPTOR, "app-launch-four-at-boot"),
            test(GREEN, "app-launch-four-at-boot"),
        ],
        judge: |s| Finding::new(rises(&of(s, "seconds")), list(s, "seconds", "s")),
    },
    Check {
        id: "C092",
        needs: &[
            test(X25M, "launch-chrome"),
            test(SLC, "launch-chrome"),
            test(CORE, "launch-chrome"),
            test(RAPTOR, "launch-chrome"),
            test(MOMENTUS, "launch-chrome"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            let slowest = took[..3].iter().copied().fold(f64::NAN, f64::max);
            Finding::new(
                spread(&took[..3]) < 1.2 && took[3..].iter().all(|&disk| disk > 1.1 * slowest),
                list(s, "seconds", "s"),
            )
        },
    },
    Check {
        id: "C093",
        needs: &[
            test(X25M, "launch-powerpoint2007"),
            test(RAPTOR, "launch-powerpoint2007"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            Finding::new(near(took[0] / took[1], 0.5, 0.2), list(s, "seconds", "s"))
        },
    },
    Check {
        id: "C094",
        needs: &[
            test(X25M, "launch-photoshop-cs3"),
            test(SLC, "launch-photoshop-cs3"),
            test(CORE, "launch-photoshop-cs3"),
            test(RAPTOR, "launch-photoshop-cs3"),
            test(MOMENTUS, "launch-photoshop-cs3"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            let is_first = took[1..].iter().all(|&other| took[0] < other);
            Finding::new(
                is_first && took[..3].iter().all(|&t| t < 3.0) && took[3] > 6.0 && took[4] > 10.0,
                list(s, "seconds", "s"),
            )
        },
    },
    Check {
        id: "C095",
        needs: &[
            test(X25M, "launch-photoshop-cs3"),
            test(X25M, "launch-powerpoint2007"),
            test(RAPTOR, "launch-photoshop-cs3"),
            test(RAPTOR, "launch-powerpoint2007"),
        ],
        judge: |s| {
            let took = of(s, "seconds");
            let ratios = [took[0] / took[2], took[1] / took[3]];
            Finding::new(
                near(mean(&ratios), 0.5, 0.25),
                format!("of the disk's time: {}", row(&ratios, "")),
            )
        },
    },
    Check {
        id: "C096",
        needs: &[
            job(X25M, State::Filled, CPU_BOUND),
            job(SLC, State::Filled, CPU_BOUND),
            job(CORE, State::Filled, CPU_BOUND),
            job(MOMENTUS, State::Filled, CPU_BOUND),
            job(RAPTOR, State::Filled, CPU_BOUND),
        ],
        judge: |s| {
            let took: Vec<f64> = s.iter().map(|s| s.seconds).collect();
            Finding::new(
                spread(&took) < 1.05,
                format!(
                    "20 s of work with 2.6 MB of reads between: {}",
                    row(&took, "s")
                ),
            )
        },
    },
];
