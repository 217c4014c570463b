//! Reading ahead: a drive that is read in order reads on before it is asked, so that the next command finds its
//! data in the drive and pays for host, firmware and link alone.
//!
//! What is read ahead is a run of slots behind the last command, as far as the drive file says
//! (`buffer.read_ahead`), asked for in halves of that: one half crosses the link while the other comes. Some drives
//! read on only when the host has taken all of it (`buffer.read_on`), and the host waits for the flash now and then. A
//! run is read as any command is, under a number of its own. One stream is followed; a command elsewhere ends it. While
//! the host has more than one command outstanding, nothing is read ahead: its queue keeps the dies at work.

use super::BufferConfig;
use ftlab_base::Lpn;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Commands in order after which the drive reads on. Two could be chance.
const IN_ORDER_LEAST: u32 = 3;

/// Slots that were asked for together.
#[derive(Debug, Clone)]
struct Run {
    number: u32,
    slots: Range<u32>,
    has_come: bool,
    /// True if it is what the host would read: nothing of it has been written since.
    is_valid: bool,
    /// Commands that wait for it.
    waiting: Vec<u32>,
}

impl Run {
    /// Numbers are used again by others once it has come.
    fn is_coming_as(&self, number: u32) -> bool {
        self.number == number && !self.has_come
    }
}

/// Slots that an SSD reads ahead, and the commands that wait for them.
#[derive(Debug, Clone, Default)]
pub(super) struct ReadAhead {
    /// Slots it reads ahead; 0 if it does not.
    depth: u32,
    /// Slots it asks for together.
    chunk: u32,
    /// The sector behind the last command, and the commands that came in order so far.
    next: u64,
    in_order: u32,
    /// The first slot that was not asked for yet.
    until: u32,
    runs: VecDeque<Run>,
    /// By command: what it waits for.
    missing: BTreeMap<u32, u32>,
}

impl ReadAhead {
    /// Reads ahead as a drive's buffer says.
    pub(super) fn new(buffer: BufferConfig) -> ReadAhead {
        let depth = buffer.read_ahead_slots;
        let chunks = if buffer.reads_on_by_half { 2 } else { 1 };
        ReadAhead {
            depth,
            chunk: (depth / chunks).max(1),
            ..ReadAhead::default()
        }
    }

    /// The host reads sectors, of slots that reach up to `end`.
    pub(super) fn follow(&mut self, sectors: Range<u64>, end: u32) {
        if self.depth == 0 {
            return;
        }
        if sectors.start == self.next {
            self.in_order = self.in_order.saturating_add(1);
        } else {
            self.in_order = 1;
            self.forget();
        }
        self.next = sectors.end;
        self.until = self.until.max(end);
    }

    /// Returns true if a slot is there or on its way.
    pub(super) fn holds(&self, lpn: Lpn) -> bool {
        let mut runs = self.runs.iter();
        runs.any(|run| run.is_valid && run.slots.contains(&lpn.0))
    }

    /// Lets a command wait for the runs on their way that it needs slots of, and for `own` reads besides; returns true
    /// if it must. Slots that it has passed are room for more.
    pub(super) fn wait(&mut self, number: u32, slots: &Range<u32>, own: u32) -> bool {
        let mut missing = own;
        for run in &mut self.runs {
            let overlaps = run.slots.start < slots.end && slots.start < run.slots.end;
            if overlaps && run.is_valid && !run.has_come {
                run.waiting.push(number);
                missing += 1;
            }
        }
        self.runs
            .retain(|run| !run.has_come || (run.is_valid && run.slots.end > slots.end));
        if missing > own {
            self.missing.insert(number, missing);
        }
        missing > 0
    }

    /// The slots to ask for next, if any.
    pub(super) fn wanted(&self, slots_in_all: u32) -> Option<Range<u32>> {
        let chunk = self.chunk;
        let held: u32 = self.runs.iter().map(|run| run.slots.len() as u32).sum();
        let end = (self.until + chunk).min(slots_in_all);
        let wants = self.depth > 0
            && self.in_order >= IN_ORDER_LEAST
            && held + chunk <= self.depth
            && self.until < end;
        wants.then_some(self.until..end)
    }

    /// A run is asked for.
    pub(super) fn begin(&mut self, number: u32, slots: Range<u32>) {
        self.until = slots.end;
        self.runs.push_back(Run {
            number,
            slots,
            has_come: false,
            is_valid: true,
            waiting: Vec::new(),
        });
    }

