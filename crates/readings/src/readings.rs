//! What files say of measurements, and the result set that it makes.

use crate::error::ReadingError;
use crate::left::{Ledger, Left};
use crate::source::Source;
use ftlab_result::{Chart, DriveKind, DriveSheet, Parameter, ResultSet, Run, TestSheet};
use std::collections::BTreeSet;

/// The word for what nobody said.
pub const UNKNOWN: &str = "unknown";

/// The tests and runs of some files.
#[derive(Debug, Default)]
pub struct Readings {
    /// One for each measurement, in the order of the files.
    pub each: Vec<Reading>,
    /// What files say of the device and of the machine.
    pub device: Device,
    /// What they say and results have no place for.
    pub left: Ledger,
}

/// A measurement: a test, and the run of it.
#[derive(Debug)]
pub struct Reading {
    /// The test, whose name is the measurement's.
    pub sheet: TestSheet,
    /// The run; what files do not say of it has no name.
    pub run: Run,
    /// Where it is from, if ftlab has made it and no real drive.
    pub modelled: Option<Modelled>,
}

/// What ftlab says of a run of a model, in fio's JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modelled {
    /// The drive.
    pub drive: String,
    /// The test machine.
    pub testbed: String,
    /// Version of ftlab.
    pub version: String,
    /// Version of the model.
    pub model_version: u32,
    /// Root of the random streams.
    pub seed: u64,
}

/// What files say of the device and of the machine it was in.
#[derive(Debug, Default)]
pub struct Device {
    /// The model.
    pub model: Option<String>,
    /// Bytes that the host saw.
    pub capacity_bytes: Option<u64>,
    /// Other facts, by key.
    pub facts: Vec<Parameter>,
}

impl Reading {
    /// A measurement of a real drive.
    #[must_use]
    pub fn measured(sheet: TestSheet, run: Run) -> Reading {
        Reading {
            sheet,
            run,
            modelled: None,
        }
    }
}

impl Device {
    /// Notes a fact and the file that says it; one that another file has said is known.
    pub fn fact(&mut self, key: &str, value: &str, unit: &str, source: &Source) {
        let is_known = |fact: &Parameter| fact.key == key && fact.value == value;
        if value.is_empty() || self.facts.iter().any(is_known) {
            return;
        }
        self.facts.push(Parameter {
            key: key.to_owned(),
            value: value.to_owned(),
            unit: unit.to_owned(),
            source: "imported".to_owned(),
            confidence: "high".to_owned(),
            from: Vec::new(),
            note: source.name.clone(),
            base: String::new(),
        });
    }
}

/// What a user says of the drive, and of the way it was measured in.
#[derive(Debug, Clone)]
pub struct Said {
    /// The drive, as far as it is known.
    pub drive: DriveSheet,
    /// The drive's state when each measurement began.
    pub state: String,
    /// The link to it.
    pub link: String,
    /// The machine.
    pub testbed: String,
}

/// A sheet of a drive of which nothing is known but its name.
#[must_use]
pub fn named(name: Option<&str>) -> DriveSheet {
    let name = name.filter(|name| !slug(name).is_empty());
    DriveSheet {
        drive: name.map_or_else(|| UNKNOWN.to_owned(), slug),
        name: name.unwrap_or("a drive without a name").to_owned(),
        summary: "A real drive, measured elsewhere.".to_owned(),
        kind: DriveKind::Unknown,
        capacity_bytes: 0,
        file_hash: String::new(),
        parameters: Vec::new(),
        alone: Vec::new(),
        alone_on: String::new(),
        members: Vec::new(),
    }
}

/// A name as results have it: its letters and digits, small, with hyphens between.
#[must_use]
pub fn slug(name: &str) -> String {
    let name = name.to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// The name of a test: what `ftlab run` calls a file of that name, without what would be part of a path.
#[must_use]
pub fn test_name(name: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || "-_.+=".contains(c);
    let name: String = name
        .chars()
        .map(|c| if kept(c) { c } else { '-' })
        .collect();
    match name.trim_matches('-') {
        "" => UNKNOWN.to_owned(),
        name => name.to_owned(),
    }
}

impl Readings {
    /// What ftlab says of the runs, if they are of a model.
    ///
    /// # Errors
    /// When some are and others are not, and when they are not of one drive, machine and seed.
    pub fn modelled(&self) -> Result<Option<Modelled>, ReadingError> {
        let first = self
            .each
            .first()
            .and_then(|reading| reading.modelled.clone());
        let other = self.each.iter().find(|reading| reading.modelled != first);
        match other {
            None => Ok(first),
            Some(other) => Err(ReadingError::new(
                &other.sheet.test,
                "it and the others are not of one drive, machine, seed and model; import what belongs together",
            )),
        }
    }

    /// Puts tests and runs into a set of one drive, and returns what was left out.
    pub fn into_set(self, said: &Said, set: &mut ResultSet) -> Vec<Left> {
        let drive = DriveSheet {
            parameters: [said.drive.parameters.clone(), self.device.facts].concat(),
            ..said.drive.clone()
        };
        let mut taken = BTreeSet::new();
        let or = |own: &str, said: &String| match own {
            "" => said.clone(),
            own => own.to_owned(),
        };
        for Reading { mut sheet, run, .. } in self.each {
            sheet.test = free_name(&sheet.test, &mut taken);
            let state = or(&run.state, &said.state);
            set.runs.push(Run {
                id: format!("{}/{}/{state}", drive.drive, sheet.test),
                drive: drive.drive.clone(),
                test: sheet.test.clone(),
                link: or(&run.link, &said.link),
                testbed: or(&run.testbed, &said.testbed),
                state,
                ..run
            });
            set.tests.push(sheet);
        }
        set.drives.push(drive);
        draw_lines(&mut set.tests);
        self.left.rows()
    }
}

/// The name, with a number behind it if it is taken.
fn free_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut number = 1;
    let mut free = name.to_owned();
    while !taken.insert(free.clone()) {
        number += 1;
        free = format!("{name}-{number}");
    }
    free
}

/// Tests of one title that differ by their depth alone are drawn as a line.
fn draw_lines(tests: &mut [TestSheet]) {
    let depth = |test: &TestSheet| -> Option<u32> { test.step.strip_prefix("QD ")?.parse().ok() };
    let family = |test: &TestSheet| (test.title.clone(), test.chart_metric.clone());
    let families: BTreeSet<_> = tests.iter().map(family).collect();
    for of in families {
        let mut own: Vec<&mut TestSheet> =
            tests.iter_mut().filter(|test| family(test) == of).collect();
        let depths: Option<BTreeSet<u32>> = own.iter().map(|test| depth(test)).collect();
        if depths.is_some_and(|depths| depths.len() > 1 && depths.len() == own.len()) {
            own.iter_mut().for_each(|test| test.chart = Chart::Lines);
        }
    }
}
