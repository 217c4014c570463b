//! The lab's threads: drives are measured several at a time, as many as threads and memory allow.
//!
//! What is measured on one drive may in turn run in parallel, each part on a copy: whatever asks the pool for
//! it inside of [`Lab::run`] does so on the lab's threads. Results come in the order of what was asked,
//! and every random stream has its name's seed, so neither threads nor memory change a number.

use crate::LabError;
use rayon::prelude::*;
use std::ops::Range;

/// Threads, and the memory that drives and their copies may take together.
pub struct Lab {
    pool: rayon::ThreadPool,
    threads: usize,
    memory_bytes: u64,
}

impl Lab {
    /// A lab of N threads, at least one.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn new(threads: usize, memory_bytes: u64) -> Result<Lab, LabError> {
        let threads = threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| LabError::Threads {
            threads,
            why: error.to_string(),
        })?;
        Ok(Lab {
            pool,
            threads,
            memory_bytes,
        })
    }

    /// Returns the most bytes that drives of these sizes take at once, each thread with a copy of one.
    #[must_use]
    pub fn most_bytes(&self, sizes: &[u64]) -> u64 {
        let of_batch = |batch: Range<usize>| {
            let copies = self.threads.min(batch.len()) as u64;
            let sizes = &sizes[batch];
            let largest = sizes.iter().max().copied().unwrap_or(0);
            sizes.iter().sum::<u64>() + copies * largest
        };
        let batches = batches(sizes, self.threads, self.memory_bytes).into_iter();
        batches.map(of_batch).max().unwrap_or(0)
    }

    /// Measures on every subject, a drive of N bytes each, and returns the results in their order.
    pub fn run<S: Sync, R: Send>(
        &self,
        subjects: &[S],
        bytes: impl Fn(&S) -> u64,
        measure: impl Fn(&S) -> R + Sync,
    ) -> Vec<R> {
        let sizes: Vec<u64> = subjects.iter().map(bytes).collect();
        let mut found = Vec::with_capacity(subjects.len());
        for batch in batches(&sizes, self.threads, self.memory_bytes) {
            // They differ much in length, so each is handed out by itself.
            let subjects = subjects[batch].par_iter().with_max_len(1);
            let of_batch: Vec<R> = self.pool.install(|| subjects.map(&measure).collect());
            found.extend(of_batch);
        }
        found
    }
}

/// Drives of these sizes, in their order, in batches that run one after the other: each drive is
/// there once, and each thread may have a copy of one. A drive that alone is too large is a batch of
/// its own.
fn batches(sizes: &[u64], threads: usize, memory_bytes: u64) -> Vec<Range<usize>> {
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

    #[test]
    fn the_most_is_that_of_the_largest_batch_with_its_copies() {
        let most =
            |sizes: &[u64], threads, memory| Lab::new(threads, memory).unwrap().most_bytes(sizes);
        assert_eq!(most(&[], 2, 8), 0);
        // A drive alone has one copy, however many threads there are.
        assert_eq!(most(&[4], 8, 0), 8);
        assert_eq!(most(&[1, 1, 1, 4, 1], 2, 4), 8);
        assert_eq!(most(&[1, 1, 1, 4, 1], 2, 16), 8 + 8);
    }
}
