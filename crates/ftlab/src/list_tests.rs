//! `ftlab tests`: the reviews' tests, by code and by name.

use crate::failure::Outcome;
use crate::options::OutputFormat;
use crate::screen;
use crate::suite::SuiteOption;
use clap::Args;
use ftlab_bench::loads::OwnLoad;
use ftlab_bench::suites::{Family, Runs, Test};
use ftlab_play::driver::Clock;
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ftlab tests
  ftlab tests A2 randread-4k-qd1
  ftlab tests --output-format json")]
pub struct Options {
    /// Tests to describe in full: a code, a name, or the name of one of its steps; without any, all tests, a line each
    tests: Vec<String>,
    #[command(flatten)]
    suite: SuiteOption,
    /// Output format
    #[arg(long, value_enum, default_value_t = OutputFormat::Normal)]
    output_format: OutputFormat,
}

/// A test, as its review has it.
#[derive(Debug, Serialize)]
struct Row {
    /// Selects it, for example `A2`.
    code: String,
    /// Selects it, too.
    name: String,
    /// What it measures, in a few words.
    title: String,
    /// What is done, on what state, and what had to be assumed.
    text: String,
    /// What its chart draws.
    metric: String,
    unit: String,
    /// The machine it runs on; empty for one of the time of each drive.
    testbed: String,
    /// The drives for which it runs without being named: `any`, `any with --all`, or which with `--all`.
    runs_on: String,
    /// Its steps: each can be named alone.
    steps: Vec<StepRow>,
}

#[derive(Debug, Serialize)]
struct StepRow {
    name: String,
    /// What it varies.
    label: String,
}

impl Row {
    fn of(family: &Family, steps: &[Test]) -> Row {
        let steps = steps.iter().map(|test| StepRow {
            name: test.step.slug.clone(),
            label: test.step.label.clone(),
        });
        Row {
            code: family.method.clone(),
            name: family.slug.clone(),
            title: family.title.clone(),
            text: family.words(),
            metric: family.metric.clone(),
            unit: family.unit.clone(),
            testbed: family.testbed.clone().unwrap_or_default(),
            runs_on: match &family.runs {
                Runs::ByDefault => "any".to_owned(),
                Runs::ByDefaultOn(drives) => drives.join(", "),
                Runs::WithAll => "any with --all".to_owned(),
                Runs::WithAllOn(drives) => format!("{} with --all", drives.join(", ")),
            },
            steps: steps.collect(),
        }
    }

    fn of_load(own: &OwnLoad) -> Row {
        let sheet = own.sheet(Clock::Timed);
        Row {
            code: sheet.method,
            name: own.name.clone(),
            title: sheet.title,
            text: sheet.text,
            metric: sheet.chart_metric,
            unit: sheet.chart_unit,
            testbed: own.load.testbed().unwrap_or_default().to_owned(),
            runs_on: "any".to_owned(),
            steps: vec![StepRow {
                name: sheet.test,
                label: sheet.step,
            }],
        }
    }
}

pub fn command(options: &Options) -> Outcome {
    let (tests, loads) = options.suite.select(&options.tests, None)?;
    let families = tests.chunk_by(|one, next| Arc::ptr_eq(&one.family, &next.family));
    let families = families.map(|steps| Row::of(&steps[0].family, steps));
    let mut rows: Vec<Row> = families.chain(loads.iter().map(Row::of_load)).collect();
    // A letter for the source, and a number.
    rows.sort_by_key(|row| (row.code.chars().next(), row.code.len(), row.code.clone()));
    screen::print(&match options.output_format {
        OutputFormat::Json => screen::json(&rows)?,
        OutputFormat::Normal if options.tests.is_empty() => list(&rows),
        OutputFormat::Normal => rows.iter().map(sheet).collect::<Vec<_>>().join("\n"),
    })
}

/// A line a test.
fn list(rows: &[Row]) -> String {
    let mut table = screen::table(&["code", "name", "what it measures", "steps"]);
    for row in rows {
        let steps = row.steps.len().to_string();
        table.add_row([&row.code, &row.name, &row.title, &steps]);
    }
    screen::lines(table) + "\nftlab tests CODE tells more about one; --test takes codes and names\n"
}

/// All about a test.
fn sheet(row: &Row) -> String {
    let mut out = format!(
        "{} {}: {}\n\n{}\n\n",
        row.code, row.name, row.title, row.text
    );
    let steps = row.steps.iter();
    let steps: Vec<String> = steps
        .map(|step| match step.label.as_str() {
            "" => step.name.clone(),
            label => format!("{} ({label})", step.name),
        })
        .collect();
    for (what, words) in [
        ("steps", steps.join(", ")),
        (
            "chart",
            format!("{} {}", row.metric, row.unit).trim_end().to_owned(),
        ),
        (
            "testbed",
            match row.testbed.as_str() {
                "" => "one of the time of each drive".to_owned(),
                named => named.to_owned(),
            },
        ),
        ("runs on", row.runs_on.clone()),
    ] {
        writeln!(out, "{what:<8}  {words}").expect("writing to a string succeeds");
    }
    out
}
