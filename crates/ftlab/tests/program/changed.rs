//! Drives and tests that are changed from the command line: `--set`, `--shuffle` and `--shrink-to`, alike wherever they are taken.

use crate::place::{Place, holds, without_signs_of_life};
use serde_json::Value;

const SSD: &str = "generic-mlc-8";

/// A drive that is written over in a moment.
const SMALL: &str = "--set nand.channels=2 --set nand.dies_per_channel=2 --set nand.blocks_per_die=256 --set nand.pages_per_block=32";

/// Four clones that write, each mostly to a few places.
fn job(law: &str) -> String {
    format!(
        "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nnumjobs=4\ngroup_reporting\nnumber_ios=2000\n\
         random_distribution={law}\n"
    )
}

const SUITE: &str = "schema = 1\ntitle = \"Mine\"\nstates = [\"filled\"]\n\n[[family]]\nslug = \"hot\"\ncode = \"H\"\n\
                     title = \"Hot places\"\nchart = \"bars\"\nmetric = \"wa\"\nunit = \"x\"\n\n[[family.step]]\njob = \"hot.fio\"\n";

fn place() -> Place {
    let place = Place::new();
    place.write("hot.fio", &job("zoned:90/10:10/90"));
    place.write("mine.toml", SUITE);
    place
}

/// What a call says beside its output, and the results that it wrote.
fn ends(place: &Place, line: &str, folder: &str) -> (String, Value) {
    let output = place.ftlab(line).output().unwrap();
    let told = without_signs_of_life(&output.stderr);
    assert!(output.status.success(), "{line}: {told}");
    let results = place.read(&format!("{folder}/results.json"));
    (told, serde_json::from_str(&results).unwrap())
}

fn notes(set: &Value, run: usize) -> String {
    set["runs"][run]["notes"].to_string()
}

#[test]
fn a_run_says_whether_its_clones_have_the_same_hot_blocks() {
    let place = place();
    place.write("zipf.fio", &job("zipf:0.9"));
    for (load, option, words) in [
        (
            "zipf",
            "",
            "each of the 4 clones of job `w` has hot blocks of its own",
        ),
        ("zipf", "--shuffle", "another one for each of its 4 clones"),
        (
            "zipf",
            "--shuffle=shared",
            "its 4 clones have the same hot blocks",
        ),
        (
            "hot",
            "--shuffle=each",
            "spreads the zones of job `w` over all blocks, another one",
        ),
        (
            "hot",
            "--shuffle=shared",
            "its 4 clones have the same hot blocks",
        ),
    ] {
        let line = format!("run {load}.fio --drive {SSD} --untimed --out o {option}");
        let (told, set) = ends(&place, &line, "o");
        assert!(
            told.starts_with("note: ") && told.lines().count() == 1,
            "{told}"
        );
        holds(&told, &[words]);
        holds(&notes(&set, 0), &[words]);
        // Who wants it quiet finds it in the results.
        assert!(!place.out(&format!("{line} --quiet")).is_empty());
    }
    // Zones one behind the other are the same for all.
    place.out(&format!("run hot.fio --drive {SSD} --untimed"));
    // A job's own word goes before the option.
    place.write("own.fio", &format!("{}shuffle=shared\n", job("zipf:0.9")));
    let line = format!("run own.fio --drive {SSD} --untimed --shuffle=each --out o");
    holds(&ends(&place, &line, "o").0, &["(shuffle=shared)"]);
    let wrong = place
        .ftlab("run hot.fio --drive generic-mlc-8 --shuffle=all")
        .output();
    let wrong = String::from_utf8(wrong.unwrap().stderr).unwrap();
    holds(&wrong, &["'all' for '--shuffle", "each, shared"]);
}

#[test]
fn a_review_changes_drives_as_a_run_does() {
    let place = place();
    let line = format!("review {SSD} --suite mine.toml {SMALL} --set spare.op=7%,28% --out o");
    let (told, set) = ends(&place, &line, "o");
    assert!(
        !told.contains("published"),
        "nothing is published of it: {told}"
    );
    let run = format!("run hot.fio --drive {SSD} {SMALL} --set spare.op=7%,28% --out r");
    let (_, of_run) = ends(&place, &run, "r");
    let of = |set: &Value, what: &str| -> Vec<Value> {
        let runs = set["runs"].as_array().unwrap().iter();
        runs.map(|run| run[what].clone()).collect()
    };
    for what in ["drive", "settings"] {
        assert_eq!(of(&set, what), of(&of_run, what), "{what}");
    }
    let ids = [7, 28].map(|op| Value::from(format!("{SSD}@spare.op={op}%")));
    assert_eq!(of(&set, "drive"), ids);
    assert_eq!(set["runs"][1]["settings"]["spare.op"], "28%");
    assert_eq!(set["drives"][1]["name"], of_run["drives"][1]["name"]);
    holds(&place.read("o/index.html"), &["spare.op=28%"]);
    // More spare area is less to copy.
    let spare = |n: usize| set["drives"][n]["capacity_bytes"].as_u64().unwrap();
    assert!(spare(1) < spare(0));
    for wrong in ["nonsense.op=1", "spare.op", "spare.op=", "gc.policy=newest"] {
        let error = |line: &str| place.refused(&format!("{line} --set {wrong}"));
        let of_review = error(&format!("review {SSD} --suite mine.toml"));
        assert_eq!(
            of_review,
            error(&format!("run hot.fio --drive {SSD}")),
            "{wrong}"
        );
    }
}

