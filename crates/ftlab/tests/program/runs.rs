//! `ftlab run` as it ends in results: several loads and drives, a report, tables, and what is asked of them later.

use crate::place::{Place, SCRIPT, TRACE, holds};
use serde_json::Value;

/// Two drives that are ready in no time.
const TWO: &str = "--drive generic-mlc-8 --drive seagate-momentus-7200.2";

fn place() -> Place {
    let place = Place::new();
    place.write("copy.toml", SCRIPT);
    place.write("little.toml", TRACE);
    place
}

fn results(place: &Place, out: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{out}/results.json"))).unwrap()
}

fn ids(set: &Value) -> Vec<&str> {
    let runs = set["runs"].as_array().unwrap().iter();
    runs.map(|run| run["id"].as_str().unwrap()).collect()
}

#[test]
fn every_load_runs_on_every_drive_and_has_a_report_and_tables() {
    let place = place();
    let out = place.out(&format!(
        "run random.fio copy.toml little.toml {TWO} --out o"
    ));
    holds(
        &out,
        &[
            "# generic-mlc-8/random/filled\nw: (groupid=0)",
            "# seagate-momentus-7200.2/copy/filled\nCopy\n",
            "Little",
            "o/index.html",
        ],
    );
    let set = results(&place, "o");
    assert_eq!(
        ids(&set),
        [
            "generic-mlc-8/random/filled",
            "generic-mlc-8/copy/filled",
            "generic-mlc-8/little/filled",
            "seagate-momentus-7200.2/random/filled",
            "seagate-momentus-7200.2/copy/filled",
            "seagate-momentus-7200.2/little/filled",
        ]
    );
    assert_eq!(
        (&set["schema"], &set["origin"]["way"]),
        (&ftlab_result::SCHEMA.into(), &"simulated".into())
    );
    let schema = include_str!("../../../../docs/schema/results.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = schema.iter_errors(&set).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());

    // What is drawn later is the same, and tables have a row a run.
    let page = place.read("o/index.html");
    holds(&page, &["random", "Copy", "Little"]);
    holds(
        &place.out("report o --csv --parquet --fio-json"),
        &["Beside it: 14 files"],
    );
    assert_eq!(place.read("o/index.html"), page);
    let runs = place.read("o/runs.csv");
    assert_eq!(runs.lines().count(), 7);
    holds(&runs, &["metric_seconds", "metric_busy_s"]);
    // And the text of one is that of a run alone.
    let alone = place.out("run random.fio --drive seagate-momentus-7200.2");
    let (alone, _) = alone.split_once("  speed").unwrap();
    holds(&out, &[alone]);
}

#[test]
fn a_report_of_a_run_writes_the_json_that_the_run_prints() {
    let place = place();
    for load in ["random.fio", "copy.toml", "little.toml"] {
        let run = format!("run {load} --drive generic-mlc-8");
        let mut printed = place.json(&format!("{run} --output-format json+"));
        for key in ["timestamp", "timestamp_ms", "time"] {
            printed.as_object_mut().unwrap().remove(key).unwrap();
        }
        printed["ftlab"]
            .as_object_mut()
            .unwrap()
            .remove("wall_seconds")
            .unwrap();
        place.out(&format!("{run} --out o"));
        place.out("report o --fio-json");
        let stem = load.split('.').next().unwrap();
        let written = place.read(&format!("o/fio/generic-mlc-8_{stem}_filled.json"));
        let written: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(written, printed, "{load}");
    }
}

#[test]
fn values_of_a_setting_are_drives_side_by_side() {
    let place = place();
    let run = "run random.fio --drive generic-mlc-8 --set nand.blocks_per_die=32";
    place.out(&format!("{run} --set link.command=2us,500us --out o"));
    let set = results(&place, "o");
    assert_eq!(
        ids(&set),
        [
            "generic-mlc-8@link.command=2us/random/filled",
            "generic-mlc-8@link.command=500us/random/filled",
        ]
    );
    let iops = |n: usize| set["runs"][n]["metrics"]["iops"].as_f64().unwrap();
    assert!(iops(0) > iops(1), "a longer way is a slower one");
    assert_eq!(set["runs"][1]["settings"]["link.command"], "500us");
    place.out("report o --csv");
    holds(
        &place.read("o/runs.csv"),
        &["setting_link.command", ",500us,"],
    );
    // One value makes no other drive of it.
    place.out(&format!("{run} --out one"));
    assert_eq!(
        ids(&results(&place, "one")),
        ["generic-mlc-8/random/filled"]
    );
}

#[test]
fn a_review_takes_a_load_of_ones_own_and_runs_it_as_a_run_does() {
    let place = place();
    let set = "--set nand.blocks_per_die=32";
    place.out("run random.fio --drive generic-mlc-8 --out run");
    place.out("review generic-mlc-8 --test random.fio --test little.toml --out review");
    let [run, review] = ["run", "review"].map(|out| results(&place, out));
    assert_eq!(review["runs"][0], run["runs"][0]);
    assert_eq!(review["tests"][0], run["tests"][0]);
    assert_eq!(review["tests"].as_array().unwrap().len(), 2);
    holds(
        &place.out("report run review --out both"),
        &["1 runs match", "×1"],
    );
    let compared = format!("compare generic-mlc-8 {set} --set link.command=2us,9us --out c");
    place.compares(&format!("{compared} --test random.fio"));
    // Results are no load.
    holds(
        &place.refused("review generic-mlc-8 --test ./run"),
        &["./run holds results", "ftlab report ./run"],
    );
    holds(
        &place.refused("run run --drive generic-mlc-8"),
        &["run holds results", "ftlab report run"],
    );
}

#[test]
fn what_cannot_be_told_apart_or_written_is_refused_before_any_work() {
    let place = place();
    std::fs::create_dir(place.path("other")).unwrap();
    place.write("other/random.fio", "[r]\nrw=read\n");
    let refused = |more: &str| place.refused(&format!("run random.fio {more}"));
    let one = "--drive generic-mlc-8 --state steady";
    holds(
        &refused(&format!("other/random.fio {one}")),
        &["two tests are called `random`", "rename"],
    );
    holds(
        &refused(&format!(
            "{one} --drive seagate-momentus-7200.2 --output-format json"
        )),
        &["these are 2", "--fio-json"],
    );
    holds(
        &refused(&format!(
            "{one} --drive seagate-momentus-7200.2 --save-after x"
        )),
        &["--save-after", "one drive"],
    );
    holds(
        &refused("--drive generic-mlc-8 --drive seagate-momentus-7200.2 --from-state x"),
        &["--from-state", "one drive"],
    );
    holds(
        &refused(&format!("{one} --out copy.toml")),
        &["is a file", "--out"],
    );
    holds(
        &refused(&format!("{one} --set spare.op=0.1,0.1")),
        &["0.1", "twice"],
    );
    holds(
        &refused("copy.toml --drive generic-mlc-8 --untimed"),
        &["leave out --untimed"],
    );
    for name in ["o", "x", "results.json"] {
        assert!(!place.path(name).exists(), "{name}");
    }
}

#[test]
fn a_drive_in_a_smaller_form_is_as_fast_and_says_that_it_is_smaller() {
    let place = place();
    place.write(
        "mix.fio",
        "[m]\nrw=randrw\nbs=4k\niodepth=16\nioengine=libaio\nnumber_ios=20000\n",
    );
    let run = |more: &str| {
        let line = format!("run mix.fio --drive generic-mlc-8 --state steady-fast {more}");
        place.json(&format!("{line} --output-format json"))
    };
    let [full, small] = ["", "--shrink-to 1g --quiet"].map(run);
    for figure in ["/jobs/0/read/iops", "/jobs/0/write/iops", "/ftlab/wa"] {
        let [of_full, of_small] = [&full, &small].map(|run| run.pointer(figure).unwrap().as_f64());
        let ratio = of_small.unwrap() / of_full.unwrap();
        assert!((0.9..1.1).contains(&ratio), "{figure}: {ratio}");
    }
    let mut line = place.ftlab("run mix.fio --drive generic-mlc-8 --shrink-to 1g --out small");
    let told = line.output().unwrap().stderr;
    let told = String::from_utf8_lossy(&told);
    assert!(told.contains("times fewer pages"), "{told}");
    assert!(
        place
            .read("small/results.json")
            .contains("times fewer pages")
    );
    let refused = |more: &str| place.refused(&format!("run mix.fio {more}"));
    for (drive, why) in [
        ("ocz-core-jmf602 --shrink-to 1g", "maps whole blocks"),
        ("generic-mlc-8 --shrink-to 1m", "at least"),
        ("a=generic-mlc-8 --shrink-to 1g", "keep their sizes"),
    ] {
        let told = refused(&format!("--drive {drive}"));
        assert!(told.contains("--shrink-to") && told.contains(why), "{told}");
    }
}

/// A colleague who saves a job under another name gets the same figures.
#[test]
fn the_name_of_a_file_changes_nothing() {
    let place = Place::new();
    let job = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nnumber_ios=60000\niodepth=32\n";
    let of = |name: &str| {
        place.write(name, job);
        let line = "--drive generic-mlc-8 --set nand.blocks_per_die=64 --state filled --output-format json";
        let run = place.json(&format!("run {name} {line}"));
        let ftlab = &run["ftlab"];
        ["op_stream_hash", "seed", "wa", "nand_erases"].map(|key| ftlab[key].clone())
    };
    let one = of("a.fio");
    assert!(one.iter().all(|value| !value.is_null()), "{one:?}");
    assert!(one[3].as_u64().unwrap() > 0, "collection depends on places");
    assert_eq!(one, of("another-name.fio"));
}
