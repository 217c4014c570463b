//! Recorded traces as people bring them: replayed, looked into, converted, and refused with what to do.

use crate::place::{Place, holds};
use serde_json::Value;

/// A drive that is ready in no time.
const DRIVE: &str = "--drive generic-mlc-8 --state new --quiet";

const TINY: &str = "fio version 3 iolog\n1 /dev/x add\n1 /dev/x open\n1 /dev/x write 0 24576\n200 /dev/x write 40960 4096\n\
                    15000 /dev/x read 40960 4096\n15000 /dev/x close\n";

/// Reads and writes of two devices in MSR's layout, on 200 MB of addresses.
fn msr(requests: u64) -> String {
    let line = |n: u64| {
        let place = n * 7_919 % 50_000 * 4096;
        let kind = if n.is_multiple_of(3) { "Read" } else { "Write" };
        let bytes = 4096 * (1 + n % 4);
        format!(
            "{},web,0,{kind},{place},{bytes},100\n",
            128_166_372_000_000_000 + n * 10_000_000
        )
    };
    (0..requests).map(line).collect()
}

/// The words of a text, however they are broken into lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn run(place: &Place, line: &str) -> Value {
    place.json(&format!("run {line} {DRIVE} --output-format json"))
}

#[test]
fn an_iolog_is_replayed_at_its_own_times() {
    let place = Place::new();
    place.write("tiny.log", TINY);
    let json = run(&place, "tiny.log");
    let job = &json["jobs"][0];
    assert_eq!(
        (
            job["write"]["total_ios"].as_u64(),
            job["read"]["total_ios"].as_u64()
        ),
        (Some(2), Some(1))
    );
    assert_eq!(job["write"]["io_bytes"].as_u64(), Some(28_672));
    // From the first to the last, as fio counts version 3: in microseconds.
    let seconds = json["ftlab"]["simulated_seconds"].as_f64().unwrap();
    assert!((0.014_999..0.020).contains(&seconds), "{seconds}");
    let text = words(&place.out(&format!("run tiny.log {DRIVE}")));
    holds(
        &text,
        &[
            "rw=replay",
            "trace",
            "1 reads (4.10 kB), 2 writes (28.7 kB)",
            "fio iolog version 3",
            "at their own times",
        ],
    );
}

/// Runs fio on a job; its first job, and for how many milliseconds all of it ran.
fn fio(place: &Place, job: &str) -> (Value, u128) {
    let began = std::time::Instant::now();
    let output = std::process::Command::new("timeout")
        .args(["100", "fio", job, "--output-format=json"])
        .current_dir(&place.0)
        .output()
        .expect("fio is installed: apt-get install fio");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let json: Value = serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}"));
    (json["jobs"][0].clone(), began.elapsed().as_millis())
}

