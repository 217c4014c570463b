//! Folders of tools around fio, and the tables of iob.

use crate::place::{Place, Taken, direction, job, output};
use ftlab_readings::Format;
use serde_json::json;

fn fio_of(place: &Place, name: &str, options: &serde_json::Value, ios: u64, ms: u64) {
    place.write_json(name, &output(&[job("job", 0, options, direction(ios, ms))]));
}

#[test]
fn folders_of_bench_fio_are_told_by_their_names() {
    let place = Place::new();
    for (block, ios) in [("4k", 1000), ("8k", 700)] {
        for depth in ["1", "16"] {
            let prefix = format!("randread-iodepth-{depth}-numjobs-1");
            let options = json!({"rw": "randread", "bs": block, "iodepth": depth, "numjobs": "1", "log_avg_msec": "1000",
                                 "write_bw_log": format!("out/sdb/{block}/{prefix}"), "write_iops_log": format!("out/sdb/{block}/{prefix}")});
            let folder = format!("out/sdb/{block}");
            fio_of(
                &place,
                &format!("{folder}/randread-{depth}-1.json"),
                &options,
                ios,
                2000,
            );
            place.write(
                &format!("{folder}/{prefix}_bw.1.log"),
                format!("1000, {ios}, 0, 0, 0\n2000, {ios}, 0, 0, 0\n"),
            );
            place.write(
                &format!("{folder}/{prefix}_iops.1.log"),
                format!("1000, {ios}, 0, 0, 0\n2000, {ios}, 0, 0, 0\n"),
            );
        }
    }
    place.write("out/sdb/graph.png", [137, 80, 78, 71]);
    let taken = place.taken(&["out"]);
    assert_eq!(taken.format, Format::FioPlot);
    assert_eq!(
        taken.tests(),
        [
            "randread-4k-qd1-j1",
            "randread-4k-qd16-j1",
            "randread-8k-qd1-j1",
            "randread-8k-qd16-j1"
        ]
    );
    assert_eq!(taken.run("randread-8k-qd16-j1").series_ios, [700, 700]);
    assert!(taken.has_left("*.png"));
}

const EZFIO: &str = "Drive,QUICKIE-INVALID-RESULTS-/dev/nvme9n1\nModel,QUICKIE-INVALID-RESULTS-EXAMPLE 960\n\
    Serial,QUICKIE-INVALID-RESULTS-S1\nAvailCapacity,QUICKIE-INVALID-RESULTS-894,GiB\n\
    TestedCapacity,QUICKIE-INVALID-RESULTS-894,GiB\nCPU,A processor\nCores,8\nFrequency,3000\nOS,Linux host 6.1\n\
    FIOVersion,fio-3.33\nType,Write %,Block Size,Threads,Queue Depth/Thread,IOPS,Bandwidth (MB/s),Read Latency (us),Write Latency (us)\n\
    Sustained Multi-Threaded Random Read Tests by Block Size\nRand,0,512,16,16,0,0.00,0,0\nRand,0,4096,16,16,1000,3.91,108.0,0\n\
    Sustained 4KB Random mixed 30% Write Tests by Threads\nRand,30,4096,4,1,5000,19.53,100.5,50.5\n\
    Sequential Write Tests with Queue Depth=1 by Block Size\nSeq,100,131072,1,1,4000,500.00,0,240.0\n\
    Sustained Perf Stability Test - 4KB Random 30% Write\nRand,30,4096,256,1,9000,35.16,80,70\n";

