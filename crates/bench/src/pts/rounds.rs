//! Rounds of a test until its tracking variables are steady: the workload-dependent preconditioning and the
//! measurement in one.

use super::subject::{Length, Load, Subject};
use ftlab_base::Nanos;
use ftlab_base::amount::decimal;
use ftlab_lab::LabError;
use ftlab_result::pts::{Cell, Rate, SteadyState, Tracking};
use ftlab_states::steady_rule::{ROUNDS_MAX, WINDOW, Window};

/// A minute of the standard: what each access of a round lasts.
pub const MINUTE: Nanos = Nanos::from_secs(60);

/// The quantity that the rule judges of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variable {
    Iops,
    Throughput,
    Latency,
}

impl Variable {
    fn of(self, rate: &Rate) -> f64 {
        match self {
            Variable::Iops => rate.iops,
            Variable::Throughput => rate.mb_s,
            Variable::Latency => rate.lat_avg_ms,
        }
    }

    const fn unit(self) -> &'static str {
        match self {
            Variable::Iops => "IOPS",
            Variable::Throughput => "MB/s",
            Variable::Latency => "ms",
        }
    }
}

/// Runs rounds of all accesses, `access` of the standard each, until the tracking variables, accesses by
/// their numbers, are steady, or the drive counts as one that does not settle.
pub fn run(
    subject: &mut Subject<'_>,
    loads: &[Load],
    access: Nanos,
    variable: Variable,
    tracked: &[usize],
) -> Result<(SteadyState, Vec<Cell>), LabError> {
    let mut rounds: Vec<Vec<Rate>> = vec![Vec::new(); loads.len()];
    let length = Length::Span(subject.scale.span(access));
    let before = subject.written_bytes;
    loop {
        for (load, rates) in loads.iter().zip(&mut rounds) {
            rates.push(subject.stretch(*load, length)?);
        }
        let tracking = tracked
            .iter()
            .map(|&n| track(loads[n], &rounds[n], variable));
        let done = rounds.first().map_or(0, Vec::len);
        // Judged only while a window is full.
        let Some(tracking) = tracking.collect::<Option<Vec<Tracking>>>() else {
            continue;
        };
        let is_steady = tracking.iter().all(|variable| variable.is_steady);
        if is_steady || done >= ROUNDS_MAX {
            let steady = state(done as u32, is_steady, tracking);
            subject.steps.push(words(&steady));
            let is_random = loads.iter().any(|load| load.random);
            let written = subject.written_bytes - before;
            let caution = caution(written, subject.unwritten_bytes()).filter(|_| is_random);
            subject.steps.extend(caution);
            let cells = loads
                .iter()
                .zip(rounds)
                .map(|(load, rates)| cell(*load, rates));
            return Ok((steady, cells.collect()));
        }
    }
}

fn track(load: Load, rates: &[Rate], variable: Variable) -> Option<Tracking> {
    let rounds: Vec<f64> = rates.iter().map(|rate| variable.of(rate)).collect();
    let window = Window::last(&rounds)?;
    Some(Tracking {
        access: load.words(),
        unit: variable.unit().to_owned(),
        rounds,
        mean: window.mean,
        excursion_pct: 100.0 * window.excursion,
        slope_pct: 100.0 * window.slope,
        line: window.line,
        is_steady: window.is_steady(),
    })
}

fn state(rounds: u32, is_steady: bool, tracking: Vec<Tracking>) -> SteadyState {
    SteadyState {
        reached: is_steady.then_some(rounds),
        rounds,
        rounds_max: ROUNDS_MAX as u32,
        window_first: rounds + 1 - WINDOW as u32,
        window_last: rounds,
        tracking,
    }
}

fn words(steady: &SteadyState) -> String {
    let SteadyState {
        rounds,
        window_first,
        window_last,
        ..
    } = steady;
    let window = format!("rounds {window_first} to {window_last} are the measurement window");
    match steady.reached {
        Some(_) => format!(
            "Workload-dependent preconditioning: {rounds} rounds of the test itself; steady at round \
             {rounds}, and {window}."
        ),
        None => format!(
            "Workload-dependent preconditioning: {rounds} rounds of the test itself; NOT steady by then, \
             and {window} all the same."
        ),
    }
}

