//! Places of jobs whose sizes differ, that leave gaps, run, jump now and then, or go through zones: found as fio finds them, with
//! its corners.

use super::law::Law;
use super::positions::{Kind, Place};
use super::sizes::Sizes;
use crate::{PatternKind, ResolvedJob, Sequencer, Strides};
use ftlab_base::CommandKind;
use ftlab_base::rng::Stream;

/// Places and lengths on the device, in what the job counts in.
#[derive(Debug, Clone)]
pub struct Special {
    /// Sizes of reads, writes and trims; none where they have one.
    sizes: Option<[Sizes; 3]>,
    sizes_by_order: bool,
    is_random: bool,
    /// Requests of which the first is random, and how many follow the last random one.
    run: u64,
    run_left: u64,
    sequencer: Sequencer,
    /// Gap between two requests in order; backwards where negative.
    stride: i64,
    /// Start of the job's region, and that of the zone that it is in.
    origin: u64,
    base: u64,
    /// The job's size, which may reach beyond the device.
    size: u64,
    device: u64,
    /// Place where the next request in order is looked for, and the start of the last one.
    next: [u64; 3],
    last: [Option<u64>; 3],
    zones: Option<Strides>,
    /// Amount that was moved in this zone.
    moved: u64,
    /// The end is the start.
    goes_on: bool,
}