#[test]
fn ezfio_has_its_table_and_what_fio_said_of_each_row() {
    let place = Place::new();
    place.write("d/details_x/ezfio_tests_x.csv", EZFIO);
    let options = json!({"readwrite": "randrw", "rwmixwrite": "0", "bs": "4096", "numjobs": "16", "iodepth": "16"});
    let said = output(&[job("test-/dev/nvme9n1", 0, &options, direction(2000, 2000))]);
    place.write(
        "d/details_x/TestRand_w0_bs4096_threads16_iodepth16_nvme9n1.out",
        format!(
            "[JOBFILE]\n[test-/dev/nvme9n1]\nbs=4096\n\n[STDOUT]\n{said:#}\n[STDERR]\nnote {{\n"
        ),
    );
    place.write(
        "d/details_x/ezfio_timeseries_x.csv",
        "Drive,/dev/nvme9n1\nIOPS,localhost\n8000\n9000\n10000\n",
    );
    place.write("d/ezfio_results_x.ods", [0, 1, 2]);
    let taken = place.taken(&["d"]);
    assert_eq!(taken.format, Format::Ezfio);
    assert_eq!(
        taken.tests(),
        [
            "rand-w0-bs4096-t16-qd16",
            "rand-w30-bs4096-t4-qd1",
            "seq-w100-bs131072-t1-qd1",
            "rand-w30-bs4096-t256-qd1"
        ]
    );
    assert_eq!(taken.run("rand-w0-bs4096-t16-qd16").read.ios, 2000);
    assert_eq!(taken.metric("rand-w30-bs4096-t4-qd1", "iops"), 5000.0);
    assert!(
        !taken
            .run("rand-w30-bs4096-t4-qd1")
            .metrics
            .contains_key("lat_avg_ms")
    );
    assert_eq!(taken.metric("seq-w100-bs131072-t1-qd1", "lat_avg_ms"), 0.24);
    assert_eq!(taken.metric("seq-w100-bs131072-t1-qd1", "mib_s"), 500.0);
    assert_eq!(
        taken.run("rand-w30-bs4096-t256-qd1").series_ios,
        [8000, 9000, 10_000]
    );
    assert_eq!(
        (taken.fact("device.serial"), taken.fact("bench.filename")),
        (Some("S1"), Some("/dev/nvme9n1"))
    );
    let run = taken.run("seq-w100-bs131072-t1-qd1");
    assert!(
        run.notes.iter().any(|note| note.contains("invalid")),
        "{:?}",
        run.notes
    );
    assert!(
        taken.has_left("rand-w0-bs512-t16-qd16") && taken.has_left("Read Latency, Write Latency")
    );
    assert_eq!(taken.set.tests[1].step, "4 KiB, QD 1, 4 threads");
}

#[test]
fn a_table_of_ezfio_that_ended_early_is_refused() {
    let place = Place::new();
    place.write("ezfio_tests_x.csv", format!("{EZFIO}ERROR\n"));
    let why = place.refused(&["ezfio_tests_x.csv"]);
    assert!(why.contains("fio failed here"), "{why}");
    place.write(
        "ezfio_tests_x.csv",
        EZFIO.replace("500.00,0,240.0", "500.00,0,"),
    );
    assert!(
        place
            .refused(&["ezfio_tests_x.csv"])
            .contains("no row of ezFIO's table")
    );
    place.write("ezfio_tests_x.csv", "Drive,a\n");
    assert!(
        place
            .refused(&["ezfio_tests_x.csv"])
            .contains("it has no line `Type,")
    );
}

fn tkperf(tests: &str) -> String {
    format!(
        "<intel><testdate>\"2026-11-01\"</testdate><devinfo>\"\\tModel Number:       EXAMPLE 160\\n\\tSerial Number:      S2\\n\
         \\tdevice size with M = 1000*1000:      160041 MBytes (160 GB)\\n\"</devinfo><kernel>\"6.1\\n\"</kernel>\
         <novel>1</novel>{tests}</intel>"
    )
}

#[test]
fn tkperf_has_matrices_of_rounds() {
    let place = Place::new();
    let round = |base: u32| {
        let rows: Vec<Vec<u32>> = (0..7)
            .map(|row| (0..7).map(|column| base + row * 10 + column).collect())
            .collect();
        json!(rows)
    };
    let rounds: Vec<_> = (0..6).map(|n| round(n * 1000)).collect();
    let latency: Vec<_> = (0..5)
        .map(|n| {
            json!([
                [[1, 9, 4 + n], [1, 8, 3]],
                [[2, 7, 4], [1, 8, 3]],
                [[2, 7, 4], [1, 8, 3]]
            ])
        })
        .collect();
    let throughput = json!([[[1000.0, 2000.0], [3000.0]], [[1.0], [2.0]]]);
    let steady = "<stdyrounds>[1, 2, 3, 4, 5]</stdyrounds><reachstdystate>true</reachstdystate><rndnr>5</rndnr>";
    let text = tkperf(&format!(
        "<iops><fioversion>\"fio-3.33\\n\"</fioversion><numjobs>2</numjobs><iodepth>16</iodepth><runtime>60</runtime>\
         <roundmat>{}</roundmat>{steady}<stdyavg>3</stdyavg></iops><lat><roundmat>{}</roundmat></lat><tp><roundmat>{throughput}</roundmat></tp>\
         <writesat><runtime>60</runtime><roundmat>[[100, 80], [[1, 50, 9], [1, 70, 11]]]</roundmat></writesat>",
        json!(rounds),
        json!(latency)
    ));
    place.write("t/intel.xml", text);
    let taken = place.taken(&["t"]);
    assert_eq!(taken.format, Format::Tkperf);
    // Seven mixes by seven sizes, three by two, two directions of two sizes, and saturation.
    assert_eq!(taken.set.runs.len(), 49 + 6 + 4 + 1);
    // Rounds 1 to 5 of 0 to 5: 3000 on average, and the row of writes in column 4k.
    assert_eq!(taken.metric("tkperf-iops-rw0-4k", "iops"), 3066.0);
    assert_eq!(taken.metric("tkperf-lat-rw100-8k", "lat_avg_ms"), 0.006);
    assert_eq!(taken.metric("tkperf-lat-rw100-8k", "lat_max_ms"), 0.009);
    assert_eq!(taken.metric("tkperf-tp-read-1024k", "mb_s"), 1.536);
    let saturation = taken.run("tkperf-writesat-4k");
    assert_eq!(
        (saturation.series_ios.clone(), saturation.series_interval_s),
        (vec![6000, 4800], 60.0)
    );
    assert_eq!(saturation.metrics["lat_max_ms"], 0.07);
    let notes = taken.run("tkperf-iops-rw0-4k").notes.join(" ");
    assert!(
        notes.contains("rounds 2 to 6 of 6") && notes.contains("found the drive steady"),
        "{notes}"
    );
    assert_eq!(taken.fact("device.serial"), Some("S2"));
    assert!(taken.has_left("novel") && taken.has_left("stdyavg"));
}

