//! The steps of a fit, in the order in which a bench tells the numbers of a drive apart.

use crate::bench::{Bench, Size};
use crate::candidate::{Candidate, Number};
use crate::layout;
use crate::role::{Asked, FITTED, Role};
use crate::solve::{Aim, solve};
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

/// Whether reads pass writes that wait for room.
const ORDERS: &[&[&str]] = &[&["firmware.in_order=false"], &["firmware.in_order=true"]];

/// Commands that a drive has in hand, and factors of them that are tried.
const DEPTH: Number = key("queue.depth");
const DEPTH_TIMES: &[f64] = &[0.5, 0.25, 0.19, 0.125];

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
const BURSTS: &[Role] = &[Role::Fill, Role::Burst];

/// Bytes that every buffer takes.
const SMALL_BURST_BYTES: u64 = 1 << 20;

/// What the drive's side of the link carries.
const LINK_RATE: Number = key("link.rate");

/// A write buffer that takes what others do, in MiB.
const ROOMY_MIB: f64 = 64.0;

/// Factors of a block's pages that are tried, and those around the best of them.
const BLOCK_TIMES: &[f64] = &[0.125, 0.25, 0.5, 1.0, 2.0, 4.0];
const FINE_TIMES: &[f64] = &[0.59, 0.71, 0.84, 1.0, 1.19, 1.41, 1.68];

/// Ways of pacing or folding that are looked at closely.
const WAYS_KEPT: usize = 2;

/// Factors of what a command takes that are tried first.
const COMMAND_TIMES: &[f64] = &[0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// Factors of a program's time, of a cache's size, and of that buffer, that are tried first.
const PROGRAM_TIMES: &[f64] = &[0.25, 0.5, 0.71, 1.0, 1.41, 2.0, 4.0];
const SIZE_TIMES: &[f64] = &[0.25, 0.5, 0.71, 1.0, 1.41, 2.0, 4.0];
const STEADY_TIMES: &[f64] = &[0.5, 1.0, 2.0, 4.0];
const BUFFER_TIMES: &[f64] = &[1.0, 0.5, 0.25, 0.125, 0.06, 0.03, 0.015];

const BUFFER: Number = key("buffer.size");
const PAGES: Number = key("nand.pages_per_block");

const fn key(key: &'static str) -> Number {
    Number::Key(key)
}

/// Hears what is done.
pub type Listener<'a> = dyn Fn(&str, &Candidate, f64) + 'a;

/// The candidate that fits the target.
pub fn fit(bench: &Bench<'_>, start: &Candidate, effort: Effort, hear: &Listener<'_>) -> Candidate {
    let aim = |tests: Vec<String>, size: Size, tails: bool| Aim {
        target: bench.target(),
        tests,
        size,
        tails,
    };
    let said = |what: &str, aim: &Aim<'_>, candidate: &Candidate| {
        let misfit = aim.misfits(bench, std::slice::from_ref(candidate))[0];
        hear(what, candidate, misfit);
    };
    let start = controller(bench, &linked(bench, start), &aim, &said);
    let start = filled(bench, &start, &aim);
    said(
        "fill",
        &aim(bench.tests(BURSTS), Size::OfSuite, false),
        &start,
    );
    let kept = layouts(bench, &start, effort, hear);
    let all = aim(bench.tests(FITTED), Size::OfSuite, true);
    let mut fitted: Vec<Candidate> = Vec::new();
    let reads = aim(bench.tests(&[Role::Reads]), Size::OfSuite, true);
    for candidate in &kept {
        let candidate = match effort {
            Effort::Full => layout::channels(bench, &reads, candidate),
            Effort::Quick => candidate.clone(),
        };
        said("channels", &reads, &candidate);
        let written = writes(bench, &candidate, &aim, &said);
        let misfit = all.misfits(bench, std::slice::from_ref(&written))[0];
        fitted.push(written);
        // No other can fit better than a second run of the drive itself.
        if misfit <= all.figures().count() as f64 {
            break;
        }
    }
    let best = fittest(bench, &all, &fitted);
    said("all", &all, &best);
    if effort == Effort::Quick {
        return best;
    }
    let best = solve(bench, &all, &best, EVERY, 4);
    said("every number", &all, &best);
    best
}

