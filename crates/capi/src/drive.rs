//! Devices at work.

use crate::{
    Failure, FtlabCommand, FtlabCompletion, FtlabCounters, FtlabDevice, FtlabOutcome,
    FtlabPowerCut, FtlabStatus, boxed, failure, kept, wrong,
};
use embedded::{BitFlip, Command, Completion, Device, Operation, Outcome};
use std::ffi::c_char;
use std::{ptr, slice};

/// What stands in a completion without a flipped bit.
const NO_FLIP: BitFlip = BitFlip {
    offset: u64::MAX,
    bit: 0,
};

/// Does something with a device, and keeps the text of what went wrong.
pub(crate) unsafe fn with(
    device: *mut FtlabDevice,
    what: impl FnOnce(&mut Device, &mut Vec<Completion>) -> Result<(), Failure>,
) -> FtlabStatus {
    // SAFETY: the caller promises a device of ours, or null.
    match unsafe { device.as_mut() } {
        Some(FtlabDevice {
            device,
            done,
            error,
            ..
        }) => kept(error, || what(device, done)),
        None => FtlabStatus::Argument,
    }
}

/// The command that a pointer is of.
unsafe fn command(at: *const FtlabCommand) -> Result<Command, Failure> {
    // SAFETY: the caller promises a command, or null.
    let FtlabCommand {
        id,
        offset,
        bytes,
        operation,
    } = *unsafe { at.as_ref() }.ok_or_else(|| wrong("the command is null"))?;
    let operation = match operation {
        0 => Operation::Read,
        1 => Operation::Write,
        2 => Operation::Trim,
        3 => Operation::Flush,
        other => return Err(wrong(&format!("{other} is no operation; give 0 to 3"))),
    };
    Ok(Command {
        id,
        operation,
        offset,
        bytes,
    })
}

/// Takes a command at the present, `now_ns`. To a device that keeps data, a write comes with `ftlab_submit_write`.
///
/// # Safety
/// `device` is of `ftlab_build` or `ftlab_clone`, and `command` points to one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_submit(
    device: *mut FtlabDevice,
    command: *const FtlabCommand,
    now_ns: u64,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe {
        with(device, |device, _| {
            let command = self::command(command)?;
            device.submit(command, now_ns).map_err(|why| failure(&why))
        })
    }
}

/// Takes a write with its data, as many as the command has bytes.
///
/// # Safety
/// `device` and `command` are as `ftlab_submit` asks for, and `data` points to as many bytes as the command has.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_submit_write(
    device: *mut FtlabDevice,
    command: *const FtlabCommand,
    data: *const u8,
    now_ns: u64,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe {
        with(device, |device, _| {
            let command = self::command(command)?;
            if data.is_null() {
                return Err(wrong("the data are null"));
            }
            // A length that no drive has would be no slice; the command is refused before anybody looks at the data.
            let bytes = command.bytes.min(device.capacity_bytes()) as usize;
            let data = slice::from_raw_parts(data, bytes);
            let taken = device.submit_write(command, data, now_ns);
            taken.map_err(|why| failure(&why))
        })
    }
}

/// The earliest instant at which something happens; `UINT64_MAX` if nothing will.
///
/// # Safety
/// `device` is of `ftlab_build` or `ftlab_clone`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_next_event(device: *const FtlabDevice) -> u64 {
    // SAFETY: the caller promises a device of ours, or null.
    let device = unsafe { device.as_ref() };
    let next = device.and_then(|device| device.device.next_event());
    next.unwrap_or(u64::MAX)
}

/// The present: the latest instant that the device was given.
///
/// # Safety
/// The caller promises what `ftlab_next_event` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_now_ns(device: *const FtlabDevice) -> u64 {
    // SAFETY: the caller promises a device of ours, or null.
    let device = unsafe { device.as_ref() };
    device.map_or(0, |device| device.device.now_ns())
}

/// Lets everything at or before `now_ns` happen. What ended is there for `ftlab_completions`.
///
/// # Safety
/// The caller promises what `ftlab_next_event` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_advance(device: *mut FtlabDevice, now_ns: u64) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe {
        with(device, |device, done| {
            device.advance(now_ns, done);
            Ok(())
        })
    }
}

/// Lets things happen up to the first instant at which something ends, but nothing after `limit_ns`: the same as
/// `ftlab_advance` from event to event, in one call.
///
/// # Safety
/// The caller promises what `ftlab_next_event` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_advance_to_completion(
    device: *mut FtlabDevice,
    limit_ns: u64,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe {
        with(device, |device, done| {
            device.advance_to_completion(limit_ns, done);
            Ok(())
        })
    }
}

/// Takes what has ended, in order, up to `room` of it; gives how much.
///
/// # Safety
/// The caller promises what `ftlab_next_event` asks for, and room for `room` completions at `into`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_completions(
    device: *mut FtlabDevice,
    into: *mut FtlabCompletion,
    room: usize,
) -> usize {
    // SAFETY: the caller promises a device of ours, or null.
    let Some(FtlabDevice { done, taken, .. }) = (unsafe { device.as_mut() }) else {
        return 0;
    };
    if into.is_null() {
        return 0;
    }
    let count = (done.len() - *taken).min(room);
    for (n, end) in done[*taken..*taken + count].iter().enumerate() {
        let outcome = match end.outcome {
            Outcome::Good => FtlabOutcome::Good,
            Outcome::WriteFault => FtlabOutcome::WriteFault,
            Outcome::Unrecoverable => FtlabOutcome::Unrecoverable,
            _ => FtlabOutcome::Gone,
        };
        let split = end.split.unwrap_or_default();
        let flip = end.flip.unwrap_or(NO_FLIP);
        let end = FtlabCompletion {
            id: end.id,
            at_ns: end.at_ns,
            outcome: outcome as u32,
            flip_bit: flip.bit.into(),
            flip_offset: flip.offset,
            host_ns: split.host_ns,
            controller_ns: split.controller_ns,
            link_ns: split.link_ns,
            flash_ns: split.flash_ns,
        };
        // SAFETY: the caller promises room for `room` of them, and there are no more.
        unsafe { into.add(n).write(end) };
    }
    *taken += count;
    if *taken == done.len() {
        done.clear();
        *taken = 0;
    }
    count
}

