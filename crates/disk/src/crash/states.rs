//! States are drawn and tried, several at a time. Each worker follows the log through the instants in their order, so
//! a log is followed once by each, whatever the number of states.

use super::checker::{Checker, Verdict};
use super::scratch::{self, Scratch};
use ftlab_base::RootSeed;
use ftlab_console::failure::Failure;
use ftlab_console::progress::Progress;
use ftlab_image::{CrashLog, CrashReplay};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// At which instants the power goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// Instants drawn at random from the whole log.
    Random,
    /// Instants drawn at random from those just before a flush.
    Flush,
    /// The instant before each flush, in the order of the log.
    All,
    /// Instants by their numbers in the log, in this order.
    Points(Vec<u64>),
}

/// Parses the instants of `--at`.
pub fn at(text: &str) -> Result<At, String> {
    let points = |text: &str| {
        let points = text.split(',').map(|point| point.trim().parse());
        points.collect::<Result<_, _>>().map(At::Points).ok()
    };
    match text {
        "random" => Ok(At::Random),
        "flush" => Ok(At::Flush),
        "all" => Ok(At::All),
        numbers => points(numbers)
            .ok_or_else(|| "give random, flush, all, or instants by number, as 120,340".to_owned()),
    }
}

/// Name of a state: the seed that decides what is lost, and the instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name {
    pub seed: u64,
    pub point: u64,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.seed, self.point)
    }
}

/// Parses the name of a state, as 8127@1044.
pub fn name(text: &str) -> Result<Name, String> {
    let read = || {
        let (seed, point) = text.split_once('@')?;
        Some(Name {
            seed: seed.parse().ok()?,
            point: point.parse().ok()?,
        })
    };
    read().ok_or_else(|| {
        "give the name of a state as `ftlab crash` prints it, as 8127@1044".to_owned()
    })
}

/// Draws states. They depend on nothing but the log and these.
pub fn drawn(log: &CrashLog, at: &At, seed: u64, states: usize) -> Result<Vec<Name>, Failure> {
    let (points, flushes) = (log.summary().points, log.flushes());
    if flushes.is_empty() && matches!(at, At::Flush | At::All) {
        let why = "the log has no flush: leave out --at, and the power goes at random instants";
        return Err(Failure::Input(why.into()));
    }
    if let At::Points(chosen) = at
        && let Some(beyond) = chosen.iter().find(|point| **point > points)
    {
        let why = format!("--at {beyond}: the log has {points} instants");
        return Err(Failure::Input(why));
    }
    let drawn = (0..states).map(|number| {
        let root = RootSeed(seed).derive(&format!("state {number}"));
        let instant = root.derive("instant").0;
        let point = match at {
            At::Random => instant % (points + 1),
            At::Flush => flushes[(instant % flushes.len() as u64) as usize],
            At::All => flushes[number % flushes.len()],
            At::Points(chosen) => chosen[number % chosen.len()],
        };
        // Short enough to be typed.
        let seed = root.derive("losses").0 >> 32;
        Name { seed, point }
    });
    Ok(drawn.collect())
}

/// A state, and the verdict on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestedState {
    pub name: Name,
    pub at_ns: u64,
    pub mark: String,
    /// Slots that differ from what the host would have read.
    pub lost_slots: usize,
    /// Reason that the checker gave, if the state fails.
    pub why: Option<String>,
}

impl TestedState {
    pub fn passes(&self) -> bool {
        self.why.is_none()
    }
}

/// Tries states; what came of each, in the order in which they were drawn.
///
/// # Errors
/// When the log cannot be read, a state not be made, or the checker not be relied upon.
pub fn try_all(
    log: &CrashLog,
    names: &[Name],
    checker: &Checker,
    scratch: &Scratch,
    jobs: usize,
    progress: &Progress,
) -> Result<Vec<TestedState>, Failure> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|number| names[*number].point);
    let next = AtomicUsize::new(0);
    let tried = Mutex::new(vec![None; names.len()]);
    let failure = Mutex::new(None);
    let worker = |worker: usize| -> Result<(), Failure> {
        let mut replay = log.replay(scratch.file(&format!("newest-{worker}"))?)?;
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let is_over = checker.is_interrupted() || locked(&failure).is_some();
            let Some(&number) = order.get(turn).filter(|_| !is_over) else {
                return Ok(());
            };
            let one = try_one(&mut replay, names[number], checker, scratch, worker)?;
            locked(&tried)[number] = one;
            progress.set(turn + 1, names.len(), &names[number].to_string());
        }
    };
    std::thread::scope(|scope| {
        for number in 0..jobs.min(names.len()) {
            let (worker, failure) = (&worker, &failure);
            scope.spawn(move || {
                if let Err(why) = worker(number) {
                    locked(failure).get_or_insert(why);
                }
            });
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(failure) => Err(failure),
        // Those that are missing were not tried, as somebody interrupted it.
        None => Ok(locked(&tried).drain(..).flatten().collect()),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tries a state; nothing if that is interrupted.
fn try_one(
    replay: &mut CrashReplay,
    name: Name,
    checker: &Checker,
    scratch: &Scratch,
    worker: usize,
) -> Result<Option<TestedState>, Failure> {
    replay.go_to(name.point)?;
    let state = replay.cut(name.seed)?;
    let lost: Vec<_> = state.lost.iter().collect();
    let path = scratch.state(&format!("state-{worker}"), replay.newest(), &lost)?;
    let verdict = checker.check(&path, &state);
    scratch::remove(&path)?;
    let why = match verdict? {
        Verdict::Interrupted => return Ok(None),
        Verdict::Passes => None,
        Verdict::Fails(why) => Some(why),
    };
    Ok(Some(TestedState {
        name,
        at_ns: state.at_ns,
        lost_slots: lost.len(),
        mark: state.mark,
        why,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_as_it_is_printed() {
        let one = Name {
            seed: 8127,
            point: 1044,
        };
        assert_eq!(name(&one.to_string()), Ok(one));
        for wrong in ["", "8127", "@", "8127@", "-1@3", "8127@10@4", "a@b"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn instants_are_words_or_numbers() {
        assert_eq!(at("random"), Ok(At::Random));
        assert_eq!(at("all"), Ok(At::All));
        assert_eq!(at("3, 9"), Ok(At::Points(vec![3, 9])));
        for wrong in ["", "never", "3,", "3,-1"] {
            assert!(at(wrong).is_err(), "{wrong}");
        }
    }
}
