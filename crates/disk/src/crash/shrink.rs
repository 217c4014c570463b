//! The fewest lost writes with which a state still fails: delta debugging over the writes of which it has lost
//! something. None of those that are left can be given back without the checker passing.

use super::checker::{Checker, Verdict};
use super::scratch::{self, Scratch};
use super::states::Name;
use ftlab_console::failure::Failure;
use ftlab_console::files::NewFile;
use ftlab_image::{CrashLog, CrashReplay, CrashState, LostSlot, WriteInfo};
use std::collections::BTreeSet;

/// The most checks it takes.
const CHECKS_MAX: usize = 400;

/// The smallest state that fails, of the first that did.
pub struct Smallest {
    pub name: Name,
    /// The whole of that.
    pub state: CrashState,
    /// Losses of the smallest state; empty if the checker fails it without any.
    pub lost: Vec<LostSlot>,
    /// Reason that the checker gave.
    pub why: String,
    /// Checks that it took.
    pub checks: usize,
    /// True if the checker passed the whole state when it was run again.
    pub comes_and_goes: bool,
}

impl Smallest {
    /// Writes of which the smallest has lost something.
    pub fn writes(&self) -> BTreeSet<WriteInfo> {
        writes(&self.lost)
    }
}

/// The writes that these are of.
pub fn writes(lost: &[LostSlot]) -> BTreeSet<WriteInfo> {
    lost.iter().map(|slot| slot.write).collect()
}

struct Search<'a> {
    replay: &'a CrashReplay,
    state: &'a CrashState,
    checker: &'a Checker,
    scratch: &'a Scratch,
    checks: usize,
    why: String,
}

impl Search<'_> {
    fn lost_of(&self, writes: &[WriteInfo]) -> Vec<&LostSlot> {
        let lost = self.state.lost.iter();
        lost.filter(|slot| writes.contains(&slot.write)).collect()
    }

    /// True if the state fails when only these writes are lost.
    fn fails(&mut self, writes: &[WriteInfo]) -> Result<bool, Failure> {
        if self.checks >= CHECKS_MAX {
            return Ok(false);
        }
        self.checks += 1;
        let lost = self.lost_of(writes);
        let path = self.scratch.state("smaller", self.replay.newest(), &lost)?;
        let verdict = self.checker.check(&path, self.state);
        scratch::remove(&path)?;
        match verdict? {
            Verdict::Fails(why) => {
                self.why = why;
                Ok(true)
            }
            Verdict::Passes | Verdict::Interrupted => Ok(false),
        }
    }
}

/// Looks for it, and keeps it in a file.
///
/// # Errors
/// As [`super::states::try_all`].
pub fn smallest(
    log: &CrashLog,
    name: Name,
    checker: &Checker,
    scratch: &Scratch,
    keep: &NewFile,
) -> Result<Smallest, Failure> {
    let mut replay = log.replay(scratch.file("newest")?)?;
    replay.go_to(name.point)?;
    let state = replay.cut(name.seed)?;
    let mut search = Search {
        replay: &replay,
        state: &state,
        checker,
        scratch,
        checks: 0,
        why: String::new(),
    };
    let all: Vec<WriteInfo> = writes(&state.lost).into_iter().collect();
    // A checker may be unsteady: losses are taken away only from a state that fails again.
    let fails_again = search.fails(&all)?;
    let left = match fails_again {
        true => fewest(all, |writes| search.fails(writes))?,
        false => all,
    };
    let lost = search.lost_of(&left);
    scratch::keep(keep, replay.newest(), &lost)?;
    Ok(Smallest {
        name,
        lost: lost.into_iter().cloned().collect(),
        why: search.why,
        checks: search.checks,
        comes_and_goes: !fails_again,
        state,
    })
}

/// The fewest of all with which it fails. All of them do.
fn fewest<T: Copy, E>(
    all: Vec<T>,
    mut fails: impl FnMut(&[T]) -> Result<bool, E>,
) -> Result<Vec<T>, E> {
    if all.is_empty() || fails(&[])? {
        return Ok(Vec::new());
    }
    let mut left = all;
    let mut parts = 2;
    while left.len() > 1 {
        let chunk = left.len().div_ceil(parts);
        let mut smaller = None;
        for part in left.chunks(chunk) {
            if fails(part)? {
                smaller = Some((part.to_vec(), 2));
                break;
            }
        }
        // Of two parts, each is the rest of the other.
        let rests = (0..left.len()).step_by(chunk).filter(|_| parts > 2);
        for from in rests {
            if smaller.is_some() {
                break;
            }
            let rest = [&left[..from], &left[left.len().min(from + chunk)..]].concat();
            if fails(&rest)? {
                smaller = Some((rest, parts - 1));
            }
        }
        match smaller {
            Some((fewer, next)) => (left, parts) = (fewer, next.max(2)),
            None if parts >= left.len() => break,
            None => parts = (2 * parts).min(left.len()),
        }
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found of 0 to 99 if it fails with all of these.
    fn found(needed: &[u32]) -> (Vec<u32>, usize) {
        let mut checks = 0;
        let fails = |some: &[u32]| -> Result<bool, ()> {
            checks += 1;
            Ok(needed.iter().all(|one| some.contains(one)))
        };
        let left = fewest((0..100).collect(), fails).unwrap();
        (left, checks)
    }

    #[test]
    fn what_is_needed_is_found_and_nothing_else() {
        for needed in [
            &[][..],
            &[0],
            &[99],
            &[3, 4],
            &[0, 50, 99],
            &[1, 7, 33, 34, 80],
        ] {
            let (left, checks) = found(needed);
            assert_eq!(left, needed);
            assert!(checks < CHECKS_MAX, "{checks} checks for {needed:?}");
        }
        assert_eq!(found(&[]).1, 1);
        let all: Vec<u32> = (0..100).collect();
        assert_eq!(found(&all).0, all);
    }
}
