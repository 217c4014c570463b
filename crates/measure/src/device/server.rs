//! An export of an NBD server, which has neither a number nor a place in a file system: its address, name and size are what tells it
//! from others.
//!
//! The server is asked by the protocol's `NBD_OPT_INFO`, which begins nothing there. fio speaks with it later, by libnbd.

use super::id::Id;
use std::fmt::{self, Display, Formatter};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The port of servers that name none.
const PORT: u16 = 10809;

/// Time in which a server has to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Beginnings of addresses: over TCP, and of a socket in the file system.
const TCP: &str = "nbd://";
const UNIX: &str = "nbd+unix:///";
const SOCKET: &str = "?socket=";

/// Numbers of the protocol, under its own names.
const NBDMAGIC: u64 = 0x4e42_444d_4147_4943;
const IHAVEOPT: u64 = 0x4948_4156_454f_5054;
const NBD_OPTION_REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
const NBD_FLAG_FIXED_NEWSTYLE: u16 = 1 << 0;
const NBD_OPT_ABORT: u32 = 2;
const NBD_OPT_INFO: u32 = 6;
const NBD_REP_ACK: u32 = 1;
const NBD_REP_INFO: u32 = 3;
const NBD_REP_FLAG_ERROR: u32 = 1 << 31;
const NBD_INFO_EXPORT: u16 = 0;
const NBD_FLAG_READ_ONLY: u16 = 1 << 1;
const NBD_FLAG_SEND_TRIM: u16 = 1 << 5;

/// No server has more to say about an option.
const REPLY_BYTES_MAX: u32 = 1 << 16;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

/// An export of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    address: Address,
    export: String,
}

/// What a server says of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Export {
    /// Its size.
    pub bytes: u64,
    /// It takes no writes.
    pub is_read_only: bool,
    /// It takes TRIM.
    pub trims: bool,
}

impl Server {
    /// Returns true if a path is the address of a server.
    #[must_use]
    pub fn is_meant(path: &Path) -> bool {
        let text = path.to_string_lossy();
        text.starts_with(TCP) || text.starts_with(UNIX)
    }

    /// Reads an address, and looks its host up.
    ///
    /// # Errors
    /// Why it is none.
    pub fn of(path: &Path) -> Result<Server, String> {
        let text = path.to_string_lossy();
        let (address, export) = if let Some(rest) = text.strip_prefix(UNIX) {
            let (export, socket) = rest
                .split_once(SOCKET)
                .ok_or("a socket is given as nbd+unix:///EXPORT?socket=PATH")?;
            let socket = Path::new(socket).canonicalize();
            let socket = socket.map_err(|why| format!("its socket is not there: {why}"))?;
            plain(&socket.to_string_lossy())?;
            (Address::Unix(socket), export.to_owned())
        } else {
            let rest = text.strip_prefix(TCP).unwrap_or(&text);
            let (host, export) = rest.split_once('/').unwrap_or((rest, ""));
            (Address::Tcp(looked_up(host)?), export.to_owned())
        };
        plain(&export)?;
        Ok(Server { address, export })
    }

    /// The address for fio: of the server that was looked at, whatever its name leads to by then.
    #[must_use]
    pub fn uri(&self) -> String {
        match &self.address {
            Address::Tcp(address) => format!("{TCP}{address}/{}", self.export),
            Address::Unix(path) => format!("{UNIX}{}{SOCKET}{}", self.export, path.display()),
        }
    }

    /// The id of the export.
    #[must_use]
    pub fn id(&self, bytes: u64) -> Id {
        Id::of_export(&self.address.to_string(), &self.export, bytes)
    }