/// Reads what the drive holds, without time: of a read, when it ends.
///
/// # Safety
/// The caller promises what `ftlab_next_event` asks for, and room for `bytes` bytes at `into`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_read(
    device: *mut FtlabDevice,
    offset: u64,
    into: *mut u8,
    bytes: usize,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe {
        with(device, |device, _| {
            if into.is_null() {
                return Err(wrong("there is no room for the data"));
            }
            let into = slice::from_raw_parts_mut(into, bytes);
            device.read(offset, into).map_err(|why| failure(&why))
        })
    }
}

/// Gives the data of a read that has ended, as `ftlab_completions` gave its end: what `ftlab_read` does, with the bit that a
/// fault has flipped on the way. The range is the read's, or a part of it.
///
/// # Safety
/// The caller promises what `ftlab_read` asks for, and `end` points to a completion.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_receive(
    device: *mut FtlabDevice,
    end: *const FtlabCompletion,
    offset: u64,
    into: *mut u8,
    bytes: usize,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe {
        with(device, |device, _| {
            let end = end.as_ref().ok_or_else(|| wrong("the end is null"))?;
            if into.is_null() {
                return Err(wrong("there is no room for the data"));
            }
            let into = slice::from_raw_parts_mut(into, bytes);
            device.read(offset, into).map_err(|why| failure(&why))?;
            if end.flip_offset != NO_FLIP.offset {
                let flip = BitFlip {
                    offset: end.flip_offset,
                    bit: (end.flip_bit & 7) as u8,
                };
                flip.apply(offset, into);
            }
            Ok(())
        })
    }
}

/// Cuts the power at `now_ns`, and switches the drive on again at the same instant. `cut` may be null.
///
/// # Safety
/// The caller promises what `ftlab_next_event` asks for, and room for the result at `cut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_power_cut(
    device: *mut FtlabDevice,
    now_ns: u64,
    seed: u64,
    cut: *mut FtlabPowerCut,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe {
        with(device, |device, _| {
            let found = device.power_cut(now_ns, seed);
            let found = found.map_err(|why| failure(&why))?;
            let torn = found.lost.iter().filter(|lost| lost.is_torn);
            let told = FtlabPowerCut {
                volatile_slots: found.volatile_slots,
                lost_bytes: found.lost.iter().map(|lost| lost.bytes).sum(),
                torn_bytes: torn.map(|lost| lost.bytes).sum(),
                outstanding: found.outstanding.len() as u64,
            };
            if !cut.is_null() {
                cut.write(told);
            }
            Ok(())
        })
    }
}

/// A second device that goes on where this one is, with all that is outstanding; null if the pointer is. What ended and
/// was not taken is the first one's alone.
///
/// # Safety
/// The caller promises what `ftlab_next_event` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_clone(device: *const FtlabDevice) -> *mut FtlabDevice {
    // SAFETY: the caller promises a device of ours, or null.
    match unsafe { device.as_ref() } {
        Some(device) => boxed(device.device.clone()),
        None => ptr::null_mut(),
    }
}

/// Bytes that the host can address; 0 for null.
///
/// # Safety
/// The caller promises what `ftlab_next_event` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_capacity_bytes(device: *const FtlabDevice) -> u64 {
    // SAFETY: the caller promises a device of ours, or null.
    let device = unsafe { device.as_ref() };
    device.map_or(0, |device| device.device.capacity_bytes())
}

/// Counts of the drive; all zero for null.
///
/// # Safety
/// The caller promises what `ftlab_next_event` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_counters(device: *const FtlabDevice) -> FtlabCounters {
    // SAFETY: the caller promises a device of ours, or null.
    let device = unsafe { device.as_ref() };
    device.map_or_else(FtlabCounters::default, |device| {
        let counters = device.device.counters();
        FtlabCounters {
            host_bytes_written: counters.host_bytes_written,
            nand_bytes_programmed: counters.nand_bytes_programmed,
            nand_reads: counters.nand_reads,
            nand_programs: counters.nand_programs,
            nand_erases: counters.nand_erases,
            operations_hash: counters.operations_hash,
            completions_hash: counters.completions_hash,
        }
    })
}

/// What the last call with this device that did not end well did wrong; empty if all did.
///
/// # Safety
/// The caller promises what `ftlab_next_event` asks for. The text is there until the next call with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_error(device: *const FtlabDevice) -> *const c_char {
    // SAFETY: the caller promises a device of ours, or null.
    let device = unsafe { device.as_ref() };
    device.map_or(c"there is no device".as_ptr(), |device| {
        device.error.as_ptr()
    })
}

/// Frees a device; null is nothing.
///
/// # Safety
/// It is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_free(device: *mut FtlabDevice) {
    if !device.is_null() {
        // SAFETY: it was boxed by `ftlab_build` or `ftlab_clone`, and is not used again.
        drop(unsafe { Box::from_raw(device) });
    }
}
