//! How drives were prepared for the runs of a family.

use ftlab_result::Run;

use super::{Family, condition};

/// One way drives were prepared.
pub struct Preparation<'a> {
    /// The state it leads to, in words.
    pub state: &'a str,
    /// The steps, in words.
    pub steps: &'a [String],
    /// Slugs of the drives it was done on.
    pub drives: Vec<&'a str>,
}

/// The distinct ways the drives of a family were prepared.
pub fn preparations<'a>(family: &Family<'a>) -> Vec<Preparation<'a>> {
    let mut found: Vec<Preparation<'a>> = Vec::new();
    let prepared = |run: &&&'a Run| !run.steps.is_empty();
    for run in family.runs.iter().filter(prepared) {
        let state = condition::state(&run.state);
        let same = |p: &&mut Preparation<'_>| p.state == state && p.steps == run.steps;
        match found.iter_mut().find(same) {
            Some(preparation) if preparation.drives.contains(&run.drive.as_str()) => {}
            Some(preparation) => preparation.drives.push(&run.drive),
            None => found.push(Preparation {
                state,
                steps: &run.steps,
                drives: vec![&run.drive],
            }),
        }
    }
    found
}
