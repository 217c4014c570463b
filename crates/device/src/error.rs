//! Errors of a device: a wrong call, or a drive that cannot be.

use crate::command::{Command, Operation};
use ftlab_sheet::SheetError;
use ftlab_states::PrepareError;
use thiserror::Error;

/// What was wrong with a call. The device is as before it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no such drive or testbed, or its file or a setting is wrong.
    #[error("{0}")]
    Drive(String),
    /// There is no such state, or the drive cannot come to it.
    #[error("{0}")]
    State(String),
    /// A position or a length is not in sectors.
    #[error("{name} {value} of command {id}: give a multiple of 512")]
    Unaligned {
        /// Number of the command.
        id: u64,
        /// Which of the two.
        name: &'static str,
        /// Its value.
        value: u64,
    },
    /// A command has no length, and is no flush.
    #[error("command {id} is a {operation:?} of no bytes; only a flush may have none")]
    Empty {
        /// Number of the command.
        id: u64,
        /// What it asks for.
        operation: Operation,
    },
    /// A command reaches beyond the drive.
    #[error(
        "command {id} reaches to byte {end}, and the drive has {capacity_bytes}; see Device::capacity_bytes"
    )]
    Beyond {
        /// Number of the command.
        id: u64,
        /// End of its range.
        end: u64,
        /// Capacity of the drive.
        capacity_bytes: u64,
    },
    /// A command has the number of one that is outstanding.
    #[error(
        "a command with the id {id} is outstanding; give each one of its own until it has ended"
    )]
    Outstanding {
        /// The number.
        id: u64,
    },
    /// The clock went back.
    #[error(
        "it is {now_ns} ns at the drive already, and {asked_ns} ns was asked for; time goes on"
    )]
    Past {
        /// The instant that was given.
        asked_ns: u64,
        /// The present.
        now_ns: u64,
    },
    /// Something happens at the drive before the instant that was given.
    #[error(
        "something happens at the drive at {at_ns} ns, before {asked_ns} ns; advance it there first"
    )]
    Behind {
        /// The instant that was given.
        asked_ns: u64,
        /// Instant of the drive's next event.
        at_ns: u64,
    },
    /// The instant is later than a device counts.
    #[error(
        "{asked_ns} ns is later than a device counts; the latest is {latest_ns} ns, after 146 years"
    )]
    Late {
        /// The instant that was given.
        asked_ns: u64,
        /// The latest one.
        latest_ns: u64,
    },
    /// A write's data are not as long as its range, or there are some where none belong.
    #[error("command {id} has {given} bytes of data, where it takes {needed}")]
    Data {
        /// Number of the command.
        id: u64,
        /// Bytes that were given.
        given: u64,
        /// Bytes that it takes.
        needed: u64,
    },
    /// The device has no bytes to give.
    #[error("this device keeps no data; build it with Builder::keep_data")]
    NoData,
    /// The device does not know what a power cut takes.
    #[error(
        "this device keeps no account of what a power cut takes; build it with Builder::track_power_cuts or keep_data"
    )]
    NoAccount,
    /// Something that is done to a drive at rest was asked.
    #[error("{outstanding} commands are outstanding; let them end first")]
    AtWork {
        /// Number of those.
        outstanding: usize,
    },
    /// Nothing can go wrong there, or not so.
    #[error("{0}")]
    Fault(String),
    /// What lies there cannot be read.
    #[error("the data from byte {offset} on cannot be read: the drive has lost them")]
    Unreadable {
        /// First byte of the slot.
        offset: u64,
    },
}

impl From<SheetError> for Error {
    fn from(why: SheetError) -> Error {
        Error::Drive(why.to_string())
    }
}

impl From<PrepareError> for Error {
    fn from(why: PrepareError) -> Error {
        Error::State(why.to_string())
    }
}

/// Checks that a command fits a drive of N bytes.
pub(crate) fn check(command: &Command, capacity_bytes: u64) -> Result<(), Error> {
    let &Command {
        id,
        operation,
        offset,
        bytes,
    } = command;
    for (name, value) in [("offset", offset), ("length", bytes)] {
        if !value.is_multiple_of(512) {
            return Err(Error::Unaligned { id, name, value });
        }
    }
    if bytes == 0 && (operation != Operation::Flush || offset != 0) {
        return Err(Error::Empty { id, operation });
    }
    let end = offset.saturating_add(bytes);
    match end <= capacity_bytes && bytes / 512 <= u64::from(u32::MAX) {
        true => Ok(()),
        false => Err(Error::Beyond {
            id,
            end,
            capacity_bytes,
        }),
    }
}
