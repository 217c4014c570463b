//! Ports of 3 and 6 Gbit/s.

use super::*;
use crate::check::{Check, Finding, Job, Need, job, own_job, test};
use ftlab_host::Port;
use ftlab_play::states::State;

const BED: &str = "behardware-2011";
const READ: &Job = own_job!(
    "read-2m",
    "rw=read\nbs=2m\niodepth=4\ntime_based\nruntime=5"
);
const READ_ONE: &Job = own_job!("read-2m-qd1", "rw=read\nbs=2m\ntime_based\nruntime=10");
const WRITE: &Job = own_job!(
    "write-2m-qd1",
    "rw=write\nbs=2m\nrefill_buffers\ntime_based\nruntime=10"
);
const SMALL: &Job = own_job!(
    "small-files",
    "rw=randread\nbs=64k\nnorandommap\ntime_based\nruntime=10"
);
const READS_32: &Job = own_job!(
    "randread-qd32",
    "rw=randread\nbs=4k\nnorandommap\niodepth=32\ntime_based\nruntime=10"
);
const WRITES_32: &Job = own_job!(
    "randwrite-qd32",
    "rw=randwrite\nbs=4k\nnorandommap\niodepth=32\nrefill_buffers\ntime_based\nruntime=10"
);
const ZEROES_32: &Job = own_job!(
    "randwrite-qd32-easy",
    "rw=randwrite\nbs=4k\nnorandommap\niodepth=32\nzero_buffers\ntime_based\nruntime=10"
);

/// On a port of 6 and on one of 3 Gbit/s.
const fn both(drive: &'static str, load: &'static Job) -> [Need; 2] {
    let need = job(drive, State::Filled, load);
    [
        need.on(BED, Some(Port::Sata6g)),
        need.on(BED, Some(Port::Sata3g)),
    ]
}

const GENERIC_READS: [Need; 2] = both(GENERIC, READ);

pub static CHECKS: &[Check] = &[
    Check {
        id: "C136",
        needs: &GENERIC_READS,
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] <= 600.0
                    && rates[0] > 300.0
                    && rates[1] <= 300.0
                    && near(rates[1], rates[0] / 2.0, 0.15),
                format!(
                    "a drive that the link alone bounds reads {} and {} MB/s",
                    short(rates[0]),
                    short(rates[1])
                ),
            )
        },
    },
    Check {
        id: "C163",
        needs: &[
            both(V3_120, READ_ONE)[0],
            both(V3_120, READ_ONE)[1],
            both(V3_120, WRITE)[0],
            both(V3_120, WRITE)[1],
            both(I520, READ_ONE)[1],
            job(G2_120, State::Filled, READ_ONE).on(BED, Some(Port::Sata3g)),
            job(G2_120, State::Filled, WRITE).on(BED, Some(Port::Sata3g)),
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[0] > 400.0
                    && near(rates[1], rates[5], 0.15)
                    && near(rates[4], rates[5], 0.15)
                    && near(rates[3], rates[2], 0.05)
                    && rates[3] > 1.2 * rates[6],
                format!(
                    "{V3_120} reads {} and, on 3 Gbit/s, {} MB/s, {I520} {}, {G2_120} {}; written {}, {} and {}",
                    short(rates[0]),
                    short(rates[1]),
                    short(rates[4]),
                    short(rates[5]),
                    short(rates[2]),
                    short(rates[3]),
                    short(rates[6])
                ),
            )
        },
    },
    Check {
        id: "C173",
        needs: &[
            both(C300_256, READS_32)[0],
            both(C300_256, READS_32)[1],
            both(M4_128, READS_32)[0],
            both(M4_128, READS_32)[1],
            both(V3_120, READS_32)[0],
            both(V3_120, READS_32)[1],
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[..4].chunks(2).all(|pair| pair[0] > 1.1 * pair[1])
                    && near(rates[5], rates[4], 0.06),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C176",
        needs: &[
            test(V3_120, "randwrite-4k-2011-qd1"),
            test(M4_128, "randwrite-4k-2011-qd1"),
            test(V3_240, "randwrite-4k-2011-qd1"),
            test(M4_256, "randwrite-4k-2011-qd1"),
            test(M4_128, "randwrite-4k-2011-qd32"),
            test(V3_120, "randwrite-4k-2011-qd32"),
            test(M4_256, "randwrite-4k-2011-qd32"),
            test(V3_240, "randwrite-4k-2011-qd32"),
            both(V3_120, ZEROES_32)[0],
            both(M4_128, ZEROES_32)[0],
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates.chunks(2).all(|pair| pair[0] > pair[1]),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C179",
        needs: &[
            both(M4_256, WRITES_32)[0],
            both(M4_256, WRITES_32)[1],
            both(V3_120, ZEROES_32)[0],
            both(V3_120, ZEROES_32)[1],
            both(V3_120, WRITES_32)[0],
            both(V3_120, WRITES_32)[1],
            both(I510_120, WRITES_32)[0],
            both(I510_120, WRITES_32)[1],
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates[..4].chunks(2).all(|pair| pair[0] > 1.05 * pair[1])
                    && rates[4..]
                        .chunks(2)
                        .all(|pair| near(pair[1], pair[0], 0.05)),
                list(s, "mb_s", "MB/s"),
            )
        },
    },
    Check {
        id: "C183",
        needs: &[
            both(V3_120, SMALL)[0],
            both(V3_120, SMALL)[1],
            both(I520, SMALL)[0],
            both(I520, SMALL)[1],
        ],
        judge: |s| {
            let rates = of(s, "mb_s");
            Finding::new(
                rates.chunks(2).all(|pair| pair[1] < 0.97 * pair[0])
                    && (rates[1] - rates[3]).abs() <= (rates[0] - rates[2]).abs() + 1.0,
                format!("small files on 6 and 3 Gbit/s: {}", list(s, "mb_s", "MB/s")),
            )
        },
    },
];
