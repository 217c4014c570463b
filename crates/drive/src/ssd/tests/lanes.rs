//! Drives of NVMe at their link: lanes that carry both ways at once, and commands in parts.

use super::*;
use ftlab_host::{Host, Pcie, PcieEnd};

/// A drive whose link is the slowest part of it by far, on lanes or on a cable of the same rate.
fn drive(link: &[&str]) -> Ssd {
    let fast = [
        "nand.channels=8",
        "nand.dies_per_channel=4",
        "nand.blocks_per_die=16",
        "nand.channel_rate=2000",
        "nand.t_read=10us",
        "nand.t_program=20us",
        "spare.op=0.8",
        "firmware.write_command=0us",
        "firmware.read_command=0us",
        "firmware.per_slot=0us",
        "buffer.size=32MiB",
        "link.command=0us",
    ];
    let settings: Vec<String> = (fast.iter().chain(link)).map(ToString::to_string).collect();
    let file = Catalog::default().load("generic-mlc-8", &settings).unwrap();
    let testbed = Testbed {
        host_command: Nanos::ZERO,
        ..Testbed::load("attached").unwrap()
    };
    file.build_ssd(&testbed, RootSeed(1)).unwrap().checked()
}

const LANES: [&str; 2] = ["link.port=pcie1x1", "link.payload_max=256"];

fn of(id: u64, kind: CommandKind, lba: u64, sectors: u32) -> Command {
    Command::new(kind, id, lba, sectors, SimTime::ZERO)
}

/// MB/s of reads and of writes of 128 KiB, 16 commands of a kind at a time, both kinds together unless `both` is false.
fn rates(mut ssd: Ssd, kinds: &[CommandKind]) -> Vec<f64> {
    const COUNT: u64 = 200;
    const SECTORS: u64 = 256;
    let filled = 32 * SECTORS;
    for lba in (0..filled).step_by(SECTORS as usize) {
        ssd.apply(of(lba, CommandKind::Write, lba, SECTORS as u32));
    }
    let (mut sent, mut ended, mut last) = ([0; 2], [0; 2], [0; 2]);
    let mut now = SimTime::ZERO;
    let mut done = Vec::new();
    while (0..kinds.len()).any(|n| ended[n] < COUNT) {
        for (n, &kind) in kinds.iter().enumerate() {
            while sent[n] < COUNT && sent[n] - ended[n] < 16 {
                let lba = (sent[n] % 16 + 16 * n as u64) * SECTORS;
                let id = 2 * sent[n] + n as u64;
                ssd.submit(of(id, kind, lba, SECTORS as u32), now);
                sent[n] += 1;
            }
        }
        now = ssd.next_event().expect("commands are outstanding");
        ssd.advance(now, &mut done);
        for end in done.drain(..) {
            let n = (end.id.0 % 2) as usize;
            ended[n] += 1;
            last[n] = end.at.0;
        }
    }
    let bytes = (COUNT * SECTORS * 512) as f64;
    (0..kinds.len())
        .map(|n| bytes / last[n] as f64 * 1e3)
        .collect()
}

#[test]
fn reads_and_writes_share_a_cable_and_not_lanes() {
    let both = [CommandKind::Read, CommandKind::Write];
    // A lane of the first generation carries 250 MB/s, in packets of 256 bytes that have 24 more.
    let lane = 250.0 * 256.0 / 280.0;
    let near = |is: f64, should: f64| (is / should - 1.0).abs() < 0.02;
    for kind in both {
        let alone = rates(drive(&LANES), &[kind]);
        assert!(near(alone[0], lane), "{kind:?}: {alone:?} of {lane}");
    }
    let together = rates(drive(&LANES), &both);
    // Requests for the data of writes take their part of the way of reads: 24 bytes for 512.
    let reads = lane - lane * 24.0 / 250.0 / 512.0 * 250.0;
    assert!(near(together[1], lane), "{together:?}");
    assert!(near(together[0], reads), "{together:?} of {reads}");
    let cable = rates(drive(&["link.rate=228.6"]), &both);
    assert!(cable.iter().sum::<f64>() < 1.02 * 228.6, "{cable:?}");
}

