//! Block devices.

use crate::machine::{Machine, fails, hold, open, refused, run, text, used};
use ftlab_measure::device::Device;
use ftlab_measure::device::held::Access;
use ftlab_measure::device::id::Id;
use ftlab_measure::device::refusal::{How, Refusal};
use ftlab_measure::device::system::System;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn a_loop_device_has_the_id_of_its_file_and_is_held_alone() {
    let Some(mut machine) = Machine::turn("a loop device is held alone") else {
        return;
    };
    let file = machine.file("disk");
    let device = machine.attach(&file, &[]);
    let system = System::here();
    let found = Device::find(&system, &device).unwrap();
    assert_eq!(found.id, Device::find(&system, &file).unwrap().id);

    run(&["mkfs.ext4", "-q", text(&device)]);
    let held = hold(&device).unwrap();
    let at = machine.path("mnt");
    std::fs::create_dir(&at).unwrap();
    fails(&["mount", text(&device), text(&at)]);
    assert!(matches!(hold(&device), Err(Refusal::Busy { .. })));
    held.verify().unwrap();
    // Programs that it starts come to the same device.
    let other = std::fs::metadata(held.path_for_others()).unwrap();
    assert_eq!(other.rdev(), std::fs::metadata(&device).unwrap().rdev());
    drop(held);
    machine.mount_at(&device, &at);
}

#[test]
fn a_mounted_device_is_refused() {
    let Some(mut machine) = Machine::turn("a mounted device") else {
        return;
    };
    let device = machine.block("disk");
    run(&["mkfs.ext4", "-q", text(&device)]);
    let at = machine.mount(&device);
    assert_eq!(used(&device), (How::Mounted(at), vec![]));
}

#[test]
fn a_partition_is_refused_and_a_disk_whose_partition_is_used() {
    let Some(mut machine) = Machine::turn("partitions") else {
        return;
    };
    let device = machine.block("disk");
    let part = machine.partition(&device, "1");
    let swap = machine.partition_behind(&device, "2");
    assert!(refused(&part).contains(&format!("a partition of {}", name(&device))));
    hold(&device).unwrap();

    machine.swap_to(&swap);
    assert_eq!(used(&device), (How::Swap(swap.clone()), vec![name(&swap)]));
    run(&["mkfs.ext4", "-q", text(&part)]);
    let at = machine.mount(&part);
    assert_eq!(used(&device), (How::Mounted(at), vec![name(&part)]));
}

#[test]
fn swap_is_refused() {
    let Some(mut machine) = Machine::turn("swap") else {
        return;
    };
    let device = machine.block("disk");
    machine.swap_to(&device);
    assert_eq!(used(&device), (How::Swap(device.clone()), vec![]));
}

#[test]
fn a_loop_device_on_a_swap_file_is_refused() {
    let Some(mut machine) = Machine::turn("a swap file") else {
        return;
    };
    let file = machine.whole_file("swap");
    machine.swap_to(&file);
    assert_eq!(used(&file).0, How::Swap(file.clone()));
    let device = machine.attach(&file, &["--read-only"]);
    assert_eq!(used(&device).0, How::Swap(file));
}

#[test]
fn each_device_of_a_btrfs_is_refused() {
    let Some(mut machine) = Machine::turn("btrfs") else {
        return;
    };
    let (one, two) = (machine.block("one"), machine.block("two"));
    run(&["mkfs.btrfs", "-q", "-f", text(&one), text(&two)]);
    machine.mount(&one);
    for device in [&one, &two] {
        assert!(matches!(used(device).0, How::Btrfs(_) | How::Mounted(_)));
    }
}

