//! Loads on a drive of which each ends by itself: one that cannot be run takes nothing from the others.

use super::case::{Case, cases_of};
use super::drive::Bench;
use super::from_states::Ran;
use super::{Plan, ReviewError, Subject, Watch};
use crate::suites::Test;
use ftlab_base::{Blame, RootSeed};
use ftlab_play::states::State;
use ftlab_result::Run;
use std::sync::Mutex;

/// Why there is no run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRun {
    /// In a line.
    pub why: String,
    /// What is at fault.
    pub fault: Fault,
}

/// What is at fault where there is no run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// What was asked for.
    Input,
    /// The model: the run began, and did not end as runs do.
    Model,
    /// This machine or what lies on it, so that another try may end otherwise.
    Here,
}

impl From<&ReviewError> for NotRun {
    fn from(error: &ReviewError) -> NotRun {
        NotRun {
            why: error.to_string(),
            fault: match error {
                ReviewError::Drive { .. } | ReviewError::Threads(_) => Fault::Here,
                _ if error.is_input() => Fault::Input,
                _ => Fault::Model,
            },
        }
    }
}

/// Takes how each test ended by its number in the plan, from any thread.
pub type TakeEach<'a> = dyn Fn(usize, Result<Run, NotRun>) + Sync + 'a;

/// Runs each test of a plan, which is a load in a state, on a drive with this root of all seeds. The state is prepared
/// once, and each load gets a copy. On the threads of the pool that it is called in, and with those runs alone that
/// the drive gives in a review of the same load and seed.
///
/// # Panics
/// When a test is none of a single load in a single state.
pub fn run_each(
    plan: &Plan,
    subject: &Subject,
    root: RootSeed,
    watch: &dyn Watch,
    take: &TakeEach<'_>,
) {
    let bench = Bench::of_all(plan, subject);
    let mut left: Vec<(usize, &Test, State, Case)> = Vec::new();
    for (n, test) in plan.tests.iter().enumerate() {
        let mut cases = cases_of(subject, test, plan.state);
        assert!(cases.len() == 1, "{} is no single load", test.step.slug);
        left.extend(cases.drain(..).map(|(state, case)| (n, test, state, case)));
    }
    // What cannot be prepared with one kind of data may be with another.
    while let Some((_, _, _, first)) = left.first() {
        let before = first.before;
        let alike = left.extract_if(.., |(.., case)| case.before == before);
        let alike: Vec<(usize, &Test, State, Case)> = alike.collect();
        let cases: Vec<Case> = alike.iter().map(|(.., case)| case.clone()).collect();
        let is_taken = Mutex::new(vec![false; cases.len()]);
        let took = |at: usize, ran: Result<Ran, ReviewError>| {
            let (n, test, state, case) = &alike[at];
            let run =
                ran.and_then(|ran| bench.run_of_case(test, *state, case, &ran.record, &ran.begun));
            is_taken.lock().expect("no holder panics")[at] = true;
            take(*n, run.map_err(|error| NotRun::from(&error)));
            Ok(())
        };
        if let Err(error) = bench.run_from_states(root, (0, watch), &cases, &took) {
            let is_taken = is_taken.into_inner().expect("no holder panics");
            for (at, _) in is_taken.iter().enumerate().filter(|(_, taken)| !**taken) {
                take(alike[at].0, Err(NotRun::from(&error)));
            }
        }
    }
}