/// Candidates in the order in which they fit, the best first.
fn by_misfit(bench: &Bench<'_>, aim: &Aim<'_>, candidates: Vec<Candidate>) -> Vec<Candidate> {
    let misfits = aim.misfits(bench, &candidates);
    let mut all: Vec<(f64, Candidate)> = misfits.into_iter().zip(candidates).collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    all.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The candidate of several that fits best.
fn fittest(bench: &Bench<'_>, aim: &Aim<'_>, candidates: &[Candidate]) -> Candidate {
    by_misfit(bench, aim, candidates.to_vec()).swap_remove(0)
}

/// The start with a link that carries what large reads got without flash.
fn linked(bench: &Bench<'_>, start: &Candidate) -> Candidate {
    let unwritten = bench
        .asked()
        .filter(|(_, asked)| asked.role == Role::Unwritten);
    let rates = unwritten.filter_map(|(test, asked)| {
        let iops = bench.target().get(test, &table::IOPS)?;
        Some(iops * asked.request_bytes as f64 / 1e6)
    });
    let most = rates.max_by(f64::total_cmp);
    most.map_or_else(|| start.clone(), |rate| start.with(LINK_RATE, rate))
}

/// Fits what a command takes in the controller and on the link: without flash, and to a buffer that takes all of it.
fn controller(
    bench: &Bench<'_>,
    start: &Candidate,
    aim: &Aiming<'_>,
    said: &Saying<'_>,
) -> Candidate {
    let unwritten = aim(bench.tests(&[Role::Unwritten]), Size::Small, true);
    let command = key("firmware.read_command");
    let start = grid(bench, &unwritten, start, &[(command, COMMAND_TIMES)]);
    let numbers = [key("firmware.read_pipeline"), command, LINK_RATE];
    let start = solve(bench, &unwritten, &start, &numbers, 12);
    said("reads without flash", &unwritten, &start);
    match bench.tests(&[Role::Burst]).is_empty() {
        true => start,
        false => buffered(bench, &start.with(BUFFER, ROOMY_MIB), aim, said),
    }
}

/// What a write takes that goes to the buffer.
const WRITE_COMMAND: [Number; 2] = [
    key("firmware.write_pipeline"),
    key("firmware.write_command"),
];

/// Fits what a write to the buffer takes.
fn buffered(
    bench: &Bench<'_>,
    start: &Candidate,
    aim: &Aiming<'_>,
    said: &Saying<'_>,
) -> Candidate {
    let is_single = |asked: &Asked| {
        let is_small = asked.bytes.is_some_and(|bytes| bytes <= SMALL_BURST_BYTES);
        asked.role == Role::Burst && (asked.depth == 1 || is_small)
    };
    let single = aim(bench.asking(is_single), Size::OfSuite, false);
    let times = WRITE_COMMAND.map(|number| (number, COMMAND_TIMES));
    let start = grid(bench, &single, start, &times);
    let start = solve(bench, &single, &start, &WRITE_COMMAND, 8);
    said("writes to the buffer", &single, &start);
    start
}

/// The layouts that fit the reads about as well as the best one, of which writes tell which it is. They hardly tell how many
/// channels there are, so that one of each number is enough.
fn layouts(
    bench: &Bench<'_>,
    start: &Candidate,
    effort: Effort,
    hear: &Listener<'_>,
) -> Vec<Candidate> {
    hear("layouts", start, 0.0);
    let found = layout::search(bench, start, effort.layouts());
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
    BUFFER,
];

/// Numbers that writes tell.
const WRITES: &[Number] = &[
    Number::Spare,
    key("nand.t_program"),
    key("slc.own_size"),
    key("slc.more_size"),
    key("slc.t_program"),
    BUFFER,
];

/// All numbers that are fitted.
const EVERY: &[Number] = &[
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
    BUFFER,
];

/// Numbers that say how long a read waits for what a die is doing.
const TURNS: &[Number] = &[
    key("scheduling.suspend_time"),
    key("scheduling.suspend_every"),
    key("scheduling.suspend_left_min"),
];

/// All numbers that a fit says something of.
#[must_use]
pub fn numbers() -> Vec<Number> {
    [EVERY, TURNS, &[LINK_RATE, DEPTH]].concat()
}

/// Makes an aim of tests, the size of the drive, and whether tails count.
type Aiming<'a> = dyn Fn(Vec<String>, Size, bool) -> Aim<'a> + 'a;
type Saying<'a> = dyn Fn(&str, &Aim<'_>, &Candidate) + 'a;

