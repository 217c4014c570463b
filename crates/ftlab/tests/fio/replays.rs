//! Replays of a log of fio's own beside fio 3.33: the same requests in one order, the same JSON; and what a replay does not do is
//! refused.

use crate::check::{Decided, differences};
use crate::place::Place;
use serde_json::Value;
use std::process::Command;

const DRIVE: &str = "--drive generic-mlc-8 --set nand.blocks_per_die=16 --set nand.pages_per_block=64 \
                     --set spare.user_capacity=2097152B --state new --output-format json";

/// Jobs whose requests fio writes down, and replays.
const RECORDED: [&str; 3] = [
    "rw=randrw\nbsrange=4k-16k\nnumber_ios=40\nfsync=5",
    "rw=randread\nbs=1k\nnumber_ios=60\nnorandommap",
    "rw=rw\nbs=4k,8k\nsize=200k\nfsync=3",
];

/// What is said of how a log is replayed.
const HOW: [&str; 8] = [
    "",
    "replay_scale=2",
    "replay_align=8k",
    "replay_time_scale=400",
    "read_iolog_chunked=1",
    "ioengine=libaio",
    "bs=64k",
    "rw=randread\nfsync=3",
];

/// What would change a replay in fio, and is not done.
const REFUSED: [&str; 12] = [
    "rate=1m",
    "rate_iops=100",
    "thinktime=1000",
    "startdelay=1",
    "ramp_time=1",
    "runtime=1",
    "number_ios=10",
    "loops=2",
    "max_latency=1us",
    "steadystate=iops:10%\nsteadystate_duration=1",
    "verify=crc32c",
    "sync=1",
];

/// The kinds and sizes of a log of latencies, in its order.
fn order(place: &Place, file: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let mut columns = line.split(',').map(|column| column.trim().to_owned());
        Some((columns.nth(2)?, columns.next()?))
    };
    let lines = place.read(file);
    lines.lines().filter_map(line).collect()
}

fn fio(place: &Place, file: &str) -> Value {
    let output = Command::new("fio")
        .args([file, "--output-format=json"])
        .current_dir(&place.0)
        .output()
        .expect("fio is installed: apt-get install fio");
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_log_of_fio_is_replayed_as_fio_replays_it() {
    let place = Place::new();
    let device = place.path("sparse");
    let sparse = std::fs::File::create(&device).unwrap();
    sparse.set_len(2 << 20).unwrap();
    let device = device.display();
    for (n, job) in RECORDED.iter().enumerate() {
        let recorded =
            format!("[a]\nfilename={device}\nioengine=psync\nwrite_iolog={n}.log\n{job}\n");
        place.write("recorded.fio", &recorded);
        fio(&place, "recorded.fio");
        for how in HOW {
            let text = format!(
                "[r]\nfilename={device}\nread_iolog={n}.log\nwrite_lat_log=of\nreplay_no_stall=1\n{how}\n"
            );
            place.write("replay.fio", &text);
            let theirs = fio(&place, "replay.fio");
            let mut ours = place.ftlab(&format!("run replay.fio {DRIVE} --logs logs"));
            let ours: Value =
                serde_json::from_slice(&ours.assert().success().get_output().stdout).expect("JSON");
            let decided = Decided {
                each_direction: true,
                requests: true,
                flushes: true,
                depth: true,
                submissions: true,
                levels: true,
            };
            let found = differences(&theirs, &ours, decided);
            assert!(found.is_empty(), "{job}; {how}: {found:?}");
            let of_both = ["of_lat.1.log", "logs/of_lat.1.log"].map(|log| order(&place, log));
            assert!(!of_both[0].is_empty());
            assert_eq!(of_both[0], of_both[1], "{job}; {how}");
        }
    }
    for word in REFUSED {
        place.write("refused.fio", &format!("[r]\nread_iolog=0.log\n{word}\n"));
        let assert = place
            .ftlab(&format!("run refused.fio {DRIVE}"))
            .assert()
            .code(2);
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        let key = word.split('=').next().unwrap_or(word);
        assert!(
            said.contains(&format!("{key} and read_iolog do not go together")),
            "{said}"
        );
    }
}
