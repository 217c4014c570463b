//! Figures of nothing: a ratio of nothing is none, and reads that find nothing are said to.

use crate::place::{Place, SCRIPT, TRACE, holds};

const SMALL: &str = "--drive generic-mlc-8 --set nand.blocks_per_die=64 --quiet";

const READS: &str = "[r]\nrw=randread\nbs=4k\nnumber_ios=200\n";

#[test]
fn write_amplification_of_nothing_written_is_none() {
    let place = Place::new();
    place.write("reads.fio", READS);
    for how in ["", "--untimed"] {
        let json = place.json(&format!(
            "run reads.fio {SMALL} {how} --output-format json --out out"
        ));
        let told = &json["ftlab"];
        assert!(
            told.get("wa").is_some_and(serde_json::Value::is_null),
            "{told}"
        );
        assert!(told["metrics"].get("wa").is_none(), "{told}");
        let set: serde_json::Value = serde_json::from_str(&place.read("out/results.json")).unwrap();
        let run = &set["runs"][0]["at"][0];
        assert!(run["inside"]["wa"].is_null(), "{}", run["inside"]);
        let series = run["series_wa"].as_array().unwrap();
        assert!(series.iter().all(serde_json::Value::is_null), "{series:?}");
        // They are read back as they are, and an empty cell of a table.
        place.out("report out --csv --out tables");
        let csv = place.read("tables/runs.csv");
        let column = csv
            .lines()
            .next()
            .unwrap()
            .split(',')
            .position(|name| name == "wa");
        let row: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
        assert_eq!(row[column.unwrap()], "");
    }
    let json = place.json(&format!("run random.fio {SMALL} --output-format json"));
    assert!(json["ftlab"]["wa"].as_f64().unwrap() > 0.0);
}

#[test]
fn reads_of_what_was_never_written_are_said_to_be() {
    let place = Place::new();
    place.write("reads.fio", READS);
    place.write("mixed.fio", "[m]\nrw=randrw\nbs=4k\nnumber_ios=400\n");
    place.write("script.toml", SCRIPT);
    place.write("trace.toml", TRACE);
    place.write(
        "trace.csv",
        "time_ns,op,offset_bytes,bytes\n0,R,0,4096\n1000,R,8192,4096\n",
    );
    let nothing = "100 % of the 200 reads found nothing written.";
    for (line, saw) in [
        ("reads.fio --state new", nothing),
        ("reads.fio --state new --untimed", nothing),
        (
            "mixed.fio --state new",
            " reads found nothing written, or what the drive still had",
        ),
        (
            "trace.csv --state new",
            "100 % of the 2 reads found nothing written.",
        ),
        (
            "trace.csv --state new --untimed",
            "100 % of the 2 reads found nothing written.",
        ),
        ("trace.toml --state new", "found nothing written"),
    ] {
        let out = place.out(&format!("run {line} {SMALL}"));
        let words: Vec<&str> = out.split_whitespace().collect();
        holds(&words.join(" "), &[saw]);
        let filled = place.out(&format!(
            "run {} {SMALL}",
            line.replace("--state new", "--state filled")
        ));
        assert!(!filled.contains("found nothing"), "{line}: {filled}");
    }
}
