//! The steps of a fit, in the order in which a bench tells the numbers of a drive apart.

use crate::bench::{Bench, Size};
use crate::candidate::{Candidate, Number};
use crate::layout;
use crate::solve::{Aim, solve};
use crate::target::Target;
use ftlab_result::quantity::table;

/// Ways to pace collection.
pub const PACING: &[&[&str]] = &[
    &["gc.pacing=in-step"],
    &["gc.turn=1", "gc.waiting_max=128"],
    &["gc.turn=10", "gc.waiting_max=128"],
    &["gc.turn=1", "gc.waiting_max=65536"],
];

/// What becomes of writes to a cache that is full.
pub const FULL: &[&[&str]] = &[
    &["slc.when_full=direct", "slc.when_out=direct"],
    &["slc.when_full=direct", "slc.when_out=fold"],
    &["slc.when_full=beside", "slc.when_out=direct"],
    &["slc.when_full=beside", "slc.when_out=fold"],
    &["slc.when_full=fold", "slc.when_out=fold"],
];

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
            Effort::Full => [20, 6],
            Effort::Quick => [6, 2],
        }
    }

    /// Layouts that are kept until writes have told them apart.
    const fn kept(self) -> usize {
        match self {
            Effort::Full => 2,
            Effort::Quick => 1,
        }
    }
}

/// By how much worse than the best one a layout may fit the reads to be kept.
const KEPT_TIMES: f64 = 3.0;

/// The misfit below which layouts fit equally well.
const KEPT_FROM: f64 = 30.0;

/// Tests that a fill and bursts are fitted to.
const BURSTS: &[&str] = &["fit-fill", "fit-burst"];

/// What the drive's side of the link carries.
pub const LINK_RATE: Number = key("link.rate");

/// Families that a fit is made to.
pub const FITTED: &[&str] = &[
    "fit-unwritten",
    "fit-burst",
    "fit-fill",
    "fit-read-depth",
    "fit-read-size",
    "fit-commit",
    "fit-steady-write",
    "fit-mixed",
];

/// A write buffer that takes what others do, in MiB.
const ROOMY_MIB: f64 = 64.0;

/// Factors of a block's pages that are tried, and those around the best of them.
const BLOCK_TIMES: &[f64] = &[0.125, 0.25, 0.5, 1.0, 2.0, 4.0];
const BLOCK_TIMES_FINE: &[f64] = &[0.71, 0.84, 1.0, 1.19, 1.41];

/// Factors of what a command takes that are tried first.
const COMMAND_TIMES: &[f64] = &[0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// Factors of a program's time, and of that buffer, that are tried first.
const PROGRAM_TIMES: &[f64] = &[0.25, 0.5, 0.71, 1.0, 1.41, 2.0, 4.0];
const STEADY_TIMES: &[f64] = &[0.5, 1.0, 2.0, 4.0];
const BUFFER_TIMES: &[f64] = &[1.0, 0.5, 0.25, 0.125, 0.06, 0.03, 0.015];

const PAGES: Number = key("nand.pages_per_block");

const fn key(key: &'static str) -> Number {
    Number::Key(key)
}

/// Hears what is done.
pub type Listener<'a> = dyn Fn(&str, &Candidate, f64) + 'a;

/// The candidate that fits the target.
pub fn fit(
    bench: &Bench<'_>,
    target: &Target,
    start: &Candidate,
    effort: Effort,
    hear: &Listener<'_>,
) -> Candidate {
    let aim = |beginnings: &[&str], size: Size, tails: bool| Aim {
        target,
        tests: bench.tests(beginnings),
        size,
        tails,
    };
    let said = |what: &str, aim: &Aim<'_>, candidate: &Candidate| {
        let misfit = aim.misfits(bench, std::slice::from_ref(candidate))[0];
        hear(what, candidate, misfit);
    };
    let start = match target.get("fit-unwritten-128k-qd32", &table::IOPS) {
        Some(iops) => start.with(LINK_RATE, iops * 131_072.0 / 1e6),
        None => start.clone(),
    };
    let start = controller(bench, &start, &aim, &said);
    let start = filled(bench, &start, &aim);
    said("fill", &aim(BURSTS, Size::OfSuite, false), &start);
    let kept = layouts(bench, target, &start, effort, hear);
    let all = aim(FITTED, Size::OfSuite, true);
    let written = |candidate| writes(bench, candidate, &aim, &said);
    let fitted: Vec<Candidate> = kept.iter().map(written).collect();
    let best = fittest(bench, &all, &fitted);
    said("all", &all, &best);
    if effort == Effort::Quick {
        return best;
    }
    let reads = aim(layout::TESTS, Size::OfSuite, true);
    let best = layout::channels(bench, &reads, &best);
    said("channels", &reads, &best);
    let best = solve(bench, &all, &best, EVERY, 4);
    said("every number", &all, &best);
    best
}

