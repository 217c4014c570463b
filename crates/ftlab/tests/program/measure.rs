//! Real drives: `ftlab measure` on files of a few megabytes, and on what it refuses.

use crate::place::{Place, holds, program};
use serde_json::Value;
use std::fs::File;
use std::path::Path;

const BYTES: u64 = 8 << 20;

const SUITE: &str = r#"
schema = 1
title = "Small"
testbed = "linux-2024-nvme"

[[family]]
slug = "reads"
code = "R1"
title = "Reads"
chart = "bars"
metric = "iops"
unit = "IOPS"
states = ["filled"]
[[family.step]]
slug = "read"
job = "read.fio"

[[family]]
slug = "writes"
code = "R2"
title = "Writes"
chart = "bars"
metric = "iops"
unit = "IOPS"
states = ["new"]
[[family.step]]
slug = "write"
job = "write.fio"

[[family]]
slug = "facts"
code = "R3"
title = "Facts"
chart = "bars"
metric = "spare_pct_of_raw"
unit = "%"
[[family.step]]
slug = "spare"
fact = "spare-area"
"#;

/// A folder with a drive and a suite.
fn place() -> Place {
    let place = Place::new();
    File::create(place.path("disk"))
        .unwrap()
        .set_len(BYTES)
        .unwrap();
    place.write("suite.toml", SUITE);
    place.write(
        "read.fio",
        "[r]\nrw=randread\nbs=4k\nnumber_ios=300\nnorandommap\nsize=100%\n",
    );
    place.write(
        "write.fio",
        "[w]\nrw=randwrite\nbs=4k\nnumber_ios=300\nnorandommap\nsize=100%\n",
    );
    place
}

fn id(place: &Place, device: &str) -> String {
    let identified = place.json(&format!("measure --identify {device} --output-format json"));
    identified["id"].as_str().unwrap().to_owned()
}

fn results(place: &Place) -> Value {
    serde_json::from_str(&place.read("out/results.json")).unwrap()
}

fn runs(set: &Value) -> Vec<&str> {
    let runs = set["runs"].as_array().unwrap().iter();
    runs.map(|run| run["id"].as_str().unwrap()).collect()
}

#[test]
fn the_id_of_a_device_is_printed_and_why_it_cannot_be_measured() {
    let place = place();
    let id = id(&place, "disk");
    assert!(
        id.starts_with("file:") && id.ends_with(&BYTES.to_string()),
        "{id}"
    );
    let said = place.out("measure --identify disk");
    holds(
        &said,
        &[
            &format!("id:         {id}\n"),
            "kind:       file\n",
            "measurable: yes\n",
        ],
    );
    assert!(
        place
            .refused("measure --identify /dev/null")
            .contains("a character device")
    );
    assert!(
        place
            .refused("measure --identify .")
            .contains("a directory")
    );
    assert!(
        place
            .refused("measure --identify none")
            .contains("cannot look at none")
    );
}

#[test]
fn nothing_is_written_to_a_drive_that_was_not_named_twice() {
    let place = place();
    place.write("disk", &"x".repeat(BYTES as usize));
    let error = place.refused("measure disk --suite suite.toml --out out");
    holds(&error, &["--destroy", "--identify", "is lost"]);
    let error = place.refused("measure disk --suite suite.toml --out out --destroy file:0:0:1:2");
    holds(&error, &["--destroy names file:0:0:1:2"]);
    let (id, planned) = (
        id(&place, "disk"),
        "measure disk --suite suite.toml --out out --dry-run",
    );
    let said = place.out(planned);
    // Filled, and three hundred writes.
    holds(
        &said,
        &[
            "measures:  2 runs",
            "writes:    9.62 MB",
            "left out:  spare: ",
        ],
    );
    holds(
        &place.out(&format!("{planned} --destroy {id} --rated-tbw 1")),
        &["0.001 % of the 1 TB"],
    );
    assert!(place.read("disk").bytes().all(|byte| byte == b'x'));
}