#[test]
fn a_device_that_another_container_has_mounted_is_refused() {
    let Some(mut machine) = Machine::turn("mounts of others") else {
        return;
    };
    let device = machine.block("disk");
    run(&["mkfs.ext4", "-q", text(&device)]);
    let at = machine.path("mnt");
    std::fs::create_dir(&at).unwrap();
    let script = format!(
        "mount {} {} && echo mounted && cat",
        text(&device),
        text(&at)
    );
    let mut other = std::process::Command::new("unshare")
        .args(["--mount", "sh", "-c", &script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut out = std::io::BufReader::new(other.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut out, &mut said).unwrap();
    assert_eq!(said, "mounted\n");
    assert!(
        !std::fs::read_to_string("/proc/self/mountinfo")
            .unwrap()
            .contains(text(&at))
    );
    let held = hold(&device);
    drop(other.stdin.take());
    other.wait().unwrap();
    assert!(matches!(held, Err(Refusal::Busy { .. })), "{held:?}");
}

#[test]
fn a_file_that_two_loop_devices_show_is_refused_by_each_way() {
    let Some(mut machine) = Machine::turn("two loop devices on a file") else {
        return;
    };
    let file = machine.file("disk");
    let one = machine.attach(&file, &[]);
    assert_eq!(used(&file).0, How::Loop(name(&one)));
    hold(&one).unwrap();
    let two = machine.attach(&file, &[]);
    assert_eq!(used(&one).0, How::Loop(name(&two)));
    assert_eq!(used(&two).0, How::Loop(name(&one)));
}

#[test]
fn a_loop_device_on_a_device_is_none_and_keeps_that_device() {
    let Some(mut machine) = Machine::turn("a loop device on a device") else {
        return;
    };
    let below = machine.block("disk");
    let above = machine.attach(&below, &[]);
    assert!(refused(&above).contains("measure that one itself"));
    assert_eq!(used(&below).0, How::Loop(name(&above)));
}

#[test]
fn a_device_that_takes_no_writes_is_refused() {
    let Some(mut machine) = Machine::turn("a read-only device") else {
        return;
    };
    let file = machine.file("disk");
    let device = machine.attach(&file, &["--read-only"]);
    assert!(refused(&device).contains("read-only"));
}

#[test]
fn a_loop_device_without_a_file_has_no_size() {
    let Some(mut machine) = Machine::turn("a free loop device") else {
        return;
    };
    let device = machine.block("disk");
    run(&["losetup", "-d", text(&device)]);
    let refused = Device::find(&System::here(), &device);
    assert!(matches!(refused, Err(Refusal::Empty { .. })), "{refused:?}");
}

#[test]
fn another_id_than_the_device_has_is_refused_and_nothing_is_written() {
    let Some(mut machine) = Machine::turn("another id") else {
        return;
    };
    let (one, two) = (machine.block("one"), machine.block("two"));
    let system = System::here();
    let id = Device::find(&system, &one).unwrap().id;
    let refused = open(&two, Access::Destroy(id.clone()));
    assert!(matches!(refused, Err(Refusal::Other { .. })), "{refused:?}");
    let nothing: Id = String::new().parse().unwrap();
    let refused = open(&one, Access::Destroy(nothing));
    assert!(matches!(refused, Err(Refusal::Other { .. })), "{refused:?}");
}

#[test]
fn a_device_that_becomes_another_one_is_seen_after_a_pause() {
    let Some(mut machine) = Machine::turn("a device that changes") else {
        return;
    };
    let file = machine.file("disk");
    let device = machine.attach(&file, &[]);
    let held = hold(&device).unwrap();
    std::fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_len(1 << 20)
        .unwrap();
    run(&["losetup", "--set-capacity", text(&device)]);
    let changed = held.verify();
    assert!(
        matches!(changed, Err(Refusal::Changed { .. })),
        "{changed:?}"
    );
}

#[test]
fn a_partition_that_comes_meanwhile_is_seen_after_a_pause() {
    let Some(mut machine) = Machine::turn("a loop device that comes meanwhile") else {
        return;
    };
    let device = machine.block("disk");
    let held = hold(&device).unwrap();
    let above = machine.attach(&device, &[]);
    let used = held.verify();
    assert!(
        matches!(&used, Err(Refusal::InUse { what, .. }) if what.how == How::Loop(name(&above))),
        "{used:?}"
    );
}

#[test]
fn the_disk_of_the_root_file_system_is_refused() {
    let system = System::here();
    let root = system.root().unwrap();
    // A container's root is of no device.
    let Some(block) = system.block(root) else {
        return eprintln!("NOT TESTED: the root file system: it is on no block device");
    };
    let disk = block.disk().unwrap_or(block);
    let uses = ftlab_measure::device::uses::Uses::read(&system).unwrap();
    assert_eq!(uses.of_disk(&disk).map(|found| found.how), Some(How::Root));
}