/// Fits what a fill and bursts tell: first on a grid, as a rate that something else limits has no slope.
fn filled(bench: &Bench<'_>, start: &Candidate, aim: &Aiming<'_>) -> Candidate {
    let fill = aim(bench.tests(BURSTS), Size::OfSuite, false);
    if fill.figures().next().is_none() {
        return start.clone();
    }
    let program = match start.get(key("slc.t_program")).is_some() {
        true => key("slc.t_program"),
        false => key("nand.t_program"),
    };
    let start = start.with(BUFFER, ROOMY_MIB);
    let best = grid(
        bench,
        &fill,
        &start,
        &[(program, PROGRAM_TIMES), (BUFFER, BUFFER_TIMES)],
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
    let sizes = [key("slc.own_size"), key("slc.more_size")].map(|size| (size, SIZE_TIMES));
    let best = grid(bench, &fill, &best, &sizes);
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

/// The share by which bursts of several lengths differ in speed where the longest of them does not fit into the buffer.
const HELD_UP: f64 = 0.05;

/// Returns true if some burst was longer than the buffer is.
fn bursts_tell_the_buffer(bench: &Bench<'_>) -> bool {
    let bursts = bench
        .asked()
        .filter(|(_, asked)| asked.role == Role::Burst && asked.depth > 1);
    let rates = bursts.filter_map(|(test, _)| bench.target().get(test, &table::IOPS));
    let (least, most) = rates.fold((f64::INFINITY, 0.0_f64), |(least, most), rate| {
        (least.min(rate), most.max(rate))
    });
    least < (1.0 - HELD_UP) * most
}

/// The share of their time that dies program in a steady drive whose host never waits for anything else.
const AT_WORK: f64 = 0.9;

/// The candidate with the time of a program that fits steady writes best. All that is programmed in a second takes the time of
/// all dies, whatever collection does, where what is programmed is known; else a few factors are tried.
fn programming(bench: &Bench<'_>, [steady, fill]: [&Aim<'_>; 2], start: &Candidate) -> Candidate {
    let program = key("nand.t_program");
    let all = bench
        .asked()
        .filter(|(_, asked)| asked.role == Role::Writes);
    let programmed = all.filter_map(|(test, asked)| {
        let figure = |of| bench.target().get(test, of);
        Some(figure(&table::IOPS)? * asked.request_bytes as f64 * figure(&table::WA)?)
    });
    match programmed.max_by(f64::total_cmp) {
        Some(bytes_s) if start.get(key("slc.t_program")).is_none() => {
            let time_us = AT_WORK * start.programmed_bytes() / bytes_s * 1e6;
            fittest(
                bench,
                steady,
                &[start.clone(), start.with(program, time_us)],
            )
        }
        // Behind a cache's end the flash itself was written to, in the way that is tried.
        _ if bench.target().has(&table::AFTER_MB_S) => {
            let best = grid(bench, fill, start, &[(program, PROGRAM_TIMES)]);
            solve(bench, fill, &best, FILL, 3)
        }
        _ => grid(bench, steady, start, &[(program, STEADY_TIMES)]),
    }
}

/// Fits how reads and writes wait for each other, which loads of both tell.
fn turns(bench: &Bench<'_>, start: &Candidate, aim: &Aiming<'_>) -> Candidate {
    let mixed = aim(bench.tests(&[Role::Mixed]), Size::OfSuite, true);
    if mixed.figures().next().is_none() {
        return start.clone();
    }
    // What fits as well stays as it was.
    let mut tried = vec![start.clone()];
    for settings in ORDERS {
        let of = start.choosing("order", settings);
        tried.push(of.clone());
        if let Some(depth) = of.get(DEPTH) {
            tried.extend(
                DEPTH_TIMES
                    .iter()
                    .map(|times| of.with(DEPTH, depth * times)),
            );
        }
    }
    let best = fittest(bench, &mixed, &tried);
    solve(bench, &mixed, &best, TURNS, 3)
}

/// Fits what writes tell, with the layout of a candidate.
fn writes(bench: &Bench<'_>, start: &Candidate, aim: &Aiming<'_>, said: &Saying<'_>) -> Candidate {
    // A flash that is slow holds up even a write at a time: what the flash takes is known now, and what a write takes beside it.
    let start = buffered(bench, &filled(bench, start, aim), aim, said);
    let fill = aim(bench.tests(BURSTS), Size::OfSuite, false);
    let start = &solve(bench, &fill, &start, &[FILL, &WRITE_COMMAND].concat(), 3);
    said("fill", &fill, start);
    let steady = aim(bench.tests(&[Role::Writes]), Size::OfSuite, false);
    let numbers = [Number::Spare, key("nand.t_program")];
    let written = [
        Role::Writes,
        Role::Commit,
        Role::Burst,
        Role::Fill,
        Role::Mixed,
    ];
    let all = aim(bench.tests(&written), Size::OfSuite, true);
    if all.figures().next().is_none() {
        return start.clone();
    }
    let is_steady = steady.figures().next().is_some();
    let steady = if is_steady { steady } else { all.clone() };
    let (choice, ways) = match start.get(key("slc.t_program")).is_some() {
        true => ("full", FULL),
        false => ("pacing", PACING),
    };
    let (brief, steady_brief) = (all.in_brief(), steady.in_brief());
    // How long writes wait tells how much is folded or collected in one go, and so which way it is done.
    let mut coarse: Vec<(Number, &[f64])> = vec![(PAGES, BLOCK_TIMES)];
    let mut fine = vec![PAGES];
    if !bursts_tell_the_buffer(bench) {
        coarse.insert(0, (BUFFER, BUFFER_TIMES));
        fine.insert(0, BUFFER);
    }
    let way = |settings: &&[&str]| {
        let of = programming(
            bench,
            [&steady_brief, &fill],
            &start.choosing(choice, settings),
        );
        let of = solve(bench, &steady_brief, &of, &numbers, 1);
        let tried = |of, &numbers: &_| grid(bench, &brief, &of, &[numbers]);
        coarse.iter().fold(of, tried)
    };
    let mut found: Vec<Candidate> = ways.iter().map(way).collect();
    found = by_misfit(bench, &brief, found);
    found.truncate(WAYS_KEPT);
    let finer = |of: &Candidate| {
        let of = solve(bench, &steady, of, &numbers, 2);
        let tried = |of, &number: &_| grid(bench, &all, &of, &[(number, FINE_TIMES)]);
        let of = fine.iter().fold(of, tried);
        let of = fittest(bench, &all, &of.with_other_pages());
        said("a way", &all, &of);
        of
    };
    let found = found.iter().map(finer);
    // What fits as well stays as it was.
    let found: Vec<Candidate> = std::iter::once(start.clone()).chain(found).collect();
    let best = fittest(bench, &all, &found);
    said("way", &all, &best);
    let best = turns(bench, &best, aim);
    said("turns of reads and writes", &all, &best);
    let best = solve(bench, &all, &best, WRITES, 5);
    said("writes", &all, &best);
    best
}