#[test]
fn a_suite_is_measured_and_its_results_are_those_of_any_other() {
    let place = place();
    let line = format!(
        "measure disk --suite suite.toml --out out --as mine --quiet --destroy {}",
        id(&place, "disk")
    );
    let said = place.out(&line);
    holds(&said, &["Report:", "Results:"]);
    let set = results(&place);
    assert_eq!(set["origin"]["way"], "measured");
    assert_eq!(runs(&set), ["mine/write/new", "mine/read/filled"]);
    let schema: Value =
        serde_json::from_str(&place.root("docs/schema/results.schema.json")).unwrap();
    jsonschema::validate(&schema, &set).unwrap();
    let why = set["unfinished"][0]["why"].as_str().unwrap();
    assert!(
        why.starts_with("spare cannot be run on a real drive"),
        "{why}"
    );
    let keys = set["drives"][0]["parameters"].as_array().unwrap();
    for key in ["drive.id", "bench.fio", "machine.kernel", "suite.hash"] {
        assert!(
            keys.iter().any(|parameter| parameter["key"] == key),
            "{key}"
        );
    }
    holds(&place.out("report out"), &["mine", "read", "write"]);
    // All of it is there.
    let before = place.read("out/results.json");
    place.out(&format!("{line} --resume"));
    assert_eq!(place.read("out/results.json"), before);
}

#[test]
fn an_entry_of_the_shelf_is_reported_as_it_is_packed() {
    let place = Place::new();
    let shelf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../measured");
    let packed = std::fs::read(shelf.join("x25-m-attached.json.zst")).unwrap();
    std::fs::write(place.path("x25-m.json.zst"), &packed).unwrap();
    holds(
        &place.out("report x25-m.json.zst --out x25-m"),
        &["desktop-fill", "x25-m/index.html"],
    );
    std::fs::write(place.path("cut.json.zst"), &packed[..packed.len() / 2]).unwrap();
    holds(
        &place.refused("report cut.json.zst --out cut"),
        &[
            "cannot read cut.json.zst: it is no whole file of zstd",
            "give a directory",
        ],
    );
    assert!(!place.path("cut").join("index.html").exists());
}

#[test]
fn a_real_drive_stands_beside_its_model() {
    let place = place();
    place.out(&format!(
        "measure disk --suite suite.toml --out out --as mine --quiet --destroy {}",
        id(&place, "disk")
    ));
    place.out("review generic-mlc-8 --suite suite.toml --out model");
    let text = place.out("report out model --out both --csv --parquet");
    holds(
        &text,
        &[
            "measured:  mine, in out",
            "in model",
            "latencies",
            "2 runs on both sides",
            "not measured: spare cannot be run on a real drive",
            "generic-mlc-8/spare/na (the other side did not run it)",
            "both/comparison.html",
            "Beside it: 10 files",
        ],
    );
    holds(
        &place.read("both/comparison.html"),
        &["How far off is the model?", "data-kind=\"percentiles\""],
    );
    // The error is that of the model, whichever comes first.
    let value = |of: &str| {
        let set: Value = serde_json::from_str(&place.read(&format!("{of}/results.json"))).unwrap();
        let mut runs = set["runs"].as_array().unwrap().iter();
        let run = runs.find(|run| run["test"] == "read").unwrap();
        run["metrics"]["iops"].as_f64().unwrap()
    };
    let expected = value("model") / value("out");
    place.out("report model out --out turned --csv");
    for folder in ["both", "turned"] {
        let table = place.read(&format!("{folder}/errors.csv"));
        let mut rows = table
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>());
        let heads = rows.next().unwrap();
        let at = |name: &str| heads.iter().position(|head| *head == name).unwrap();
        let row = rows.find(|row| row[at("test")] == "read" && row[at("figure")] == "iops");
        let ratio: f64 = row.unwrap()[at("ratio")].parse().unwrap();
        assert!((ratio / expected - 1.0).abs() < 1e-9, "{folder}");
    }
    let text = place.out("report out model --out both --metric read.p50");
    holds(&text, &["read.p50"]);
    let error = place.refused("report out model --metric nothing");
    holds(&error, &["`nothing`", "iops"]);
    place.out("review generic-mlc-8 --suite suite.toml --test spare --out other");
    holds(
        &place.refused("report out other"),
        &["no run is in both out and other", "ftlab review --suite"],
    );
    place.out(
        "review generic-mlc-8 generic-nvme-tlc-1000 --suite suite.toml --test write --quiet --out several",
    );
    holds(
        &place.refused("report out several"),
        &[
            "several is of 2 drives, and none of them is called mine",
            "ftlab measure --as",
        ],
    );
}