/// The candidate of several that fits best.
fn fittest(bench: &Bench<'_>, aim: &Aim<'_>, candidates: &[Candidate]) -> Candidate {
    let misfits = aim.misfits(bench, candidates);
    let all = misfits.iter().zip(candidates);
    let best = all.min_by(|one, other| one.0.total_cmp(other.0));
    best.expect("there is one at least").1.clone()
}

/// Fits what a command takes in the controller and on the link: without flash, and to a buffer that takes all of it.
fn controller(
    bench: &Bench<'_>,
    start: &Candidate,
    aim: &Aiming<'_>,
    said: &Saying<'_>,
) -> Candidate {
    let unwritten = aim(&["fit-unwritten"], Size::Small, true);
    let command = key("firmware.read_command");
    let start = grid(bench, &unwritten, start, &[(command, COMMAND_TIMES)]);
    let numbers = [key("firmware.read_pipeline"), command, LINK_RATE];
    let start = solve(bench, &unwritten, &start, &numbers, 12);
    said("reads without flash", &unwritten, &start);
    let single = ["fit-burst-4k-qd1", "fit-burst-4k-1m"];
    let single = aim(&single, Size::OfSuite, false);
    let numbers = [
        key("firmware.write_pipeline"),
        key("firmware.write_command"),
    ];
    let roomy = start.with(key("buffer.size"), ROOMY_MIB);
    let times = numbers.map(|number| (number, COMMAND_TIMES));
    let start = grid(bench, &single, &roomy, &times);
    let start = solve(bench, &single, &start, &numbers, 8);
    said("writes to the buffer", &single, &start);
    start
}

/// The layouts that fit the reads about as well as the best one, of which writes tell which it is. They hardly tell how many
/// channels there are, so that one of each number is enough.
fn layouts(
    bench: &Bench<'_>,
    target: &Target,
    start: &Candidate,
    effort: Effort,
    hear: &Listener<'_>,
) -> Vec<Candidate> {
    hear("layouts", start, 0.0);
    let found = layout::search(bench, target, start, effort.layouts());
    let best = found.first().map_or(0.0, |(misfit, _)| *misfit);
    let mut kept: Vec<Candidate> = Vec::new();
    for (misfit, candidate) in found {
        hear("layout", &candidate, misfit);
        let alike = |of: &Candidate| {
            (of.layout.dies, of.layout.planes) == (candidate.layout.dies, candidate.layout.planes)
        };
        let is_near = misfit <= KEPT_TIMES * best.max(KEPT_FROM);
        if is_near && kept.len() < effort.kept() && !kept.iter().any(alike) {
            kept.push(candidate);
        }
    }
    kept
}

/// Numbers that a fill tells.
const FILL: &[Number] = &[
    key("nand.t_program"),
    key("slc.own_size"),
    key("slc.more_size"),
    key("slc.t_program"),
    key("buffer.size"),
];

/// Numbers that writes tell.
const WRITES: &[Number] = &[
    Number::Spare,
    key("nand.t_program"),
    key("slc.own_size"),
    key("slc.more_size"),
    key("slc.t_program"),
    key("buffer.size"),
];

