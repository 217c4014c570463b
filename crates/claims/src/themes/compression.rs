//! Drives that compress what they write.

use super::*;
use crate::check::{Check, Finding, Job, job, own_job, test, tested};
use ftlab_play::states::State;

const BED: &str = "behardware-2011";
const BED_2012: &str = "anandtech-2012";
const RANDOM_DATA: &Job = own_job!(
    "write-random-data",
    "rw=write\nbs=2m\nrefill_buffers\ntime_based\nruntime=20"
);
const HALF: &Job = own_job!(
    "write-half-compressible",
    "rw=write\nbs=2m\nrefill_buffers\nbuffer_compress_percentage=46\ntime_based\nruntime=20"
);
const EASY: &Job = own_job!(
    "write-zeroes",
    "rw=write\nbs=2m\nzero_buffers\ntime_based\nruntime=20"
);
const READ: &Job = own_job!("read-2m-20s", "rw=read\nbs=2m\ntime_based\nruntime=20");
pub const SCATTERED: &Job = own_job!(
    "randwrite-easy",
    "rw=randwrite\nbs=4k\nnorandommap\niodepth=32\nsize=8g\nzero_buffers\ntime_based\nruntime=20"
);
pub const SCATTERED_HARD: &Job = own_job!(
    "randwrite-hard",
    "rw=randwrite\nbs=4k\nnorandommap\niodepth=32\nsize=8g\nrefill_buffers\ntime_based\nruntime=20"
);
/// As that review writes them: three at a time, on its machine.
const SCATTERED_QD3: &Job = own_job!(
    "randwrite-easy-qd3",
    "rw=randwrite\nbs=4k\nnorandommap\niodepth=3\nsize=8g\nzero_buffers\ntime_based\nruntime=20"
);
const READS_HARD: &Job = &Job {
    file: "claims/reads-of-random-data",
    text: "[fill]\nrw=write\nbs=1m\nsize=2g\nrefill_buffers\n[read]\nstonewall\nrw=randread\nbs=4k\nnorandommap\niodepth=8\nsize=2g\ntime_based\nruntime=10\n",
};
const READS_HALF: &Job = &Job {
    file: "claims/reads-of-data-that-halve",
    text: "[fill]\nrw=write\nbs=1m\nsize=2g\nrefill_buffers\nbuffer_compress_percentage=46\n[read]\nstonewall\nrw=randread\nbs=4k\nnorandommap\niodepth=8\nsize=2g\ntime_based\nruntime=10\n",
};
const CLIENT: &Job = &Job {
    file: "claims/client-mix",
    text: "[global]\nrefill_buffers\ntime_based\nruntime=60\nbuffer_compress_percentage=46\n[small]\nrw=randwrite\nbs=4k\nnorandommap\nsize=33%\n[large]\nrw=write\nbs=128k\noffset=33%\nsize=34%\n",
};

/// What a drive writes: incompressible data, half compressible data, zeroes.
macro_rules! by_data {
    ($drive:expr) => {
        [
            job($drive, State::New, RANDOM_DATA).on(BED, None),
            job($drive, State::New, HALF).on(BED, None),
            job($drive, State::New, EASY).on(BED, None),
        ]
    };
}

const V3_BY_DATA: [crate::check::Need; 3] = by_data!(V3_120);
const I520_BY_DATA: [crate::check::Need; 3] = by_data!(I520);

