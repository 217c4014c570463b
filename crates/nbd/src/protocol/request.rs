//! Requests: their header, and whether a request may be carried out.

use super::constants::{
    NBD_CMD_BLOCK_STATUS, NBD_CMD_CACHE, NBD_CMD_DISC, NBD_CMD_FLAG_DF, NBD_CMD_FLAG_FAST_ZERO,
    NBD_CMD_FLAG_FUA, NBD_CMD_FLAG_NO_HOLE, NBD_CMD_FLAG_REQ_ONE, NBD_CMD_FLUSH, NBD_CMD_READ,
    NBD_CMD_TRIM, NBD_CMD_WRITE, NBD_CMD_WRITE_ZEROES, NBD_FLAG_SEND_CACHE, NBD_FLAG_SEND_DF,
    NBD_FLAG_SEND_FAST_ZERO, NBD_FLAG_SEND_FLUSH, NBD_FLAG_SEND_TRIM, NBD_FLAG_SEND_WRITE_ZEROES,
    NBD_REQUEST_MAGIC,
};
use super::wire::Reader;
use super::{NbdError, Transmission};

/// Bytes of a request without its data.
pub const REQUEST_BYTES: usize = 28;

/// Command of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Data of a range, which the reply carries.
    Read,
    /// A write of the data that follow the header.
    Write,
    /// Everything answered so far must be safe.
    Flush,
    /// The data are no longer needed.
    Trim,
    /// The data will be needed soon.
    Cache,
    /// Zeroes instead of the data.
    WriteZeroes,
    /// Lists the extents that hold data.
    BlockStatus,
}

impl Command {
    /// The number on the wire.
    #[must_use]
    pub fn code(self) -> u16 {
        match self {
            Command::Read => NBD_CMD_READ,
            Command::Write => NBD_CMD_WRITE,
            Command::Flush => NBD_CMD_FLUSH,
            Command::Trim => NBD_CMD_TRIM,
            Command::Cache => NBD_CMD_CACHE,
            Command::WriteZeroes => NBD_CMD_WRITE_ZEROES,
            Command::BlockStatus => NBD_CMD_BLOCK_STATUS,
        }
    }

    fn of_code(code: u16) -> Option<Command> {
        Some(match code {
            NBD_CMD_READ => Command::Read,
            NBD_CMD_WRITE => Command::Write,
            NBD_CMD_FLUSH => Command::Flush,
            NBD_CMD_TRIM => Command::Trim,
            NBD_CMD_CACHE => Command::Cache,
            NBD_CMD_WRITE_ZEROES => Command::WriteZeroes,
            NBD_CMD_BLOCK_STATUS => Command::BlockStatus,
            _ => return None,
        })
    }

    /// True if it changes the data of the export.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Command::Write | Command::Trim | Command::WriteZeroes)
    }

    /// The flags that have a meaning for it. FUA is allowed everywhere, as existing clients set it.
    fn flags(self, to: &Transmission) -> u16 {
        let offered = |offer: u16, flag: u16| if to.flags & offer != 0 { flag } else { 0 };
        NBD_CMD_FLAG_FUA
            | match self {
                Command::Read => offered(NBD_FLAG_SEND_DF, NBD_CMD_FLAG_DF),
                Command::WriteZeroes => {
                    NBD_CMD_FLAG_NO_HOLE | offered(NBD_FLAG_SEND_FAST_ZERO, NBD_CMD_FLAG_FAST_ZERO)
                }
                Command::BlockStatus => NBD_CMD_FLAG_REQ_ONE,
                _ => 0,
            }
    }

    /// True if the command was offered to the client.
    fn is_offered(self, to: &Transmission) -> bool {
        let offer = match self {
            Command::Read | Command::Write => return true,
            Command::BlockStatus => return to.block_status,
            Command::Flush => NBD_FLAG_SEND_FLUSH,
            Command::Trim => NBD_FLAG_SEND_TRIM,
            Command::Cache => NBD_FLAG_SEND_CACHE,
            Command::WriteZeroes => NBD_FLAG_SEND_WRITE_ZEROES,
        };
        to.flags & offer != 0
    }
}

