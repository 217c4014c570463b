//! Everything that a report shows, before it is laid out: families of tests, verdicts, the data of charts.

pub mod answer;
pub mod colours;
pub mod condition;
mod courses;
pub mod errors;
pub mod family_data;
pub mod headline;
pub mod measure;
pub mod plan;
pub mod preparation;
pub mod pts;
pub mod purpose;
pub mod repeats;
pub mod series;
pub mod standing;

use ftlab_result::quantity::{self, table};
use std::collections::BTreeMap;

use crate::pair::Pair;
use ftlab_result::{DriveSheet, Figure, ResultSet, Role, Run, TestSheet, Verdict};

/// A result set, indexed the way a report walks it.
pub struct View<'a> {
    /// The results that are shown.
    pub set: &'a ResultSet,
    /// The real drive and the model that they are of, where they are shown side by side.
    pub pair: Option<&'a Pair<'a>>,
    /// Families: review by review as their first tests ran, within a review by the numbers of their methods.
    pub families: Vec<Family<'a>>,
    /// Figures whose test is not in the set: nothing ran for them.
    pub unplaced: Vec<&'a Figure>,
    /// Drive slugs in order.
    slugs: Vec<&'a str>,
    places: BTreeMap<&'a str, usize>,
    sheets: BTreeMap<&'a str, &'a DriveSheet>,
    /// The beginning that the names of all drives share, those of variants of one: `Acme One, `; empty for drives that differ.
    common: &'a str,
}

/// Stands between the name of a drive and each setting of a variant of it.
const BETWEEN_SETTINGS: &str = ", ";

/// The longest beginning that the names of several drives share, up to where a setting begins.
fn common_name(drives: &[DriveSheet]) -> &str {
    let [first, _, ..] = drives else {
        return "";
    };
    let starts = |start: &&str| {
        let mut names = drives.iter().map(|drive| drive.name.as_str());
        names.all(|name| name.len() > start.len() && name.starts_with(start))
    };
    let ends = first.name.rmatch_indices(BETWEEN_SETTINGS);
    ends.map(|(at, between)| &first.name[..at + between.len()])
        .find(starts)
        .unwrap_or_default()
}

/// Tests that are drawn together.
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

/// The number of figures of a group that passed, out of those judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Number of rows that pass.
    pub pass: usize,
    /// Rows that pass or fail.
    pub judged: usize,
    /// Rows shown without a judgement.
    pub shown: usize,
}

impl<'a> View<'a> {
    pub fn new(set: &'a ResultSet) -> Self {
        let slugs = drive_slugs(set);
        let (families, unplaced) = families(set);
        Self {
            set,
            pair: None,
            families,
            unplaced,
            places: slugs
                .iter()
                .enumerate()
                .map(|(i, slug)| (*slug, i))
                .collect(),
            sheets: set
                .drives
                .iter()
                .map(|drive| (drive.drive.as_str(), drive))
                .collect(),
            slugs,
            common: common_name(&set.drives),
        }
    }

    /// The results of both sides of a pair, `set`, as those of two drives.
    pub fn of_pair(set: &'a ResultSet, pair: &'a Pair<'a>) -> Self {
        Self {
            pair: Some(pair),
            ..Self::new(set)
        }
    }

    /// Slugs of all drives, in order.
    pub fn slugs(&self) -> &[&'a str] {
        &self.slugs
    }

    /// The place of a drive in every list of the page.
    pub fn drive_index(&self, slug: &str) -> usize {
        self.places.get(slug).copied().unwrap_or(0)
    }

    /// The name of a drive among the others, or its slug when the set has no sheet for it: as sold, and of variants what
    /// tells them apart.
    pub fn drive_name<'b>(&'b self, slug: &'b str) -> &'b str {
        self.sheet(slug)
            .map_or(slug, |sheet| &sheet.name[self.common.len()..])
    }

    /// True if the set is of one load that a user gave, on several drives that are no variants of one.
    pub fn is_of_own_load(&self) -> bool {
        let is_own = self.set.figures.is_empty() && self.families.len() == 1;
        is_own
            && self.variants_of().is_none()
            && self.set.tests.len() == 1
            && !self.is_of_specification()
    }

