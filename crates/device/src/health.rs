//! Health of a device, and what goes wrong in its flash on demand.

use crate::device::Device;
use crate::error::Error;
use ftlab_base::Nanos;
use ftlab_drive::nvme::{Life, logs_of};
use ftlab_drive::{Device as _, FlashFault};
use ftlab_smart::{NvmeLogs, SmartAttribute};

impl Device {
    /// SMART attributes by the numbers and scales of the drive's maker; none if its file names no maker's set.
    #[must_use]
    pub fn smart(&self) -> Vec<SmartAttribute> {
        let known = self.file.smart_vendor().zip(self.drive.health());
        known.map_or_else(Vec::new, |(vendor, health)| vendor.attributes(&health))
    }

    /// The health logs of a drive that speaks NVMe: SMART / Health Information (02h), and OCP's extension (C0h).
    #[must_use]
    pub fn nvme_logs(&self) -> Option<NvmeLogs> {
        let life = Life {
            power_cycles: self.power_cycles,
            unsafe_shutdowns: self.unsafe_shutdowns,
            power_on: Nanos(self.now_ns()),
            busy: None,
        };
        logs_of(&self.file, &self.drive, self.now, &life)
    }

    /// Has something go wrong in the flash. The drive brings what it has begun to the flash first, without time.
    ///
    /// # Errors
    /// When commands are outstanding, or it cannot go wrong there.
    pub fn inject(&mut self, fault: FlashFault) -> Result<(), Error> {
        if !self.outstanding.is_empty() {
            let outstanding = self.outstanding.len();
            return Err(Error::AtWork { outstanding });
        }
        let (slot_bytes, capacity_bytes) = (self.slot_bytes(), self.capacity_bytes());
        let beyond = |offset| {
            Error::Fault(format!(
                "there is no byte {offset}; the drive has {capacity_bytes}"
            ))
        };
        let fault = fault.at(slot_bytes, capacity_bytes).map_err(beyond)?;
        let refused = || Error::Fault("the drive has no flash".to_owned());
        let ssd = self.drive.ssd_mut().ok_or_else(refused)?;
        ssd.inject(fault)
            .map_err(|why| Error::Fault(why.to_string()))?;
        self.note_at_rest();
        // Its own clock has ended, and goes on from here.
        self.drive.begin_time(self.now);
        self.drive.note_time(self.now);
        self.worked_at = self.now;
        Ok(())
    }
}
