//! Repeats of a measurement that differ by their seeds alone, and how far apart they come out.

use ftlab_base::RootSeed;
use ftlab_result::{Run, Spread};
use statrs::distribution::{ContinuousCDF, StudentsT};
use std::collections::{BTreeMap, BTreeSet};

/// The most repeats that are taken: an interval gets narrower with the root of their number, so that
/// more than these change no digit that anybody reads.
pub const REPEATS_MAX: u32 = 1000;

/// Both sides of the interval leave out as much.
const CONFIDENCE: f64 = 0.95;

/// Figures of a run by their metrics' names.
pub type Metrics = BTreeMap<String, f64>;

/// The root seed of a repeat, from 0: the first has the root itself, so that it is what a single run is.
#[must_use]
pub fn seed(root: RootSeed, repeat: u32) -> RootSeed {
    match repeat {
        0 => root,
        _ => root.derive(&format!("repeat/{repeat}")),
    }
}

/// The root seeds of N repeats; none where nothing is repeated.
#[must_use]
pub fn seeds(root: RootSeed, repeats: u32) -> Vec<u64> {
    match repeats {
        1 => Vec::new(),
        _ => (0..repeats).map(|repeat| seed(root, repeat).0).collect(),
    }
}

/// The mean of a figure over repeats, and how it spreads; `None` when no repeat gave it.
#[must_use]
pub fn spread(values: Vec<Option<f64>>) -> Option<(f64, Spread)> {
    let there: Vec<f64> = values.iter().copied().flatten().collect();
    let first = *there.first()?;
    let n = there.len() as f64;
    // The mean of equal values is that value, which their sum over their number need not be.
    let mean = match there.iter().all(|value| *value == first) {
        true => first,
        false => there.iter().sum::<f64>() / n,
    };
    let squares: f64 = there.iter().map(|value| (value - mean).powi(2)).sum();
    let stddev = (there.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
    let ci95_half_width = stddev.map(|stddev| match stddev {
        0.0 => 0.0,
        _ => students_t(there.len() - 1) * stddev / n.sqrt(),
    });
    let spread = Spread {
        stddev,
        ci95_half_width,
        depends_on_seed: values.iter().any(|value| *value != Some(first)),
        values,
    };
    Some((mean, spread))
}

/// The number of standard errors that the interval reaches to each side.
fn students_t(degrees_of_freedom: usize) -> f64 {
    let t = StudentsT::new(0.0, 1.0, degrees_of_freedom as f64).expect("there is some freedom");
    t.inverse_cdf((1.0 + CONFIDENCE) / 2.0)
}

/// Named figures of repeats as their means and how each of them spreads.
#[must_use]
pub fn spreads(repeats: &[&Metrics]) -> (Metrics, BTreeMap<String, Spread>) {
    let names: BTreeSet<&String> = repeats.iter().flat_map(|metrics| metrics.keys()).collect();
    let (mut means, mut spreads) = (BTreeMap::new(), BTreeMap::new());
    for name in names {
        let values = repeats.iter().map(|metrics| metrics.get(name).copied());
        if let Some((mean, of_name)) = spread(values.collect()) {
            means.insert(name.clone(), mean);
            spreads.insert(name.clone(), of_name);
        }
    }
    (means, spreads)
}

/// The first repeat's runs with what the others gave: the named figures of each, in the same order.
///
/// # Panics
/// When repeats have different runs, which would be a fault of what made them.
#[must_use]
pub fn joined(mut first: Vec<Run>, others: &[Vec<Metrics>]) -> Vec<Run> {
    if others.is_empty() {
        return first;
    }
    for (n, run) in first.iter_mut().enumerate() {
        let mut repeats = vec![&run.metrics];
        repeats.extend(others.iter().map(|runs| &runs[n]));
        let (means, of_run) = spreads(&repeats);
        (run.metrics, run.spread) = (means, of_run);
        run.notes.push(words(others.len() + 1));
    }
    first
}

/// The note on repeats among the notes of a run.
fn words(repeats: usize) -> String {
    format!(
        "Repeated: {repeats} times in all, each from the new drive on with a seed of its own. Figures are means \
         over the repeats; percentiles, distributions and values per second are those of the first."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two-sided 95 % quantiles of Student's t as printed in tables, by degrees of freedom.
    const TABLE: [(usize, f64); 9] = [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (9, 2.262),
        (19, 2.093),
        (29, 2.045),
        (120, 1.980),
        (999, 1.962),
    ];

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, printed) in TABLE {
            let t = students_t(freedom);
            assert!((t - printed).abs() <= 5e-4, "{freedom}: {t}, not {printed}");
        }
    }

    #[test]
    fn an_interval_is_that_of_the_textbook() {
        // Mean 10, squares 10 in all: s² = 10/4, and 2.776·√2.5/√5 = 1.963.
        let values = [8.0, 9.0, 10.0, 11.0, 12.0].map(Some).to_vec();
        let (mean, spread) = spread(values).unwrap();
        assert_eq!(mean, 10.0);
        assert!((spread.stddev.unwrap() - 2.5f64.sqrt()).abs() < 1e-12);
        assert!((spread.ci95_half_width.unwrap() - 1.9632).abs() < 1e-4);
        assert!(spread.depends_on_seed);
    }

    #[test]
    fn nineteen_of_twenty_intervals_hold_the_mean() {
        use rand::RngExt;
        let mut stream = RootSeed(1).stream("intervals");
        // Sums of twelve uniform draws are as good as normal.
        let mut draw = || (0..12).map(|_| stream.random::<f64>()).sum::<f64>() - 6.0;
        let holds = (0..4000).filter(|_| {
            let (mean, spread) = spread((0..4).map(|_| Some(draw())).collect()).unwrap();
            mean.abs() <= spread.ci95_half_width.unwrap()
        });
        let share = holds.count() as f64 / 4000.0;
        assert!((share - 0.95).abs() < 0.012, "{share}");
    }

    #[test]
    fn equal_repeats_have_no_width_and_do_not_depend_on_the_seed() {
        // Three times 0.1 by three is not 0.1 in binary.
        let (mean, spread) = spread(vec![Some(0.1); 3]).unwrap();
        assert_eq!(mean, 0.1);
        assert_eq!(
            (spread.stddev, spread.ci95_half_width),
            (Some(0.0), Some(0.0))
        );
        assert!(!spread.depends_on_seed);
    }

    #[test]
    fn what_only_some_repeats_give_is_their_mean_and_depends_on_the_seed() {
        let (mean, few) = spread(vec![None, Some(4.0), Some(6.0)]).unwrap();
        assert_eq!((mean, few.depends_on_seed), (5.0, true));
        assert_eq!(few.values, [None, Some(4.0), Some(6.0)]);
        let (_, one) = spread(vec![Some(4.0), None]).unwrap();
        assert_eq!((one.stddev, one.ci95_half_width), (None, None));
        assert!(one.depends_on_seed);
        assert_eq!(spread(vec![None, None]), None);
    }

    #[test]
    fn the_first_repeat_has_the_root_and_no_two_have_the_same() {
        let seeds: Vec<u64> = (0..REPEATS_MAX).map(|n| seed(RootSeed(7), n).0).collect();
        assert_eq!(seeds[0], 7);
        let distinct: BTreeSet<u64> = seeds.iter().copied().collect();
        assert_eq!(distinct.len(), seeds.len());
    }
}
