//! What writes tell of a drive: how collection is paced, what becomes of writes to a full cache, blocks, buffer, flash, and whose
//! turn it is.

use super::numbers::{
    BUFFER, CACHE_PROGRAM, DEPTH, FILL, FULL, ORDERS, PACING, PAGES, PROGRAM, TURNS, WRITE_COMMAND,
};
use super::{BUFFER_TIMES, BURSTS, Effort, PROGRAM_TIMES, Steps, by_misfit, fittest, grid, solve};
use crate::candidate::{Candidate, Number};
use crate::layout;
use crate::role::Role;
use crate::solve::Aim;
use ftlab_result::quantity::table;

/// Tests that ways are told apart by.
const WRITTEN: &[Role] = &[
    Role::Writes,
    Role::Commit,
    Role::Burst,
    Role::Fill,
    Role::Mixed,
];

/// Ways that are looked at closely.
const WAYS_KEPT: usize = 2;

/// Factors of a block's pages that are tried, and those around the best of them and of a buffer.
const BLOCK_TIMES: &[f64] = &[0.125, 0.25, 0.5, 1.0, 2.0, 4.0];
const FINE_TIMES: &[f64] = &[0.59, 0.71, 0.84, 1.0, 1.19, 1.41, 1.68];

/// Factors of a program's time that are tried where nothing else tells it.
const STEADY_TIMES: &[f64] = &[0.5, 1.0, 2.0, 4.0];

/// Factors of the commands in hand that are tried.
const DEPTH_TIMES: &[f64] = &[0.5, 0.25, 0.19, 0.125];

/// The share by which bursts of several lengths differ in speed where the longest of them does not fit into the buffer.
const HELD_UP: f64 = 0.05;

/// The share of their time that dies program in a steady drive whose host never waits for anything else.
const AT_WORK: f64 = 0.9;

/// Numbers that a steady drive tells whatever its way.
const STEADY: [Number; 2] = [Number::Spare, PROGRAM];

