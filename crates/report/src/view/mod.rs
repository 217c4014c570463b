//! What a report shows, before it is laid out: families of tests, headline verdicts, charts.

pub mod chart;
pub mod detail;
pub mod headline;
pub mod series;

use std::collections::BTreeMap;

use ftlab_result::{DriveSheet, Figure, ResultSet, Run, TestSheet, Verdict};

/// A result set, indexed the way a report walks it.
pub struct View<'a> {
    /// What is shown.
    pub set: &'a ResultSet,
    /// Families in the order their first test ran.
    pub families: Vec<Family<'a>>,
    /// Figures whose test is not in the set: nothing ran for them.
    pub unplaced: Vec<&'a Figure>,
    /// Drive slugs in order; a drive's place here is its colour in every chart.
    slugs: Vec<&'a str>,
}

/// Tests drawn together.
pub struct Family<'a> {
    /// Anchor in the page.
    pub id: String,
    /// Title all tests of the family carry.
    pub title: &'a str,
    /// The tests, in order: the steps of the chart.
    pub tests: Vec<&'a TestSheet>,
    /// Their runs, by test, then in the order they ran.
    pub runs: Vec<&'a Run>,
    /// Their figures, in the order given.
    pub figures: Vec<&'a Figure>,
}

/// How many figures of a group passed, out of those judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Rows that pass.
    pub pass: usize,
    /// Rows that pass or fail.
    pub judged: usize,
    /// Rows shown without a judgement.
    pub shown: usize,
}

impl<'a> View<'a> {
    pub fn new(set: &'a ResultSet) -> Self {
        let mut families: Vec<Family<'a>> = Vec::new();
        let mut family_of: BTreeMap<&str, usize> = BTreeMap::new();
        for test in &set.tests {
            let index = match families.iter().position(|f| f.title == test.title) {
                Some(index) => index,
                None => {
                    families.push(Family::empty(families.len(), &test.title));
                    families.len() - 1
                }
            };
            family_of.insert(&test.test, index);
            families[index].tests.push(test);
            families[index]
                .runs
                .extend(set.runs.iter().filter(|run| run.test == test.test));
        }
        let mut unplaced = Vec::new();
        for figure in &set.figures {
            // A figure of a whole family, such as its longest latency, names no single test: it
            // goes where the run is that answered it.
            let answered = || set.run(&figure.run).map(|run| run.test.as_str());
            let test = Some(figure.test.as_str()).filter(|test| family_of.contains_key(test));
            match test.or_else(answered).and_then(|test| family_of.get(test)) {
                Some(&index) => families[index].figures.push(figure),
                None => unplaced.push(figure),
            }
        }
        Self {
            set,
            families,
            unplaced,
            slugs: drive_slugs(set),
        }
    }

    /// Slugs of all drives, in order.
    pub fn slugs(&self) -> &[&'a str] {
        &self.slugs
    }

    /// The place of a drive, which is its colour.
    pub fn drive_index(&self, slug: &str) -> usize {
        self.slugs.iter().position(|s| *s == slug).unwrap_or(0)
    }

    /// The name of a drive as sold, or its slug when the set has no sheet for it.
    pub fn drive_name<'b>(&'b self, slug: &'b str) -> &'b str {
        self.sheet(slug).map_or(slug, |sheet| sheet.name.as_str())
    }

    fn sheet(&self, slug: &str) -> Option<&'a DriveSheet> {
        self.set.drives.iter().find(|drive| drive.drive == slug)
    }

    /// The figures without a run, scored.
    pub fn unplaced_score(&self) -> Score {
        score(self.unplaced.iter().copied())
    }

    /// The figures one drive answered, scored.
    pub fn drive_score(&self, slug: &str) -> Score {
        score(
            self.set
                .figures
                .iter()
                .filter(|figure| figure.model == slug),
        )
    }
}

/// Sheets first, so that colours do not depend on what ran; then drives only runs know.
fn drive_slugs(set: &ResultSet) -> Vec<&str> {
    let mut slugs: Vec<&str> = set
        .drives
        .iter()
        .map(|drive| drive.drive.as_str())
        .collect();
    for run in &set.runs {
        if !slugs.contains(&run.drive.as_str()) {
            slugs.push(&run.drive);
        }
    }
    slugs
}

impl<'a> Family<'a> {
    fn empty(index: usize, title: &'a str) -> Self {
        Self {
            id: format!("test-{}", index + 1),
            title,
            tests: Vec::new(),
            runs: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// The step of a test within the family; empty when the family has only one.
    pub fn step(&self, test: &str) -> &'a str {
        match self.tests.iter().find(|sheet| sheet.test == test) {
            Some(sheet) if !sheet.step.is_empty() => &sheet.step,
            Some(sheet) if self.tests.len() > 1 => &sheet.test,
            _ => "",
        }
    }

    /// Ids of the methods, without repeats.
    pub fn methods(&self) -> Vec<&'a str> {
        distinct(self.tests.iter().map(|test| test.method.as_str()))
    }

    /// Paragraphs of method, without repeats.
    pub fn texts(&self) -> Vec<&'a str> {
        distinct(self.tests.iter().map(|test| test.text.as_str()))
    }

    /// States the runs began in, in the order first met.
    pub fn states(&self) -> Vec<&'a str> {
        distinct(self.runs.iter().map(|run| run.state.as_str()))
    }

    /// Whether a label has to name the state to tell runs apart.
    pub fn names_states(&self) -> bool {
        self.states().len() > 1
    }

    /// The family's figures, scored.
    pub fn score(&self) -> Score {
        score(self.figures.iter().copied())
    }
}

impl Score {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Pass => {
                self.pass += 1;
                self.judged += 1;
            }
            Verdict::Fail => self.judged += 1,
            Verdict::Shown => self.shown += 1,
        }
    }
}

fn score<'a>(figures: impl Iterator<Item = &'a Figure>) -> Score {
    let mut score = Score::default();
    figures.for_each(|figure| score.add(figure.verdict));
    score
}

/// The non-empty items, each once, in the order first met.
pub fn distinct<'a>(items: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for item in items {
        if !item.is_empty() && !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}
