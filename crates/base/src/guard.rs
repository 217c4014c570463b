//! A panic while something of a user's is read is an error of that file, and not the end of the program.
//!
//! Readers of other people's formats, ours and those of libraries, meet files that nobody thought of. What they come to is
//! for whoever reads the file to say, beside its name.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

thread_local! {
    /// Number of readings under way on this thread, one within the other.
    static READINGS: Cell<u32> = const { Cell::new(0) };
}

/// A reading that panicked, with the message of the panic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panicked(String);

impl std::fmt::Display for Panicked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "what reads it gave up on it ({})", self.0)
    }
}

impl std::error::Error for Panicked {}

/// Runs a reading and returns its result. A panic of this thread in it becomes an error, of which the hook that the
/// program set hears nothing. What is left behind by the reading must not be used again.
///
/// # Errors
/// When it panicked.
pub fn guarded<R>(reading: impl FnOnce() -> R) -> Result<R, Panicked> {
    hush();
    let _reading = Reading::begin();
    catch_unwind(AssertUnwindSafe(reading)).or_else(|panic| match words(panic.as_ref()) {
        Some(words) => Err(Panicked(words)),
        // What leaves the stack without a panic's words is somebody else's way of ending.
        None => resume_unwind(panic),
    })
}

/// A reading under way, until it is dropped.
struct Reading;

impl Reading {
    fn begin() -> Reading {
        READINGS.with(|count| count.set(count.get() + 1));
        Reading
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        READINGS.with(|count| count.set(count.get() - 1));
    }
}

/// Returns the message of a panic, if it is text.
fn words(panic: &(dyn Any + Send)) -> Option<String> {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied())
        .map(str::to_owned)
}

/// Has the hook of panics say nothing of those of a reading; whatever hook there is hears of all others.
fn hush() {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if READINGS.with(Cell::get) == 0 {
                hook(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_reading_is_an_error_with_its_words_and_no_other_is() {
        assert_eq!(guarded(|| 7), Ok(7));
        let error = guarded(|| [1, 2][std::hint::black_box(2)]).unwrap_err();
        assert!(error.to_string().contains("index is 2"), "{error}");
        // One within another leaves the outer one guarded.
        let outer = guarded(|| {
            guarded(|| panic!("inner")).unwrap_err();
            assert_eq!(READINGS.with(Cell::get), 1);
            panic!("outer {}", 1)
        });
        let outer: Result<(), _> = outer;
        assert!(outer.unwrap_err().to_string().contains("outer 1"));
        assert_eq!(READINGS.with(Cell::get), 0);
        // What ends work from within passes.
        struct Stopped;
        let passed = catch_unwind(|| guarded(|| resume_unwind(Box::new(Stopped))));
        let passed: Result<Result<(), _>, _> = passed;
        assert!(passed.unwrap_err().is::<Stopped>());
        assert_eq!(READINGS.with(Cell::get), 0);
    }
}
