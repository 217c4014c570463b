//! Latin hypercubes: N points of which each range is hit once in every N-th of it.

use crate::Value;
use ftlab_base::{RootSeed, strata};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The values of a key, from which each point takes one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Span {
    /// Anything from one number to another; whole numbers where both are written as such.
    Range {
        /// The lower end, in the unit of the drive file.
        from: toml::Value,
        /// The upper end, greater than the lower one. Among whole numbers it is drawn, too.
        to: toml::Value,
        /// Parts have the same ratio, and not the same difference.
        #[serde(default)]
        log: bool,
    },
    /// One of these, each as often as the others.
    Choice(Vec<toml::Value>),
}

/// A span that was checked.
enum Checked {
    Range {
        from: f64,
        to: f64,
        log: bool,
        is_whole: bool,
    },
    Choice(Vec<Value>),
}

/// The points, a value a key each. The same spans, number and seed give the same points; another key has a stream of
/// its own and moves no other.
///
/// # Errors
/// Which span is none, and why.
pub fn points(
    spans: &BTreeMap<String, Span>,
    points: u32,
    seed: u64,
) -> Result<Vec<BTreeMap<String, Value>>, String> {
    let mut all = vec![BTreeMap::new(); points as usize];
    for (key, span) in spans {
        let span = checked(span).map_err(|why| format!("{key}: {why}"))?;
        let mut stream = RootSeed(seed).derive("latin-hypercube").stream(key);
        let strata = strata(points, &mut stream);
        for (point, stratum) in all.iter_mut().zip(strata) {
            let inside: f64 = stream.random();
            let share = (f64::from(stratum) + inside) / f64::from(points);
            point.insert(key.clone(), span.at(share));
        }
    }
    Ok(all)
}

fn checked(span: &Span) -> Result<Checked, String> {
    match span {
        Span::Choice(values) => {
            let values = values
                .iter()
                .map(Value::of)
                .collect::<Result<Vec<_>, _>>()?;
            match values.is_empty() {
                true => Err("an empty list; give at least one value".to_owned()),
                false => Ok(Checked::Choice(values)),
            }
        }
        Span::Range { from, to, log } => {
            let number = |value| Value::of(value).ok().and_then(|value| value.number());
            let (Some(least), Some(most)) = (number(from), number(to)) else {
                return Err("from and to must be numbers, in the unit of the drive file".to_owned());
            };
            // A logarithm needs numbers above 0; an empty range has no parts to draw from.
            if least >= most || (*log && least <= 0.0) {
                return Err(format!(
                    "from {least} to {most} is no range; from must be less than to, and above 0 with log"
                ));
            }
            Ok(Checked::Range {
                from: least,
                to: most,
                log: *log,
                is_whole: from.is_integer() && to.is_integer(),
            })
        }
    }
}

impl Checked {
    /// The value at a share of the span, from 0 to below 1.
    fn at(&self, share: f64) -> Value {
        match self {
            Checked::Choice(values) => {
                let n = (share * values.len() as f64) as usize;
                values[n.min(values.len() - 1)].clone()
            }
            &Checked::Range {
                from,
                to,
                log,
                is_whole,
            } => {
                // Every whole number has as much room as the others.
                let to = if is_whole { to + 1.0 } else { to };
                let value = match log {
                    true => from * (to / from).powf(share),
                    false => from + (to - from) * share,
                };
                Value::Number(match is_whole {
                    true => value.floor().min(to - 1.0),
                    false => six_digits(value),
                })
            }
        }
    }
}

/// A number to six digits: enough to tell points apart, and the same whatever library raised it to a power.
fn six_digits(number: f64) -> f64 {
    format!("{number:.5e}")
        .parse()
        .expect("it was written as a number")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> BTreeMap<String, Span> {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn every_part_of_a_range_is_hit_once() {
        let text = "a = { from = 0.1, to = 0.5 }\nb = { from = 1, to = 8 }\nc = ['x', 'y']\nd = { from = 1.0, to = 100.0, log = true }";
        let cube = points(&spans(text), 8, 1).unwrap();
        let mut of_a: Vec<usize> = cube
            .iter()
            .map(|point| ((point["a"].number().unwrap() - 0.1) / 0.05) as usize)
            .collect();
        of_a.sort_unstable();
        assert_eq!(of_a, (0..8).collect::<Vec<_>>());
        let mut of_b: Vec<f64> = cube.iter().map(|p| p["b"].number().unwrap()).collect();
        of_b.sort_by(f64::total_cmp);
        assert_eq!(of_b, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let x = Value::Word("x".to_owned());
        assert_eq!(cube.iter().filter(|point| point["c"] == x).count(), 4);
        let small = |point: &&BTreeMap<String, Value>| point["d"].number().unwrap() < 10.0;
        assert_eq!(cube.iter().filter(small).count(), 4);
        // Another key moves no other, another seed all of them.
        assert_eq!(
            points(&spans("b = { from = 1, to = 8 }"), 8, 1).unwrap()[3]["b"],
            cube[3]["b"]
        );
        assert_ne!(points(&spans(text), 8, 2).unwrap(), cube);
    }

    #[test]
    fn what_is_no_range_is_refused_by_its_key() {
        for (text, why) in [
            ("a = { from = 2, to = 1 }", "a: from 2 to 1 is no range"),
            ("a = { from = 0, to = 1, log = true }", "above 0 with log"),
            ("a = { from = 'x', to = 1 }", "must be numbers"),
            ("a = []", "an empty list"),
        ] {
            let error = points(&spans(text), 4, 1).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
