//! A real drive beside its model.

use crate::sample::{measured, modelled, sample};
use ftlab_report::html;
use ftlab_report::pair::{self, Figure, Kind, Pair};
use ftlab_result::{Job, ResultSet, Traffic};

fn pair<'a>(real: &'a ResultSet, model: &'a ResultSet) -> Pair<'a> {
    Pair::of(&[("real", real), ("model", model)]).expect("a real drive and a model")
}

fn compared<'p>(pair: &'p Pair<'p>) -> Vec<&'p Figure<'p>> {
    let matches = pair.matches.iter();
    matches.flat_map(|matched| matched.compared()).collect()
}

#[test]
fn a_measured_set_and_a_simulated_one_are_a_pair_in_either_order() {
    let (real, model) = (measured(), modelled());
    for sets in [[("r", &real), ("m", &model)], [("m", &model), ("r", &real)]] {
        let found = Pair::of(&sets).expect("a pair");
        assert_eq!((found.measured.label, found.simulated.label), ("r", "m"));
        assert_eq!(found.matches.len(), model.runs.len());
    }
    assert!(Pair::of(&[("a", &model), ("b", &model)]).is_none());
    assert!(Pair::of(&[("a", &real), ("b", &real)]).is_none());
    assert!(Pair::of(&[("a", &real)]).is_none());
    // Among several models it is the one of the same name, and without one nothing says which.
    let all = sample();
    assert!(Pair::of(&[("r", &real), ("all", &all)]).is_none());
    let mut named = measured();
    let drive = all.drives[1].drive.clone();
    for run in &mut named.runs {
        run.id = run.id.replacen("real-one", &drive, 1);
        run.drive = drive.clone();
    }
    named.drives[0].drive = drive.clone();
    let found = Pair::of(&[("r", &named), ("all", &all)]).expect("a pair");
    assert_eq!(found.simulated.drive.drive, drive);
    assert!(found.matches.iter().all(|of| of.simulated.drive == drive));
    assert!(found.simulated.alone.is_empty());
}

#[test]
fn an_error_is_that_of_the_model() {
    let (real, model) = (measured(), modelled());
    let found = pair(&real, &model);
    for figure in compared(&found) {
        let expected = match figure.kind {
            Kind::Rate => 0.8,
            Kind::Latency | Kind::Duration => 1.25,
            kind => panic!("{kind:?}: {figure:?}"),
        };
        let ratio = figure.ratio().expect("neither is zero");
        assert!((ratio / expected - 1.0).abs() < 1e-4, "{figure:?}");
    }
    let summaries = found.summaries();
    let of = |kind| summaries.iter().find(|of| of.kind == kind).expect("a row");
    let median = of(Kind::Latency).median.expect("there are latencies");
    assert!((median - 1.25_f64.ln()).abs() < 1e-4);
    assert_eq!(of(Kind::Rate).worst.expect("a rate").1.error(), "−20 %");
    assert_eq!(of(Kind::Amplification).figures, 0);
}

#[test]
fn what_says_the_same_twice_counts_once() {
    let (real, model) = (measured(), modelled());
    let found = pair(&real, &model);
    let first = &found.matches[0];
    let rates = first.compared().filter(|figure| figure.kind == Kind::Rate);
    assert_eq!(rates.count(), 1, "{:?}", first.figures);
    let names: Vec<&str> = first.figures.iter().map(|of| of.name.as_str()).collect();
    assert!(
        names.contains(&"mb_s") && names.contains(&"write.iops"),
        "{names:?}"
    );
    let chart = first.test.expect("its test").chart_metric.as_str();
    assert_eq!(names[0], chart);
}

#[test]
fn a_figure_that_is_zero_on_one_side_has_no_error_and_is_counted_apart() {
    let (mut real, mut model) = (measured(), modelled());
    real.runs[0].metrics.insert("pauses".to_owned(), 0.0);
    model.runs[0].metrics.insert("pauses".to_owned(), 3.0);
    real.runs[1].metrics.insert("pauses".to_owned(), 0.0);
    model.runs[1].metrics.insert("pauses".to_owned(), 0.0);
    let found = pair(&real, &model);
    let summaries = found.summaries();
    let other = summaries.iter().find(|of| of.kind == Kind::Other);
    let other = other.expect("a row of counts");
    assert_eq!((other.figures, other.without_error), (0, 1));
    let page = html::pair::render(&found);
    assert!(page.contains("1 more figure is zero on one side alone"));
}

