//! Health of a device, and what goes wrong in its flash on demand.

use crate::drive::with;
use crate::{FtlabDevice, FtlabFault, FtlabNvmeHealth, FtlabSmart, FtlabStatus, failure, wrong};
use embedded::FlashFault;

/// The SMART attributes of the drive's maker, up to `room` of them; gives how many there are. None if the drive's file names
/// no maker's set.
///
/// # Safety
/// `device` is of `ftlab_build` or `ftlab_clone`, and there is room for `room` attributes at `into`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_smart(
    device: *const FtlabDevice,
    into: *mut FtlabSmart,
    room: usize,
) -> usize {
    // SAFETY: the caller promises a device of ours, or null.
    let Some(device) = (unsafe { device.as_ref() }) else {
        return 0;
    };
    let rows = device.device.smart();
    let room = if into.is_null() { 0 } else { room };
    for (n, row) in rows.iter().take(room).enumerate() {
        let row = FtlabSmart {
            id: row.id,
            value: row.value,
            threshold: row.threshold,
            raw: row.raw,
        };
        // SAFETY: the caller promises room for `room` of them, and there are no more.
        unsafe { into.add(n).write(row) };
    }
    rows.len()
}

/// The log page SMART / Health Information of a drive that speaks NVMe; false if it does not, and `into` stays as it is.
///
/// # Safety
/// `device` is of `ftlab_build` or `ftlab_clone`, and there is room for the log at `into`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_nvme_health(
    device: *const FtlabDevice,
    into: *mut FtlabNvmeHealth,
) -> bool {
    // SAFETY: the caller promises a device of ours, or null.
    let device = unsafe { device.as_ref() };
    let logs = device.and_then(|device| device.device.nvme_logs());
    let Some(health) = logs.map(|logs| logs.health).filter(|_| !into.is_null()) else {
        return false;
    };
    let health = FtlabNvmeHealth {
        critical_warning: health.critical_warning,
        celsius: health.celsius,
        available_spare: health.available_spare,
        percentage_used: health.percentage_used,
        data_units_read: health.data_units_read,
        data_units_written: health.data_units_written,
        power_cycles: health.power_cycles,
        unsafe_shutdowns: health.unsafe_shutdowns,
        media_errors: health.media_errors,
    };
    // SAFETY: it is not null, and the caller promises room.
    unsafe { into.write(health) };
    true
}

/// Has something go wrong in the flash, while nothing is outstanding: `fault` is an `FtlabFault`, and `which` the number of
/// the block or die, or a position in bytes.
///
/// # Safety
/// `device` is of `ftlab_build` or `ftlab_clone`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftlab_inject(
    device: *mut FtlabDevice,
    fault: u32,
    which: u64,
) -> FtlabStatus {
    const BAD_BLOCK: u32 = FtlabFault::BadBlock as u32;
    const UNREADABLE: u32 = FtlabFault::Unreadable as u32;
    const DIE: u32 = FtlabFault::Die as u32;
    const END_OF_LIFE: u32 = FtlabFault::EndOfLife as u32;
    // SAFETY: as the caller's.
    unsafe {
        with(device, |device, _| {
            let fault = match fault {
                BAD_BLOCK => FlashFault::BadBlock {
                    // What is no number of a block is none that the drive has.
                    block: u32::try_from(which).unwrap_or(u32::MAX),
                },
                UNREADABLE => FlashFault::Unreadable {
                    offset_bytes: which,
                },
                DIE => FlashFault::Die {
                    die: u16::try_from(which).unwrap_or(u16::MAX),
                },
                END_OF_LIFE => FlashFault::EndOfLife,
                other => return Err(wrong(&format!("{other} is no fault; give 0 to 3"))),
            };
            device.inject(fault).map_err(|why| failure(&why))
        })
    }
}
