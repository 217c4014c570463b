//! Rows of the reference table on runs made up for them.

use super::*;
use crate::repeats::joined;
use ftlab_drive::Catalog;

const X25M: &str = "intel-x25-m-g1-80";
const CORE: &str = "ocz-core-jmf602";
const SLC: &str = "samsung-slc-64";
const DISK: &str = "wd-velociraptor-300";

fn run(drive: &str, test: &str, state: &str, metrics: &[(&str, f64)]) -> Run {
    Run {
        id: format!("{drive}/{test}/{state}"),
        drive: drive.to_owned(),
        test: test.to_owned(),
        state: state.to_owned(),
        metrics: metrics
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect(),
        series_interval_s: 1.0,
        ..Run::default()
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
    let tests = suites::select(&[]).unwrap();
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
fn every_witness_has_a_source_a_worth_and_a_test_that_gives_its_figure_of_its_drive() {
    let tests: Vec<Test> = suites::all().collect();
    let mut ids = std::collections::BTreeSet::new();
    for row in witnesses() {
        let id = &row.id;
        assert!(ids.insert(id.clone()), "{id} twice");
        assert!(id.starts_with('P') && !row.note.is_empty(), "{id}");
        assert!(sources().any(|source| source.source == row.source), "{id}");
        assert!(
            Metric::parse(&row.metric, &row.unit, metric::counting(&row)).is_some(),
            "{id}"
        );
        let test = tests.iter().find(|test| test.answers_to(&row.test));
        let test = test.unwrap_or_else(|| panic!("{id}: {}", row.test));
        let classes: Vec<Class> = records(ALIASES);
        let class = classes.iter().find(|class| class.name == row.drive);
        let drives = class.map_or(row.drive.as_str(), |class| class.drives.as_str());
        for drive in drives.split(' ') {
            assert!(Catalog::drives().contains(&drive), "{id}: {drive}");
            let meant = match &test.family.runs {
                suites::Runs::ByDefaultOn(drives) | suites::Runs::WithAllOn(drives) => {
                    drives.iter().any(|other| other == drive)
                }
                suites::Runs::WithAll | suites::Runs::ByDefault => true,
            };
            assert!(
                meant,
                "{id} is asked of {drive}, on which {} does not run",
                row.test
            );
        }
        let states: Vec<&str> = match &test.step.work {
            suites::Work::Loads { .. } => test.family.states.iter().map(|s| s.name()).collect(),
            suites::Work::Within(procedure, job) => procedure.states_of(job).collect(),
            suites::Work::Fact(_) => vec![suites::NO_STATE],
        };
        let state = row.state.as_str();
        assert!(
            ["na", "unstated"].contains(&state) || states.contains(&state),
            "{id}: {state}"
        );
    }
    assert_eq!(ids.len(), 87);
    for standing in standings() {
        assert!(
            Catalog::drives().contains(&standing.drive.as_str()),
            "{}",
            standing.drive
        );
    }
}

#[test]
fn witnesses_are_asked_with_their_own_tests_alone_and_seen_once_they_led_to_something() {
    let drives = [names("intel-320-300", "none")];
    let metrics = [("lat_avg_ms", 0.0625)];
    let run = Run {
        link: "sata3g".into(),
        ..run("intel-320-300", "seqwrite-4k-qd1", "filled", &metrics)
    };
    let of = |tests: &[Test]| super::figures(&drives, tests, std::slice::from_ref(&run));
    let all: Vec<Test> = suites::all().collect();
    let own = |test: &Test| test.family.source.key == OF_WITNESSES;
    let figure = figure(&of(&all), "P193");
    assert_eq!((figure.simulated, figure.unseen), (Some(62.5), true));
    let reviews: Vec<Test> = all.into_iter().filter(|test| !own(test)).collect();
    assert!(of(&reviews).iter().all(|figure| figure.id != "P193"));
    let mut row = witnesses().remove(0);
    assert_eq!(row.led_to.take().as_deref(), Some("map.run"));
    assert!(row.is_unseen());
    row.led_to = Some("a mechanism".to_owned());
    assert!(!row.is_unseen());
    // A number that was worked out from a figure says so in its drive's file.
    row.led_to = None;
    row.id = "P027".to_owned();
    assert!(!row.is_unseen());
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
        run(X25M, "randwrite-4k-qd3-8gb", "seasoned", &[("mib_s", 20.0)]),
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

#[test]
fn a_class_answers_with_the_worst_of_a_bound_and_the_mean_of_a_number() {
    let drives = ["crucial-c300-128", "crucial-c300-256"].map(|slug| names(slug, "none"));
    let tests = suites::select(&[]).unwrap();
    let runs = [("crucial-c300-128", 340.0), ("crucial-c300-256", 360.0)].map(|(slug, mb_s)| Run {
        link: "sata6g".into(),
        ..run(slug, "seqread-2m", "filled", &[("mb_s", mb_s)])
    });
    let mean = figure(&super::figures(&drives, &tests, &runs), "F0647");
    assert_eq!(
        (mean.simulated, mean.model.as_str()),
        (Some(350.0), "crucial-c300-128")
    );
    let slow = runs.clone().map(|run| Run {
        link: "sata3g".into(),
        ..run
    });
    let on_3g = super::figures(&drives, &tests, &slow);
    assert!(
        on_3g.iter().all(|figure| figure.id != "F0647"),
        "the row is of 6 Gbit/s"
    );
    let group =
        [("crucial-c300-128", 215.0), ("crucial-c300-256", 230.0)].map(|(slug, mb_s)| Run {
            link: "sata6g".into(),
            data: "incompressible".into(),
            ..run(slug, "randread-4k-qd32", "filled", &[("mb_s", mb_s)])
        });
    let figures = super::figures(&drives, &tests, &group);
    let (low, high) = (figure(&figures, "F0674"), figure(&figures, "F0675"));
    assert_eq!((low.simulated, low.verdict), (Some(215.0), Verdict::Fail));
    assert_eq!((high.simulated, high.verdict), (Some(230.0), Verdict::Pass));
}

#[test]
fn a_row_of_one_kind_of_data_is_answered_by_its_run() {
    let drive = "ocz-vertex3-120";
    let drives = [names(drive, "none")];
    let tests = suites::select(&[]).unwrap();
    let runs = [("incompressible", 163.0), ("compressible", 451.0)].map(|(data, mb_s)| Run {
        link: "sata6g".into(),
        data: data.into(),
        ..run(drive, "seqwrite-2m", "new", &[("mb_s", mb_s)])
    });
    let easy = |runs: &[Run]| figure(&super::figures(&drives, &tests, runs), "F0655").simulated;
    assert_eq!(easy(&runs), Some(451.0));
    assert_eq!(
        easy(&runs[..1]),
        Some(163.0),
        "a drive that does not compress has one"
    );
    let reads = [("incompressible", 480.0), ("compressible", 520.0)].map(|(data, mb_s)| Run {
        link: "sata6g".into(),
        data: data.into(),
        ..run(drive, "seqread-2m", "filled", &[("mb_s", mb_s)])
    });
    let both = figure(&super::figures(&drives, &tests, &reads), "F0645");
    assert_eq!((both.simulated, both.verdict), (Some(480.0), Verdict::Fail));
}

#[test]
fn a_promise_is_kept_by_more() {
    let metrics = [("host_writes_per_day", 153.0), ("lifetime_years", 4.0)];
    let figures = of_runs(&[run(X25M, "endurance-guarantee", "na", &metrics)]);
    assert_eq!(figure(&figures, "F0061").verdict, Verdict::Pass);
    assert_eq!(figure(&figures, "F0062").verdict, Verdict::Fail);
}

#[test]
fn reasons_are_given_once_and_for_figures_that_there_are() {
    let scores = records(SCORES);
    let rows: Vec<Row> = (published().into_iter())
        .chain(witnesses())
        .chain(scores)
        .collect();
    let mut seen = std::collections::BTreeSet::new();
    for (id, why) in records::<Named>(MISSES) {
        assert!(rows.iter().any(|row| row.id == id), "{id}");
        assert!(!why.trim().is_empty(), "{id}");
        assert!(seen.insert(id.clone()), "{id} twice");
    }
}

/// The figures of a review of everything.
fn of_all(runs: &[Run]) -> Vec<Figure> {
    let slugs = [CORE, SLC, DISK];
    let drives = slugs.map(|slug| names(slug, slug));
    figures(&drives, &suites::all().collect::<Vec<_>>(), runs)
}

/// Runs of all parts of the suite, each at one rate in MB/s.
fn suite(drive: &str, mb_s: f64) -> Vec<Run> {
    let tests = suites::all().filter(|test| test.family.method == "A13");
    let metrics = [("mb_s", mb_s), ("mib_s", mb_s)];
    tests
        .map(|test| run(drive, &test.step.slug, "restored", &metrics))
        .collect()
}

#[test]
fn of_the_scores_of_closed_programs_only_the_order_is_judged() {
    let three = |core, slc, disk| {
        let drives = [(CORE, core), (SLC, slc), (DISK, disk)];
        let runs = drives.map(|(drive, mb_s)| suite(drive, mb_s));
        of_all(&runs.concat())
    };
    // 8117, 12143 and 6325 points.
    let slow = three(4.0, 6.0, 3.0);
    for id in ["F0114", "F0115", "F0116"] {
        let figure = figure(&slow, id);
        let judged = (figure.verdict, figure.error);
        assert_eq!(judged, (Verdict::Pass, None), "{id}");
    }
    let score = figure(&slow, "F0114").simulated.expect("a score");
    assert!((score - 4.0 * 214.65).abs() < 1e-6, "{score}");
    // The disk is last in that order, and first where films are recorded.
    assert_eq!(figure(&slow, "F0139").verdict, Verdict::Fail);
    let films = three(4.0, 6.0, 7.0);
    assert_eq!(figure(&films, "F0139").verdict, Verdict::Pass);
    // 72.5 and 71.8 MB/s are equal, whichever of the model's is ahead.
    for either in [&slow, &three(6.0, 4.0, 3.0)] {
        assert_eq!(figure(either, "F0119").verdict, Verdict::Pass);
    }
}

/// Runs of all parts of SYSMark, each N seconds long.
fn sysmark(drive: &str, seconds: f64) -> Vec<Run> {
    let tests = suites::all().filter(|test| test.family.method == "A12");
    tests
        .map(|test| run(drive, &test.step.slug, "restored", &[("seconds", seconds)]))
        .collect()
}

#[test]
fn the_longer_the_work_takes_the_lower_its_score() {
    let slow = of_all(&[sysmark(CORE, 250.0), sysmark(SLC, 200.0)].concat());
    let verdict = |figures: &[Figure], id: &str| figure(figures, id).verdict;
    let score = figure(&slow, "F0145").simulated.expect("a score");
    assert!((score - 200.0).abs() < 1e-9, "{score}");
    // 30 % ahead overall, and half in one part.
    let ahead = figure(&slow, "F0143").simulated.expect("an advantage");
    assert!((ahead - 25.0).abs() < 1e-9, "{ahead}");
    let ratio = figure(&slow, "F0144").simulated.expect("a ratio");
    assert!((ratio - 0.8).abs() < 1e-9, "{ratio}");
    let quick = of_all(&[sysmark(CORE, 150.0), sysmark(SLC, 200.0)].concat());
    for id in ["F0143", "F0144", "F0145", "F0147", "F0150"] {
        assert_eq!(verdict(&slow, id), Verdict::Pass, "{id}");
        assert_eq!(verdict(&quick, id), Verdict::Fail, "{id}");
    }
    // 168 and 172 points are equal.
    assert_eq!(verdict(&quick, "F0149"), Verdict::Shown);
}

#[test]
fn a_whole_suite_goes_by_the_part_that_it_contains() {
    let slugs = [X25M, SLC, DISK];
    let drives = slugs.map(|slug| names(slug, slug));
    let of = |x25m: f64, slc: f64, disk: f64| {
        let tests = suites::all().filter(|test| test.family.method == "A14");
        let runs: Vec<Run> = tests
            .flat_map(|test| {
                let each = [(X25M, x25m), (SLC, slc), (DISK, disk)];
                each.map(|(drive, rate)| run(drive, &test.step.slug, "restored", &[("mb_s", rate)]))
            })
            .collect();
        figures(&drives, &suites::all().collect::<Vec<_>>(), &runs)
    };
    let faster = of(30.0, 20.0, 15.0);
    let ahead = figure(&faster, "F0330").simulated.expect("an advantage");
    assert!((ahead - 100.0).abs() < 1e-9, "{ahead}");
    let slower = of(10.0, 20.0, 15.0);
    for id in ["F0330", "F0331", "F0333", "F0335", "F0336", "F0338"] {
        assert_eq!(figure(&faster, id).verdict, Verdict::Pass, "{id}");
        assert_eq!(figure(&slower, id).verdict, Verdict::Fail, "{id}");
    }
}

#[test]
fn a_score_alone_has_no_order_and_a_part_no_score() {
    let alone = of_all(&suite(CORE, 4.0));
    assert_eq!(figure(&alone, "F0114").verdict, Verdict::Shown);
    let part = of_all(&suite(CORE, 4.0)[..1]);
    assert_eq!(figure(&part, "F0114").simulated, None);
}

#[test]
fn a_drive_is_asked_for_what_is_published_of_its_kind() {
    let rows = rows_of(&Names {
        slug: "ocz-vertex".to_owned(),
        aliases: Vec::new(),
    });
    let mut drives: Vec<&str> = rows.iter().map(|row| row.drive.as_str()).collect();
    drives.dedup();
    assert_eq!(drives, ["indilinx-class"]);
}

/// A run that gave each of these values in turn, seed by seed.
fn repeated(drive: &str, test: &str, state: &str, metric: &str, values: &[f64]) -> Run {
    let of = |value: &f64| run(drive, test, state, &[(metric, *value)]);
    let others = values[1..].iter().map(|value| vec![of(value).metrics]);
    let others: Vec<_> = others.collect();
    joined(vec![of(&values[0])], &others).remove(0)
}

#[test]
fn a_figure_of_repeats_is_their_mean_and_is_judged_by_it() {
    let of = |averages_ms: &[f64]| {
        let run = repeated(
            X25M,
            "randwrite-4k-qd1",
            "filled",
            "lat_avg_ms",
            averages_ms,
        );
        figure(&of_runs(&[run]), "F0180")
    };
    // 0.089 ms were published: each by itself is too far off, to either side.
    assert_eq!(of(&[0.07]).verdict, Verdict::Fail);
    assert_eq!(of(&[0.11]).verdict, Verdict::Fail);
    let both = of(&[0.07, 0.11]);
    assert!((both.simulated.unwrap() - 0.09).abs() < 1e-12);
    assert_eq!(both.verdict, Verdict::Pass);
    let spread = both.spread.unwrap();
    assert_eq!(spread.values, [Some(0.07), Some(0.11)]);
    assert!(spread.depends_on_seed);
    assert_eq!(of(&[0.07]).spread, None, "once is no repeat");
}

#[test]
fn a_ratio_of_repeats_is_one_of_runs_of_one_seed() {
    let of = |drive, iops: &[f64]| repeated(drive, "randwrite-4k-qd1", "filled", "iops", iops);
    let runs = [of(CORE, &[4.0, 5.0]), of(SLC, &[100.0, 150.0])];
    let bench = Bench {
        drives: &[names(CORE, "core"), names(SLC, "slc")],
        tests: &suites::select(&[]).unwrap(),
        runs: &runs,
        repeats: repeats(&runs),
        classes: Vec::new(),
        titles: Vec::new(),
        left_out: Vec::new(),
        misses: Vec::new(),
    };
    let row = Row {
        metric: format!("iops_ratio_vs_{CORE}"),
        drive: SLC.to_owned(),
        ..published()
            .into_iter()
            .find(|row| row.id == "F0174")
            .unwrap()
    };
    let answering = bench.answering(&row).unwrap();
    let simulated = bench.simulated(&row, &answering).unwrap();
    // That of the means would be 27.8.
    assert_eq!(simulated.value, 27.5);
    let spread = simulated.spread.unwrap();
    assert_eq!(spread.values, [Some(25.0), Some(30.0)]);
}

#[test]
fn a_name_that_is_no_drive_file_is_told_in_words() {
    let drives = Catalog::drives();
    let titles: Vec<Named> = records(NAMES);
    let mut rows = published();
    rows.extend(records::<Row>(SCORES));
    rows.extend(witnesses());
    for row in rows {
        let told = drives.contains(&row.drive.as_str()) || said_of(&titles, &row.drive).is_some();
        assert!(told, "{} has no words in names.csv", row.drive);
    }
    let runs = [run(CORE, "randwrite-4k-qd1", "filled", &[("mib_s", 0.02)])];
    let figures = of_runs(&runs);
    let figure = figure(&figures, "F0171");
    assert_eq!(
        (figure.drive_name.as_str(), figure.unit.as_str()),
        ("", "MiB/s")
    );
}

#[test]
fn a_note_names_its_source_in_words() {
    let told = sources_in_words("x25m-2008 and 520-2012: quicker");
    assert_eq!(told, "AnandTech 2008 and AnandTech 2012: quicker");
}

#[test]
fn what_is_fitted_for_one_drive_alone_is_at_most_half_its_figures() {
    for slug in Catalog::drives() {
        let file = Catalog::default().load(slug, &[]).unwrap();
        let names = Names {
            slug: slug.to_owned(),
            aliases: file.aliases().to_vec(),
        };
        let parameters = file.parameters();
        let own = parameters
            .iter()
            .filter(|row| row.source == "fitted" && row.base.is_empty());
        let (own, figures) = (own.count(), rows_of(&names).len());
        assert!(2 * own <= figures, "{slug}: {own} for {figures} figures");
    }
}
