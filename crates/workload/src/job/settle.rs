//! What several keys of a job say together.

use super::spec::{JobSpec, PatternKind, PerKind, Strides};
use ftlab_base::{CommandKind, Nanos};

impl JobSpec {
    /// Brings together what several keys say, as fio does when it has read them all; gives the keys that
    /// thereby have no effect, and why.
    pub(super) fn settle(&mut self) -> Vec<(&'static str, &'static str)> {
        let mut without = Vec::new();
        let range = |kind| self.bsrange.of(kind);
        let smallest = |kind, bs: u64| range(kind).map_or(bs, |(least, _)| least);
        let largest = |kind, bs: u64| range(kind).map_or(bs, |(_, most)| most);
        let kinds = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];
        let of = |by: &dyn Fn(CommandKind, u64) -> u64| {
            let [read, write, trim] = kinds.map(|kind| by(kind, self.bs.of(kind)));
            PerKind { read, write, trim }
        };
        (self.bs, self.bs_max) = (of(&smallest), of(&largest));
        if self.time_based && self.runtime.is_none() {
            self.time_based = false;
            without.push((
                "time_based",
                "fio drops it where there is no runtime: the job ends with its size",
            ));
        }
        if self.verify && !self.data.refill && self.data.pattern.is_none() {
            self.data.refill = true;
        }
        if self.checks.trim_percent > 0 && (!self.verify || self.checks.trim_backlog == 0) {
            without.push((
                "trim_percentage",
                "fio trims only blocks that verify notes, and only every trim_backlog writes",
            ));
        }
        if self.kind == PatternKind::TrimWrite && self.rwmixtrim.is_none() {
            for (key, every) in [
                ("fsync", &mut self.fsync),
                ("fdatasync", &mut self.fdatasync),
            ] {
                if std::mem::take(every) > 0 {
                    without.push((
                        key,
                        "fio makes no flush where each block is trimmed and written",
                    ));
                }
            }
        }
        self.iodepth_stated = self.iodepth;
        if self.is_synchronous && self.iodepth > 1 {
            self.iodepth = 1;
            without.push((
                "iodepth",
                "its ioengine is synchronous, so that fio has one request outstanding; give libaio or io_uring for more",
            ));
        }
        if self.is_paged() && self.iodepth > 1 {
            self.iodepth = 1;
            without.push((
                "iodepth",
                "it goes through pages in memory, where a request is over when its call is",
            ));
        }
        if !self.is_paged() && self.direct == Some(false) {
            let why = "requests of whole sectors go to the drive, as with direct=1: no page cache is in front of it";
            without.extend([("direct", why), ("buffered", why)]);
        }
        if self.iodepth_low == 0 || self.iodepth_low > self.iodepth {
            self.iodepth_low = self.iodepth;
        }
        if self.nrfiles > 1 && !self.files.is_empty() {
            self.nrfiles = 1;
            without.push(("nrfiles", "filename says which files there are"));
        }
        if self.replay.file.is_some() && self.logs.iolog.take().is_some() {
            without.push((
                "write_iolog",
                "as in fio, a job that replays a log writes none",
            ));
        }
        if self.thinktime_iotime > Nanos::ZERO && !self.thinktime_by_blocks {
            self.thinktime_blocks = u64::MAX;
        }
        without
    }

    /// The zones that the job goes through, if it does.
    #[must_use]
    pub fn strides(&self) -> Option<Strides> {
        let is_on = self.zonemode_strided.unwrap_or(self.zones.size > 0);
        let range = match self.zones.range {
            0 => self.zones.size,
            range => range,
        };
        is_on.then_some(Strides {
            range,
            ..self.zones
        })
    }
}
