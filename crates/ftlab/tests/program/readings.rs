//! Results of other tools, taken over: reports, comparisons and tables read them like results of a model.

use crate::place::{Place, holds};
use serde_json::{Value, json};

const JOB: &str = "[a]\nrw=randread\nbs=4k\niodepth=4\nnumber_ios=4000\n\n[b]\nstonewall\nrw=randwrite\nbs=4k\nnumber_ios=300\nfsync=16\n";

/// Writes what fio writes of a job that read with a depth of 8.
fn write_fio(place: &Place, name: &str, ios: u64, error: u32) {
    let latency = json!({"min": 90_000, "max": 900_000, "mean": 100_000.0, "stddev": 9000.0, "N": ios,
                         "percentile": {"50.000000": 99_840, "99.000000": 130_048}});
    let reads = json!({"io_bytes": ios * 4096, "io_kbytes": ios * 4, "bw_bytes": ios * 2048, "runtime": 2000, "total_ios": ios,
                       "lat_ns": latency, "novel": 1});
    let output = json!({"fio version": "fio-3.36", "global options": {"direct": "1"}, "jobs": [{"jobname": "r", "groupid": 0,
        "error": error, "job options": {"rw": "randread", "bs": "4k", "iodepth": "8"}, "read": reads}]});
    place.write(name, &output.to_string());
}

fn results(place: &Place, out: &str) -> Value {
    serde_json::from_str(&place.read(&format!("{out}/results.json"))).unwrap()
}

#[test]
fn results_of_fio_are_results() {
    let place = Place::new();
    write_fio(&place, "randread.json", 40_000, 0);
    let said = place.out(
        "import results randread.json --drive My-Drive --capacity 480GB --kind ssd --state used --out mine",
    );
    holds(
        &said,
        &[
            "1 run of My-Drive",
            "randread",
            "20000",
            "jobs.read.novel, 1 time",
            "mine/results.json",
        ],
    );
    assert!(!said.contains("not known"), "{said}");
    let set = results(&place, "mine");
    let schema: Value =
        serde_json::from_str(&place.root("docs/schema/results.schema.json")).unwrap();
    jsonschema::validate(&schema, &set).unwrap();
    assert_eq!(set["origin"]["way"], "measured");
    assert_eq!(
        (&set["runs"][0]["id"], &set["drives"][0]["capacity_bytes"]),
        (&json!("my-drive/randread/used"), &json!(480e9 as u64))
    );
    holds(
        &place.out("report mine --csv --fio-json"),
        &["my-drive", "randread", "used", "20,000"],
    );
    let again: Value =
        serde_json::from_str(&place.read("mine/fio/my-drive_randread_used.json")).unwrap();
    assert_eq!(again["jobs"][0]["read"]["iops"], 20_000.0);
    write_fio(&place, "randread.json", 30_000, 0);
    place.out("import results randread.json --drive My-Drive --state used --out later");
    let said = place.out("compare mine later");
    holds(&said, &["read.iops", "my-drive/randread/used"]);
}

#[test]
fn what_nobody_says_is_unknown_and_programs_get_it_all() {
    let place = Place::new();
    write_fio(&place, "r.json", 4000, 5);
    let said = place.json("import results r.json --output-format json");
    assert_eq!(said["format"], "fio");
    assert_eq!(said["runs"], json!(["unknown/r/unknown"]));
    assert_eq!(
        said["unknown"],
        json!(["--drive", "--capacity", "--kind", "--state"])
    );
    holds(
        said["warnings"][0].as_str().unwrap(),
        &["Job r ended with an error", "Measure it again"],
    );
    let novel = said["left"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["what"] == json!(["jobs.read.novel"]));
    assert_eq!(novel.unwrap()["why"], "ftlab does not know it");
    let set = results(&place, "ftlab-results");
    assert_eq!(
        (
            &set["drives"][0]["kind"],
            &set["drives"][0]["capacity_bytes"]
        ),
        (&json!("unknown"), &json!(0))
    );
    let page = place.read("ftlab-results/index.html");
    holds(&page, &["not known", "ended with an error"]);
    // A drive that is known says the rest.
    place.out("import results r.json --drive intel-x25-m-g1-80 --state new --out known");
    let drive = &results(&place, "known")["drives"][0];
    assert_eq!(
        (&drive["drive"], &drive["kind"]),
        (&json!("intel-x25-m-g1-80"), &json!("ssd"))
    );
}

#[test]
fn what_ftlab_prints_as_fio_does_comes_back_the_same() {
    let place = Place::new();
    place.write("two.fio", JOB);
    let line = "run two.fio --drive generic-mlc-8 --state new --seed 5";
    let before = place.out(&format!("{line} --output-format json+"));
    place.write("said.json", &before);
    place.out(&format!("{line} --out model"));
    place.out("import results said.json --out back");
    let (model, back) = (results(&place, "model"), results(&place, "back"));
    assert_eq!(
        (&back["origin"]["way"], &back["origin"]["seed"]),
        (&json!("simulated"), &json!(5))
    );
    // The two groups of jobs are runs of their own, each with its figures.
    let of = |set: &Value, job: &str| -> Value {
        let runs = set["runs"].as_array().unwrap();
        let mut jobs = runs.iter().flat_map(|run| run["jobs"].as_array().unwrap());
        jobs.find(|of| of["name"] == job).unwrap().clone()
    };
    for (job, direction) in [("a", "read"), ("b", "write"), ("b", "flush")] {
        let [was, is] = [&model, &back].map(|set| of(set, job)[direction].clone());
        for key in [
            "ios",
            "bytes",
            "lat_ns_min",
            "lat_ns_mean",
            "lat_ns_max",
            "lat_ns_bins",
        ] {
            assert_eq!(was[key], is[key], "{job} {direction} {key}");
        }
        for (percent, ns) in is["lat_ns_percentiles"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (&row[0], &row[1]))
        {
            let same = was["lat_ns_percentiles"]
                .as_array()
                .unwrap()
                .iter()
                .find(|row| row[0] == *percent);
            let (was, is) = (same.unwrap()[1].as_f64().unwrap(), ns.as_f64().unwrap());
            assert!(
                (is / was - 1.0).abs() < 0.02,
                "{job} {percent}: {was} and {is}"
            );
        }
    }
    write_fio(&place, "real.json", 100, 0);
    let why = place.refused("import results said.json real.json --out mixed");
    holds(&why, &["import what belongs together"]);
}

#[test]
fn a_file_that_is_cut_off_is_refused_and_leaves_nothing() {
    let place = Place::new();
    write_fio(&place, "whole.json", 4000, 0);
    let text = place.read("whole.json");
    place.write("cut.json", &text[..text.len() - 20]);
    holds(
        &place.refused("import results cut.json --out cut"),
        &["cut.json", "cut off in line 1", "give the whole file"],
    );
    assert!(!place.path("cut").exists());
    std::fs::create_dir(place.path("empty")).unwrap();
    holds(
        &place.refused("import results empty"),
        &["ezfio:", "tkperf:", "ssd-iq:", "--format"],
    );
}
