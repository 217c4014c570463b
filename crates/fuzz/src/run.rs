//! Runs a script on a drive and checks all the while.

use crate::model::Model;
use crate::plan::{Plan, pages};
use crate::script::{Clock, Script, Shape, Step};
use crate::subject::Subject;
use arbitrary::{Arbitrary, Unstructured};
use ftlab_base::{Command, CommandId, CommandKind, Completion, Outcome, SimTime};
use ftlab_drive::{Counters, DriveFile};
use ftlab_host::Testbed;
use std::collections::BTreeMap;

/// Larger drives are not tried: their tables alone take too long.
const PAGES_MAX: u64 = 1 << 17;

/// Slots of the largest drive that is checked after every step; a larger one after fewer, so that an
/// input takes no longer.
const SLOTS_A_CHECK: u32 = 4096;

/// Commands of a script at most.
const COMMANDS_MAX: u64 = 1_000;

/// Moves of the clock for each command of a script at most. The longest command, a flush or write
/// that merges or collects throughout, takes some hundred operations a slot.
const MOVES_A_COMMAND: u64 = 20_000;

/// Virtual time after which a drive is too slow to be waited for.
const LATEST: SimTime = SimTime(u64::MAX / 2);

/// The outcome of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The bytes made no drive.
    NoInput,
    /// The drive cannot be, and this is why.
    Refused(String),
    /// The drive may well be and is too large to try.
    TooLarge,
    /// The drive did as it must.
    Ran(Tally),
}

/// Counts of a drive, to see that something was tried at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Commands that completed.
    pub commands: u64,
    /// Commands that failed, as the drive takes no more writes.
    pub failed: u64,
    /// Times the clock was changed for no clock, or back.
    pub switches: u64,
    /// The drive was so slow that the script was left.
    pub timed_out: bool,
    /// The counters of the drive.
    pub counters: Counters,
}

/// Tries a drive; `bytes` are the script.
///
/// # Panics
/// When something does not hold that must.
#[must_use]
pub fn try_plan(plan: &Plan, bytes: &mut Unstructured<'_>) -> Verdict {
    let file = match plan.load() {
        Ok(file) => file,
        Err(error) => return Verdict::Refused(reason(&error.to_string())),
    };
    try_file(&file, &plan.testbed(), bytes)
}

/// Tries a drive that was read.
pub fn try_file(file: &DriveFile, testbed: &Testbed, bytes: &mut Unstructured<'_>) -> Verdict {
    if pages(file) > PAGES_MAX {
        return Verdict::TooLarge;
    }
    let subject = match Subject::build(file, testbed) {
        Ok(subject) => subject,
        Err(error) => return Verdict::Refused(reason(&error.to_string())),
    };
    let Ok(script) = Script::arbitrary(bytes) else {
        return Verdict::NoInput;
    };
    Verdict::Ran(Run::new(subject, script).play(bytes))
}

/// An error message, which says more than where it is.
///
/// # Panics
/// When it does not.
pub fn reason(message: &str) -> String {
    let (_, why) = message.split_once(": ").unwrap_or(("", message));
    assert!(
        why.len() > 10 && !why.starts_with("in `"),
        "no reason: {message}"
    );
    message.to_owned()
}

struct Run {
    subject: Subject,
    script: Script,
    model: Model,
    timed: bool,
    now: SimTime,
    issued: u64,
    moves: u64,
    /// Calls of the drive, and how many there are between two checks of its layer.
    steps: u32,
    steps_a_check: u32,
    outstanding: BTreeMap<CommandId, Command>,
    /// Bytes of the writes that ended well.
    written_bytes: u64,
    done: Vec<Completion>,
    tally: Tally,
}

impl Run {
    fn new(subject: Subject, script: Script) -> Run {
        Run {
            model: subject.model(),
            timed: script.clock != Clock::Untimed,
            script,
            now: SimTime::ZERO,
            issued: 0,
            moves: 0,
            steps: 0,
            steps_a_check: 1 + subject.slots() / SLOTS_A_CHECK,
            outstanding: BTreeMap::new(),
            written_bytes: 0,
            done: Vec::new(),
            tally: Tally::default(),
            subject,
        }
    }

