//! What results have to give, beside nothing and beside earlier ones, for machines that check.

use crate::place::{Place, holds};

const SSD: &str = "generic-mlc-8";

#[test]
fn requirements_are_judged_in_a_table_in_junit_and_by_the_exit_code() {
    let place = Place::new();
    let line = |require: &[&str]| {
        let mut command = place.ftlab(&format!(
            "run random.fio --drive {SSD} --junit verdicts.xml"
        ));
        for required in require {
            command.args(["--require", required]);
        }
        command
    };
    let met = line(&["write.iops > 1", "wa <= 2.5"]).assert().success();
    let out = String::from_utf8_lossy(&met.get_output().stdout).into_owned();
    holds(&out, &["required", "write.iops > 1", "met"]);
    assert!(!place.read("verdicts.xml").contains("failure message"));
    let missed = line(&["write.p99 < 1ns", "wa <= 2.5", "read.p50 < 1s"])
        .assert()
        .code(3);
    let error = String::from_utf8_lossy(&missed.get_output().stderr).into_owned();
    holds(
        &error,
        &["error: 1 of 3 requirements are missed, and 1 cannot be judged"],
    );
    let xml = place.read("verdicts.xml");
    holds(
        &xml,
        &[
            "tests=\"3\" failures=\"1\" errors=\"1\"",
            "name=\"write.p99 &lt; 1ns\"",
            "<error message=\"unknown\"/>",
        ],
    );
    let mut wrong = line(&["write.p99 = 1"]);
    let error = wrong.assert().code(2).get_output().stderr.clone();
    holds(
        &String::from_utf8_lossy(&error),
        &["a metric, one of < <= > >=, and a value"],
    );
}

#[test]
fn results_are_compared_with_earlier_ones() {
    let place = Place::new();
    let run = |out: &str, more: &str| {
        place.out(&format!("run random.fio --drive {SSD} --out {out} {more}"));
    };
    run("old", "");
    run("same", "");
    run("slower", "--set nand.t_program=3ms");
    let compare = |line: &str, limits: &[&str]| {
        let mut command = place.ftlab(&format!("compare {line}"));
        for limit in limits {
            command.args(["--fail-if", limit]);
        }
        command
    };
    let same = compare("old same", &["p99 +0%", "write.iops -0%", "wa +0%"])
        .assert()
        .success();
    let out = String::from_utf8_lossy(&same.get_output().stdout).into_owned();
    holds(
        &out,
        &[
            "1 of 1 runs are unchanged",
            "write.p99: ",
            ", unchanged",
            "met",
        ],
    );
    let slower = compare("old slower --junit verdicts.xml", &["p99 +5%", "wa +5%"])
        .assert()
        .code(3);
    let output = slower.get_output();
    holds(
        &String::from_utf8_lossy(&output.stdout),
        &["write.mean", "0 of 1 runs are unchanged", "missed"],
    );
    holds(
        &String::from_utf8_lossy(&output.stderr),
        &["error: 1 of 2 requirements are missed"],
    );
    holds(
        &place.read("verdicts.xml"),
        &["tests=\"2\" failures=\"1\"", "name=\"p99 +5%\""],
    );
    // The other way around it is an improvement.
    compare("slower old", &["p99 +5%"]).assert().success();
    let refused = place.refused("compare old same --fail-if watts+1%");
    holds(&refused, &["--fail-if 'watts+1%'", "no run", "write.p99"]);
    place.write("other.fio", "[r]\nrw=read\nnumber_ios=5\n");
    place.out(&format!("run other.fio --drive {SSD} --out other"));
    holds(
        &place.refused("compare old other"),
        &["no run in common", "random", "other"],
    );
    // What says how to run would do nothing where nothing is run, and limits need what they compare with.
    let wrong = |line: &str, parts: &[&str]| {
        let assert = place.ftlab(line).assert().code(2).stdout("");
        holds(&String::from_utf8_lossy(&assert.get_output().stderr), parts);
    };
    for option in [
        "--quick",
        "--repeats 2",
        "--seed 1",
        "--jobs 1",
        "--memory 1",
        "--testbed linux",
        "--suite s.toml",
        "--quiet",
        "--metric wa",
    ] {
        let name = option.split(' ').next().unwrap();
        let line = format!("compare old same {option}");
        wrong(&line, &[name, "cannot be used with"]);
    }
    let line = format!("compare {SSD} --set spare.op=0.1,0.2 --test A1 --fail-if wa+1%");
    wrong(&line, &["--fail-if", "cannot be used with"]);
}

#[test]
fn a_metric_that_no_run_has_is_wrong_input_before_anything_runs() {
    let place = Place::new();
    // The drive would take long.
    let compare = format!(
        "compare {SSD} --set spare.op=0.07,0.28 --test A1 --state steady --metric foo --out compared"
    );
    holds(
        &place.refused(&compare),
        &["--metric: no run has a metric `foo`; there are wa, "],
    );
    assert!(!place.path("compared").exists());
    for command in ["run random.fio --drive", "plan random.fio --drive"] {
        let mut line = place.ftlab(&format!("{command} {SSD} --state steady --out out"));
        let refused = line.args(["--require", "wa_stedy < 2"]).assert().code(2);
        let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        holds(
            &error,
            &["no run has a metric `wa_stedy` (did you mean wa_steady"],
        );
    }
    assert!(!place.path("out").exists());
}
