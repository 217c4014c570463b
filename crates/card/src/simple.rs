//! `simple`: the five numbers of simulators that know a disk by `base + bytes / bandwidth`, with their jitter, as TOML.
//!
//! A request takes its base on one of `width` servers, and then moves its bytes over a link that all share, at the
//! bandwidth of its direction. So one request alone takes `base + bytes / bandwidth`, and many are limited by
//! `width / base` requests or `bandwidth` bytes a second.

use crate::figures::{Figures, Latency, Row};
use crate::load::{Grid, Load, Pattern};
use crate::off::{Off, Predicted, off};
use crate::{CardError, Drawn, Form};
use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::brent::BrentOpt;
use argmin::solver::neldermead::NelderMead;
use std::fmt::Write;

pub const FORM: Form = Form {
    loads: |grid| [fitted_to(grid), grid.checks()].concat(),
    draw,
};

/// Steps of the search at most; it has long stood still by then.
const STEPS_MAX: u64 = 4000;
/// The search ends when the corners of its simplex differ by so little.
const STILL: f64 = 1e-12;
/// The largest deviation that is looked for: beyond it a mean lies above its 99th percentile.
const SIGMA_MAX: f64 = 4.0;
/// Deviations from the mean of the normal distribution at which 99 and 99.9 percent lie below.
const TAILS: [f64; 2] = [2.326_347_874, 3.090_232_306];
/// Deviations of a first simplex from its first corner, in logarithms.
const FIRST_STEP: f64 = 0.5;

/// One direction's numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Direction {
    base_us: f64,
    bandwidth_mb_s: f64,
    /// Standard deviation of the logarithm of a latency.
    sigma: f64,
}

impl Direction {
    /// Time that bytes take on the link, in microseconds: a megabyte a second is a byte a microsecond.
    fn transfer_us(&self, bytes: u64) -> f64 {
        bytes as f64 / self.bandwidth_mb_s
    }

    /// Mean and 99th percentile of a latency with this mean.
    fn spread(&self, mean_us: f64) -> [f64; 2] {
        let tail = TAILS[0] * self.sigma - self.sigma * self.sigma / 2.0;
        [mean_us, mean_us * tail.exp()]
    }
}

/// The five numbers, and the jitter of both directions.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Simple {
    read: Direction,
    write: Direction,
    width: f64,
}

impl Simple {
    /// What a simulator with these numbers gives under a load.
    fn at(&self, load: Load) -> Predicted {
        let (reads, depth) = (load.reads(), f64::from(load.depth));
        let transfers = [&self.read, &self.write].map(|of| of.transfer_us(load.size_bytes));
        let mean = |read: f64, write: f64| reads * read + (1.0 - reads) * write;
        let base = mean(self.read.base_us, self.write.base_us);
        let transfer = mean(transfers[0], transfers[1]);
        // A request's part of the time: of its own, of the servers', of the link's, whichever is longest.
        let alone = base + transfer;
        let each = (alone / depth).max(base / self.width).max(transfer);
        let queued = each * depth / alone;
        let latency = |of: &Direction, transfer: f64| of.spread((of.base_us + transfer) * queued);
        Predicted {
            iops: 1e6 / each,
            read_us: (load.read_pct > 0).then(|| latency(&self.read, transfers[0])),
            write_us: (load.read_pct < 100).then(|| latency(&self.write, transfers[1])),
        }
    }

    /// The numbers of logarithms that a search moves, and no jitter.
    fn of_logs(logs: &[f64]) -> Simple {
        let direction = |at: usize| Direction {
            base_us: logs[at].exp(),
            bandwidth_mb_s: logs[at + 1].exp(),
            sigma: 0.0,
        };
        Simple {
            read: direction(0),
            write: direction(2),
            width: logs[4].exp().max(1.0),
        }
    }
}

/// The loads that the numbers are fitted to: reads alone and writes alone, at random.
fn fitted_to(grid: &Grid) -> Vec<Load> {
    let pure = Grid {
        reads_pct: vec![0, 100],
        ..grid.clone()
    };
    let loads = pure.loads().into_iter();
    loads
        .filter(|load| load.pattern == Pattern::Random)
        .collect()
}

