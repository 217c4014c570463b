//! Variants of drives: numbers of a drive's file, each at one or several values, and what became of them.

use crate::review::{DriveRuns, Plan, Subject, origin};
use crate::suites::Test;
use ftlab_drive::DriveFile;
use ftlab_result::{DriveSheet, ResultSet, Run, SCHEMA, Unfinished};

/// A setting and the values it is tried with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// A key of the drive's file, for example `spare.op`.
    pub key: String,
    /// As given, at least one.
    pub values: Vec<String>,
}

/// One value of each setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Variant {
    /// The number of the value of each setting that has several, in their order.
    pub at: Vec<usize>,
    /// Everything to set, as `key=value`.
    pub settings: Vec<String>,
    /// What is swept, for example `spare.op=0.07,gc.policy=fifo`; empty where every setting has one value.
    pub name: String,
}

/// Every value of each setting with every value of the others, those of the first setting's first value first.
#[must_use]
pub fn all(sweeps: &[Sweep]) -> Vec<Variant> {
    let (fixed, swept): (Vec<&Sweep>, Vec<&Sweep>) =
        sweeps.iter().partition(|sweep| sweep.values.len() == 1);
    let set = |sweep: &Sweep, n: usize| format!("{}={}", sweep.key, sweep.values[n]);
    let fixed: Vec<String> = fixed.into_iter().map(|sweep| set(sweep, 0)).collect();
    let mut places: Vec<Vec<usize>> = vec![Vec::new()];
    for sweep in &swept {
        let with = |at: &Vec<usize>| {
            let at = at.clone();
            (0..sweep.values.len()).map(move |n| [at.as_slice(), &[n]].concat())
        };
        places = places.iter().flat_map(with).collect();
    }
    let variant = |at: Vec<usize>| {
        let swept: Vec<String> = swept.iter().zip(&at).map(|(s, &n)| set(s, n)).collect();
        Variant {
            name: swept.join(","),
            settings: [fixed.as_slice(), &swept].concat(),
            at,
        }
    };
    places.into_iter().map(variant).collect()
}

/// The runs of variants as a result set, in which each variant is a drive of its own; there are as many as the
/// plan has drives. What was published of a drive was not published of its variants, nor of loads of one's own.
/// `why` says why a variant that has not ended is not whole.
#[must_use]
pub fn put_together<'a>(
    plan: &Plan,
    variants: &'a [Variant],
    ends: &[DriveRuns],
    why: &str,
) -> (ResultSet, Vec<(&'a Variant, Vec<Run>)>) {
    let mut set = ResultSet {
        schema: SCHEMA,
        provenance: None,
        origin: origin(plan),
        drives: Vec::new(),
        tests: plan.tests.iter().map(Test::sheet).collect(),
        figures: Vec::new(),
        runs: Vec::new(),
        plans: Vec::new(),
        unfinished: Vec::new(),
    };
    let mut of_variants = Vec::new();
    for ((variant, subject), end) in variants.iter().zip(&plan.drives).zip(ends) {
        let sheet = Subject::sheet(subject);
        let (drive, name) = match variant.name.as_str() {
            "" => (sheet.drive.clone(), sheet.name.clone()),
            swept => (
                format!("{}@{swept}", sheet.drive),
                format!("{}, {}", sheet.name, swept.replace(',', ", ")),
            ),
        };
        let missing = end.why_not_whole(why);
        if missing.is_none() || !end.is_empty() {
            let mut runs: Vec<Run> = end.runs().cloned().collect();
            for run in &mut runs {
                run.id = run.id.replacen(&run.drive, &drive, 1);
                run.drive.clone_from(&drive);
                let settings = variant.settings.iter().filter_map(|of| of.split_once('='));
                run.settings = settings
                    .map(|(k, v)| (k.to_owned(), v.to_owned()))
                    .collect();
            }
            set.drives.push(DriveSheet {
                name,
                drive: drive.clone(),
                ..sheet
            });
            set.runs.extend(runs.iter().cloned());
            of_variants.push((variant, runs));
        }
        let unfinished = missing.map(|why| Unfinished { drive, why });
        set.unfinished.extend(unfinished);
    }
    (set, of_variants)
}

/// Whether variants are other drives: those that differ in words alone, like the drive's name, are a mistake.
#[must_use]
pub fn differ(variants: &[DriveFile]) -> bool {
    let numbers = |drive: &DriveFile| -> Vec<(String, String)> {
        let rows = drive.parameters().into_iter();
        rows.map(|row| (row.key, row.value)).collect()
    };
    let mut all = variants.iter().map(numbers);
    let first = all.next();
    !all.all(|numbers| Some(numbers) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_several_values_are_tried_with_each_other_and_the_rest_stays() {
        let sweep = |key: &str, values: &[&str]| Sweep {
            key: key.to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let settings = [
            sweep("a.x", &["1", "2"]),
            sweep("b.y", &["7"]),
            sweep("c.z", &["p", "q"]),
        ];
        let variants = all(&settings);
        let names: Vec<&str> = variants.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(
            names,
            ["a.x=1,c.z=p", "a.x=1,c.z=q", "a.x=2,c.z=p", "a.x=2,c.z=q"]
        );
        assert_eq!(variants[2].settings, ["b.y=7", "a.x=2", "c.z=p"]);
        assert_eq!(variants[3].at, [1, 1]);
        let one = all(&settings[1..2]);
        assert_eq!((one.len(), one[0].name.as_str()), (1, ""));
        assert_eq!(one[0].settings, ["b.y=7"]);
        assert_eq!(all(&[]).len(), 1);
    }
}
