//! Preparations of drives for the runs of a family.

use super::{Family, condition};

/// One way drives were prepared.
pub struct Preparation<'a> {
    /// The state it leads to, in words.
    pub state: &'a str,
    /// The steps, in words, and how it was measured then.
    pub steps: Vec<&'a str>,
    /// Slugs of the drives it was done on.
    pub drives: Vec<&'a str>,
}

/// The distinct ways the drives of a family were prepared.
pub fn preparations<'a>(family: &Family<'a>) -> Vec<Preparation<'a>> {
    let mut found: Vec<Preparation<'a>> = Vec::new();
    for run in &family.runs {
        let told = run.steps.iter().chain(&run.notes);
        let steps: Vec<&str> = told.map(String::as_str).collect();
        let state = condition::state(&run.state);
        let same = |p: &&mut Preparation<'_>| p.state == state && p.steps == steps;
        match found.iter_mut().find(same) {
            Some(preparation) if preparation.drives.contains(&run.drive.as_str()) => {}
            Some(preparation) => preparation.drives.push(&run.drive),
            None if steps.is_empty() => {}
            None => found.push(Preparation {
                state,
                steps,
                drives: vec![&run.drive],
            }),
        }
    }
    found
}