#[test]
fn a_report_of_tkperf_with_other_matrices_is_refused() {
    let place = Place::new();
    for (test, part) in [
        (
            "<iops><roundmat>[[[1, 2]]]</roundmat></iops>",
            "round 1 has no figure for 100 % reads of 64k",
        ),
        ("<iops><roundmat>[]</roundmat></iops>", "it has no rounds"),
        (
            "<tp><roundmat>[[[], [1]]]</roundmat></tp>",
            "no rates of read for 1024k",
        ),
        ("<tp><roundmat>[1</roundmat></tp>", "it has no rounds"),
    ] {
        place.write("r.xml", tkperf(test));
        let why = place.refused(&["r.xml"]);
        assert!(why.contains(part), "{why}");
    }
    place.write("r.xml", "<a><roundmat>");
    assert!(place.refused(&["r.xml"]).contains("this is no XML"));
}

fn pts(place: &Place, folder: &str, rounds: &[u64]) -> Taken {
    for (n, ios) in (1..).zip(rounds) {
        let options = json!({"rw": "randrw", "bs": "4096", "numjobs": "16", "iodepth": "8"});
        fio_of(
            place,
            &format!("{folder}/results/fio_pass={n}_rw=65_bs=4096.json"),
            &options,
            *ios,
            1000,
        );
        fio_of(
            place,
            &format!("{folder}/results/fio_precond_pass={n}.json"),
            &options,
            *ios,
            1000,
        );
    }
    place.taken(&[folder])
}

#[test]
fn rounds_of_scripts_are_judged_by_their_last_five() {
    let place = Place::new();
    let taken = pts(
        &place,
        "01_IOPS_test",
        &[9000, 5000, 1000, 1010, 990, 1000, 1000],
    );
    assert_eq!(taken.format, Format::Pts);
    assert_eq!(
        taken.tests(),
        ["01_IOPS_test-rw65-bs4096", "01_IOPS_test-precond"]
    );
    let run = taken.run("01_IOPS_test-rw65-bs4096");
    assert_eq!((run.read.ios, run.seconds, run.jobs.len()), (5000, 5.0, 1));
    assert_eq!(run.metrics["iops"], 1000.0);
    let notes = run.notes.join(" ");
    assert!(
        notes.contains("Rounds 3 to 7 together.")
            && notes.contains("they are steady")
            && notes.contains("9000, 5000"),
        "{notes}"
    );
    assert_eq!(taken.set.tests[0].step, "R/W 65/35, 4 KiB");
    let course = taken.run("01_IOPS_test-precond");
    assert_eq!(
        (
            course.series_interval_s,
            course.series_ios[0],
            course.series_ios.len()
        ),
        (1.0, 9000, 7)
    );
    assert!(taken.has_left("a round"));
    let unsteady = pts(&Place::new(), "t", &[9000, 5000, 1000, 1010, 990]);
    assert!(
        unsteady
            .run("t-rw65-bs4096")
            .notes
            .join(" ")
            .contains("NOT steady")
    );
}

const IOB_HEADER: &str = "stat,type,prefix,hash,time,exacttime,device,filesizeGib,fill,usedfilesize,pattern,patternDetails,rate,expRate,\
    writepercent,bs,writesTotal,readsTotal,writeIOPS,readIOPS,writesMBs,readsMBs,physicalMediaUnitsWrittenBytes, \
    physicalMediaUnitsReadBytes,phyWriteMBs, phyReadMBs,percentFreeBlocks,softECCError,unalignedIO,maxUserDataEraseCount,\
    minUserDataEraseCount,currentThrottlingStatus,wa\n";

