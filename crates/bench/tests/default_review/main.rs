//! The default review, whole: what the model must reproduce of the tests of 2008 and 2009.
//!
//! `make test` makes this review for the browser anyway, and gives its results to these tests.

mod applications;
mod simple;

use ftlab_base::RootSeed;
use ftlab_bench::review::Review;
use ftlab_bench::suites::{self, Test};
use ftlab_drive::{Catalog, MODEL_VERSION};
use ftlab_lab::Lab;
use ftlab_result::{Figure, ResultSet};
use std::sync::LazyLock;

/// Names the results of a default review that was made already; without it the tests make one.
const MADE: &str = "FTLAB_DEFAULT_REVIEW";

const CORE: &str = "ocz-core-jmf602";
const X25M: &str = "intel-x25-m-g1-80";
const SLC: &str = "samsung-slc-64";
const MOMENTUS: &str = "seagate-momentus-7200.2";
const VELOCIRAPTOR: &str = "wd-velociraptor-300";
const DRIVES: [&str; 5] = [X25M, CORE, SLC, MOMENTUS, VELOCIRAPTOR];

static WHOLE: LazyLock<ResultSet> = LazyLock::new(|| {
    let Some(path) = std::env::var_os(MADE) else {
        let tests = suites::of_default(suites::all());
        return run(&DRIVES, tests, 1, 2);
    };
    let text = std::fs::read_to_string(&path).expect("the results are there");
    let set: ResultSet = serde_json::from_str(&text).expect("they are of this schema");
    let made = (set.origin.model_version, set.origin.seed, set.origin.quick);
    assert_eq!(made, (MODEL_VERSION, 1, false), "another review: {path:?}");
    set
});

fn run(drives: &[&str], tests: Vec<Test>, seed: u64, threads: usize) -> ResultSet {
    let drive = |drive: &&str| {
        Catalog::default()
            .load(drive, &[])
            .expect("it loads")
            .into()
    };
    let drives = drives.iter().map(drive).collect();
    let review = Review::of(drives, tests, RootSeed(seed));
    let lab = Lab::new(threads, 1 << 32).expect("there are threads");
    review.results(&lab, &|_, _| Ok(())).expect("it runs")
}

fn figure(id: &str) -> &'static Figure {
    WHOLE
        .figures
        .iter()
        .find(|figure| figure.id == id)
        .unwrap_or_else(|| panic!("{id} is not there"))
}

fn metric(run: &str, name: &str) -> f64 {
    WHOLE
        .run(run)
        .unwrap_or_else(|| panic!("no run {run}"))
        .metrics[name]
}
