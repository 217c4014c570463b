//! Order of the writes of a run: whether garbage collection has to settle for its figures.

use ftlab_base::CommandKind;
use ftlab_workload::Request;

/// A run writes at random if at least one write in this many does not begin where the last one ended.
const RANDOM_ONE_IN: u64 = 4;

/// Counts of the writes of a run, and of those that do not follow the one before on their device.
#[derive(Debug, Clone, Default)]
pub struct WriteOrder {
    /// The sector behind the last write of each device; none before its first.
    ends: Vec<Option<u64>>,
    writes: u64,
    jumps: u64,
}

impl WriteOrder {
    /// Counts a request to the device at that place of the target, if it is a write.
    #[inline]
    pub fn note(&mut self, device: usize, request: &Request) {
        if request.kind != CommandKind::Write {
            return;
        }
        if self.ends.len() <= device {
            self.ends.resize(device + 1, None);
        }
        let end = self.ends[device].replace(request.lba.0 + u64::from(request.sectors));
        self.writes += 1;
        self.jumps += u64::from(end.is_some_and(|end| end != request.lba.0));
    }

    /// Returns true if writes are at random places.
    pub fn is_random(&self) -> bool {
        self.jumps * RANDOM_ONE_IN > self.writes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_base::Lba;

    #[test]
    fn writes_that_follow_one_another_are_in_order_and_others_at_random() {
        let is_random = |lbas: &[u64]| {
            let mut order = WriteOrder::default();
            for (n, lba) in lbas.iter().enumerate() {
                let request = Request {
                    kind: CommandKind::Write,
                    lba: Lba(*lba),
                    sectors: 8,
                    ..Request::FLUSH
                };
                order.note(n % 2, &request);
                order.note(0, &Request::FLUSH);
            }
            order.is_random()
        };
        // Each of two devices has every second one.
        assert!(!is_random(&[0, 800, 8, 808, 16, 816]));
        assert!(!is_random(&[96]));
        assert!(is_random(&[0, 800, 64, 0, 16, 96]));
    }
}