#[test]
fn what_an_iolog_says_of_times_is_what_fio_takes() {
    let place = Place::new();
    std::fs::File::create(place.path("h_0"))
        .unwrap()
        .set_len(1 << 20)
        .unwrap();
    let line = |n: u64, kind: &str| {
        let at = 128_166_372_000_000_000 + n * 4_000_000;
        format!("{at},h,0,{kind},0,4096,100\n")
    };
    // 400 ms apart.
    let lines = [line(0, "Write"), line(1, "Write"), line(2, "Read")];
    place.write("three.csv", &lines.concat());
    for version in ["fio2", "fio3"] {
        place.out(&format!(
            "trace convert three.csv {version}.log --to {version} --quiet"
        ));
        place.write(
            "t.fio",
            &format!("[t]\nread_iolog={version}.log\nioengine=psync\n"),
        );
        let (job, all_ms) = fio(&place, "t.fio");
        // The waits of version 2 begin with fio, those of version 3 with its job. A busy machine takes longer.
        let took_ms = match version {
            "fio2" => all_ms,
            _ => u128::from(job["job_runtime"].as_u64().unwrap()),
        };
        assert!((800..60_000).contains(&took_ms), "{version}: {took_ms}");
        assert_eq!(job["write"]["total_ios"].as_u64(), Some(2));
        let json = run(&place, "t.fio");
        let seconds = json["ftlab"]["simulated_seconds"].as_f64().unwrap();
        assert!((0.8..0.81).contains(&seconds), "{version}: {seconds}");
    }
    place.write(
        "waits.log",
        "fio version 2 iolog\nx add\nx open\nx wait 4000 0\nx read 0 4096\nx wait 6000 0\nx read 0 4096\nx close\n",
    );
    let info: Value =
        serde_json::from_str(&place.out("trace info waits.log --output-format json --quiet"))
            .unwrap();
    assert_eq!(info["span_ns"].as_u64(), Some(2_000_000_000), "{info}");
    // fio scales the times of version 3 alone.
    for (log, percent, want) in [
        ("waits.log", 50, 2.0),
        ("fio3.log", 50, 1.6),
        ("fio3.log", 200, 0.4),
    ] {
        let job = format!("[t]\nread_iolog={log}\nreplay_time_scale={percent}\n");
        place.write("t.fio", &job);
        let json = run(&place, "t.fio");
        let seconds = json["ftlab"]["simulated_seconds"].as_f64().unwrap();
        assert!(
            (want..want + 0.01).contains(&seconds),
            "{log} {percent}: {seconds}"
        );
    }
}

#[test]
fn a_log_of_version_2_without_waits_comes_iodepth_at_a_time() {
    let place = Place::new();
    let reads: String = (0..16)
        .map(|n| format!("x read {} 4096\n", n * 8192))
        .collect();
    place.write(
        "all.log",
        &format!("fio version 2 iolog\nx add\nx open\n{reads}x close\n"),
    );
    for (depth, words) in [(1, "one after the other"), (4, "4 at a time")] {
        place.write(
            "t.fio",
            &format!("[t]\nread_iolog=all.log\niodepth={depth}\n"),
        );
        let text = self::words(&place.out(&format!("run t.fio {DRIVE}")));
        holds(&text, &["16 reads", words]);
    }
    place.write(
        "t.fio",
        "[t]\nread_iolog=all.log\nreplay_scale=2\nreplay_align=8k\nwrite_iolog=o.log\npercentile_list=50\n",
    );
    let json = run(&place, "t.fio");
    let job = &json["jobs"][0];
    assert_eq!(
        (&job["jobname"], &job["read"]["total_ios"]),
        (&"t".into(), &16.into())
    );
    let percentiles = job["read"]["clat_ns"]["percentile"].as_object().unwrap();
    assert_eq!(percentiles.len(), 1);
    holds(
        &json["ftlab"]["warnings"].to_string(),
        &["t.fio:5", "write_iolog"],
    );
    let report = place.out("run t.fio --engine-report");
    holds(
        &report,
        &["without effect: as in fio, a job that replays a log writes none"],
    );
    place.write("t.fio", "[t]\nread_iolog=all.log\nreplay_align=3000\n");
    holds(
        &place.refused(&format!("run t.fio {DRIVE}")),
        &["a power of two"],
    );
}

#[test]
fn what_a_file_was_taken_for_is_shown_and_can_be_said() {
    let place = Place::new();
    place.write("web.csv", &msr(20));
    let shown = place
        .ftlab("run web.csv --drive generic-mlc-8 --state new")
        .assert()
        .success();
    let shown = String::from_utf8(shown.get_output().stderr.clone()).unwrap();
    holds(
        &shown,
        &[
            "MSR Cambridge CSV (msr), by its first bytes",
            "Timestamp",
            "web",
            "request 1",
            "cannot say: TRIM",
        ],
    );
    let wrong = place.refused(&format!("run web.csv {DRIVE} --format alibaba"));
    holds(&wrong, &["web.csv:1: ", "Alibaba block CSV", "--format"]);
    let strange = place.refused(&format!("run random.fio {DRIVE} --pace asap"));
    holds(&strange, &["--pace is about recorded traces"]);
    place.write("notes.txt", "some notes\nof mine\n");
    holds(
        &place.refused(&format!("run notes.txt {DRIVE}")),
        &["some notes", "--format", "time_ns"],
    );
}