/// All numbers that are fitted.
pub const EVERY: &[Number] = &[
    Number::Spare,
    key("nand.t_read"),
    key("nand.t_program"),
    key("nand.channel_rate"),
    key("firmware.read_command"),
    key("firmware.write_command"),
    key("firmware.read_pipeline"),
    key("firmware.write_pipeline"),
    key("slc.own_size"),
    key("slc.more_size"),
    key("slc.t_program"),
    key("slc.t_read"),
    key("buffer.size"),
];

/// Makes an aim of the beginnings of tests' names, the size of the drive, and whether tails count.
type Aiming<'a> = dyn Fn(&[&str], Size, bool) -> Aim<'a> + 'a;
type Saying<'a> = dyn Fn(&str, &Aim<'_>, &Candidate) + 'a;

/// Fits what a fill and bursts tell: first on a grid, as a rate that something else limits has no slope.
fn filled(bench: &Bench<'_>, start: &Candidate, aim: &Aiming<'_>) -> Candidate {
    let fill = aim(BURSTS, Size::OfSuite, false);
    let program = match start.get(key("slc.t_program")).is_some() {
        true => key("slc.t_program"),
        false => key("nand.t_program"),
    };
    let start = start.with(key("buffer.size"), ROOMY_MIB);
    let best = grid(
        bench,
        &fill,
        &start,
        &[(program, PROGRAM_TIMES), (key("buffer.size"), BUFFER_TIMES)],
    );
    let best = match program == key("nand.t_program") {
        true => best,
        false => grid(
            bench,
            &fill,
            &best,
            &[(key("nand.t_program"), PROGRAM_TIMES)],
        ),
    };
    solve(bench, &fill, &best, FILL, 4)
}

/// The candidate of a grid that fits best: each number times each of its factors.
fn grid(
    bench: &Bench<'_>,
    aim: &Aim<'_>,
    start: &Candidate,
    numbers: &[(Number, &[f64])],
) -> Candidate {
    let mut all = vec![start.clone()];
    if aim.figures().next().is_none() {
        return start.clone();
    }
    for &(number, times) in numbers {
        let Some(value) = start.get(number) else {
            continue;
        };
        let next = all.iter().flat_map(|of| {
            times
                .iter()
                .map(move |times| of.with(number, value * times))
        });
        all = next.collect();
    }
    fittest(bench, aim, &all)
}

/// Fits what writes tell, with the layout of a candidate.
fn writes(bench: &Bench<'_>, start: &Candidate, aim: &Aiming<'_>, said: &Saying<'_>) -> Candidate {
    let start = &filled(bench, start, aim);
    said("fill", &aim(BURSTS, Size::OfSuite, false), start);
    let steady = aim(&["fit-steady-write"], Size::OfSuite, false);
    let numbers = [Number::Spare, key("nand.t_program")];
    let all = aim(
        &[
            "fit-steady-write",
            "fit-commit",
            "fit-burst",
            "fit-fill",
            "fit-mixed",
        ],
        Size::OfSuite,
        true,
    );
    if steady.figures().next().is_none() {
        return start.clone();
    }
    let (choice, ways) = match start.get(key("slc.t_program")).is_some() {
        true => ("full", FULL),
        false => ("pacing", PACING),
    };
    let chosen = ways.iter().map(|settings| start.choosing(choice, settings));
    let chosen = chosen.map(|of| {
        grid(
            bench,
            &steady,
            &of,
            &[(key("nand.t_program"), STEADY_TIMES)],
        )
    });
    let solved: Vec<Candidate> = chosen
        .map(|of| solve(bench, &steady, &of, &numbers, 3))
        .collect();
    // How long writes wait tells how much is folded or collected in one go, and so which way it is done.
    let solved: Vec<Candidate> = solved
        .iter()
        .map(|of| grid(bench, &all, of, &[(PAGES, BLOCK_TIMES)]))
        .collect();
    let best = fittest(bench, &all, &solved);
    said("way", &all, &best);
    let best = grid(bench, &all, &best, &[(PAGES, BLOCK_TIMES_FINE)]);
    said("blocks", &all, &best);
    let best = solve(bench, &all, &best, WRITES, 5);
    said("writes", &all, &best);
    best
}
