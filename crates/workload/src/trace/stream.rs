//! The requests of a trace, burst by burst.

use super::{Requests, Trace};
use crate::script::steps::CLUSTER_SECTORS;
use crate::script::{Run, ScriptError};
use ftlab_base::rng::Stream;
use ftlab_base::{CommandKind, RootSeed, SECTOR_BYTES};
use rand::RngExt;

/// A request of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// A read or a write.
    pub kind: CommandKind,
    /// Range of the operation.
    pub run: Run,
}

/// Bursts of requests: all of a burst are issued at once, and the next burst when they have ended.
#[derive(Debug)]
pub struct TraceStream {
    bursts: Urn,
    kinds: Urn,
    reads: Side,
    writes: Side,
    stream: Stream,
}

impl TraceStream {
    /// The bursts of `trace` on a drive of `capacity_bytes`.
    ///
    /// # Errors
    /// When its span does not fit the drive.
    pub fn new(
        trace: &Trace,
        capacity_bytes: u64,
        seed: RootSeed,
    ) -> Result<TraceStream, ScriptError> {
        let end = (trace.at + trace.size) * SECTOR_BYTES;
        if end > capacity_bytes {
            return Err(ScriptError::BeyondDrive {
                file: trace.file.clone(),
                files: "span".to_owned(),
                end,
                capacity: capacity_bytes,
            });
        }
        let side = |requests: &Requests| Side {
            sizes: Urn::new(requests.sizes.iter().map(|(_, count)| *count)),
            sectors: requests.sizes.iter().map(|(sectors, _)| *sectors).collect(),
            places: Urn::new([requests.sequential, requests.count() - requests.sequential]),
            at: trace.at,
            size: trace.size,
            position: None,
        };
        Ok(TraceStream {
            bursts: Urn::new(trace.bursts.iter().copied()),
            kinds: Urn::new([trace.reads.count(), trace.writes.count()]),
            reads: side(&trace.reads),
            writes: side(&trace.writes),
            stream: seed.stream("trace"),
        })
    }

    fn operation(&mut self) -> Option<Operation> {
        let (kind, side) = match self.kinds.draw(&mut self.stream)? {
            0 => (CommandKind::Read, &mut self.reads),
            _ => (CommandKind::Write, &mut self.writes),
        };
        let run = side.next(&mut self.stream);
        Some(Operation { kind, run })
    }
}

impl Iterator for TraceStream {
    type Item = Vec<Operation>;

    fn next(&mut self) -> Option<Vec<Operation>> {
        let requests = 1 + self.bursts.draw(&mut self.stream)?;
        Some((0..requests).map_while(|_| self.operation()).collect())
    }
}

/// Things of several sorts, drawn without putting back.
#[derive(Debug)]
struct Urn {
    counts: Vec<u64>,
    left: u64,
}

impl Urn {
    fn new(counts: impl IntoIterator<Item = u64>) -> Urn {
        let counts: Vec<u64> = counts.into_iter().collect();
        Urn {
            left: counts.iter().sum(),
            counts,
        }
    }

    /// The sort of the next thing; `None` when the urn is empty.
    fn draw(&mut self, stream: &mut Stream) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        let mut ticket = stream.random_range(0..self.left);
        let sort = self.counts.iter().position(|&count| {
            let is_here = ticket < count;
            ticket = ticket.saturating_sub(count);
            is_here
        })?;
        self.take(sort);
        Some(sort)
    }

    fn take(&mut self, sort: usize) {
        self.counts[sort] -= 1;
        self.left -= 1;
    }
}

const SEQUENTIAL: usize = 0;
const JUMP: usize = 1;

/// The requests of one direction.
#[derive(Debug)]
struct Side {
    sizes: Urn,
    sectors: Vec<u32>,
    places: Urn,
    at: u64,
    size: u64,
    /// End of the last one, from the start of the span.
    position: Option<u64>,
}

impl Side {
    fn next(&mut self, stream: &mut Stream) -> Run {
        let size = self.sizes.draw(stream).expect("as many sizes as requests");
        let sectors = self.sectors[size];
        let place = self
            .places
            .draw(stream)
            .expect("as many places as requests");
        let follows = self
            .position
            .filter(|at| at + u64::from(sectors) <= self.size);
        let begins = match (place, follows) {
            (SEQUENTIAL, Some(position)) => position,
            // Nothing to follow, or no room behind it: the next jump comes now, if there is one.
            (SEQUENTIAL, None) => {
                if self.places.counts[JUMP] > 0 {
                    self.places.counts[SEQUENTIAL] += 1;
                    self.places.left += 1;
                    self.places.take(JUMP);
                }
                self.jump(sectors, stream)
            }
            _ => self.jump(sectors, stream),
        };
        self.position = Some(begins + u64::from(sectors));
        Run {
            lba: self.at + begins,
            sectors,
        }
    }

    /// Anywhere in the span but where the last one ended.
    fn jump(&self, sectors: u32, stream: &mut Stream) -> u64 {
        let places = (self.size - u64::from(sectors)) / CLUSTER_SECTORS + 1;
        let place = CLUSTER_SECTORS * stream.random_range(0..places);
        match self.position == Some(place) {
            false => place,
            true => CLUSTER_SECTORS * ((place / CLUSTER_SECTORS + 1) % places),
        }
    }
}
