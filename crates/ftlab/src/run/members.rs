//! `--members N` runs N drives of a class in place of a drive of which only the class is known, and prints the range of their
//! figures.

use crate::failure::Failure;
use crate::progress::Signs;
use crate::screen;
use clap::Args;
use comfy_table::{Cell, CellAlignment};
use ftlab_drive::{Choice, DriveFile};
use ftlab_lab::{Subject, Variant};
use ftlab_result::{ResultSet, Run, Traffic, quantity};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Args)]
pub struct MembersOption {
    /// Run N drives of the drive's class, within what its file says, and print the range of their figures: for a drive that is
    /// known by its data sheet
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1000), conflicts_with_all = ["smart", "repeats", "save_state", "from_state"])]
    members: Option<u32>,
}

/// By how much a figure differs between the alternatives of a choice for which it is said to depend on it.
const DEPENDS: f64 = 2.0;

/// Nanoseconds of a microsecond.
const US: f64 = 1e3;

/// A figure of a run or of a job.
type Of = fn(&Traffic) -> f64;

fn percentile(traffic: &Traffic, percent: f64) -> f64 {
    let at = traffic
        .lat_ns_percentiles
        .iter()
        .find(|(of, _)| *of == percent);
    at.map_or(f64::NAN, |(_, ns)| *ns as f64 / US)
}

const FIGURES: [(&str, Of); 5] = [
    ("IOPS", |traffic| traffic.iops),
    ("MB/s", |traffic| traffic.bytes_per_s / 1e6),
    ("p50, us", |traffic| percentile(traffic, 50.0)),
    ("p99, us", |traffic| percentile(traffic, 99.0)),
    ("p99.9, us", |traffic| percentile(traffic, 99.9)),
];

/// The first of them that is no rate.
const RATES: usize = 2;

impl MembersOption {
    /// True if ranges are printed.
    pub fn is_given(&self) -> bool {
        self.members.is_some()
    }

    /// The members of the drives that were asked for, in place of these.
    ///
    /// # Errors
    /// When a drive's file leaves nothing to its class, or jobs name their drives.
    pub fn of(&self, drives: Vec<Subject>, signs: Signs) -> Result<Vec<Subject>, Failure> {
        let Some(count) = self.members else {
            return Ok(drives);
        };
        let mut members = Vec::new();
        for drive in drives {
            members.extend(of_drive(&drive, count, signs)?);
        }
        Ok(members)
    }
}

fn of_drive(drive: &Subject, count: u32, signs: Signs) -> Result<Vec<Subject>, Failure> {
    let Some(file) = drive.only() else {
        let why = "--members: drives that jobs name are what they are; leave it out";
        return Err(Failure::Input(why.to_owned()));
    };
    let spread = file.spread();
    if spread.is_empty() {
        return Err(Failure::Input(format!(
            "--members: {} leaves nothing to a class: its file says every number itself, or its base gives no ranges; make the drive \
             from its data sheet with `ftlab calibrate --sheet`",
            drive.slug()
        )));
    }
    let numbers = spread.ranges.iter().map(|range| {
        let [least, most] = range.bounds;
        format!("{} from {least} to {most} {}", range.key, range.unit)
    });
    let choices = spread.choices.iter().map(|(name, choice)| {
        let of: Vec<String> = choice
            .of
            .iter()
            .map(|settings| settings.join(" and "))
            .collect();
        format!("{name}: {}", of.join(", or "))
    });
    let all: Vec<String> = numbers.chain(choices).collect();
    signs.tell(&format!(
        "note: {count} members of {} differ in {}\n",
        drive.id(),
        all.join("; ")
    ));
    let made = file.members(count)?.into_iter().enumerate();
    let subject = |(n, (member, settings)): (usize, (_, Vec<String>))| {
        let variant = drive.variant();
        let name = format!("member-{}", n + 1);
        let name = match variant.name.as_str() {
            "" => name,
            of => format!("{of},{name}"),
        };
        let mut at = variant.at.clone();
        at.push(n);
        Subject::from(member).being(Variant {
            at,
            settings: [variant.settings.as_slice(), &settings].concat(),
            name,
        })
    };
    Ok(made.map(subject).collect())
}

/// The ranges of the figures of all runs of each load on members of a drive.
pub fn text(set: &ResultSet, drives: &[Subject]) -> String {
    let mut groups: Vec<(String, Vec<&Run>)> = Vec::new();
    for run in &set.runs {
        let name = group(&run.id);
        match groups.iter_mut().find(|(of, _)| *of == name) {
            Some((_, runs)) => runs.push(run),
            None => groups.push((name, vec![run])),
        }
    }
    let texts = groups.iter().map(|(name, runs)| {
        let drive = drives.iter().find(|drive| name.starts_with(drive.slug()));
        let choices = drive.and_then(Subject::only).map(DriveFile::choices);
        of_group(name, runs, choices)
    });
    let texts: Vec<String> = texts.collect();
    texts.join("\n")
}

