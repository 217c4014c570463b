//! The bytes of a trace: unpacked where they are compressed, and cut into lines.

use crate::error::{Place, TraceError, shown};
use flate2::bufread::MultiGzDecoder;
use memchr::memchr;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

/// Bytes that are looked at to see what a file is.
const HEAD_BYTES: usize = 1 << 16;

/// The longest line. A job file's paths are the longest thing in any format.
const LINE_BYTES_MAX: usize = 1 << 16;

/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 1 << 18;

/// The mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The packing of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Nothing.
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Packing {
    /// Its name in words; nothing for none.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Packing::None => "",
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        }
    }

    /// The packing that the name of a file asks for.
    #[must_use]
    pub fn of_name(path: &Path) -> Packing {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => Packing::Gzip,
            Some("zst") => Packing::Zstd,
            _ => Packing::None,
        }
    }
}

/// Packed files that are not unpacked here, by their first bytes, and what unpacks them.
const OTHER_PACKINGS: [(&[u8], &str, &str); 6] = [
    (b"\xfd7zXZ\0", "xz", "xz -dc FILE | zstd > FILE.zst"),
    (b"BZh", "bzip2", "bzip2 -dc FILE | zstd > FILE.zst"),
    (b"\x04\x22\x4d\x18", "lz4", "lz4 -dc FILE | zstd > FILE.zst"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z x FILE"),
    (b"PK\x03\x04", "zip", "unzip FILE"),
    (b"Rar!", "RAR", "unrar x FILE"),
];

/// An open trace: its first bytes, unpacked, and all of them.
pub struct Input {
    pub file: String,
    pub packing: Packing,
    pub head: Vec<u8>,
    pub bytes: Box<dyn Read + Send>,
}

impl Input {
    /// Opens a file and unpacks it.
    pub fn open(path: &Path) -> Result<Input, TraceError> {
        let file = path.display().to_string();
        let fail = |why: String| TraceError::of_file(&file, why);
        let meta = std::fs::metadata(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                fail("there is no such file; give the path of a trace".to_owned())
            }
            _ => fail(error.to_string()),
        })?;
        if !meta.is_file() {
            let why = "it is no regular file, and a trace is read more than once; give a file";
            return Err(fail(why.to_owned()));
        }
        let opened = File::open(path).map_err(|error| fail(error.to_string()))?;
        Input::of(
            &file,
            Box::new(BufReader::with_capacity(CHUNK_BYTES, opened)),
        )
    }

    /// Unpacks what is read of a file of that name.
    pub fn of(file: &str, mut packed: Box<dyn BufRead + Send>) -> Result<Input, TraceError> {
        let fail = |error: std::io::Error| unreadable(file, &error, Packing::None);
        let first = packed.fill_buf().map_err(fail)?;
        for (magic, name, command) in OTHER_PACKINGS {
            if first.starts_with(magic) {
                let why = format!(
                    "it is packed with {name}, which is not read directly; unpack it first: {command}"
                );
                return Err(TraceError::of_file(file, why));
            }
        }
        let (packing, mut bytes): (_, Box<dyn Read + Send>) = match first {
            [0x1f, 0x8b, ..] => (Packing::Gzip, Box::new(MultiGzDecoder::new(packed))),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => {
                let decoder = zstd::Decoder::with_buffer(packed).map_err(fail)?;
                (Packing::Zstd, Box::new(decoder))
            }
            _ => (Packing::None, Box::new(packed)),
        };
        let mut head = Vec::new();
        let read = bytes
            .by_ref()
            .take(HEAD_BYTES as u64)
            .read_to_end(&mut head);
        read.map_err(|error| unreadable(file, &error, packing))?;
        // Some editors and spreadsheets begin a text with a mark of its encoding.
        if head.starts_with(BYTE_ORDER_MARK) {
            head.drain(..BYTE_ORDER_MARK.len());
        }
        if head.is_empty() {
            return Err(TraceError::of_file(file, "it is empty; give a trace"));
        }
        if head.get(257..262) == Some(b"ustar") {
            let why = "it is a tar archive; unpack it with `tar -xf`, and give the trace in it";
            return Err(TraceError::of_file(file, why));
        }
        let all = Cursor::new(head.clone()).chain(bytes);
        Ok(Input {
            file: file.to_owned(),
            packing,
            head,
            bytes: Box::new(all),
        })
    }

    /// The first whole lines of its text.
    pub fn first_lines(&self) -> impl Iterator<Item = &[u8]> {
        let is_whole = self.head.len() < HEAD_BYTES || self.head.ends_with(b"\n");
        let mut lines: Vec<&[u8]> = self.head.split(|&byte| byte == b'\n').collect();
        if !is_whole && lines.len() > 1 {
            lines.pop();
        }
        lines.into_iter().map(<[u8]>::trim_ascii)
    }
}

