//! What the figures of runs and comparisons mean, and what is said where they do not mean what one may think.

use crate::place::{Place, holds};
use serde_json::Value;

/// The generic drive with an eighth of its blocks: settles within seconds.
const SMALL: &str = "--drive generic-mlc-8 --set nand.blocks_per_die=64";

fn run(place: &Place, job: &str, more: &str) -> Value {
    place.json(&format!("run {job} --output-format json {more}"))
}

fn number(json: &Value, key: &str) -> f64 {
    let value = &json["ftlab"][key];
    value.as_f64().unwrap_or_else(|| panic!("{key} is {value}"))
}

#[test]
fn the_name_of_a_file_changes_no_number() {
    let place = Place::new();
    let job = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nnumber_ios=400000\niodepth=32\n";
    let script = place.root("scripts/launch-powerpoint2007.toml");
    let trace = place.root("traces/atsb2011-light.toml");
    for (text, extension, more) in [
        (job, "fio", format!("{SMALL} --untimed")),
        (
            &script,
            "toml",
            "--drive seagate-momentus-7200.2".to_owned(),
        ),
        (&trace, "toml", "--drive seagate-momentus-7200.2".to_owned()),
    ] {
        let told = ["a", "b"].map(|name| {
            let file = format!("{name}.{extension}");
            place.write(&file, text);
            let mut json = run(&place, &file, &more);
            for key in ["wall_seconds", "time", "timestamp", "timestamp_ms"] {
                json.as_object_mut().unwrap().remove(key);
            }
            if let Some(inside) = json["ftlab"].as_object_mut() {
                // The run and the test are named after the file.
                for key in ["wall_seconds", "run", "test"] {
                    inside.remove(key);
                }
            }
            json
        });
        assert_eq!(told[0], told[1], "{extension}");
    }
    // The seed does.
    let hash = |more: &str| {
        let json = run(&place, "a.fio", &format!("{SMALL} --untimed {more}"));
        json["ftlab"]["op_stream_hash"].clone()
    };
    place.write("a.fio", job);
    assert_ne!(hash(""), hash("--seed 2"));
}

#[test]
fn write_amplification_means_the_same_with_a_clock_and_without() {
    let place = Place::new();
    let job = |amount: &str| {
        format!(
            "[u]\nrw=randwrite\nioengine=libaio\nbs=4k\nnorandommap\nrandrepeat=0\niodepth=32\n{amount}\n"
        )
    };
    place.write("long.fio", &job("loops=4"));
    place.write("short.fio", &job("io_size=50%"));
    let both =
        |file: &str| ["", "--untimed"].map(|how| run(&place, file, &format!("{SMALL} {how}")));
    let [timed, untimed] = both("long.fio");
    for key in ["wa", "wa_steady"] {
        let (one, other) = (number(&timed, key), number(&untimed, key));
        assert!((one / other - 1.0).abs() < 0.02, "{key}: {one} and {other}");
    }
    // A run begins with erased blocks, so the whole of it costs less than its end.
    assert!(number(&timed, "wa_steady") > 1.01 * number(&timed, "wa"));
    assert!(timed["ftlab"].get("wa_total").is_none());
    let text = place.out(&format!("run long.fio --untimed {SMALL}"));
    let said = format!(
        "{:.3} over the run, {:.3} in the steady window",
        number(&untimed, "wa"),
        number(&untimed, "wa_steady")
    );
    holds(&text, &[&said]);
    assert!(!text.contains("warning"), "{text}");
    for short in both("short.fio") {
        assert!(
            short["ftlab"].get("wa_steady").is_none(),
            "{}",
            short["ftlab"]
        );
        assert!(number(&short, "wa") >= 1.0);
        let warnings = short["ftlab"]["warnings"].to_string();
        holds(
            &warnings,
            &[
                "had not settled",
                "of writes to a drive of 916 MB",
                "steady-fast",
            ],
        );
        // With a clock a little of it is still in the write buffer.
        assert!(
            ["after 457 MB", "after 458 MB"]
                .iter()
                .any(|said| warnings.contains(said)),
            "{warnings}"
        );
    }
}

