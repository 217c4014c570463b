//! A result set as large as that of a review of everything.

use ftlab_result::{Chart, ResultSet, Role, Run, SmartAttribute};

use super::{sample, sheet};

/// Reviews of the sample that [`full`] has, and drives of each kind: as many runs as a review of
/// everything.
const REVIEWS: [&str; 8] = ["A", "B", "C", "D", "E", "F", "G", "H"];
const COPIES: usize = 9;

/// As many drives, tests and runs as a review of everything has: the sample nine times over, in
/// eight reviews, with a test of consistency, wear and SMART.
pub fn full() -> ResultSet {
    let small = sample();
    let mut set = ResultSet {
        runs: Vec::new(),
        tests: Vec::new(),
        drives: Vec::new(),
        figures: Vec::new(),
        ..small.clone()
    };
    for copy in 0..COPIES {
        set.drives
            .extend(small.drives.iter().cloned().map(|mut drive| {
                drive.name = format!("{} No. {}", drive.name, copy + 1);
                drive.drive = format!("{}-{copy}", drive.drive);
                drive
            }));
    }
    for (index, letter) in REVIEWS.iter().enumerate() {
        let renamed = |test: &str| format!("{test}-{letter}");
        for test in &small.tests {
            let mut test = test.clone();
            let number = test.method.split_off(1);
            // B1 of the sample is the fifth test of its review here.
            test.method = format!(
                "{letter}{}",
                if number == "1" && test.title == "New and used" {
                    "5"
                } else {
                    &number
                }
            );
            test.title = format!("{}, {letter}", test.title);
            test.test = renamed(&test.test);
            set.tests.push(test);
        }
        for copy in 0..COPIES {
            let of_copy = |id: &str| {
                let mut parts = id.split('/');
                let mut next = || parts.next().unwrap_or_default();
                format!("{}-{copy}/{}/{}", next(), renamed(next()), next())
            };
            set.runs.extend(small.runs.iter().cloned().map(|mut run| {
                run.drive = format!("{}-{copy}", run.drive);
                run.id = of_copy(&run.id);
                run.test = renamed(&run.test);
                run
            }));
            // Each review measured one copy of the drives.
            let measured = small
                .figures
                .iter()
                .filter(|figure| copy == index && !figure.run.is_empty());
            set.figures.extend(measured.cloned().map(|mut figure| {
                figure.id = format!("{letter}{}", figure.id);
                figure.model = format!("{}-{copy}", figure.model);
                figure.run = of_copy(&figure.run);
                figure.test = renamed(&figure.test);
                figure
            }));
        }
    }
    consistency(&mut set);
    set
}

/// Adds a test of consistency on the first six drives, and asks them for wear and SMART after it.
fn consistency(set: &mut ResultSet) {
    let slug = "consistency-randwrite-4k-qd32";
    set.tests.push(sheet(
        slug.into(),
        "F1",
        "Consistency",
        String::new(),
        Chart::Scatter,
        "iops",
    ));
    let roles = [Role::SmallRandomWrite, Role::SustainedRandomWrite];
    set.tests.last_mut().expect("the test").roles = roles.to_vec();
    let of_first = set
        .runs
        .iter()
        .filter(|run| run.test == "randwrite-4k-qd1-A")
        .take(6);
    let mut runs: Vec<Run> = of_first.cloned().collect();
    for run in &mut runs {
        run.test = slug.into();
        run.id = format!("{}/{slug}/used", run.drive);
        run.at[0].wear = (0..20).map(|n| (f64::from(n), 5.0)).collect();
        run.at[0].smart = vec![SmartAttribute {
            raw: 1234,
            id: 0xe9,
            name: "Media_Wearout_Indicator".into(),
            value: 97,
            threshold: 0,
        }];
    }
    set.runs.extend(runs);
}
