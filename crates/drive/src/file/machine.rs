//! The machine behind which a drive is measured when nobody names one.

use super::DriveFile;
use ftlab_host::Port;

/// Machines of the drives' times, the oldest first.
const TESTBEDS: [&str; 3] = ["anandtech-2008", "anandtech-2012", "linux-2024-io-uring"];

/// The slug of the testbed that drives stand behind when nobody names one: a machine of the time of the newest of them. It
/// has the ports and the processor for it, so that it is the drive that is measured.
#[must_use]
pub fn default_testbed<'f>(drives: impl IntoIterator<Item = &'f DriveFile>) -> &'static str {
    let newest = drives.into_iter().map(time).max();
    TESTBEDS[newest.unwrap_or_default()]
}

/// The time of a drive, by its port: lanes of PCI Express, and the networks of clouds, are of today; SATA of 6 Gbit/s came in
/// 2011. The number of the testbed of that time.
fn time(drive: &DriveFile) -> usize {
    match drive.link() {
        Some(link) if link.is_pcie() => 2,
        _ if drive.has_limit() => 2,
        Some(link) => match Port::of_rate(link.bytes_s()) {
            Some(Port::Sata6g) => 1,
            _ => 0,
        },
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalog;
    use ftlab_host::Testbed;

    fn of(drives: &[&str]) -> &'static str {
        let load = |slug: &&str| Catalog::default().load(slug, &[]).expect("it comes along");
        let files: Vec<DriveFile> = drives.iter().map(load).collect();
        default_testbed(&files)
    }

    #[test]
    fn a_drive_stands_behind_a_machine_of_its_time() {
        for testbed in TESTBEDS {
            assert!(Testbed::load(testbed).is_ok(), "{testbed}");
        }
        for (drive, testbed) in [
            ("intel-x25-m-g1-80", "anandtech-2008"),
            ("wd-velociraptor-300", "anandtech-2008"),
            ("ramdisk-8gb", "anandtech-2008"),
            ("generic-mlc-8", "anandtech-2008"),
            ("samsung-840-pro-256", "anandtech-2012"),
            ("samsung-870-qvo-4000", "anandtech-2012"),
            ("intel-p3700-800", "linux-2024-io-uring"),
            ("samsung-pm9a3-960", "linux-2024-io-uring"),
            ("aws-ebs-gp3-500", "linux-2024-io-uring"),
            ("gcp-local-ssd-375", "linux-2024-io-uring"),
        ] {
            assert_eq!(of(&[drive]), testbed, "{drive}");
        }
    }

    #[test]
    fn several_drives_at_one_host_stand_behind_the_newest_machine() {
        let mixed = [
            "intel-x25-m-g1-80",
            "samsung-pm9a3-960",
            "samsung-840-pro-256",
        ];
        assert_eq!(of(&mixed), "linux-2024-io-uring");
    }
}
