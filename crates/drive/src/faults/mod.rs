//! Faults as a program: what goes wrong with requests on their way to a drive, the same way every time.
//!
//! Each fault counts the requests that it concerns and decides about each by its own number, so the same requests and
//! seeds have the same faults. Nothing here knows a clock: whoever carries requests asks what is to become
//! of one, and does that. [`Scripted`] is a drive in virtual time that does; an attached drive has its engine.

mod rule;
mod scripted;
pub mod words;

pub use rule::{MS_MAX, Mishap, On, Rule};
pub use scripted::{Passage, Scripted};

use ftlab_base::{Nanos, SECTOR_BYTES};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Answer to a request that does not reach the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    /// As if it were done.
    Done,
    /// With an input/output error.
    Failed,
    /// There is no room.
    Full,
    /// It is not permitted.
    Refused,
}

/// Fate of a request, by all faults that it meets.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// It is not begun before this, in time since the run or the server began.
    pub not_before: Nanos,
    /// It is answered so, and the drive is not asked.
    pub answer: Option<Answered>,
    /// Factor by which it takes longer.
    pub times: f64,
    /// A number that says which bit of its data is flipped, if one is.
    pub flips: Option<u64>,
    /// True if its flush is not done.
    pub drops_flush: bool,
    /// The first sector of where its data go instead.
    pub lands_at: Option<u64>,
}

impl Verdict {
    /// A request that meets no fault.
    pub const NOTHING: Verdict = Verdict {
        not_before: Nanos::ZERO,
        answer: None,
        times: 1.0,
        flips: None,
        drops_flush: false,
        lands_at: None,
    };
}

/// The bit that a drawn number stands for among `bytes` bytes: which byte, and which of its bits. None if there are no bytes.
#[must_use]
pub fn flipped(draw: u64, bytes: u64) -> Option<(u64, u8)> {
    let byte = draw.checked_rem(bytes)?;
    Some((byte, (draw >> 40 & 7) as u8))
}

/// Flips a bit of data, if there are any.
pub fn flip(draw: u64, data: &mut [u8]) {
    if let Some((byte, bit)) = flipped(draw, data.len() as u64) {
        data[byte as usize] ^= 1 << bit;
    }
}

/// A fault that was asked for, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FaultTold {
    /// Its number, to end it by.
    pub number: u32,
    /// Name of its kind, as [`Mishap::name`] has it.
    pub kind: String,
    /// All of it, in words.
    pub fault: String,
    /// Requests that it concerned so far.
    pub concerned: u64,
    /// Requests with which something went wrong.
    pub hits: u64,
    /// True once it is over.
    pub is_over: bool,
}

/// A fault at work.
#[derive(Debug, Clone)]
struct Active {
    number: u32,
    rule: Rule,
    /// Sectors of the drive.
    sectors: u64,
    /// Sectors that are bad still.
    bad: Vec<Range<u64>>,
    concerned: u64,
    hits: u64,
    /// Time at which it begins, since the run or the server began.
    from: Nanos,
    /// Stalls that have begun, and when the last one ends; when a drive that disappears is back.
    stalls: u64,
    until: Nanos,
}

/// Faults of the requests of one drive.
#[derive(Debug, Clone, Default)]
pub struct Program {
    last: u32,
    active: Vec<Active>,
}

impl Program {
    /// Has something go wrong, whose time counts from `now`; gives its number.
    ///
    /// # Errors
    /// When it cannot be on a drive of that size, with time or without; the error says what is wrong.
    pub fn add(
        &mut self,
        rule: Rule,
        now: Nanos,
        size_bytes: u64,
        has_time: bool,
    ) -> Result<u32, String> {
        rule.check(size_bytes, has_time)?;
        self.last += 1;
        let from = now + Nanos::from_millis(rule.at_ms);
        // Until then the drive is gone; a stall gets its end with the first request that it meets.
        let until = match rule.fault {
            Mishap::Disappear { ms } => from + Nanos::from_millis(ms),
            _ => Nanos::ZERO,
        };
        let bad = match rule.fault {
            Mishap::Bad { .. } => rule.sectors().into_iter().collect(),
            _ => Vec::new(),
        };
        self.active.push(Active {
            number: self.last,
            rule,
            sectors: size_bytes / SECTOR_BYTES,
            bad,
            concerned: 0,
            hits: 0,
            from,
            stalls: 0,
            until,
        });
        Ok(self.last)
    }

    /// Returns true if no fault was asked for, or all were cleared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.active.is_empty()
    }

    /// Faults that were asked for and not cleared, with what came of them by `now`.
    #[must_use]
    pub fn list(&self, now: Nanos) -> Vec<FaultTold> {
        let told = self.active.iter().map(|active| FaultTold {
            number: active.number,
            kind: active.rule.fault.name().to_owned(),
            fault: active.rule.to_string(),
            concerned: active.concerned,
            hits: active.hits,
            is_over: active.is_over(now),
        });
        told.collect()
    }

    /// Ends a fault, or all of them; returns their number.
    pub fn clear(&mut self, number: Option<u32>) -> usize {
        let before = self.active.len();
        let stays = |active: &Active| number.is_some_and(|number| number != active.number);
        self.active.retain(stays);
        before - self.active.len()
    }

    /// Judges a request that comes now, of these sectors.
    pub fn judge(&mut self, on: On, range: &Range<u64>, fua: bool, now: Nanos) -> Verdict {
        let mut verdict = Verdict::NOTHING;
        for active in &mut self.active {
            // What another fault has answered reaches nobody.
            if verdict.answer.is_none() {
                active.judge(on, range, fua, now, &mut verdict);
            }
        }
        verdict
    }

    /// Until when the drive is off its bus, if it is.
    #[must_use]
    pub fn away_until(&self, now: Nanos) -> Option<Nanos> {
        let away = self.active.iter();
        let away = away.filter(|active| matches!(active.rule.fault, Mishap::Disappear { .. }));
        away.filter(|active| active.from <= now && now < active.until)
            .map(|active| active.until)
            .max()
    }
}

