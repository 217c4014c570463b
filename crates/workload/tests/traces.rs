//! Synthetic traces: that they come to exactly the counts of their files.

use ftlab_base::{CommandKind, RootSeed};
use ftlab_workload::trace::{Operation, Trace, TraceStream};
use std::collections::BTreeMap;

const HEAVY: &str = include_str!("../../../traces/atsb2011-heavy.toml");
const LIGHT: &str = include_str!("../../../traces/atsb2011-light.toml");

/// 60 GB, the smallest drives of the reviews.
const CAPACITY_BYTES: u64 = 60_022_480_896;

fn trace(text: &str) -> Trace {
    Trace::parse(text, "t.toml").unwrap()
}

fn bursts(text: &str, seed: u64) -> TraceStream {
    TraceStream::new(&trace(text), CAPACITY_BYTES, RootSeed(seed)).unwrap()
}

/// What a trace is published by, counted in its requests.
#[derive(Default)]
struct Counts {
    reads: u64,
    writes: u64,
    written_bytes: u64,
    of_size: BTreeMap<u32, u64>,
    sequential: u64,
    at_depth: BTreeMap<u64, u64>,
}

impl Counts {
    fn of(bursts: impl Iterator<Item = Vec<Operation>>) -> Counts {
        let mut counts = Counts::default();
        let mut ends = [None; 2];
        for burst in bursts {
            for (depth, Operation { kind, run }) in (1..).zip(burst) {
                let side = usize::from(kind == CommandKind::Write);
                match kind {
                    CommandKind::Write => {
                        counts.writes += 1;
                        counts.written_bytes += 512 * u64::from(run.sectors);
                    }
                    _ => counts.reads += 1,
                }
                *counts.of_size.entry(run.sectors / 2).or_default() += 1;
                *counts.at_depth.entry(depth).or_default() += 1;
                counts.sequential += u64::from(ends[side] == Some(run.lba));
                ends[side] = Some(run.lba + u64::from(run.sectors));
                let (first, end) = (2_097_152, 2_097_152 + 98_566_144);
                assert!(run.lba >= first && run.lba + u64::from(run.sectors) <= end);
            }
        }
        counts
    }

    fn all(&self) -> f64 {
        (self.reads + self.writes) as f64
    }

    fn share(&self, kib: u32) -> f64 {
        self.of_size[&kib] as f64 / self.all()
    }

    fn mean_depth(&self) -> f64 {
        let sum: u64 = self
            .at_depth
            .iter()
            .map(|(depth, count)| depth * count)
            .sum();
        sum as f64 / self.all()
    }
}

fn is_near(value: f64, target: f64, within: f64) {
    assert!((value - target).abs() <= within, "{value} for {target}");
}

#[test]
fn the_heavy_trace_has_the_published_counts() {
    let counts = Counts::of(bursts(HEAVY, 1));
    assert_eq!((counts.reads, counts.writes), (2_168_893, 1_783_447));
    // 106.32 GB, to half a step between the two sizes that are mixed.
    is_near(counts.written_bytes as f64, 106.32e9, 16_384.0);
    for (kib, share) in [(4, 0.28), (16, 0.10), (32, 0.10), (64, 0.04)] {
        is_near(counts.share(kib), share, 1e-6);
    }
    is_near(counts.share(96) + counts.share(128), 0.48, 1e-6);
    is_near(counts.sequential as f64 / counts.all(), 0.42, 1e-6);
    is_near(counts.at_depth[&1] as f64 / counts.all(), 0.59, 1e-6);
    is_near(counts.mean_depth(), 4.625, 1e-4);
    assert_eq!(*counts.at_depth.keys().last().unwrap(), 32);
}

#[test]
fn the_light_trace_has_the_published_counts() {
    let counts = Counts::of(bursts(LIGHT, 1));
    assert_eq!((counts.reads, counts.writes), (372_630, 459_709));
    for (kib, share) in [(4, 0.27), (16, 0.08), (32, 0.06), (64, 0.05)] {
        is_near(counts.share(kib), share, 4e-6);
    }
    // What is assumed: the other sizes as in the heavy trace, of which half a step may be missing.
    let heavy = trace(HEAVY);
    let rest = |counts: &[(u32, u64)]| {
        let large = counts.iter().filter(|(sectors, _)| *sectors > 128);
        let large = large.fold((0, 0), |(sum, n), (sectors, count)| {
            (sum + u64::from(*sectors) * count, n + count)
        });
        large.0 as f64 / large.1 as f64
    };
    let light = trace(LIGHT);
    is_near(
        rest(&light.writes.sizes) / rest(&heavy.writes.sizes),
        1.0,
        1e-3,
    );
    is_near(counts.sequential as f64 / counts.all(), 0.60, 1e-5);
    is_near(counts.at_depth[&1] as f64 / counts.all(), 0.875, 1e-5);
    is_near(counts.mean_depth(), 2.105, 1e-3);
}

