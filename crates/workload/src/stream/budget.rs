//! Rest of a job's amount of I/O, and of the passes over its size in which it is made, as fio counts them.

use crate::{PatternKind, ResolvedJob};
use ftlab_base::CommandKind;

/// Rest of a job, in requests and in the unit of its lengths.
///
/// A pass ends when as much as the size has been moved in it, or when no request is left to draw. Passes follow one another
/// `loops` times, and then for as long as `io_size` is not reached by a request or more.
#[derive(Debug, Clone)]
pub struct Budget {
    ios_left: u64,
    /// Rest of all passes.
    left: u64,
    /// Rest of this pass.
    pass_left: u64,
    pass: u64,
    /// Something has been moved in this pass.
    has_moved: bool,
    passes_left: u64,
    /// All that was moved, with what was read back and trimmed.
    moved: u64,
    /// Amount that passes go on to beyond `loops`; 0 where they do not.
    goal: u64,
    /// Length of the largest request.
    largest: u64,
    /// Passes have no end.
    goes_on: bool,
    /// Trims count in a pass.
    counts_trims: bool,
    /// The kind that counts in requests and in the amount: of trims with a write each, the write.
    counts: Option<CommandKind>,
}

impl Budget {
    pub fn of(job: &ResolvedJob) -> Budget {
        let spec = &job.spec;
        let units = |bytes: u64| bytes.div_ceil(job.unit_bytes());
        let pairs = spec.pattern.kind == PatternKind::TrimWrite && spec.pattern.rwmixtrim.is_none();
        let writes = spec.kinds().contains(&CommandKind::Write);
        let size = job.size_bytes;
        let amount = match job.io_bytes {
            0 => size,
            bytes => bytes,
        };
        let all = amount.saturating_mul(spec.length.loops);
        let mut pass = match writes && spec.pattern.random && spec.pattern.norandommap {
            true => size.max(job.io_bytes),
            false => size,
        };
        if spec.checks.is_on && writes && spec.checks.backlog > 0 {
            pass = pass.saturating_add(size);
        }
        if pairs {
            pass = pass.saturating_add(all);
        }
        let is_endless = spec.length.time_based;
        // fio ends no pass by what an engine does in the call that submits it. One that goes on where another ended is in the
        // middle of a pass.
        let is_counted = spec.submission.times_submissions && spec.region.begin_bytes == 0;
        let pass = match is_endless && !spec.checks.is_on || !is_counted {
            true => u64::MAX,
            false => units(pass),
        };
        let largest = spec
            .kinds()
            .iter()
            .map(|&kind| spec.sizes.bs_max.of(kind))
            .max();
        Budget {
            ios_left: job.ios_max.unwrap_or(u64::MAX),
            left: if is_endless { u64::MAX } else { units(all) },
            pass_left: pass,
            pass,
            has_moved: false,
            passes_left: spec.length.loops.saturating_sub(1),
            moved: 0,
            // What is read back counts too, and opens the file again that was at its end.
            goal: units(match job.io_bytes {
                0 if spec.checks.is_on && spec.checks.at_end => size,
                // fio counts trims from pass to pass unless it verifies at the end.
                _ if spec.kinds() == [CommandKind::Trim] && !spec.checks.at_end => 0,
                bytes => bytes,
            }),
            largest: units(largest.unwrap_or(1)),
            goes_on: is_endless,
            counts_trims: !spec.submission.stops_for.trims,
            counts: pairs.then_some(CommandKind::Write),
        }
    }

    /// Returns true if the pass is at its end.
    #[inline]
    pub fn is_spent(&self) -> bool {
        self.pass_left == 0 || self.left == 0 || self.ios_left == 0
    }

    /// Returns true if no pass follows this one.
    pub fn is_last(&self) -> bool {
        !self.goes_on && (self.left == 0 || self.ios_left == 0 || !self.has_another())
    }

    fn has_another(&self) -> bool {
        self.passes_left > 0 || self.goal.saturating_sub(self.moved) >= self.largest
    }

    /// Counts a request of the job's own.
    #[inline]
    pub fn take(&mut self, kind: CommandKind, length: u32) {
        let length = u64::from(length);
        if self.counts.is_none_or(|only| only == kind) {
            self.ios_left -= 1;
            self.left = self.left.saturating_sub(length);
        }
        self.count(kind, length);
        self.has_moved = true;
    }

    /// Counts what was read back or trimmed beside them.
    pub fn take_beside(&mut self, kind: CommandKind, length: u32) {
        self.count(kind, u64::from(length));
    }

    #[inline]
    fn count(&mut self, kind: CommandKind, length: u64) {
        if kind != CommandKind::Trim || self.counts_trims {
            self.pass_left = self.pass_left.saturating_sub(length);
        }
        self.moved += length;
    }

    /// Begins the next pass; false where there is none. One in which nothing was moved is the last.
    pub fn begin_pass(&mut self) -> bool {
        if !self.has_moved || self.is_last() {
            return false;
        }
        self.passes_left = self.passes_left.saturating_sub(1);
        self.pass_left = self.pass;
        self.has_moved = false;
        true
    }
}
