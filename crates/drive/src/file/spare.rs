//! A drive with another spare area: the same flash, of which the host sees more or less.

use super::drive_file::DriveFile;
use super::ssd::{Mapping, SsdFile};
use ftlab_base::Layout;
use ftlab_sheet::SheetError;

impl DriveFile {
    /// Over-provisioning of a drive that collects garbage in it: slots that data may take beyond the user's, over the
    /// user's, as `spare.op` says it. None for a drive whose map collects nothing there, and for what has no flash.
    #[must_use]
    pub fn spare(&self) -> Option<f64> {
        let (ssd, layout, usable) = self.collected()?;
        let user = ssd.user_slots(&layout).expect("checked on reading");
        Some(f64::from(usable) / f64::from(user) - 1.0)
    }

    /// Makes a drive of this flash with the spare area `op`, as [`DriveFile::spare`] counts it; the host sees what is
    /// left.
    ///
    /// # Errors
    /// When the drive collects nothing in a spare area, or none can be like that.
    pub fn with_spare(&self, op: f64) -> Result<DriveFile, SheetError> {
        let without = || self.invalid("it collects no garbage in a spare area".into());
        let (ssd, _, usable) = self.collected().ok_or_else(without)?;
        let setting = match ssd.spare.user_capacity {
            None => format!("spare.op={op}"),
            Some(_) => {
                let slots = (f64::from(usable) / (1.0 + op)) as u64;
                format!("spare.user_capacity={}B", slots * ssd.slot_bytes())
            }
        };
        self.with(&[setting])
    }

    /// The sections and the layout of a drive that collects in its spare area, and the slots that data may take.
    fn collected(&self) -> Option<(&SsdFile, Layout, u32)> {
        let ssd = self.ssd()?;
        if matches!(ssd.mapping, Mapping::Block(_)) {
            return None;
        }
        let layout = ssd.layout().expect("checked on reading");
        let usable = ssd.usable_slots(&layout).expect("checked on reading");
        Some((ssd, layout, usable))
    }
}

#[cfg(test)]
mod tests {
    use crate::Catalog;

    #[test]
    fn spare_area_is_what_the_file_says_and_can_be_another() {
        let generic = Catalog::default().load("generic-mlc-8", &[]).unwrap();
        assert!((generic.spare().unwrap() - 0.127).abs() < 1e-5);
        let other = generic.with_spare(0.5).unwrap();
        assert!((other.spare().unwrap() - 0.5).abs() < 1e-5);
        assert_eq!(other.raw_bytes(), generic.raw_bytes());
        // By capacity as well, and the drive of the same spare area is the same but for a slot.
        let intel = Catalog::default().load("intel-x25-m-g1-80", &[]).unwrap();
        let op = intel.spare().unwrap();
        assert!((0.02..0.2).contains(&op), "{op}");
        let again = intel.with_spare(op).unwrap();
        assert!(intel.capacity_bytes() - again.capacity_bytes() <= intel.slot_bytes().unwrap());
        let less = intel.with_spare(2.0 * op).unwrap();
        assert!((less.spare().unwrap() / op - 2.0).abs() < 1e-4);
        assert!(less.capacity_bytes() < intel.capacity_bytes());
    }

    #[test]
    fn what_collects_nothing_there_has_none() {
        for slug in ["ocz-core-jmf602", "wd-raptor-150", "ramdisk-8gb"] {
            let file = Catalog::default().load(slug, &[]).unwrap();
            assert_eq!(file.spare(), None, "{slug}");
            assert!(file.with_spare(0.1).is_err(), "{slug}");
        }
        let generic = Catalog::default().load("generic-mlc-8", &[]).unwrap();
        assert!(generic.with_spare(-2.0).is_err() && generic.with_spare(1e9).is_err());
    }
}