#[test]
fn any_part_of_a_trace_is_like_the_whole() {
    let part = Counts::of(bursts(HEAVY, 1).take(100_000));
    is_near(part.reads as f64 / part.all(), 0.549, 0.01);
    is_near(part.share(4), 0.28, 0.01);
    is_near(part.sequential as f64 / part.all(), 0.42, 0.01);
    is_near(part.mean_depth(), 4.625, 0.1);
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let head = |seed| bursts(HEAVY, seed).take(1_000).collect::<Vec<_>>();
    assert_eq!(head(1), head(1));
    assert_ne!(head(1), head(2));
}

#[test]
fn a_trace_of_few_requests_has_its_counts_too() {
    let few = HEAVY
        .replace("2_168_893", "5")
        .replace("1_783_447", "3")
        .replace("106.32 GB", "230 KiB");
    let counts = Counts::of(bursts(&few, 1));
    assert_eq!((counts.reads, counts.writes), (5, 3));
    let in_order = HEAVY
        .replace("\"42 %\"", "\"100 %\"")
        .replace("47 GiB", "1 MiB");
    let mut stream = bursts(&in_order, 1);
    assert_eq!(stream.by_ref().flatten().count(), 2_168_893 + 1_783_447);
}

#[test]
fn a_trace_that_does_not_fit_names_both_ends() {
    let trace = trace(HEAVY);
    let error = TraceStream::new(&trace, 40_000_000_000, RootSeed(1)).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("`span`") && text.contains("51539"), "{text}");
}

#[test]
fn what_a_trace_may_not_say_is_answered_with_its_line() {
    let with = |from: &str, to: &str, parts: &[&str]| {
        let changed = HEAVY.replace(from, to);
        assert_ne!(changed, HEAVY, "{from}");
        let error = Trace::parse(&changed, "t.toml").unwrap_err().to_string();
        for part in parts {
            assert!(error.contains(part), "`{part}` is not in: {error}");
        }
    };
    with("schema = 1", "schema = 2", &["t.toml:1:", "schema = 1"]);
    with("reads = ", "read = ", &["t.toml:7:", "`read`"]);
    with("2_168_893", "0", &["t.toml:7:", "1 to"]);
    let far = "1000000000000000000";
    with("2_168_893", far, &["t.toml:7:", "1 to 1,000,000,000"]);
    with("2_168_893", "inf", &["t.toml:7:", "a whole number"]);
    with("106.32 GB", "300 GB", &["t.toml:9:", "300 GB", "`rest`"]);
    with("106.32 GB", "90 GB", &["t.toml:9:", "from "]);
    with("\"28 %\"", "\"80 %\"", &["t.toml:11:", "100 %"]);
    with("\"96 KiB\"", "\"64 KiB\"", &["t.toml:12:", "listed"]);
    with("\"96 KiB\"", "\"90.5 kB\"", &["t.toml:12:", "4 KiB"]);
    with("\"96 KiB\", ", "", &["t.toml:12:"]);
    with("4.625", "9", &["t.toml:13:", "from 1.410 to 7.560"]);
    for mean in ["nan", "inf", "-inf"] {
        with("4.625", mean, &["t.toml:13:", "mean must be a number"]);
    }
    with("most = 32", "most = 33", &["t.toml:13:", "2 to 32"]);
    with("\"1 GiB\"", "\"1.5 KiB\"", &["t.toml:6:", "4 KiB"]);
    with("\"47 GiB\"", "\"128 KiB\"", &["t.toml:6:", "twice"]);
    with(
        "percentage = 50",
        "percentage = 150",
        &["t.toml:14:", "0 to 100"],
    );
}

#[test]
fn a_text_is_told_from_a_script() {
    assert!(Trace::is_one(HEAVY));
    assert!(!Trace::is_one(include_str!(
        "../../../scripts/boot-windows7.toml"
    )));
    assert!(!Trace::is_one("reads = "));
}
