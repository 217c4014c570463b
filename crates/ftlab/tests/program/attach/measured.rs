//! `ftlab measure` on a drive that `ftlab serve` exports: it needs no block device, and survives the server.

use super::server::Serve;
use crate::place::{Place, holds};
use serde_json::Value;
use std::process::{Command, Stdio};

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
states = ["new"]
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
"#;

const READ: &str = "[r]\nrw=randread\nbs=4k\nnumber_ios=300\nnorandommap\nsize=100%\n";
const WRITE: &str =
    "[w]\nrw=randwrite\nbs=4k\nnumber_ios=300\niodepth=4\nfdatasync=10\nnorandommap\nsize=100%\n";

const IMAGE: [&str; 4] = ["--drive", "generic-mlc-8", "--image", "disk.img"];

fn place() -> Place {
    let place = Place::new();
    place.write("suite.toml", SUITE);
    place.write("read.fio", READ);
    place.write("write.fio", WRITE);
    place
}

fn results(place: &Place) -> Value {
    serde_json::from_str(&place.read("out/results.json")).unwrap()
}

fn runs(set: &Value) -> Vec<&str> {
    let runs = set["runs"].as_array().unwrap().iter();
    runs.map(|run| run["id"].as_str().unwrap()).collect()
}

fn id(place: &Place, uri: &str) -> String {
    let identified = place.json(&format!("measure --identify {uri} --output-format json"));
    assert_eq!(
        (&identified["kind"], &identified["refused"]),
        (&"nbd".into(), &Value::Null)
    );
    identified["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_drive_of_a_server_is_measured_and_named_twice() {
    let place = place();
    let serve = Serve::start(place.0.path(), &IMAGE);
    let uri = serve.uri();
    let id = id(&place, uri);
    assert!(id.starts_with("nbd:"), "{id}");
    let line = format!("measure {uri} --suite suite.toml --out out --quiet --as served");
    holds(&place.refused(&line), &["--destroy", "--identify"]);
    let error = place.refused(&format!("{line} --destroy nbd:another:disk:4096"));
    holds(&error, &[&id, "--destroy names nbd:another:disk:4096"]);

    place.out(&format!("{line} --destroy {id}"));
    let set = results(&place);
    assert_eq!(runs(&set), ["served/read/new", "served/write/new"]);
    let write = &set["runs"][1];
    assert_eq!(write["steps"][0], "TRIM of everything.");
    assert_eq!(write["write"]["ios"], 300);
    assert!(
        write["flush"]["ios"].as_u64().unwrap() >= 29,
        "{}",
        write["flush"]["ios"]
    );
    let parameters = set["drives"][0]["parameters"].as_array().unwrap();
    let engine = parameters
        .iter()
        .find(|parameter| parameter["key"] == "bench.engine");
    assert_eq!(engine.unwrap()["value"], "nbd");
    serve.stop();
}

#[test]
fn a_server_that_dies_ends_a_measurement_which_goes_on_later() {
    let place = place();
    let serve = Serve::start(place.0.path(), &IMAGE);
    // The writes are under way for as long as the server lives.
    place.out("fault disk.img stall 600s --on write");
    let uri = serve.uri().to_owned();
    let line = format!(
        "measure {uri} --suite suite.toml --out out --as served --destroy {}",
        id(&place, &uri)
    );
    let mut program = Command::new(crate::place::program());
    let program = program
        .args(line.split_whitespace())
        .current_dir(place.0.path());
    let program = program.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut program = program.spawn().unwrap();
    let mut said = std::io::BufReader::new(program.stderr.take().unwrap());
    let mut heard = String::new();
    while !heard.contains("2 of 2: write/new") {
        let bytes = std::io::BufRead::read_line(&mut said, &mut heard).unwrap();
        assert!(bytes > 0, "{heard}");
    }
    serve.end("KILL");
    let mut error = String::new();
    std::io::Read::read_to_string(&mut said, &mut error).unwrap();
    assert_eq!(program.wait().unwrap().code(), Some(1), "{error}");
    holds(&error, &["error: write/new: "]);
    // What was measured is there, and says what is missing.
    let set = results(&place);
    assert_eq!(runs(&set), ["served/read/new"]);
    holds(&set["unfinished"][0]["why"].to_string(), &["write/new: "]);
    holds(&place.out("report out"), &["served", "read"]);

    // An address where nobody listens has no size to name.
    holds(
        &place.refused(&format!("measure --identify {uri}")),
        &["cannot look at"],
    );
    let serve = Serve::start(place.0.path(), &["--image", "disk.img"]);
    place.out(&format!("{line} --quiet --resume"));
    assert_eq!(
        runs(&results(&place)),
        ["served/read/new", "served/write/new"]
    );
    serve.stop();
}
