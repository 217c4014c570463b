//! A client that sends any bytes, right or wrong.

use crate::{PATIENCE, Site};
use ftlab_nbd::protocol::constants::{
    IHAVEOPT, NBD_CMD_READ, NBD_FLAG_C_FIXED_NEWSTYLE, NBD_FLAG_C_NO_ZEROES, NBD_INFO_EXPORT,
    NBD_OPT_GO, NBD_OPT_SET_META_CONTEXT, NBD_OPT_STARTTLS, NBD_OPT_STRUCTURED_REPLY,
    NBD_OPTION_REPLY_MAGIC, NBD_REP_ACK, NBD_REP_INFO, NBD_REP_META_CONTEXT, NBD_REPLY_FLAG_DONE,
    NBD_REPLY_TYPE_ERROR, NBD_REPLY_TYPE_NONE, NBD_REPLY_TYPE_OFFSET_DATA, NBDMAGIC,
};
use ftlab_nbd::protocol::reply::{Reply, decode};
use ftlab_nbd::protocol::{BASE_ALLOCATION, OptionHeader, RequestHeader};
use rustix::net::sockopt;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// What came back for a request: its cookie, and data or the number of an error.
pub type Answer = (u64, Result<Vec<u8>, u32>);

/// Within TLS.
pub type Encrypted = StreamOwned<ClientConnection, TcpStream>;

pub struct Raw<S = UnixStream> {
    pub stream: S,
    /// Lengths of the reads in flight, which simple replies do not tell.
    reads: BTreeMap<u64, u32>,
    cookies: u64,
}

impl Raw {
    /// Connects, and hears the greeting.
    pub fn connect(site: &Site) -> Raw {
        let stream = UnixStream::connect(&site.socket).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        Raw::greeted(stream)
    }

    /// Connects as a client of today, with structured replies and block status, and begins.
    pub fn begin(site: &Site) -> Raw {
        let mut raw = Raw::connect(site);
        raw.client_flags();
        raw.option(NBD_OPT_STRUCTURED_REPLY, &[]);
        assert_eq!(raw.option_reply(), (NBD_REP_ACK, vec![]));
        raw.option(
            NBD_OPT_SET_META_CONTEXT,
            &meta_context(b"", &[BASE_ALLOCATION.as_bytes()]),
        );
        assert_eq!(raw.option_reply().0, NBD_REP_META_CONTEXT);
        assert_eq!(raw.option_reply(), (NBD_REP_ACK, vec![]));
        raw.go();
        raw
    }

    /// Connects and begins without structured replies, as the kernel does.
    pub fn begin_simple(site: &Site) -> Raw {
        let mut raw = Raw::connect(site);
        raw.client_flags();
        raw.go();
        raw
    }
}

impl Raw<TcpStream> {
    /// Connects to a server with TLS, and hears the greeting.
    pub fn connect_tcp(site: &Site) -> Raw<TcpStream> {
        let address = site.address.expect("a port");
        let stream = TcpStream::connect(address).expect("it listens");
        // Little, so that a client that does not read soon has a full socket.
        sockopt::set_socket_recv_buffer_size(&stream, 1 << 16).expect("a socket");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        Raw::greeted(stream)
    }

    /// Starts TLS.
    pub fn start_tls(mut self, config: &Arc<ClientConfig>) -> Raw<Encrypted> {
        self.option(NBD_OPT_STARTTLS, &[]);
        assert_eq!(self.option_reply(), (NBD_REP_ACK, vec![]));
        let name = ServerName::try_from("localhost").expect("a name");
        let tls = ClientConnection::new(Arc::clone(config), name).expect("a client");
        Raw::of(StreamOwned::new(tls, self.stream))
    }
}

impl<S: Read + Write> Raw<S> {
    fn of(stream: S) -> Raw<S> {
        Raw {
            stream,
            reads: BTreeMap::new(),
            cookies: 0,
        }
    }

    fn greeted(stream: S) -> Raw<S> {
        let mut raw = Raw::of(stream);
        assert_eq!(raw.u64(), NBDMAGIC);
        assert_eq!(raw.u64(), IHAVEOPT);
        assert_eq!(raw.array::<2>(), [0, 3]);
        raw
    }

    pub fn client_flags(&mut self) {
        self.send(&(NBD_FLAG_C_FIXED_NEWSTYLE | NBD_FLAG_C_NO_ZEROES).to_be_bytes());
    }