impl Steps<'_> {
    /// Fits what writes tell, with the layout of a candidate.
    pub(super) fn writes(&self, start: &Candidate) -> Candidate {
        // A flash that is slow holds up even a write at a time: what the flash takes is known now, and what a write takes beside it.
        let start = self.buffered(&self.filled(start));
        let fill = self.aim(BURSTS).without_tails();
        let numbers = [FILL, &WRITE_COMMAND].concat();
        let start = solve(self.bench, &fill, &start, &numbers, 3);
        let all = self.aim(WRITTEN);
        if all.is_empty() {
            return start;
        }
        let best = self.way(&start, &all);
        self.say("way", &all, &best);
        let best = self.turns(&best);
        self.say("turns of reads and writes", &all, &best);
        let best = solve(self.bench, &all, &best, &[&STEADY, &FILL[1..]].concat(), 5);
        self.say("writes", &all, &best);
        best
    }

    /// Fits the way in which collection is paced, or a full cache is written to. How long writes wait tells how much is folded or
    /// collected in one go, and so which way it is done.
    fn way(&self, start: &Candidate, all: &Aim<'_>) -> Candidate {
        let steady = self.aim(&[Role::Writes]).without_tails();
        let steady = if steady.is_empty() {
            all.clone()
        } else {
            steady
        };
        let (choice, ways) = match start.get(CACHE_PROGRAM) {
            Some(_) => ("full", FULL),
            None => ("pacing", PACING),
        };
        let mut unknown: Vec<(Number, &[f64])> = vec![(PAGES, BLOCK_TIMES)];
        if !self.bursts_tell_the_buffer() {
            unknown.insert(0, (BUFFER, BUFFER_TIMES));
        }
        let [brief, steady_brief] = [all, &steady].map(|aim| aim.in_brief(self.bench));
        let roughly = |settings: &&[&str]| {
            let of = self.programming(&steady_brief, &start.choosing(choice, settings));
            let of = solve(self.bench, &steady_brief, &of, &STEADY, 1);
            let tried = |of, &number: &_| grid(self.bench, &brief, &of, &[number]);
            unknown.iter().fold(of, tried)
        };
        let found = by_misfit(self.bench, &brief, ways.iter().map(roughly).collect());
        // What fits as well stays as it was.
        let mut closer = vec![start.clone()];
        for (_, of) in found.iter().take(WAYS_KEPT) {
            let of = self.channels_behind_a_cache(of);
            let of = self.blocks(&steady_brief, &brief, &of, BLOCK_TIMES);
            let of = self.blocks(&steady_brief, all, &of, FINE_TIMES);
            let of = match unknown.len() {
                1 => of,
                _ => grid(self.bench, all, &of, &[(BUFFER, FINE_TIMES)]),
            };
            let of = solve(self.bench, &steady, &of, &STEADY, 2);
            let of = fittest(self.bench, all, of.with_other_pages());
            self.say("a way", all, &of);
            closer.push(of);
        }
        fittest(self.bench, all, closer)
    }

    /// The candidate with as many channels as fit the reads best, whose data a cache holds or not: that depends on the way.
    fn channels_behind_a_cache(&self, start: &Candidate) -> Candidate {
        match (self.effort, start.get(CACHE_PROGRAM)) {
            (Effort::Full, Some(_)) => {
                let reads = self.aim(&[Role::Reads]);
                let found = layout::channels(self.bench, &reads, start);
                self.say("channels behind the cache", &reads, &found);
                found
            }
            _ => start.clone(),
        }
    }

    /// The candidate with the pages of a block that fit best. Less flash in smaller blocks collects as well as more in larger ones, so
    /// that the flash is found anew for each.
    fn blocks(
        &self,
        steady: &Aim<'_>,
        all: &Aim<'_>,
        start: &Candidate,
        times: &[f64],
    ) -> Candidate {
        let Some(pages) = start.get(PAGES) else {
            return start.clone();
        };
        let tried = times.iter().map(|times| {
            let other = start.with(PAGES, pages * times);
            solve(self.bench, steady, &other, &STEADY, 1)
        });
        fittest(self.bench, all, tried.collect())
    }

    /// Returns true if some burst was longer than the buffer is.
    fn bursts_tell_the_buffer(&self) -> bool {
        let asked = self.bench.asked();
        let bursts = asked.filter(|(_, asked)| asked.role == Role::Burst && asked.depth > 1);
        let rates = bursts.filter_map(|(test, _)| self.bench.target().get(test, &table::IOPS));
        let (least, most) = rates.fold((f64::INFINITY, 0.0_f64), |(least, most), rate| {
            (least.min(rate), most.max(rate))
        });
        least < (1.0 - HELD_UP) * most
    }

    /// The candidate with the time of a program that fits steady writes best. All that is programmed in a second takes the time of
    /// all dies, whatever collection does, where what is programmed is known; else a few factors are tried.
    fn programming(&self, steady: &Aim<'_>, start: &Candidate) -> Candidate {
        let target = self.bench.target();
        let asked = self.bench.asked();
        let writes = asked.filter(|(_, asked)| asked.role == Role::Writes);
        let programmed = writes.filter_map(|(test, asked)| {
            let figure = |of| target.get(test, of);
            Some(figure(&table::IOPS)? * asked.request_bytes as f64 * figure(&table::WA)?)
        });
        match programmed.max_by(f64::total_cmp) {
            Some(bytes_s) if start.get(CACHE_PROGRAM).is_none() => {
                let time_us = AT_WORK * start.programmed_bytes() / bytes_s * 1e6;
                let other = start.with(PROGRAM, time_us);
                fittest(self.bench, steady, vec![start.clone(), other])
            }
            // Behind a cache's end the flash itself was written to, in the way that is tried.
            _ if target.has(&table::AFTER_MB_S) => {
                let fill = self.aim(BURSTS).without_tails();
                let best = grid(self.bench, &fill, start, &[(PROGRAM, PROGRAM_TIMES)]);
                solve(self.bench, &fill, &best, FILL, 3)
            }
            _ => grid(self.bench, steady, start, &[(PROGRAM, STEADY_TIMES)]),
        }
    }

    /// Fits how reads and writes wait for each other, which loads of both tell.
    fn turns(&self, start: &Candidate) -> Candidate {
        let mixed = self.aim(&[Role::Mixed]);
        if mixed.is_empty() {
            return start.clone();
        }
        // What fits as well stays as it was.
        let mut tried = vec![start.clone()];
        for settings in ORDERS {
            let of = start.choosing("order", settings);
            let depths = of.get(DEPTH).into_iter().flat_map(|depth| {
                let scaled = DEPTH_TIMES.iter().map(move |times| depth * times);
                scaled.map(|depth| of.with(DEPTH, depth))
            });
            tried.extend(depths);
            tried.push(of);
        }
        let best = fittest(self.bench, &mixed, tried);
        solve(self.bench, &mixed, &best, TURNS, 3)
    }
}
