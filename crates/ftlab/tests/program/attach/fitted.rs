//! A drive that nobody knows is measured, fitted and compared with its model: one that `ftlab serve` attaches, and a file.
//!
//! Both are measured by the clock, so that a busy machine makes them slower than they are: what is asked of a number leaves room
//! for that. How well a fit finds the numbers of many drives is judged in virtual time.

use super::server::Serve;
use crate::place::{Place, holds};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_fit::candidate::{Candidate, Number};
use ftlab_fit::hidden;
use serde_json::Value;
use std::fs::File;

const FAMILIES: &[(&str, &str, &[&str])] = &[
    ("unwritten", "new", &["unwritten-qd1", "unwritten-qd64"]),
    ("burst", "new", &["burst"]),
    (
        "read",
        "filled",
        &["read-qd1", "read-qd4", "read-qd32", "read-64k"],
    ),
    ("held-out-read", "filled", &["read-qd2", "read-qd8"]),
];

const JOBS: &[(&str, &str)] = &[
    ("unwritten-qd1", "rw=randread\nbs=4k\nnumber_ios=200"),
    (
        "unwritten-qd64",
        "rw=randread\nbs=4k\niodepth=64\nnumber_ios=2000",
    ),
    ("burst", "rw=randwrite\nbs=4k\nnumber_ios=100"),
    ("read-qd1", "rw=randread\nbs=4k\nnumber_ios=400"),
    ("read-qd2", "rw=randread\nbs=4k\niodepth=2\nnumber_ios=600"),
    ("read-qd4", "rw=randread\nbs=4k\niodepth=4\nnumber_ios=1000"),
    ("read-qd8", "rw=randread\nbs=4k\niodepth=8\nnumber_ios=1000"),
    (
        "read-qd32",
        "rw=randread\nbs=4k\niodepth=32\nnumber_ios=2000",
    ),
    ("read-64k", "rw=randread\nbs=64k\nnumber_ios=100"),
];

/// A folder with the suite, and the file of a drive to begin with.
fn place(start: &DriveFile) -> Place {
    let place = Place::new();
    let mut suite = "schema = 1\ntitle = \"Short\"\ntestbed = \"linux-2024-nvme\"\n".to_owned();
    for (n, (family, state, steps)) in FAMILIES.iter().enumerate() {
        suite += &format!(
            "[[family]]\nslug = \"{family}\"\ncode = \"S{n}\"\ntitle = \"{family}\"\nchart = \"bars\"\nmetric = \"iops\"\n\
             unit = \"IOPS\"\nstates = [\"{state}\"]\n"
        );
        for step in *steps {
            suite += &format!(
                "[[family.step]]\nslug = \"{step}\"\njob = \"{step}.fio\"\nlatencies_of = \"all\"\n"
            );
        }
    }
    place.write("suite.toml", &suite);
    for (name, job) in JOBS {
        let text = format!("[{name}]\n{job}\nnorandommap\nsize=100%\n");
        place.write(&format!("{name}.fio"), &text);
    }
    place.write("start.toml", &start.text());
    place
}

/// Measures a device, fits a model to it, and compares the two; gives what the fit found.
fn fitted(place: &Place, device: &str) -> Value {
    let id = place.json(&format!("measure --identify {device} --output-format json"));
    let id = id["id"].as_str().unwrap();
    place.out(&format!(
        "measure {device} --suite suite.toml --out measured --as mine --quiet --destroy {id}"
    ));
    let found = place.json(
        "fit ./start.toml --to measured --suite suite.toml --quick --out mine.toml --output-format json",
    );
    place.out("review ./mine.toml --suite suite.toml --out modelled --quiet");
    let said = place.out("report measured modelled --out compared");
    holds(
        &said,
        &[
            "measured:  mine",
            "9 runs on both sides",
            "compared/comparison.html",
        ],
    );
    holds(
        &place.read("compared/comparison.html"),
        &["How far off is the model?", "read-qd8"],
    );
    let drive = Catalog::default().load(&place.path("mine.toml").display().to_string(), &[]);
    assert!(drive.unwrap().text().contains("measured on real"));
    found
}

#[test]
fn a_hidden_drive_that_is_attached_is_measured_fitted_and_compared() {
    let hidden = hidden::slow(3).unwrap();
    // Ten times shorter than it is.
    let start = hidden
        .start
        .with(&["nand.t_read=100us".to_owned()])
        .unwrap();
    let place = place(&start);
    place.write("truth.toml", &hidden.truth.text());
    let serve = Serve::start(
        place.0.path(),
        &["--drive", "./truth.toml", "--unix", "drive.sock"],
    );
    let uri = serve.uri().to_owned();
    let found = fitted(&place, &uri);
    serve.stop();
    assert_eq!(found["held_out"]["figures"], 5);
    let (is, pinned) = number(&found, "nand.t_read");
    let truth = Candidate::of(&hidden.truth).get(Number::Key("nand.t_read"));
    let times = is / truth.unwrap();
    assert!(pinned && (0.8..3.0).contains(&times), "{times}\n{found:#}");
    // Nothing was measured that tells it.
    assert!(!number(&found, "nand.t_program").1);
}

#[test]
fn a_file_is_measured_fitted_and_compared() {
    let start = Catalog::default().load("generic-dc-tlc-1920", &[]).unwrap();
    let place = place(&start);
    let disk = File::create(place.path("disk")).unwrap();
    disk.set_len(256 << 20).unwrap();
    let found = fitted(&place, "disk");
    let figures = |of: &str| found[of]["figures"].as_u64().unwrap();
    assert!(figures("fitted") > figures("held_out"), "{found:#}");
    assert!(found["held_out"]["median"].as_f64().unwrap() > 0.0);
}

/// A number that was found, and whether a figure pins it.
fn number(found: &Value, key: &str) -> (f64, bool) {
    let numbers = found["numbers"].as_array().unwrap().iter();
    let mut numbers = numbers.filter(|of| of["key"] == key);
    let of = numbers.next().unwrap();
    (of["is"].as_f64().unwrap(), of["pinned"].as_bool().unwrap())
}
