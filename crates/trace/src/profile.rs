//! Profile of a trace: the figures that say what it will do to a drive.

use crate::blocks::{Blocks, Counts};
use crate::error::TraceError;
use crate::record::Record;
use crate::scan::{Scan, place};
use crate::select::Selected;
use ftlab_base::CommandKind;
use std::collections::BTreeMap;

/// Idle times by decade: up to 1 µs, 10 µs, … 1000 s, and longer.
pub const IDLE_DECADES: usize = 11;

/// Points of the course of a trace.
const COURSE_POINTS: usize = 200;

/// Profile of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Counts of the requests.
    pub scan: Scan,
    /// Requests of each size in bytes: of reads, writes and TRIMs.
    pub sizes: [BTreeMap<u64, u64>; 3],
    /// Reads, and writes, that begin where the one before of their direction on their device ended.
    pub sequential: [u64; 2],
    /// Number of requests that come so long after the one before: within a microsecond, ten, … of [`IDLE_DECADES`].
    pub idle: [u64; IDLE_DECADES],
    /// The time of all gaps of these decades together, in nanoseconds.
    pub idle_ns: [u64; IDLE_DECADES],
    /// Bytes read and written in equal parts of the time.
    pub course: Vec<[u64; 2]>,
    /// Counts of the blocks.
    pub blocks: Counts,
}

/// The most sizes that have a count of their own; later ones count with the next power of two.
const SIZES_MAX: usize = 4096;

/// Counts of the requests so far.
struct Counting {
    scan: Scan,
    sizes: [BTreeMap<u64, u64>; 3],
    sequential: [u64; 2],
    /// End of the last request of each device: of reads, and of writes.
    ends: Vec<[Option<u64>; 2]>,
    last_ns: Option<u64>,
    idle: [u64; IDLE_DECADES],
    idle_ns: [u64; IDLE_DECADES],
    course: Vec<[u64; 2]>,
    blocks: Blocks,
}

impl Profile {
    /// Reads a trace, which `scan` has counted, once more.
    ///
    /// # Errors
    /// When it can no longer be read.
    pub fn of(trace: Selected, scan: Scan) -> Result<Profile, TraceError> {
        let mut counting = Counting {
            scan,
            sizes: Default::default(),
            sequential: [0; 2],
            ends: Vec::new(),
            last_ns: None,
            idle: [0; IDLE_DECADES],
            idle_ns: [0; IDLE_DECADES],
            course: vec![[0; 2]; COURSE_POINTS],
            blocks: Blocks::default(),
        };
        for record in trace {
            counting.take(&record?);
        }
        Ok(Profile {
            blocks: counting.blocks.counts(),
            scan: counting.scan,
            sizes: counting.sizes,
            sequential: counting.sequential,
            idle: counting.idle,
            idle_ns: counting.idle_ns,
            course: counting.course,
        })
    }

    /// Seconds of a part of the course.
    #[must_use]
    pub fn course_step_s(&self) -> f64 {
        self.scan.span_ns() as f64 / 1e9 / COURSE_POINTS as f64
    }

    /// The size that `percent` percent of the reads (0), writes (1) or TRIMs (2) do not exceed; none where there are
    /// none.
    #[must_use]
    pub fn size_percentile(&self, kind: usize, percent: f64) -> Option<u64> {
        let all: u64 = self.sizes[kind].values().sum();
        let wanted = (all as f64 * percent / 100.0).ceil().max(1.0) as u64;
        let mut seen = 0;
        let found = self.sizes[kind].iter().find(|(_, count)| {
            seen += **count;
            seen >= wanted
        });
        found.map(|(size, _)| *size)
    }
}

impl Counting {
    fn take(&mut self, record: &Record) {
        self.idle(record.at_ns);
        let kind = place(record.kind);
        if record.kind == CommandKind::Flush {
            return;
        }
        let sizes = &mut self.sizes[kind];
        let size = match sizes.len() < SIZES_MAX || sizes.contains_key(&record.length_bytes) {
            true => record.length_bytes,
            false => record.length_bytes.next_power_of_two(),
        };
        *sizes.entry(size).or_default() += 1;
        self.blocks.take(record);
        if record.kind == CommandKind::Trim {
            return;
        }
        let device = record.device.0 as usize;
        if self.ends.len() <= device {
            self.ends.resize(device + 1, [None; 2]);
        }
        let before = self.ends[device][kind].replace(record.end_bytes());
        self.sequential[kind] += u64::from(before == Some(record.offset_bytes));
        let since = u128::from(record.at_ns - self.scan.first_ns);
        let point = since * COURSE_POINTS as u128 / u128::from(self.scan.span_ns().max(1));
        self.course[(point as usize).min(COURSE_POINTS - 1)][kind] += record.length_bytes;
    }

    fn idle(&mut self, at_ns: u64) {
        if let Some(last_ns) = self.last_ns {
            let gap = at_ns.saturating_sub(last_ns);
            // 1 µs is 10^3 ns.
            let decade = gap.max(1).ilog10().saturating_sub(2) as usize;
            let decade = decade.min(IDLE_DECADES - 1);
            self.idle[decade] += 1;
            self.idle_ns[decade] += gap;
        }
        self.last_ns = Some(self.last_ns.unwrap_or(0).max(at_ns));
    }
}