/// The squares of what mean latencies are off by, in logarithms.
struct Distance<'a>(&'a [&'a Row]);

impl CostFunction for Distance<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, logs: &Vec<f64>) -> Result<f64, Error> {
        let simple = Simple::of_logs(logs);
        let off = self.0.iter().map(|row| {
            let predicted = simple.at(row.load);
            let pairs = [
                (predicted.read_us, row.read),
                (predicted.write_us, row.write),
            ];
            let off = pairs.into_iter().filter_map(|(predicted, model)| {
                Some((predicted?[0] / model?.mean_us).ln().powi(2))
            });
            off.sum::<f64>()
        });
        Ok(off.sum())
    }
}

/// The numbers that come nearest to rows of reads alone and of writes alone.
fn fit(rows: &[&Row]) -> Simple {
    let of = |read_pct: u8| rows.iter().filter(move |row| row.load.read_pct == read_pct);
    let least = |read_pct: u8| {
        let means = of(read_pct).filter_map(|row| row.read.or(row.write));
        means.map(|of| of.mean_us).fold(f64::INFINITY, f64::min)
    };
    let most = |read_pct: u8, figure: &dyn Fn(&Row) -> f64| {
        of(read_pct).map(|row| figure(row)).fold(0.0, f64::max)
    };
    let (read, write) = (least(100), least(0));
    let (read_mb_s, write_mb_s) = (most(100, &|row| row.mb_s), most(0, &|row| row.mb_s));
    let width = most(100, &|row| row.iops) * read / 1e6;
    let first: Vec<f64> = [read, read_mb_s, write, write_mb_s, width.max(1.0)]
        .map(f64::ln)
        .to_vec();
    let mut simplex = vec![first.clone(); first.len() + 1];
    for (n, corner) in simplex.iter_mut().skip(1).enumerate() {
        corner[n] += FIRST_STEP;
    }
    let solver = NelderMead::new(simplex).with_sd_tolerance(STILL);
    let solver = solver.expect("the tolerance is above 0");
    let found = Executor::new(Distance(rows), solver)
        .configure(|state| state.max_iters(STEPS_MAX))
        .run()
        .expect("the distance of any numbers can be worked out");
    let logs = found.state().get_best_param().cloned().unwrap_or(first);
    let mut simple = Simple::of_logs(&logs);
    simple.read.sigma = sigma(rows.iter().filter_map(|row| row.read));
    simple.write.sigma = sigma(rows.iter().filter_map(|row| row.write));
    simple
}

/// How far the quantiles of lognormal distributions are off whose means are those of latencies, in squares of logarithms.
struct Jitter(Vec<Latency>);

impl CostFunction for Jitter {
    type Param = f64;
    type Output = f64;

    fn cost(&self, sigma: &f64) -> Result<f64, Error> {
        let off = self.0.iter().flat_map(|of| {
            let quantiles = [
                (Some(of.p50_us), 0.0),
                (of.p99_us, TAILS[0]),
                (of.p99_9_us, TAILS[1]),
            ];
            quantiles.map(|(quantile, deviations)| {
                let predicted = deviations * sigma - sigma * sigma / 2.0;
                quantile.map_or(0.0, |us| ((us / of.mean_us).ln() - predicted).powi(2))
            })
        });
        Ok(off.sum())
    }
}

/// The deviation of the lognormal distribution whose quantiles come nearest to those of latencies.
fn sigma(latencies: impl Iterator<Item = Latency>) -> f64 {
    let solver = BrentOpt::new(0.0, SIGMA_MAX);
    let found = Executor::new(Jitter(latencies.collect()), solver)
        .configure(|state| state.max_iters(STEPS_MAX))
        .run()
        .expect("the distance of any deviation can be worked out");
    found.state().get_best_param().copied().unwrap_or(0.0)
}

