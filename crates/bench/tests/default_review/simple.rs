//! Tests that run no applications.

use super::{CORE, MOMENTUS, SLC, WHOLE, X25M, figure, metric, run};
use ftlab_bench::suites;
use ftlab_result::{Figure, Verdict};

fn simulated(id: &str) -> f64 {
    figure(id)
        .simulated
        .unwrap_or_else(|| panic!("{id} has no run"))
}

#[test]
fn latency_rate_and_throughput_of_the_first_three_tests_are_close() {
    let metrics = ["lat_avg_ms", "iops", "mb_s"];
    let a1_to_a3 = |f: &&Figure| metrics.contains(&f.metric.as_str()) && f.source.contains("X25-M");
    let scored: Vec<&Figure> = WHOLE.figures.iter().filter(a1_to_a3).collect();
    assert_eq!(scored.len(), 40, "every scored row of A1 to A3");
    let mut errors = Vec::new();
    for figure in scored {
        let error = figure
            .error
            .unwrap_or_else(|| panic!("{} is not scored", figure.id));
        assert!(
            error <= 1.15_f64.ln(),
            "{} {}: {:?}",
            figure.id,
            figure.drive,
            figure.simulated
        );
        errors.push(error);
    }
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    assert!(median <= 0.07, "median error {median}");
}

#[test]
fn the_longest_writes_are_within_a_factor_of_two() {
    for id in ["F0173", "F0177", "F0181", "F0185"] {
        let published: f64 = figure(id).published.parse().unwrap();
        let ratio = simulated(id) / published;
        assert!((0.5..=2.0).contains(&ratio), "{id}: {ratio}");
    }
}

#[test]
fn the_jmf602_is_flat_over_size_and_proportional_to_the_random_share() {
    let of = |test: &str| metric(&format!("ocz-core-jmf602/{test}/filled"), "lat_avg_ms");
    let sizes = ["4k", "16k", "32k", "64k", "128k"].map(|s| of(&format!("randwrite-{s}-qd1")));
    let (least, most) = sizes
        .iter()
        .fold((f64::MAX, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
    assert!(most / least < 1.1, "{sizes:?}");
    let (sequential, random) = (of("seqrand-mix-4k-qd1-seq100"), sizes[0]);
    for (share, test) in [(0.1, "seq90"), (0.5, "seq50")] {
        let linear = (1.0 - share) * sequential + share * random;
        let got = of(&format!("seqrand-mix-4k-qd1-{test}"));
        assert!(
            (got / linear - 1.0).abs() < 0.1,
            "{test}: {got} ms for {linear} ms"
        );
    }
}

#[test]
fn the_jmf602_makes_a_deep_queue_wait_for_half_a_minute() {
    let average_s = simulated("F0269");
    assert!(
        average_s > 10.0 && average_s <= 15.0,
        "average at QD 64: {average_s} s"
    );
    assert!(simulated("F0270") > 30.0, "longest at QD 64");
    assert!(simulated("F0271") > 2.0, "longest at QD 4");
}

#[test]
fn an_x25_m_slows_down_with_use() {
    let (new, used) = (simulated("F0397"), simulated("F0398"));
    assert_eq!(figure("F0397").verdict, Verdict::Pass, "{new} MB/s new");
    assert!(used < new, "{used} MB/s used, {new} new");
}

#[test]
fn an_x25_m_takes_what_its_maker_says() {
    for id in ["F0379", "F0380"] {
        assert_eq!(figure(id).verdict, Verdict::Pass, "{id}: {}", simulated(id));
    }
    // It sleeps between the bursts of a notebook, and a disk goes on turning.
    let watts = |drive: &str| metric(&format!("{drive}/power-spec/filled"), "watts");
    assert!(watts(X25M) < watts(MOMENTUS) / 5.0);
}

#[test]
fn clients_write_less_to_flash_through_pages_than_through_blocks() {
    let wa = |drive: &str| metric(&format!("{drive}/write-amp-client/na"), "wa");
    let (pages, blocks) = (wa(X25M), wa(CORE));
    assert!(
        (1.0..1.3).contains(&pages) && blocks > 20.0,
        "{pages}, {blocks}"
    );
    assert!(simulated("F0061") > 100.0, "GB a day for five years");
}

#[test]
fn every_published_row_that_is_judged_has_a_run() {
    let without: Vec<&str> = WHOLE
        .figures
        .iter()
        .filter(|f| f.simulated.is_none() && f.verdict != Verdict::Shown)
        .map(|f| f.id.as_str())
        .collect();
    assert!(without.is_empty(), "{without:?}");
    assert_eq!(WHOLE.figures.len(), 114);
}

#[test]
fn the_seed_alone_decides_the_bytes() {
    let bytes = |seed, threads| {
        let set = run(
            &[SLC, MOMENTUS],
            suites::select(&["A1", "A3"].map(str::to_owned)).expect("they exist"),
            seed,
            threads,
        );
        serde_json::to_string(&set).expect("it serialises")
    };
    let first = bytes(1, 1);
    assert_eq!(first, bytes(1, 2));
    assert_ne!(first, bytes(2, 2));
}
