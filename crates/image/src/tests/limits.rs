//! Limits of an image are looked at before anything is written, so none of them shuts it.

use super::driven::{Clock, Driven, recover};
use super::tiny::{names, testbed, tiny, tiny_with};
use crate::{CreateOptions, DataDrive, ImageError};

#[test]
fn a_buffer_that_an_image_has_no_room_for_is_refused_before_there_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.img");
    for (size, fits) in [("128MiB", true), ("129MiB", false)] {
        let file = tiny_with("page", &[&format!("buffer.size={size}")]);
        let made = DataDrive::create(&path, &file, testbed(), &CreateOptions::default());
        match made {
            Ok(drive) => drive.close().unwrap(),
            Err(why) => {
                assert!(matches!(why, ImageError::Buffer { .. }), "{why}");
                assert!(why.to_string().contains("buffer.size"), "{why}");
            }
        }
        assert_eq!(path.exists(), fits, "{size}");
        let _ = std::fs::remove_file(&path);
    }
}

/// Each part that is given up of a damaged image is noted in its checkpoints, for which whoever reads them has so much
/// room. One that has no room for more says so, and opens.
#[test]
fn a_checkpoint_that_nobody_would_read_is_not_written() {
    for name in &names() {
        let mut driven = Driven::new(&tiny(name), 7);
        driven.work(Clock::Untimed, 60);
        let operations = driven.recorder.count();
        let flash = driven.drive.body.flash().expect("it is of flash");
        let store = flash.store_mut();
        let before = store.lost().to_vec();
        store.lose(vec![(0, 0); 40_000]);
        let why = driven.drive.checkpoint().unwrap_err().to_string();
        assert!(
            why.contains("40000 parts") && why.contains("--rebuild"),
            "{why}"
        );
        let flash = driven.drive.body.flash().expect("it is of flash");
        flash.store_mut().lose(before);
        // It goes on, and opens.
        driven.oracle.check(&mut driven.drive, operations, name);
        driven.work(Clock::Untimed, 20);
        let (mut found, _) = recover(&driven.recorder, driven.drive.drive_file()).unwrap();
        driven
            .oracle
            .check(&mut found, driven.recorder.count(), name);
    }
}
