//! `ftlab plan`: years, latencies and spare areas of drives under loads.

use crate::place::{Place, SCRIPT, TRACE, holds};
use serde_json::Value;

/// A drive of 128 MiB of flash that settles in no time.
const SMALL: &str = "--drive generic-mlc-8 --set nand.channels=2 --set nand.dies_per_channel=2 \
                     --set nand.blocks_per_die=256 --set nand.pages_per_block=32 --quick";

const MIXED: &str = "[w]\nrw=randrw\nrwmixread=70\nbs=4k\nnorandommap\nrandrepeat=0\niodepth=4\n";

fn place() -> Place {
    let place = Place::new();
    place.write("mixed.fio", MIXED);
    place
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{value} is no number"))
}

/// The claim that the whole is measured by: the drive as it is sold here, and the job that theory is about.
#[test]
fn the_least_spare_area_for_a_write_amplification_is_that_of_theory() {
    let place = place();
    place.write(
        "uniform-random-4k.fio",
        &place.root("jobs/uniform-random-4k.fio"),
    );
    let set = place.json(
        "plan uniform-random-4k.fio --drive generic-mlc-8 --wa 2 --spare 40% --quick --output-format json",
    );
    let goal = &set["plans"][0]["goals"][0];
    let (found, theory) = (number(&goal["spare"]), number(&goal["closed_form_spare"]));
    assert!((found / theory - 1.0).abs() < 0.01, "{found} for {theory}");
    assert!((number(&goal["reached"]) / 2.0 - 1.0).abs() < 0.003);
    // Greedy collection of blocks of 256 pages: WA is 2 where all victims hold 128 valid ones, and then
    // H_256 − H_128 = α/2.
    let harmonic = |n: u32| (1..=n).map(|i| 1.0 / f64::from(i)).sum::<f64>();
    let by_hand = 2.0 * (harmonic(256) - harmonic(128)) - 1.0;
    assert!(
        (theory / by_hand - 1.0).abs() < 2e-3,
        "{theory} for {by_hand}"
    );
}

#[test]
fn a_plan_is_text_json_by_its_schema_and_a_report() {
    let place = place();
    let line =
        format!("plan mixed.fio {SMALL} --per-day 1GB --spare 50% --wa 2 --life 0.1y --p99 20ms");
    let text = place.out(&format!("{line} --out o"));
    holds(
        &text,
        &[
            "write amplification",
            "by the closed form",
            "host writes a day",
            "years to the rated cycles",
            "years to 1 % failed blocks",
            "used after 5 years",
            "reads: p50, p99, p99.9",
            "highest rate",
            "The least spare area for each goal",
            "(as it is)",
            "until five rounds of host writes were alike (SNIA's rule)",
            "arriving at random at that rate (1.00 GB a day from the host)",
            "o/index.html",
        ],
    );
    let json = place.json(&format!("{line} --output-format json"));
    let written: Value = serde_json::from_str(&place.read("o/results.json")).unwrap();
    assert_eq!(written, json);
    let schema = include_str!("../../../../docs/schema/results.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = schema.iter_errors(&json).map(|e| e.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    assert_eq!(json["plans"][0]["goals"].as_array().unwrap().len(), 3);
    let page = place.read("o/index.html");
    holds(
        &page,
        &[
            "How long, how fast, and how much spare area",
            "The least spare area for each goal",
            "mixed: spare area",
        ],
    );
    // What is drawn later is the same.
    place.out("report o");
    assert_eq!(place.read("o/index.html"), page);
}

#[test]
fn requirements_are_judged_on_the_drive_as_it_is() {
    let place = place();
    let line = |required: &str| {
        let mut command = place.ftlab(&format!(
            "plan mixed.fio {SMALL} --per-day 1GB --spare 50% --junit verdicts.xml --quiet"
        ));
        command.args(["--require", required]);
        command
    };
    let met = line("wa <= 6").assert().success();
    let out = String::from_utf8_lossy(&met.get_output().stdout).into_owned();
    holds(&out, &["generic-mlc-8/mixed/settled", "wa <= 6", "met"]);
    let missed = line("lifetime_years >= 50").assert().code(3);
    holds(
        &String::from_utf8_lossy(&missed.get_output().stderr),
        &["1 of 1 requirements are missed"],
    );
    holds(&place.read("verdicts.xml"), &["tests=\"1\" failures=\"1\""]);
}

#[test]
fn a_load_at_several_rates_is_a_table_and_a_curve_of_the_report() {
    let place = place();
    let line = format!("plan mixed.fio {SMALL} --rate-sweep 100,1k,900k --out o --quiet");
    let text = place.out(&line);
    holds(
        &text,
        &[
            "Generic MLC SSD, 8 GiB raw, nand.channels=2",
            "over the rate of the load",
            "reads p99.9",
            "(falls behind)",
            "FALLS BEHIND at 900,000 requests a second",
        ],
    );
    assert!(!text.contains("over spare area"), "{text}");
    holds(
        &place.read("o/index.html"),
        &[
            "mixed: rate",
            "99th percentile of reads, as far as a drive keeps up with the rate",
        ],
    );
}

#[test]
fn years_of_a_drive_that_says_nothing_of_endurance_are_unknown_and_not_missed() {
    let place = place();
    let text = include_str!("../../../../drives/generic-mlc-8.toml");
    let sections = text
        .split("\n[")
        .filter(|section| !section.starts_with("reliability]"));
    place.write("mine.toml", &sections.collect::<Vec<_>>().join("\n["));
    let mut command = place.ftlab(&format!(
        "plan mixed.fio {} --per-day 1GB --spare 50% --life 5y --junit verdicts.xml --quiet",
        SMALL.replace("generic-mlc-8", "./mine.toml")
    ));
    command.args(["--require", "lifetime_years >= 5"]);
    let ended = command.assert().code(2);
    let out = String::from_utf8_lossy(&ended.get_output().stdout).into_owned();
    holds(
        &out,
        &["Years are unknown: the drive file has neither", "unknown"],
    );
    assert!(!out.contains("none does"), "{out}");
    let error = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
    holds(&error, &["1 of 1 requirements cannot be judged"]);
    holds(
        &place.read("verdicts.xml"),
        &[
            "failures=\"0\" errors=\"1\"",
            "<error message=\"unknown\"/>",
        ],
    );
}

#[test]
fn a_life_is_answered_by_the_amount_that_the_maker_announces() {
    let place = place();
    let line = "endurance --drive micron-7450-pro-960 --per-day 960GB --years 5";
    holds(
        &place.out(line),
        &[
            "1.75 PB of host writes, as its maker announces: 5.00 years",
            "it lasts 5 years",
        ],
    );
    let text = place.out(&format!("{line} --output-format json"));
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["announced"]["years"], 5.0);
    assert_eq!(json["announced"]["assumed"], false);
    // A class's usual amount is said to be that.
    holds(
        &place.out("endurance --drive skhynix-pe8110-960"),
        &["usual in its class (no source gives its own)"],
    );
}

