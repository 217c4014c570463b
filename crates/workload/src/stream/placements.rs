//! Choice of the placement handle for each write of a job.

use super::law::below;
use crate::ResolvedJob;
use crate::job::HandleOrder;
use ftlab_base::rng::Stream;
use ftlab_base::{CommandKind, Placement, RootSeed};

/// The handles of a job's writes, one after the other.
#[derive(Debug, Clone)]
pub struct Placements {
    /// Empty where the job says nothing.
    handles: Box<[u8]>,
    next: usize,
    /// Random stream of the draws, where handles come at random: a stream of its own changes no position.
    draws: Option<Stream>,
}

impl Placements {
    pub fn of(job: &ResolvedJob, seed: RootSeed) -> Placements {
        let spec = &job.spec;
        let name = || format!("workload placement {} {}", spec.index, spec.name);
        Placements {
            handles: job.handles.clone().into(),
            next: 0,
            draws: (spec.placement.order == HandleOrder::Random).then(|| seed.stream(&name())),
        }
    }

    /// Returns the placement of the next request.
    #[inline]
    pub fn of_request(&mut self, kind: CommandKind) -> Placement {
        if self.handles.is_empty() || kind != CommandKind::Write {
            return Placement::DEFAULT;
        }
        self.of_write()
    }

    fn of_write(&mut self) -> Placement {
        let handle = match &mut self.draws {
            Some(stream) => below(self.handles.len() as u64, stream) as usize,
            None => self.next,
        };
        self.next = (self.next + 1) % self.handles.len();
        Placement(self.handles[handle])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JobFile;

    fn handles(words: &str, of_drive: u8, writes: usize) -> Result<Vec<u8>, String> {
        let text = format!("[w]\nrw=write\nsize=1m\n{words}\n");
        let file = JobFile::parse(&text, "test.fio").map_err(|why| why.to_string())?;
        let job = file.jobs[0].resolve(1 << 30).unwrap();
        let job = job.with_handles(of_drive).map_err(|why| why.to_string())?;
        let mut placements = Placements::of(&job, RootSeed(1));
        let write = |_| placements.of_request(CommandKind::Write).0;
        Ok((0..writes).map(write).collect())
    }

    #[test]
    fn handles_come_in_turn_all_or_those_that_are_named() {
        assert_eq!(handles("fdp=1", 3, 5).unwrap(), [0, 1, 2, 0, 1]);
        let named = "dataplacement=fdp\nplids=2,5-6";
        assert_eq!(handles(named, 8, 4).unwrap(), [2, 5, 6, 2]);
        assert_eq!(
            handles("plids=1", 8, 2).unwrap(),
            [0, 0],
            "nobody asked for FDP"
        );
        assert_eq!(handles("fdp_pli=7", 0, 1).unwrap(), [0]);
    }

    #[test]
    fn handles_at_random_are_those_that_are_named_alike_often() {
        let drawn = handles("fdp=1\nplids=1,3\nplid_select=random", 4, 10_000).unwrap();
        let of = |handle| drawn.iter().filter(|&&h| h == handle).count();
        assert_eq!(of(1) + of(3), 10_000);
        assert!((4_800..5_200).contains(&of(1)), "{} of 10000", of(1));
        assert!(
            drawn.windows(2).any(|pair| pair[0] == pair[1]),
            "not in turn"
        );
    }

    #[test]
    fn a_hint_is_a_handle_where_the_drive_has_it() {
        assert_eq!(handles("write_hint=medium", 8, 2).unwrap(), [2, 2]);
        assert_eq!(handles("write_hint=medium", 2, 2).unwrap(), [0, 0]);
        assert_eq!(handles("write_hint=extreme", 0, 1).unwrap(), [0]);
        assert_eq!(
            handles("write_hint=long\nfdp=1\nplids=1", 8, 1).unwrap(),
            [1]
        );
    }

    #[test]
    fn a_handle_that_the_drive_has_not_is_refused_in_words() {
        let none = handles("fdp=1", 0, 1).unwrap_err();
        assert!(
            none.contains("the drive has none") && none.contains("gc.streams=by-host"),
            "{none}"
        );
        let beyond = handles("fdp=1\nplids=0,8", 8, 1).unwrap_err();
        assert!(
            beyond.contains("plids=8: the drive has 8 placement handles, from 0 to 7"),
            "{beyond}"
        );
        for wrong in ["plids=255", "plids=3-1", "plids=", "plids=a"] {
            let why = handles(wrong, 8, 1).unwrap_err();
            assert!(why.contains("plids"), "{wrong}: {why}");
        }
    }
}
