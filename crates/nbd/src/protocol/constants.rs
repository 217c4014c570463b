//! The numbers of the protocol, under the names that its specification gives them.

/// First magic number of the greeting: the letters `NBDMAGIC`.
pub const NBDMAGIC: u64 = 0x4e42_444d_4147_4943;
/// Magic number before every option, and second one of the greeting: the letters `IHAVEOPT`.
pub const IHAVEOPT: u64 = 0x4948_4156_454f_5054;
/// Magic number before the reply to an option.
pub const NBD_OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
/// Magic number before a request.
pub const NBD_REQUEST_MAGIC: u32 = 0x2560_9513;
/// Magic number before a reply without structure.
pub const NBD_SIMPLE_REPLY_MAGIC: u32 = 0x6744_6698;
/// Magic number before each chunk of a structured reply.
pub const NBD_STRUCTURED_REPLY_MAGIC: u32 = 0x668e_33ef;

/// Handshake flag: options other than the export's name are understood.
pub const NBD_FLAG_FIXED_NEWSTYLE: u16 = 1 << 0;
/// Handshake flag: the 124 zeroes after the export's size can be left out.
pub const NBD_FLAG_NO_ZEROES: u16 = 1 << 1;
/// Client flag: answers [`NBD_FLAG_FIXED_NEWSTYLE`].
pub const NBD_FLAG_C_FIXED_NEWSTYLE: u32 = 1 << 0;
/// Client flag: answers [`NBD_FLAG_NO_ZEROES`].
pub const NBD_FLAG_C_NO_ZEROES: u32 = 1 << 1;

/// Transmission flag: always set.
pub const NBD_FLAG_HAS_FLAGS: u16 = 1 << 0;
/// Transmission flag: writes are refused.
pub const NBD_FLAG_READ_ONLY: u16 = 1 << 1;
/// Transmission flag: there is `NBD_CMD_FLUSH`.
pub const NBD_FLAG_SEND_FLUSH: u16 = 1 << 2;
/// Transmission flag: there is `NBD_CMD_FLAG_FUA`.
pub const NBD_FLAG_SEND_FUA: u16 = 1 << 3;
/// Transmission flag: the medium turns.
pub const NBD_FLAG_ROTATIONAL: u16 = 1 << 4;
/// Transmission flag: there is `NBD_CMD_TRIM`.
pub const NBD_FLAG_SEND_TRIM: u16 = 1 << 5;
/// Transmission flag: there is `NBD_CMD_WRITE_ZEROES`.
pub const NBD_FLAG_SEND_WRITE_ZEROES: u16 = 1 << 6;
/// Transmission flag: there is `NBD_CMD_FLAG_DF`; only with structured replies.
pub const NBD_FLAG_SEND_DF: u16 = 1 << 7;
/// Transmission flag: a flush on one connection covers writes that were answered on the others.
pub const NBD_FLAG_CAN_MULTI_CONN: u16 = 1 << 8;
/// Transmission flag: there is `NBD_CMD_CACHE`.
pub const NBD_FLAG_SEND_CACHE: u16 = 1 << 10;
/// Transmission flag: there is `NBD_CMD_FLAG_FAST_ZERO`.
pub const NBD_FLAG_SEND_FAST_ZERO: u16 = 1 << 11;

/// Option: take this export and begin, as old clients do.
pub const NBD_OPT_EXPORT_NAME: u32 = 1;
/// Option: end the session.
pub const NBD_OPT_ABORT: u32 = 2;
/// Option: name the exports.
pub const NBD_OPT_LIST: u32 = 3;
/// Option: encrypt from here on.
pub const NBD_OPT_STARTTLS: u32 = 5;
/// Option: describe an export.
pub const NBD_OPT_INFO: u32 = 6;
/// Option: describe an export and begin.
pub const NBD_OPT_GO: u32 = 7;
/// Option: use structured replies.
pub const NBD_OPT_STRUCTURED_REPLY: u32 = 8;
/// Option: name the metadata contexts of an export.
pub const NBD_OPT_LIST_META_CONTEXT: u32 = 9;
/// Option: choose metadata contexts for block status.
pub const NBD_OPT_SET_META_CONTEXT: u32 = 10;