#[test]
fn a_measurement_becomes_an_entry_that_names_neither_drive_nor_machine() {
    let place = place();
    let id = id(&place, "disk");
    place.out(&format!(
        "measure disk --suite suite.toml --test read --out out --as mine --quiet --destroy {id}"
    ));
    let pack = "measure --pack out --as my-file --date 2026-12-01 --licence CC0-1.0";
    let said = place.out(&format!("{pack} --odd Slow. --out shelf"));
    holds(&said, &["shelf/my-file.toml", "shelf/my-file.json.zst"]);
    let entry = place.read("shelf/my-file.toml");
    holds(
        &entry,
        &[
            "name = \"my-file\"",
            "Slow.",
            "CC0-1.0",
            "date = \"2026-12-01\"",
            "metric = \"iops\"",
        ],
    );
    for part in id
        .split(':')
        .filter(|part| part.len() > 4 && *part != BYTES.to_string())
    {
        assert!(!entry.contains(part), "{part}: {entry}");
    }
    for (line, why) in [
        (pack.replace("2026-12-01", "today"), "`today` is no day"),
        (pack.replace("my-file", "My/File"), "is no name of an entry"),
        (pack.replace(" --date 2026-12-01", ""), "--date"),
        (
            pack.replace("--pack out", "disk --pack out"),
            "cannot be used with",
        ),
        ("measure".to_owned(), "DEVICE"),
    ] {
        let refused = place.ftlab(&format!("{line} --out shelf")).assert().code(2);
        let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
        assert!(error.contains(why), "{line}: {error}");
    }
    place.out("review generic-mlc-8 --suite suite.toml --test read --out model");
    let error = place.refused(&pack.replace("--pack out", "--pack model"));
    holds(
        &error,
        &["the results are those of a model", "ftlab measure"],
    );
}

#[test]
fn a_call_goes_on_where_another_one_ended() {
    let place = place();
    let line = format!(
        "measure disk --suite suite.toml --out out --quiet --destroy {}",
        id(&place, "disk")
    );
    place.out(&line);
    let mut set = results(&place);
    let kept = set["runs"][0].clone();
    set["runs"] = Value::Array(vec![kept.clone()]);
    place.write("out/results.json", &set.to_string());
    place.out(&format!("{line} --resume"));
    let again = results(&place);
    assert_eq!(runs(&again).len(), 2);
    assert_eq!(again["runs"][0], kept);

    let other = place.refused(&format!("{line} --resume --test read"));
    assert!(other.contains("other tests"), "{other}");
    let other = place.refused(&format!("{line} --resume --quick"));
    assert!(
        other.contains("other tests, or of other lengths"),
        "{other}"
    );
    let other = place.refused(&format!("{line} --resume --as another"));
    assert!(other.contains("another drive"), "{other}");
}

#[test]
fn tests_that_only_read_need_no_id() {
    let place = place();
    place.write("disk", &"x".repeat(BYTES as usize));
    place.out("measure disk --suite suite.toml --test read --out out --quiet --as mine");
    assert_eq!(runs(&results(&place)), ["mine/read/as-found"]);
    assert!(place.read("disk").bytes().all(|byte| byte == b'x'));
}

#[test]
fn a_percentile_is_in_results_reports_and_exports_if_ten_requests_took_longer() {
    let place = place();
    place.out("measure disk --suite suite.toml --test read --out out --quiet --as mine");
    let set = results(&place);
    let read = &set["runs"][0]["read"];
    let few = set["runs"][0]["read"]["ios"].as_f64().unwrap();
    let percentiles = read["lat_ns_percentiles"].as_array().unwrap();
    assert!(!percentiles.is_empty());
    for percentile in percentiles {
        let percent = percentile[0].as_f64().unwrap();
        assert!(few * (1.0 - percent / 100.0) > 9.999, "{percent} of {few}");
    }
    let metrics = set["runs"][0]["metrics"].as_object().unwrap();
    assert!(metrics.contains_key("lat_max_ms"), "{metrics:?}");
    assert!(
        !metrics.keys().any(|name| name.contains("p99")),
        "{metrics:?}"
    );

    place.out("report out --fio-json --csv");
    let written = std::fs::read_dir(place.path("out/fio")).unwrap().flatten();
    let written: Vec<_> = written.map(|file| file.path()).collect();
    let fio: Value = serde_json::from_slice(&std::fs::read(&written[0]).unwrap()).unwrap();
    let latency = &fio["jobs"][0]["read"]["lat_ns"];
    assert_eq!(latency["N"], 300, "{latency}");
    let shown = latency["percentile"].as_object();
    assert!(
        !shown
            .into_iter()
            .flatten()
            .any(|(name, _)| name.starts_with("99")),
        "{latency}"
    );
    let table = place.read("out/runs.csv");
    let mut lines = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let (head, row) = (lines.next().unwrap(), lines.next().unwrap());
    for (name, value) in head.iter().zip(&row) {
        assert!(
            !name.contains("p99") || value.is_empty(),
            "{name} is {value}"
        );
    }
}

