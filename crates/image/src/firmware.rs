//! New firmware for a drive: the same flash with what it holds, and another controller program.

use crate::base::open::{Access, OpenedImage, open_image};
use crate::convert::open_beside;
use crate::error::Wrong;
use crate::header::Header;
use crate::new::New;
use crate::{DataDrive, ImageError, OpenOptions};
use ftlab_drive::{Catalog, Device, DriveFile, Kind};
use ftlab_ftl::Room;
use ftlab_host::Testbed;
use std::path::Path;

/// Sections of a drive file that no firmware changes: what the flash is.
const OF_THE_FLASH: [&str; 2] = ["nand.", "reliability."];

impl DataDrive {
    /// Gives the drive of an image new firmware: from now on it is what `make` makes of its drive file.
    /// What the drive holds stays. Says what is different, nothing if nothing is.
    ///
    /// Until the new header is written, the drive is the old one; whoever is cut off finds one or the
    /// other.
    ///
    /// # Errors
    /// When the image cannot be opened, the flash would be another, or the firmware cannot go on from
    /// the state of the drive; it is the old one then.
    pub fn update_firmware(
        path: &Path,
        catalog: &Catalog,
        testbed: &Testbed,
        make: impl FnOnce(&DriveFile) -> Result<DriveFile, ftlab_sheet::SheetError>,
    ) -> Result<Option<String>, ImageError> {
        let access = Access::Alone { sync: true };
        let opened = open_image(path, access, None)?;
        Self::update_firmware_on(path, opened, (catalog, testbed), make)
    }

    pub(crate) fn update_firmware_on(
        path: &Path,
        OpenedImage { storage, base }: OpenedImage,
        (catalog, testbed): (&Catalog, &Testbed),
        make: impl FnOnce(&DriveFile) -> Result<DriveFile, ftlab_sheet::SheetError>,
    ) -> Result<Option<String>, ImageError> {
        let unusable = |why: Wrong| ImageError::Unusable {
            path: path.to_owned(),
            why,
        };
        let (header, old) = Header::read(&*storage, catalog).map_err(unusable)?;
        let new = make(&old)?;
        let refused = |why: String| ImageError::Firmware(why);
        let Some(difference) = old.difference(&new) else {
            return Ok(None);
        };
        check_flash(&old, &new).map_err(refused)?;
        let options = OpenOptions {
            sync: true,
            ..OpenOptions::on(catalog, testbed)
        };
        let (mut drive, _) = open_beside(path, storage, base.as_ref(), &options)?;
        drive.switch_off()?;
        let state = drive.body.saved(Room::default()).state;
        let made = New::of(&new, testbed, header.seed)?;
        made.check_buffer()?;
        if made.regions() != drive.body.regions() {
            return Err(refused("it maps the flash otherwise".into()));
        }
        let New::Flash(mut ssd) = made else {
            unreachable!("checked above");
        };
        // The new firmware takes the state over before the header says so: a drive that it refuses stays as it
        // was.
        ssd.restore(state).map_err(|why| {
            refused(format!(
                "it cannot go on with the mapping tables of the old one ({why})"
            ))
        })?;
        let written = header.with_drive(&new).write(drive.body.storage());
        written.map_err(|why| drive.storage_error("write its header", why))?;
        drive.flush_storage()?;
        Ok(Some(difference))
    }
}

/// Checks that the flash and what the host sees of it stay as they are.
fn check_flash(old: &DriveFile, new: &DriveFile) -> Result<(), String> {
    if old.kind() != Kind::Ssd || new.kind() != Kind::Ssd {
        return Err("only a drive of flash has firmware here".into());
    }
    if old.capacity_bytes() != new.capacity_bytes() {
        return Err(format!(
            "the drive has {} bytes and would have {}; `ftlab set-max` lets the host see less",
            old.capacity_bytes(),
            new.capacity_bytes()
        ));
    }
    let of_flash = |file: &DriveFile| {
        let rows = file.parameters().into_iter();
        let is_of_flash = |key: &str| OF_THE_FLASH.iter().any(|section| key.starts_with(section));
        rows.filter(|row| is_of_flash(&row.key))
            .map(|row| (row.key, row.value, row.unit))
            .collect::<Vec<_>>()
    };
    let (then, now) = (of_flash(old), of_flash(new));
    let changed = now.iter().find(|row| !then.contains(row));
    let gone = then.iter().find(|row| !now.contains(row));
    match changed.or(gone) {
        Some((key, ..)) => Err(format!(
            "{key} is a number of the flash, which stays as it is"
        )),
        None => Ok(()),
    }
}
