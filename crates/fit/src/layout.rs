//! Dies, channels and planes, by reads: each layout is another drive, so that all are tried.
//!
//! Random reads at a depth meet at dies, the oftener the fewer there are, and large ones take as many channels as they find. One
//! at a time tells the time of a read in every layout; so each is given the read that fits that, a few rates of channels are
//! tried, and the best layouts are solved for both.

use crate::bench::{Bench, Size};
use crate::candidate::{Candidate, Layout, Number};
use crate::role::Role;
use crate::search::{by_misfit, fittest};
use crate::solve::{Aim, solve};
use ftlab_result::quantity::table;

/// Factors of a channel's rate that layouts are tried with.
const RATE_TIMES: [f64; 3] = [0.3, 0.7, 1.6];

const T_READ: Number = Number::Key("nand.t_read");
const CACHE_READ: Number = Number::Key("slc.t_read");
const CHANNEL_RATE: Number = Number::Key("nand.channel_rate");

/// Numbers that reads tell of a layout.
const READS: &[Number] = &[T_READ, CHANNEL_RATE, CACHE_READ];

/// Layouts that drives have: powers of two.
fn all() -> Vec<Layout> {
    let powers = |from: u32, to: u32| (from..=to).map(|power| 1_u32 << power);
    let mut all = Vec::new();
    for planes in powers(0, 2) {
        for channels in powers(1, 4) {
            let dies = powers(2, 7).filter(|&dies| dies >= channels);
            all.extend(dies.map(|dies| Layout {
                channels,
                dies,
                planes,
            }));
        }
    }
    all
}

/// The candidates whose layouts fit the reads best, the best first, each with its misfit. The best `counts[0]` of all are solved
/// for read and channel roughly, and of these the best `counts[1]` to the end. The start alone where no read was measured.
#[must_use]
pub fn search(bench: &Bench<'_>, start: &Candidate, counts: [usize; 2]) -> Vec<(f64, Candidate)> {
    let aim = Aim::of(bench, bench.tests(&[Role::Reads])).with_size(Size::Small);
    if aim.is_empty() {
        return vec![(0.0, start.clone())];
    }
    let rate = start.get(CHANNEL_RATE).unwrap_or_default();
    let mut tried = Vec::new();
    for layout in all() {
        let laid_out = start.laid_out(layout);
        tried.extend(RATE_TIMES.map(|times| laid_out.with(CHANNEL_RATE, rate * times)));
    }
    let tried = alone(bench, &tried);
    let mut ranked = by_misfit(bench, &aim, tried);
    let mut seen = Vec::new();
    ranked.retain(|(_, of)| {
        let is_new = !seen.contains(&of.layout);
        seen.push(of.layout);
        is_new
    });
    for (count, patience) in [(counts[0], 2), (counts[1], 5)] {
        ranked.truncate(count);
        let solved = ranked
            .iter()
            .map(|(_, of)| solve(bench, &aim, of, READS, patience));
        ranked = by_misfit(bench, &aim, solved.collect());
    }
    ranked
}

/// The candidate with as many channels as fit the reads best, all else being known.
#[must_use]
pub fn channels(bench: &Bench<'_>, aim: &Aim<'_>, start: &Candidate) -> Candidate {
    if aim.is_empty() {
        return start.clone();
    }
    let same = |of: &Layout| (of.dies, of.planes) == (start.layout.dies, start.layout.planes);
    let counts = all().into_iter().filter(same).map(|of| of.channels);
    let solved = counts.map(|channels| {
        let other = start.with_channels(channels);
        solve(bench, aim, &other, READS, 4)
    });
    // The start's own layout may be none of those that are tried.
    let found = std::iter::once(start.clone()).chain(solved).collect();
    fittest(bench, aim, found)
}

/// Candidates with the read that gives the latency of one at a time.
fn alone(bench: &Bench<'_>, candidates: &[Candidate]) -> Vec<Candidate> {
    let reads = bench.asked();
    let reads = reads.filter(|(_, asked)| asked.role == Role::Reads && asked.depth == 1);
    let Some((test, _)) = reads.min_by_key(|(_, asked)| asked.request_bytes) else {
        return candidates.to_vec();
    };
    let Some(iops) = bench.target().get(test, &table::IOPS) else {
        return candidates.to_vec();
    };
    let tests = vec![test.to_owned()];
    let files: Vec<_> = candidates.iter().map(|of| of.file().ok()).collect();
    let figures = bench.figures(&files, &tests, Size::Small);
    let with_read = |(candidate, figures): (&Candidate, _)| {
        let own: Option<&crate::target::Figures> = Option::as_ref(figures);
        let own = own?
            .iter()
            .find(|(place, _)| place.metric == table::IOPS.name)?
            .1;
        let read = candidate.get(T_READ)? + 1e6 / iops - 1e6 / own;
        Some(candidate.with(T_READ, read))
    };
    let corrected = candidates.iter().zip(&figures);
    corrected
        .map(|(candidate, figures)| {
            with_read((candidate, figures)).unwrap_or_else(|| candidate.clone())
        })
        .collect()
}
