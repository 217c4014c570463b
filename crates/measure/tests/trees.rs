//! Every refusal that a made-up sysfs and procfs can show: disks of all buses, LVM, RAID, and what no test machine has.

use ftlab_measure::device::Device;
use ftlab_measure::device::refusal::{How, Refusal};
use ftlab_measure::device::system::{Number, System};
use std::fs::{create_dir_all, write};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use tempfile::TempDir;

const SECTORS: u64 = 2_000_000;

/// A system made of files.
struct Tree {
    dir: TempDir,
}

impl Tree {
    fn new() -> Tree {
        let tree = Tree {
            dir: TempDir::new().unwrap(),
        };
        tree.file("proc/self/mountinfo", "");
        tree.file("proc/swaps", "Filename Type Size Used Priority\n");
        create_dir_all(tree.path("sys/dev/block")).unwrap();
        create_dir_all(tree.path("sys/class/block")).unwrap();
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        create_dir_all(path.parent().unwrap()).unwrap();
        write(path, text).unwrap();
    }

    /// A device `number` at `name`, which is `disk/part` for a partition.
    fn block(&self, name: &str, number: &str) -> &Tree {
        let dir = format!("sys/devices/{name}");
        self.file(&format!("{dir}/dev"), format!("{number}\n"));
        self.file(&format!("{dir}/size"), format!("{SECTORS}\n"));
        self.file(&format!("{dir}/ro"), "0\n");
        for folder in ["holders", "slaves"] {
            create_dir_all(self.path(&format!("{dir}/{folder}"))).unwrap();
        }
        if name.contains('/') {
            self.file(&format!("{dir}/partition"), "1\n");
        }
        let dir = self.path(&dir);
        let last = dir.file_name().unwrap().to_owned();
        symlink(&dir, self.path("sys/dev/block").join(number)).unwrap();
        symlink(&dir, self.path("sys/class/block").join(last)).unwrap();
        self
    }

    /// A disk with a serial number and a name.
    fn disk(&self, name: &str, number: &str) -> &Tree {
        self.block(name, number);
        self.file(
            &format!("sys/devices/{name}/device/serial"),
            format!("S-{name}\n"),
        );
        self.file(&format!("sys/devices/{name}/wwid"), format!("eui.{name}\n"));
        self
    }

    /// `above` is made of `below`.
    fn made(&self, above: &str, below: &str) -> &Tree {
        let dir = |name: &str| self.path(&format!("sys/devices/{name}"));
        let last = |name: &str| dir(name).file_name().unwrap().to_owned();
        symlink(dir(above), dir(below).join("holders").join(last(above))).unwrap();
        symlink(dir(below), dir(above).join("slaves").join(last(below))).unwrap();
        self
    }

    fn mounted(&self, number: &str, at: &str) -> &Tree {
        let line = format!("36 35 {number} / {at} rw,noatime master:1 - ext4 /dev/whatever rw\n");
        self.file("proc/self/mountinfo", line);
        self
    }

    fn system(&self) -> System {
        System::below(self.dir.path())
    }

    fn find(&self, number: &str) -> Result<Device, Refusal> {
        let system = self.system();
        let number: Number = number.parse().unwrap();
        let block = system.block(number).expect("the tree has it");
        Device::of_block(&system, PathBuf::from("/dev/target"), &block)
    }

    fn id(&self, number: &str) -> String {
        self.find(number).unwrap().id.to_string()
    }

    #[track_caller]
    fn nameless(&self, number: &str) -> String {
        match self.find(number) {
            Err(Refusal::Nameless { why, .. }) => why,
            other => panic!("{other:?}"),
        }
    }