fn iob_row(hash: &str, second: u64, writes: u64, physical: u64) -> String {
    let a_second = if second == 0 { 0 } else { 1000 };
    format!(
        "keep,ssd,wa,{hash},{second},{second}.0,/blk/w0,894,0.9,804.6,zipf,\"theta 0.9, shuffled\",0,1,0.5,4096,{writes},{writes},{a_second},\
         {a_second},3,3,{physical},7,1,1,5,0,0,9,8,0,0\n"
    )
}

fn percentiles(kind: &str) -> String {
    const OF: [&str; 25] = [
        "min", "10p", "20p", "25p", "30p", "40p", "50p", "60p", "70p", "75p", "80p", "85p", "90p",
        "92p5", "95p", "97p5", "99p", "99p5", "99p9", "99p99", "99p999", "max", "avg", "tot",
        "cnt",
    ];
    OF.map(|of| format!("{kind}{of}")).join(",")
}

fn iob_stats(p99: u64, count: u64) -> String {
    let header = ["r", "w", "s", "c"]
        .map(|kind| format!("{kind},{}", percentiles(kind)))
        .join(",");
    let of = |count: u64| {
        let mut cells = vec!["80".to_owned(); 25];
        cells[16] = p99.to_string();
        cells[21] = "700".to_owned();
        cells[23] = (count * 90).to_string();
        cells[24] = count.to_string();
        cells.join(",")
    };
    let row = |second: u64| {
        format!(
            "h1,wa,0,{second},1.0,/blk/w0,894,zipf,\"theta 0.9, shuffled\",0,0,1,1,0.5,4.0,4.0,1000,1000,0,r,{},w,{},s,{},c,{}\n",
            of(count),
            of(count),
            of(0),
            of(0)
        )
    };
    format!(
        "hash,prefix,id,time,timeDiff,device,filesizeGib,pattern,patternDetails,rate,threadRate,threadStatsInterval,expRate,\
         writePercent,writeMibs,readMibs,writes,reads,fdatasyncs,{header}\n{}{}",
        row(1),
        row(2)
    )
}

#[test]
fn tables_of_iob_are_runs_by_their_hash() {
    let place = Place::new();
    let rows = |hash| -> String {
        [(0, 0, 0), (1, 1000, 0), (2, 2000, 12_288_000)]
            .map(|(second, writes, physical)| iob_row(hash, second, writes, physical))
            .concat()
    };
    place.write(
        "p/iob-log-wa.csv",
        format!("{IOB_HEADER}{}{IOB_HEADER}{}", rows("h1"), rows("h2")),
    );
    place.write("p/iob-stats-id0-wa.csv", iob_stats(400, 1000));
    place.write("p/iob-smart-wa.csv", "prefix,time\n");
    let taken = place.taken(&["p"]);
    assert_eq!(taken.format, Format::SsdIq);
    assert_eq!(taken.tests(), ["wa-zipf-w50", "wa-zipf-w50-2"]);
    let run = taken.run("wa-zipf-w50");
    assert_eq!(
        (run.read.ios, run.write.ios, run.seconds),
        (2000, 2000, 2.0)
    );
    assert_eq!((run.metrics["iops"], run.metrics["wa"]), (2000.0, 1.5));
    assert_eq!(
        (run.series_ios.clone(), run.series_bytes[0]),
        (vec![2000, 2000], 8_192_000)
    );
    assert_eq!(
        (run.metrics["lat_avg_ms"], run.metrics["lat_max_ms"]),
        (0.09, 0.7)
    );
    let course = run.read.lat_ns_course.as_ref().unwrap();
    assert_eq!(
        (course.interval_s, course.p99.clone()),
        (1.0, vec![Some(400_000); 2])
    );
    assert!(taken.run("wa-zipf-w50-2").jobs.is_empty());
    assert!(taken.has_left("iob-smart-wa.csv") && taken.has_left("percentFreeBlocks"));
    assert_eq!(taken.fact("bench.filename"), Some("/blk/w0"));
}

#[test]
fn latencies_of_iob_alone_are_a_run_and_its_last_bin_is_no_percentile() {
    let place = Place::new();
    place.write("iob-stats-id0-wa.csv", iob_stats(19_999, 500));
    let taken = place.taken(&["iob-stats-id0-wa.csv"]);
    let run = taken.run("wa-zipf-w50");
    assert_eq!((run.read.ios, run.write.bytes), (1000, 8 << 20));
    assert_eq!(run.read.lat_ns_course.as_ref().unwrap().p99, [None, None]);
    assert!(taken.has_left("r99p") && taken.has_left("bs"));
    place.write("iob-log-a.csv", format!("{IOB_HEADER}keep,ssd\n"));
    let why = place.refused(&["iob-log-a.csv"]);
    assert!(why.contains("cut off"), "{why}");
    place.write("iob-log-a.csv", "time,hash\n1,h\n");
    assert!(
        place
            .refused(&["iob-log-a.csv"])
            .contains("there is no column")
    );
}
