//! Drives that get warm of what they do, and slow down.

use super::*;

/// The generic drive of NVMe, with settings.
fn drive(more: &[&str]) -> Ssd {
    let settings: Vec<String> = more.iter().map(ToString::to_string).collect();
    let file = Catalog::default()
        .load("generic-nvme-tlc-8", &settings)
        .unwrap();
    let testbed = Testbed::load("linux-2024-nvme").unwrap();
    file.build_ssd(&testbed, RootSeed(1)).unwrap()
}

/// Reads 128 KiB at a time for some seconds, four reads outstanding; gives MB/s, and the temperature every tenth of a second.
fn read_for(ssd: &mut Ssd, from_s: f64, seconds: f64) -> (f64, Vec<f64>) {
    const SECTORS: u32 = 256;
    let start = SimTime((from_s * 1e9) as u64);
    let ends = start + Nanos((seconds * 1e9) as u64);
    let (mut now, mut id, mut bytes, mut done) = (start, 0, 0, Vec::new());
    let (mut next_look, mut celsius) = (start, Vec::new());
    let mut outstanding = 0;
    while now < ends {
        while outstanding < 4 {
            let read = Command {
                id: CommandId(id),
                lba: Lba(id % 1000 * u64::from(SECTORS)),
                sectors: SECTORS,
                ..slot_command(CommandKind::Read, 0, now)
            };
            ssd.submit(read, now);
            id += 1;
            outstanding += 1;
        }
        let at = ssd.next_event().expect("reads are outstanding");
        while at >= next_look {
            celsius.push(ssd.temperature(next_look).unwrap().celsius);
            next_look += Nanos::from_millis(100);
        }
        now = at;
        ssd.advance(now, &mut done);
        outstanding -= done.len();
        bytes += done.drain(..).count() as u64 * u64::from(SECTORS) * 512;
    }
    ssd.advance(SimTime::NEVER, &mut done);
    (bytes as f64 / now.since(start).as_secs() / 1e6, celsius)
}

/// It warms towards what the watts it takes keep it at, with the time constant that capacity and resistance make: within 1 %
/// of the closed form of first order.
#[test]
fn a_drive_at_work_warms_as_the_closed_form_says() {
    // Unmapped reads take the same power all the time: a time constant of 1 s.
    let cool = [
        "thermal.capacity=0.1",
        "thermal.resistance=10",
        "thermal.light_from=500",
        "thermal.heavy_from=900",
    ];
    let mut ssd = drive(&cool);
    let begun = ssd.temperature(SimTime::ZERO).unwrap().celsius;
    let (_, celsius) = read_for(&mut ssd, 0.0, 3.0);
    let watts = ssd.energy(SimTime(2_000_000_000)).unwrap() - ssd.energy(SimTime::ZERO).unwrap();
    assert!(watts.total() > 0.0);
    // What it settles at follows from two points of an exponential.
    let settled = {
        let [a, b, c] = [celsius[1], celsius[11], celsius[21]];
        (a * c - b * b) / (a + c - 2.0 * b)
    };
    assert!(
        (begun - 22.0 - 10.0 * 1.05).abs() < 1e-9,
        "{begun} C with nothing to do"
    );
    for (n, is) in celsius.iter().enumerate().skip(1) {
        let closed = settled + (celsius[1] - settled) * (-(n as f64 - 1.0) / 10.0).exp();
        assert!(
            (is / closed - 1.0).abs() < 0.01,
            "{is} of {closed} C after {n} tenths"
        );
    }
    assert!(settled > begun + 10.0, "{settled} C in the long run");
}

/// Light throttling lets 200 MB/s through, and no more; the drive cools down, works at full speed again and is warm again.
#[test]
fn a_drive_that_is_too_warm_moves_what_the_step_says_until_it_has_cooled_down() {
    let warm = [
        "thermal.capacity=0.01",
        "thermal.resistance=10",
        "thermal.light_from=40",
        "thermal.light_until=20",
        "thermal.light_rate=200",
        "thermal.heavy_from=900",
    ];
    let mut ssd = drive(&warm);
    // It is above the end of the step with nothing to do, so that the step holds for good.
    read_for(&mut ssd, 0.0, 1.0);
    let (mb_s, _) = read_for(&mut ssd, 2.0, 1.0);
    assert!((mb_s / 200.0 - 1.0).abs() < 0.01, "{mb_s} MB/s");
    let totals = ssd.temperature(SimTime(3_000_000_000)).unwrap().totals;
    assert!(totals.throttled() > Nanos::from_millis(2_500));
    assert_eq!(totals.began, [1, 0], "it held for good");
    let free = read_for(
        &mut drive(&["thermal.light_from=500", "thermal.heavy_from=900"]),
        0.0,
        0.3,
    )
    .0;
    assert!(free > 5.0 * mb_s, "{free} MB/s without");
    // With an end above what it has at the throttled rate, and below what it has without, it comes and goes.
    let ends = [
        "thermal.light_from=53",
        "thermal.light_until=50",
        "thermal.light_rate=1",
        "thermal.heavy_from=900",
    ];
    let mut ssd = drive(&[&warm[..2], &ends].concat());
    read_for(&mut ssd, 0.0, 4.0);
    let totals = ssd.temperature(SimTime(4_000_000_000)).unwrap().totals;
    let throttled = totals.throttled().as_secs();
    assert!(
        (0.2..3.8).contains(&throttled),
        "throttled for {throttled} s of 4"
    );
    assert!(totals.began[0] > 1 && totals.began[1] == 0, "{totals:?}");
}

#[test]
fn heat_that_cannot_be_is_refused() {
    for (setting, why) in [
        (
            "thermal.light_until=90",
            "throttling would end where it begins",
        ),
        ("thermal.light_from=86", "is not above thermal.light_from"),
        ("thermal.warning=86", "is above thermal.critical"),
    ] {
        let told = Catalog::default()
            .load("samsung-970-evo-500", &[setting.to_owned()])
            .unwrap_err()
            .to_string();
        assert!(told.contains(why), "{told}");
    }
    let bare = [
        "thermal.ambient=20",
        "thermal.resistance=10",
        "thermal.capacity=6",
    ]
    .map(str::to_owned);
    let told = Catalog::default()
        .load("generic-mlc-8", &bare)
        .unwrap_err()
        .to_string();
    assert!(told.contains("[thermal] needs [power]"), "{told}");
    let told = Catalog::default()
        .load("adata-atom-50-1000", &["thermal.light_from=80".to_owned()])
        .unwrap_err()
        .to_string();
    assert!(told.contains("give all three or none"), "{told}");
}
