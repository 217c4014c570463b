//! Saved states: a prepared drive in a file, to start from again.
//!
//! ```text
//! magic 8 B │ format 4 B │ bytes that follow 8 B │ CRC-64 of all else 8 B │ origin and state, LZ4
//! ```
//!
//! A state holds what a drive keeps while it is off. For an SSD that is everything but what waits in
//! its buffer, which is flushed before; of a drive without flash nothing that matters to its
//! speed: a disk's caches are empty then and its arm is parked. The host's queue and the clock start anew.
//!
//! Reading trusts nothing: first the frame and its checksum, then whether the drive is the same one,
//! then whether any drive of that kind can be in such a state at all.

mod frame;
#[cfg(test)]
mod tests;

pub use crate::state::DeviceState;
pub use frame::Unpacked;
pub use ftlab_nand::StateError;

use crate::device::Device;
use crate::file::{DriveFile, ParameterRow, REMOVED, path_now};
use serde::{Deserialize, Serialize};
use std::io::Read;
use thiserror::Error;

/// The version of the format. It changes with every change of what is saved, and whoever changes it reads the states of
/// earlier versions as well, from 9 on: `tests/states` has some of each.
pub const FORMAT: u32 = 9;

/// The most that a state takes, a sector of the drive and beside. Tables take up to 25 bytes for each of
/// the slots, which have eight sectors at least.
const STATE_BYTES_A_SECTOR_MAX: u64 = 4;
const STATE_BYTES_BESIDE_MAX: u64 = 1 << 24;
/// The most that an origin takes: a drive file's numbers and some lines of text.
const ORIGIN_BYTES_MAX: u64 = 1 << 20;

/// The most bytes that the state of a drive of N sectors takes, unpacked.
#[must_use]
pub fn state_bytes_max(capacity_sectors: u64) -> u64 {
    capacity_sectors
        .saturating_mul(STATE_BYTES_A_SECTOR_MAX)
        .saturating_add(STATE_BYTES_BESIDE_MAX)
}

/// Differences to the drive that an error names.
const DIFFERENCES_MAX: usize = 3;

/// Origin of a state: enough to tell whose it is and to make it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Version of ftlab that wrote it.
    pub version: String,
    /// Slug of the drive.
    pub drive: String,
    /// [`DriveFile::hash`] of the drive, settings included.
    pub drive_hash: u64,
    /// Key and value, with its unit, of everything the drive file says.
    parameters: Vec<(String, String)>,
    /// Name of the state that the drive was brought to.
    pub state: String,
    /// Steps that were taken with it since it was new, in words.
    pub steps: Vec<String>,
    /// The seed all of that was done with.
    pub seed: u64,
}

/// Reason for which a state cannot be read.
#[derive(Debug, Error)]
pub enum SavedError {
    /// The system cannot read it.
    #[error("{0}")]
    Unreadable(#[from] std::io::Error),
    /// It is something else.
    #[error("it is not a saved state; `ftlab run --save-state` writes one")]
    Foreign,
    /// It is of another format.
    #[error(
        "it has format {found}; this ftlab reads format {FORMAT}: prepare the drive anew, and save \
         it with this version"
    )]
    Format {
        /// Format that the file has.
        found: u32,
    },
    /// It ends too early or too late.
    #[error(
        "it has {have} bytes and should have {want}: it was cut off or added to; copy or save it again"
    )]
    Length {
        /// Bytes that the file has.
        have: u64,
        /// Bytes it says it has.
        want: u64,
    },
    /// Its bytes are not those that were written.
    #[error("it is damaged: its checksum is wrong; copy or save it again")]
    Checksum,
    /// Its bytes are in order and make no sense.
    #[error("it makes no sense, though its checksum is right: {0}; save it again")]
    Senseless(String),
    /// It is of another drive.
    #[error("it is of another drive: {0}")]
    OtherDrive(String),
    /// No such drive can be in that state.
    #[error("it contradicts itself, though its checksum is right: {0}; save it again")]
    Impossible(#[from] StateError),
}

