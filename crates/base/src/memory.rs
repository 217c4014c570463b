//! Large tables that are looked up at random. A run without time mostly waits for memory; what these
//! two are worth is measured by `cargo bench -p ftlab-drive`.

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

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

/// A table of many megabytes: in large pages of memory where the system has them, since in pages of
/// 4 KiB it has more addresses to translate than a processor remembers. The memory of a table that is
/// dropped waits for the next one of that size: a system that gives memory clears it first, which takes
/// longer than copying the table of a drive.
///
/// A table of zeroes takes memory only where something else was written, and so does a copy of it.
#[derive(Debug, PartialEq, Eq)]
pub struct LargeTable<T: Element>(Vec<T>);

/// Types that a [`LargeTable`] can hold.
pub trait Element: Copy + PartialEq + 'static {
    /// The value of memory that nobody wrote to.
    #[doc(hidden)]
    const ZERO: Self;
    /// Memory of tables that are gone.
    #[doc(hidden)]
    fn spare() -> &'static Mutex<Spare<Self>>;
}

macro_rules! element {
    ($($type:ty),*) => {$(
        impl Element for $type {
            const ZERO: $type = 0;

            fn spare() -> &'static Mutex<Spare<$type>> {
                static SPARE: Mutex<Spare<$type>> = Mutex::new(Spare(Vec::new()));
                &SPARE
            }
        }
    )*};
}
element!(u8, u32);

/// Memory of tables that are gone, the oldest first.
#[derive(Debug)]
pub struct Spare<T>(Vec<Vec<T>>);

/// Tables whose memory waits at most: those of two drives on each of a few processors.
const SPARE_TABLES: usize = 8;

/// Elements that are copied if any of them is no zero: a small page of them.
const COPIED_AT_ONCE: usize = 4096;

/// Smaller ones are left to the allocator.
const SPARE_BYTES_MIN: usize = 1 << 20;

impl<T: Element> Spare<T> {
    /// Takes memory for `len` elements, if some is spare. A size asked for in vain makes room: one that is no longer
    /// used goes.
    fn take(&mut self, len: usize) -> Option<Vec<T>> {
        let fits = self.0.iter().position(|spare| spare.capacity() == len);
        if fits.is_none() && !self.0.is_empty() {
            self.0.remove(0);
        }
        fits.map(|n| self.0.remove(n))
    }

    fn put(&mut self, mut table: Vec<T>) {
        if self.0.len() == SPARE_TABLES {
            self.0.remove(0);
        }
        table.clear();
        self.0.push(table);
    }
}

impl<T: Element> LargeTable<T> {
    /// Returns a table of `len` zeroes.
    #[must_use]
    pub fn zeroes(len: usize) -> LargeTable<T> {
        LargeTable(match Self::used_memory(len) {
            Some(mut table) => {
                table.resize(len, T::ZERO);
                table
            }
            None => Self::untouched_zeroes(len),
        })
    }

    /// An empty vector with room for `len` entries, in memory that an earlier table has left.
    fn used_memory(len: usize) -> Option<Vec<T>> {
        let is_large = len * size_of::<T>() >= SPARE_BYTES_MIN;
        let spare = T::spare().lock().ok().filter(|_| is_large);
        spare.and_then(|mut spare| spare.take(len))
    }

    /// Zeroes that take no memory before something else is written there.
    fn untouched_zeroes(len: usize) -> Vec<T> {
        let table = vec![T::ZERO; len];
        #[cfg(target_os = "linux")]
        advise_large_pages(&table);
        table
    }
}

impl<T: Element> Clone for LargeTable<T> {
    fn clone(&self) -> LargeTable<T> {
        LargeTable(match Self::used_memory(self.len()) {
            Some(mut copy) => {
                copy.extend_from_slice(self);
                copy
            }
            None => {
                let mut copy = Self::untouched_zeroes(self.len());
                let parts = self.chunks(COPIED_AT_ONCE);
                for (from, to) in parts.zip(copy.chunks_mut(COPIED_AT_ONCE)) {
                    if from.iter().any(|element| *element != T::ZERO) {
                        to.copy_from_slice(from);
                    }
                }
                copy
            }
        })
    }
}

impl<T: Element> Drop for LargeTable<T> {
    fn drop(&mut self) {
        let table = std::mem::take(&mut self.0);
        if table.capacity() * size_of::<T>() >= SPARE_BYTES_MIN
            && let Ok(mut spare) = T::spare().lock()
        {
            spare.put(table);
        }
    }
}

impl<T: Element> Deref for LargeTable<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T: Element> DerefMut for LargeTable<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
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
            let mut table = LargeTable::<u32>::zeroes(len);
            assert!(table.len() == len && table.iter().all(|&n| n == 0));
            for at in (0..len).step_by(10_007) {
                table[at] = 7;
            }
            if let Some(last) = table.last_mut() {
                *last = 8;
            }
            prefetch(&table, len / 2);
            prefetch(&table, len);
            assert_eq!(table.clone(), table);
        }
    }

    #[test]
    fn what_a_table_held_is_not_in_the_next() {
        let len = (1 << 20) + 12_345;
        for value in 0..20 {
            let filled = |n| {
                let mut table = LargeTable::zeroes(len);
                assert!(table.iter().all(|&v| v == 0));
                table.fill(n);
                table
            };
            let tables: Vec<LargeTable<u8>> = (0..value).map(filled).collect();
            let same = |(n, table): (usize, &LargeTable<u8>)| table.iter().all(|&v| v == n as u8);
            assert!(tables.iter().enumerate().all(same));
            let copy = tables.last().cloned();
            assert_eq!(copy.as_ref(), tables.last());
        }
        assert!(u8::spare().lock().unwrap().0.len() <= SPARE_TABLES);
    }

    /// Bytes of this process that are in memory.
    #[cfg(target_os = "linux")]
    fn resident_bytes() -> usize {
        let text = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("Anonymous:"));
        let kib = line.unwrap().trim().trim_end_matches(" kB");
        kib.parse::<usize>().unwrap() << 10
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_was_not_written_takes_no_memory_and_neither_does_its_copy() {
        const BYTES: usize = 1 << 30;
        let before = resident_bytes();
        let mut table = LargeTable::<u32>::zeroes(BYTES / 4);
        table[12_345_678] = 9;
        let copy = table.clone();
        assert_eq!((copy[12_345_678], copy[12_345_679]), (9, 0));
        let taken = resident_bytes().saturating_sub(before);
        // The other tests of this file take some hundred megabytes meanwhile.
        assert!(taken < BYTES / 2, "{taken} bytes");
    }

    #[test]
    fn memory_of_a_size_that_is_not_used_any_more_goes() {
        let mut spare = Spare(Vec::new());
        for len in [1, 2, 3] {
            spare.put(vec![0_u32; len]);
        }
        assert_eq!(spare.take(2).map(|table| table.len()), Some(0));
        assert!(spare.take(7).is_none() && spare.take(1).is_none());
        assert!(spare.0.is_empty());
    }
}