    /// The use for which a disk is refused, and what lies between.
    #[track_caller]
    fn used(&self, number: &str) -> (How, Vec<String>) {
        match self.find(number).unwrap().check(&self.system()) {
            Err(Refusal::InUse { what, .. }) => (what.how, what.through),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_disk_that_nobody_uses_may_be_measured() {
    let tree = Tree::new();
    tree.disk("sda", "8:0")
        .block("sda/sda1", "8:1")
        .disk("sdb", "8:16");
    tree.mounted("8:16", "/data");
    tree.find("8:0").unwrap().check(&tree.system()).unwrap();
}

#[test]
fn a_disk_of_a_server_that_the_kernel_shows_cannot_be_named() {
    let tree = Tree::new();
    tree.block("nbd0", "43:0");
    let why = tree.nameless("43:0");
    assert!(why.contains("nbd://HOST:PORT/EXPORT"), "{why}");
}

#[test]
fn a_disk_is_named_by_what_its_bus_says() {
    let tree = Tree::new();
    let bytes = SECTORS * 512;
    tree.disk("nvme0n1", "259:0");
    assert_eq!(
        tree.id("259:0"),
        format!("disk:S-nvme0n1:eui.nvme0n1:{bytes}")
    );

    tree.block("sda", "8:0");
    tree.file(
        "sys/devices/sda/device/vpd_pg80",
        b"\0\x80\0\x0cS1 2:3     \n",
    );
    tree.file("sys/devices/sda/device/wwid", "naa.5002538d4\n");
    assert_eq!(tree.id("8:0"), format!("disk:S1_2_3:naa.5002538d4:{bytes}"));

    tree.block("vda", "254:0");
    tree.file("sys/devices/vda/serial", "disk-1");
    assert_eq!(tree.id("254:0"), format!("disk:disk-1:-:{bytes}"));
}

#[test]
fn a_disk_without_a_number_of_its_own_cannot_be_named() {
    let tree = Tree::new();
    tree.block("vda", "254:0");
    tree.file("sys/devices/vda/serial", "");
    assert!(
        tree.nameless("254:0")
            .contains("neither a serial number nor")
    );
    tree.file("sys/devices/vda/serial", "0000 0000\n");
    tree.nameless("254:0");
}

#[test]
fn two_disks_that_say_the_same_cannot_be_named() {
    let tree = Tree::new();
    for (name, number) in [("sda", "8:0"), ("sdb", "8:16")] {
        tree.block(name, number);
        tree.file(
            &format!("sys/devices/{name}/device/serial"),
            "0123456789ABCDEF",
        );
    }
    assert!(tree.nameless("8:0").contains("sdb says the same"));
    // A path of a disk that has several is no second disk.
    tree.file("sys/devices/sdb/hidden", "1\n");
    tree.find("8:0").unwrap();
    // Another size is another disk.
    tree.file("sys/devices/sdb/hidden", "0\n");
    tree.file("sys/devices/sdb/size", "1000\n");
    tree.find("8:0").unwrap();
}

#[test]
fn a_partition_is_refused_and_its_disk_is_said() {
    let tree = Tree::new();
    tree.disk("sda", "8:0").block("sda/sda1", "8:1");
    let error = tree.find("8:1").unwrap_err();
    assert!(
        matches!(&error, Refusal::Partition { disk, .. } if disk == "sda"),
        "{error}"
    );
}

#[test]
fn a_drive_without_a_medium_is_refused() {
    let tree = Tree::new();
    tree.disk("sr0", "11:0");
    tree.file("sys/devices/sr0/size", "0\n");
    tree.file("sys/devices/sr0/removable", "1\n");
    let error = tree.find("11:0").unwrap_err();
    assert!(error.to_string().contains("no medium"), "{error}");
    tree.file("sys/devices/sr0/removable", "0\n");
    let error = tree.find("11:0").unwrap_err();
    assert!(error.to_string().contains("nothing is attached"), "{error}");
}

#[test]
fn a_disk_that_takes_no_writes_is_refused() {
    let tree = Tree::new();
    tree.disk("sda", "8:0");
    tree.file("sys/devices/sda/ro", "1\n");
    let refused = tree.find("8:0").unwrap().check(&tree.system());
    assert!(
        matches!(refused, Err(Refusal::ReadOnly { .. })),
        "{refused:?}"
    );
}

#[test]
fn what_is_mounted_is_refused_through_every_layer() {
    let tree = Tree::new();
    tree.disk("sda", "8:0").mounted("8:0", "/whole");
    assert_eq!(tree.used("8:0"), (How::Mounted("/whole".into()), vec![]));

    // LVM on a RAID on a partition.
    tree.block("sda/sda1", "8:1")
        .block("md0", "9:0")
        .block("dm-0", "253:0");
    tree.made("md0", "sda/sda1").made("dm-0", "md0");
    tree.mounted("253:0", "/srv\\040x");
    let through: Vec<String> = ["dm-0", "md0", "sda1"].map(String::from).into();
    assert_eq!(tree.used("8:0"), (How::Mounted("/srv x".into()), through));
}

#[test]
fn what_is_made_of_a_disk_keeps_it_without_a_mount() {
    let tree = Tree::new();
    tree.disk("sda", "8:0")
        .block("sda/sda1", "8:1")
        .block("dm-0", "253:0");
    tree.made("dm-0", "sda/sda1");
    assert_eq!(
        tree.used("8:0"),
        (How::Holder("dm-0".into()), vec!["sda1".to_owned()])
    );
}

#[test]
fn what_is_made_of_disks_is_none() {
    let tree = Tree::new();
    tree.disk("sda", "8:0")
        .disk("sdb", "8:16")
        .disk("md0", "9:0");
    tree.made("md0", "sda").made("md0", "sdb");
    let error = tree.find("9:0").unwrap_err();
    assert!(
        matches!(&error, Refusal::Made { of, .. } if of == "sda and sdb"),
        "{error}"
    );
}

#[test]
fn a_ring_of_devices_ends() {
    let tree = Tree::new();
    tree.disk("sda", "8:0")
        .block("dm-0", "253:0")
        .block("dm-1", "253:1");
    tree.made("dm-0", "sda")
        .made("dm-1", "dm-0")
        .made("dm-0", "dm-1");
    assert_eq!(tree.used("8:0").0, How::Holder("dm-0".into()));
}

#[test]
fn swap_is_refused_even_where_its_path_leads_nowhere() {
    let tree = Tree::new();
    tree.disk("sda", "8:0").block("sda/sda2", "8:2");
    tree.file(
        "proc/swaps",
        "Filename Type Size Used Priority\n/dev/sda2 partition 9 0 -2\n",
    );
    let swap = How::Swap("/dev/sda2".into());
    assert_eq!(tree.used("8:0"), (swap, vec!["sda2".to_owned()]));
}

#[test]
fn each_disk_of_a_btrfs_is_refused_though_its_mount_has_another_number() {
    let tree = Tree::new();
    tree.disk("sda", "8:0").disk("sdb", "8:16");
    tree.mounted("0:66", "/data");
    let devices = tree.path("sys/fs/btrfs/4657-11/devices");
    create_dir_all(&devices).unwrap();
    create_dir_all(tree.path("sys/fs/btrfs/features")).unwrap();
    for name in ["sda", "sdb"] {
        symlink(tree.path("sys/devices").join(name), devices.join(name)).unwrap();
    }
    for number in ["8:0", "8:16"] {
        assert_eq!(tree.used(number).0, How::Btrfs("4657-11".into()));
    }
}

#[test]
fn a_system_that_does_not_say_what_is_mounted_is_left_alone() {
    let tree = Tree::new();
    tree.disk("sda", "8:0");
    let device = tree.find("8:0").unwrap();
    for text in [
        &b"nothing of the kind\n"[..],
        b"1 2 x:y / / rw - ext4 /dev/sda rw\n",
    ] {
        tree.file("proc/self/mountinfo", text);
        let refused = device.check(&tree.system());
        assert!(
            matches!(refused, Err(Refusal::Unknown { .. })),
            "{refused:?}"
        );
    }
    std::fs::remove_file(tree.path("proc/self/mountinfo")).unwrap();
    let refused = device.check(&tree.system());
    assert!(
        matches!(refused, Err(Refusal::Unknown { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_file_is_refused_that_a_loop_device_may_show_which_cannot_be_found() {
    let tree = Tree::new();
    let bytes = SECTORS * 512;
    let file = tree.path("disk.img");
    std::fs::File::create(&file)
        .unwrap()
        .set_len(bytes)
        .unwrap();
    let device = Device::find(&tree.system(), &file).unwrap();
    device.check(&tree.system()).unwrap();

    tree.block("loop0", "7:0");
    tree.file(
        "sys/devices/loop0/loop/backing_file",
        "/of/a/container/disk.img\n",
    );
    tree.file("sys/devices/loop0/loop/offset", "0\n");
    tree.file("sys/devices/loop0/loop/sizelimit", "0\n");
    let use_of = |device: &Device| match device.check(&tree.system()) {
        Err(Refusal::InUse { what, .. }) => Some(what.how),
        other => {
            other.unwrap();
            None
        }
    };
    let perhaps = How::PerhapsLoop("loop0".into(), "/of/a/container/disk.img".into());
    assert_eq!(use_of(&device), Some(perhaps));
    // One of another size is another file.
    tree.file("sys/devices/loop0/size", "8\n");
    assert_eq!(use_of(&device), None);
    // Unless it was removed under one of its names, or shows a part alone.
    tree.file(
        "sys/devices/loop0/loop/backing_file",
        "/of/a/container/disk.img (deleted)\n",
    );
    assert!(matches!(use_of(&device), Some(How::PerhapsLoop(..))));
    // The same file by the path that the loop device shows.
    tree.file("sys/devices/loop0/loop/backing_file", "/disk.img\n");
    assert_eq!(use_of(&device), Some(How::Loop("loop0".into())));
}

#[test]
fn a_loop_device_cannot_be_named_whose_file_cannot_be_found() {
    let tree = Tree::new();
    tree.block("loop0", "7:0");
    tree.file("sys/devices/loop0/loop/backing_file", "/nowhere\n");
    assert!(tree.nameless("7:0").contains("no such file"));
}
