//! Write amplification at steady state, when a run has no clock.
//!
//! A drive that starts filled in order has its first garbage collection a spare area later and
//! then needs about one more drive of random writes until the share of valid data in its blocks
//! no longer changes. So a run is cut into windows of one drive size of host writes each, and the
//! second half of them is measured; an odd window counts as warm-up. A run of one window or less
//! is measured whole.

use ftlab_drive::Counters;

/// Write amplification of a run. Both are 0 without host writes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WriteAmplification {
    /// Over the second half of the run's windows of one drive size of writes; over the whole
    /// measured time when the run has a clock.
    pub steady: f64,
    /// Over all that was measured.
    pub total: f64,
}

/// Snapshots of a drive's counters, one a window.
#[derive(Debug)]
pub struct Windows {
    window_bytes: u64,
    next_bytes: u64,
    marks: Vec<Counters>,
}

impl Windows {
    /// Windows of `window_bytes` written bytes each, from `start` on.
    pub fn new(window_bytes: u64, start: Counters) -> Self {
        Windows {
            window_bytes,
            next_bytes: window_bytes,
            marks: vec![start],
        }
    }

    /// Whether a window is full once the run has written so many bytes.
    #[inline]
    pub fn is_full(&self, written_bytes: u64) -> bool {
        written_bytes >= self.next_bytes
    }

    /// Ends the window.
    pub fn mark(&mut self, now: Counters) {
        self.marks.push(now);
        self.next_bytes += self.window_bytes;
    }

    /// What the run comes to.
    pub fn finish(&self, end: &Counters) -> WriteAmplification {
        let start = &self.marks[0];
        let written = end.since(start).host_bytes_written;
        // To the nearest: a region cut to whole blocks leaves the last window a little short.
        let windows = ((written + self.window_bytes / 2) / self.window_bytes) as usize;
        let warm_up = windows.div_ceil(2).min(windows.saturating_sub(1));
        let measured_from = self.marks.get(warm_up).unwrap_or(start);
        WriteAmplification {
            steady: end.since(measured_from).write_amplification(),
            total: end.since(start).write_amplification(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drive of 100 bytes that amplifies by the given factors, window by window.
    fn run(factors: &[u64], last_window_bytes: u64) -> WriteAmplification {
        let mut counters = Counters::default();
        let mut windows = Windows::new(100, counters);
        let mut written = 0;
        for (n, factor) in factors.iter().enumerate() {
            let bytes = if n + 1 == factors.len() {
                last_window_bytes
            } else {
                100
            };
            written += bytes;
            counters.host_bytes_written += bytes;
            counters.nand_bytes_programmed += bytes * factor;
            if windows.is_full(written) {
                windows.mark(counters);
            }
        }
        windows.finish(&counters)
    }

    #[test]
    fn the_second_half_is_steady() {
        assert_eq!(run(&[1, 2, 4, 4], 100).steady, 4.0);
        assert_eq!(run(&[1, 2, 4, 4], 100).total, 2.75);
        assert_eq!(run(&[1, 2, 4], 100).steady, 4.0);
        assert_eq!(
            run(&[1, 2, 4, 4], 97).steady,
            4.0,
            "a short last window is still one"
        );
    }

    #[test]
    fn a_short_run_is_measured_whole() {
        assert_eq!(run(&[3], 100).steady, 3.0);
        assert_eq!(run(&[3], 20).steady, 3.0);
        assert_eq!(run(&[], 0), WriteAmplification::default());
    }
}