/// A request as it arrives, unchecked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestHeader {
    /// Flags, `NBD_CMD_FLAG_*`, whether offered or not.
    pub flags: u16,
    /// Code, `NBD_CMD_*`, or one that no command has.
    pub code: u16,
    /// Chosen by the client, and returned with the reply.
    pub cookie: u64,
    /// Start in the export, in bytes.
    pub offset_bytes: u64,
    /// Length in bytes, of the range and not of the data that follow.
    pub length_bytes: u32,
}

/// The bytes are no request: the client and the server no longer agree where requests begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a request begins with {0:#010x}, not with its magic number {NBD_REQUEST_MAGIC:#010x}")]
pub struct BadRequest(pub u32);

impl RequestHeader {
    /// Splits the 28 bytes into fields, without a check of what they say.
    ///
    /// # Errors
    /// When the bytes do not begin with the magic number: nothing after them can be understood.
    pub fn decode(bytes: &[u8; REQUEST_BYTES]) -> Result<RequestHeader, BadRequest> {
        let mut reader = Reader(bytes);
        // The array has as many bytes as are read, so none of these is missing.
        let magic = reader.u32().unwrap_or_default();
        if magic != NBD_REQUEST_MAGIC {
            return Err(BadRequest(magic));
        }
        Ok(RequestHeader {
            flags: reader.u16().unwrap_or_default(),
            code: reader.u16().unwrap_or_default(),
            cookie: reader.u64().unwrap_or_default(),
            offset_bytes: reader.u64().unwrap_or_default(),
            length_bytes: reader.u32().unwrap_or_default(),
        })
    }

    /// The header as a client sends it.
    #[must_use]
    pub fn encode(&self) -> [u8; REQUEST_BYTES] {
        let mut bytes = [0; REQUEST_BYTES];
        bytes[..4].copy_from_slice(&NBD_REQUEST_MAGIC.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.flags.to_be_bytes());
        bytes[6..8].copy_from_slice(&self.code.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.cookie.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.offset_bytes.to_be_bytes());
        bytes[24..].copy_from_slice(&self.length_bytes.to_be_bytes());
        bytes
    }

    /// True if the client ends the session. There is no reply to that.
    #[must_use]
    pub fn disconnects(&self) -> bool {
        self.code == NBD_CMD_DISC
    }

    /// Bytes of data that follow the header, whether or not the request is in order.
    #[must_use]
    pub fn payload_bytes(&self) -> u32 {
        match self.code {
            NBD_CMD_WRITE => self.length_bytes,
            _ => 0,
        }
    }

    /// The command, if the export can be asked for it.
    ///
    /// # Errors
    /// What to answer instead.
    pub fn check(&self, to: &Transmission) -> Result<Command, NbdError> {
        let command = Command::of_code(self.code).ok_or(NbdError::Inval)?;
        if !command.is_offered(to) || self.flags & !command.flags(to) != 0 {
            return Err(NbdError::Inval);
        }
        if command.writes() && to.is_read_only() {
            return Err(NbdError::Perm);
        }
        match command {
            Command::Flush if self.offset_bytes != 0 || self.length_bytes != 0 => {
                return Err(NbdError::Inval);
            }
            Command::Flush => return Ok(command),
            // The largest block size bounds what a message carries, not what a command covers.
            Command::Read | Command::Write if self.length_bytes > to.block_sizes.maximum_bytes => {
                return Err(NbdError::Inval);
            }
            _ => {}
        }
        let minimum = u64::from(to.block_sizes.minimum_bytes);
        let length = u64::from(self.length_bytes);
        if length == 0
            || !self.offset_bytes.is_multiple_of(minimum)
            || !length.is_multiple_of(minimum)
        {
            return Err(NbdError::Inval);
        }
        let end = self.offset_bytes.checked_add(length);
        match end.is_some_and(|end| end <= to.size_bytes) {
            true => Ok(command),
            false => Err(match command {
                Command::Write | Command::WriteZeroes => NbdError::NoSpc,
                _ => NbdError::Inval,
            }),
        }
    }
}