#[test]
fn a_life_and_claims_have_pages_whose_first_sentence_answers() {
    let place = place();
    place.out("endurance --drive intel-x25-m-g1-80 --programs 2e5 --html life.html");
    holds(
        &place.read("life.html"),
        &[
            "The life of intel-x25-m-g1-80",
            "</h1><p>The drive lasts ",
            " years at 100 GB of writes a day; 5 years were asked for.",
            "<svg",
            "SMART at the end",
        ],
    );
    place.out("claims C052 --html claims.html");
    holds(
        &place.read("claims.html"),
        &["</h1><p>1 claim: 1 hold", "<td>C052</td><td>holds</td>"],
    );
    let error = place.refused("endurance --drive micron-7450-pro-960 --html none.html");
    holds(
        &error,
        &["--html: the announced amount is all that is known"],
    );
    assert!(!place.path("none.html").exists());
}

#[test]
fn a_short_trace_is_repeated_and_keeps_its_times() {
    let place = place();
    let line = |n: u64| {
        let offset = n * 7_919 % 20_000 * 4096;
        let time = 128_166_372_000_000_000 + n * 100_000;
        format!("{time},web,0,Write,{offset},4096,100\n")
    };
    place.write("web.csv", &(0..3_000).map(line).collect::<String>());
    let json = place.json(&format!(
        "plan web.csv {SMALL} --spare 50% --quiet --output-format json"
    ));
    let plan = &json["plans"][0];
    // A write of 4 KiB each 10 ms.
    let day = number(&plan["now"]["host_bytes_per_day"]);
    assert!(
        (day / (4096.0 * 100.0 * 86_400.0) - 1.0).abs() < 1e-3,
        "{day}"
    );
    let notes = plan["notes"].to_string();
    holds(
        &notes,
        &[
            " times, until five rounds",
            "if the trace goes on all day as it was recorded",
        ],
    );
    assert_eq!(plan["now"]["settled"], true);
}

#[test]
fn a_load_with_a_pace_of_its_own_keeps_it_and_is_repeated_with_a_clock() {
    let place = place();
    place.write("little.toml", TRACE);
    let json = place.json(&format!(
        "plan little.toml {SMALL} --per-day 1GB --p99 5ms --spare 50% --output-format json"
    ));
    let plan = &json["plans"][0];
    holds(
        plan["highest_rate"]["words"].as_str().unwrap(),
        &["The load cannot run at another rate: a synthetic trace has no times."],
    );
    assert!(number(&plan["now"]["wa"]) >= 0.9);
    holds(
        &plan["notes"].to_string(),
        &[
            "filled, with a clock, played ",
            "a day repeats it as often as it takes",
        ],
    );
    // The span of the trace does not fit a drive of more spare area.
    holds(
        plan["goals"][0]["words"].as_str().unwrap(),
        &[
            "No spare area that could be tried does. Nearest, with 50.0 %: p99 ",
            "take a larger drive",
        ],
    );
    // A script that reads alone wears nothing.
    place.write("copy.toml", SCRIPT);
    let refused = place.refused(&format!("plan copy.toml {SMALL}"));
    holds(&refused, &["the load writes nothing"]);
}

#[test]
fn what_cannot_be_planned_is_refused_with_what_to_do() {
    let place = place();
    place.write("reads.fio", "[r]\nrw=randread\nnumber_ios=10\n");
    for (line, says) in [
        (
            "plan reads.fio --drive generic-mlc-8",
            "the load writes nothing",
        ),
        ("plan none.fio --drive generic-mlc-8", "none.fio"),
        ("plan mixed.fio --drive no-such-drive", "no-such-drive"),
        (
            "plan mixed.fio --drive generic-mlc-8 --pace asap",
            "--pace is about recorded traces",
        ),
    ] {
        holds(&place.refused(line), &[says]);
    }
    for (option, says) in [
        ("--per-day 2", "give bytes with a unit"),
        ("--wa 0.5", "give a number from 1"),
        ("--life x", "give years"),
        ("--p99 5", "give a time with its unit"),
        ("--spare 1%", "from 2% to 400%"),
    ] {
        let mut command = place.ftlab(&format!("plan mixed.fio --drive generic-mlc-8 {option}"));
        let error = command.assert().code(2).get_output().stderr.clone();
        holds(&String::from_utf8_lossy(&error), &[says]);
    }
}
