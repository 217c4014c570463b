//! The steps of a fit, in the order in which a bench tells the numbers of a drive apart.

mod numbers;
mod ways;

pub use numbers::{FULL, PACING, numbers};

use crate::bench::{Bench, Size};
use crate::candidate::{Candidate, Number};
use crate::layout;
use crate::role::{Asked, FITTED, Role};
use crate::search::{by_misfit, fittest, grid};
use crate::solve::{Aim, solve};
use ftlab_result::quantity::table;
use numbers::{
    BUFFER, CACHE_PROGRAM, CACHE_SIZES, FILL, LINK_RATE, PROGRAM, READ_COMMAND, READ_PIPELINE,
    WRITE_COMMAND, every,
};

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Everything.
    Full,
    /// What takes a minute on a small drive: fewer layouts, and no last round over all numbers.
    Quick,
}

impl Effort {
    /// Layouts that are solved for the reads, roughly and to the end.
    const fn layouts(self) -> [usize; 2] {
        match self {
            Effort::Full => [12, 4],
            Effort::Quick => [6, 2],
        }
    }

    /// Layouts that are kept until writes have told them apart, or one fits as well as the drive itself. Where channels hold
    /// reads up, any number of dies fits them.
    const fn kept(self) -> usize {
        match self {
            Effort::Full => 4,
            Effort::Quick => 1,
        }
    }
}

/// By how much worse than the best one a layout may fit the reads to be kept.
const KEPT_TIMES: f64 = 3.0;

/// The misfit below which layouts fit equally well.
const KEPT_FROM: f64 = 30.0;

/// Tests that a fill and bursts are fitted to.
const BURSTS: &[Role] = &[Role::Fill, Role::Burst];

/// Bytes that every buffer takes.
const SMALL_BURST_BYTES: u64 = 1 << 20;

/// A write buffer that takes what others do, in MiB.
const ROOMY_MIB: f64 = 64.0;

/// Factors that are tried first: of what a command takes, of a program's time, of a cache's size, and of the buffer that takes all.
const COMMAND_TIMES: &[f64] = &[0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
const PROGRAM_TIMES: &[f64] = &[0.25, 0.5, 0.71, 1.0, 1.41, 2.0, 4.0];
const SIZE_TIMES: &[f64] = &[0.25, 0.5, 0.71, 1.0, 1.41, 2.0, 4.0];
const BUFFER_TIMES: &[f64] = &[1.0, 0.5, 0.25, 0.125, 0.06, 0.03, 0.015];

/// Hears what is done.
pub type Listener<'a> = dyn Fn(&str, &Candidate, f64) + 'a;

/// The candidate that fits the target.
pub fn fit(bench: &Bench<'_>, start: &Candidate, effort: Effort, hear: &Listener<'_>) -> Candidate {
    let steps = Steps {
        bench,
        effort,
        hear,
    };
    let start = steps.filled(&steps.controller(&steps.linked(start)));
    let best = steps.written(&steps.layouts(&start));
    if effort == Effort::Quick {
        return best;
    }
    let all = steps.aim(FITTED);
    let best = solve(bench, &all, &best, &every(), 4);
    steps.say("every number", &all, &best);
    best
}

/// A fit under way.
struct Steps<'a> {
    bench: &'a Bench<'a>,
    effort: Effort,
    hear: &'a Listener<'a>,
}