#[test]
fn a_random_order_that_repeats_is_warned_of() {
    let place = Place::new();
    let job = "[w]\nrw=randwrite\nbs=4k\niodepth=32\nio_size=3g\n";
    place.write("w.fio", job);
    let line = format!("run w.fio {SMALL} --untimed --set spare.op=0.07");
    let json = place.json(&format!("{line} --output-format json"));
    let why = [
        "second pass of job `w`",
        "says nothing about random writes",
        "norandommap=1",
        "randrepeat=0",
    ];
    holds(&json["ftlab"]["warnings"].to_string(), &why);
    let text = place
        .out(&line)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    holds(&text, &why);
    // What is advised helps: each pass has an order of its own, and collection has to copy.
    assert!(number(&json, "wa_steady") < 1.01);
    place.write("w.fio", &format!("{job}randrepeat=0\n"));
    let json = place.json(&format!("{line} --output-format json"));
    assert!(
        !json["ftlab"]["warnings"]
            .to_string()
            .contains("second pass")
    );
    assert!(number(&json, "wa") > 2.0, "{}", json["ftlab"]);
}

#[test]
fn a_comparison_marks_what_ends_before_collection_settles() {
    let place = Place::new();
    let compared = |more: &str| {
        place.compares(&format!(
            "compare generic-mlc-8 --set nand.blocks_per_die=64 --set gc.policy=greedy,fifo \
             --set spare.op=0.07 --test A1 --quick --metric wa {more}"
        ))
    };
    let early = compared("--out early");
    let marked = early.matches('*').count();
    assert!(marked == 3 && early.contains("had not settled"), "{early}");
    let set: Value = serde_json::from_str(&place.read("early/results.json")).unwrap();
    assert_eq!(set["runs"][0]["at"][0]["inside"]["settled"], false);
    // One that begins in the steady state gives what theory says, and needs no mark.
    let steady = compared("--state steady-fast --out steady");
    assert!(!steady.contains('*'), "{steady}");
    let row = steady.lines().find(|line| line.contains("wa")).unwrap();
    let values: Vec<f64> = row
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    for (value, theory) in values.iter().zip([7.6, 7.82]) {
        assert!((value / theory - 1.0).abs() < 0.05, "{steady}");
    }
    assert_eq!(values.len(), 2, "{steady}");
    // Results side by side have the mark, too.
    place.compares(
        "compare generic-mlc-8 --set nand.blocks_per_die=64 --set gc.policy=greedy,fifo \
         --set spare.op=0.28 --test A1 --quick --out other",
    );
    let beside = place.out("report early other --out beside --metric wa");
    holds(&beside, &["* Garbage collection had not settled"]);
}

#[test]
fn results_say_what_they_were_made_by_where_nothing_is_compared() {
    let place = Place::new();
    let version = place.out("--version");
    let json = run(&place, "random.fio", SMALL);
    let provenance = json["ftlab"]["provenance"].clone();
    let commit = provenance["commit"].as_str().unwrap().to_owned();
    assert!(
        version.contains(&commit[..commit.len().min(12)]),
        "{version}"
    );
    assert!(commit == "unknown" || commit.len() == 40, "{commit}");
    let model = json["ftlab"]["model_version"].as_u64().unwrap();
    holds(&version, &["ftlab 0.", &format!("model {model}")]);
    place.out("review seagate-momentus-7200.2 --test A1 --quick --out one");
    let text = place.read("one/results.json");
    let set: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(set["provenance"], provenance);
    assert_eq!(set["origin"]["model_version"], model);
    // Another commit's results of the same model are the same results; those of another model are not.
    for (name, from, to) in [
        ("two", &commit, "0123456789012345678901234567890123456789"),
        (
            "three",
            &format!("\"model_version\": {model}"),
            "\"model_version\": 99",
        ),
    ] {
        std::fs::create_dir(place.path(name)).unwrap();
        let changed = text.replacen(from.as_str(), to, 1);
        assert_ne!(changed, text);
        place.write(&format!("{name}/results.json"), &changed);
    }
    let same = place.out("report one two --out beside");
    assert!(!same.contains("what differs"), "{same}");
    holds(
        &place.out("report one three --out beside"),
        &["model version", "99"],
    );
}