#[test]
fn jobs_of_one_name_pair_and_others_do_not() {
    let traffic = |iops: f64| Traffic {
        ios: 100,
        iops,
        lat_ns_mean: 1e6,
        lat_ns_max: 2_000_000,
        lat_ns_percentiles: vec![(50.0, 1_000_000)],
        ..Traffic::default()
    };
    let job = |name: &str, iops| -> Job {
        serde_json::from_value(serde_json::json!({
            "name": name, "group": 0, "clones": 1, "iodepth": 1, "measured_ns": 1,
            "read": traffic(iops),
        }))
        .expect("a job")
    };
    let (mut real, mut model) = (measured(), modelled());
    real.runs[0].jobs = vec![job("reader", 100.0), job("lone", 7.0)];
    model.runs[0].jobs = vec![job("other", 3.0), job("reader", 150.0)];
    let found = pair(&real, &model);
    let jobs = found.matches[0]
        .figures
        .iter()
        .filter(|of| !of.job.is_empty());
    let jobs: Vec<&Figure<'_>> = jobs.collect();
    assert!(!jobs.is_empty() && jobs.iter().all(|of| of.job == "reader"));
    assert_eq!(jobs[0].error(), "+50 %");
}

#[test]
fn runs_of_one_side_are_named_with_the_reason() {
    let (mut real, mut model) = (measured(), modelled());
    let gone = real.runs.remove(0);
    let moved = model.runs.last_mut().expect("a run");
    moved.state = "steady".to_owned();
    moved.id = format!("{}/{}/steady", moved.drive, moved.test);
    real.unfinished.push(ftlab_result::Unfinished {
        drive: "real-one".to_owned(),
        why: "spare-area cannot be run on a real drive: it asks how the drive is made".to_owned(),
    });
    let found = pair(&real, &model);
    let alone = |side: &pair::Side<'_>| {
        let alone = side.alone.iter();
        alone
            .map(|of| (of.run.test.clone(), of.why()))
            .collect::<Vec<_>>()
    };
    let elsewhere = "the other side ran it on a drive that was steady".to_owned();
    let of_model = alone(&found.simulated);
    assert!(of_model.contains(&(gone.test, "the other side did not run it".to_owned())));
    assert!(
        alone(&found.measured)
            .iter()
            .any(|(_, why)| why.contains(&elsewhere))
    );
    let page = html::pair::render(&found);
    let text = pair::terminal(&found, &[], 160);
    for said in [&page, &text] {
        assert!(
            said.contains(&elsewhere) && said.contains("spare-area cannot be run"),
            "{said}"
        );
    }
}

#[test]
fn a_page_has_both_in_each_test_and_no_word_of_published_figures() {
    let (real, model) = (measured(), modelled());
    let found = pair(&real, &model);
    let page = html::pair::render(&found);
    for words in [
        "Measured: Real One",
        "How far off is the model?",
        "\"together\":true",
        "−20 %",
        "+25 %",
    ] {
        assert!(page.contains(words), "{words}");
    }
    let (text, _) = page.split_once("<script id=").expect("its data");
    assert!(!text.contains("no published figures") && !text.contains("Which drive stutters"));
    for test in ["a1", "b1"] {
        assert!(page.contains(&format!("id=\"test/{test}-pair\"")), "{test}");
        let chart = format!("data-family=\"test/{test}\" data-kind=\"percentiles\"");
        assert!(page.contains(&chart), "{test}");
    }
    let terminal = pair::terminal(&found, &["iops".to_owned()], 160);
    assert!(
        terminal.contains("−20 %") && !terminal.contains("lat_avg_ms  "),
        "{terminal}"
    );
}

#[test]
fn a_drive_and_a_model_of_one_name_are_two_drives_of_the_page() {
    let model = modelled();
    let name = model.drives[0].drive.clone();
    let mut real = measured();
    for run in &mut real.runs {
        run.id = run.id.replacen("real-one", &name, 1);
        run.drive = name.clone();
    }
    real.drives[0].drive = name.clone();
    let page = html::pair::render(&pair(&real, &model));
    for id in [format!("drive/{name}"), format!("drive/{name}-measured")] {
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
    }
}