#[test]
fn one_trace_in_every_format_is_the_same_operations() {
    let place = Place::new();
    place.write("web.csv", &msr(3000));
    let replay = |file: &str| {
        let json = run(&place, &format!("{file} --pace asap"));
        json["ftlab"]["op_stream_hash"].as_str().unwrap().to_owned()
    };
    let hash = replay("web.csv");
    let mut from = "web.csv".to_owned();
    for format in [
        "alibaba",
        "tencent",
        "spc",
        "fiu",
        "systor",
        "blkparse",
        "blktrace",
        "fio2",
        "fio3",
        "mqsim",
        "disksim",
        "vscsi",
        "vscsi-csv",
        "csv",
        "parquet",
        "msr",
    ] {
        let to = format!("web.{format}");
        let told = place.out(&format!("trace convert {from} {to} --to {format} --quiet"));
        holds(&told, &["3,000 requests in", &format!("({format})")]);
        assert_eq!(replay(&to), hash, "{format}");
        from = to;
    }
    place.out("trace convert web.csv web.csv.zst --to csv --quiet");
    assert_eq!(replay("web.csv.zst"), hash);
}

#[test]
fn what_a_conversion_loses_is_told() {
    let place = Place::new();
    let rows = "time_ns,op,offset_bytes,bytes,device,fua\n5,write,0,4096,a,1\n6,trim,0,8192,a,0\n7,flush,,,a,0\n";
    place.write("all.csv", rows);
    let told = place.out("trace convert all.csv all.msr --to msr --quiet");
    holds(
        &told,
        &[
            "1 requests in MSR Cambridge CSV",
            "lost: 1 TRIM was left out.",
            "lost: 1 flush was left out.",
            "lost: 1 write lost its FUA.",
            "lost: 1 request has its time cut to 100 nanoseconds.",
            "a is now a_0",
        ],
    );
    let whole = place.out("trace convert all.csv all.blktrace --quiet");
    assert!(
        !whole.contains("TRIM was") && whole.contains("a is now 259:0"),
        "{whole}"
    );
    holds(
        &place.refused("trace convert all.csv all.xyz"),
        &["says no format", "--to"],
    );
    holds(
        &place.refused("trace convert all.csv all.csv"),
        &["name the same file"],
    );
    place.write(
        "two.csv",
        "time_ns,op,offset_bytes,bytes,device\n5,write,0,4096,a\n6,write,0,4096,b\n",
    );
    holds(
        &place.refused("trace convert two.csv two.vscsi"),
        &["says nothing of devices", "--device"],
    );
    place.out("trace convert two.csv two.vscsi --device b --quiet");
    // Nothing is left of a conversion that failed.
    place.write(
        "bad.csv",
        &(msr(5000) + "128166372000000000,web,0,Reed,0,512,7\n"),
    );
    holds(
        &place.refused("trace convert bad.csv bad.parquet"),
        &["bad.csv:5001: Type is `Reed`"],
    );
    assert!(!place.path("bad.parquet").exists());
}

#[test]
fn addresses_beyond_the_drive_are_refused_or_made_to_fit_and_it_is_said_how() {
    let place = Place::new();
    place.write(
        "far.csv",
        "time_us,op,offset_bytes,bytes\n0,write,0,4096\n10,write,900000000000,4096\n",
    );
    let refused = place.refused(&format!("run far.csv {DRIVE}"));
    holds(
        &refused,
        &["900000004096 bytes", "--fit", "compact", "wrap", "scale"],
    );
    for (fit, told) in [
        ("compact", "moved together"),
        ("wrap", "wrapped"),
        ("scale", "multiplied by"),
    ] {
        let text = place.out(&format!("run far.csv {DRIVE} --fit {fit}"));
        let text = words(&text);
        holds(&text, &["warning", told]);
    }
}

