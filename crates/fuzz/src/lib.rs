//! Fuzz targets: the checks that are run on arbitrary bytes.
//!
//! Bytes become a drive (the settings of a drive file and a test machine) and a script (commands,
//! and how the clock is moved between them), or a text that is read, or what a client of a network block device sends. Whatever comes out, a drive is
//! refused with one line that says why, or it answers every command once and in time, keeps the
//! newest data, and its translation layer is whole after every step. What does not hold panics.
//!
//! The same functions serve two callers: the tests of this crate, with bytes from named streams and
//! from the inputs that once broke something, and the coverage-guided targets in `fuzz/`.

mod model;
mod nbd;
mod plan;
mod run;
mod script;
mod subject;
mod texts;

pub use nbd::nbd_client;
pub use plan::{Plan, pages};
pub use run::{Tally, Verdict, try_plan};
pub use script::{Clock, Script};
pub use texts::{drive_file, job_file, script_file, settings, testbed_file, trace_file};

use arbitrary::{Arbitrary, Unstructured};
use ftlab_base::RootSeed;
use rand::Rng;

/// Bytes for a run that nothing guides: the same for the same seed.
#[must_use]
pub fn bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    RootSeed(seed).stream("fuzz bytes").fill_bytes(&mut bytes);
    bytes
}

/// Tries a drive and a stream of commands.
///
/// # Panics
/// When something does not hold that must.
#[must_use]
pub fn drive(data: &[u8]) -> Verdict {
    let mut bytes = Unstructured::new(data);
    let Ok(plan) = Plan::arbitrary(&mut bytes) else {
        return Verdict::NoInput;
    };
    try_plan(&plan, &mut bytes)
}

/// Tries a drive whose blocks fail and whose bits are read wrong, and a stream of commands.
///
/// # Panics
/// When something does not hold that must.
#[must_use]
pub fn failing_drive(data: &[u8]) -> Verdict {
    let mut bytes = Unstructured::new(data);
    let plan = Plan::arbitrary(&mut bytes).and_then(|plan| plan.failing(&mut bytes));
    let Ok(plan) = plan else {
        return Verdict::NoInput;
    };
    try_plan(&plan, &mut bytes)
}