/// An error in the middle of a file.
pub fn unreadable(file: &str, error: &std::io::Error, packing: Packing) -> TraceError {
    let why = match (packing, error.kind()) {
        (Packing::None, _) => format!("it cannot be read: {error}"),
        (packing, ErrorKind::UnexpectedEof) => {
            let packing = packing.words();
            format!(
                "its {packing} data end too early: it was cut off; get it whole, or unpack what is there and give that"
            )
        }
        (packing, _) => {
            let packing = packing.words();
            format!("its {packing} data are damaged ({error}); get it again")
        }
    };
    TraceError::of_file(file, why)
}

/// Lines of a text of any length, in constant memory.
pub struct Lines {
    bytes: Box<dyn Read + Send>,
    file: String,
    packing: Packing,
    buffer: Box<[u8]>,
    /// The part of the buffer that is still to be cut.
    start: usize,
    end: usize,
    is_over: bool,
    /// The number of the last line, from 1.
    number: u64,
    /// The last line had no end: the text ends in it.
    pub is_open: bool,
}

impl Lines {
    pub fn of(input: Input) -> Lines {
        Lines {
            bytes: input.bytes,
            file: input.file,
            packing: input.packing,
            buffer: vec![0; CHUNK_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
            is_over: false,
            number: 0,
            is_open: false,
        }
    }

    /// The next line, with its number and without its end; none at the end of the text. It stays until the next one
    /// is asked for.
    #[inline]
    pub fn next(&mut self) -> Result<Option<(u64, &[u8])>, TraceError> {
        let mut looked = 0;
        loop {
            let left = &self.buffer[self.start..self.end];
            if let Some(at) = memchr(b'\n', &left[looked..]) {
                let line = self.start..self.start + looked + at;
                self.start = line.end + 1;
                self.number += 1;
                return Ok(Some((self.number, without_return(&self.buffer[line]))));
            }
            if self.is_over {
                if left.is_empty() {
                    return Ok(None);
                }
                let line = self.start..self.end;
                self.start = self.end;
                self.number += 1;
                self.is_open = true;
                return Ok(Some((self.number, without_return(&self.buffer[line]))));
            }
            looked = left.len();
            self.fill()?;
        }
    }

    /// Reads on behind what is left, which moves to the front.
    fn fill(&mut self) -> Result<(), TraceError> {
        if self.end - self.start > LINE_BYTES_MAX {
            let why = format!(
                "the line begins with `{}` and is longer than {LINE_BYTES_MAX} bytes, as none of a trace is; \
                 give a trace, or name its format with --format",
                shown(&self.buffer[self.start..self.end])
            );
            return Err(TraceError::at(
                &self.file,
                Place::Line(self.number + 1),
                why,
            ));
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let read = loop {
            match self.bytes.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(&self.file, &error, self.packing)),
                Ok(read) => break read,
            }
        };
        self.end += read;
        self.is_over = read == 0;
        Ok(())
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Records of a binary file, in constant memory.
pub struct Records {
    bytes: BufReader<Box<dyn Read + Send>>,
    file: String,
    packing: Packing,
    /// Where the next record begins.
    pub at: u64,
}

impl Records {
    pub fn of(input: Input) -> Records {
        Records {
            bytes: BufReader::with_capacity(CHUNK_BYTES, input.bytes),
            file: input.file,
            packing: input.packing,
            at: 0,
        }
    }

    pub fn file(&self) -> &str {
        &self.file
    }

    /// Fills `record`; false at the end of the file.
    pub fn next(&mut self, record: &mut [u8]) -> Result<bool, TraceError> {
        let mut filled = 0;
        while filled < record.len() {
            let read = match self.bytes.read(&mut record[filled..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                read => read.map_err(|error| unreadable(&self.file, &error, self.packing))?,
            };
            if read == 0 && filled == 0 {
                return Ok(false);
            }
            if read == 0 {
                let why = format!(
                    "the file ends {filled} bytes into a record of {}: it was cut off; cut it before this byte \
                     (truncate -s {}), or get it whole",
                    record.len(),
                    self.at
                );
                return Err(TraceError::at(&self.file, Place::Byte(self.at), why));
            }
            filled += read;
        }
        self.at += record.len() as u64;
        Ok(true)
    }

    /// Passes over some bytes.
    pub fn skip(&mut self, bytes: u64) -> Result<(), TraceError> {
        let skipped = std::io::copy(&mut self.bytes.by_ref().take(bytes), &mut std::io::sink());
        skipped.map_err(|error| unreadable(&self.file, &error, self.packing))?;
        self.at += bytes;
        Ok(())
    }
}
