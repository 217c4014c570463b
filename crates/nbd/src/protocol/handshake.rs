//! The negotiation before the transmission phase, from the server's side.

use super::constants::{
    IHAVEOPT, NBD_FLAG_C_FIXED_NEWSTYLE, NBD_FLAG_C_NO_ZEROES, NBD_FLAG_FIXED_NEWSTYLE,
    NBD_FLAG_NO_ZEROES, NBD_FLAG_READ_ONLY, NBD_FLAG_SEND_DF, NBD_INFO_BLOCK_SIZE,
    NBD_INFO_DESCRIPTION, NBD_INFO_EXPORT, NBD_INFO_NAME, NBD_OPT_ABORT, NBD_OPT_EXPORT_NAME,
    NBD_OPT_STARTTLS, NBD_OPTION_REPLY_MAGIC, NBD_REP_ACK, NBD_REP_ERR_INVALID,
    NBD_REP_ERR_TLS_REQD, NBD_REP_ERR_TOO_BIG, NBD_REP_ERR_UNKNOWN, NBD_REP_ERR_UNSUP,
    NBD_REP_INFO, NBD_REP_META_CONTEXT, NBD_REP_SERVER, NBDMAGIC,
};
use super::option::{InfoRequest, MetaContextRequest};
use super::{
    BASE_ALLOCATION, BASE_ALLOCATION_ID, BlockSizes, ClientOption, OPTION_BYTES_MAX,
    OPTION_HEADER_BYTES, OptionHeader,
};

/// Zeroes that end the negotiation with a client of old.
const ZEROES: usize = 124;

/// Description of an export in the negotiation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportInfo {
    /// By this name clients ask for it. At most 4096 bytes.
    pub name: String,
    /// For people. At most 4096 bytes.
    pub description: String,
    /// Size of the export in bytes, a multiple of its smallest block.
    pub size_bytes: u64,
    /// `NBD_FLAG_*`, without those that depend on what is negotiated.
    pub flags: u16,
    /// Sizes and alignment of requests.
    pub block_sizes: BlockSizes,
}

/// Parameters of the transmission phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transmission {
    /// Index of the export among those of the server.
    pub export: usize,
    /// Size of the export in bytes, as the reply to the client has it.
    pub size_bytes: u64,
    /// Transmission flags, `NBD_FLAG_*`, with those that were negotiated.
    pub flags: u16,
    /// Sizes and alignment of requests.
    pub block_sizes: BlockSizes,
    /// True if replies are structured.
    pub structured_replies: bool,
    /// True if `base:allocation` was chosen.
    pub block_status: bool,
}

impl Transmission {
    /// True if writes are refused.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.flags & NBD_FLAG_READ_ONLY != 0
    }
}

/// End of a negotiation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandshakeEnd {
    /// The client goes on with requests.
    Transmission(Transmission),
    /// With the client's good-bye.
    Aborted,
}

/// Progress of a negotiation over the bytes that the client sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Nothing can be done until there are this many bytes, counted from the first one given.
    Needs(usize),
    /// This many bytes are done with.
    Took(usize),
    /// This many bytes are done with. Whatever follows in either direction is within TLS, and is given to the same
    /// negotiation once it is decrypted.
    StartsTls(usize),
    /// This many bytes are done with, and with them the negotiation.
    Ended(usize, HandshakeEnd),
}

/// Violation of the protocol by a client, to which there is no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// Client flags that the protocol does not have.
    #[error("unknown client flags {0:#x}")]
    ClientFlags(u32),
    /// An option without its magic number.
    #[error("an option does not begin with its magic number")]
    Magic,
    /// An option in a negotiation that has but one.
    #[error("option {0}, from a client that did not ask for fixed newstyle")]
    NotFixed(u32),
    /// `NBD_OPT_EXPORT_NAME` of a name that is not there, or far too long; it knows no error reply.
    #[error("no such export: {0:?}")]
    NoSuchExport(String),
    /// `NBD_OPT_EXPORT_NAME` before encryption, which the server requires; there is no error reply to it.
    #[error("a client without TLS, which is required")]
    NeedsTls,
}

