//! A client that remembers which writes the server promised to keep, and takes a server's death as it comes.

use ftlab_nbd::protocol::RequestHeader;
use ftlab_nbd::protocol::constants::{
    IHAVEOPT, NBD_FLAG_C_FIXED_NEWSTYLE, NBD_FLAG_C_NO_ZEROES, NBD_FLAG_SEND_TRIM,
    NBD_OPT_EXPORT_NAME, NBD_SIMPLE_REPLY_MAGIC,
};
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A connection in the transmission phase, without structured replies.
pub struct Client {
    stream: UnixStream,
    pub size_bytes: u64,
    /// Whether it may be sent trims.
    pub trims: bool,
}

impl Client {
    pub fn connect(socket: &Path) -> Client {
        let mut stream = UnixStream::connect(socket).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a socket");
        let mut greeting = [0; 18];
        stream.read_exact(&mut greeting).expect("a greeting");
        let mut hello = (NBD_FLAG_C_FIXED_NEWSTYLE | NBD_FLAG_C_NO_ZEROES)
            .to_be_bytes()
            .to_vec();
        hello.extend(IHAVEOPT.to_be_bytes());
        hello.extend(NBD_OPT_EXPORT_NAME.to_be_bytes());
        // No name: the first export.
        hello.extend(0_u32.to_be_bytes());
        stream.write_all(&hello).expect("it listens");
        let mut export = [0; 10];
        stream.read_exact(&mut export).expect("an export");
        let size_bytes = u64::from_be_bytes(*export.first_chunk().expect("8 bytes"));
        let flags = u16::from_be_bytes(*export[8..].first_chunk().expect("2 bytes"));
        Client {
            stream,
            size_bytes,
            trims: flags & NBD_FLAG_SEND_TRIM != 0,
        }
    }

    /// Sends a request, with the data of a write.
    pub fn send(&mut self, header: RequestHeader, data: &[u8]) -> io::Result<()> {
        self.stream
            .write_all(&[&header.encode()[..], data].concat())
    }

    /// The next reply: its cookie, and whether it went well. Data of a read are left to be read.
    pub fn reply(&mut self) -> io::Result<(u64, u32)> {
        let mut reply = [0; 16];
        self.stream.read_exact(&mut reply)?;
        let word = |at: usize| u32::from_be_bytes(*reply[at..].first_chunk().expect("4 bytes"));
        assert_eq!(word(0), NBD_SIMPLE_REPLY_MAGIC);
        let cookie = u64::from_be_bytes(*reply[8..].first_chunk().expect("8 bytes"));
        Ok((cookie, word(4)))
    }

    pub fn data(&mut self, into: &mut [u8]) -> io::Result<()> {
        self.stream.read_exact(into)
    }
}