    /// Returns true if nothing was read ahead, and no command waits for that.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.runs.is_empty() && self.missing.is_empty()
    }

    /// Returns true if a number is that of a run on its way.
    pub(super) fn is_run(&self, number: u32) -> bool {
        self.runs.iter().any(|run| run.is_coming_as(number))
    }

    /// The data that a number reads have come; gives the commands that wait for nothing any more. A command's own
    /// number is one of them unless it waits for runs.
    pub(super) fn came(&mut self, number: u32) -> Vec<u32> {
        let Some(run) = self.runs.iter_mut().find(|run| run.is_coming_as(number)) else {
            return self
                .one_less(number)
                .then_some(number)
                .into_iter()
                .collect();
        };
        run.has_come = true;
        let waiting = std::mem::take(&mut run.waiting);
        self.runs.retain(|run| !run.has_come || run.is_valid);
        waiting
            .into_iter()
            .filter(|&number| self.one_less(number))
            .collect()
    }

    fn one_less(&mut self, number: u32) -> bool {
        let Some(missing) = self.missing.get_mut(&number) else {
            return true;
        };
        *missing -= 1;
        let is_ready = *missing == 0;
        if is_ready {
            self.missing.remove(&number);
        }
        is_ready
    }

    /// Slots are written or trimmed, or cannot be read: what was read of them before is no use.
    pub(super) fn drop_slots(&mut self, slots: &Range<u32>) {
        for run in &mut self.runs {
            run.is_valid &= run.slots.end <= slots.start || slots.end <= run.slots.start;
        }
        self.runs.retain(|run| !run.has_come || run.is_valid);
    }

    /// The stream has ended.
    pub(super) fn forget(&mut self) {
        self.until = 0;
        self.drop_slots(&(0..u32::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(read_ahead_slots: u32, reads_on_by_half: bool) -> ReadAhead {
        ReadAhead::new(BufferConfig {
            slots: 64,
            read_ahead_slots,
            reads_on_by_half,
            outlasts_power: false,
            fua_flushes_all: false,
            atomic_bytes: 0,
        })
    }

    /// A drive with slots of one sector that reads eight ahead, after `commands` of two sectors each.
    fn after(commands: u64) -> ReadAhead {
        following(reading(8, true), commands)
    }

    fn following(mut ahead: ReadAhead, commands: u64) -> ReadAhead {
        for n in 0..commands {
            ahead.follow(2 * n..2 * n + 2, 2 * n as u32 + 2);
        }
        ahead
    }

    #[test]
    fn it_reads_on_in_halves_once_commands_come_in_order() {
        assert_eq!(after(2).wanted(1000), None);
        let mut ahead = after(3);
        assert_eq!(ahead.wanted(1000), Some(6..10));
        ahead.begin(70, 6..10);
        assert_eq!(ahead.wanted(1000), Some(10..14));
        ahead.begin(71, 10..14);
        assert_eq!(ahead.wanted(1000), None, "as far as it may");
        assert_eq!(after(3).wanted(7), Some(6..7), "to the drive's end");
        assert_eq!(after(3).wanted(6), None);
        assert_eq!(reading(0, true).wanted(1000), None);
    }

    #[test]
    fn one_that_reads_on_when_all_is_taken_waits_for_that() {
        let mut ahead = following(reading(8, false), 3);
        assert_eq!(ahead.wanted(1000), Some(6..14));
        ahead.begin(70, 6..14);
        assert!(ahead.came(70).is_empty());
        for first in [6, 8, 10] {
            ahead.follow(u64::from(first)..u64::from(first) + 2, first + 2);
            assert!(!ahead.wait(1, &(first..first + 2), 0));
            assert_eq!(ahead.wanted(1000), None);
        }
        ahead.follow(12..14, 14);
        assert!(!ahead.wait(1, &(12..14), 0));
        assert_eq!(ahead.wanted(1000), Some(14..22));
    }

    #[test]
    fn a_command_waits_for_what_is_on_its_way() {
        let mut ahead = after(3);
        ahead.begin(70, 6..10);
        assert!(ahead.holds(Lpn(9)) && !ahead.holds(Lpn(10)));
        ahead.follow(6..8, 8);
        assert!(ahead.wait(1, &(6..8), 0));
        // The next needs a read of its own as well.
        ahead.follow(8..12, 12);
        assert!(ahead.wait(2, &(8..12), 1));
        assert_eq!(ahead.came(70), [1]);
        assert_eq!(ahead.came(2), [2]);
        assert!(ahead.missing.is_empty());
    }

    #[test]
    fn what_has_come_is_there_until_it_is_passed() {
        let mut ahead = after(3);
        ahead.begin(70, 6..10);
        assert!(ahead.came(70).is_empty());
        assert!(!ahead.wait(1, &(6..8), 0) && ahead.holds(Lpn(8)));
        assert!(!ahead.wait(2, &(8..10), 0) && !ahead.holds(Lpn(8)));
    }

    #[test]
    fn what_is_written_or_left_is_forgotten() {
        let mut ahead = after(3);
        ahead.begin(70, 6..10);
        assert!(ahead.wait(1, &(6..8), 0));
        ahead.drop_slots(&(9..10));
        assert!(!ahead.holds(Lpn(6)));
        assert_eq!(
            ahead.came(70),
            [1],
            "who asked before gets what was there before"
        );
        ahead.begin(71, 10..14);
        ahead.follow(500..502, 502);
        assert!(!ahead.holds(Lpn(10)) && ahead.wanted(1000).is_none());
        assert!(ahead.came(71).is_empty() && ahead.runs.is_empty());
    }
}
