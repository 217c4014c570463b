//! Secure erase, ports, and what a drive takes from its supply.

use super::*;
use ftlab_base::{Lpn, Nanos};
use ftlab_host::Port;

#[test]
fn a_secure_erase_leaves_nothing_but_wear() {
    for kind in 0..KINDS.len() {
        let mut ssd = build(kind);
        run(&mut ssd, 2_000, 8, 3);
        let written = ssd.counters().host_bytes_written;
        let worn: u64 = ssd.erase_counts().iter().map(|&n| u64::from(n)).sum();
        ssd.secure_erase().unwrap();
        ssd.layer().check_invariants();
        let slots = ssd.layer().slots();
        assert!(
            (0..slots).all(|n| ssd.layer().lookup(Lpn(n)).is_none()),
            "{kind}"
        );
        let array = ssd.layer().array();
        let blocks = array.geometry().blocks();
        assert!((0..blocks).all(|n| array.programmed_pages(ftlab_base::BlockId(n)) == 0));
        let after: u64 = ssd.erase_counts().iter().map(|&n| u64::from(n)).sum();
        assert!(after > worn, "{kind}: what was programmed is erased");
        assert!(ssd.counters().host_bytes_written >= written, "totals stay");
        // The stamps check every read, and the drive takes writes as if new.
        run(&mut ssd, 2_000, 8, 4);
        ssd.layer().check_invariants();
    }
}

#[test]
fn an_erased_drive_answers_as_a_new_one() {
    let times = |ssd: &mut Ssd| {
        run(ssd, 500, 4, 9)
            .iter()
            .map(|done| done.at)
            .collect::<Vec<_>>()
    };
    let new = times(&mut build(X25_M));
    let mut used = build(X25_M);
    run(&mut used, 3_000, 8, 3);
    used.secure_erase().unwrap();
    assert_eq!(times(&mut used), new);
}

/// Milliseconds of a read of 1 MiB of what was just written, on a port.
fn read_ms(ssd: &mut Ssd, port: Option<Port>) -> f64 {
    let (_, testbed) = small(X25_M);
    ssd.plug(&testbed.on(port));
    let read = Command::new(CommandKind::Read, 0, 0, 2048, SimTime::ZERO);
    let mut done = Vec::new();
    // Nothing is mapped, so that all there is to do is to send zeros.
    ssd.submit(read, SimTime::ZERO);
    while let Some(at) = ssd.next_event() {
        ssd.advance(at, &mut done);
    }
    ssd.secure_erase().unwrap();
    done[0].at.as_secs() * 1e3
}

#[test]
fn a_port_slows_a_drive_down_to_its_rate_and_never_speeds_it_up() {
    let (file, testbed) = small_with(X25_M, &["link.rate=300", "firmware.per_slot=0us"]);
    let mut ssd = file.build_ssd(&testbed, RootSeed(1)).unwrap();
    let [none, slow, same, fast] = [
        None,
        Some(Port::Sata1500),
        Some(Port::Sata3g),
        Some(Port::Sata6g),
    ]
    .map(|port| read_ms(&mut ssd, port));
    assert_eq!((same, fast), (none, none));
    let more = (1u64 << 20) as f64 * (1.0 / 150e6 - 1.0 / 300e6) * 1e3;
    assert!((slow - none - more).abs() < 0.01, "{slow} ms, {none} ms");
}

const POWER: &[&str] = &[
    "power.controller_idle=100mW",
    "power.controller_active=1W",
    "power.link_slumber=10mW",
    "power.link_idle=200mW",
    "power.link_active=300mW",
    "power.read=1uJ",
    "power.program=50uJ",
    "power.erase=100uJ",
    "power.transfer=1nJ/B",
    "power.sleep_after=0ms",
];

fn metered(settings: &[&str]) -> Ssd {
    let settings: Vec<&str> = POWER.iter().chain(settings).copied().collect();
    let (file, testbed) = small_with(X25_M, &settings);
    file.build_ssd(&testbed, RootSeed(1)).unwrap()
}

#[test]
fn every_operation_and_every_span_of_a_run_is_in_its_energy() {
    let mut ssd = metered(&["power.dram=0mW"]);
    let end = run(&mut ssd, 3_000, 8, 5).last().unwrap().at;
    let mut done = Vec::new();
    let mut rest = end;
    while let Some(at) = ssd.next_event() {
        ssd.advance(at, &mut done);
        rest = at;
    }
    let later = rest + Nanos::from_secs(10);
    let (at_rest, after) = (ssd.energy(rest).unwrap(), ssd.energy(later).unwrap());
    let idle = (after - at_rest).total();
    assert!((idle - 10.0 * 0.3).abs() < 1e-9, "{idle} J of idling");
    assert_eq!(ssd.rest_watts(), Some(0.1 + 0.2));
    let counters = ssd.counters();
    let nand = counters.nand_reads as f64 * 1e-6
        + counters.nand_programs as f64 * 50e-6
        + counters.nand_erases as f64 * 100e-6;
    assert!(
        (after.nand / nand - 1.0).abs() < 1e-9,
        "{} J of {nand}",
        after.nand
    );
    assert!(after.bus > counters.nand_bytes_programmed as f64 * 1e-9);
    // Closed loop at depth 8: something is always to be done until the end.
    assert!((at_rest.controller / rest.as_secs() - 1.0).abs() < 1e-9);
}

#[test]
fn a_drive_sleeps_some_time_after_its_last_command() {
    let joules = |settings: &[&str]| {
        let mut ssd = metered(settings);
        let end = run(&mut ssd, 1, 1, 5).last().unwrap().at;
        let mut done = Vec::new();
        while let Some(at) = ssd.next_event() {
            ssd.advance(at, &mut done);
        }
        ssd.energy(end + Nanos::from_secs(20)).unwrap().controller
    };
    let more = joules(&["power.sleep_after=500ms"]) - joules(&[]);
    assert!((more - 0.5 * 0.9).abs() < 1e-9, "{more} J");
}

#[test]
fn a_file_says_what_all_parts_take_and_rightly() {
    let error = |settings: &[&str]| {
        let all: Vec<String> = KINDS[X25_M]
            .1
            .iter()
            .chain(settings)
            .map(ToString::to_string)
            .collect();
        Catalog::default()
            .load(KINDS[X25_M].0, &all)
            .unwrap_err()
            .to_string()
    };
    let above = error(&["power.controller_idle=9W"]);
    assert!(above.contains("controller_idle of 9 W is above"), "{above}");
    let unit = error(&["power.read=1W"]);
    assert!(unit.contains("unit `W` is none of: uJ, nJ, mJ"), "{unit}");
}
