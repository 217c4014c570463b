//! An end before the end: what runs long asks, through what hears of it, whether anybody still wants it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What was told to end did so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// Ends the work that is under way, from within: [`stoppable`] gives [`Stopped`] where it was begun.
pub fn stop() -> ! {
    // No panic, which a hook would hear of: the stack is left, with nothing of the run.
    resume_unwind(Box::new(Stopped))
}

/// What work comes to that may [`stop`], on any of its threads.
///
/// # Errors
/// When it stopped.
pub fn stoppable<R>(work: impl FnOnce() -> R) -> Result<R, Stopped> {
    catch_unwind(AssertUnwindSafe(work)).or_else(|why| match why.is::<Stopped>() {
        true => Err(Stopped),
        false => resume_unwind(why),
    })
}
