//! Histograms of latencies over spans of time, in the columns of fio's `write_hist_log`.
//!
//! A line is `time, kind, block size, count, count, …`: milliseconds, 0 for a read, 1 for a write and 2 for a trim, bytes
//! of the request that ended the span, and how many latencies lie in each bin. A kind's span ends with the first of its
//! answers after it.

use ftlab_base::Nanos;
use ftlab_workload::{Log, Logs};
use std::collections::BTreeMap;
use std::io;

/// Bins of fio's: as many for each power of two.
const BINS_OF_OCTAVE: u64 = 1 << OCTAVE_BITS;
const OCTAVE_BITS: u32 = 6;
const OCTAVES: u64 = 29;
const BINS: u64 = OCTAVES * BINS_OF_OCTAVE;

/// Number of latencies in each bin that has some.
type Counts = BTreeMap<u64, u64>;

/// The span of a kind that is not over.
#[derive(Debug, Clone, Default)]
struct Open {
    begins: Nanos,
    counts: Counts,
}

#[derive(Debug, Clone)]
struct Line {
    at: Nanos,
    /// As fio numbers kinds.
    kind: usize,
    bytes: u64,
    counts: Counts,
}

/// The histograms of a job.
#[derive(Debug, Clone)]
pub struct Histograms {
    /// Time between histograms; zero for none.
    every: Nanos,
    coarseness: u32,
    open: [Open; 3],
    lines: Vec<Line>,
}

/// The bin of a latency: 128 of a nanosecond each, then 64 for each power of two.
pub fn bin(latency: Nanos) -> u64 {
    let highest = latency.0.max(1).ilog2();
    if highest <= OCTAVE_BITS {
        return latency.0;
    }
    let lost_bits = highest - OCTAVE_BITS;
    let base = u64::from(lost_bits + 1) << OCTAVE_BITS;
    let offset = (latency.0 >> lost_bits) & (BINS_OF_OCTAVE - 1);
    (base + offset).min(BINS - 1)
}

/// The latency in nanoseconds that fio calls a bin by: that in its middle.
pub fn middle_ns(bin: u64) -> u64 {
    let octave = bin >> OCTAVE_BITS;
    if octave <= 1 {
        return bin;
    }
    let width = 1 << (octave - 1);
    (BINS_OF_OCTAVE + bin % BINS_OF_OCTAVE) * width + width / 2
}

impl Histograms {
    /// Those that a job asks for.
    pub fn of(asked: &Logs) -> Histograms {
        let is_asked = asked.names.contains_key(&Log::Histogram);
        Histograms {
            every: if is_asked {
                asked.histogram_every
            } else {
                Nanos::ZERO
            },
            coarseness: asked.histogram_coarseness,
            open: Default::default(),
            lines: Vec::new(),
        }
    }

    /// Takes a request of a kind that was answered so long after the statistics began.
    pub fn record(&mut self, kind: usize, bytes: u64, latency: Nanos, at: Nanos) {
        if self.every == Nanos::ZERO {
            return;
        }
        let open = &mut self.open[kind];
        *open.counts.entry(bin(latency)).or_default() += 1;
        if at.0 - open.begins.0 >= self.every.0 {
            open.begins = Nanos(at.0 - at.0 % self.every.0);
            let counts = std::mem::take(&mut open.counts);
            self.lines.push(Line {
                at,
                kind,
                bytes,
                counts,
            });
        }
    }

    /// Writes a line for each span.
    pub fn write(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let bins = BINS >> self.coarseness;
        for line in &self.lines {
            let ms = line.at.0 / Nanos::from_millis(1).0;
            write!(out, "{ms}, {}, {}", line.kind, line.bytes)?;
            let mut coarse = vec![0; bins as usize];
            for (bin, count) in &line.counts {
                coarse[(bin >> self.coarseness) as usize] += count;
            }
            for count in coarse {
                write!(out, ", {count}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_fios() {
        // Where fio 3.33 counts a latency: whole nanoseconds, then 64 steps to each power of two.
        for (ns, expected) in [
            (0, 0),
            (127, 127),
            (128, 128),
            (129, 128),
            (130, 129),
            (255, 191),
            (256, 192),
            (100_000, 737),
            (u64::MAX, 1855),
        ] {
            assert_eq!(bin(Nanos(ns)), expected, "{ns}");
        }
    }
}
