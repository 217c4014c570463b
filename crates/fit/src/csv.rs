//! Figures of a drive in a table of their own: a line each of a test, a metric and a value.

use crate::target::{Figures, Kind, Place, Target};
use ftlab_bench::suites::{Suite, Test};
use ftlab_result::quantity;
use serde::Deserialize;
use thiserror::Error;

/// A line of such a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    test: String,
    metric: String,
    value: f64,
    state: Option<String>,
}

/// What is wrong with a table.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CsvError {
    /// It is no table of figures.
    #[error("{0}; the first line names the columns test, metric, value and, if it matters, state")]
    Table(String),
    /// A line cannot be read as a figure.
    #[error("line {0}: {1}")]
    Line(u64, String),
    /// There is no figure in it.
    #[error(
        "it has no figure; a line has the columns test, metric, value and, if it matters, state"
    )]
    Empty,
}

/// The names of the tests in a table.
///
/// # Errors
/// When it is no table of figures.
pub fn tests(text: &str) -> Result<Vec<String>, CsvError> {
    Ok(lines(text)?
        .into_iter()
        .map(|(_, line)| line.test)
        .collect())
}

fn lines(text: &str) -> Result<Vec<(u64, Line)>, CsvError> {
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let header = reader
        .headers()
        .map_err(|why| CsvError::Table(why.to_string()))?
        .clone();
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|why| CsvError::Table(why.to_string()))?;
        let number = record.position().map_or(0, ::csv::Position::line);
        let line = record
            .deserialize(Some(&header))
            .map_err(|why| unread(&header, number, &why))?;
        lines.push((number, line));
    }
    match lines.is_empty() {
        true => Err(CsvError::Empty),
        false => Ok(lines),
    }
}

/// Why a line is none: the column that is wrong, or that the header lacks.
fn unread(header: &::csv::StringRecord, number: u64, why: &::csv::Error) -> CsvError {
    let ::csv::ErrorKind::Deserialize { err, .. } = why.kind() else {
        return CsvError::Table(why.to_string());
    };
    match err.field().and_then(|n| header.get(n as usize)) {
        Some(column) => CsvError::Line(number, format!("the {column}: {}", err.kind())),
        None => CsvError::Table(err.kind().to_string()),
    }
}

/// Reads the figures that a table has of a drive. The suite has the tests, and `capacity_bytes` is what the host sees.
///
/// # Errors
/// When a line is no figure that a test of the suite gives.
pub fn target(
    text: &str,
    suite: &Suite,
    name: &str,
    capacity_bytes: u64,
) -> Result<Target, CsvError> {
    let tests: Vec<Test> = suite.tests().collect();
    let mut figures = Figures::new();
    for (number, line) in lines(text)? {
        let (place, value) = figure(&tests, line).map_err(|why| CsvError::Line(number, why))?;
        if figures.contains_key(&place) {
            let why = format!("{} of {} is there twice", place.metric, place.test);
            return Err(CsvError::Line(number, why));
        }
        figures.insert(place, value);
    }
    Ok(Target {
        name: name.to_owned(),
        capacity_bytes,
        figures,
        measured: "of a table".to_owned(),
    })
}

fn figure(tests: &[Test], line: Line) -> Result<(Place, f64), String> {
    let Line {
        test,
        metric,
        value,
        state,
    } = line;
    let Some(of) = tests.iter().find(|of| of.answers_to(&test)) else {
        return Err(format!("the suite has no test {test}"));
    };
    if Kind::of(&metric).is_none() {
        let known = quantity::is_known(&metric);
        let why = if known {
            "is no rate, amount or percentile up to the 99.9th"
        } else {
            "is no metric"
        };
        return Err(format!(
            "{metric} {why}; `ftlab review` prints those of a test"
        ));
    }
    if !(value.is_finite() && value > 0.0) {
        return Err(format!(
            "{value} is no value of {metric}: it must be above 0"
        ));
    }
    let states = of.states();
    let state = state.unwrap_or_else(|| states[0].to_owned());
    if !states.contains(&&*state) {
        return Err(format!(
            "{test} runs in no state {state}: give {}",
            states.join(" or ")
        ));
    }
    let place = Place {
        test: of.step.slug.clone(),
        state,
        metric,
    };
    Ok((place, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_bench::suites;

    fn read(text: &str) -> Result<Target, CsvError> {
        target(text, &suites::named("modern").unwrap(), "mine", 1 << 30)
    }

    #[test]
    fn figures_are_those_of_the_tests_first_states_unless_a_state_is_said() {
        let text = "test,metric,value,state\n\
                    nvme-randread-4k-qd1,iops,12000,\n\
                    randwrite-4k-used-50,write_amp,1.2,used-50\n";
        assert_eq!(
            tests(text).unwrap(),
            ["nvme-randread-4k-qd1", "randwrite-4k-used-50"]
        );
        let figures = read(text).unwrap().figures;
        let states: Vec<&str> = figures.keys().map(|place| &*place.state).collect();
        assert_eq!(states, ["steady", "used-50"]);
        assert_eq!(figures.into_values().collect::<Vec<_>>(), [12_000.0, 1.2]);
    }

    #[test]
    fn a_line_that_is_no_figure_is_refused_by_its_number() {
        for (line, says) in [
            ("nonesuch,iops,1,", "line 2: the suite has no test nonesuch"),
            ("nvme-randread-4k-qd1,speed,1,", "speed is no metric"),
            (
                "nvme-randread-4k-qd1,lat_max_ms,1,",
                "is no rate, amount or percentile",
            ),
            (
                "nvme-randread-4k-qd1,iops,0,",
                "0 is no value of iops: it must be above 0",
            ),
            ("nvme-randread-4k-qd1,iops,NaN,", "NaN is no value"),
            (
                "nvme-randread-4k-qd1,iops,1,new",
                "runs in no state new: give steady",
            ),
            (
                "nvme-randread-4k-qd1,iops,many,",
                "line 2: the value: invalid float literal",
            ),
            (
                "nvme-randread-4k-qd1,iops,1,\nnvme-randread-4k-qd1,iops,2,steady",
                "line 3: iops of nvme-randread-4k-qd1 is there twice",
            ),
            ("", "it has no figure"),
        ] {
            let why = read(&format!("test,metric,value,state\n{line}\n"))
                .unwrap_err()
                .to_string();
            assert!(why.contains(says), "{line}: {why}");
        }
        let why = read("test,value\nnvme-randread-4k-qd1,1\n")
            .unwrap_err()
            .to_string();
        assert!(why.contains("columns test, metric, value"), "{why}");
        let why = read("").unwrap_err().to_string();
        assert!(
            why.starts_with("it has no figure; a line has the columns"),
            "{why}"
        );
    }
}