    fn play(mut self, bytes: &mut Unstructured<'_>) -> Tally {
        while self.issued < COMMANDS_MAX
            && !self.tally.timed_out
            && let Some(step) = self.script.step(bytes)
        {
            self.take(step);
        }
        self.settle();
        if !self.tally.timed_out {
            self.read_back();
        }
        self.tally.counters = self.subject.device().counters();
        self.tally
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::One(shape) => self.issue(shape),
            Step::Burst {
                seed,
                commands,
                aligned,
                span,
            } => {
                let burst = (seed, commands, aligned, span);
                for shape in self.script.clone().burst(burst) {
                    self.issue(shape);
                }
            }
            Step::Next => {
                self.run_next_event();
            }
            Step::Wait(span) => {
                if self.timed && self.now + span < LATEST {
                    self.move_to(self.now + span);
                }
            }
            Step::Settle => self.settle(),
            Step::SwitchClock if self.script.clock == Clock::Both => {
                self.settle();
                self.timed = !self.timed;
                self.tally.switches += 1;
            }
            Step::SwitchClock => {}
        }
    }

    fn issue(&mut self, shape: Shape) {
        let grain = u64::from(self.subject.sectors_per_slot());
        let capacity = self.subject.device().capacity_sectors();
        let command = shape.fit(self.issued, capacity, grain, self.now);
        if self.timed {
            self.submit(command);
        } else {
            self.apply(command);
        }
    }

    fn apply(&mut self, command: Command) {
        self.issued += 1;
        self.model.begin(&command);
        let outcome = self.subject.device().apply(command);
        self.over(&command, outcome);
        self.check();
    }

    fn submit(&mut self, command: Command) {
        while self.outstanding.len() >= self.script.depth {
            if !self.run_next_event() {
                return;
            }
        }
        let command = Command {
            at: self.now,
            ..command
        };
        self.issued += 1;
        self.model.begin(&command);
        self.outstanding.insert(command.id, command);
        self.subject.device().submit(command, self.now);
        self.check();
    }

    /// Moves the clock to the next event; false when there is none, or none in time.
    fn run_next_event(&mut self) -> bool {
        if !self.timed {
            return false;
        }
        let Some(next) = self.subject.device().next_event() else {
            let left = self.outstanding.len();
            assert_eq!(left, 0, "the drive is stuck with {:?}", self.outstanding);
            return false;
        };
        if next > LATEST {
            self.tally.timed_out = true;
            return false;
        }
        self.moves += 1;
        let most = MOVES_A_COMMAND * self.issued.max(1);
        assert!(self.moves <= most, "{most} moves of the clock and no end");
        self.move_to(next.max(self.now));
        true
    }

    fn move_to(&mut self, instant: SimTime) {
        let mut done = std::mem::take(&mut self.done);
        self.subject.device().advance(instant, &mut done);
        for completion in done.drain(..) {
            let at = completion.at;
            assert!(at <= instant, "{completion:?} is after {instant:?}");
            let command = self.outstanding.remove(&completion.id);
            let command = command.expect("what completes was outstanding");
            assert!(command.at <= at, "{completion:?} is before {command:?}");
            self.over(&command, completion.outcome);
        }
        (self.done, self.now) = (done, instant);
        let next = self.subject.device().next_event();
        assert!(
            next.is_none_or(|at| at > instant),
            "something due at {next:?} did not happen by {instant:?}"
        );
        self.check();
    }

    /// Checks the layer, if it is time to.
    fn check(&mut self) {
        self.steps += 1;
        if self.steps.is_multiple_of(self.steps_a_check) {
            self.subject.check();
        }
    }

    fn over(&mut self, command: &Command, outcome: Outcome) {
        let good = outcome == Outcome::Good;
        self.model.end(command, good);
        self.tally.commands += 1;
        self.tally.failed += u64::from(!good);
        if good && command.kind == CommandKind::Write {
            self.written_bytes += command.bytes();
        }
    }

    /// Lets everything happen, then compares.
    fn settle(&mut self) {
        while self.run_next_event() {}
        if self.tally.timed_out {
            return;
        }
        let counters = self.subject.device().counters();
        assert_eq!(counters.host_ios, self.tally.commands, "commands counted");
        if self.subject.device().fault().is_none() && self.tally.failed == 0 {
            self.subject.compare(&self.model);
            assert_eq!(counters.host_bytes_written, self.written_bytes);
        }
        let programmed = counters.nand_bytes_programmed;
        assert!(programmed > 0 || !self.subject.is_flash() || counters.nand_erases == 0);
    }

    /// Writes everything out and reads everything back: the stamps say whether it is right. Then a
    /// copy of the drive must go on as the drive itself.
    fn read_back(&mut self) {
        let capacity = self.subject.device().capacity_sectors();
        let sectors = u32::try_from(capacity).unwrap_or(u32::MAX);
        let whole = |id, kind, sectors, at| Command::new(kind, id, 0, sectors, at);
        let refused = self.subject.device().fault().is_some();
        if self.timed && !refused {
            let flush = whole(self.issued, CommandKind::Flush, 0, self.now);
            self.submit(flush);
            self.settle();
        }
        if self.timed {
            let read = whole(self.issued, CommandKind::Read, sectors, self.now);
            self.submit(read);
            self.settle();
        } else {
            self.apply(whole(self.issued, CommandKind::Read, sectors, self.now));
        }
        if !refused && !self.tally.timed_out {
            let mut copy = self.subject.device().snapshot();
            let write = whole(self.issued, CommandKind::Write, sectors.min(64), self.now);
            let expected = (
                self.subject.device().apply(write),
                self.subject.device().counters(),
            );
            assert_eq!((copy.apply(write), copy.counters()), expected, "a copy");
        }
    }
}