/// The id of a run without the number of the member.
fn group(id: &str) -> String {
    let Some((before, rest)) = id.split_once("member-") else {
        return id.to_owned();
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{}{rest}", before.trim_end_matches(['@', ',']))
}

/// A figure of all members: whose, which, and its values in the order of the runs.
struct Figure {
    of: String,
    name: &'static str,
    values: Vec<f64>,
}

/// The figures of runs of one load.
fn figures(runs: &[&Run]) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut add = |of: &str, from: usize, traffic: &dyn Fn(&Run) -> Option<Traffic>| {
        let all: Vec<Traffic> = runs.iter().filter_map(|run| traffic(run)).collect();
        if all.len() < runs.len() || all.iter().all(Traffic::is_none) {
            return;
        }
        figures.extend(FIGURES.iter().skip(from).map(|(name, value)| Figure {
            of: of.to_owned(),
            name,
            values: all.iter().map(value).collect(),
        }));
    };
    add("read", 0, &|run| Some(run.read.clone()));
    add("write", 0, &|run| Some(run.write.clone()));
    // Latencies of the jobs by themselves, where there are several.
    let jobs = runs.first().map_or(&[][..], |run| &run.jobs);
    for (n, job) in jobs.iter().enumerate().filter(|_| jobs.len() > 1) {
        add(&format!("{}: read", job.name), RATES, &|run| {
            Some(run.jobs.get(n)?.read.clone())
        });
        add(&format!("{}: write", job.name), RATES, &|run| {
            Some(run.jobs.get(n)?.write.clone())
        });
    }
    let wa = runs
        .iter()
        .filter_map(|run| quantity::value(run, quantity::table::WA.name, None));
    figures.push(Figure {
        of: String::new(),
        name: "write amplification",
        values: wa.collect(),
    });
    figures
}

fn of_group(name: &str, runs: &[&Run], choices: Option<&BTreeMap<String, Choice>>) -> String {
    let mut table = screen::table(&["", "figure", "least", "10 %", "median", "90 %", "most"]);
    let figures = figures(runs);
    for figure in &figures {
        let mut values = figure.values.clone();
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        if values.is_empty() {
            continue;
        }
        let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
        let cells = [0.0, 0.1, 0.5, 0.9, 1.0].map(|share| screen::short(at(share)));
        let mut row = vec![Cell::new(&figure.of), Cell::new(figure.name)];
        row.extend(cells.map(|cell| Cell::new(cell).set_alignment(CellAlignment::Right)));
        table.add_row(row);
    }
    let depend = |figure| Some(format!("{}\n", depends(figure, runs, choices?)?));
    let depend: String = figures.iter().filter_map(depend).collect();
    format!(
        "# {name}: {} members\n{}\n{depend}",
        runs.len(),
        screen::lines(table)
    )
}

/// Says which choice of makers decides a figure, if one does.
fn depends(figure: &Figure, runs: &[&Run], choices: &BTreeMap<String, Choice>) -> Option<String> {
    let is_set = |run: &Run, setting: &String| {
        let (key, value) = setting.split_once('=').unwrap_or_default();
        run.settings.get(key).is_some_and(|is| is == value)
    };
    choices.iter().find_map(|(name, choice)| {
        let alternatives: BTreeSet<&Vec<String>> = choice.of.iter().collect();
        let median = |settings: &Vec<String>| {
            let has = |run: &Run| settings.iter().all(|setting| is_set(run, setting));
            let values = runs.iter().zip(&figure.values).filter(|(run, _)| has(run));
            let mut values: Vec<f64> = values.map(|(_, value)| *value).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied()
        };
        let each: Vec<(f64, String)> = alternatives
            .iter()
            .filter_map(|settings| Some((median(settings)?, settings.join(" and "))))
            .collect();
        let of = |pick: fn(f64, f64) -> f64| each.iter().map(|(median, _)| *median).reduce(pick);
        let differs = of(f64::max)? > DEPENDS * of(f64::min)?;
        let words = each
            .iter()
            .map(|(median, settings)| format!("{} with {settings}", screen::short(*median)));
        let words: Vec<String> = words.collect();
        let whose = format!("{} {}", figure.of, figure.name);
        differs.then(|| format!("{} depends on {name}: {}", whose.trim(), words.join("; ")))
    })
}
