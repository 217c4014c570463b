//! fio's job files and command lines as people have them.

use crate::place::{Place, holds, without_signs_of_life};

const SSD: &str = "generic-mlc-8";

/// The line as threads quote it, and the job file of the same words.
const LINE: &str = "--name=random_write_test --filename=/dev/nvme0n1 --rw=randwrite --bs=4k --ioengine=libaio --iodepth=1 \
                    --numjobs=1 --direct=1 --number_ios=300";
const FILE: &str = "[random_write_test]\nfilename=/dev/nvme0n1\nrw=randwrite\nbs=4k\nioengine=libaio\niodepth=1\nnumjobs=1\n\
                    direct=1\nnumber_ios=300\n";

/// A result without what depends on how fast the machine is, and on where options stand.
fn numbers(json: &str) -> serde_json::Value {
    let mut json: serde_json::Value = serde_json::from_str(json).unwrap();
    let jobs = json["jobs"].take();
    serde_json::json!({
        "write": jobs[0]["write"], "name": jobs[0]["jobname"], "wa": json["ftlab"]["wa"], "nand": json["ftlab"]["nand"],
    })
}

#[test]
fn a_command_line_is_the_job_file_of_the_same_words() {
    let place = Place::new();
    place.write("same.fio", FILE);
    let file = numbers(&place.out(&format!("run same.fio --drive {SSD} --output-format json")));
    assert!(file["write"]["total_ios"].as_u64() == Some(300), "{file}");
    let line = place.out(&format!("run --drive {SSD} --output-format json -- {LINE}"));
    assert_eq!(numbers(&line), file);
    let fio = place.out(&format!("fio --drive {SSD} {LINE} --output-format json"));
    assert_eq!(numbers(&fio), file);
    // Without the --, the right call is shown and done.
    let bare = format!("run {LINE} --drive {SSD} --output-format json");
    let output = place.ftlab(&bare).assert().success().get_output().clone();
    assert_eq!(numbers(&String::from_utf8_lossy(&output.stdout)), file);
    let said = without_signs_of_life(&output.stderr);
    holds(
        &said,
        &[
            "note: fio's options stand behind a --",
            "ftlab run --drive generic-mlc-8 --output-format json -- --name=",
        ],
    );
    assert_eq!(said.lines().count(), 1);
}

#[test]
fn a_file_and_a_line_are_written_as_each_other() {
    let place = Place::new();
    let line = place.out(&format!("run --showjob -- {LINE}"));
    assert_eq!(line, FILE);
    place.write("same.fio", FILE);
    assert_eq!(place.out("run same.fio --showcmd"), format!("fio {LINE}\n"));
    place.write(
        "two.fio",
        "[global]\nbs=8k\ndescription=two of them\n[a]\nrw=read\n[b]\ntime_based\nruntime=3\n",
    );
    let shown = place.out("run two.fio --showcmd");
    assert_eq!(
        shown,
        "fio --bs=8k '--description=two of them' --name=a --rw=read --name=b --time_based --runtime=3\n"
    );
}

#[test]
fn what_each_option_does_is_told_at_its_line() {
    let place = Place::new();
    place.write(
        "all.fio",
        "[a]\nrw=randread\ndirect=1\nmax_open_zones=3\nioengine=rdma\nnonsense=1\n",
    );
    let out = place.out("run all.fio --engine-report");
    holds(
        &out,
        &[
            "all.fio:2  rw=randread\n    does: the kinds of request",
            "all.fio:3  direct=1\n    does: requests go to the drive",
            "all.fio:4  max_open_zones=3\n    refused: option `max_open_zones` is not supported: a modelled drive has no zones",
            "all.fio:5  ioengine=rdma\n    refused: ioengine=rdma cannot run on a drive: it sends data over a network",
            "all.fio:6  nonsense=1\n    refused: unknown option `nonsense`",
        ],
    );
}

#[test]
fn the_report_says_what_a_run_says() {
    let place = Place::new();
    place.write(
        "zbd.fio",
        "[a]\nrw=write\nzonemode=zbd\ntime_based\nruntime=3\nnumber_ios=9\n[b]\nbs=8k\nsize=4k\niodepth=none\n",
    );
    let out = place.out("run zbd.fio --engine-report");
    holds(
        &out,
        &[
            "zbd.fio:3  zonemode=zbd\n    refused: zonemode=zbd is not valid",
            "zbd.fio:6  number_ios=9\n    without effect: a time_based job",
            "zbd.fio:9  size=4k\n    refused: job `b`: size=4096 is smaller than one block",
            "zbd.fio:10  iodepth=none\n    refused: iodepth=none is not valid",
        ],
    );
    let said = place.refused(&format!("run zbd.fio --drive {SSD}"));
    holds(&said, &["zbd.fio:3: zonemode=zbd is not valid"]);
}