/// The sectors that a misdirected write lands on: `by_bytes` behind its own, or before them where the drive ends. None if the
/// drive has neither.
fn elsewhere(range: &Range<u64>, by_bytes: Option<u64>, sectors: u64) -> Option<u64> {
    let length = range.end - range.start;
    let by = by_bytes.map_or(length, |bytes| bytes / SECTOR_BYTES);
    match range.end + by <= sectors {
        true => Some(range.start + by),
        false => range.start.checked_sub(by),
    }
}

fn overlaps(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

impl Active {
    fn is_over(&self, now: Nanos) -> bool {
        match self.rule.fault {
            Mishap::Stall { .. } => self.stalls >= self.rule.count() && now >= self.until,
            Mishap::Disappear { .. } => now >= self.until,
            Mishap::Bad { .. } => self.bad.is_empty(),
            _ => self.hits >= self.rule.count(),
        }
    }

    /// Returns true if a request is one of those that the rule is about.
    fn concerns(&self, on: On, range: &Range<u64>, fua: bool, now: Nanos) -> bool {
        let rule = &self.rule;
        // A write with FUA has a flush in it.
        let flushes = matches!(rule.fault, Mishap::DropFlush) && fua && on == On::Write;
        let is_of_kind = rule.kinds().contains(&on) || flushes;
        let sectors = rule.sectors();
        let is_there = sectors.is_none_or(|sectors| overlaps(&sectors, range));
        is_of_kind && is_there && now >= self.from && !self.is_over(now)
    }

    /// Applies the rule to a request. Those that it is about are counted, and some of them hit: a rule ends after so
    /// many.
    fn judge(&mut self, on: On, range: &Range<u64>, fua: bool, now: Nanos, verdict: &mut Verdict) {
        if !self.concerns(on, range, fua, now) {
            return;
        }
        let rule = &self.rule;
        self.concerned += 1;
        if self.concerned <= rule.after {
            return;
        }
        // The draw follows from the seed and the number of the request, so it is the same in every run.
        let draw = rule.draw(self.concerned);
        let is_hit = self.hit(on, range, now, draw, verdict);
        self.hits += u64::from(is_hit);
    }

    /// Does to a request what the rule says, by a draw for what is left to chance; returns true if the request is hit.
    fn hit(
        &mut self,
        on: On,
        range: &Range<u64>,
        now: Nanos,
        draw: u64,
        verdict: &mut Verdict,
    ) -> bool {
        match self.rule.fault {
            Mishap::Stall { ms } => {
                let is_stalled = self.stall(ms, now);
                if is_stalled {
                    verdict.not_before = verdict.not_before.max(self.until);
                }
                is_stalled
            }
            Mishap::Disappear { .. } => {
                verdict.not_before = verdict.not_before.max(self.until);
                true
            }
            Mishap::Slow { times } => {
                verdict.times *= times;
                true
            }
            Mishap::Error { share } => {
                let fails = (draw as f64) < share * 2_f64.powi(64);
                verdict.answer = fails.then_some(Answered::Failed);
                fails
            }
            Mishap::Flip => {
                verdict.flips = Some(draw);
                true
            }
            Mishap::Bad { stays } => {
                let is_bad = self.bad.iter().any(|bad| overlaps(bad, range));
                // A write renews the sectors, as a drive replaces them. Only bad ones that stay fail writes, too.
                if on == On::Write && !stays {
                    self.heal(range);
                } else if is_bad && matches!(on, On::Read | On::Write) {
                    verdict.answer = Some(Answered::Failed);
                }
                verdict.answer.is_some()
            }
            Mishap::DropFlush => {
                verdict.drops_flush = true;
                if on == On::Flush {
                    verdict.answer = Some(Answered::Done);
                }
                true
            }
            Mishap::Drop => {
                verdict.answer = Some(Answered::Done);
                true
            }
            Mishap::Misdirect { by_bytes } => {
                verdict.lands_at = elsewhere(range, by_bytes, self.sectors);
                verdict.lands_at.is_some()
            }
            Mishap::Full => {
                verdict.answer = Some(Answered::Full);
                true
            }
            Mishap::ReadOnly => {
                verdict.answer = Some(Answered::Refused);
                true
            }
        }
    }

    /// Returns true if the drive stalls now, as it does from a request on until its time is over, and as often as the
    /// rule says.
    fn stall(&mut self, ms: u64, now: Nanos) -> bool {
        if now >= self.until {
            if self.stalls >= self.rule.count() {
                return false;
            }
            self.stalls += 1;
            self.until = now + Nanos::from_millis(ms);
        }
        true
    }

    /// Makes sectors that are written anew readable.
    fn heal(&mut self, range: &Range<u64>) {
        let parts = |bad: Range<u64>| {
            let before = bad.start..bad.end.min(range.start);
            let behind = bad.start.max(range.end)..bad.end;
            match overlaps(&bad, range) {
                true => [before, behind],
                false => [bad, 0..0],
            }
        };
        let bad = std::mem::take(&mut self.bad).into_iter().flat_map(parts);
        self.bad = bad.filter(|part| !part.is_empty()).collect();
    }
}

#[cfg(test)]
mod tests;