    /// The drive that all drives here are variants of.
    pub fn variants_of(&self) -> Option<&'a str> {
        self.common.strip_suffix(BETWEEN_SETTINGS)
    }

    /// The name as sold of one of several drives that tests ran on, by the name that loads have for it.
    pub fn member_name(&self, slug: &str, name: &str) -> &'a str {
        let members = self.sheet(slug).map_or(&[][..], |sheet| &sheet.members);
        let member = members.iter().find(|member| member.name == name);
        member.map_or("", |member| &member.drive.name)
    }

    /// A metric of a figure in words, with the drive or program it is compared with.
    pub fn metric_words(&self, metric: &str) -> String {
        if let Some((of, drive)) = metric.split_once("ratio_vs_") {
            let of = match of.trim_end_matches('_') {
                "" => table::MB_S.name,
                of if of == table::LAT_AVG.name => table::LAT_AVG_MS.name,
                "extract_time" => "extract_seconds",
                "time" => table::SECONDS.name,
                other => other,
            };
            let other = self.other_name(drive);
            return format!("{}, over that of {other}", quantity::words(of));
        }
        if let Some(drive) = metric.strip_prefix("advantage_vs_") {
            let other = self.other_name(drive.trim_end_matches("_pct"));
            return format!("Time saved in creating the archive, against {other}");
        }
        match metric {
            "extra_seconds_vs_3dsmax_alone" => "Time beyond that of 3ds Max alone".to_owned(),
            other => quantity::words(other),
        }
    }

    /// The drive that another is compared with.
    fn other_name(&self, slug: &str) -> &str {
        self.sheet(slug)
            .map_or("a drive that is not in this report", |sheet| &sheet.name)
    }

    /// The sheet of a drive.
    pub fn sheet(&self, slug: &str) -> Option<&'a DriveSheet> {
        self.sheets.get(slug).copied()
    }

    /// Tells if a run is of a test with this role.
    pub fn has_role(&self, run: &Run, role: Role) -> bool {
        let mut tests = self.set.tests.iter();
        tests.any(|test| test.test == run.test && test.has(role))
    }

    /// The family a test belongs to.
    pub fn family_of(&self, test: &str) -> Option<&Family<'a>> {
        self.families
            .iter()
            .find(|family| family.tests.iter().any(|sheet| sheet.test == test))
    }

    /// The family a figure stands in, also one of the whole family.
    pub fn family_of_figure(&self, figure: &Figure) -> Option<&Family<'a>> {
        let takes =
            |family: &&Family<'_>| family.figures.iter().any(|own| std::ptr::eq(*own, figure));
        self.families.iter().find(takes)
    }

    /// Returns the anchor of a figure in the page. A figure of several drives has a row for each; the first has its
    /// plain name.
    pub fn figure_anchor(&self, figure: &Figure) -> String {
        let first = self.set.figures.iter().find(|other| other.id == figure.id);
        match first {
            Some(first) if first.model != figure.model => {
                format!("{}/{}", figure.id, anchor(&figure.model))
            }
            _ => figure.id.clone(),
        }
    }

    /// True if all that ran are tests of SNIA's specification, which nothing published is beside.
    pub fn is_of_specification(&self) -> bool {
        let runs = &self.set.runs;
        !runs.is_empty() && runs.iter().all(|run| run.pts.is_some())
    }

    /// The figures without a run, scored.
    pub fn unplaced_score(&self) -> Score {
        score(self.unplaced.iter().copied())
    }

    /// The figures one drive answered.
    pub fn drive_figures(&self, slug: &str) -> Vec<&'a Figure> {
        let of_drive = |figure: &&Figure| figure.model == slug;
        self.set.figures.iter().filter(of_drive).collect()
    }

    /// The families of each review, the reviews in the order their first test ran. Methods of a
    /// review share their letters: `A1` and `A24` are of one.
    pub fn reviews(&self) -> Vec<Review<'_, 'a>> {
        let mut reviews: Vec<Review<'_, 'a>> = Vec::new();
        for family in &self.families {
            let letters = family.review();
            match reviews.iter_mut().find(|review| review.letters == letters) {
                Some(review) => review.families.push(family),
                None => reviews.push(Review {
                    letters,
                    families: vec![family],
                }),
            }
        }
        reviews
    }
}