#[test]
fn variables_come_from_the_environment() {
    let place = Place::new();
    place.write("env.fio", "[w]\nrw=write\nnumber_ios=${COUNT}\n");
    let line = format!("run env.fio --drive {SSD} --output-format json");
    let output = place
        .ftlab(&line)
        .env("COUNT", "7")
        .assert()
        .success()
        .get_output()
        .clone();
    assert_eq!(
        numbers(&String::from_utf8_lossy(&output.stdout))["write"]["total_ios"],
        7
    );
    holds(&place.refused(&line), &["env.fio:3", "${COUNT}", "not set"]);
}

#[test]
fn an_offset_of_nothing_and_engines_that_are_no_disk() {
    let place = Place::new();
    place.write(
        "first.fio",
        "[first]\nrw=write\nbs=4k\nsize=10%\noffset=0%\nnumber_ios=9\n",
    );
    place.out(&format!("run first.fio --drive {SSD}"));
    for engine in ["filecreate", "http", "rdma", "null", "libpmem"] {
        place.write("no.fio", &format!("[a]\nioengine={engine}\n"));
        let error = place.refused(&format!("run no.fio --drive {SSD}"));
        holds(&error, &["no.fio:2", "cannot run on a drive"]);
    }
}

#[test]
fn zipf_as_fio_spreads_it_and_shuffled_are_told_apart() {
    let place = Place::new();
    place.write(
        "zipf.fio",
        "[z]\nrw=randwrite\nrandom_distribution=zipf:0.8\nloops=3\n",
    );
    let out = |more: &str| place.out(&format!("run zipf.fio --drive {SSD} --untimed {more}"));
    let fios = out("");
    holds(
        &fios,
        &["spread by fio's hash", "% of its blocks out", "--shuffle"],
    );
    let shuffled = out("--shuffle");
    assert!(!shuffled.contains("fio's hash"), "{shuffled}");
}

#[test]
fn a_limit_of_the_job_that_is_missed_is_said() {
    let place = Place::new();
    place.write(
        "late.fio",
        "[w]\nrw=write\nnumber_ios=50\nmax_latency=1us\n",
    );
    let (out, error) = place.finds(&format!("run late.fio --drive {SSD}"));
    holds(&error, &["job `w` ended early", "max_latency"]);
    holds(&out, &["Job `w` ended early"]);
    // Jobs that are reported as one fail where any of them missed it.
    place.write(
        "group.fio",
        "[global]\ngroup_reporting\nrw=write\nnumber_ios=50\n[a]\n[b]\nmax_latency=1us\n",
    );
    let (_, error) = place.finds(&format!("run group.fio --drive {SSD}"));
    holds(&error, &["job `a` ended early: ", "max_latency"]);
}

#[test]
fn a_job_writes_its_requests_and_another_replays_them() {
    let place = Place::new();
    place.write(
        "record.fio",
        "[w]\nrw=randwrite\nbs=4k\nsize=1m\nfsync=10\niodepth=4\nwrite_iolog=elsewhere/made.log\n",
    );
    let ops =
        |json: &serde_json::Value| json["ftlab"]["op_stream_hash"].as_str().unwrap().to_owned();
    let line = |load: &str| format!("{load} --drive {SSD} --output-format json");
    let record = place.json(&line("run record.fio --logs logs"));
    let text = place.read("logs/made.log");
    holds(
        &text,
        &[
            "fio version 3 iolog\n",
            " drive add\n",
            " drive sync 0 0\n",
            " drive write ",
        ],
    );
    place.write(
        "replay.fio",
        "[r]\nread_iolog=logs/made.log\niodepth=4\nreplay_no_stall=1\nrw=read\n",
    );
    let replay = |more: &str| {
        let output = place
            .ftlab(&line(more))
            .assert()
            .success()
            .get_output()
            .clone();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json
    };
    let again = replay("run replay.fio");
    assert_eq!(
        again["jobs"][0]["write"]["total_ios"],
        record["jobs"][0]["write"]["total_ios"]
    );
    assert_eq!(
        ops(&again),
        ops(&record),
        "the same commands in the same order"
    );
    // As a command line, and without its flushes.
    let skipped = replay(
        "fio --name=r --read_iolog=logs/made.log --replay_skip=sync --replay_time_scale=200",
    );
    assert_eq!(skipped["jobs"][0]["write"]["total_ios"], 256);
    assert_eq!(skipped["jobs"][0]["sync"]["total_ios"], 0);
    for (job, why) in [
        ("[r]\nread_iolog=logs/made.log\nruntime=3\n", "--window"),
        (
            "[r]\nread_iolog=logs/made.log\n[s]\nrw=read\n",
            "a file of its own",
        ),
        ("[r]\nread_iolog=logs/none.log\n", "logs/none.log"),
    ] {
        place.write("no.fio", job);
        holds(&place.refused(&format!("run no.fio --drive {SSD}")), &[why]);
    }
}

