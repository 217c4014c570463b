//! Where latencies go.

use ftlab_device::{Command, Completion, Device, Split};

/// Ends of random reads, writes, flushes and a trim, some at once.
fn ends(name: &str, testbed: &str, splits: bool) -> Vec<(u64, Completion)> {
    let builder = Device::named(name).shrink_to(3 << 30).testbed(testbed);
    let builder = builder.state("filled").track_power_cuts();
    let builder = match splits {
        true => builder.split_latencies(),
        false => builder,
    };
    let mut drive = builder.build().unwrap();
    let places = drive.capacity_bytes() / (1 << 20);
    let (mut done, mut begun) = (Vec::new(), Vec::new());
    for id in 0..600_u64 {
        let offset = id.wrapping_mul(0x9e37_79b9_7f4a_7c15) % places * (1 << 20);
        let command = match id % 6 {
            0 | 1 => Command::read(id, offset, 4096 << (id % 9)),
            5 if id % 12 == 5 => Command::flush(id),
            5 => Command::trim(id, offset, 1 << 20),
            _ => Command::write(id, offset, 4096 << (id % 9)),
        };
        if id == 300 {
            while drive.advance_to_completion(u64::MAX, &mut done).is_some() {}
            drive.power_cut(drive.now_ns(), 1).unwrap();
        }
        begun.push(drive.now_ns());
        drive.submit(command, drive.now_ns()).unwrap();
        while drive.outstanding() >= 8 {
            drive.advance_to_completion(u64::MAX, &mut done);
        }
    }
    while drive.advance_to_completion(u64::MAX, &mut done).is_some() {}
    assert_eq!(done.len(), 600);
    let with_begin = done.into_iter().map(|end| (begun[end.id as usize], end));
    with_begin.collect()
}

#[test]
fn parts_of_a_latency_are_all_of_it_and_change_nothing() {
    for (name, testbed) in [
        ("samsung-980-pro-1000", "linux-2024-io-uring"),
        ("intel-x25-m-g2-160", "anandtech-2008"),
    ] {
        let ends = (ends(name, testbed, true), ends(name, testbed, false));
        let mut sum = Split::default();
        for ((began, end), (_, without)) in ends.0.iter().zip(&ends.1) {
            let split = end.split.expect("it was asked for");
            let parts = [
                split.host_ns,
                split.controller_ns,
                split.link_ns,
                split.flash_ns,
            ];
            assert_eq!(parts.iter().sum::<u64>(), end.at_ns - began, "{end:?}");
            assert_eq!(
                (end.id, end.at_ns, without.split),
                (without.id, without.at_ns, None)
            );
            sum.host_ns += split.host_ns;
            sum.controller_ns += split.controller_ns;
            sum.link_ns += split.link_ns;
            sum.flash_ns += split.flash_ns;
        }
        assert!(
            [sum.host_ns, sum.controller_ns, sum.link_ns]
                .iter()
                .all(|part| *part > 0),
            "{sum:?}"
        );
        assert!(sum.flash_ns > sum.controller_ns, "{name}: {sum:?}");
    }
}

#[test]
fn a_single_read_is_mostly_flash_and_a_disk_does_not_say() {
    let one = |name: &str| {
        let builder = Device::named(name).state("filled").split_latencies();
        let builder = if name.starts_with("seagate") {
            builder
        } else {
            builder.shrink_to(3 << 30)
        };
        let mut drive = builder.build().unwrap();
        let mut done = Vec::new();
        drive.submit(Command::read(1, 1 << 30, 4096), 0).unwrap();
        while drive.advance_to_completion(u64::MAX, &mut done).is_some() {}
        (done[0].at_ns, done[0].split)
    };
    let (latency_ns, split) = one("samsung-980-pro-1000");
    let split = split.unwrap();
    assert!(2 * split.flash_ns > latency_ns, "{split:?} of {latency_ns}");
    assert_eq!(one("seagate-momentus-7200.2").1, None);
}
