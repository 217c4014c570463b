//! nbdinfo, nbdcopy, QEMU's tools and fio, on a drive in the model's time and on one without time.

use super::server::{MIB, Serve, check_offers, json, said};
use ftlab_base::RootSeed;
use rand::Rng;
use std::path::Path;
use tempfile::TempDir;

/// A page-mapped drive that collects garbage soon: 512 MiB of flash.
const SMALL: [&str; 6] = [
    "--drive",
    "generic-mlc-8",
    "--set",
    "nand.blocks_per_die=32",
    "--listen",
    "127.0.0.1:0",
];

/// Does something to drives of both kinds, each as new.
fn both(test: impl Fn(&Serve, &Path)) {
    for timing in ["model", "off"] {
        let folder = TempDir::new().expect("a folder");
        let arguments = [&SMALL[..], &["--timing", timing]].concat();
        let server = Serve::start(folder.path(), &arguments);
        test(&server, folder.path());
        server.stop();
    }
}

/// A file of random bytes with a hole from 3 to 6 MiB.
fn image(path: &Path) -> Vec<u8> {
    let mut bytes = vec![0; 8 * MIB as usize];
    let mut stream = RootSeed(1).stream("image");
    stream.fill_bytes(&mut bytes[..3 << 20]);
    stream.fill_bytes(&mut bytes[6 << 20..]);
    std::fs::write(path, &bytes).expect("a file");
    bytes
}

/// Bytes of holes among the first `of_bytes` bytes.
fn hole_bytes(uri: &str, of_bytes: u64) -> u64 {
    let map = json(&said("nbdinfo", &["--json", "--map", uri]));
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    let extents = map.as_array().expect("extents").iter();
    extents
        .filter(|extent| extent["type"] == 3)
        .map(|extent| {
            let first = number(&extent["offset"]);
            let end = (first + number(&extent["length"])).min(of_bytes);
            end.saturating_sub(first)
        })
        .sum()
}

#[test]
fn nbdinfo_sees_what_is_offered() {
    both(|server, _| {
        let found = &json(&said("nbdinfo", &["--json", server.uri()]))["exports"][0];
        check_offers(found);
        let size = found["export-size"].as_u64().expect("a size");
        assert_eq!(
            hole_bytes(server.uri(), size),
            size,
            "a new drive holds nothing"
        );
    });
}

#[test]
fn nbdcopy_brings_an_image_there_and_back_and_keeps_its_holes() {
    both(|server, folder| {
        let (there, back) = (folder.join("there"), folder.join("back"));
        let bytes = image(&there);
        let [there, back] = [&there, &back].map(|path| path.to_str().expect("ASCII"));
        // It opens several connections.
        said("nbdcopy", &["--flush", there, server.uri()]);
        said("nbdcopy", &[server.uri(), back]);
        let copy = std::fs::read(back).expect("a copy");
        assert!(copy[..bytes.len()] == bytes, "the copy differs");
        let rest = &copy[bytes.len()..];
        assert!(rest == vec![0; rest.len()], "a hole has data");
        assert_eq!(hole_bytes(server.uri(), 8 * MIB), 3 * MIB);
    });
}

#[test]
fn qemu_converts_compares_and_writes_patterns() {
    both(|server, folder| {
        let path = folder.join("image");
        image(&path);
        let path = path.to_str().expect("ASCII");
        let raw = ["-f", "raw", "-O", "raw"];
        let convert = [&["convert", "-n", "-W"], &raw[..], &[path, server.uri()]].concat();
        said("qemu-img", &convert);
        let compare = ["compare", "-f", "raw", "-F", "raw", path, server.uri()];
        assert!(said("qemu-img", &compare).contains("identical"));
        // -f is FUA, -z zeroes, -u lets them be holes.
        let script = [
            "write -f -P 11 0 16k",
            "write -P 22 4608 512",
            "aio_write -P 33 1M 1M",
            "aio_read 2M 1M",
            "aio_flush",
            "write -z -f 1M 4k",
            "write -z -u 1052672 6k",
            "discard 1200k 100k",
            "flush",
            "read -P 11 0 4608",
            "read -P 22 4608 512",
            "read -P 11 5k 11k",
            "read -P 0 1M 10k",
            "read -P 33 1058816 100k",
            "read -P 0 1200k 100k",
            "read -P 33 1300k 200k",
        ];
        let mut arguments = vec!["-f", "raw", "-d", "unmap"];
        for line in script {
            arguments.extend(["-c", line]);
        }
        arguments.push(server.uri());
        let out = said("qemu-io", &arguments);
        for word in ["failed", "rror"] {
            assert!(!out.contains(word), "{out}");
        }
        // 4 KiB slots, whole ones: the unmapped zeroes cover one, the discard 25.
        assert_eq!(hole_bytes(server.uri(), 2 * MIB), 26 * 4096);
    });
}

/// Trims that are written over, and on three more connections reads and writes, of all sizes and each in
/// a region of its own. (fio 3.33 cannot trim among reads and writes, `trim_percentage` ends it, and
/// `randtrimwrite` only trims unless its region begins at 0.)
const MIXED: [&str; 13] = [
    "--bsrange=512-64k",
    "--size=12M",
    "--iodepth=16",
    "--fsync=64",
    "--verify_backlog=256",
    "--name=trimmed",
    "--rw=randtrimwrite",
    "--numjobs=1",
    "--name=mixed",
    "--rw=randrw",
    "--numjobs=3",
    "--offset=48M",
    "--offset_increment=48M",
];

/// Runs fio with verification on several connections, and gives the sums of what it read and wrote.
fn verified(uri: &str, options: &[&str]) -> [u64; 3] {
    let uri = format!("--uri={uri}");
    let fixed = [
        "--ioengine=nbd",
        &uri,
        "--verify=crc32c",
        "--verify_fatal=1",
        "--verify_state_save=0",
        "--output-format=json",
    ];
    let result = json(&said("fio", &[&fixed[..], options].concat()));
    let mut sums = [0; 3];
    for job in result["jobs"].as_array().expect("jobs") {
        assert_eq!(job["error"], 0);
        for (sum, kind) in sums.iter_mut().zip(["read", "write", "trim"]) {
            *sum += job[kind]["io_bytes"].as_u64().expect("bytes");
        }
    }
    sums
}

#[test]
fn fio_verifies_a_mixed_load_with_trims_on_several_connections() {
    both(|server, _| {
        let [read, written, trimmed] = verified(server.uri(), &MIXED);
        assert!(written >= 25 * MIB, "{written} bytes written");
        // What was written was read again.
        assert!(read >= written, "{read} bytes read, {written} written");
        assert!(trimmed >= 11 * MIB, "{trimmed} bytes trimmed");
    });
}

/// The same for as long as `SOAK_SECONDS` says, on a drive in the model's time.
#[test]
#[ignore = "ten minutes: make soak"]
fn fio_verifies_for_ten_minutes() {
    let seconds = std::env::var("SOAK_SECONDS").unwrap_or("600".into());
    let folder = TempDir::new().expect("a folder");
    let server = Serve::start(
        folder.path(),
        &[&SMALL[..], &["--image", "disk.img"]].concat(),
    );
    let began = std::time::Instant::now();
    let until = std::time::Duration::from_secs(seconds.parse().expect("seconds"));
    let mut round = 0;
    while began.elapsed() < until {
        round += 1;
        let seed = format!("--randseed={round}");
        let [_, written, _] = verified(server.uri(), &[&[seed.as_str()], &MIXED[..]].concat());
        assert!(written > 0);
    }
    println!("{round} rounds; {}", server.stop());
}
