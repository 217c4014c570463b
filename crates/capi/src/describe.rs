//! Devices as they are described before they are built.

use crate::{FtlabBuilder, FtlabDevice, FtlabStatus, boxed, failure, kept, text, wrong};
use embedded::{Builder, Device};
use std::ffi::{CString, c_char};
use std::ptr;

/// Describes a drive of the catalogue, by its name or a part of that which no other has. Null if the name is null or not
/// UTF-8; whether there is such a drive, `ftlab_build` says. Free it with `ftlab_builder_free`.
///
/// # Safety
/// `name` is a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_named(name: *const c_char) -> *mut FtlabBuilder {
    // SAFETY: as the caller's.
    match unsafe { text(name) } {
        Ok(name) => Box::into_raw(Box::new(FtlabBuilder {
            builder: Device::named(name),
            error: CString::default(),
        })),
        Err(_) => ptr::null_mut(),
    }
}

/// Describes the drive of a drive file's text; `name` stands for the file in errors.
///
/// # Safety
/// Both are texts that end with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_of_text(
    name: *const c_char,
    file: *const c_char,
) -> *mut FtlabBuilder {
    // SAFETY: as the caller's.
    match unsafe { (text(name), text(file)) } {
        (Ok(name), Ok(file)) => Box::into_raw(Box::new(FtlabBuilder {
            builder: Device::of_text(name, file),
            error: CString::default(),
        })),
        _ => ptr::null_mut(),
    }
}

/// Changes a description by a text.
unsafe fn described(
    builder: *mut FtlabBuilder,
    value: *const c_char,
    change: impl FnOnce(Builder, &str) -> Builder,
) -> FtlabStatus {
    // SAFETY: the caller promises a builder of ours, or null.
    let Some(FtlabBuilder { builder, error }) = (unsafe { builder.as_mut() }) else {
        return FtlabStatus::Argument;
    };
    kept(error, || {
        // SAFETY: as the caller's.
        let value = unsafe { text(value) }?;
        *builder = change(builder.clone(), value);
        Ok(())
    })
}

/// Changes a number of the drive file: `gc.policy=fifo`.
///
/// # Safety
/// `builder` is of `ftlab_named` or `ftlab_of_text`, and `key_value` a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_set(
    builder: *mut FtlabBuilder,
    key_value: *const c_char,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe { described(builder, key_value, |builder, text| builder.set(text)) }
}

/// Puts the drive on another machine: `spdk-2024`, or the text of a testbed file.
///
/// # Safety
/// The caller promises what `ftlab_set` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_testbed(
    builder: *mut FtlabBuilder,
    name_or_text: *const c_char,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe { described(builder, name_or_text, |builder, text| builder.testbed(text)) }
}

/// Brings the drive to a state before its time begins: `filled`, `used`, `steady-fast` …
///
/// # Safety
/// The caller promises what `ftlab_set` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_state(
    builder: *mut FtlabBuilder,
    name: *const c_char,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe { described(builder, name, |builder, text| builder.state(text)) }
}

/// Has something go wrong with requests, in the words of `ftlab fault`: `error once --on flush`, `drop-flush --after 3`,
/// `misdirect --by 4k`. Each call adds one, behind those of the drive file. Whether it can be, `ftlab_build` says.
///
/// # Safety
/// The caller promises what `ftlab_set` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_fault(
    builder: *mut FtlabBuilder,
    words: *const c_char,
) -> FtlabStatus {
    // SAFETY: as the caller's.
    unsafe { described(builder, words, |builder, text| builder.fault(text)) }
}

/// Changes a description by a number, or a word without one.
unsafe fn changed(builder: *mut FtlabBuilder, change: impl FnOnce(Builder) -> Builder) {
    // SAFETY: the caller promises a builder of ours, or null.
    if let Some(FtlabBuilder { builder, .. }) = unsafe { builder.as_mut() } {
        *builder = change(builder.clone());
    }
}

/// Takes the drive in a form of at most N bytes, with smaller blocks.
///
/// # Safety
/// `builder` is of `ftlab_named` or `ftlab_of_text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_shrink_to(builder: *mut FtlabBuilder, bytes: u64) {
    // SAFETY: as the caller's.
    unsafe { changed(builder, |builder| builder.shrink_to(bytes)) }
}

/// Takes another seed than 1.
///
/// # Safety
/// The caller promises what `ftlab_shrink_to` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_seed(builder: *mut FtlabBuilder, seed: u64) {
    // SAFETY: as the caller's.
    unsafe { changed(builder, |builder| builder.seed(seed)) }
}

/// Has the drive follow what a power cut would take, without bytes.
///
/// # Safety
/// The caller promises what `ftlab_shrink_to` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_track_power_cuts(builder: *mut FtlabBuilder) {
    // SAFETY: as the caller's.
    unsafe { changed(builder, Builder::track_power_cuts) }
}

/// Has the drive carry bytes.
///
/// # Safety
/// The caller promises what `ftlab_shrink_to` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_keep_data(builder: *mut FtlabBuilder) {
    // SAFETY: as the caller's.
    unsafe { changed(builder, Builder::keep_data) }
}

/// Has each completion say where its latency went.
///
/// # Safety
/// The caller promises what `ftlab_shrink_to` asks for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_split_latencies(builder: *mut FtlabBuilder) {
    // SAFETY: as the caller's.
    unsafe { changed(builder, Builder::split_latencies) }
}

/// Builds the device. The description stays, and can be built again.
///
/// # Safety
/// `builder` is of `ftlab_named` or `ftlab_of_text`, and there is room for a pointer at `device`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_build(
    builder: *mut FtlabBuilder,
    device: *mut *mut FtlabDevice,
) -> FtlabStatus {
    // SAFETY: the caller promises a builder of ours, or null.
    let Some(FtlabBuilder { builder, error }) = (unsafe { builder.as_mut() }) else {
        return FtlabStatus::Argument;
    };
    kept(error, || {
        if device.is_null() {
            return Err(wrong("there is no room for the device"));
        }
        let made = builder.build().map_err(|why| failure(&why))?;
        // SAFETY: it is not null, and the caller's.
        unsafe { device.write(boxed(made)) };
        Ok(())
    })
}

/// What the last call with this description did wrong; empty if nothing.
///
/// # Safety
/// `builder` is of `ftlab_named` or `ftlab_of_text`. The text is there until the next call with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_builder_error(builder: *const FtlabBuilder) -> *const c_char {
    // SAFETY: the caller promises a builder of ours, or null.
    let builder = unsafe { builder.as_ref() };
    builder.map_or(c"there is no description".as_ptr(), |builder| {
        builder.error.as_ptr()
    })
}

/// Frees a description; null is nothing.
///
/// # Safety
/// It is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_builder_free(builder: *mut FtlabBuilder) {
    if !builder.is_null() {
        // SAFETY: it was boxed by `ftlab_named` or `ftlab_of_text`, and is not used again.
        drop(unsafe { Box::from_raw(builder) });
    }
}
