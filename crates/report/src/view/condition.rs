//! Under what condition a run of a test ran: state of the drive, data, link. Labels name only what
//! varies within a family.

use std::borrow::Cow;
use std::collections::BTreeMap;

use ftlab_result::Run;

use super::{Family, distinct};

/// The conditions of a family's runs.
pub struct Conditions<'a> {
    /// (state, data, link), in the order first met.
    met: Vec<[&'a str; 3]>,
    /// True where state, data and link, in this order, tell runs of one drive and test apart.
    varies: [bool; 3],
    a_drive_max: usize,
}

fn of(run: &Run) -> [&str; 3] {
    [&run.state, &run.data, &run.link]
}

impl<'a> Conditions<'a> {
    pub fn of(family: &Family<'a>) -> Self {
        let mut met: Vec<[&str; 3]> = Vec::new();
        for run in &family.runs {
            if !met.contains(&of(run)) {
                met.push(of(run));
            }
        }
        // A drive that only has a slower port is not another condition, so what counts is whether
        // one drive ran one test in several.
        let mut of_drive: BTreeMap<(&str, &str), Vec<[&str; 3]>> = BTreeMap::new();
        for run in &family.runs {
            of_drive
                .entry((&run.drive, &run.test))
                .or_default()
                .push(of(run));
        }
        let differs = |part: usize| {
            let several = |met: &Vec<[&str; 3]>| met.iter().any(|one| one[part] != met[0][part]);
            of_drive.values().any(several)
        };
        Self {
            met,
            varies: [differs(0), differs(1), differs(2)],
            a_drive_max: of_drive.values().map(Vec::len).max().unwrap_or(1),
        }
    }

    /// The place of a run's condition among the labels.
    pub fn index(&self, run: &Run) -> usize {
        let label = self.label(&of(run));
        self.labels()
            .iter()
            .position(|other| *other == label)
            .unwrap_or(0)
    }

    /// One label a condition; a single empty one when nothing varies.
    pub fn labels(&self) -> Vec<String> {
        let mut labels: Vec<String> = Vec::new();
        for condition in &self.met {
            let label = self.label(condition);
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        labels
    }

    /// Under how many conditions one drive ran one test, at most.
    pub fn a_drive_max(&self) -> usize {
        self.a_drive_max
    }

    /// True if the state of the drive is what tells runs apart.
    pub fn names_states(&self) -> bool {
        self.varies[0]
    }

    fn label(&self, condition: &[&str; 3]) -> String {
        let link = link(condition[2]);
        let words = [state(condition[0]), condition[1], &link];
        let said = distinct(
            (0..3)
                .filter(|&part| self.varies[part])
                .map(|part| words[part]),
        );
        said.join(", ")
    }
}

/// A state in words.
pub fn state(state: &str) -> &str {
    match state {
        "after-trim" => "after TRIM",
        "after-torture" => "after torture",
        "na" => "without a run",
        other => other,
    }
}

/// A link in words.
pub fn link(link: &str) -> Cow<'_, str> {
    let words = match link {
        "sata1.5g" => "SATA 1.5 Gbit/s",
        "sata3g" => "SATA 3 Gbit/s",
        "sata6g" => "SATA 6 Gbit/s",
        "none" => "no link",
        "other" => "a link of its own",
        // `pcie4x4`: generation and lanes.
        pcie => {
            let lanes = pcie.strip_prefix("pcie").and_then(|of| of.split_once('x'));
            return match lanes {
                Some((generation, lanes)) => format!("PCIe {generation}.0 x{lanes}").into(),
                None => pcie.into(),
            };
        }
    };
    words.into()
}

#[cfg(test)]
mod tests {
    #[test]
    fn links_have_words() {
        let words = ["sata3g", "pcie4x4", "none", "", "carrier pigeon"].map(super::link);
        let told = [
            "SATA 3 Gbit/s",
            "PCIe 4.0 x4",
            "no link",
            "",
            "carrier pigeon",
        ];
        assert_eq!(words, told);
    }
}
