//! Settling of the keys of a job that depend on each other.

use super::pattern::{PatternKind, Strides};
use super::sizes::PerKind;
use super::spec::JobSpec;
use ftlab_base::{CommandKind, Nanos};

impl JobSpec {
    /// Brings together what several keys say, as fio does when it has read them all; returns the keys that thereby have
    /// no effect, with the reasons.
    pub(super) fn settle(&mut self) -> Vec<(&'static str, &'static str)> {
        let mut without = Vec::new();
        let range = |kind| self.sizes.bsrange.of(kind);
        let smallest = |kind, bs: u64| range(kind).map_or(bs, |(least, _)| least);
        let largest = |kind, bs: u64| range(kind).map_or(bs, |(_, most)| most);
        let kinds = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];
        let of = |by: &dyn Fn(CommandKind, u64) -> u64| {
            let [read, write, trim] = kinds.map(|kind| by(kind, self.sizes.bs.of(kind)));
            PerKind { read, write, trim }
        };
        (self.sizes.bs, self.sizes.bs_max) = (of(&smallest), of(&largest));
        if self.length.time_based && self.length.runtime.is_none() {
            self.length.time_based = false;
            without.push((
                "time_based",
                "fio drops it where there is no runtime: the job ends with its size",
            ));
        }
        // fio fills buffers anew for data that it is to recognise.
        if self.checks.is_on && !self.data.refill && self.data.pattern.is_none() {
            self.data.refill = true;
        }
        if self.checks.trim_percent > 0 && (!self.checks.is_on || self.checks.trim_backlog == 0) {
            without.push((
                "trim_percentage",
                "fio trims only blocks that verify notes, and only every trim_backlog writes",
            ));
        }
        if self.pattern.kind == PatternKind::TrimWrite && self.pattern.rwmixtrim.is_none() {
            for (key, every) in [
                ("fsync", &mut self.flushes.fsync),
                ("fdatasync", &mut self.flushes.fdatasync),
            ] {
                if std::mem::take(every) > 0 {
                    without.push((
                        key,
                        "fio makes no flush where each block is trimmed and written",
                    ));
                }
            }
        }
        self.settle_depth(&mut without);
        if self.files.nrfiles > 1 && !self.files.named.is_empty() {
            self.files.nrfiles = 1;
            without.push(("nrfiles", "filename says which files there are"));
        }
        if self.replay.file.is_some() && self.logs.iolog.take().is_some() {
            without.push((
                "write_iolog",
                "as in fio, a job that replays a log writes none",
            ));
        }
        if self.pace.thinktime_iotime > Nanos::ZERO && !self.pace.thinktime_by_blocks {
            self.pace.thinktime_blocks = u64::MAX;
        }
        without
    }

    /// The depth that is kept: one where the engine, or the pages that requests go through, have one request at a time.
    fn settle_depth(&mut self, without: &mut Vec<(&'static str, &'static str)>) {
        self.submission.iodepth_stated = self.submission.iodepth;
        if self.submission.is_synchronous && self.submission.iodepth > 1 {
            self.submission.iodepth = 1;
            without.push((
                "iodepth",
                "its ioengine is synchronous, so that fio has one request outstanding; give libaio or io_uring for more",
            ));
        }
        if self.is_paged() && self.submission.iodepth > 1 {
            self.submission.iodepth = 1;
            without.push((
                "iodepth",
                "it goes through pages in memory, where a request is over when its call is",
            ));
        }
        if !self.is_paged() && self.submission.direct == Some(false) {
            let why = "requests of whole sectors go to the drive, as with direct=1: no page cache is in front of it";
            without.extend([("direct", why), ("buffered", why)]);
        }
        if self.submission.iodepth_low == 0 || self.submission.iodepth_low > self.submission.iodepth
        {
            self.submission.iodepth_low = self.submission.iodepth;
        }
    }

    /// The zones that the job goes through, if it does.
    #[must_use]
    pub fn strides(&self) -> Option<Strides> {
        let is_on = self
            .pattern
            .zonemode_strided
            .unwrap_or(self.pattern.zones.size > 0);
        let range = match self.pattern.zones.range {
            0 => self.pattern.zones.size,
            range => range,
        };
        is_on.then_some(Strides {
            range,
            ..self.pattern.zones
        })
    }
}