    /// Asks the server for the export.
    ///
    /// # Errors
    /// When it does not answer, or has no such export.
    pub fn ask(&self) -> io::Result<Export> {
        match &self.address {
            Address::Tcp(address) => {
                let mut stream = TcpStream::connect_timeout(address, PATIENCE)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                ask(&mut stream, &self.export)
            }
            Address::Unix(path) => {
                let mut stream = UnixStream::connect(path)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                ask(&mut stream, &self.export)
            }
        }
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => write!(f, "{address}"),
            Address::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// What is written into an address and a job file as it is has letters that mean nothing else there.
fn plain(text: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-+/~@".contains(c);
    match text.chars().find(|c| !fits(*c)) {
        None => Ok(()),
        Some(c) => Err(format!(
            "`{text}` has the character {c:?}: names of exports and sockets are of letters, digits and ._-+/~@ here"
        )),
    }
}

fn looked_up(host: &str) -> Result<SocketAddr, String> {
    let has_port = host
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let with_port = match has_port && !host.ends_with(']') {
        true => host.to_owned(),
        false => format!("{host}:{PORT}"),
    };
    let found = with_port.to_socket_addrs();
    let found = found.map_err(|why| format!("its host `{host}` cannot be looked up: {why}"))?;
    found
        .into_iter()
        .next()
        .ok_or_else(|| format!("its host `{host}` has no address"))
}

fn strange(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

fn ask(stream: &mut (impl Read + Write), export: &str) -> io::Result<Export> {
    if number(stream)? != NBDMAGIC || number(stream)? != IHAVEOPT {
        return Err(strange("it is no NBD server, or one of the old kind"));
    }
    let mut flags = [0; 2];
    stream.read_exact(&mut flags)?;
    if u16::from_be_bytes(flags) & NBD_FLAG_FIXED_NEWSTYLE == 0 {
        return Err(strange("it is an NBD server of the old kind"));
    }
    let length = u32::try_from(export.len()).map_err(|_| strange("the name is too long"))?;
    let mut hello = u32::from(NBD_FLAG_FIXED_NEWSTYLE).to_be_bytes().to_vec();
    // The name, and no kinds of information beside those that each answer has.
    hello.extend(option(NBD_OPT_INFO, length + 6));
    hello.extend(length.to_be_bytes());
    hello.extend(export.as_bytes());
    hello.extend(0_u16.to_be_bytes());
    stream.write_all(&hello)?;
    let mut found = None;
    loop {
        let (kind, data) = reply(stream)?;
        match kind {
            NBD_REP_ACK => break,
            NBD_REP_INFO => found = found.or(info(&data)),
            kind if kind & NBD_REP_FLAG_ERROR != 0 => {
                let said = String::from_utf8_lossy(&data);
                return Err(strange(&format!(
                    "it has no export `{export}` for us: {said} ({kind:#x})"
                )));
            }
            _ => {}
        }
    }
    // Whether it hears that is no matter, as nothing was begun; one that answers gets the time for it.
    if stream.write_all(&option(NBD_OPT_ABORT, 0)).is_ok() {
        let _ = reply(stream);
    }
    found.ok_or_else(|| strange("it does not say how large the export is"))
}

fn option(code: u32, data_bytes: u32) -> Vec<u8> {
    let mut bytes = IHAVEOPT.to_be_bytes().to_vec();
    bytes.extend(code.to_be_bytes());
    bytes.extend(data_bytes.to_be_bytes());
    bytes
}

fn number(stream: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    stream.read_exact(&mut bytes)?;
    Ok(u64::from_be_bytes(bytes))
}

fn word(stream: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes)?;
    Ok(u32::from_be_bytes(bytes))
}

/// The kind of a reply, and its data.
fn reply(stream: &mut impl Read) -> io::Result<(u32, Vec<u8>)> {
    if number(stream)? != NBD_OPTION_REPLY_MAGIC {
        return Err(strange("its answer is none of NBD's"));
    }
    let (_option, kind, length) = (word(stream)?, word(stream)?, word(stream)?);
    if length > REPLY_BYTES_MAX {
        return Err(strange("its answer has no end"));
    }
    let mut data = vec![0; length as usize];
    stream.read_exact(&mut data)?;
    Ok((kind, data))
}

/// Kind, size and flags.
fn info(data: &[u8]) -> Option<Export> {
    let kind = u16::from_be_bytes(*data.first_chunk()?);
    let bytes = u64::from_be_bytes(*data.get(2..)?.first_chunk()?);
    let flags = u16::from_be_bytes(*data.get(10..)?.first_chunk()?);
    (kind == NBD_INFO_EXPORT).then_some(Export {
        bytes,
        is_read_only: flags & NBD_FLAG_READ_ONLY != 0,
        trims: flags & NBD_FLAG_SEND_TRIM != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Server, String> {
        Server::of(Path::new(text))
    }

    #[test]
    fn an_address_has_a_host_a_port_and_an_export() {
        for (text, uri) in [
            ("nbd://127.0.0.1", "nbd://127.0.0.1:10809/"),
            ("nbd://127.0.0.1:9/a/b", "nbd://127.0.0.1:9/a/b"),
            ("nbd://[::1]/x", "nbd://[::1]:10809/x"),
        ] {
            assert_eq!(of(text).unwrap().uri(), uri);
        }
        for (wrong, why) in [
            ("nbd://127.0.0.1/a b", "has the character"),
            ("nbd://127.0.0.1/a;b", "has the character"),
            ("nbd+unix:///x", "nbd+unix:///EXPORT?socket=PATH"),
            ("nbd+unix:///x?socket=/none/such", "not there"),
        ] {
            assert!(of(wrong).unwrap_err().contains(why), "{wrong}");
        }
        assert!(!Server::is_meant(Path::new("/dev/nbd0")));
    }

    #[test]
    fn an_id_is_of_address_export_and_size() {
        let id = of("nbd://127.0.0.1/x").unwrap().id(4096);
        assert_eq!(id.to_string(), "nbd:127.0.0.1_10809:x:4096");
    }

    /// A stream whose other end says what was written down.
    struct Said(io::Cursor<Vec<u8>>);

    impl Read for Said {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.0.read(into)
        }
    }

    impl Write for Said {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn asked(replies: &[(u32, &[u8])]) -> io::Result<Export> {
        let mut said = [NBDMAGIC.to_be_bytes(), IHAVEOPT.to_be_bytes()].concat();
        said.extend(3_u16.to_be_bytes());
        for (kind, data) in replies {
            said.extend(NBD_OPTION_REPLY_MAGIC.to_be_bytes());
            for word in [NBD_OPT_INFO, *kind, data.len() as u32] {
                said.extend(word.to_be_bytes());
            }
            said.extend(*data);
        }
        ask(&mut Said(io::Cursor::new(said)), "x")
    }

    #[test]
    fn a_server_says_size_and_flags_or_an_error() {
        let info = [
            &[0, 0][..],
            &4096_u64.to_be_bytes(),
            &0b10_0011_u16.to_be_bytes(),
        ]
        .concat();
        let export = asked(&[(NBD_REP_INFO, &info), (NBD_REP_ACK, b"")]).unwrap();
        let (is_read_only, trims) = (true, true);
        assert_eq!(
            export,
            Export {
                bytes: 4096,
                is_read_only,
                trims
            }
        );
        assert!(asked(&[(NBD_REP_ACK, b"")]).is_err());
        let why = asked(&[(NBD_REP_FLAG_ERROR | 6, b"unknown export")]).unwrap_err();
        assert!(why.to_string().contains("unknown export"), "{why}");
        assert!(asked(&[]).is_err());
    }
}
