//! Write amplification against the closed forms, row by row of the reference table, as a user gets
//! it: the generic drive, a job file, `--set`, and a run without time.

use crate::docs::theory::case::{Case, DRIVE, Load, PAGES, cases, name};
use crate::docs::theory::runs;
use ftlab_base::RootSeed;
use ftlab_drive::Catalog;
use ftlab_ftl::page::POLICIES;
use ftlab_lab::Lab;
use ftlab_play::embedded::JOBS;
use ftlab_theory::Policy;

const TABLE: &str = include_str!("../../../../../reference/theory-values.csv");

/// Policies that drives have and theory has no closed form for.
const WITHOUT_CLOSED_FORM: [&str; 2] = ["cost-benefit", "windowed-greedy"];

/// What the closed form and a run on 2^20 pages may differ by.
fn tolerance(policy: Policy) -> f64 {
    match policy {
        // A victim is as full as any block, so write amplification scatters most.
        Policy::Random => 0.01,
        _ => 0.005,
    }
}

/// The cases to simulate: all of them where `make soak` sets `FTLAB_EVERY_CASE`, and else every second one, but for those
/// of random victims, which scatter so much that the mean of a few says little.
fn simulated() -> Vec<Case> {
    let all = std::env::var_os("FTLAB_EVERY_CASE").is_some();
    let cases = cases().into_iter().enumerate();
    let is_due = |(n, case): &(usize, Case)| all || n % 2 == 0 || case.policy == Policy::Random;
    cases.filter(is_due).map(|(_, case)| case).collect()
}

/// What of that the mean error of all rows of a policy may be: chance evens out there, a wrong mechanism does not.
const BIAS_SHARE: f64 = 0.25;

#[derive(serde::Deserialize)]
struct Row {
    policy: String,
    op: f64,
    pages_per_block: u32,
    #[serde(rename = "WA_formula")]
    formula: Option<f64>,
}

impl Row {
    /// What the row is about, in our words.
    fn case(&self) -> Case {
        let words: Vec<&str> = self.policy.split([' ', '=', '(', ')']).collect();
        let percent = |text: &str| (100.0 * text.parse::<f64>().expect("a share")).round() as u8;
        let (policy, load) = match words[..] {
            ["fifo"] => (Policy::Fifo, Load::Uniform),
            ["greedy"] => (Policy::Greedy, Load::Uniform),
            ["random", ..] => (Policy::Random, Load::Uniform),
            ["d-choices", "d", d] => (Policy::Choices(d.parse().expect("d")), Load::Uniform),
            ["fifo", "mixed", "hot/cold", "f", f, "r", r] => {
                let load = Load::HotCold {
                    addresses_percent: percent(f),
                    writes_percent: percent(r),
                };
                (Policy::Fifo, load)
            }
            [name, "TRIM", "q", q] => {
                let percent = percent(q);
                let known = [("fifo", Policy::Fifo), ("greedy", Policy::Greedy)];
                let policy = known.into_iter().find(|(known, _)| *known == name);
                (policy.expect("a policy").1, Load::Trim { percent })
            }
            _ => panic!("a row of an unknown kind: {}", self.policy),
        };
        Case {
            policy,
            load,
            separate: false,
            op: self.op,
            pages_per_block: self.pages_per_block,
        }
    }
}

fn rows() -> Vec<Row> {
    let rows = csv::Reader::from_reader(TABLE.as_bytes()).into_deserialize();
    let rows = rows.map(|row| row.expect("the table is in order"));
    rows.filter(|row: &Row| row.formula.is_some()).collect()
}

#[test]
fn every_row_with_a_closed_form_is_a_case_and_every_case_a_row() {
    let mut cases = cases();
    let rows = rows();
    // Separate logs are no row; what their formula gives is tested where it is.
    cases.retain(|case| !case.separate);
    assert_eq!((cases.len(), rows.len()), (104, 104));
    for row in &rows {
        let case = row.case();
        assert!(cases.contains(&case), "no case for {case}");
        let formula = row.formula.expect("filtered");
        assert!(
            (case.theory() - formula).abs() <= 0.5001e-4,
            "{case}: {} for {formula}",
            case.theory()
        );
    }
}

/// So a policy cannot be added, or renamed, without its closed form being run against it.
#[test]
fn every_policy_is_compared_or_has_no_closed_form() {
    let cases = cases();
    for policy in POLICIES {
        let compared = cases.iter().any(|case| name(case.policy) == policy.name);
        assert!(
            compared != WITHOUT_CLOSED_FORM.contains(&policy.name),
            "policy {}: name it in xtask/src/docs/theory/case.rs or say that it has no closed form",
            policy.name
        );
    }
}

#[test]
fn a_load_and_its_job_file_say_the_same() {
    for case in cases() {
        let (_, text) = JOBS.find(&case.load.job()).expect("it is there");
        let key = match case.load {
            Load::Uniform => "rw=randwrite\n".to_owned(),
            Load::HotCold {
                addresses_percent: f,
                writes_percent: r,
            } => format!("zoned:{r}/{f}:{}/{}\n", 100 - r, 100 - f),
            Load::Trim { percent } => format!("rwmixtrim={percent}\n"),
        };
        assert!(text.contains(&key), "{case}: no {key} in its job file");
    }
}

#[test]
fn write_amplification_is_what_theory_says() {
    let lab = Lab::new(crate::plan::threads(None), u64::MAX).expect("it has threads");
    let points = runs::simulated(&lab, &simulated(), PAGES, RootSeed(1));
    let points = points.expect("it runs");
    let mut wrong: Vec<String> = points
        .iter()
        .filter_map(|point| {
            let (case, error) = (point.case, point.error());
            let told = format!(
                "{case}: {:.4} for {:.4} ({:+.2} %)",
                point.simulated,
                point.theory,
                100.0 * error
            );
            println!("{told}");
            (error.abs() > tolerance(case.policy)).then_some(told)
        })
        .collect();
    for policy in POLICIES.iter().map(|policy| policy.name) {
        let rows: Vec<_> = points
            .iter()
            .filter(|point| name(point.case.policy) == policy)
            .collect();
        let Some(first) = rows.first() else { continue };
        let mean = rows.iter().map(|point| point.error()).sum::<f64>() / rows.len() as f64;
        let told = format!("{policy}: {:+.2} % over {} rows", 100.0 * mean, rows.len());
        println!("{told}");
        if mean.abs() > BIAS_SHARE * tolerance(first.case.policy) {
            wrong.push(told);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn drives_of_all_cases_hold_as_many_pages() {
    for case in cases() {
        let file = Catalog::default()
            .load(DRIVE, &case.settings(PAGES))
            .expect("it loads");
        let user = f64::from(PAGES) * 4096.0 / (1.0 + case.op);
        let held_back = 1.0 - file.capacity_bytes() as f64 / user;
        assert!((0.0..0.005).contains(&held_back), "{case}: {held_back}");
    }
}
