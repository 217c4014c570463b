//! A drive after a run with time, made fit to be saved or switched off.

use super::PrepareError;
use ftlab_base::{Command, Outcome, SimTime};
use ftlab_drive::Device;

/// Flushes a drive whose last command ended before `now`, as a host does before it switches it off,
/// and lets it come to rest.
///
/// # Errors
/// When the drive cannot keep what it was given.
pub fn come_to_rest(device: &mut dyn Device, now: SimTime) -> Result<(), PrepareError> {
    let flush = Command::flush(0, now);
    let mut done = Vec::new();
    device.submit(flush, now);
    while let Some(next) = device.next_event() {
        device.advance(next, &mut done);
    }
    // What the drive copied for itself may still wait for the rest of a program unit.
    let timed = done.first().map(|completion| completion.outcome);
    if timed == Some(Outcome::Good) && device.apply(flush) == Outcome::Good {
        return Ok(());
    }
    let why = device.fault();
    Err(PrepareError::Fault {
        state: "at rest",
        why: why.unwrap_or_else(|| "it does not answer a flush".into()),
    })
}
