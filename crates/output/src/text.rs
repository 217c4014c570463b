//! Files of text that a user names: read whole, and refused in a line that says what to give.

use ftlab_base::amount::grouped;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The most a job file may have: fio's own are a few kilobytes.
const TEXT_BYTES_MAX: u64 = 16 << 20;

fn unreadable(path: &Path, why: &str) -> String {
    format!("cannot read {}: {why}", path.display())
}

/// Looks whether a path can be read like a file; `what` says what should be there.
///
/// # Errors
/// When it cannot.
pub fn looked_at(path: &Path, what: &str) -> Result<Metadata, String> {
    let meta = std::fs::metadata(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => unreadable(path, &format!("there is no such file; give {what}")),
        _ => unreadable(path, &error.to_string()),
    })?;
    match meta.is_dir() {
        true => Err(unreadable(path, &format!("it is a directory; give {what}"))),
        false => Ok(meta),
    }
}

/// Reads a text file; `what` says what it should have been.
///
/// # Errors
/// When it cannot be read, is no text, or is larger than anybody writes.
pub fn read(path: &Path, what: &str) -> Result<String, String> {
    read_up_to(TEXT_BYTES_MAX, path, what)
}

/// Reads a text file of at most N bytes; `what` says what it should have been. One whose name ends in `.zst` is unpacked.
///
/// # Errors
/// As [`read`].
pub fn read_up_to(bytes_max: u64, path: &Path, what: &str) -> Result<String, String> {
    let fail = |why: String| unreadable(path, &why);
    let meta = looked_at(path, what)?;
    let most = grouped(bytes_max);
    if meta.len() > bytes_max {
        let has = grouped(meta.len());
        return Err(fail(format!(
            "it has {has} bytes, at most {most}; give {what}"
        )));
    }
    let broken = |error: std::io::Error| fail(error.to_string());
    let file = File::open(path).map_err(broken)?;
    if path.extension().is_none_or(|ending| ending != "zst") {
        return whole(file, bytes_max, what).map_err(fail);
    }
    let unpacked = whole(zstd::Decoder::new(file).map_err(broken)?, bytes_max, what);
    unpacked.map_err(|why| {
        let give = format!("; give {what}");
        match why.ends_with(&give) {
            true => fail(why),
            false => fail(format!("it is no whole file of zstd ({why}){give}")),
        }
    })
}

/// Reads the text that comes on standard input; `what` says what it should be.
///
/// # Errors
/// As [`read`].
pub fn read_stdin(what: &str) -> Result<String, String> {
    whole(std::io::stdin(), TEXT_BYTES_MAX, what)
        .map_err(|why| format!("cannot read standard input: {why}"))
}

/// Reads a text of at most N bytes. What has no size, such as a pipe, may have no end either.
fn whole(from: impl Read, bytes_max: u64, what: &str) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = from.take(bytes_max + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > bytes_max {
        let most = grouped(bytes_max);
        return Err(format!("it has more than {most} bytes; give {what}"));
    }
    String::from_utf8(bytes).map_err(|_| format!("it is not text; give {what}"))
}