pub static CHECKS: &[Check] = &[
    Check {
        id: "C144",
        needs: &V3_BY_DATA,
        judge: |s| {
            let wa = of(s, "wa");
            Finding::new(
                falls(&wa) && near(wa[0], 1.0, 0.15) && wa[2] < 0.5,
                format!(
                    "bytes programmed for a byte of random data, data that halve, zeroes: {}",
                    row(&wa, "")
                ),
            )
        },
    },
    Check {
        id: "C157",
        needs: &[
            job(X25M, State::New, RANDOM_DATA).on(BED, None),
            job(X25M, State::New, EASY).on(BED, None),
            job(G2_120, State::New, RANDOM_DATA).on(BED, None),
            job(G2_120, State::New, EASY).on(BED, None),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates.chunks(2).all(|pair| near(pair[1], pair[0], 0.01)),
                format!("random data and zeroes: {}", list(s, "mb_s", "MB/s")),
            )
        },
    },
    Check {
        id: "C156",
        needs: &V3_BY_DATA,
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[2] > 1.2 * rates[1],
                format!(
                    "the same requests with zeroes {} MB/s, with data of programs {}",
                    short(rates[2]),
                    short(rates[1])
                ),
            )
        },
    },
    Check {
        id: "C159",
        needs: &[
            test(V3_120, "seqread-2m"),
            job(V3_120, State::New, READ).on(BED, None),
            test(F120, "seqread-2m"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                near(rates[1], rates[0], 0.1) && rates[2] < 0.8 * rates[0],
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C162",
        needs: &[
            job(V3_120, State::New, RANDOM_DATA).on(BED, None),
            job(V3_240, State::New, RANDOM_DATA).on(BED, None),
            job(V3_120, State::New, EASY).on(BED, None),
            job(V3_240, State::New, EASY).on(BED, None),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] < 0.7 * rates[1] && near(rates[2], rates[3], 0.06),
                format!(
                    "random data {}; zeroes {}",
                    list(&s[..2], "mb_s", "MB/s"),
                    list(&s[2..], "mb_s", "MB/s")
                ),
            )
        },
    },
    Check {
        id: "C172",
        needs: &[
            job(V3_120, State::New, READS_HARD).on(BED, None),
            job(V3_120, State::New, READS_HALF).on(BED, None),
        ],
        judge: |s| {
            let lat: Vec<f64> = s.iter().map(|s| s.read.lat_ns_mean / 1e6).collect();
            Finding::new(
                spread(&lat) < 1.3,
                format!(
                    "random reads of data that do not compress and of data that halve: {}",
                    row(&lat, "ms")
                ),
            )
        },
    },
    Check {
        id: "C213",
        needs: &V3_BY_DATA,
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                near(rates[0], 163.0, 0.1) && near(rates[2], 451.0, 0.1),
                format!(
                    "random data {} MB/s, zeroes {}",
                    short(rates[0]),
                    short(rates[2])
                ),
            )
        },
    },
    Check {
        id: "C229",
        needs: &I520_BY_DATA,
        judge: |s| {
            let wa = of(s, "wa");
            let written: Vec<f64> = s.iter().map(|s| s.write.bytes as f64 / 1e9).collect();
            Finding::new(
                wa[1] < 0.9 && wa[2] < 0.5,
                format!(
                    "of {} the host wrote, flash took {} times as much",
                    row(&written, "GB"),
                    row(&wa, "")
                ),
            )
        },
    },
    Check {
        id: "C230",
        needs: &I520_BY_DATA,
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] < 0.8 * rates[2],
                format!(
                    "random data {} MB/s, zeroes {}",
                    short(rates[0]),
                    short(rates[2])
                ),
            )
        },
    },
    Check {
        id: "C232",
        needs: &I520_BY_DATA,
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] <= rates[1] && rates[1] <= rates[2] && rates[0] < rates[2],
                format!(
                    "random data, data that halve, zeroes: {}",
                    row(&rates, "MB/s")
                ),
            )
        },
    },
    Check {
        id: "C234",
        needs: &[
            job(I520, State::Filled, SCATTERED_QD3).on(BED_2012, None),
            job(HYPERX, State::Filled, SCATTERED_QD3).on(BED_2012, None),
        ],
        judge: |s| Finding::new(falls(&of(s, "mb_s")), list(s, "mb_s", "MB/s")),
    },
    Check {
        id: "C235",
        needs: &[
            test(HYPERX, "randwrite-4k-qd32-8gb"),
            test(I520, "randwrite-4k-qd32-8gb"),
        ],
        judge: |s| Finding::new(falls(&of(s, "mb_s")), list(s, "mb_s", "MB/s")),
    },
    Check {
        id: "C237",
        needs: &[
            job(I520, State::New, SCATTERED).on(BED, None),
            job(I520, State::New, EASY).on(BED, None),
            job(I520, State::New, SCATTERED_HARD).on(BED, None),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            let ratio = rates[0] / rates[1];
            Finding::new(
                ratio > 0.5 && ratio < 1.1,
                format!(
                    "random writes of data that compress {} MB/s, in order {}: {}; of data that do not {}",
                    short(rates[0]),
                    short(rates[1]),
                    short(ratio),
                    short(rates[2])
                ),
            )
        },
    },
    Check {
        id: "C238",
        needs: &[
            tested(I520, "as-ssd-seqwrite", "new"),
            test(I520, "seqwrite-128k-qd1"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] < 0.8 * rates[1],
                format!(
                    "AS-SSD {} MB/s, data that compress {}",
                    short(rates[0]),
                    short(rates[1])
                ),
            )
        },
    },
    Check {
        id: "C239",
        needs: &[
            tested(I520, "as-ssd-seqwrite", "new"),
            tested(HYPERX, "as-ssd-seqwrite", "new"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(near(rates[0], rates[1], 0.05), list(s, "mb_s", "MB/s"))
        },
    },
    Check {
        id: "C246",
        needs: &[
            tested(I520, "as-ssd-seqwrite", "new"),
            tested(I520, "as-ssd-seqwrite", "after-torture"),
            tested(I520, "as-ssd-seqwrite", "after-trim"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[1] < 0.8 * rates[0] && near(rates[2], rates[1], 0.1),
                format!(
                    "new, after the torture, after TRIM: {}",
                    row(&rates, "MB/s")
                ),
            )
        },
    },
    Check {
        id: "C247",
        needs: &[
            job(I520, State::Used, RANDOM_DATA).on(BED, None),
            job(I520, State::Used, EASY).on(BED, None),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[1] > 1.3 * rates[0],
                format!(
                    "one used drive measured with random data {} MB/s, with zeroes {}",
                    short(rates[0]),
                    short(rates[1])
                ),
            )
        },
    },
    Check {
        id: "C248",
        needs: &[
            tested(I520, "as-ssd-seqwrite", "new"),
            tested(I520, "as-ssd-seqwrite", "after-torture"),
            tested(I520, "as-ssd-seqwrite", "after-trim"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            let [torn, trimmed] = [rates[1] / rates[0], rates[2] / rates[1]];
            Finding::new(
                near(torn, 0.57, 0.1) && near(trimmed, 1.0, 0.03),
                format!(
                    "new, after the torture, after TRIM: {}; ratios {} and {}",
                    row(&rates, "MB/s"),
                    short(torn),
                    short(trimmed)
                ),
            )
        },
    },
    Check {
        id: "C249",
        needs: &[
            tested(I520, "as-ssd-seqwrite", "after-torture"),
            tested(HYPERX, "as-ssd-seqwrite", "after-torture"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(near(rates[0], rates[1], 0.02), list(s, "mb_s", "MB/s"))
        },
    },
    Check {
        id: "C250",
        needs: &[
            tested(I520, "as-ssd-seqwrite", "new"),
            tested(I520, "as-ssd-seqwrite", "after-trim"),
            tested(F120, "as-ssd-seqwrite", "new"),
            tested(F120, "as-ssd-seqwrite", "after-trim"),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[1] / rates[0] > rates[3] / rates[2],
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C252",
        needs: &[
            job(I520, State::Used, CLIENT).on(BED, None),
            job(I520, State::Filled, CLIENT).on(BED, None),
        ],
        judge: |s| {
            let [wa, rates] = ["wa", "mb_s"].map(|metric| of(s, metric));
            Finding::new(
                wa[0] < 1.0 && rates[0] > 0.8 * rates[1],
                format!(
                    "a client's data, written to a used drive: write amplification {}, {} MB/s; to a filled one {} MB/s",
                    short(wa[0]),
                    short(rates[0]),
                    short(rates[1])
                ),
            )
        },
    },
    Check {
        id: "C254",
        needs: &[
            job(I520, State::Used, CLIENT).on(BED, None),
            job(I320_300, State::Used, CLIENT).on(BED, None),
        ],
        judge: |s| {
            Finding::new(
                rises(&of(s, "wa")),
                list(s, "wa", "bytes programmed for a byte of a client's writes"),
            )
        },
    },
    Check {
        id: "C141",
        needs: &[
            job(V3_120, State::New, EASY).on(BED, None),
            job(V3_120, State::New, SCATTERED).on(BED, None),
            job(F120, State::New, EASY).on(BED, None),
            job(F120, State::New, SCATTERED).on(BED, None),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            let ratios = [rates[0] / rates[2], rates[1] / rates[3]];
            Finding::new(
                ratios.iter().all(|&ratio| near(ratio, 2.0, 0.25)),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
];
