//! Rows of the reference table on runs made up for them.

use super::*;
use ftlab_result::{Inside, Traffic, Verdict};

const X25M: &str = "intel-x25-m-g1-80";
const CORE: &str = "ocz-core-jmf602";
const SLC: &str = "samsung-slc-64";

fn run(drive: &str, test: &str, state: &str, metrics: &[(&str, f64)]) -> Run {
    Run {
        id: format!("{drive}/{test}/{state}"),
        drive: drive.to_owned(),
        test: test.to_owned(),
        state: state.to_owned(),
        data: String::new(),
        link: String::new(),
        steps: Vec::new(),
        metrics: metrics
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect(),
        read: Traffic::default(),
        write: Traffic::default(),
        trim: Traffic::default(),
        inside: Inside::default(),
        series_ios: Vec::new(),
        series_interval_s: 1.0,
        series_watts: Vec::new(),
    }
}

fn names(slug: &str, alias: &str) -> Names {
    Names {
        slug: slug.to_owned(),
        aliases: vec![alias.to_owned()],
    }
}

fn of_runs(runs: &[Run]) -> Vec<Figure> {
    let drives = [
        names(X25M, "intel-x25-m-g1"),
        names(CORE, "jmf602-mlc-64"),
        names(SLC, "slc"),
    ];
    let tests = methods::select(&[]).unwrap();
    figures(&drives, &tests, runs)
}

fn figure(figures: &[Figure], id: &str) -> Figure {
    figures
        .iter()
        .find(|figure| figure.id == id)
        .unwrap_or_else(|| panic!("no {id}"))
        .clone()
}

#[test]
fn the_table_reads_whole() {
    let rows = published();
    assert!(rows.len() > 150);
    assert!(
        rows.iter()
            .all(|row| row.id.starts_with('F') && !row.qualifier.is_empty())
    );
}

#[test]
fn an_unstated_state_is_the_default_one() {
    let metrics = [
        ("lat_avg_ms", 0.09),
        ("mib_s", 42.0),
        ("mb_s", 44.0),
        ("iops", 11_000.0),
    ];
    let figures = of_runs(&[run(X25M, "randwrite-4k-qd1", "filled", &metrics)]);
    let average = figure(&figures, "F0180");
    assert_eq!(average.simulated, Some(0.09));
    assert_eq!(average.verdict, Verdict::Pass);
    assert!(average.source.starts_with("AnandTech"));
    assert_eq!(average.run, "intel-x25-m-g1-80/randwrite-4k-qd1/filled");
    assert_eq!(
        figure(&figures, "F0179").simulated,
        Some(42.0),
        "its source counts in binary"
    );
    assert_eq!(
        figure(&figures, "F0181").simulated,
        None,
        "no longest latency was measured"
    );
    assert_eq!(figures.len(), 4, "nothing else was run");
}

#[test]
fn an_alias_answers_in_the_state_stated() {
    let runs = [
        run(X25M, "randwrite-4k-qd3-8gb", "new", &[("mib_s", 40.0)]),
        run(X25M, "randwrite-4k-qd3-8gb", "used", &[("mib_s", 20.0)]),
    ];
    let figures = of_runs(&runs);
    assert_eq!(figure(&figures, "F0397").simulated, Some(40.0));
    let used = figure(&figures, "F0398");
    assert_eq!((used.model.as_str(), used.simulated), (X25M, Some(20.0)));
    assert_eq!(used.verdict, Verdict::Fail);
}

#[test]
fn a_figure_over_a_family_is_its_largest() {
    let runs = [
        run(
            CORE,
            "randwrite-16k-qd1",
            "filled",
            &[("lat_max_ms", 900.0)],
        ),
        run(
            CORE,
            "randwrite-64k-qd1",
            "filled",
            &[("lat_max_ms", 1_100.0)],
        ),
    ];
    let longest = figure(&of_runs(&runs), "F0226");
    assert_eq!(longest.simulated, Some(1.1));
    assert_eq!(longest.run, "ocz-core-jmf602/randwrite-64k-qd1/filled");
    assert_eq!((longest.verdict, longest.error), (Verdict::Pass, None));
}

#[test]
fn a_ratio_needs_the_other_drive() {
    let test = "seqrand-mix-4k-qd1-seq90";
    let core = run(CORE, test, "filled", &[("lat_avg_ms", 26.0)]);
    let alone = figure(&of_runs(std::slice::from_ref(&core)), "F0258");
    assert_eq!((alone.simulated, alone.verdict), (None, Verdict::Shown));
    let slc = run(SLC, test, "filled", &[("lat_avg_ms", 2.0)]);
    let both = figure(&of_runs(&[core, slc]), "F0258");
    assert_eq!((both.simulated, both.verdict), (Some(13.0), Verdict::Pass));
}