/// Reply to an option: done.
pub const NBD_REP_ACK: u32 = 1;
/// Reply to an option: an export.
pub const NBD_REP_SERVER: u32 = 2;
/// Reply to an option: something about the export asked for.
pub const NBD_REP_INFO: u32 = 3;
/// Reply to an option: a metadata context.
pub const NBD_REP_META_CONTEXT: u32 = 4;
/// The bit that all error replies to options share.
pub const NBD_REP_FLAG_ERROR: u32 = 1 << 31;
/// Error reply to an option: not known to this server.
pub const NBD_REP_ERR_UNSUP: u32 = NBD_REP_FLAG_ERROR | 1;
/// Error reply to an option: malformed, or not allowed at this point.
pub const NBD_REP_ERR_INVALID: u32 = NBD_REP_FLAG_ERROR | 3;
/// Error reply to an option: not before [`NBD_OPT_STARTTLS`].
pub const NBD_REP_ERR_TLS_REQD: u32 = NBD_REP_FLAG_ERROR | 5;
/// Error reply to an option: no such export.
pub const NBD_REP_ERR_UNKNOWN: u32 = NBD_REP_FLAG_ERROR | 6;
/// Error reply to an option: too long.
pub const NBD_REP_ERR_TOO_BIG: u32 = NBD_REP_FLAG_ERROR | 9;

/// Information: size and transmission flags.
pub const NBD_INFO_EXPORT: u16 = 0;
/// Information: the export's own name.
pub const NBD_INFO_NAME: u16 = 1;
/// Information: a line for people.
pub const NBD_INFO_DESCRIPTION: u16 = 2;
/// Information: minimum, preferred and maximum block size.
pub const NBD_INFO_BLOCK_SIZE: u16 = 3;

/// The longest name of an export or a metadata context.
pub const NBD_MAX_STRING: usize = 4096;

/// Command: read a range; the data come with the reply.
pub const NBD_CMD_READ: u16 = 0;
/// Command: write a range; the data follow the header.
pub const NBD_CMD_WRITE: u16 = 1;
/// Command: end the session.
pub const NBD_CMD_DISC: u16 = 2;
/// Command: make everything that was written safe.
pub const NBD_CMD_FLUSH: u16 = 3;
/// Command: the data are no longer needed.
pub const NBD_CMD_TRIM: u16 = 4;
/// Command: the data will be read soon.
pub const NBD_CMD_CACHE: u16 = 5;
/// Command: write zeroes to a range; no data follow.
pub const NBD_CMD_WRITE_ZEROES: u16 = 6;
/// Command: say what is stored where.
pub const NBD_CMD_BLOCK_STATUS: u16 = 7;

/// Command flag: answer only when what this command wrote is safe.
pub const NBD_CMD_FLAG_FUA: u16 = 1 << 0;
/// Command flag: zeroes must be stored, not left out.
pub const NBD_CMD_FLAG_NO_HOLE: u16 = 1 << 1;
/// Command flag: data in one chunk.
pub const NBD_CMD_FLAG_DF: u16 = 1 << 2;
/// Command flag: one extent of each metadata context.
pub const NBD_CMD_FLAG_REQ_ONE: u16 = 1 << 3;
/// Command flag: fail if writing zeroes takes as long as writing data.
pub const NBD_CMD_FLAG_FAST_ZERO: u16 = 1 << 4;

/// Structured reply flag: the last chunk of the reply.
pub const NBD_REPLY_FLAG_DONE: u16 = 1 << 0;
/// Structured reply: no payload.
pub const NBD_REPLY_TYPE_NONE: u16 = 0;
/// Structured reply: an offset, and the data there.
pub const NBD_REPLY_TYPE_OFFSET_DATA: u16 = 1;
/// Structured reply: extents of one metadata context.
pub const NBD_REPLY_TYPE_BLOCK_STATUS: u16 = 5;
/// Structured reply: an error.
pub const NBD_REPLY_TYPE_ERROR: u16 = (1 << 15) | 1;

/// Status of `base:allocation`: nothing is stored.
pub const NBD_STATE_HOLE: u32 = 1 << 0;
/// Status of `base:allocation`: reads as zeroes.
pub const NBD_STATE_ZERO: u32 = 1 << 1;

/// Error: not permitted, as a write to a read-only export.
pub const NBD_EPERM: u32 = 1;
/// Error: input or output failed.
pub const NBD_EIO: u32 = 5;
/// Error: invalid argument, as a range beyond the end.
pub const NBD_EINVAL: u32 = 22;
/// Error: no space, as a write beyond the end.
pub const NBD_ENOSPC: u32 = 28;
/// Error: not supported, as fast zeroes that would be slow.
pub const NBD_ENOTSUP: u32 = 95;
/// Error: the server is shutting down.
pub const NBD_ESHUTDOWN: u32 = 108;
