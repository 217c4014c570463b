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
        &["that is the trace itself"],
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
