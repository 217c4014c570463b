//! Large tables that are looked up at random. A run without time mostly waits for memory; what these
//! two are worth is measured by `cargo bench -p ftlab-drive`.

/// Asks the processor for the cache line of an element, and goes on without waiting for it. Beyond
/// the end nothing happens.
#[inline(always)]
pub fn prefetch<T>(table: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = table.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // A prefetch reads nothing that the program can see, and the address is that of an element.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, index);
}

/// `len` times `value`, in large pages of memory where the system has them: a table of many
/// megabytes in pages of 4 KiB has more addresses to translate than a processor remembers.
#[must_use]
pub fn large_table<T: Copy>(len: usize, value: T) -> Vec<T> {
    let mut table = empty_large_table(len);
    table.resize(len, value);
    table
}

/// A copy of `table`, in large pages too.
#[must_use]
pub fn copy_of_large_table<T: Copy>(table: &[T]) -> Vec<T> {
    let mut copy = empty_large_table(table.len());
    copy.extend_from_slice(table);
    copy
}

fn empty_large_table<T>(len: usize) -> Vec<T> {
    let table = Vec::with_capacity(len);
    #[cfg(target_os = "linux")]
    advise_large_pages(&table);
    table
}

/// Before the memory is touched for the first time. Advice may be ignored, so errors are.
#[cfg(target_os = "linux")]
fn advise_large_pages<T>(table: &Vec<T>) {
    const PAGE: usize = 4096;
    let start = (table.as_ptr() as usize).next_multiple_of(PAGE);
    let end = (table.as_ptr() as usize + table.capacity() * size_of::<T>()) & !(PAGE - 1);
    if end <= start {
        return;
    }
    let at = table.as_ptr().cast::<std::ffi::c_void>().cast_mut();
    let at = at.wrapping_byte_add(start - table.as_ptr() as usize);
    // The range lies inside one allocation, and the advice changes how it is backed, not what it
    // holds.
    #[allow(unsafe_code)]
    unsafe {
        let _ = rustix::mm::madvise(at, end - start, rustix::mm::Advice::LinuxHugepage);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_table_is_like_any_other() {
        for len in [0, 1, 1000, 3 << 20] {
            let mut table = large_table(len, 7u32);
            assert!(table.len() == len && table.iter().all(|&n| n == 7));
            if let Some(last) = table.last_mut() {
                *last = 8;
            }
            prefetch(&table, len / 2);
            prefetch(&table, len);
            assert_eq!(copy_of_large_table(&table), table);
        }
    }
}
