//! Options of a client in the negotiation.

use super::constants::{
    IHAVEOPT, NBD_MAX_STRING, NBD_OPT_ABORT, NBD_OPT_EXPORT_NAME, NBD_OPT_GO, NBD_OPT_INFO,
    NBD_OPT_LIST, NBD_OPT_LIST_META_CONTEXT, NBD_OPT_SET_META_CONTEXT, NBD_OPT_STARTTLS,
    NBD_OPT_STRUCTURED_REPLY,
};
use super::wire::Reader;

/// Bytes of an option without its data.
pub const OPTION_HEADER_BYTES: usize = 16;

/// The most bytes of an option's data that are looked at: room for a dozen of the longest names.
pub const OPTION_BYTES_MAX: u32 = 1 << 16;

/// An option's first 16 bytes: the magic number, its code and the length of its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionHeader {
    /// Code, `NBD_OPT_*`, or one that the server does not know.
    pub code: u32,
    /// Bytes of data that follow.
    pub length_bytes: u32,
}

impl OptionHeader {
    /// Reads a header; nothing when the bytes do not begin with the magic number.
    #[must_use]
    pub fn decode(bytes: &[u8; OPTION_HEADER_BYTES]) -> Option<OptionHeader> {
        let mut reader = Reader(bytes);
        (reader.u64()? == IHAVEOPT).then_some(())?;
        Some(OptionHeader {
            code: reader.u32()?,
            length_bytes: reader.u32()?,
        })
    }

    /// The header as a client sends it.
    #[must_use]
    pub fn encode(&self) -> [u8; OPTION_HEADER_BYTES] {
        let mut bytes = [0; OPTION_HEADER_BYTES];
        bytes[..8].copy_from_slice(&IHAVEOPT.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.code.to_be_bytes());
        bytes[12..].copy_from_slice(&self.length_bytes.to_be_bytes());
        bytes
    }
}

/// An option and its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientOption<'a> {
    /// Begin with this export, or hang up.
    ExportName(&'a [u8]),
    /// Ends the session before transmission, after an acknowledgement.
    Abort,
    /// Lists the names and descriptions of the exports.
    List,
    /// Encrypt from here on.
    StartTls,
    /// Describes an export, without a session on it.
    Info(InfoRequest<'a>),
    /// Describe an export and begin.
    Go(InfoRequest<'a>),
    /// Turns structured replies on, which `base:allocation` needs.
    StructuredReply,
    /// Name the metadata contexts of an export.
    ListMetaContext(MetaContextRequest<'a>),
    /// Chooses metadata contexts; the ones chosen before are void.
    SetMetaContext(MetaContextRequest<'a>),
    /// An option of another protocol version.
    Unknown,
}

/// Request for information on an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InfoRequest<'a> {
    /// Name of the export.
    pub export: &'a [u8],
    /// `NBD_INFO_*`; the server may say more.
    pub kinds: Vec<u16>,
}

/// Request for metadata contexts of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaContextRequest<'a> {
    /// Name of the export.
    pub export: &'a [u8],
    /// Names or parts of names.
    pub queries: Vec<&'a [u8]>,
}

/// Fault in the data of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadOption {
    /// The lengths given inside do not add up to that of the option.
    #[error("the lengths in the option's data do not fit the option's length")]
    Lengths,
    /// A name longer than any may be.
    #[error("a name has more than {NBD_MAX_STRING} bytes")]
    NameLength,
    /// Data where there must be none.
    #[error("this option has no data")]
    Data,
}

impl<'a> ClientOption<'a> {
    /// Reads the data of an option.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse(code: u32, data: &'a [u8]) -> Result<ClientOption<'a>, BadOption> {
        let empty = |option| match data.is_empty() {
            true => Ok(option),
            false => Err(BadOption::Data),
        };
        match code {
            NBD_OPT_EXPORT_NAME => Ok(ClientOption::ExportName(name(Some(data))?)),
            // Old clients may send anything with it, and want nothing but the end.
            NBD_OPT_ABORT => Ok(ClientOption::Abort),
            NBD_OPT_LIST => empty(ClientOption::List),
            NBD_OPT_STARTTLS => empty(ClientOption::StartTls),
            NBD_OPT_INFO => info(data).map(ClientOption::Info),
            NBD_OPT_GO => info(data).map(ClientOption::Go),
            NBD_OPT_STRUCTURED_REPLY => empty(ClientOption::StructuredReply),
            NBD_OPT_LIST_META_CONTEXT => meta_context(data).map(ClientOption::ListMetaContext),
            NBD_OPT_SET_META_CONTEXT => meta_context(data).map(ClientOption::SetMetaContext),
            _ => Ok(ClientOption::Unknown),
        }
    }
}

fn name(bytes: Option<&[u8]>) -> Result<&[u8], BadOption> {
    let bytes = bytes.ok_or(BadOption::Lengths)?;
    match bytes.len() <= NBD_MAX_STRING {
        true => Ok(bytes),
        false => Err(BadOption::NameLength),
    }
}

fn info(data: &[u8]) -> Result<InfoRequest<'_>, BadOption> {
    let mut reader = Reader(data);
    let export = name(reader.string())?;
    let count = reader.u16().ok_or(BadOption::Lengths)?;
    let kinds: Option<Vec<u16>> = (0..count).map(|_| reader.u16()).collect();
    match (kinds, reader.0) {
        (Some(kinds), []) => Ok(InfoRequest { export, kinds }),
        _ => Err(BadOption::Lengths),
    }
}

fn meta_context(data: &[u8]) -> Result<MetaContextRequest<'_>, BadOption> {
    let mut reader = Reader(data);
    let export = name(reader.string())?;
    let count = reader.u32().ok_or(BadOption::Lengths)?;
    // The count is the client's word: room is made as queries are found, and data end before memory.
    let mut queries = Vec::new();
    for _ in 0..count {
        queries.push(name(reader.string())?);
    }
    match reader.0 {
        [] => Ok(MetaContextRequest { export, queries }),
        _ => Err(BadOption::Lengths),
    }
}
