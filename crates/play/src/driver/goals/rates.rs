//! Rates below which a job fails (fio's `rate_min` and `rate_iops_min`).

use ftlab_base::{CommandKind, Nanos, SimTime};
use ftlab_workload::Pacing;

/// Nothing is looked at in the first two seconds, as in fio.
const SETTLES: Nanos = Nanos::from_secs(2);

/// Amounts that a job has moved since its rates were last looked at.
#[derive(Debug)]
pub struct LeastRates {
    pacing: Pacing,
    from: SimTime,
    kinds: [OfKind; 3],
}

#[derive(Debug, Clone, Copy, Default)]
struct OfKind {
    done: [u64; 2],
    seen: [u64; 2],
    looked: Option<SimTime>,
}

impl LeastRates {
    /// The rates of a job that begins at `start`; none where it has none.
    pub fn of(pacing: &Pacing, start: SimTime) -> Option<LeastRates> {
        let kinds = [CommandKind::Read, CommandKind::Write, CommandKind::Trim];
        let has = |kind: &CommandKind| {
            pacing.rate_iops_min.of(*kind).is_some() || pacing.rate_bytes_min.of(*kind).is_some()
        };
        kinds.iter().any(has).then(|| LeastRates {
            pacing: *pacing,
            from: start + SETTLES,
            kinds: Default::default(),
        })
    }

    /// Takes a completion and returns a sentence on the rate that was not kept, if one was not.
    pub fn completed(&mut self, kind: CommandKind, bytes: u64, at: SimTime) -> Option<String> {
        let of_kind = match kind {
            CommandKind::Read => &mut self.kinds[0],
            CommandKind::Write => &mut self.kinds[1],
            CommandKind::Trim => &mut self.kinds[2],
            CommandKind::Flush => return None,
        };
        of_kind.done[0] += 1;
        of_kind.done[1] += bytes;
        if at < self.from {
            return None;
        }
        // As in fio, a rate is measured from the first completion after the ramp, and over whole cycles.
        let Some(looked) = of_kind.looked else {
            (of_kind.seen, of_kind.looked) = (of_kind.done, Some(at));
            return None;
        };
        let spent = at.since(looked);
        if spent < self.pacing.rate_cycle.max(Nanos(1)) {
            return None;
        }
        let rate = |n: usize| (of_kind.done[n] - of_kind.seen[n]) as f64 / spent.as_secs();
        let missed = [
            (
                0,
                self.pacing.rate_iops_min.of(kind),
                "rate_iops_min",
                "requests",
            ),
            (1, self.pacing.rate_bytes_min.of(kind), "rate_min", "bytes"),
        ];
        let missed = missed.into_iter().find_map(|(n, least, word, unit)| {
            let least = least.filter(|&least| rate(n) < least as f64)?;
            Some(format!(
                "{word}={least} was not kept: {:.0} {unit} a second",
                rate(n)
            ))
        });
        (of_kind.seen, of_kind.looked) = (of_kind.done, Some(at));
        missed
    }
}