#[test]
fn what_a_drive_cannot_move_at_once_comes_in_parts_and_ends_once() {
    let mut ssd = drive(&[
        "link.rate=600",
        "queue.transfer_max=128KiB",
        "queue.depth=4",
    ]);
    ssd.submit(of(1, CommandKind::Write, 8, 3000), SimTime::ZERO);
    ssd.submit(of(2, CommandKind::Flush, 0, 0), SimTime::ZERO);
    let mut done = Vec::new();
    ssd.advance(SimTime::NEVER, &mut done);
    // The store checks that every sector comes back as the host wrote it, by its place in the command.
    let now = done.last().unwrap().at;
    ssd.submit(of(3, CommandKind::Read, 0, 3016), now);
    ssd.advance(SimTime::NEVER, &mut done);
    let ids: Vec<u64> = done.iter().map(|end| end.id.0).collect();
    assert_eq!(ids, [1, 2, 3]);
    assert_eq!(ssd.counters().host_ios, 3);
    assert_eq!(ssd.counters().host_bytes_written, 3000 * 512);
}

/// Each part costs the host and the firmware what a command costs.
#[test]
fn parts_cost_what_commands_cost() {
    let took = |transfer: &str| {
        let more = [
            "link.rate=600",
            "firmware.read_command=10us",
            "queue.depth=1",
            transfer,
        ];
        one(&mut drive(&more), CommandKind::Read, 0, 1024).0
    };
    let whole = took("queue.transfer_max=512KiB");
    let parts = took("queue.transfer_max=64KiB");
    assert_eq!(parts - whole, 7 * 10_000);
}

#[test]
fn a_narrow_slot_slows_a_drive_of_nvme_down() {
    let took = |slot: Option<&str>| {
        let mut ssd = drive(&[
            "link.port=pcie4x4",
            "link.payload_max=512",
            "link.rate=9000",
        ]);
        let slot = slot.map(|name| PcieEnd {
            lanes: Pcie::named(name).unwrap(),
            payload_bytes: 512,
        });
        ssd.plug(&Host { slot, ..Host::NONE });
        one(&mut ssd, CommandKind::Write, 0, 2048).0 as f64
    };
    let own = took(None);
    assert_eq!(took(Some("pcie5x4")), own);
    // The buffer has room: the link is all that a write waits for.
    let ratio = took(Some("pcie3x1")) / own;
    assert!((ratio - 8.0).abs() < 0.01, "{ratio}");
}

#[test]
fn a_link_that_cannot_be_is_refused() {
    for (settings, why) in [
        (&["link.payload_max=256"][..], "needs link.port"),
        (&["link.port=pcie4x4"], "needs link.payload_max"),
        (
            &["link.port=pcie9x4", "link.payload_max=256"],
            "no link of PCI Express",
        ),
        (&["queue.transfer_max=5000"], "whole pages of 4096 bytes"),
        (
            &["link.port=pcie4x4", "link.payload_max=300"],
            "packets of PCI Express carry 128",
        ),
    ] {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        let told = Catalog::default()
            .load("generic-mlc-8", &settings)
            .unwrap_err()
            .to_string();
        assert!(told.contains(why), "{told}");
    }
    let disk = [
        "link.port=pcie4x4".to_owned(),
        "link.payload_max=256".to_owned(),
    ];
    let told = Catalog::default()
        .load("wd-green-1tb", &disk)
        .unwrap_err()
        .to_string();
    assert!(told.contains("link.port is for drives of NVMe"), "{told}");
}

/// Drives with NVMe that come along say on which lanes they are, and their link is called so on a host.
#[test]
fn drives_of_nvme_name_their_link() {
    let host = Testbed::load("linux-2024-nvme").unwrap().host();
    for (slug, link) in [
        ("samsung-970-evo-plus-1000", "pcie3x4"),
        ("micron-7450-max-800", "pcie4x4"),
        ("kioxia-cm7-r-3840", "pcie5x4"),
        ("samsung-870-qvo-4000", "sata6g"),
        ("wd-green-1tb", "sata3g"),
        ("ramdisk-8gb", "none"),
    ] {
        assert_eq!(
            Catalog::default().load(slug, &[]).unwrap().link_on(&host),
            link,
            "{slug}"
        );
    }
}
