//! Target of a load: devices by name behind one clock. One device is the common case.
//!
//! Devices know nothing of each other. The clock goes to whichever does something first, and no device goes
//! past the next event of another one, as what completes there may bring it a request. Two events at one
//! instant happen in the order of the devices, so a run does not depend on anything but its input.
//!
//! An array of devices (RAID) has its place here: a name whose requests are split over members when they
//! are submitted, and end with the last part.

use super::error::DriverError;
use ftlab_base::{Command, Completion, SECTOR_BYTES, SimTime};
use ftlab_drive::Device;
use ftlab_host::{PageCache, Testbed};
use ftlab_workload::Room;

/// A device and what loads call it.
struct Named<'d> {
    /// Empty for the only device of a target, which takes every load.
    name: String,
    device: &'d mut dyn Device,
}

/// Properties of a device that a job is fitted to.
#[derive(Debug, Clone, Copy)]
pub struct DeviceShape<'a> {
    /// Name of the device in loads; empty for an only one.
    pub name: &'a str,
    /// Bytes that the host can address.
    pub bytes: u64,
    /// Placement handles; 0 without any.
    pub handles: u8,
    /// Bytes that are written as a whole, or not at all, when the power goes.
    pub atomic_bytes: u64,
}

impl<'a> DeviceShape<'a> {
    /// That of a device.
    #[must_use]
    pub fn of(name: &'a str, device: &dyn Device) -> DeviceShape<'a> {
        let handles = device.page_layer().map_or(0, |layer| layer.handles().len());
        DeviceShape {
            name,
            bytes: device.capacity_sectors() * SECTOR_BYTES,
            handles: handles as u8,
            atomic_bytes: device.atomic_bytes(),
        }
    }

    /// The device as files lie on it.
    pub(super) fn room(&self) -> Room<'a> {
        Room {
            name: self.name,
            bytes: self.bytes,
        }
    }

    /// That of an only device without placement handles, which writes a sector as a whole.
    #[must_use]
    pub fn plain(bytes: u64) -> DeviceShape<'a> {
        DeviceShape {
            name: "",
            bytes,
            handles: 0,
            atomic_bytes: SECTOR_BYTES,
        }
    }
}

/// Devices by name; at least one.
pub struct Target<'d> {
    devices: Vec<Named<'d>>,
    /// Page cache of the machine, if it has one.
    pub(super) cache: Option<PageCache>,
    /// The machine's slug; empty for none.
    pub(super) testbed: String,
}

/// Returns the page cache that a machine has for jobs, if it has one.
pub(super) fn cache_of(machine: &Testbed) -> Option<PageCache> {
    let cache = machine.os.as_ref().map(|os| os.cache);
    cache.filter(|cache| cache.memory_call.is_some())
}

impl<'d> Target<'d> {
    /// One device that takes every load, whatever the load calls it.
    pub fn one(device: &'d mut dyn Device) -> Target<'d> {
        let name = String::new();
        Target::of(vec![Named { name, device }])
    }

    /// Devices by name: each takes what is meant for it.
    ///
    /// # Panics
    /// Without a device.
    pub fn named(devices: impl IntoIterator<Item = (String, &'d mut dyn Device)>) -> Target<'d> {
        let named = |(name, device)| Named { name, device };
        let devices: Vec<_> = devices.into_iter().map(named).collect();
        assert!(!devices.is_empty(), "a target has a device");
        Target::of(devices)
    }

    fn of(devices: Vec<Named<'d>>) -> Target<'d> {
        Target {
            devices,
            cache: None,
            testbed: String::new(),
        }
    }

    /// Puts the target on a machine, through whose memory go requests that are of no whole sectors.
    #[must_use]
    pub fn on(self, machine: &Testbed) -> Target<'d> {
        Target {
            cache: cache_of(machine),
            testbed: machine.slug.clone(),
            ..self
        }
    }

    /// Returns the shapes that jobs are fitted to, in order.
    #[must_use]
    pub fn shapes(&self) -> Vec<DeviceShape<'_>> {
        let named = self.devices.iter();
        named
            .map(|named| DeviceShape::of(&named.name, &*named.device))
            .collect()
    }

    /// Every device, in order.
    pub(super) fn devices(&self) -> impl Iterator<Item = &dyn Device> {
        self.devices.iter().map(|named| &*named.device)
    }

    pub(super) fn device(&mut self, index: usize) -> &mut dyn Device {
        self.devices[index].device
    }

    /// Announces a command to a device, as [`Device::expect`] does.
    #[inline]
    pub(super) fn expect(&self, index: usize, command: &Command) {
        self.devices[index].device.expect(command);
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.devices.iter().map(|named| named.name.as_str())
    }

    /// Begins time on all devices, as [`Device::begin_time`] does.
    pub(super) fn begin_time(&mut self, now: SimTime) {
        for named in &mut self.devices {
            named.device.begin_time(now);
        }
    }

    pub(super) fn restart_stream_hashes(&mut self) {
        for named in &mut self.devices {
            named.device.restart_stream_hash();
        }
    }

    /// Checks that all devices take writes, or returns the reason why one does not.
    pub(super) fn fault(&self) -> Result<(), DriverError> {
        for Named { name, device } in &self.devices {
            if let Some(why) = device.fault() {
                let why = match name.as_str() {
                    "" => why,
                    name => format!("{name}: {why}"),
                };
                return Err(DriverError::Fault { why });
            }
        }
        Ok(())
    }

    /// Returns the instant of the next event of any device, as [`Device::next_event`] does.
    #[inline]
    pub(super) fn next_event(&self) -> Option<SimTime> {
        if let [only] = &self.devices[..] {
            return only.device.next_event();
        }
        self.devices()
            .filter_map(|device| device.next_event())
            .min()
    }

    /// Advances all devices, as [`Device::advance`] does.
    pub(super) fn advance(&mut self, now: SimTime, done: &mut Vec<Completion>) {
        for named in &mut self.devices {
            named.device.advance(now, done);
        }
    }

    /// As [`Device::advance_to_completion`], but perhaps not as far: up to where another device has to
    /// be asked first.
    #[inline]
    pub(super) fn advance_to_completion(
        &mut self,
        limit: SimTime,
        done: &mut Vec<Completion>,
    ) -> Option<SimTime> {
        if let [only] = &mut self.devices[..] {
            return only.device.advance_to_completion(limit, done);
        }
        let next: Vec<SimTime> = self
            .devices()
            .map(|device| device.next_event().unwrap_or(SimTime::NEVER))
            .collect();
        let first = (0..next.len()).min_by_key(|&index| next[index])?;
        let others = (0..next.len()).filter(|&index| index != first);
        let bound = others.map(|index| next[index]).min();
        let limit = bound.map_or(limit, |bound| bound.min(limit));
        self.device(first).advance_to_completion(limit, done)
    }
}
