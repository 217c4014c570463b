//! Jobs that name no device: fio makes a file of their size, in which each request has to lie whole.

use crate::place::Place;
use serde_json::Value;
use std::process::Command;

/// What sets the number of requests and of flushes: sizes that are no multiple of a request, and passes that begin again.
const LINES: [&str; 23] = [
    "--rw=write --bs=2300 --size=22m --fdatasync=1",
    "--rw=write --bs=2300 --size=1m --io_size=3m --fdatasync=1",
    "--rw=write --bs=2300 --size=1m --loops=2 --fdatasync=1",
    "--rw=write --bs=8000 --size=1m --fdatasync=3",
    "--rw=write --bs=7k --size=1000k",
    "--rw=write --bs=7k --size=1000k --fsync=1 --end_fsync=1",
    "--rw=write --bs=7k --size=1000k --offset=100k",
    "--rw=write --bs=7k --filesize=500k --size=1000k",
    "--rw=write --bs=7k --size=1000k --nrfiles=3 --fsync=1",
    "--rw=read --bs=7k --size=1000k",
    "--rw=read --bs=7k --size=1000k --io_size=1500k",
    "--rw=randread --bs=7k --size=1000k",
    "--rw=randwrite --bs=4k --size=64k --io_size=192k --fdatasync=1",
    "--rw=randwrite --bs=7k --size=100k --io_size=102k --fsync=1",
    "--rw=rw --bs=7k --size=1000k --rwmixread=0 --fsync=1",
    "--rw=read:8k --bs=7k --size=1000k",
    "--rw=read:-7k --bs=7k --size=1000k --offset=70k",
    "--rw=write --bs=7k --size=1000k --directory=. --numjobs=3 --group_reporting --fsync=1",
    "--rw=write --bs=7k --size=1000k --directory=. --nrfiles=3 --offset=70k",
    "--rw=randwrite --bs=4k --size=1000k --filename=x:y --directory=. --io_size=600k",
    "--rw=write --bs=8k --filesize=500k --size=3000k --directory=. --nrfiles=2",
    "--rw=rw --bs=4k --size=1m --filename=x:y --rwmixread=0 --numjobs=2 --group_reporting",
    "--rw=write --bs=7k --size=1000k --zonemode=strided --zonesize=70k --zoneskip=14k --fsync=1",
];

/// Requests and bytes of reads and writes, and flushes, as the JSON of a run has them.
fn counts(json: &str, whose: &str) -> Vec<u64> {
    let json: Value = serde_json::from_str(&json[json.find('{').unwrap_or(0)..])
        .unwrap_or_else(|error| panic!("{whose}: {error}: {json}"));
    let job = &json["jobs"][0];
    let at = ["total_ios", "io_bytes"].map(|key| ["read", "write"].map(|kind| &job[kind][key]));
    let flushes = &job["sync"]["lat_ns"]["N"];
    let all = at.into_iter().flatten().chain([flushes]);
    all.map(|value| value.as_u64().unwrap_or_else(|| panic!("{whose}: {value}")))
        .collect()
}

#[test]
fn a_request_lies_whole_in_the_file_of_its_job() {
    for line in LINES {
        let place = Place::new();
        let line = format!("--name=own --ioengine=sync {line} --output-format=json");
        let of_fio = Command::new("fio")
            .args(line.split(' '))
            .current_dir(&place.0)
            .output()
            .expect("apt-get install fio");
        assert!(of_fio.status.success(), "{line}: {of_fio:?}");
        let of_fio = String::from_utf8(of_fio.stdout).unwrap();
        let ours = place.out(&format!("fio --drive generic-mlc-8 --state new {line}"));
        assert_eq!(counts(&ours, "ftlab"), counts(&of_fio, "fio"), "{line}");
    }
}

/// The line that people check a disk for etcd with: each flush writes the pages that the 2,300 bytes lie in.
#[test]
fn a_log_s_pages_and_flushes_are_counted() {
    let place = Place::new();
    let line = "fio --drive samsung-970-evo-plus-500 --name=wal --rw=write --ioengine=sync --fdatasync=1 \
                --directory=/var/lib/etcd --size=22m --bs=2300";
    let json = place.out(&format!("{line} --output-format=json"));
    assert_eq!(
        counts(&json, "ftlab"),
        [0, 10_029, 0, 10_029 * 2300, 10_029]
    );
    let json: Value = serde_json::from_str(&json).unwrap();
    let sync = &json["jobs"][0]["sync"];
    assert_eq!(sync["total_ios"], 0);
    assert!(sync["lat_ns"]["percentile"]["99.000000"].as_u64().unwrap() > 0);
    place.write(
        "wal.fio",
        "[wal]\nrw=write\nioengine=sync\nfdatasync=1\nsize=22m\nbs=2300\n",
    );
    let run = place.json("run wal.fio --drive samsung-970-evo-plus-500 --output-format json");
    assert_eq!(run["ftlab"]["host_bytes_written"], 15_651 * 4096);
    let text = place.out(line);
    let told: Vec<&str> = text.split_whitespace().collect();
    let told = told.join(" ");
    assert!(told.contains("99.00th"), "{text}");
    assert!(told.contains("15,651 pages for 10,029 writes"), "{text}");
}
