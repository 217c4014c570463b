//! Files whose few bytes stand for gigabytes: they are refused before they take memory.

use cap::Cap;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_host::Testbed;
use ftlab_image::{CreateOptions, DataDrive, OnKill, OpenOptions};
use lz4_flex::frame::FrameEncoder;
use std::alloc::System;
use std::fs::{File, OpenOptions as FileOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use xxhash_rust::xxh3::xxh3_64;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// What a refusal may take, beside what is taken already.
const MEMORY_MAX: usize = 256 << 20;

const SMALL: [&str; 3] = [
    "nand.blocks_per_die=16",
    "nand.pages_per_block=8",
    "spare.op=0.8",
];

fn drive() -> (DriveFile, Testbed) {
    let file = Catalog::default()
        .load("generic-mlc-8", &SMALL.map(str::to_owned))
        .unwrap();
    (file, Testbed::load("anandtech-2008").unwrap())
}

/// LZ4 of something, and then of zeros: 6 GB unless they end nothing.
fn packed(start: &[u8], zeros: u64) -> Vec<u8> {
    let mut packer = FrameEncoder::new(Vec::new());
    packer.write_all(start).unwrap();
    let part = vec![0; 1 << 20];
    for _ in 0..zeros >> 20 {
        packer.write_all(&part).unwrap();
    }
    packer.finish().unwrap()
}

/// A number as postcard has it.
fn number(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Where the checkpoint of an image lies that has just been made, and its epoch.
fn checkpoint(image: &File) -> (u64, u64) {
    let mut part = vec![0; 4096];
    for at in (1 << 20..2 << 30).step_by(4096) {
        image.read_exact_at(&mut part, at).unwrap();
        if part.starts_with(b"\x8fftpoint") {
            return (at, u64::from_le_bytes(part[8..16].try_into().unwrap()));
        }
    }
    panic!("it has a checkpoint");
}

/// Puts another state into the checkpoint of an image, in order but for what it says.
fn replace_state(image: &File, state: &[u8]) {
    let (at, epoch) = checkpoint(image);
    let mut head = b"\x8fftpoint".to_vec();
    head.extend(epoch.to_le_bytes());
    head.extend((state.len() as u64).to_le_bytes());
    head.extend(xxh3_64(state).to_le_bytes());
    head.extend(xxh3_64(&head).to_le_bytes());
    image.write_all_at(&head, at).unwrap();
    image.write_all_at(state, at + 4096).unwrap();
}

#[test]
fn a_checkpoint_that_stands_for_gigabytes_is_refused_before_it_takes_memory() {
    let ((file, testbed), catalog) = (drive(), Catalog::default());
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().join("drive.img");
    let made = DataDrive::create(&at, &file, &testbed, &CreateOptions::default());
    made.unwrap().close().unwrap();
    let image = FileOptions::new().read(true).write(true).open(&at).unwrap();
    let six_gigabytes = 6 << 30;
    // The version, numbers, nothing lost, and no slots in a buffer of either kind; then a state of page mapping, whose
    // first table is without end.
    let numbers = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let meta = [&number(1)[..], b"0", &numbers, &number(0), &number(0)].concat();
    let table = [&meta[..], &[0, 0], &number(six_gigabytes)].concat();
    let text = number(six_gigabytes);
    for (what, start) in [("a table", &table), ("a text", &text)] {
        replace_state(&image, &packed(start, six_gigabytes));
        let options = OpenOptions {
            read_only: true,
            on_kill: OnKill::Keep,
            ..OpenOptions::on(&catalog, &testbed)
        };
        ALLOCATOR
            .set_limit(ALLOCATOR.allocated() + MEMORY_MAX)
            .unwrap();
        let why = DataDrive::open(&at, &options).unwrap_err().to_string();
        ALLOCATOR.set_limit(usize::MAX).unwrap();
        assert!(why.contains("checkpoint"), "{what}: {why}");
    }
}
