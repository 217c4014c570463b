//! What goes wrong with the requests of a device.

use crate::drive::with;
use crate::{FtlabDevice, FtlabRequestFault, FtlabStatus, failure, text, wrong};
use std::ffi::c_char;

/// Has something go wrong with requests from the present on, in the words of `ftlab_fault`. Its number, to end it by, goes to
/// `number`, which may be null.
///
/// # Safety
/// `device` is of `ftlab_build` or `ftlab_clone`, `words` is a text that ends with a zero, and there is room for the number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_begin_fault(
    device: *mut FtlabDevice,
    words: *const c_char,
    number: *mut u32,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe {
        with(device, |device, _| {
            let begun = device.begin_fault(text(words)?);
            let begun = begun.map_err(|why| failure(&why))?;
            if !number.is_null() {
                number.write(begun);
            }
            Ok(())
        })
    }
}

/// Ends a fault of requests by its number, or all of them by 0.
///
/// # Safety
/// `device` is of `ftlab_build` or `ftlab_clone`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_end_faults(device: *mut FtlabDevice, number: u32) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe {
        with(device, |device, _| {
            let one = (number > 0).then_some(number);
            match (one, device.end_faults(one)) {
                (Some(number), 0) => Err(wrong(&format!("there is no fault {number}"))),
                _ => Ok(()),
            }
        })
    }
}

/// What came of the faults of requests, up to `room` of them, those of the drive file first; gives how many there are.
///
/// # Safety
/// `device` is of `ftlab_build` or `ftlab_clone`, and there is room for `room` of them at `into`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_faults(
    device: *const FtlabDevice,
    into: *mut FtlabRequestFault,
    room: usize,
) -> usize {
    // SAFETY: the caller promises a device of ours, or null.
    let Some(device) = (unsafe { device.as_ref() }) else {
        return 0;
    };
    let faults = device.device.faults();
    let room = if into.is_null() { 0 } else { room };
    for (n, fault) in faults.iter().take(room).enumerate() {
        let fault = FtlabRequestFault {
            number: fault.number,
            is_over: fault.is_over.into(),
            concerned: fault.concerned,
            hits: fault.hits,
        };
        // SAFETY: the caller promises room for `room` of them, and there are no more.
        unsafe { into.add(n).write(fault) };
    }
    faults.len()
}