impl Special {
    /// Returns the special rules of a job, if it has any.
    pub fn of(job: &ResolvedJob) -> Option<Special> {
        let (spec, unit) = (&job.spec, job.unit_bytes());
        let kinds = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];
        let used = spec.kinds();
        let differ = used.iter().any(|&kind| !spec.has_one_size(kind)) || spec.sizes.bs_is_seq_rand;
        let zones = spec.strides().map(|strides| Strides {
            size: strides.size / unit,
            range: strides.range / unit,
            skip: strides.skip / unit,
        });
        let jumps_seldom = spec.pattern.random
            && used
                .iter()
                .any(|&kind| spec.pattern.percentage_random.of(kind) < 100);
        let is_plain = !differ
            && spec.pattern.random_run == 1
            && spec.pattern.stride_bytes == 0
            && zones.is_none()
            && !jumps_seldom
            && !job.may_draw_beyond();
        let origin = job.offset_bytes / unit;
        (!is_plain).then(|| Special {
            sizes: differ.then(|| kinds.map(|kind| Sizes::of(job, kind))),
            sizes_by_order: spec.sizes.bs_is_seq_rand,
            is_random: spec.pattern.random,
            run: spec.pattern.random_run,
            run_left: 0,
            sequencer: spec.pattern.rw_sequencer,
            stride: spec.pattern.stride_bytes / unit as i64,
            origin,
            base: origin,
            size: job.extent_bytes / unit,
            // A request has to lie whole on the device, or in the file that the job has of its own.
            device: match spec.is_own_file() {
                true => origin + job.extent_bytes / unit,
                false => job.device_bytes / unit,
            },
            next: [origin + spec.region.begin_bytes / unit; 3],
            last: [None; 3],
            zones,
            moved: 0,
            goes_on: spec.length.time_based,
        })
    }

    /// Begins a new pass.
    pub fn begin(&mut self) {
        self.base = self.origin;
        self.moved = 0;
        self.run_left = 0;
        self.reset();
    }

    /// Goes back to the start of the zone.
    fn reset(&mut self) {
        self.next = [self.base; 3];
        self.last = [None; 3];
    }

    /// Returns true if a job that trims and writes has to trim: it has written where it trimmed last.
    pub fn has_to_trim(&self) -> bool {
        self.last[2] == self.last[1]
    }

    /// The next request of a kind, from the region's start; none where the pass is at its end.
    pub fn next(&mut self, kind: Kind, laws: &mut [Law], rng: &mut Stream) -> Option<Place> {
        self.enter_zone(kind, laws, rng);
        let law = &mut laws[kind.law];
        let begins_run = self.run_left == 0;
        self.run_left = match begins_run {
            true => self.run - 1,
            false => self.run_left - 1,
        };
        let jumps = begins_run && kind.jumps.draw(rng);
        let (at, is_random) = if jumps {
            (self.drawn(kind, law, rng)?, true)
        } else if !begins_run && self.sequencer == Sequencer::Identical {
            (
                self.last[kind.slot].map_or(0, |last| last - self.base),
                false,
            )
        } else {
            // A random job that has no next place draws one.
            match self.in_order(kind) {
                Some(at) => (at, false),
                None if self.is_random => (self.drawn(kind, law, rng)?, false),
                None => return None,
            }
        };
        if at >= self.size {
            return None;
        }
        let at = self.base + at;
        if at >= self.device {
            return None;
        }
        let length = self.length(kind, at, is_random, rng)?;
        if at + u64::from(length) > self.device {
            return None;
        }
        let length = match law {
            Law::Free(map) if jumps => {
                let place = (at - self.base) / kind.align_sectors;
                let places = u64::from(length).div_ceil(kind.align_sectors);
                (map.take(place, places) * kind.align_sectors).min(u64::from(length)) as u32
            }
            _ => length,
        };
        self.last[kind.slot] = Some(at);
        self.next[kind.slot] = at + u64::from(length);
        self.moved += u64::from(length);
        Some((at - self.origin, length))
    }

    /// A random place from the zone's start.
    fn drawn(&mut self, kind: Kind, law: &mut Law, rng: &mut Stream) -> Option<u64> {
        let drawn = match law.next(rng) {
            None if self.goes_on => {
                self.reset();
                law.begin(rng);
                law.next(rng)
            }
            drawn => drawn,
        };
        Some(drawn? * kind.align_sectors)
    }

    /// Returns the place of the request after the last one, behind the gap; none beyond the device.
    fn in_order(&mut self, kind: Kind) -> Option<u64> {
        let next = &mut self.next[kind.slot];
        if self.goes_on && *next >= self.size + self.origin {
            *next = self.base;
        }
        if *next >= self.device {
            return None;
        }
        let end = self.size.min(self.device);
        // Backwards it begins at its size, wherever it begins itself; one that begins with the device begins there.
        if self.stride < 0 && *next == self.base && self.base > 0 {
            *next = end;
        }
        let at = next.wrapping_sub(self.base);
        if at == 0 || self.stride == 0 {
            return Some(at);
        }
        match at.wrapping_add_signed(self.stride) {
            at if at < self.device => Some(at),
            _ if self.stride > 0 => Some(self.base),
            _ => Some(end.wrapping_add_signed(self.stride)),
        }
    }

    /// Returns the length of a request at a place, if one fits there.
    fn length(&self, kind: Kind, at: u64, is_random: bool, rng: &mut Stream) -> Option<u32> {
        let Some(sizes) = &self.sizes else {
            return Some(kind.sectors);
        };
        let slot = match (self.sizes_by_order, is_random) {
            (true, true) => 1,
            (true, false) => 0,
            (false, _) => kind.slot,
        };
        sizes[slot].draw((self.size + self.origin).saturating_sub(at), rng)
    }

    /// Goes on to the next zone where it is its turn, and begins a zone again that is at its end.
    fn enter_zone(&mut self, kind: Kind, laws: &mut [Law], rng: &mut Stream) {
        let Some(Strides { size, range, skip }) = self.zones else {
            return;
        };
        if self.moved >= size {
            self.moved = 0;
            self.base += range + skip;
            if self.base >= self.device {
                self.base = self.origin;
            }
            self.next[kind.slot] = self.base;
        }
        if self.next[kind.slot] >= self.base + range {
            self.next[kind.slot] = self.base;
        }
        if self.moved.is_multiple_of(range) {
            self.reset();
            laws[kind.law].begin(rng);
        }
    }

    /// The write of a block that was trimmed counts in its zone too.
    pub fn count_write(&mut self, length: u32) {
        self.moved += u64::from(length);
    }
}

/// Returns true if trims and writes are found one by one: in order, each kind goes on from its own last one. Where
/// sizes differ, a write has that of its trim.
pub fn finds_each_of_a_pair(job: &ResolvedJob) -> bool {
    let spec = &job.spec;
    spec.pattern.kind == PatternKind::TrimWrite
        && !spec.pattern.random
        && spec.has_one_size(CommandKind::Trim)
}
