//! How many drives are in memory at a time.

use std::ops::Range;

/// Drives of these sizes, in their order, in batches that run one after the other: each drive is
/// there once, and each thread may have a copy of one. A drive that alone is too large is a batch of
/// its own.
pub fn batches(sizes: &[u64], threads: usize, memory_bytes: u64) -> Vec<Range<usize>> {
    let threads = threads.max(1) as u64;
    let mut batches = Vec::new();
    let (mut first, mut sum, mut largest) = (0, 0_u64, 0_u64);
    for (n, &size) in sizes.iter().enumerate() {
        let next = sum.saturating_add(size);
        let copies = largest.max(size).saturating_mul(threads);
        if n > first && next.saturating_add(copies) > memory_bytes {
            batches.push(first..n);
            (first, sum, largest) = (n, 0, 0);
        }
        sum = sum.saturating_add(size);
        largest = largest.max(size);
    }
    if first < sizes.len() {
        batches.push(first..sizes.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_with_its_copies_fits_in_memory() {
        let starts = |sizes: &[u64], threads, memory| -> Vec<usize> {
            let batches = batches(sizes, threads, memory);
            assert!(batches.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!(batches.last().map(|last| last.end), Some(sizes.len()));
            batches.iter().map(|batch| batch.start).collect()
        };
        // Two threads: 1 + 1 and two copies of 1 in each batch, then 4 alone with two copies of 4.
        assert_eq!(starts(&[1, 1, 1, 4, 1], 2, 4), [0, 2, 3, 4]);
        assert_eq!(starts(&[1, 1, 1, 4, 1], 2, 16), [0]);
        assert_eq!(starts(&[9, 9], 1, 0), [0, 1]);
        assert!(batches(&[], 2, 8).is_empty());
    }
}