#[derive(Debug)]
enum State {
    /// The client's flags come next.
    Flags,
    /// An option comes next.
    Options,
    /// Data of an option that is too long; N bytes are left.
    Skipping(u32),
}

/// Use of TLS in a negotiation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tls {
    /// The server has no TLS.
    Off,
    /// Nothing else can be asked for before it is started.
    Required,
    /// Everything is within it.
    Started,
}

/// A negotiation. The first of the exports is the one without a name.
#[derive(Debug)]
pub struct Handshake<'a> {
    exports: &'a [ExportInfo],
    state: State,
    tls: Tls,
    fixed: bool,
    no_zeroes: bool,
    structured_replies: bool,
    /// The export that `base:allocation` was chosen for.
    context_of: Option<usize>,
}

impl<'a> Handshake<'a> {
    /// A negotiation over these exports, without TLS.
    #[must_use]
    pub fn new(exports: &'a [ExportInfo]) -> Self {
        Handshake {
            exports,
            state: State::Flags,
            tls: Tls::Off,
            fixed: false,
            no_zeroes: false,
            structured_replies: false,
            context_of: None,
        }
    }

    /// A negotiation over these exports in which the client must start TLS before it asks for anything.
    #[must_use]
    pub fn requiring_tls(exports: &'a [ExportInfo]) -> Self {
        Handshake {
            tls: Tls::Required,
            ..Handshake::new(exports)
        }
    }

    /// First bytes that the server sends.
    #[must_use]
    pub fn greeting() -> [u8; 18] {
        let mut bytes = [0; 18];
        bytes[..8].copy_from_slice(&NBDMAGIC.to_be_bytes());
        bytes[8..16].copy_from_slice(&IHAVEOPT.to_be_bytes());
        let flags = NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES;
        bytes[16..].copy_from_slice(&flags.to_be_bytes());
        bytes
    }