/// The drive that a figure was published for, in words: of a class its description, else the slug.
pub fn drive_words(figure: &Figure) -> &str {
    match figure.drive_name.as_str() {
        "" => &figure.drive,
        words => words,
    }
}

/// The test of a figure that is none of the report's, in words.
pub fn test_words(figure: &Figure) -> &str {
    match figure.test_name.as_str() {
        "" => &figure.test,
        words => words,
    }
}

/// The tests of one published review.
pub struct Review<'v, 'a> {
    /// The letters that its methods begin with.
    pub letters: &'a str,
    /// Its families, in order.
    pub families: Vec<&'v Family<'a>>,
}

impl<'a> Review<'_, 'a> {
    /// Titles of the sources: of its tests, then of its figures.
    pub fn sources(&self) -> Vec<&'a str> {
        let tests = self.families.iter().flat_map(|family| &family.tests);
        let figures = self.families.iter().flat_map(|family| &family.figures);
        let of_figures = figures.map(|figure| figure.source.as_str());
        distinct(tests.map(|test| test.source.as_str()).chain(of_figures))
    }

    /// Returns the score of its figures.
    pub fn score(&self) -> Score {
        score(
            self.families
                .iter()
                .flat_map(|family| family.figures.iter().copied()),
        )
    }
}

fn families(set: &ResultSet) -> (Vec<Family<'_>>, Vec<&Figure>) {
    let mut families: Vec<Family<'_>> = Vec::new();
    for test in &set.tests {
        let index = match families.iter().position(|family| family.takes(test)) {
            Some(index) => index,
            None => {
                let id = anchor_of(&families, test);
                families.push(Family::empty(id, &test.title));
                families.len() - 1
            }
        };
        families[index].tests.push(test);
        families[index]
            .runs
            .extend(set.runs.iter().filter(|run| run.test == test.test));
    }
    // C2 before C10, and the families of a review together.
    let reviews = distinct(families.iter().map(Family::review));
    families.sort_by_key(|family| {
        (
            reviews.iter().position(|other| *other == family.review()),
            family.number(),
        )
    });
    let family_of: BTreeMap<&str, usize> = (families.iter().enumerate())
        .flat_map(|(index, family)| {
            family
                .tests
                .iter()
                .map(move |test| (test.test.as_str(), index))
        })
        .collect();
    let test_of_run: BTreeMap<&str, &str> = set
        .runs
        .iter()
        .map(|run| (run.id.as_str(), run.test.as_str()))
        .collect();
    let mut unplaced = Vec::new();
    for figure in &set.figures {
        // A figure of a whole family, such as its longest latency, names no single test: it
        // goes where the run is that answered it.
        let answered = || test_of_run.get(figure.run.as_str()).copied();
        let test = Some(figure.test.as_str()).filter(|test| family_of.contains_key(test));
        match test.or_else(answered).and_then(|test| family_of.get(test)) {
            Some(&index) => families[index].figures.push(figure),
            None => unplaced.push(figure),
        }
    }
    (families, unplaced)
}

