//! A test is left out: what is known of the numbers without it, and what they then predict of it.

use super::linear::{Observation, Prior, fit};
use std::collections::BTreeSet;

/// A slope below this is scatter of the runs.
const LEAST_SLOPE: f64 = 0.03;

/// Deviation of a number that nothing pins and that was guessed from the drives of other controllers.
const GUESSED: f64 = 0.7;

/// Deviation of a number from where it stands while something pins it.
fn deviation(confidence: &str) -> f64 {
    match confidence {
        "high" => 0.1,
        "medium" => 0.3,
        _ => 0.7,
    }
}

/// A number of the fit.
#[derive(Debug, Clone)]
pub struct Pinned {
    /// Ids of the figures that it was worked out from.
    pub from: Vec<String>,
    pub confidence: String,
    /// Values of drives of other controllers: ln(their value / its own), and the figures that they were worked out from.
    pub elsewhere: Vec<(f64, Vec<String>)>,
}

impl Pinned {
    /// The knowledge of it without some figures, `others` being those that are left with their slopes to it; `None` when
    /// that is nothing.
    fn prior(&self, left_out: &BTreeSet<&str>, others: &[(&str, f64)]) -> Option<Prior> {
        let is_left = |id: &String| {
            // What is announced is no figure of a test: it stands whichever test is left out.
            let announced = id.starts_with('A') || id.starts_with('C');
            let asked = |&(other, slope): &(&str, f64)| other == id && slope.abs() >= LEAST_SLOPE;
            !left_out.contains(id.as_str()) && (announced || others.iter().any(asked))
        };
        if self.from.iter().any(is_left) {
            return Some(Prior {
                mean: 0.0,
                deviation: deviation(&self.confidence),
            });
        }
        let blind =
            |(_, from): &&(f64, Vec<String>)| from.iter().all(|id| !left_out.contains(id.as_str()));
        let mut guesses: Vec<f64> = self.elsewhere.iter().filter(blind).map(|g| g.0).collect();
        guesses.sort_by(f64::total_cmp);
        Some(Prior {
            mean: ftlab_result::median(&guesses)?,
            deviation: GUESSED,
        })
    }
}

/// A figure of the fit.
#[derive(Debug, Clone)]
pub struct Asked {
    pub id: String,
    /// Drive and test, which are left out together.
    pub unit: (String, String),
    pub seen: Observation,
}

/// The numbers without a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Without {
    /// ln(value / value in the file) of each number.
    pub numbers: Vec<f64>,
    /// Those of which nothing is known.
    pub unknown: Vec<bool>,
}

impl Without {
    /// ln(predicted / simulated) of a figure; `None` where it leans on a number of which nothing is known.
    pub fn predicts(&self, figure: &Asked) -> Option<f64> {
        let leans = |(slope, &unknown): (&f64, &bool)| unknown && slope.abs() >= LEAST_SLOPE;
        let blind = figure.seen.slopes.iter().zip(&self.unknown).any(leans);
        (!blind).then(|| figure.seen.moved(&self.numbers))
    }
}

