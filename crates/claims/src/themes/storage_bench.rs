//! Traces played back.

use super::*;
use crate::check::{Check, Finding, test};

pub static CHECKS: &[Check] = &[Check {
    id: "C242",
    // A drive that reads well, against one that is slower in everything.
    needs: &[
        test(I520, "atsb2011-heavy"),
        test(I320_300, "atsb2011-heavy"),
    ],
    judge: |s| {
        let ahead = |metric| {
            let rates = of(s, metric);
            rates[0] / rates[1]
        };
        let [all, reads, writes] = ["mb_s", "read_mb_s", "write_mb_s"].map(ahead);
        Finding::new(
            reads > 1.05 && all < reads,
            format!(
                "{I520} over {I320_300}: {} in all, {} in reads, {} in writes",
                short(all),
                short(reads),
                short(writes)
            ),
        )
    },
}];
