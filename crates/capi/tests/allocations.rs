//! In the steady state no request allocates.
#![allow(unsafe_code)]

use ftlab_device::{
    FtlabCommand, FtlabCompletion, FtlabDevice, FtlabStatus, ftlab_advance_to_completion,
    ftlab_build, ftlab_builder_free, ftlab_capacity_bytes, ftlab_completions, ftlab_free,
    ftlab_named, ftlab_shrink_to, ftlab_state, ftlab_submit,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is the system's, but for a count.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: as the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller's.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Writes and reads of 4 KiB, 16 at a time.
fn go_on(drive: *mut FtlabDevice, ids: std::ops::Range<u64>, now_ns: &mut u64) {
    let mut ended = [FtlabCompletion::default(); 16];
    // SAFETY: the device is ours, and there is room for what is asked for.
    unsafe {
        let places = ftlab_capacity_bytes(drive) / 4096;
        let mut outstanding = if ids.start == 0 { 0 } else { 15 };
        for id in ids {
            let command = FtlabCommand {
                id,
                offset: id.wrapping_mul(0x9e37_79b9_7f4a_7c15) % places * 4096,
                bytes: 4096,
                operation: u32::from(!id.is_multiple_of(3)),
            };
            assert_eq!(ftlab_submit(drive, &command, *now_ns), FtlabStatus::Ok);
            outstanding += 1;
            while outstanding >= 16 {
                ftlab_advance_to_completion(drive, u64::MAX);
                let count = ftlab_completions(drive, ended.as_mut_ptr(), ended.len());
                outstanding -= count;
                *now_ns = ended[count - 1].at_ns;
            }
        }
    }
}

#[test]
fn a_request_allocates_nothing_once_the_drive_has_been_at_work() {
    let mut drive = ptr::null_mut();
    // SAFETY: the texts end with a zero, and there is room for the device.
    unsafe {
        let builder = ftlab_named(c"samsung-980-pro-1000".as_ptr());
        ftlab_shrink_to(builder, 3 << 30);
        ftlab_state(builder, c"filled".as_ptr());
        assert_eq!(ftlab_build(builder, &mut drive), FtlabStatus::Ok);
        ftlab_builder_free(builder);
    }
    let mut now_ns = 0;
    go_on(drive, 0..1_000_000, &mut now_ns);
    let before = ALLOCATIONS.get();
    // Fifteen are outstanding, and go on.
    go_on(drive, 1_000_000..1_200_000, &mut now_ns);
    assert_eq!(ALLOCATIONS.get() - before, 0, "of 200,000 requests");
    // SAFETY: it is not used again.
    unsafe { ftlab_free(drive) };
}
