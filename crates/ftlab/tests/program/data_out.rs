//! What comes of results once they are there: the schema, tables, fio's JSON, comparisons and sweeps.

use crate::place::{Place, holds};
use serde_json::Value;

const DISK: &str = "seagate-momentus-7200.2";

const SCHEMA: &str = include_str!("../../../../docs/schema/results.schema.json");

fn results(place: &Place, out: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{out}/results.json"))).unwrap()
}

#[test]
fn results_are_what_their_schema_says() {
    let place = Place::new();
    place.out(&format!("review {DISK} --test A1 --test A4 --out o"));
    let schema = serde_json::from_str(SCHEMA).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let set = results(&place, "o");
    let errors: Vec<String> = schema.iter_errors(&set).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    let breaks: [fn(&mut Value); 4] = [
        |set| set["schema"] = 1.into(),
        |set| set["runs"][0]["at"][0]["inside"]["wa"] = "much".into(),
        |set| drop(set["figures"][0].as_object_mut().unwrap().remove("unit")),
        |set| set["figures"][0]["verdict"] = "perhaps".into(),
    ];
    for (n, break_it) in breaks.into_iter().enumerate() {
        let mut broken = set.clone();
        break_it(&mut broken);
        assert!(!schema.is_valid(&broken), "break {n} is not seen");
    }
}

#[test]
fn of_nothing_there_is_no_ratio_and_results_of_the_version_before_can_be_read() {
    let place = Place::new();
    place.write("r.fio", "[r]\nrw=read\nbs=4k\nnumber_ios=10\n");
    place.out("run r.fio --drive generic-mlc-8 --state filled --out o");
    let mut set = results(&place, "o");
    let inside = &set["runs"][0]["at"][0]["inside"];
    assert_eq!(
        (&inside["wa"], &inside["gc_share"]),
        (&Value::Null, &Value::Null)
    );
    place.out("report o --csv");
    let table = place.read("o/runs.csv");
    let mut lines = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let (names, run) = (lines.next().unwrap(), lines.next().unwrap());
    for name in ["wa", "gc_share"] {
        let column = names.iter().position(|column| *column == name);
        assert_eq!(run[column.unwrap()], "", "{name}");
    }
    set["schema"] = 2.into();
    let run = &mut set["runs"][0];
    run["inside"] = run["at"][0]["inside"].clone();
    run["inside"]["wa"] = 0.0.into();
    run["inside"]["gc_share"] = 0.0.into();
    place.write("before.json", &set.to_string());
    place.out("report before.json --out b");
    for version in [1, 5] {
        set["schema"] = version.into();
        place.write("other.json", &set.to_string());
        let why = place.refused("report other.json --out b");
        holds(
            &why,
            &["this ftlab reads schema 2 to 4; run the review again"],
        );
    }
}

#[test]
fn a_report_is_drawn_again_without_a_simulation() {
    let place = Place::new();
    place.out(&format!("review {DISK} --test A1 --out o"));
    let page = place.read("o/index.html");
    place.write("o/index.html", "");
    let out = place.out("report o --csv --parquet --fio-json");
    holds(&out, &["F0184", "o/index.html", "Beside it: 9 files"]);
    assert_eq!(place.read("o/index.html"), page);
    let runs = place.read("o/runs.csv");
    assert_eq!(runs.lines().count(), 2);
    holds(
        &runs,
        &[
            "set,run,drive,method,test",
            "metric_lat_max_ms",
            "write_lat_ns_p99_99",
        ],
    );
    for table in ["figures", "runs", "series"] {
        let bytes = std::fs::read(place.path(&format!("o/{table}.parquet"))).unwrap();
        assert!(
            bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"),
            "{table}"
        );
    }
    let set = results(&place, "o");
    let json = place.read(&format!("o/fio/{DISK}_randwrite-4k-qd1_filled.json"));
    let job: Value = serde_json::from_str(&json).unwrap();
    let (write, run) = (&job["jobs"][0]["write"], &set["runs"][0]["write"]);
    assert_eq!(write["total_ios"], run["ios"]);
    assert_eq!(write["clat_ns"]["max"], run["lat_ns_max"]);
    assert_eq!(
        write["clat_ns"]["percentile"]["99.990000"],
        run["lat_ns_percentiles"][16][1]
    );
    assert_eq!(job["ftlab"]["metrics"], set["runs"][0]["metrics"]);
}

#[test]
fn results_are_compared_run_by_run() {
    let place = Place::new();
    for (out, seed) in [("a", 1), ("b", 2)] {
        place.out(&format!(
            "review {DISK} --test A1 --seed {seed} --out {out}"
        ));
    }
    let out = place.out("report a b/results.json --out c --metric lat_max_ms --csv");
    holds(
        &out,
        &[
            "what differs",
            "seed",
            "1 runs match",
            "lat_max_ms",
            "c/comparison.html",
        ],
    );
    let value = |set: &str| {
        let set = results(&place, set);
        set["runs"][0]["metrics"]["lat_max_ms"].as_f64().unwrap()
    };
    holds(&out, &[&format!("×{:.3}", value("b") / value("a"))]);
    holds(
        &place.read("c/comparison.html"),
        &["lat_p99_ms", "Ratio of b", "</html>"],
    );
    let runs = place.read("c/runs.csv");
    assert!(runs.lines().nth(1).unwrap().starts_with("a,"));
    assert!(runs.lines().nth(2).unwrap().starts_with("b,"));

    place.out("review wd-velociraptor-300 --test A1 --out other");
    holds(
        &place.out("report a other --out d"),
        &["drive", "wd-velociraptor-300", "1 runs match"],
    );
    place.out(&format!("review {DISK} --test A5 --out reads"));
    holds(
        &place.refused("report a reads"),
        &["no run is in all of a, reads"],
    );
    holds(
        &place.refused("report a b --metric nothing"),
        &["`nothing`", "lat_max_ms"],
    );
    holds(&place.refused("report a a/"), &["a is given twice"]);
    holds(
        &place.refused("report nowhere"),
        &["nowhere", "ftlab review"],
    );
}