/// Fits the numbers to all figures but those of one drive's test.
pub fn without(unit: &(String, String), numbers: &[Pinned], figures: &[Asked]) -> Without {
    let (out, rest): (Vec<&Asked>, Vec<&Asked>) = figures.iter().partition(|f| f.unit == *unit);
    let left_out: BTreeSet<&str> = out.iter().map(|figure| figure.id.as_str()).collect();
    let priors = numbers.iter().enumerate().map(|(n, number)| {
        let others: Vec<(&str, f64)> = (rest.iter())
            .map(|figure| (figure.id.as_str(), figure.seen.slopes[n]))
            .collect();
        number.prior(&left_out, &others)
    });
    let priors: Vec<Option<Prior>> = priors.collect();
    // What is fitted besides: the number stands in for nothing, and what leans on it is not predicted.
    let unknown = Prior {
        mean: 0.0,
        deviation: GUESSED,
    };
    let known: Vec<Prior> = priors.iter().map(|p| p.unwrap_or(unknown)).collect();
    let observations: Vec<&Observation> = rest.iter().map(|figure| &figure.seen).collect();
    Without {
        numbers: fit(&observations, &known),
        unknown: priors.iter().map(Option::is_none).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(id: &str, test: &str, published: f64, simulated: f64, slopes: &[f64]) -> Asked {
        Asked {
            id: id.to_owned(),
            unit: ("drive".to_owned(), test.to_owned()),
            seen: Observation {
                gap: (published / simulated).ln(),
                deviation: 0.02,
                slopes: slopes.to_vec(),
            },
        }
    }

    fn number(from: &[&str], elsewhere: &[(f64, &[&str])]) -> Pinned {
        let owned = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect();
        Pinned {
            from: owned(from),
            confidence: "low".to_owned(),
            elsewhere: elsewhere
                .iter()
                .map(|&(ln, ids)| (ln, owned(ids)))
                .collect(),
        }
    }

    fn unit(test: &str) -> (String, String) {
        ("drive".to_owned(), test.to_owned())
    }

    /// A drive whose rate is one over one cost, of which two tests tell, published as 100 and 200. The file has the
    /// cost `factor` times as large as both say.
    fn predicted(factor: f64, published: f64) -> f64 {
        let simulated = [100.0, 200.0].map(|rate| rate / factor);
        let figures = [
            figure("F1", "one", published, simulated[0], &[-1.0]),
            figure("F2", "two", 200.0, simulated[1], &[-1.0]),
        ];
        let without = without(&unit("one"), &[number(&["F1", "F2"], &[])], &figures);
        simulated[0] * without.predicts(&figures[0]).unwrap().exp()
    }

    #[test]
    fn a_figure_that_is_left_out_does_not_tell_what_it_is() {
        let blind = predicted(1.0, 100.0);
        assert!((blind / 100.0 - 1.0).abs() < 0.01, "{blind}");
        // Whatever was published there.
        assert_eq!(predicted(1.0, 50.0), blind);
        // And whatever the file says, which may have been fitted to it.
        let fitted_to_it = predicted(1.3, 100.0);
        assert!((fitted_to_it / blind - 1.0).abs() < 0.02, "{fitted_to_it}");
    }

    #[test]
    fn a_number_that_one_test_alone_pins_is_guessed_from_other_controllers_without_it() {
        let figures = [figure("F1", "one", 100.0, 100.0, &[-1.0])];
        // Others have half of its value, and one has its own since it was taken over from it.
        let guesses: &[(f64, &[&str])] = &[(0.5_f64.ln(), &["A001"]), (0.0, &["F1"])];
        let of_one = without(&unit("one"), &[number(&["F1"], guesses)], &figures);
        let predicted = of_one.predicts(&figures[0]).unwrap();
        assert!((predicted - 2.0_f64.ln()).abs() < 1e-9, "{predicted}");
        // What is announced pins it, whichever test is left out.
        let pinned = number(&["F1", "A001"], guesses);
        let of_one = without(&unit("one"), &[pinned], &figures);
        assert_eq!(of_one.predicts(&figures[0]), Some(0.0));
    }

    #[test]
    fn what_nothing_else_tells_is_not_predicted() {
        let figures = [
            figure("F1", "one", 100.0, 100.0, &[-1.0, 0.0]),
            figure("F2", "two", 100.0, 110.0, &[0.0, 1.0]),
        ];
        let numbers = [number(&["F1"], &[(0.0, &["F1"])]), number(&["F2"], &[])];
        let of_one = without(&unit("one"), &numbers, &figures);
        assert_eq!(of_one.unknown, [true, false]);
        assert_eq!(of_one.predicts(&figures[0]), None);
        // A number that a figure is named for, but that does not answer to it, is not pinned by it.
        let numbers = [number(&["F1", "F2"], &[]), number(&["F2"], &[])];
        assert!(without(&unit("one"), &numbers, &figures).unknown[0]);
    }
}