#[test]
fn processors_and_a_limit_of_temperature_are_asked_for_and_stated() {
    let place = place();
    let line = "measure disk --suite suite.toml --test read --out out --quiet";
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let first = allowed.unwrap().trim().split(['-', ',']).next().unwrap();
    place.out(&format!("{line} --cpus {first}"));
    let set = results(&place);
    let parameters = set["drives"][0]["parameters"].as_array().unwrap();
    let is_it = |parameter: &&Value| parameter["key"] == "bench.processors";
    assert_eq!(parameters.iter().find(is_it).unwrap()["value"], first);
    let notes = set["runs"][0]["notes"].as_array().unwrap();
    let has = |words: &str| {
        notes
            .iter()
            .any(|note| note.as_str().unwrap().contains(words))
    };
    assert!(has(&format!("on the processors {first}.")), "{notes:?}");
    // A file counts nothing of itself.
    assert!(has("write amplification is not known"), "{notes:?}");

    let error = place.refused(&format!("{line} --cpus 60000"));
    holds(&error, &["may not run on the processors 60000"]);
    let assert = place.ftlab(&format!("{line} --cpus x")).assert().code(2);
    let error = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    holds(&error, &["no list of processors", "0-3,6"]);
    let error = place.refused(&format!("{line} --max-celsius 70"));
    holds(&error, &["does not say how warm it is", "--max-celsius"]);
}

/// The processes that another one has started.
fn children(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let list = std::fs::read_to_string(path).unwrap_or_default();
    list.split_whitespace()
        .map(|child| child.parse().unwrap())
        .collect()
}

/// Returns true if a process is fio at its jobs.
fn is_fio(process: u32) -> bool {
    let words = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    words.starts_with(b"fio\0--output-format")
}

/// Returns true if a process has a file open.
fn has_open(process: u32, file: &Path) -> bool {
    let open = std::fs::read_dir(format!("/proc/{process}/fd"));
    let mut open = open.into_iter().flatten().flatten();
    open.any(|open| std::fs::read_link(open.path()).is_ok_and(|to| to == file))
}

#[test]
fn fio_ends_with_the_program_that_holds_the_drive() {
    let place = place();
    place.write(
        "read.fio",
        "[r]\nrw=randread\nbs=4k\nnorandommap\nsize=100%\ntime_based\nruntime=20\n",
    );
    let line = "measure disk --suite suite.toml --test read --out out --quiet";
    let drive = place.path("disk").canonicalize().unwrap();
    // The folder of fio's files stays when the program is killed.
    let folder = place.path("tmp");
    std::fs::create_dir(&folder).unwrap();
    let mut program = std::process::Command::new(program());
    let program = program.args(line.split_whitespace()).current_dir(&place.0);
    let mut program = program.env("TMPDIR", &folder).spawn().unwrap();
    let fio = loop {
        let mut children = children(program.id()).into_iter();
        if let Some(fio) = children.find(|child| is_fio(*child) && has_open(*child, &drive)) {
            break fio;
        }
        assert!(program.try_wait().unwrap().is_none(), "it ended");
        std::thread::yield_now();
    };
    program.kill().unwrap();
    program.wait().unwrap();
    while is_fio(fio) {
        std::thread::yield_now();
    }
    // One that had come to the end of its time would have written them.
    let written = std::fs::read_dir(&folder).unwrap().flatten();
    let written = written.map(|run| run.path().join("results.json"));
    for results in written.filter(|results| results.exists()) {
        assert_eq!(std::fs::read_to_string(results).unwrap(), "");
    }
}

#[test]
fn a_call_without_a_suite_says_what_to_give() {
    let place = place();
    holds(&place.refused("measure disk"), &["--suite", "--identify"]);
    let error = place.refused("measure disk --suite suite.toml --test ./read.fio");
    holds(&error, &["no test of the suite"]);
}