impl Steps<'_> {
    fn aim(&self, roles: &[Role]) -> Aim<'_> {
        Aim::of(self.bench, self.bench.tests(roles))
    }

    /// Says what came of a step, unless nothing was measured that could tell.
    fn say(&self, what: &str, aim: &Aim<'_>, candidate: &Candidate) {
        if aim.is_empty() {
            return;
        }
        (self.hear)(what, candidate, aim.misfit_of(self.bench, candidate));
    }

    /// The start with a link that carries what large reads got without flash.
    fn linked(&self, start: &Candidate) -> Candidate {
        let asked = self.bench.asked();
        let unwritten = asked.filter(|(_, asked)| asked.role == Role::Unwritten);
        let rates = unwritten.filter_map(|(test, asked)| {
            let iops = self.bench.target().get(test, &table::IOPS)?;
            Some(iops * asked.request_bytes as f64 / 1e6)
        });
        let most = rates.max_by(f64::total_cmp);
        most.map_or_else(|| start.clone(), |rate| start.with(LINK_RATE, rate))
    }

    /// Fits what a command takes in the controller and on the link: without flash, and to a buffer that takes all of it.
    fn controller(&self, start: &Candidate) -> Candidate {
        let unwritten = self.aim(&[Role::Unwritten]).with_size(Size::Small);
        let start = grid(
            self.bench,
            &unwritten,
            start,
            &[(READ_COMMAND, COMMAND_TIMES)],
        );
        let numbers = [READ_PIPELINE, READ_COMMAND, LINK_RATE];
        let start = solve(self.bench, &unwritten, &start, &numbers, 12);
        self.say("reads without flash", &unwritten, &start);
        match self.aim(&[Role::Burst]).is_empty() {
            true => start,
            false => self.buffered(&start.with(BUFFER, ROOMY_MIB)),
        }
    }

    /// Fits what a write to the buffer takes.
    fn buffered(&self, start: &Candidate) -> Candidate {
        let is_single = |asked: &Asked| {
            let is_small = asked.bytes.is_some_and(|bytes| bytes <= SMALL_BURST_BYTES);
            asked.role == Role::Burst && (asked.depth == 1 || is_small)
        };
        let single = Aim::of(self.bench, self.bench.asking(is_single)).without_tails();
        let times = WRITE_COMMAND.map(|number| (number, COMMAND_TIMES));
        let start = grid(self.bench, &single, start, &times);
        let start = solve(self.bench, &single, &start, &WRITE_COMMAND, 8);
        self.say("writes to the buffer", &single, &start);
        start
    }

    /// Fits what a fill and bursts tell: first on a grid, as a rate that something else limits has no slope.
    fn filled(&self, start: &Candidate) -> Candidate {
        let fill = self.aim(BURSTS).without_tails();
        if fill.is_empty() {
            return start.clone();
        }
        let on_grid = |of: &Candidate, numbers: &[_]| grid(self.bench, &fill, of, numbers);
        let roomy = start.with(BUFFER, ROOMY_MIB);
        let buffer: (Number, &[f64]) = (BUFFER, BUFFER_TIMES);
        // Behind a cache the flash itself is seen only later.
        let best = match start.get(CACHE_PROGRAM) {
            None => on_grid(&roomy, &[(PROGRAM, PROGRAM_TIMES), buffer]),
            Some(_) => {
                let best = on_grid(&roomy, &[(CACHE_PROGRAM, PROGRAM_TIMES), buffer]);
                on_grid(&best, &[(PROGRAM, PROGRAM_TIMES)])
            }
        };
        let best = on_grid(&best, &CACHE_SIZES.map(|size| (size, SIZE_TIMES)));
        let best = solve(self.bench, &fill, &best, FILL, 4);
        self.say("fill", &fill, &best);
        best
    }

    /// The layouts that fit the reads about as well as the best one, of which writes tell which it is. They hardly tell how many
    /// channels there are, so that one of each number is enough.
    fn layouts(&self, start: &Candidate) -> Vec<Candidate> {
        self.say("layouts", &self.aim(&[Role::Reads]), start);
        let found = layout::search(self.bench, start, self.effort.layouts());
        let best = found.first().map_or(0.0, |(misfit, _)| *misfit);
        let mut kept: Vec<Candidate> = Vec::new();
        for (misfit, candidate) in found {
            (self.hear)("layout", &candidate, misfit);
            let dies = |of: &Candidate| (of.layout.dies, of.layout.planes);
            let is_near = misfit <= KEPT_TIMES * best.max(KEPT_FROM);
            let is_new = !kept.iter().any(|of| dies(of) == dies(&candidate));
            if is_near && is_new && kept.len() < self.effort.kept() {
                kept.push(candidate);
            }
        }
        kept
    }

    /// The layout that fits best once writes are fitted, too.
    fn written(&self, layouts: &[Candidate]) -> Candidate {
        let all = self.aim(FITTED);
        let reads = self.aim(&[Role::Reads]);
        let mut fitted: Vec<Candidate> = Vec::new();
        for candidate in layouts {
            let candidate = match self.effort {
                Effort::Full => layout::channels(self.bench, &reads, candidate),
                Effort::Quick => candidate.clone(),
            };
            self.say("channels", &reads, &candidate);
            let written = self.writes(&candidate);
            let misfit = all.misfit_of(self.bench, &written);
            fitted.push(written);
            // No other can fit better than a second run of the drive itself.
            if misfit <= all.figures().count() as f64 {
                break;
            }
        }
        let best = fittest(self.bench, &all, fitted);
        self.say("all", &all, &best);
        best
    }
}
