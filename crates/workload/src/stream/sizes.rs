//! Lengths of requests that have several sizes.

use super::law::below;
use crate::{Part, ResolvedJob};
use ftlab_base::CommandKind;
use ftlab_base::rng::Stream;

/// The sizes of a kind of request.
#[derive(Debug, Clone)]
pub struct Sizes {
    least_bytes: u64,
    most_bytes: u64,
    /// Unit of places and lengths, in bytes.
    unit_bytes: u64,
    /// Step of the sizes, in bytes: they are multiples of it.
    step_bytes: u64,
    /// Shares of given sizes, rarest first.
    parts: Vec<Part>,
}

/// Draws after which the largest size that fits is taken: near the end of a region hardly any may.
const DRAWS_MAX: usize = 64;

impl Sizes {
    pub fn of(job: &ResolvedJob, kind: CommandKind) -> Sizes {
        let (spec, unit_bytes) = (&job.spec, job.unit_bytes());
        let least_bytes = spec.sizes.bs.of(kind);
        Sizes {
            unit_bytes,
            least_bytes,
            most_bytes: spec.sizes.bs_max.of(kind),
            step_bytes: match spec.sizes.bs_unaligned {
                true => unit_bytes,
                false => least_bytes,
            },
            parts: spec.sizes.bssplit.get(kind).clone(),
        }
    }

    /// A size that fits in `room`, both in the job's unit, as fio draws one; none where the smallest does not fit.
    pub fn draw(&self, room: u64, rng: &mut Stream) -> Option<u32> {
        // One size is not asked whether it fits.
        if self.least_bytes == self.most_bytes {
            return Some((self.least_bytes / self.unit_bytes) as u32);
        }
        let room_bytes = room.saturating_mul(self.unit_bytes);
        if self.least_bytes > room_bytes {
            return None;
        }
        let fits = |bytes: &u64| *bytes <= room_bytes;
        let drawn = (0..DRAWS_MAX).map(|_| self.drawn(rng)).find(fits);
        let largest = room_bytes.min(self.most_bytes);
        let bytes = drawn.unwrap_or(largest - largest % self.step_bytes);
        Some((bytes / self.unit_bytes) as u32)
    }

    fn drawn(&self, rng: &mut Stream) -> u64 {
        let bytes = if self.parts.is_empty() {
            // Not even: fio adds the smallest size to what it draws up to the largest.
            self.least_bytes + below(self.most_bytes, rng)
        } else {
            let draw = below(100, rng);
            let mut sum = 0;
            let mut parts = self.parts.iter();
            let part = parts.find(|part| {
                sum += u64::from(part.percent);
                draw < sum
            });
            part.unwrap_or(&self.parts[self.parts.len() - 1]).bytes
        };
        // fio makes split sizes multiples of the smallest too.
        (bytes - bytes % self.step_bytes).min(self.most_bytes)
    }
}
