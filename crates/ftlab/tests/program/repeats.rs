//! `--repeats`: reviews, comparisons and single runs that are made several times, with other seeds.

use crate::place::{Place, holds};
use serde_json::Value;

const DISK: &str = "seagate-momentus-7200.2";

fn results(place: &Place, out: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{out}/results.json"))).unwrap()
}

/// The cell of a CSV file in the row of that id.
fn cell(csv: &str, id: &str, column: &str) -> String {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let headings = lines.next().unwrap();
    let at = headings.iter().position(|heading| *heading == column);
    let row = lines.find(|row| row[1] == id).unwrap();
    row[at.unwrap_or_else(|| panic!("no column {column}"))].to_owned()
}

#[test]
fn a_review_of_repeats_shows_its_intervals_wherever_figures_are() {
    let place = Place::new();
    let review = format!("review {DISK} --test A1 --quick");
    let once = place.out(&format!("{review} --out once"));
    let text = place.out(&format!("{review} --repeats 3 --out o"));
    let set = results(&place, "o");
    assert_eq!(set["origin"]["repeats"], 3);
    let figure = |id: &str| {
        let mut figures = set["figures"].as_array().unwrap().iter();
        figures.find(|figure| figure["id"] == id).unwrap()
    };
    // What a run of the same length came to in each repeat, and once.
    let average = &figure("F0184")["spread"];
    let values: Vec<f64> = (average["values"].as_array().unwrap().iter())
        .map(|value| value.as_f64().unwrap())
        .collect();
    assert_eq!(values.len(), 3);
    let run_once = &results(&place, "once")["runs"][0];
    assert_eq!(run_once["metrics"]["lat_avg_ms"], values[0]);
    assert_eq!(set["runs"][0]["write"], run_once["write"]);
    let mean = values.iter().sum::<f64>() / 3.0;
    let simulated = figure("F0184")["simulated"].as_f64().unwrap();
    assert!((simulated / mean - 1.0).abs() < 1e-12);
    let half_width = average["ci95_half_width"].as_f64().unwrap();
    assert!(half_width > 0.0 && average["depends_on_seed"] == true);

    holds(&text, &[" ± ", "made 3 times", "The same for every seed"]);
    assert!(!once.contains('±'), "{once}");
    let page = place.read("o/index.html");
    holds(&page, &["was made 3 times"]);
    assert!(!place.read("once/index.html").contains("was made"));

    // The same drawn again, and as tables.
    holds(&place.out("report o --csv --parquet"), &[" ± "]);
    assert_eq!(place.read("o/index.html"), page);
    let csv = place.read("o/figures.csv");
    let of = |column: &str| cell(&csv, "F0184", column);
    assert_eq!(of("simulated_repeats"), "3");
    assert_eq!(of("simulated_ci95_half_width"), half_width.to_string());
    assert_eq!(of("simulated_depends_on_seed"), "yes");
    // Beside what was made once.
    let beside = place.out("report once o --out beside");
    holds(&beside, &["repeats", " ± "]);
    holds(&place.read("beside/comparison.html"), &[" ± "]);
}

#[test]
fn results_of_a_single_run_say_nothing_of_repeats() {
    let place = Place::new();
    let review = format!("review {DISK} --test A1 --quick");
    place.out(&format!("{review} --out a"));
    place.out(&format!("{review} --repeats 1 --out b"));
    let text = place.read("a/results.json");
    assert_eq!(text, place.read("b/results.json"));
    assert!(!text.contains("repeats") && !text.contains("spread"));
}

#[test]
fn results_of_repeats_are_what_the_schema_says() {
    let place = Place::new();
    place.out(&format!(
        "review {DISK} --test A1 --quick --repeats 2 --out o"
    ));
    let schema = include_str!("../../../../docs/schema/results.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut set = results(&place, "o");
    assert!(validator.is_valid(&set));
    set["runs"][0]["spread"]["iops"]["values"] = "many".into();
    assert!(!validator.is_valid(&set));
}

#[test]
fn a_number_of_repeats_that_makes_no_sense_is_refused() {
    let place = Place::new();
    let commands = [
        format!("review {DISK} --test A1"),
        "compare generic-mlc-8 --set spare.op=0.1,0.2 --test A1".to_owned(),
        "run random.fio --drive generic-mlc-8".to_owned(),
    ];
    for command in commands {
        for repeats in ["0", "-1", "1001", "99999999999999999999", "few"] {
            let assert = place
                .ftlab(&format!("{command} --repeats={repeats}"))
                .assert();
            let output = assert.code(2).stdout("").get_output().stderr.clone();
            let error = String::from_utf8(output).unwrap();
            holds(&error, &["--repeats <N>", repeats]);
        }
        let assert = place.ftlab(&format!("{command} --repeats 0")).assert();
        let output = assert.get_output().stderr.clone();
        holds(
            &String::from_utf8(output).unwrap(),
            &["from 1 to 1000 times"],
        );
    }
    holds(
        &place.refused("run random.fio --drive generic-mlc-8 --repeats 2 --save-after x"),
        &["--repeats", "--save-after"],
    );
}

#[test]
fn variants_are_compared_with_their_intervals() {
    let place = Place::new();
    let line = "compare generic-mlc-8 --set nand.blocks_per_die=64 --quick --test A1 \
                --set link.command=2us,500us --metric wa";
    let whiskers = |out: &str, more: &str| {
        let text = place.compares(&format!("{line} --out {out} {more}"));
        let set = results(&place, out);
        let spread = &set["runs"][0]["spread"]["wa"];
        (
            text,
            spread.clone(),
            place.read(&format!("{out}/compare.svg")),
        )
    };
    let (text, spread, once) = whiskers("once", "");
    assert!(!text.contains('±') && spread.is_null());
    let (text, spread, thrice) = whiskers("thrice", "--repeats 3");
    assert!(text.contains(" ± "), "{text}");
    assert_eq!(spread["depends_on_seed"], true, "{spread}");
    let lines = |svg: &str| svg.matches("<line").count() + svg.matches("<polyline").count();
    assert!(lines(&thrice) >= lines(&once) + 3, "a whisker and its ends");
}

#[test]
fn a_run_of_repeats_tells_of_the_first_and_of_the_spread() {
    let place = Place::new();
    let run = "run random.fio --drive generic-mlc-8 --set nand.blocks_per_die=64 --state used";
    let json = |more: &str| -> Value {
        let text = place.out(&format!("{run} --output-format json {more}"));
        serde_json::from_str(&text).unwrap()
    };
    let (once, thrice) = (json(""), json("--repeats 3"));
    assert!(once["ftlab"]["repeats"].is_null());
    assert_eq!(once["jobs"][0]["write"], thrice["jobs"][0]["write"]);
    let repeats = &thrice["ftlab"]["repeats"];
    let iops = &repeats["spread"]["iops"];
    assert_eq!(once["jobs"][0]["write"]["iops"], iops["values"][0]);
    assert_eq!(iops["depends_on_seed"], true);
    // A repeat is the run with its seed.
    let seed = &repeats["seeds"][2];
    let third = json(&format!("--seed {seed}"));
    assert_eq!(third["jobs"][0]["write"]["iops"], iops["values"][2]);
    let text = place.out(&format!("{run} --repeats 3"));
    holds(
        &text,
        &["3 repeats", "iops", " ± ", "the same for every seed"],
    );
    assert!(!place.out(run).contains("repeats"));
}
