//! Drives and loads as the files of other simulators: written whole, read back by the importer, refused with a way out.

use crate::place::{Place, holds};
use serde_json::Value;

const LOAD: &str = "[reads]\nrw=randread\nbs=4k\niodepth=8\nnorandommap\nnumber_ios=2000\n";

/// The keys of an array of rows.
fn keys(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["key"].as_str().unwrap()).collect()
}

#[test]
fn a_card_runs_again_as_what_it_was_made_of() {
    let place = Place::new();
    place.write("load.fio", LOAD);
    let told = place.out(
        "card --for mqsim generic-nvme-tlc-8 --set nand.t_read=77us --job load.fio --out made",
    );
    holds(&told, &["wrote made/ssdconfig.xml"]);
    holds(&told, &["wrote made/workload.xml"]);
    holds(&told, &["dropped, decides speed"]);
    let device = place.read("made/ssdconfig.xml");
    holds(&device, &["generic-nvme-tlc-8 - -set nand.t_read=77us"]);
    place.out("import mqsim made/ssdconfig.xml made/workload.xml --name back");
    let shown = place.json("show ./back.toml --output-format json");
    let t_read = shown["parameters"].as_array().unwrap().iter();
    let t_read = t_read.clone().find(|row| row["key"] == "nand.t_read");
    assert_eq!(t_read.unwrap()["value"], "77000");
    let run = place
        .json("run back.fio --drive ./back.toml --testbed attached --quiet --output-format json");
    assert_eq!(run["jobs"][0]["read"]["total_ios"], 2000);
}

#[test]
fn programs_read_what_was_written_assumed_and_dropped() {
    let place = Place::new();
    let json = place.json("card --for mqsim samsung-980-pro-1000 --shrink-to 16g --unit slot --out made --output-format json");
    assert_eq!(json["files"], serde_json::json!(["made/ssdconfig.xml"]));
    assert!(keys(&json["written"]).contains(&"Page_Capacity"));
    assert!(keys(&json["assumed"]).contains(&"Die_No_Per_Chip"));
    let dropped = json["dropped"].as_array().unwrap();
    let slc = dropped
        .iter()
        .find(|row| row["key"] == "slc.t_program")
        .unwrap();
    assert_eq!(slc["decides_speed"], true);
}

#[test]
fn what_cannot_be_written_is_refused() {
    let place = Place::new();
    place.write("trims.fio", "[a]\nrw=randtrim\n");
    let refused = |line: &str, what: &str| holds(&place.refused(line), &[what]);
    refused("card --for mqsim wd-raptor-150 --out made", "hard disk");
    refused(
        "card --for mqsim ocz-core-jmf602 --out made",
        "map.scheme is `block`",
    );
    refused(
        "card --for mqsim generic-mlc-8 --set nand.dies=15 --out made",
        "nand.dies=16",
    );
    refused(
        "card --for mqsim generic-mlc-8 --job trims.fio --out made",
        "no trims",
    );
    refused(
        "card --for mqsim generic-mlc-8 --job nowhere.fio --out made",
        "nowhere.fio",
    );
    refused(
        "card --for mqsim generic-mlc-8 --load bs=3 --out made",
        "--load",
    );
    refused(
        "card --for mqsim generic-mlc-8 --shrink-to 1m --out made",
        "--shrink-to",
    );
    assert!(!place.path("made").exists());
    place.out("card --for mqsim generic-mlc-8 --out made");
    refused("card --for mqsim generic-mlc-8 --out made", "--force");
    place.out("card --for mqsim generic-mlc-8 --out made --force");
}