impl Origin {
    /// A state of the drive that `file` describes.
    #[must_use]
    pub fn new(
        version: &str,
        file: &DriveFile,
        state: &str,
        steps: Vec<String>,
        seed: u64,
    ) -> Origin {
        Origin {
            version: version.to_owned(),
            drive: file.slug().to_owned(),
            drive_hash: file.hash(),
            parameters: parameters(file),
            state: state.to_owned(),
            steps,
            seed,
        }
    }

    /// Says what distinguishes the drive from the one in `file`; `None` when it is the same. A drive is what its
    /// numbers are: its name and what its file says of sources may differ.
    fn difference(&self, file: &DriveFile) -> Option<String> {
        if self.drive_hash == file.hash() {
            return None;
        }
        let then = self.parameters.iter();
        let then = then.filter_map(|(key, value)| {
            let now = path_now(REMOVED, key)?;
            Some((now.to_owned(), value.clone()))
        });
        difference(&self.drive, &then.collect::<Vec<_>>(), file)
    }
}

impl DriveFile {
    /// Says in words what distinguishes this drive from another; `None` when their numbers are the same.
    #[must_use]
    pub fn difference(&self, other: &DriveFile) -> Option<String> {
        difference(self.slug(), &parameters(self), other)
    }
}

/// Says what distinguishes a drive, of which these are name and parameters, from the one in `file`.
fn difference(name: &str, then: &[(String, String)], file: &DriveFile) -> Option<String> {
    let now = parameters(file);
    let of = |list: &[(String, String)], key: &str| {
        let found = list.iter().find(|(name, _)| name == key);
        found.map_or("not given".to_owned(), |(_, value)| value.clone())
    };
    let added = now
        .iter()
        .filter(|(key, _)| !then.iter().any(|(k, _)| k == key));
    let keys = then.iter().chain(added).map(|(key, _)| key);
    let different: Vec<String> = keys
        .map(|key| (key, of(then, key), of(&now, key)))
        .filter(|(_, then, now)| then != now)
        .map(|(key, then, now)| format!("{key} was {then} and is {now}"))
        .collect();
    let told = different.iter().take(DIFFERENCES_MAX).cloned();
    let mut told: Vec<String> = told.collect();
    match different.len().saturating_sub(told.len()) {
        0 if told.is_empty() => return None,
        0 => {}
        more => told.push(format!("and {more} more")),
    }
    let whose = if name == file.slug() {
        format!("{name} with other settings")
    } else {
        format!("{name}, not {}", file.slug())
    };
    Some(format!("{whose}; {}", told.join(", ")))
}

fn parameters(file: &DriveFile) -> Vec<(String, String)> {
    let text = |row: ParameterRow| match row.unit.as_str() {
        "" => (row.key, row.value),
        unit => (row.key, format!("{} {unit}", row.value)),
    };
    file.parameters().into_iter().map(text).collect()
}

/// The bytes of a drive's state. The drive must be at rest: see [`Device::save`].
#[must_use]
pub fn write(origin: &Origin, device: &dyn Device) -> Vec<u8> {
    frame::write(&(origin, device.save()))
}

/// The bytes of a saved state, to be read later: what is none, or damaged, is refused now.
///
/// # Errors
/// When they are none of a whole saved state of this format, or cannot be read.
pub fn whole(from: &mut dyn Read) -> Result<Vec<u8>, SavedError> {
    frame::whole(from)
}

/// Reads a state from `from` into `device`, which is as `file` builds it.
///
/// # Errors
/// When what is read is not a state, is damaged, or is not of this drive. The device is to be thrown
/// away then.
pub fn read(
    from: &mut dyn Read,
    file: &DriveFile,
    device: &mut dyn Device,
) -> Result<Origin, SavedError> {
    let payload = frame::read(from)?;
    // The origin comes first: a state of another drive may be of any size.
    let mut unpacked = Unpacked::new(&*payload);
    let origin: Origin = unpacked.next(ORIGIN_BYTES_MAX)?;
    if let Some(difference) = origin.difference(file) {
        return Err(SavedError::OtherDrive(difference));
    }
    let bytes_max = state_bytes_max(device.capacity_sectors());
    let state: DeviceState = unpacked.next(bytes_max)?;
    unpacked.finish()?;
    device.restore(state)?;
    Ok(origin)
}
