//! The read cache: what the disk has read last, by sequential stream, and the reading ahead that
//! goes on while the arm has nothing better to do.

use super::params::DiskParams;
use super::platter::Platter;
use ftlab_base::{SECTOR_BYTES, SimTime};

#[derive(Debug, Clone, Copy)]
struct Segment {
    start: u64,
    end: u64,
}

/// Reading ahead: the arm follows a stream until it is wanted elsewhere or the buffer is full.
#[derive(Debug, Clone, Copy)]
struct Ahead {
    start: u64,
    /// First sector read after `begun`.
    next: u64,
    /// Instant at which `next` begins to pass the head; may lie ahead.
    begun: SimTime,
    /// Sector at which the buffer is full.
    limit: u64,
    /// Instant at which it is full.
    full: SimTime,
}

/// The segments kept, and the one growing.
#[derive(Debug, Clone)]
pub struct ReadCache {
    /// The least recently used first.
    segments: Vec<Segment>,
    ahead: Option<Ahead>,
    /// End of the host's latest read.
    host: u64,
    /// True if the host has read since the arm was last called away.
    wanted: bool,
    segments_max: usize,
    segment_sectors: u64,
    capacity_sectors: u64,
}

impl ReadCache {
    /// Makes an empty cache.
    pub fn new(params: &DiskParams) -> ReadCache {
        ReadCache {
            segments: Vec::with_capacity(params.read_segments as usize + 1),
            ahead: None,
            host: 0,
            wanted: false,
            segments_max: params.read_segments as usize,
            segment_sectors: params.read_segment_bytes / SECTOR_BYTES,
            capacity_sectors: params.capacity_sectors,
        }
    }

    /// Returns true if the disk keeps what it reads.
    pub fn enabled(&self) -> bool {
        self.segments_max > 0 && self.segment_sectors > 0
    }

    /// The most of a stream that is kept, and read ahead of the host.
    pub fn segment_sectors(&self) -> u64 {
        self.segment_sectors
    }

    /// Number of these sectors, from the first on, that are in the buffer at `now`.
    pub fn held(&self, lba: u64, sectors: u64, now: SimTime, platter: &Platter) -> u64 {
        let kept = self.segments.iter().map(|s| (s.start, s.end));
        let growing = self.ahead.map(|a| self.window(a, now, platter));
        kept.chain(growing)
            .filter(|&(start, end)| start <= lba && lba < end)
            .map(|(_, end)| (end - lba).min(sectors))
            .max()
            .unwrap_or(0)
    }

    fn window(&self, ahead: Ahead, now: SimTime, platter: &Platter) -> (u64, u64) {
        let end = ahead.reached(now, platter);
        (
            ahead.start.max(end.saturating_sub(self.segment_sectors)),
            end,
        )
    }

    /// Instant at which the reading ahead under way will have read all of these sectors; `None` if it does not come by,
    /// has stopped before them, or has come by and dropped the first of them again.
    pub fn comes_by(
        &self,
        lba: u64,
        sectors: u64,
        now: SimTime,
        platter: &Platter,
    ) -> Option<SimTime> {
        let ahead = self.ahead.filter(|a| now < a.full)?;
        let end = lba + sectors;
        let (kept_from, _) = self.window(ahead, now, platter);
        let on_the_way = kept_from <= lba && lba <= ahead.limit && ahead.next < end;
        on_the_way.then(|| ahead.begun + platter.transit(ahead.next, end - ahead.next))
    }

    /// Remembers that the host or the arm has read up to `end` from `start`, joined to a stream that
    /// led there; returns true if there was one.
    pub fn keep(&mut self, start: u64, end: u64) -> bool {
        if !self.enabled() {
            return false;
        }
        self.wanted = true;
        let stream = self
            .segments
            .iter()
            .rposition(|s| s.start <= start && start <= s.end);
        let led_there = stream.is_some();
        let (start, end) = match stream.map(|i| self.segments.remove(i)) {
            Some(old) => (old.start, end.max(old.end)),
            None => (start, end),
        };
        self.segments.push(Segment {
            start: start.max(end.saturating_sub(self.segment_sectors)),
            end,
        });
        if self.segments.len() > self.segments_max {
            self.segments.remove(0);
        }
        led_there
    }

    /// The arm has read up to `next` of the latest stream and reads on, a segment at most.
    pub fn go_on(&mut self, next: u64, now: SimTime, platter: &Platter) {
        let limit = (next + self.segment_sectors).min(self.capacity_sectors);
        if next < limit {
            self.ahead = Some(Ahead {
                start: self.segments.last().map_or(next, |s| s.start),
                next,
                begun: now,
                limit,
                full: now + platter.transit(next, limit - next),
            });
        }
    }

    /// The host reads up to `end`: a stream not yet full may go further.
    pub fn host_reads(&mut self, end: u64, now: SimTime, platter: &Platter) {
        (self.host, self.wanted) = (end, true);
        let limit = self.limit();
        if let Some(ahead) = &mut self.ahead
            && now < ahead.full
            && (ahead.start..=ahead.limit).contains(&end)
            && limit > ahead.limit
        {
            ahead.limit = limit;
            ahead.full = ahead.begun + platter.transit(ahead.next, limit - ahead.next);
        }
    }

    fn limit(&self) -> u64 {
        (self.host + self.segment_sectors).min(self.capacity_sectors)
    }

    /// The sector from which a resting arm should read ahead: the end of the latest stream, if the
    /// host's latest read belongs to it. Half a segment must be free, or every short read would
    /// move the arm.
    pub fn next_ahead(&self, now: SimTime) -> Option<u64> {
        if !self.wanted || self.ahead.is_some_and(|a| now < a.full) {
            return None;
        }
        let end = match self.ahead {
            Some(ahead) => ahead.limit,
            None => self.segments.last()?.end,
        };
        let followed = (self.host..=self.host + self.segment_sectors / 2).contains(&end);
        (followed && end < self.limit()).then_some(end)
    }

    /// Starts to read ahead at `next`, which passes the head at `begun`.
    pub fn read_ahead(&mut self, next: u64, begun: SimTime, platter: &Platter) {
        let limit = self.limit();
        assert!(next < limit, "a stream with room left");
        self.ahead = Some(Ahead {
            start: self.segments.last().map_or(next, |s| s.start),
            next,
            begun,
            limit,
            full: begun + platter.transit(next, limit - next),
        });
    }

    /// The arm is wanted elsewhere. Gives the last sector it stood over.
    pub fn stop(&mut self, now: SimTime, platter: &Platter) -> Option<u64> {
        let stopped = self.ahead.take().map(|a| (a, a.reached(now, platter)));
        if let Some((ahead, end)) = stopped {
            self.keep(ahead.start, end);
        }
        self.wanted = false;
        stopped.map(|(ahead, end)| end.saturating_sub(1).max(ahead.next))
    }

    /// Instant at which reading ahead ends by itself; `None` when the arm rests.
    pub fn full_at(&self) -> Option<SimTime> {
        self.ahead.map(|a| a.full)
    }
}

impl Ahead {
    fn reached(&self, now: SimTime, platter: &Platter) -> u64 {
        if now >= self.full {
            return self.limit;
        }
        self.next + platter.passed_in(self.next, now.since(self.begun), self.limit - self.next)
    }
}
