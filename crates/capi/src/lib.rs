//! The drive of `ftlab-device` for C and C++.
//!
//! `include/ftlab.h` is made of this crate by cbindgen; a test says when it is not. A handle is opaque, an error is a code
//! with a text at the handle, and no panic crosses the border: it becomes `FTLAB_PANIC`, and the handle is of no use any
//! more but to be freed. A request allocates nothing in the steady state.
#![allow(unsafe_code)]

mod describe;
mod drive;
mod faults;
mod health;
mod types;

pub use describe::*;
pub use drive::*;
pub use faults::*;
pub use health::*;
pub use types::*;

use embedded::{Builder, Completion, Device, Error};
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A device that is being described.
pub struct FtlabBuilder {
    builder: Builder,
    error: CString,
}

/// A drive in virtual time.
pub struct FtlabDevice {
    device: Device,
    done: Vec<Completion>,
    /// Completions of `done` that were taken.
    taken: usize,
    error: CString,
}

/// A failure, with its text.
type Failure = (FtlabStatus, String);

fn failure(why: &Error) -> Failure {
    let status = match why {
        Error::Past { .. } | Error::Behind { .. } | Error::Late { .. } => FtlabStatus::Past,
        Error::NoData | Error::NoAccount => FtlabStatus::NotKept,
        Error::Unreadable { .. } => FtlabStatus::Unreadable,
        Error::Drive(_) | Error::State(_) => FtlabStatus::Drive,
        _ => FtlabStatus::Command,
    };
    (status, why.to_string())
}

fn wrong(what: &str) -> Failure {
    (FtlabStatus::Argument, what.to_owned())
}

/// Does something, and keeps the text of what went wrong.
fn kept(error: &mut CString, what: impl FnOnce() -> Result<(), Failure>) -> FtlabStatus {
    let done = catch_unwind(AssertUnwindSafe(what));
    let done = done.unwrap_or_else(|_| Err((FtlabStatus::Panic, "ftlab has a fault".to_owned())));
    match done {
        Ok(()) => FtlabStatus::Ok,
        Err((status, text)) => {
            *error = CString::new(text.replace('\0', " ")).unwrap_or_default();
            status
        }
    }
}

/// The text that a pointer is of.
unsafe fn text<'a>(at: *const c_char) -> Result<&'a str, Failure> {
    if at.is_null() {
        return Err(wrong("a text is null"));
    }
    // SAFETY: the caller promises a text that ends with a zero.
    let text = unsafe { CStr::from_ptr(at) };
    text.to_str().map_err(|_| wrong("a text is not UTF-8"))
}

fn boxed(device: Device) -> *mut FtlabDevice {
    Box::into_raw(Box::new(FtlabDevice {
        device,
        done: Vec::new(),
        taken: 0,
        error: CString::default(),
    }))
}
