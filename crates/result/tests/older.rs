//! Results of every version of the schema since 2 are kept, and are read as results of this one.

use ftlab_result::{OLDEST, ResultSet, SCHEMA, Unread};
use std::fs;
use std::path::Path;

fn kept(schema: u32) -> String {
    text(&schema.to_string())
}

fn text(name: &str) -> String {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    let path = kept.join(format!("{name}.json"));
    fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// They tell of a load that wrote nothing, and of one that did.
#[test]
fn results_of_every_version_are_read_as_those_of_this_one() {
    let now = ResultSet::read(&kept(SCHEMA)).unwrap();
    let shares = |set: &ResultSet| {
        let inside = set.runs.iter().map(|run| run.inside().unwrap());
        inside.map(|inside| inside.gc_share).collect::<Vec<_>>()
    };
    assert_eq!(shares(&now), [None, Some(0.0)]);
    for schema in OLDEST..SCHEMA {
        let mut read = ResultSet::read(&kept(schema)).unwrap();
        assert_eq!(read.schema, SCHEMA);
        for (run, now) in read.runs.iter_mut().zip(&now.runs) {
            // Earlier versions do not tell that.
            let written = now.inside().unwrap().host_bytes_written;
            let inside = run.at[0].inside.as_mut().unwrap();
            inside.host_bytes_written = written;
            for (job, now) in run.jobs.iter_mut().zip(&now.jobs) {
                job.clone_from(now);
            }
        }
        assert_eq!(read, now, "schema {schema}");
    }
}

/// Two drives, one of which has NVMe's logs and one SMART attributes; one that had to settle; one that warmed.
#[test]
fn drives_of_a_run_are_those_that_ran_before_they_stood_in_one_list() {
    let now = ResultSet::read(&text("4-drives")).unwrap();
    let [two, steady, warm] = &now.runs[..] else {
        panic!("{} runs", now.runs.len())
    };
    let [fast, slow] = two.several() else {
        panic!("{} drives", two.at.len())
    };
    assert_eq!((fast.name.as_str(), slow.name.as_str()), ("fast", "slow"));
    assert!(fast.nvme.is_some() && !slow.smart.is_empty());
    assert!(two.only().is_none() && two.together.is_some());
    assert!(steady.only().unwrap().settling.is_some() && steady.several().is_empty());
    assert_eq!(warm.only().unwrap().series_celsius.len(), 2);
    assert_eq!(ResultSet::read(&text("3-drives")).unwrap(), now);
}

#[test]
fn results_of_a_later_version_are_refused_and_so_is_what_holds_none() {
    for schema in [OLDEST - 1, SCHEMA + 1] {
        let text = kept(SCHEMA).replacen(
            &format!("\"schema\": {SCHEMA}"),
            &format!("\"schema\": {schema}"),
            1,
        );
        let read = ResultSet::read(&text);
        assert!(matches!(read, Err(Unread::Schema(found)) if found == schema));
    }
    for text in ["{}", "", "{\"schema\": 2}"] {
        assert!(
            matches!(ResultSet::read(text), Err(Unread::Foreign(_))),
            "{text}"
        );
    }
}