/// A caution where the rule is blind: while flash is left that was never written, nothing is collected, and random
/// writes are as steady as they are fast.
fn caution(written_bytes: u64, unwritten_bytes: u64) -> Option<String> {
    (written_bytes < unwritten_bytes).then(|| {
        format!(
            "Caution: the rounds wrote {}, and the preconditioning had left {} of flash \
             unwritten; what is steady here is the rate before collection begins.",
            decimal(written_bytes as f64, "B"),
            decimal(unwritten_bytes as f64, "B")
        )
    })
}

/// The mean over the window of what a round gave; of the longest latencies the longest.
fn cell(load: Load, rounds: Vec<Rate>) -> Cell {
    let window = &rounds[rounds.len().saturating_sub(WINDOW)..];
    let mean = |of: fn(&Rate) -> f64| window.iter().map(of).sum::<f64>() / window.len() as f64;
    Cell {
        read_pct: load.read_pct,
        block_bytes: load.block_bytes,
        mean: Rate {
            iops: mean(|rate| rate.iops),
            mb_s: mean(|rate| rate.mb_s),
            lat_avg_ms: mean(|rate| rate.lat_avg_ms),
            lat_max_ms: window
                .iter()
                .fold(0.0, |most, rate| rate.lat_max_ms.max(most)),
        },
        rounds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: Load = Load {
        random: true,
        read_pct: 35,
        block_bytes: 512,
        outstanding: 1,
    };

    fn rates(iops: &[f64]) -> Vec<Rate> {
        let rate = |(n, &iops): (usize, &f64)| Rate {
            iops,
            lat_max_ms: n as f64,
            ..Rate::default()
        };
        iops.iter().enumerate().map(rate).collect()
    }

    #[test]
    fn a_cell_is_the_mean_of_its_window() {
        let cell = cell(
            LOAD,
            rates(&[900.0, 800.0, 100.0, 102.0, 98.0, 110.0, 90.0]),
        );
        assert_eq!(cell.mean.iops, 100.0);
        assert_eq!(cell.mean.lat_max_ms, 6.0);
        assert_eq!(cell.rounds.len(), 7);
    }

    #[test]
    fn a_variable_is_judged_by_its_last_window() {
        let series = [900.0, 800.0, 100.0, 102.0, 98.0, 110.0];
        assert!(track(LOAD, &rates(&series[..4]), Variable::Iops).is_none());
        let early = track(LOAD, &rates(&series), Variable::Iops).unwrap();
        assert!(!early.is_steady);
        let late = [&series[..], &[90.0]].concat();
        let late = track(LOAD, &rates(&late), Variable::Iops).unwrap();
        assert!(late.is_steady, "{late:?}");
        assert_eq!((late.mean, late.rounds.len()), (100.0, 7));
        assert!((late.excursion_pct - 20.0).abs() < 1e-9);
        assert_eq!(late.access, "RND 0.5 KiB, R/W 35/65");
    }

    #[test]
    fn a_rate_before_collection_begins_is_told() {
        let told = caution(11_000_000_000, 26_000_000_000).unwrap();
        assert!(
            told.contains("11.0 GB") && told.contains("26.0 GB"),
            "{told}"
        );
        assert_eq!(caution(26, 26), None);
    }

    #[test]
    fn a_window_that_is_not_steady_is_marked_so() {
        let last = state(25, false, Vec::new());
        assert_eq!(
            (last.reached, last.window_first, last.window_last),
            (None, 21, 25)
        );
        assert!(words(&last).contains("NOT steady"), "{}", words(&last));
        let steady = state(7, true, Vec::new());
        assert_eq!((steady.reached, steady.window_first), (Some(7), 3));
        assert!(!words(&steady).contains("NOT"));
    }
}