    /// Begins with the export without a name; gives its size and flags.
    pub fn go(&mut self) -> (u64, u16) {
        self.option(NBD_OPT_GO, &[0; 6]);
        let mut found = None;
        loop {
            let (kind, data) = self.option_reply();
            if kind == NBD_REP_ACK {
                return found.expect("the export is described");
            }
            assert_eq!(kind, NBD_REP_INFO, "{:?}", String::from_utf8_lossy(&data));
            if data[..2] == NBD_INFO_EXPORT.to_be_bytes() {
                let size = u64::from_be_bytes(data[2..10].try_into().expect("8 bytes"));
                let flags = u16::from_be_bytes(data[10..12].try_into().expect("2 bytes"));
                found = Some((size, flags));
            }
        }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("the server reads");
    }

    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.stream
            .read_exact(&mut bytes)
            .expect("the server answers");
        bytes
    }

    pub fn u64(&mut self) -> u64 {
        u64::from_be_bytes(self.array())
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.stream
            .read_exact(&mut bytes)
            .expect("the server answers");
        bytes
    }

    /// Asserts that the server has hung up.
    pub fn assert_closed(&mut self) {
        let mut left = Vec::new();
        match self.stream.read_to_end(&mut left) {
            Ok(_) => assert!(left.is_empty(), "the server goes on: {left:?}"),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
        }
    }

    pub fn option(&mut self, code: u32, data: &[u8]) {
        let length_bytes = data.len() as u32;
        self.send(&OptionHeader { code, length_bytes }.encode());
        self.send(data);
    }

    pub fn option_reply(&mut self) -> (u32, Vec<u8>) {
        assert_eq!(self.u64(), NBD_OPTION_REPLY_MAGIC);
        let _option: [u8; 4] = self.array();
        let kind = u32::from_be_bytes(self.array());
        let length = u32::from_be_bytes(self.array());
        (kind, self.bytes(length as usize))
    }

    /// Sends a request, and gives its cookie.
    pub fn request(&mut self, code: u16, flags: u16, offset: u64, length: u32, data: &[u8]) -> u64 {
        self.cookies += 1;
        let header = RequestHeader {
            flags,
            code,
            cookie: self.cookies,
            offset_bytes: offset,
            length_bytes: length,
        };
        if code == NBD_CMD_READ {
            self.reads.insert(self.cookies, length);
        }
        self.send(&header.encode());
        self.send(data);
        self.cookies
    }

    /// The next reply, whichever request it is for.
    pub fn answer(&mut self) -> Answer {
        let mut bytes = self.array::<16>().to_vec();
        if decode(&bytes).is_none() {
            bytes.extend(self.array::<4>());
        }
        match decode(&bytes).expect("a reply").0 {
            Reply::Simple { cookie, error } => {
                let length = self.reads.remove(&cookie).unwrap_or(0);
                match error {
                    0 => (cookie, Ok(self.bytes(length as usize))),
                    error => (cookie, Err(error)),
                }
            }
            Reply::Chunk {
                cookie,
                flags,
                kind,
                payload_bytes,
            } => {
                assert_eq!(flags, NBD_REPLY_FLAG_DONE);
                self.reads.remove(&cookie);
                let payload = self.bytes(payload_bytes as usize);
                let answer = match kind {
                    NBD_REPLY_TYPE_NONE => Ok(payload),
                    NBD_REPLY_TYPE_OFFSET_DATA => Ok(payload[8..].to_vec()),
                    NBD_REPLY_TYPE_ERROR => Err(u32::from_be_bytes(
                        payload[..4].try_into().expect("4 bytes"),
                    )),
                    _ => Ok(payload[4..].to_vec()),
                };
                (cookie, answer)
            }
        }
    }

    /// Sends a request and waits for its answer, which must be the next.
    pub fn ask(
        &mut self,
        code: u16,
        flags: u16,
        offset: u64,
        length: u32,
        data: &[u8],
    ) -> Result<Vec<u8>, u32> {
        let cookie = self.request(code, flags, offset, length, data);
        let (answered, result) = self.answer();
        assert_eq!(answered, cookie);
        result
    }

    /// Reads, as a sign that the session lives.
    pub fn assert_alive(&mut self) {
        assert_eq!(
            self.ask(NBD_CMD_READ, 0, 0, 512, &[])
                .map(|data| data.len()),
            Ok(512)
        );
    }
}

/// The data of `NBD_OPT_SET_META_CONTEXT`.
pub fn meta_context(export: &[u8], queries: &[&[u8]]) -> Vec<u8> {
    let mut data = (export.len() as u32).to_be_bytes().to_vec();
    data.extend(export);
    data.extend((queries.len() as u32).to_be_bytes());
    for query in queries {
        data.extend((query.len() as u32).to_be_bytes());
        data.extend(*query);
    }
    data
}
