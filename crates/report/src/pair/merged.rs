//! Both sides in one result set, whose charts draw them side by side.

use ftlab_result::{DriveSheet, ResultSet, Run, TestSheet};

use super::{Pair, Side};

/// Stands behind the name of a real drive whose model has the same.
const REAL: &str = "-measured";

impl Pair<'_> {
    /// One result set of two drives: the measured one, then the simulated one.
    pub(crate) fn merged(&self) -> ResultSet {
        let (real, model) = (&self.measured, &self.simulated);
        let slug = match real.drive.drive == model.drive.drive {
            true => format!("{}{REAL}", real.drive.drive),
            false => real.drive.drive.clone(),
        };
        let mut set = real.set.clone();
        set.runs = runs(real, &slug);
        set.runs.extend(runs(model, &model.drive.drive));
        let others = model.set.tests.iter();
        let is_new = |test: &&TestSheet| real.set.tests.iter().all(|known| known.test != test.test);
        set.tests.extend(others.filter(is_new).cloned());
        let has_run = |test: &TestSheet| set.runs.iter().any(|run| run.test == test.test);
        set.tests.retain(has_run);
        set.drives = vec![
            sheet(real, "Measured", slug),
            sheet(model, "Simulated", model.drive.drive.clone()),
        ];
        // What was published, planned or required of one side is in its own report.
        set.figures.clear();
        set.plans.clear();
        set.verdicts.clear();
        set.unfinished.clear();
        set
    }
}

fn sheet(side: &Side<'_>, way: &str, slug: String) -> DriveSheet {
    DriveSheet {
        drive: slug,
        name: format!("{way}: {}", side.drive.name),
        ..side.drive.clone()
    }
}

/// The runs of a side's drive under another name of it.
fn runs(side: &Side<'_>, slug: &str) -> Vec<Run> {
    let own = &side.drive.drive;
    let runs = side.set.runs.iter().filter(|run| run.drive == *own);
    let renamed = runs.map(|run| Run {
        id: format!(
            "{slug}{}",
            run.id.strip_prefix(own.as_str()).unwrap_or(&run.id)
        ),
        drive: slug.to_owned(),
        ..run.clone()
    });
    renamed.collect()
}