#[test]
fn a_changed_drive_is_judged_against_no_published_figure() {
    let place = place();
    let line = "review samsung-slc-64 --test A1 --quick --out o";
    let (told, sold) = ends(&place, line, "o");
    assert!(!told.contains("note: --set"), "{told}");
    let (told, changed) = ends(&place, &format!("{line} --set spare.op=20%"), "o");
    holds(
        &told,
        &["note: --set: published figures are of drives as they are sold"],
    );
    let figures = |set: &Value| set["figures"].as_array().unwrap().len();
    assert!(figures(&sold) > 0 && figures(&changed) == 0);
    holds(
        &notes(&changed, 0),
        &["The drive was changed (spare.op=20%)"],
    );
    holds(&place.read("o/index.html"), &["The drive was changed"]);
}

#[test]
fn a_review_shuffles_the_jobs_of_its_suite_and_takes_up_nothing_else() {
    let place = place();
    let line = format!("review {SSD} --suite mine.toml {SMALL} --out o");
    let shared = "its 4 clones have the same hot blocks (shuffle=shared)";
    let (_, plain) = ends(&place, &line, "o");
    let (_, set) = ends(&place, &format!("{line} --shuffle=shared"), "o");
    assert!(!notes(&plain, 0).contains("shuffle"));
    holds(&notes(&set, 0), &[shared]);
    holds(
        &place.read("o/index.html"),
        &["its 4 clones have the same hot blocks"],
    );
    let iops = |set: &Value| set["runs"][0]["metrics"]["iops"].clone();
    assert_ne!(iops(&plain), iops(&set));
    // What was kept is of other requests, or of the same ones.
    let (told, again) = ends(&place, &format!("{line} --resume --shuffle=each"), "o");
    holds(&told, &["0 of 1 runs are there already"]);
    holds(&notes(&again, 0), &["another one for each of its 4 clones"]);
    let (told, _) = ends(&place, &format!("{line} --resume --shuffle=each"), "o");
    assert!(!told.contains("0 of 1"), "{told}");
    // A load of one's own is shuffled beside the tests.
    let own = format!("review {SSD} --test ./hot.fio {SMALL} --out o --shuffle=shared");
    holds(&ends(&place, &own, "o").0, &[shared]);
}

#[test]
fn a_published_test_of_other_requests_is_judged_against_nothing() {
    let place = place();
    let line = "review generic-nvme-tlc-8 --suite modern --test pages-4k-doublewrite --quick --out o --shuffle";
    let output = place.ftlab(line).output().unwrap();
    let told = without_signs_of_life(&output.stderr);
    holds(
        &told,
        &["note: --shuffle: 1 of the tests make other requests"],
    );
}

#[test]
fn a_plan_takes_up_nothing_that_was_shuffled_otherwise() {
    let place = place();
    let plan = |more: &str| {
        let line =
            format!("plan hot.fio --drive {SSD} {SMALL} --quick --per-day 1GB --out p {more}");
        ends(&place, &line, "p")
    };
    let (told, _) = plan("--shuffle=each");
    holds(&told, &["another one for each of its 4 clones"]);
    let (told, _) = plan("--shuffle=shared --resume");
    holds(&told, &["0 of 1 runs are there already"]);
    let (told, _) = plan("--shuffle=shared --resume");
    assert!(!told.contains("0 of 1"), "{told}");
}

#[test]
fn the_standard_s_tests_take_a_smaller_form_of_a_drive() {
    let place = place();
    let line = "pts samsung-970-evo-plus-250 --test latency --class enterprise --scale 400 --out o --shrink-to 4g";
    let (told, set) = ends(&place, line, "o");
    holds(
        &told,
        &[
            "note: samsung-970-evo-plus-250: Its blocks have",
            "fewer pages",
        ],
    );
    holds(&notes(&set, 0), &["fewer pages than the drive's"]);
    let bytes = set["drives"][0]["capacity_bytes"].as_u64().unwrap();
    assert!(
        bytes > 200_000_000_000,
        "the sheet is of the whole drive: {bytes}"
    );
    let error = |line: &str| place.refused(&format!("{line} --shrink-to 1m"));
    assert_eq!(
        error(&format!("pts {SSD} --test latency")),
        error(&format!("run hot.fio --drive {SSD}"))
    );
}
