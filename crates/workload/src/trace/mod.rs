//! Synthetic traces: requests with the published statistics of a trace that was not published itself.
//!
//! A [`Trace`] says exactly how many requests of each kind and size there are, how many of them
//! follow the one before, and in bursts of how many they are issued. [`TraceStream`] draws them
//! from there without putting back, so that every run of it has exactly these counts, in an order
//! that the seed decides, and any part of it is like the whole. Pauses are not part of a trace: the
//! next burst is issued when the last one has ended.

mod apportion;
mod bursts;
mod file;
mod stream;

pub use stream::{Operation, TraceStream};

use ftlab_base::Content;

/// A trace, in counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// The file it is from.
    pub file: String,
    /// Name in a few words.
    pub name: String,
    /// In a sentence or more: what was published of it and what is assumed.
    pub summary: String,
    /// The machine it runs on unless another is asked for.
    pub testbed: String,
    /// First sector of the part of the drive that it uses.
    pub at: u64,
    /// Sectors of the span.
    pub size: u64,
    /// Reads of the trace.
    pub reads: Requests,
    /// Writes of the trace.
    pub writes: Requests,
    /// Bursts of one request, of two, and so on.
    pub bursts: Vec<u64>,
    /// By how much what is written can be compressed, in percent; `None` when nothing is known.
    pub buffer_compress_percentage: Option<u32>,
}

/// The requests of one direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requests {
    /// Sizes in sectors, ascending, and how many requests have them.
    pub sizes: Vec<(u32, u64)>,
    /// Those that begin where the one before them, of the same direction, ended.
    pub sequential: u64,
}

impl Requests {
    /// Returns the number of requests.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.sizes.iter().map(|(_, count)| count).sum()
    }

    /// Returns the sectors that they move.
    #[must_use]
    pub fn sectors(&self) -> u64 {
        let of_size = |&(sectors, count): &(u32, u64)| u64::from(sectors) * count;
        self.sizes.iter().map(of_size).sum()
    }
}

impl Trace {
    /// Returns the number of reads and writes.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.reads.count() + self.writes.count()
    }

    /// Returns the nature of the written data, which do not compress unless the file says otherwise.
    #[must_use]
    pub fn content(&self) -> Content {
        let percent = self.buffer_compress_percentage.unwrap_or(0);
        Content::compressible(u8::try_from(percent).unwrap_or(100))
    }
}