#[test]
fn histogram_files_are_written_in_fios_columns() {
    let place = Place::new();
    place.write(
        "hist.fio",
        "[w]\nrw=randwrite\nbs=4k\ntime_based\nruntime=35ms\nwrite_hist_log=h\nlog_hist_msec=10\nlog_hist_coarseness=2\n",
    );
    place.out(&format!("run hist.fio --drive {SSD} --logs made"));
    let text = place.read("made/h_clat_hist.1.log");
    let lines: Vec<Vec<u64>> = (text.lines())
        .map(|line| line.split(", ").map(|word| word.parse().unwrap()).collect())
        .collect();
    assert_eq!(lines.len(), 3, "{text}");
    for (line, ms) in lines.iter().zip([10, 20, 30]) {
        // fio has 1856 bins, here put together in fours.
        assert_eq!((line.len(), line[1], line[2]), (3 + 464, 1, 4096));
        assert!((ms..ms + 5).contains(&line[0]) && line[3..].iter().sum::<u64>() > 10);
    }
}

#[test]
fn logs_that_jobs_ask_for_are_files_as_fio_names_them() {
    let place = Place::new();
    place.write(
        "logs.fio",
        "[global]\nbs=4k\nnumber_ios=40\nwrite_lat_log=x\nwrite_bw_log\n[a]\nrw=randwrite\n[b]\nstonewall\nrw=read\n\
         log_avg_msec=1\n",
    );
    let line = format!("run logs.fio --drive {SSD}");
    let told = place.ftlab(&line).assert().success();
    let told = without_signs_of_life(&told.get_output().stderr);
    assert_eq!(
        told,
        "note: jobs ask for logs of their requests, which --logs DIR writes\n"
    );
    let out = place.out(&format!("{line} --logs made"));
    assert!(
        !out.contains("write_lat_log"),
        "no longer without effect: {out}"
    );
    let mut names: Vec<String> = std::fs::read_dir(place.path("made"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "a_bw.1.log",
            "b_bw.2.log",
            "x_clat.1.log",
            "x_clat.2.log",
            "x_lat.1.log",
            "x_lat.2.log",
            "x_slat.1.log",
            "x_slat.2.log",
        ]
    );
    let columns = |name: &str| -> Vec<Vec<u64>> {
        let text = place.read(name);
        let lines = text
            .lines()
            .map(|line| line.split(", ").map(|n| n.parse().unwrap()).collect());
        lines.collect()
    };
    let writes = columns("made/x_lat.1.log");
    assert_eq!(writes.len(), 40);
    assert!(
        writes
            .iter()
            .all(|line| line[1] > 0 && line[2..] == [1, 4096, 0]),
        "{writes:?}"
    );
    let reads = columns("made/x_lat.2.log");
    assert!(!reads.is_empty() && reads.len() < 40, "{reads:?}");
    assert!(reads.iter().all(|line| line[2..] == [0, 0, 0]), "{reads:?}");
    // Runs of several have folders of their own.
    place.out(&format!("{line} --drive intel-x25-m-g1-80 --logs two"));
    for drive in [SSD, "intel-x25-m-g1-80"] {
        assert_eq!(columns(&format!("two/logs/{drive}/x_lat.1.log")).len(), 40);
    }
    let refused = place.refused(&format!("{line} --logs logs.fio"));
    holds(&refused, &["logs.fio", "it is a file", "--logs"]);
}

/// A database's data and log on one drive, and the map of them.
#[test]
fn files_lie_end_to_end_on_a_drive_and_are_shown() {
    let place = Place::new();
    let job = "[global]\ndirectory=/data/pg\nbs=8k\nnumber_ios=50\n[data]\nfilename=base\nsize=256m\nrw=randread\n\
               [wal]\nfilename=wal\nsize=64m\nrw=write\nfsync=1\n[raw]\ndirectory=/data/raw\nsize=1m\nnumjobs=2\n";
    place.write("db.fio", job);
    let map = place.out("run db.fio --lay-out --drive generic-mlc-8");
    let words: Vec<&str> = map.split_whitespace().collect();
    let words = words.join(" ");
    for row in [
        "/data/pg/base 0 268,435,456 data",
        "/data/pg/wal 268,435,456 67,108,864 wal",
        "/data/raw/raw.0.0 335,544,320 1,048,576 raw",
        "/data/raw/raw.1.0 336,592,896 1,048,576 raw",
    ] {
        assert!(words.contains(row), "{map}");
    }
    let text = place.out("run db.fio --drive generic-mlc-8 --require sync.p99<1s --quiet");
    assert!(text.contains("flush: 49 in all"), "{text}");
    place.write("large.fio", &job.replace("256m", "7500m"));
    let refused = place.refused("run large.fio --drive generic-mlc-8");
    assert!(refused.contains("would end at byte"), "{refused}");
}