    /// Reads the bytes of the client that were not taken yet, and adds the answer to `output`. What is needed
    /// at once is never more than an option of [`OPTION_BYTES_MAX`].
    ///
    /// # Errors
    /// When the session cannot go on.
    pub fn advance(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<Progress, Violation> {
        match self.state {
            State::Flags => self.client_flags(input),
            State::Options => self.option(input, output),
            State::Skipping(_) if input.is_empty() => Ok(Progress::Needs(1)),
            State::Skipping(left) => {
                let took = input.len().min(left as usize);
                self.state = match left - took as u32 {
                    0 => State::Options,
                    left => State::Skipping(left),
                };
                Ok(Progress::Took(took))
            }
        }
    }

    fn client_flags(&mut self, input: &[u8]) -> Result<Progress, Violation> {
        let Some(bytes) = input.first_chunk() else {
            return Ok(Progress::Needs(4));
        };
        let flags = u32::from_be_bytes(*bytes);
        if flags & !(NBD_FLAG_C_FIXED_NEWSTYLE | NBD_FLAG_C_NO_ZEROES) != 0 {
            return Err(Violation::ClientFlags(flags));
        }
        self.fixed = flags & NBD_FLAG_C_FIXED_NEWSTYLE != 0;
        self.no_zeroes = flags & NBD_FLAG_C_NO_ZEROES != 0;
        self.state = State::Options;
        Ok(Progress::Took(4))
    }

    fn option(&mut self, input: &[u8], output: &mut Vec<u8>) -> Result<Progress, Violation> {
        let Some(header) = input.first_chunk() else {
            return Ok(Progress::Needs(OPTION_HEADER_BYTES));
        };
        let OptionHeader { code, length_bytes } =
            OptionHeader::decode(header).ok_or(Violation::Magic)?;
        // A client without the flag knows one option alone, and no replies to others.
        if !self.fixed && code != NBD_OPT_EXPORT_NAME {
            return Err(Violation::NotFixed(code));
        }
        let mut answer = Answer { code, output };
        if self.tls == Tls::Required && ![NBD_OPT_STARTTLS, NBD_OPT_ABORT].contains(&code) {
            if code == NBD_OPT_EXPORT_NAME {
                return Err(Violation::NeedsTls);
            }
            answer.push(NBD_REP_ERR_TLS_REQD, &[b"start TLS first"]);
            return Ok(self.skip(length_bytes));
        }
        if length_bytes > OPTION_BYTES_MAX {
            if code == NBD_OPT_EXPORT_NAME {
                let name = format!("a name of {length_bytes} bytes");
                return Err(Violation::NoSuchExport(name));
            }
            let most = format!("options have at most {OPTION_BYTES_MAX} bytes here");
            answer.push(NBD_REP_ERR_TOO_BIG, &[most.as_bytes()]);
            return Ok(self.skip(length_bytes));
        }
        let whole = OPTION_HEADER_BYTES + length_bytes as usize;
        let Some(data) = input.get(OPTION_HEADER_BYTES..whole) else {
            return Ok(Progress::Needs(whole));
        };
        let end = match ClientOption::parse(code, data) {
            Ok(ClientOption::StartTls) if self.tls == Tls::Required => {
                answer.push(NBD_REP_ACK, &[]);
                self.tls = Tls::Started;
                return Ok(Progress::StartsTls(whole));
            }
            Ok(option) => self.answer(&option, &mut answer)?,
            Err(_) if code == NBD_OPT_EXPORT_NAME => return Err(no_such_export(data)),
            Err(bad) => {
                answer.push(NBD_REP_ERR_INVALID, &[bad.to_string().as_bytes()]);
                None
            }
        };
        Ok(match end {
            Some(end) => Progress::Ended(whole, end),
            None => Progress::Took(whole),
        })
    }

    /// Leaves out the data of an option.
    fn skip(&mut self, length_bytes: u32) -> Progress {
        if length_bytes > 0 {
            self.state = State::Skipping(length_bytes);
        }
        Progress::Took(OPTION_HEADER_BYTES)
    }

    fn answer(
        &mut self,
        option: &ClientOption<'_>,
        answer: &mut Answer<'_>,
    ) -> Result<Option<HandshakeEnd>, Violation> {
        match option {
            ClientOption::ExportName(name) => {
                let export = self.find(name).ok_or_else(|| no_such_export(name))?;
                let transmission = self.transmission(export);
                answer.raw(&transmission.size_bytes.to_be_bytes());
                answer.raw(&transmission.flags.to_be_bytes());
                // The old reply ends with 124 zeroes, unless both sides have agreed to leave them out.
                if !self.no_zeroes {
                    answer.raw(&[0; ZEROES]);
                }
                return Ok(Some(HandshakeEnd::Transmission(transmission)));
            }
            ClientOption::Abort => {
                debug_assert_eq!(answer.code, NBD_OPT_ABORT);
                answer.push(NBD_REP_ACK, &[]);
                return Ok(Some(HandshakeEnd::Aborted));
            }
            ClientOption::List => {
                for export in self.exports {
                    let name = export.name.as_bytes();
                    let length = (name.len() as u32).to_be_bytes();
                    let description = export.description.as_bytes();
                    answer.push(NBD_REP_SERVER, &[&length, name, description]);
                }
                answer.push(NBD_REP_ACK, &[]);
            }
            ClientOption::Info(request) => {
                self.describe(request, answer);
            }
            ClientOption::Go(request) => {
                let export = self.describe(request, answer);
                let begin = |export| HandshakeEnd::Transmission(self.transmission(export));
                return Ok(export.map(begin));
            }
            ClientOption::StructuredReply => {
                self.structured_replies = true;
                answer.push(NBD_REP_ACK, &[]);
            }
            ClientOption::ListMetaContext(request) => {
                let matches =
                    |query: &[u8]| query == b"base:" || query == BASE_ALLOCATION.as_bytes();
                let all = request.queries.is_empty();
                let found = all || request.queries.iter().any(|query| matches(query));
                self.contexts(request, found, 0, answer);
            }
            ClientOption::SetMetaContext(request) => {
                let found = request.queries.contains(&BASE_ALLOCATION.as_bytes());
                let export = self.contexts(request, found, BASE_ALLOCATION_ID, answer);
                self.context_of = export.filter(|_| found);
            }
            ClientOption::StartTls if self.tls == Tls::Started => {
                answer.push(NBD_REP_ERR_INVALID, &[b"this is within TLS already"]);
            }
            ClientOption::StartTls => {
                answer.push(NBD_REP_ERR_UNSUP, &[b"this server does not encrypt"]);
            }
            ClientOption::Unknown => {
                answer.push(
                    NBD_REP_ERR_UNSUP,
                    &[b"this server does not know the option"],
                );
            }
        }
        Ok(None)
    }

    fn find(&self, name: &[u8]) -> Option<usize> {
        let named = |export: &ExportInfo| export.name.as_bytes() == name;
        let default = (name.is_empty() && !self.exports.is_empty()).then_some(0);
        self.exports.iter().position(named).or(default)
    }

    fn transmission(&self, export: usize) -> Transmission {
        let info = &self.exports[export];
        let df = match self.structured_replies {
            true => NBD_FLAG_SEND_DF,
            false => 0,
        };
        Transmission {
            export,
            size_bytes: info.size_bytes,
            flags: info.flags | df,
            block_sizes: info.block_sizes,
            structured_replies: self.structured_replies,
            block_status: self.structured_replies && self.context_of == Some(export),
        }
    }

    /// Describes an export, and says which one it was.
    fn describe(&self, request: &InfoRequest<'_>, answer: &mut Answer<'_>) -> Option<usize> {
        let Some(export) = self.find(request.export) else {
            answer.push(NBD_REP_ERR_UNKNOWN, &[b"no such export"]);
            return None;
        };
        let info = &self.exports[export];
        let transmission = self.transmission(export);
        let mut tell = |kind: u16, data: [&[u8]; 3]| {
            let kind = kind.to_be_bytes();
            answer.push(NBD_REP_INFO, &[&kind, data[0], data[1], data[2]]);
        };
        let size = transmission.size_bytes.to_be_bytes();
        tell(
            NBD_INFO_EXPORT,
            [&size, &transmission.flags.to_be_bytes(), &[]],
        );
        if request.kinds.contains(&NBD_INFO_NAME) {
            tell(NBD_INFO_NAME, [info.name.as_bytes(), &[], &[]]);
        }
        if request.kinds.contains(&NBD_INFO_DESCRIPTION) {
            let description = info.description.as_bytes();
            tell(NBD_INFO_DESCRIPTION, [description, &[], &[]]);
        }
        // Told unasked, since requests that keep to other sizes are refused.
        let sizes = info.block_sizes;
        tell(
            NBD_INFO_BLOCK_SIZE,
            [
                &sizes.minimum_bytes.to_be_bytes(),
                &sizes.preferred_bytes.to_be_bytes(),
                &sizes.maximum_bytes.to_be_bytes(),
            ],
        );
        answer.push(NBD_REP_ACK, &[]);
        Some(export)
    }

    /// Answers a question for metadata contexts, and says for which export.
    fn contexts(
        &self,
        request: &MetaContextRequest<'_>,
        found: bool,
        id: u32,
        answer: &mut Answer<'_>,
    ) -> Option<usize> {
        if !self.structured_replies {
            let why = b"metadata contexts need structured replies, which come first";
            answer.push(NBD_REP_ERR_INVALID, &[why]);
            return None;
        }
        let Some(export) = self.find(request.export) else {
            answer.push(NBD_REP_ERR_UNKNOWN, &[b"no such export"]);
            return None;
        };
        if found {
            let name = BASE_ALLOCATION.as_bytes();
            answer.push(NBD_REP_META_CONTEXT, &[&id.to_be_bytes(), name]);
        }
        answer.push(NBD_REP_ACK, &[]);
        Some(export)
    }
}

fn no_such_export(name: &[u8]) -> Violation {
    let shown = &name[..name.len().min(80)];
    Violation::NoSuchExport(String::from_utf8_lossy(shown).into_owned())
}

/// Replies to one option.
struct Answer<'a> {
    code: u32,
    output: &'a mut Vec<u8>,
}

impl Answer<'_> {
    fn raw(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }

    fn push(&mut self, kind: u32, data: &[&[u8]]) {
        let length: usize = data.iter().map(|part| part.len()).sum();
        self.raw(&NBD_OPTION_REPLY_MAGIC.to_be_bytes());
        self.raw(&self.code.to_be_bytes());
        self.raw(&kind.to_be_bytes());
        self.raw(&(length as u32).to_be_bytes());
        for part in data {
            self.raw(part);
        }
    }
}
