//! `ftlab info` and `ftlab fsck` on images as drives leave them.

use crate::place::{Place, holds};
use ftlab_base::{Command, Outcome, SimTime};
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_image::{CreateOptions, DataDrive};
use serde_json::Value;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

const SLOT: usize = 4096;

/// A small drive with forty slots written, each full of its number.
fn forty_slots(at: &Path) -> DataDrive {
    let settings = [
        "nand.blocks_per_die=16",
        "nand.pages_per_block=8",
        "spare.op=0.8",
    ];
    let file = Catalog::default()
        .load("generic-mlc-8", &settings.map(str::to_owned))
        .unwrap();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let made = DataDrive::create(at, &file, &testbed, &CreateOptions::default());
    let mut drive = made.unwrap();
    for slot in 0..40 {
        let write = Command::write(slot, slot * 8, 8, SimTime::ZERO);
        let data = vec![slot as u8 + 100; SLOT];
        assert_eq!(drive.apply(write, &data), Outcome::Good);
    }
    drive
}

#[test]
fn info_says_what_an_image_is_and_how_it_was_left() {
    let place = Place::new();
    let at = place.path("drive.img");
    let drive = forty_slots(&at);
    // Its power goes.
    drop(drive);
    let out = place.out("info drive.img");
    holds(
        &out,
        &[
            "generic-mlc-8",
            "lost its power",
            "unsafe shutdowns",
            "lost in a power cut",
        ],
    );
    let json = place.json("info drive.img --output-format json");
    assert_eq!(json["mapped_slots"], 40);
    assert_eq!(json["clean"], false);
    assert_eq!(json["counters"]["host_bytes_written"], 40 * SLOT);
    assert_eq!(json["slot_bytes"], SLOT);
}

#[test]
fn fsck_finds_damage_and_says_where() {
    let place = Place::new();
    let at = place.path("drive.img");
    forty_slots(&at).close().unwrap();
    holds(
        &place.out("fsck drive.img"),
        &["40 mapped", "0 damaged", "switched off in order"],
    );

    // A byte of slot 17, wherever that lies.
    let file = OpenOptions::new().read(true).write(true).open(&at).unwrap();
    let length = file.metadata().unwrap().len();
    let mut tail = vec![0; 8 << 20];
    let from = length - tail.len() as u64;
    file.read_exact_at(&mut tail, from).unwrap();
    let found = tail
        .windows(64)
        .position(|bytes| bytes.iter().all(|&byte| byte == 117));
    file.write_all_at(b"?", from + found.unwrap() as u64 + 50)
        .unwrap();
    let (out, error) = place.finds("fsck drive.img");
    holds(&out, &["1 damaged", "sector 136 (LPN 17", "checksum"]);
    holds(&error, &["1 of 40 slots"]);
    let (out, _) = place.finds("fsck drive.img --output-format json");
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["damaged"][0]["lba"], 136);
}

#[test]
fn what_is_no_image_is_refused_in_one_line() {
    let place = Place::new();
    std::fs::write(place.path("text"), "no image at all").unwrap();
    for command in ["info", "fsck"] {
        let refused = place.refused(&format!("{command} text"));
        holds(&refused, &["text: it is not an image of a drive"]);
        let refused = place.refused(&format!("{command} nowhere"));
        holds(&refused, &["nowhere: cannot open it"]);
    }
}

/// Flips a bit in the middle of the journal of an image.
fn damage_journal(at: &Path) {
    const ALIGNMENT: u64 = 1 << 16;
    let file = OpenOptions::new().read(true).write(true).open(at).unwrap();
    let length = file.metadata().unwrap().len();
    let mut start = [0; 4];
    let journal = (0..length)
        .step_by(ALIGNMENT as usize)
        .find(|&at| file.read_exact_at(&mut start, at).is_ok() && start == *b"\x8fftb");
    let mut byte = [0];
    let middle = journal.expect("it has one") + 500;
    file.read_exact_at(&mut byte, middle).unwrap();
    file.write_all_at(&[byte[0] ^ 1], middle).unwrap();
}

#[test]
fn a_hole_in_the_journal_is_told_and_nothing_is_served_until_it_is_accepted() {
    let place = Place::new();
    let at = place.path("drive.img");
    let mut drive = forty_slots(&at);
    drive.flush_storage().unwrap();
    drop(drive);
    assert!(
        place
            .ftlab("fsck drive.img")
            .assert()
            .success()
            .get_output()
            .stderr
            .is_empty()
    );
    damage_journal(&at);
    let (out, error) = place.finds("fsck drive.img");
    holds(&out, &["a hole behind", "requests to the flash are lost"]);
    holds(
        &error,
        &["behind it are lost", "flushed", "--rebuild", "--accept"],
    );
    let (out, _) = place.finds("fsck drive.img --output-format json");
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["hole"]["flushed"], json["hole"]["requests"]);
    assert!(json["hole"]["requests"].as_u64().unwrap() > 30);
    holds(&place.out("info drive.img"), &["its journal has a hole"]);
    let refused = place.refused("serve --image drive.img --unix s");
    holds(&refused, &["its journal has a hole", "ftlab fsck"]);

    std::fs::copy(&at, place.path("copy.img")).unwrap();
    holds(&place.out("fsck drive.img --accept"), &["0 damaged"]);
    let out = place.ftlab("fsck drive.img").assert().success();
    holds(
        &String::from_utf8_lossy(&out.get_output().stdout),
        &["switched off in order"],
    );
    // The pages behind the hole are there.
    let rebuilt = place.json("fsck copy.img --rebuild --output-format json");
    assert!(rebuilt["found_slots"].as_u64().unwrap() > 30, "{rebuilt}");
    holds(&place.out("fsck copy.img"), &["40 mapped", "0 damaged"]);
}
