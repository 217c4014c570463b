//! Data of a job's writes: how compressible they are, and which of them are the same.

use super::law::{Chance, below};
use crate::{DedupeMode, ResolvedJob};
use ftlab_base::hash::mix64;
use ftlab_base::rng::Stream;
use ftlab_base::{CommandKind, Content, Identity, RootSeed};
use rand::Rng;

/// The data of a job's writes, one buffer after the other.
#[derive(Debug, Clone)]
pub struct Data {
    /// Nature of the data without their identity.
    base: Content,
    repeats: Option<Box<Repeats>>,
}

/// Rule by which buffers are the same.
#[derive(Debug, Clone)]
enum Repeats {
    /// With this chance a buffer repeats the last one that repeated none, as in fio.
    Last {
        chance: Chance,
        last: Option<Identity>,
        stream: Stream,
    },
    /// With this chance a buffer is one of a working set of `buffers`.
    Set {
        chance: Chance,
        buffers: u64,
        /// Salt that tells them from those of other sets.
        salt: u64,
        stream: Stream,
    },
    /// All buffers are the same pattern.
    Pattern(Identity),
    /// Buffers are filled once and written again and again, each in its turn.
    Never { buffers: Vec<Identity>, next: usize },
}

impl Data {
    /// The data of a job. What is drawn for them has a random stream of its own, so that they change
    /// no position.
    pub fn of(job: &ResolvedJob, seed: RootSeed) -> Data {
        let spec = &job.spec;
        let pattern = spec.data;
        let base = pattern.content();
        let mut stream = seed.stream(&format!("workload data {} {}", spec.index, spec.name));
        // Buffers that are filled anew or scrambled never repeat; else each of the job's few buffers comes again.
        let is_new_each_time =
            pattern.refill || pattern.scramble || pattern.compress_percent.is_some();
        let chance = Chance::percent(pattern.dedupe_percent);
        let repeats = if base == Content::ZEROS {
            None
        } else if pattern.dedupe_percent > 0 {
            Some(match pattern.dedupe_mode {
                DedupeMode::Repeat => Repeats::Last {
                    chance,
                    last: None,
                    stream,
                },
                DedupeMode::WorkingSet => {
                    let blocks = job.region_bytes / spec.sizes.bs.write;
                    let share = u128::from(blocks) * u128::from(pattern.working_set_percent) / 100;
                    let salt = match pattern.dedupe_global {
                        true => seed.stream("workload working set").next_u64(),
                        false => stream.next_u64(),
                    };
                    Repeats::Set {
                        chance,
                        buffers: (share as u64).max(1),
                        salt,
                        stream,
                    }
                }
            })
        } else if let (Some(hash), None) = (pattern.pattern, pattern.compress_percent) {
            Some(Repeats::Pattern(Identity::of(hash)))
        } else if is_new_each_time {
            None
        } else {
            let buffers = (0..spec.submission.iodepth).map(|_| Identity::of(stream.next_u64()));
            Some(Repeats::Never {
                buffers: buffers.collect(),
                next: 0,
            })
        };
        Data {
            base,
            repeats: repeats.map(Box::new),
        }
    }

    /// Returns the nature of the data of the next request.
    #[inline]
    pub fn of_request(&mut self, kind: CommandKind) -> Content {
        match &mut self.repeats {
            Some(repeats) if kind == CommandKind::Write => self.base.with_identity(repeats.next()),
            _ => self.base,
        }
    }
}

impl Repeats {
    fn next(&mut self) -> Identity {
        match self {
            Repeats::Last {
                chance,
                last,
                stream,
            } => {
                let repeats = chance.draw(stream);
                match *last {
                    Some(same) if repeats => same,
                    _ => *last.insert(Identity::of(stream.next_u64())),
                }
            }
            Repeats::Set {
                chance,
                buffers,
                salt,
                stream,
            } => Identity::of(match chance.draw(stream) {
                true => mix64(*salt ^ below(*buffers, stream)),
                false => stream.next_u64(),
            }),
            Repeats::Pattern(identity) => *identity,
            Repeats::Never { buffers, next } => {
                let identity = buffers[*next];
                *next = (*next + 1) % buffers.len();
                identity
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobSpec;
    use crate::job::Source;
    use std::collections::BTreeSet;

    fn job() -> ResolvedJob {
        let source = Source {
            file: "test".into(),
            line: 1,
        };
        JobSpec::new("job", source).resolve(1 << 30).unwrap()
    }

    fn identities(change: fn(&mut JobSpec), writes: usize) -> Vec<Option<u64>> {
        let mut job = job();
        change(&mut job.spec);
        let mut data = Data::of(&job, RootSeed(1));
        let content = (0..writes).map(|_| data.of_request(CommandKind::Write));
        content
            .map(|content| content.identity().map(Identity::number))
            .collect()
    }

    #[test]
    fn the_given_share_of_buffers_repeats_the_last_new_one() {
        let all = identities(|job| job.data.dedupe_percent = 30, 20_000);
        let same = all.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert!((5_700..6_300).contains(&same), "{same} of 20000 repeat");
        let different: BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len() + same, all.len());
        assert!(all.iter().all(Option::is_some));
    }

    #[test]
    fn all_buffers_may_be_the_same() {
        let all = identities(|job| job.data.dedupe_percent = 100, 100);
        assert_eq!(BTreeSet::from_iter(all).len(), 1);
    }

    #[test]
    fn buffers_that_are_neither_filled_anew_nor_scrambled_come_again() {
        let plain = |job: &mut JobSpec| {
            job.submission.iodepth = 4;
            job.data.scramble = false;
        };
        let all = identities(plain, 12);
        assert_eq!(BTreeSet::from_iter(&all).len(), 4);
        assert!(all.iter().zip(&all[4..]).all(|(one, again)| one == again));
        assert_eq!(identities(|_| (), 3), [None; 3]);
        let refilled = |job: &mut JobSpec| {
            job.data.scramble = false;
            job.data.refill = true;
        };
        assert_eq!(identities(refilled, 3), [None; 3]);
    }

    #[test]
    fn a_working_set_is_repeated_and_a_pattern_is_one_buffer() {
        let set = |job: &mut JobSpec| {
            job.data.dedupe_percent = 100;
            job.data.dedupe_mode = DedupeMode::WorkingSet;
        };
        let all = identities(set, 200_000);
        // A 20th of 262,144 blocks; drawn 15 times each, all are seen.
        assert_eq!(BTreeSet::from_iter(all).len(), 13_107);
        let pattern = |job: &mut JobSpec| job.data.pattern = Some(7 << 20);
        assert_eq!(BTreeSet::from_iter(identities(pattern, 9)).len(), 1);
    }

    #[test]
    fn zeros_are_alike_whoever_writes_them() {
        let mut job = job();
        job.spec.data.zero = true;
        job.spec.data.dedupe_percent = 10;
        let mut zeros = Data::of(&job, RootSeed(1));
        assert_eq!(zeros.of_request(CommandKind::Write), Content::ZEROS);
        job.spec.data.zero = false;
        job.spec.data.compress_percent = Some(100);
        let mut compressed = Data::of(&job, RootSeed(2));
        assert_eq!(compressed.of_request(CommandKind::Write), Content::ZEROS);
    }
}
