//! Images whose drive names a policy of the program's own.

use super::oracle::Commands;
use super::tiny::{catalog, testbed, tiny};
use crate::{
    CreateOptions, DataDrive, ImageError, OpenOptions, accept, fsck, pack, rebuild, reset_image,
};
use ftlab_base::{Blame, Lba, Outcome};
use ftlab_drive::{Catalog, DriveFile, OwnPolicies};
use ftlab_ftl::page::Fifo;
use std::path::Path;

/// A catalogue whose drives know this policy, and a tiny drive of it whose file names the policy.
fn own(policy: &str) -> (Catalog, DriveFile) {
    let mut own = OwnPolicies::default();
    own.add_victim(policy, |_| Box::new(Fifo)).unwrap();
    let catalog = Catalog::with(own);
    let plain = tiny("page");
    let set = plain.with(&["gc.policy=fifo".to_owned()]).unwrap();
    let text = set.text().replace("\"fifo\"", &format!("\"{policy}\""));
    let file = catalog.parse(plain.slug(), &text, &[]).unwrap();
    assert_ne!(file.hash(), set.hash());
    (catalog, file)
}

fn work(drive: &mut DataDrive, seed: u64) -> Vec<u8> {
    let mut commands = Commands::new(drive, seed);
    for _ in 0..80 {
        let (command, data) = commands.next();
        assert_eq!(drive.apply(command, &data), Outcome::Good);
    }
    let mut bytes = vec![0; drive.capacity_bytes() as usize];
    drive.read(Lba(0), &mut bytes).unwrap();
    bytes
}

fn opened(path: &Path, catalog: &Catalog) -> Result<DataDrive, ImageError> {
    let options = OpenOptions::on(catalog, testbed());
    DataDrive::open(path, &options).map(|(drive, _)| drive)
}

#[test]
fn an_image_opens_with_the_catalogue_that_knows_its_policy() {
    let (knowing, file) = own("mine");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.img");
    let made = DataDrive::create(&path, &file, testbed(), &CreateOptions::default());
    let mut drive = made.unwrap();
    work(&mut drive, 3);
    drive.snapshot("first").unwrap();
    let held = work(&mut drive, 4);
    drive.close().unwrap();
    let mut drive = opened(&path, &knowing).unwrap();
    let mut found = vec![0; held.len()];
    drive.read(Lba(0), &mut found).unwrap();
    assert_eq!(found, held);
    // At work it comes back from its image by itself, which nobody hands a catalogue to.
    work(&mut drive, 5);
    drive.cut_power(None).unwrap();
    drive.reset(Some("first")).unwrap();
    let names = drive.drive_file().catalog().policies().victim_names();
    assert_eq!(names.last().unwrap(), "mine");
    drive.close().unwrap();
    reset_image(&path, Some("first"), &knowing, testbed()).unwrap();
    assert!(fsck(&path, &knowing, testbed()).unwrap().is_good());
    pack(&path, &knowing, std::io::sink()).unwrap();
    let base = folder.path().join("b.img");
    let options = OpenOptions::on(&knowing, testbed());
    let (mut drive, _) = DataDrive::open_on_base(Some(&base), &path, &options).unwrap();
    drive.expect_resets();
    work(&mut drive, 6);
    drive.reset(None).unwrap();
    drive.close().unwrap();
}

#[test]
fn a_program_without_the_policy_of_an_image_leaves_it_alone_and_says_which_it_lacks() {
    let (_, file) = own("mine");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.img");
    let made = DataDrive::create(&path, &file, testbed(), &CreateOptions::default());
    made.unwrap().close().unwrap();
    let before = std::fs::read(&path).unwrap();
    let (others, _) = own("yours");
    for (catalog, names) in [(catalog(), "greedy, fifo"), (&others, "yours")] {
        let refused = |why: ImageError| {
            assert!(why.is_input(), "{why}");
            let why = why.to_string();
            let says = why.contains("policy `mine` is none of: ") && why.contains(names);
            assert!(
                says && why.contains("open it with the program that made it"),
                "{why}"
            );
            assert!(!why.contains("damaged"), "{why}");
        };
        refused(opened(&path, catalog).unwrap_err());
        refused(fsck(&path, catalog, testbed()).unwrap_err());
        refused(accept(&path, catalog, testbed()).unwrap_err());
        refused(rebuild(&path, catalog, testbed()).unwrap_err());
        refused(pack(&path, catalog, std::io::sink()).unwrap_err());
    }
    assert!(std::fs::read(&path).unwrap() == before, "it was written to");
}