#[test]
fn an_open_loop_that_falls_behind_says_so_and_paces_differ() {
    let place = Place::new();
    let rows: String = (0..40_000_u64)
        .map(|n| format!("{n},write,{},4096\n", n * 7919 % 100_000 * 4096))
        .collect();
    place.write(
        "fast.csv",
        &format!("time_us,op,offset_bytes,bytes\n{rows}"),
    );
    let seconds = |pace: &str| {
        let json = run(&place, &format!("fast.csv --pace {pace}"));
        let told = json["ftlab"]["warnings"].to_string();
        (
            json["ftlab"]["simulated_seconds"].as_f64().unwrap(),
            told.contains("fell behind"),
        )
    };
    let (original, behind) = seconds("original");
    assert!(behind && original > 1.0, "{original}");
    let (slow, behind) = seconds("scaled=0.001x");
    assert!(!behind && slow > 39.9, "{slow}");
    let (one, _) = seconds("closed=1");
    let (asap, behind) = seconds("asap");
    assert!(one >= asap && !behind, "{one} {asap}");
}

/// Warnings that a reader of a job gets are those of a trace too, however short it is.
#[test]
fn a_trace_of_some_milliseconds_has_the_warnings_of_a_job() {
    let place = Place::new();
    let rows = |step_us: u64| -> String {
        let row = |n: u64| format!("{},write,{},4096\n", n * step_us, n * 7919 % 100_000 * 4096);
        (0..2000).map(row).collect()
    };
    let few = "Fewer than 100 requests lie beyond p99 of 2,000 writes";
    let unsettled = "had not settled";
    let behind = "fell behind";
    for (step_us, more, has, has_not) in [
        (1, "--state used", vec![few, unsettled, behind], vec![]),
        (20_000, "--state used", vec![few, unsettled], vec![behind]),
        (
            1,
            "--state used --untimed",
            vec![unsettled],
            vec![few, behind],
        ),
        (
            20_000,
            "--state steady-fast",
            vec![few],
            vec![unsettled, behind],
        ),
    ] {
        place.write(
            "t.csv",
            &format!("time_us,op,offset_bytes,bytes\n{}", rows(step_us)),
        );
        let line = format!("run t.csv --drive generic-mlc-8 --quiet --output-format json {more}");
        let run = place.json(&line);
        let told = run["ftlab"]["warnings"].to_string();
        holds(&told, &has);
        for not in has_not {
            assert!(!told.contains(not), "{step_us} µs, {more}: {told}");
        }
    }
}

#[test]
fn a_trace_is_looked_into_as_text_json_and_a_page() {
    let place = Place::new();
    place.write("web.csv", &msr(6000));
    let text = place.out("trace info web.csv --html web.html --quiet");
    holds(
        &text,
        &[
            "2,000 reads, 4,000 writes",
            "footprint",
            "hottest blocks",
            "least WA",
            "reuse distance",
        ],
    );
    let page = place.read("web.html");
    assert!(
        page.matches("<svg").count() >= 5 && page.contains("web.csv"),
        "{}",
        page.len()
    );
    assert!(
        !page.contains("http://") || page.contains("www.w3.org"),
        "it loads nothing"
    );
    let json = place.json("trace info web.csv --output-format json --quiet");
    assert_eq!(
        (json["reads"].as_u64(), json["writes"].as_u64()),
        (Some(2000), Some(4000))
    );
    assert_eq!(json["span_ns"].as_u64(), Some(5_999_000_000_000));
    let bound = json["least_write_amplification"].as_array().unwrap();
    assert!(bound.iter().all(|row| row[1].as_f64().unwrap() >= 1.0));
    let part = place.json("trace info web.csv --window 10s..20s --output-format json --quiet");
    assert_eq!(
        part["reads"].as_u64().unwrap() + part["writes"].as_u64().unwrap(),
        10
    );
}
