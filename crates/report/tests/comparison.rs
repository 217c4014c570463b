//! Result sets side by side.

use crate::sample;
use ftlab_report::comparison::{self, Comparison, Difference};
use ftlab_report::html;
use ftlab_result::ResultSet;
use sample::sample;

fn slower(set: &ResultSet, factor: f64) -> ResultSet {
    let mut other = set.clone();
    for run in &mut other.runs {
        run.metrics.values_mut().for_each(|value| *value *= factor);
    }
    other
}

#[test]
fn runs_of_the_same_name_stand_beside_each_other() {
    let first = sample();
    let mut second = slower(&first, 1.5);
    let gone = second.runs.remove(0).id;
    second.origin.seed = 2;
    let key = second.drives[0].parameters[0].key.clone();
    second.drives[0].parameters[0].value = "4711".to_owned();
    let found = Comparison::of(&[("one", &first), ("two", &second)]);
    assert_eq!(found.matches.len(), first.runs.len() - 1);
    assert_eq!(found.alone, [vec![gone.as_str()], vec![]]);
    for matched in &found.matches {
        for row in &matched.rows {
            let ratio = row.ratio(1).unwrap();
            assert!(
                (ratio - 1.5).abs() < 1e-12 || row.values[0] == Some(0.0),
                "{row:?}"
            );
        }
    }
    let seed = Difference {
        what: "seed".to_owned(),
        values: vec!["1".to_owned(), "2".to_owned()],
    };
    assert_eq!(found.differences[0], seed);
    assert_eq!(found.differences.len(), 2);
    assert!(found.differences[1].what.ends_with(&key));
    let text = comparison::terminal(&found, &[], 200);
    assert!(
        text.contains("×1.500") && text.contains("1 of one have no match"),
        "{text}"
    );
    let page = html::comparison::render(&found);
    assert!(page.contains("×1.500") && page.contains(&gone) && page.contains("4711"));
    // Each run is in the overview and has a section of its own.
    let links = page.matches("<a href=\"#run-").count();
    assert_eq!(links, found.matches.len());
    for n in 1..=links {
        assert!(page.contains(&format!("id=\"run-{n}\"")), "{n}");
    }
    assert!(!page.contains("<script"), "it needs none");
}

#[test]
fn two_drives_are_compared_if_each_set_is_of_one() {
    let of_drive = |n: usize| {
        let mut set = sample();
        let drive = set.drives[n].drive.clone();
        set.drives.retain(|sheet| sheet.drive == drive);
        set.runs.retain(|run| run.drive == drive);
        set
    };
    let (first, second) = (of_drive(0), of_drive(1));
    let found = Comparison::of(&[("model", &first), ("real", &second)]);
    assert!(!found.matches.is_empty());
    assert!(!found.matches[0].name.contains(&first.drives[0].drive));
    assert_eq!(found.differences[0].values[1], second.drives[0].drive);
    // With more drives in a set, names decide.
    let all = sample();
    let found = Comparison::of(&[("all", &all), ("real", &second)]);
    assert_eq!(found.matches.len(), second.runs.len());
    assert!(found.matches[0].name.starts_with(&second.drives[0].drive));
}

#[test]
fn a_ratio_to_nothing_is_none() {
    let first = sample();
    let mut second = first.clone();
    let metrics = |set: &mut ResultSet, value: f64| {
        let metric = set.runs[0].metrics.values_mut().next().unwrap();
        *metric = value;
    };
    let mut zero = first.clone();
    metrics(&mut zero, 0.0);
    metrics(&mut second, 3.0);
    let ratio = |a: &ResultSet, b: &ResultSet| {
        Comparison::of(&[("a", a), ("b", b)]).matches[0].rows[0].ratio(1)
    };
    assert_eq!(ratio(&zero, &second), None);
    assert_eq!(ratio(&zero, &zero), Some(1.0));
    assert_eq!(ratio(&second, &zero), Some(0.0));
}

#[test]
fn repeats_are_told_apart_and_keep_their_intervals() {
    let (first, second) = (sample(), sample::repeated());
    let found = Comparison::of(&[("once", &first), ("thrice", &second)]);
    let repeats = Difference {
        what: "repeats".to_owned(),
        values: vec!["1".to_owned(), "3".to_owned()],
    };
    assert_eq!(found.differences, [repeats]);
    let text = comparison::terminal(&found, &[], 200);
    assert!(text.contains(" ± 0 ") && text.contains(" ± 0."), "{text}");
    assert!(html::comparison::render(&found).contains(" ± "));
}

#[test]
fn figures_of_runs_that_ended_before_collection_settled_are_marked() {
    let first = sample();
    let mut second = first.clone();
    let pages = |second: &ResultSet| {
        let found = Comparison::of(&[("one", &first), ("two", second)]);
        let text = comparison::terminal(&found, &[], 200);
        [text, html::comparison::render(&found)]
    };
    for page in pages(&second) {
        assert!(!page.contains("had not settled"), "{page}");
    }
    for run in &mut second.runs {
        run.at[0].inside.as_mut().unwrap().settled = Some(false);
    }
    let [text, page] = pages(&second);
    assert!(page.contains("had not settled"));
    let noted = text.lines().filter(|line| line.contains("had not settled"));
    assert_eq!(noted.count(), 1, "{text}");
    // Only the second set's figure of each row.
    let row = text.lines().find(|line| line.contains('×')).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    let marked: Vec<&&str> = cells.iter().filter(|cell| cell.ends_with('*')).collect();
    assert_eq!(marked.len(), 1, "{row}");
}
