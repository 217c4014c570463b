//! The clients that people use.

use crate::programs::{check_offers, json, run, said};
use crate::{MIB, Site};
use ftlab_base::RootSeed;
use ftlab_nbd::{Limits, Listen, MemoryExport, NamedExport, Server};
use rand::Rng;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A file of random bytes with a hole.
pub fn image(path: &Path) -> Vec<u8> {
    let mut bytes = vec![0; 8 << 20];
    let mut stream = RootSeed(1).stream("image");
    stream.fill_bytes(&mut bytes[..3 << 20]);
    stream.fill_bytes(&mut bytes[(6 << 20) + 512..]);
    std::fs::write(path, &bytes).expect("a file");
    bytes
}

#[test]
fn nbdinfo_sees_what_is_offered() {
    let site = Site::memory(MIB);
    let found = &json(&said("nbdinfo", &["--json", &site.uri()]))["exports"][0];
    check_offers(found);
    assert_eq!(found["is_read_only"], false);
    assert_eq!(found["is_rotational"], false);
    assert_eq!(found["export-size"], MIB);
    assert_eq!(found["description"], "memory");
    let list = json(&said("nbdinfo", &["--json", "--list", &site.uri()]));
    assert_eq!(list["exports"][0]["export-name"], "disk");
    let by_name = site.uri().replace("///", "///disk");
    assert_eq!(
        said("nbdinfo", &["--size", &by_name]).trim(),
        MIB.to_string()
    );
    let other = site.uri().replace("///", "///other");
    assert!(!run("nbdinfo", &[&other]).status.success());
}

#[test]
fn nbdcopy_brings_an_image_there_and_back_and_keeps_its_holes() {
    let folder = tempfile::tempdir().expect("a folder");
    let (there, back) = (folder.path().join("there"), folder.path().join("back"));
    let bytes = image(&there);
    let site = Site::memory(bytes.len() as u64);
    let [there, back] = [&there, &back].map(|path| path.to_str().expect("ASCII"));
    // It opens several connections, since flushes hold for all of them.
    said("nbdcopy", &["--flush", there, &site.uri()]);
    said("nbdcopy", &[&site.uri(), back]);
    assert!(
        std::fs::read(back).expect("a copy") == bytes,
        "the copy differs"
    );
    let map = json(&said("nbdinfo", &["--json", "--map", &site.uri()]));
    let holes: u64 = map
        .as_array()
        .expect("extents")
        .iter()
        .filter(|extent| extent["type"] == 3)
        .map(|extent| extent["length"].as_u64().expect("a length"))
        .sum();
    assert_eq!(holes, 3 << 20);
}

#[test]
fn qemu_converts_compares_and_writes_patterns() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("image");
    let bytes = image(&path);
    let site = Site::memory(bytes.len() as u64);
    let path = path.to_str().expect("ASCII");
    said(
        "qemu-img",
        &["convert", "-n", "-f", "raw", "-O", "raw", path, &site.uri()],
    );
    said(
        "qemu-img",
        &["compare", "-f", "raw", "-F", "raw", path, &site.uri()],
    );
    let info = json(&said(
        "qemu-img",
        &["info", "--output=json", "-f", "raw", &site.uri()],
    ));
    assert_eq!(info["virtual-size"], bytes.len());
    let checked = said(
        "qemu-io",
        &[
            "-f",
            "raw",
            "-c",
            "write -P 7 -f 64k 8k",
            "-c",
            "read -P 7 64k 8k",
            "-c",
            "write -P 9 65k 512",
            "-c",
            "read -P 9 65k 512",
            "-c",
            "read -P 7 66k 512",
            "-c",
            "write -z 64k 64k",
            "-c",
            "read -P 0 64k 64k",
            "-c",
            "write -z -u 1M 64k",
            "-c",
            "discard 0 1M",
            "-c",
            "flush",
            "-c",
            "aio_write -P 3 2M 1M",
            "-c",
            "aio_write -P 4 3M 1M",
            "-c",
            "aio_flush",
            "-c",
            "read -P 3 2M 1M",
            "-c",
            "read -P 4 3M 1M",
            &site.uri(),
        ],
    );
    // It says so of data that differ, and still ends well.
    assert!(!checked.contains("failed"), "{checked}");
}

#[test]
fn fio_verifies_what_it_wrote() {
    // At once, and a while later, out of order and from another thread.
    let delay = |request: &ftlab_nbd::Request| {
        Duration::from_micros(20 + request.offset_bytes() / 4096 % 7 * 30)
    };
    let delayed = MemoryExport::with_delay(16 * MIB, delay).expect("a thread");
    for export in [MemoryExport::new(16 * MIB), delayed] {
        let site = Site::of(Arc::new(export));
        let result = json(&said(
            "fio",
            &[
                "--name=verified",
                "--ioengine=nbd",
                &format!("--uri={}", site.uri()),
                "--rw=randwrite",
                "--bsrange=512-64k",
                "--size=16M",
                "--iodepth=32",
                "--randseed=1",
                "--verify=crc32c",
                "--verify_fatal=1",
                "--verify_state_save=0",
                "--trim_percentage=5",
                "--fsync=64",
                "--output-format=json",
            ],
        ));
        let job = &result["jobs"][0];
        assert_eq!(job["error"], 0);
        // What was written was read again.
        assert!(
            job["read"]["io_bytes"].as_u64() >= Some(8 << 20),
            "{}",
            job["read"]["io_bytes"]
        );
    }
}

#[test]
fn several_connections_at_once_over_tcp() {
    let exports = vec![NamedExport {
        name: "disk".into(),
        read_only: false,
        export: Arc::new(MemoryExport::new(64 * MIB)),
    }];
    let listen = Listen::Loopback("127.0.0.1:0".parse().expect("an address"));
    let server = Server::start(&listen, exports, Limits::default(), |_, _| {});
    let uri = server.as_ref().expect("it listens").listen().to_string();
    let result = json(&said(
        "fio",
        &[
            "--name=verified",
            "--ioengine=nbd",
            &format!("--uri={uri}"),
            "--rw=randwrite",
            "--bs=4k",
            "--numjobs=4",
            "--size=4M",
            "--offset_increment=16M",
            "--iodepth=16",
            "--verify=crc32c",
            "--verify_fatal=1",
            "--verify_state_save=0",
            "--output-format=json",
        ],
    ));
    let jobs = result["jobs"].as_array().expect("jobs");
    assert_eq!(jobs.len(), 4);
    for job in jobs {
        assert_eq!(job["error"], 0);
        assert_eq!(job["write"]["io_bytes"], 4 * MIB);
    }
}