/// `test/a1`; tests of one method in several families differ by a number.
fn anchor_of(families: &[Family<'_>], test: &TestSheet) -> String {
    let stem = format!("test/{}", anchor(&test.method));
    let taken = |id: &str| families.iter().any(|family| family.id == id);
    let mut id = stem.clone();
    let mut number = 2;
    while taken(&id) {
        id = format!("{stem}-{number}");
        number += 1;
    }
    id
}

/// A name as part of an anchor: what would have to be escaped becomes a hyphen.
pub fn anchor(name: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    name.chars()
        .map(|c| if kept(c) { c.to_ascii_lowercase() } else { '-' })
        .collect()
}

/// Sheets first, so that places do not depend on what ran; then drives only runs know.
fn drive_slugs(set: &ResultSet) -> Vec<&str> {
    let sheets = set.drives.iter().map(|drive| drive.drive.as_str());
    distinct(sheets.chain(set.runs.iter().map(|run| run.drive.as_str())))
}

impl<'a> Family<'a> {
    fn empty(id: String, title: &'a str) -> Self {
        Self {
            id,
            title,
            tests: Vec::new(),
            runs: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// Tells if a test belongs here: the same chart of the same review.
    fn takes(&self, test: &TestSheet) -> bool {
        self.tests.first().is_some_and(|first| {
            first.title == test.title
                && first.method == test.method
                && first.chart_metric == test.chart_metric
        })
    }

    /// The letters of the review its method is of.
    pub fn review(&self) -> &'a str {
        let method = self.tests.first().map_or("", |test| test.method.as_str());
        let end = method
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(method.len());
        &method[..end]
    }

    /// The number of its method within the review; 0 without one.
    fn number(&self) -> u32 {
        let method = self.tests.first().map_or("", |test| test.method.as_str());
        let digits = method[self.review().len()..]
            .chars()
            .take_while(char::is_ascii_digit);
        digits.collect::<String>().parse().unwrap_or(0)
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

/// Counts the figures that passed and those that were judged.
pub fn score<'a>(figures: impl Iterator<Item = &'a Figure>) -> Score {
    let mut score = Score::default();
    figures.for_each(|figure| score.add(figure.verdict));
    score
}

/// The non-empty items, each once, in the order first met.
pub fn distinct<'a>(items: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = std::collections::BTreeSet::new();
    items
        .filter(|item| !item.is_empty() && seen.insert(*item))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{View, anchor};
    use ftlab_result::ResultSet;

    /// Results of drives with these slugs and names.
    fn of_drives(drives: &[(&str, &str)]) -> ResultSet {
        let sheet = |&(slug, name): &(&str, &str)| {
            serde_json::json!({
                "drive": slug, "name": name, "summary": "", "kind": "ssd",
                "capacity_bytes": 1, "file_hash": "", "parameters": []
            })
        };
        let set = serde_json::from_value(serde_json::json!({
            "schema": 3, "origin": { "version": "", "way": "simulated", "seed": 1, "testbed": "" },
            "tests": [], "figures": [], "runs": [],
            "drives": drives.iter().map(sheet).collect::<Vec<_>>()
        }));
        set.expect("a result set")
    }

    #[test]
    fn variants_go_by_what_tells_them_apart() {
        let set = of_drives(&[
            ("a", "Acme, 8 GB, op=1, gc=fifo"),
            ("b", "Acme, 8 GB, op=2, gc=fifo"),
        ]);
        let view = View::new(&set);
        assert_eq!(
            (view.drive_name("a"), view.drive_name("b")),
            ("op=1, gc=fifo", "op=2, gc=fifo")
        );
        assert_eq!(view.variants_of(), Some("Acme, 8 GB"));
        for names in [
            ["Acme, op=1", "Apex, op=1"],
            ["Acme", "Acme, op=1"],
            ["Acme, ", "Acme, "],
        ] {
            let set = of_drives(&[("a", names[0]), ("b", names[1])]);
            let view = View::new(&set);
            assert_eq!(
                (view.drive_name("a"), view.drive_name("b")),
                (names[0], names[1])
            );
            assert_eq!(view.variants_of(), None, "{names:?}");
        }
        let one = of_drives(&[("a", "Acme, op=1")]);
        assert_eq!(View::new(&one).drive_name("a"), "Acme, op=1");
    }

    #[test]
    fn a_metric_that_compares_names_the_other_drive() {
        let set = of_drives(&[("acme-1", "Acme One")]);
        let view = View::new(&set);
        let words = |metric| view.metric_words(metric);
        assert_eq!(
            words("lat_avg_ratio_vs_acme-1"),
            "Average latency, over that of Acme One"
        );
        assert_eq!(
            words("ratio_vs_acme-1"),
            "Throughput, over that of Acme One"
        );
        assert!(words("advantage_vs_acme-1_pct").ends_with("against Acme One"));
        assert_eq!(words("lat_max_ms"), "Longest latency");
    }

    #[test]
    fn an_anchor_needs_no_escape() {
        assert_eq!(anchor("seagate-momentus-7200.2"), "seagate-momentus-7200.2");
        assert_eq!(anchor("A1 </script>"), "a1---script-");
    }
}
