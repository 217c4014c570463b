//! Ports of 3 and 6 Gbit/s.

use super::*;
use crate::check::{Check, Finding, Need, job};
use ftlab_host::Port;
use ftlab_play::states::State;

const BED: &str = "behardware-2011";
const READ: &str = "read-2m";

/// On a port of 6 and on one of 3 Gbit/s.
const fn both(drive: &'static str, load: &'static str) -> [Need; 2] {
    let need = job(drive, State::Filled, load);
    [
        need.on(BED, Some(Port::Sata6g)),
        need.on(BED, Some(Port::Sata3g)),
    ]
}

const GENERIC_READS: [Need; 2] = both(GENERIC, READ);

pub static CHECKS: &[Check] = &[Check {
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
}];