fn draw(figures: &Figures<'_>) -> Result<Drawn, CardError> {
    let grid = figures.grid;
    if grid.sizes_bytes.len() < 2 || grid.depths.len() < 2 {
        return Err(CardError::new(
            figures.source.drive.clone(),
            "a base, a bandwidth and a width are fitted to several sizes and depths; give --sizes and --depths two values or more",
        ));
    }
    let rows = figures.rows_of(&fitted_to(grid));
    let simple = fit(&rows);
    let mut all = off(&rows, "the loads that it is fitted to", |row| {
        simple.at(row.load)
    });
    let checks = figures.rows_of(&grid.checks());
    for pattern in Pattern::ALL {
        let checks: Vec<&Row> = (checks.iter().copied())
            .filter(|row| row.load.pattern == pattern)
            .collect();
        let loads = format!("{} mixes between them", pattern.name());
        all.extend(off(&checks, &loads, |row| simple.at(row.load)));
    }
    Ok(Drawn {
        name: format!("{}.simple.toml", figures.source.drive),
        text: text(figures, &simple, &all),
        off: all,
    })
}

/// Explanation of the form, for its comment.
const ABOUT: &str = "\
# A request takes `base_us` on one of `width` servers, and then moves its bytes over
# a link that all share: bytes / bandwidth_mb_s microseconds. One request alone takes
# base + bytes / bandwidth; many are limited by width / base requests a second, or by
# the bandwidth. A latency is lognormal about its mean: `sigma` is the standard
# deviation of its logarithm, fitted to the 50th, 99th and 99.9th percentiles. Such
# a simulator knows neither the order of requests, nor what was written before, nor
# garbage collection.
";

fn text(figures: &Figures<'_>, simple: &Simple, off: &[Off]) -> String {
    let mut text = String::new();
    for line in figures.source.lines() {
        let _ = writeln!(text, "# {line}");
    }
    let _ = write!(
        text,
        "#\n{ABOUT}#\n# How far the form is off, beside the model:\n"
    );
    for off in off {
        let _ = writeln!(text, "#   {}", off.line());
    }
    let source = figures.source;
    let _ = write!(
        text,
        "\nschema = 1\ndrive = {:?}\nmodel_version = {}\nstate = {:?}\n\n[service]\nwidth = {:.3}\n",
        source.drive, source.model_version, source.state, simple.width
    );
    for (name, of) in [("read", &simple.read), ("write", &simple.write)] {
        let _ = write!(
            text,
            "\n[{name}]\nbase_us = {:.3}\nbandwidth_mb_s = {:.3}\njitter = {{ distribution = \"lognormal\", sigma = {:.4} }}\n",
            of.base_us, of.bandwidth_mb_s, of.sigma
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: Simple = Simple {
        read: Direction {
            base_us: 80.0,
            bandwidth_mb_s: 2000.0,
            sigma: 0.3,
        },
        write: Direction {
            base_us: 25.0,
            bandwidth_mb_s: 900.0,
            sigma: 0.7,
        },
        width: 12.0,
    };

    fn row(load: Load) -> Row {
        let predicted = KNOWN.at(load);
        let latency = |of: &Direction, [mean, p99]: [f64; 2]| {
            let p50 = mean * (-of.sigma * of.sigma / 2.0).exp();
            Latency {
                mean_us: mean,
                p50_us: p50,
                p99_us: Some(p99),
                p99_9_us: Some(p50 * (TAILS[1] * of.sigma).exp()),
            }
        };
        Row {
            load,
            iops: predicted.iops,
            mb_s: predicted.iops * load.size_bytes as f64 / 1e6,
            read: predicted.read_us.map(|pair| latency(&KNOWN.read, pair)),
            write: predicted.write_us.map(|pair| latency(&KNOWN.write, pair)),
        }
    }

    #[test]
    fn the_numbers_of_a_drive_that_has_this_form_are_found_again() {
        let rows: Vec<Row> = fitted_to(&Grid::default()).into_iter().map(row).collect();
        let found = fit(&rows.iter().collect::<Vec<_>>());
        let numbers = |simple: &Simple| {
            let of = |of: &Direction| [of.base_us, of.bandwidth_mb_s, of.sigma];
            [&of(&simple.read)[..], &of(&simple.write), &[simple.width]].concat()
        };
        for (found, known) in numbers(&found).into_iter().zip(numbers(&KNOWN)) {
            assert!((found / known - 1.0).abs() < 1e-3, "{found} for {known}");
        }
    }
}