const SMALL: &str = "compare generic-mlc-8 --set nand.blocks_per_die=64 --quick --test A1";

#[test]
fn a_setting_is_tried_at_each_of_its_values() {
    let place = Place::new();
    let sweep = "--set link.command=2us,500us --metric iops --metric wa --out o";
    let out = place.compares(&format!("{SMALL} {sweep}"));
    holds(
        &out,
        &["link.command=2us", "link.command=500us", "o/compare.svg"],
    );
    let set = results(&place, "o");
    let iops = |n: usize| set["runs"][n]["metrics"]["iops"].as_f64().unwrap();
    assert!(iops(0) > iops(1), "a longer way is a slower one");
    // The table's numbers are those of the results; a mark says that collection had not settled.
    let row = out.lines().find(|line| line.contains(" iops ")).unwrap();
    let shown = row.split_whitespace().skip(2);
    let shown = shown.map(|cell| cell.trim_end_matches('*').parse::<f64>().unwrap());
    let errors: Vec<f64> = shown.enumerate().map(|(n, x)| x / iops(n) - 1.0).collect();
    let is_near = |error: &f64| error.abs() < 1e-3;
    assert!(
        errors.len() == 2 && errors.iter().all(is_near),
        "{errors:?}"
    );
    assert_eq!(
        set["drives"][1]["drive"],
        "generic-mlc-8@link.command=500us"
    );
    assert_eq!(set["runs"][1]["drive"], set["drives"][1]["drive"]);
    assert!(set["figures"].as_array().unwrap().is_empty());
    holds(
        &place.read("o/compare.svg"),
        &[
            "Link: command",
            "IOPS",
            "Write amplification",
            "4 KiB random writes, one at a time",
        ],
    );
    holds(&place.out("report o"), &["generic-mlc-8@link.command=2us"]);
}

#[test]
fn two_settings_make_a_matrix() {
    let place = Place::new();
    let sweeps = "--set link.command=2us,500us --set link.rate=300,600 --metric iops --out o";
    let out = place.compares(&format!("{SMALL} {sweeps}"));
    holds(
        &out,
        &[
            "link.rate=300",
            "link.rate=600",
            "randwrite-4k-qd1/filled iops",
        ],
    );
    let rows = out
        .lines()
        .filter(|line| line.starts_with("2us") || line.starts_with("500us"));
    assert_eq!(
        rows.map(|row| row.split_whitespace().count())
            .collect::<Vec<_>>(),
        [3, 3]
    );
    assert_eq!(results(&place, "o")["runs"].as_array().unwrap().len(), 4);
}

#[test]
fn a_sweep_that_cannot_be_is_refused_in_one_line() {
    let place = Place::new();
    let refused = |more: &str| place.refused(&format!("compare generic-mlc-8 --test A1 {more}"));
    holds(
        &refused("--set spare.op=0.07"),
        &["nothing to compare", "0.07,0.15"],
    );
    holds(
        &refused("--set spare.op=0.07,,0.2"),
        &["spare.op", "missing"],
    );
    holds(&refused("--set spare.op="), &["spare.op", "missing"]);
    holds(&refused("--set spare.op"), &["`spare.op`", "key=value"]);
    holds(&refused("--set spare.opp=0.07,0.2"), &["opp"]);
    holds(&refused("--set spare.op=0.07,0"), &["spare.op", "above 0"]);
    holds(&refused("--set spare.op=0.2,0.2"), &["0.2", "twice"]);
    holds(
        &refused("--set spare.op=0.1,0.2 --set spare.op=0.3,0.4"),
        &["twice"],
    );
    let three = "--set spare.op=0.1,0.2 --set gc.policy=greedy,fifo --set link.rate=300,600";
    holds(
        &refused(three),
        &["more than two", "spare.op, gc.policy, link.rate"],
    );
}

#[test]
fn a_metric_that_no_run_has_is_told_of_below_the_variants_and_leaves_the_results() {
    let place = Place::new();
    let line = format!("{SMALL} --set link.rate=300,600 --metric watts --out o");
    let assert = place.ftlab(&line).assert().code(1);
    let said = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    holds(&said, &["Results: o/results.json"]);
    assert!(!said.contains("link.rate"), "there is no table: {said}");
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(lines[2].starts_with("error: "), "{told}");
    holds(lines[2], &["`watts`", "iops"]);
    assert_eq!(results(&place, "o")["runs"].as_array().unwrap().len(), 2);
    assert!(!place.path("o/compare.svg").exists(), "nothing is drawn");
}
