//! The other side: a question to a control socket.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long an answer may take: an erase waits for what is under way.
const PATIENCE: Duration = Duration::from_secs(120);

/// The longest answer that is read.
const ANSWER_BYTES_MAX: u64 = 16 << 20;

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked<'a> {
    /// To tell something.
    Get(&'a str),
    /// To do something, with a body.
    Post(&'a str, &'a str),
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Nobody serves the socket.
    #[error("{path}: nobody answers: {source}")]
    Socket {
        /// The socket.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// What came is not HTTP.
    #[error("{0}: what answers is no control socket of ftlab")]
    Strange(PathBuf),
    /// The drive or the server says no.
    #[error("{0}")]
    Refused(String),
}

/// Asks a control socket; gives the body of what it says.
///
/// # Errors
/// When nobody answers, or what was asked for cannot be done.
pub fn ask(path: &Path, asked: Asked<'_>) -> Result<String, ControlError> {
    let answer = exchange(path, asked).map_err(|source| ControlError::Socket {
        path: path.to_owned(),
        source,
    })?;
    let strange = || ControlError::Strange(path.to_owned());
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let parsed = response.parse(&answer).map_err(|_| strange())?;
    let httparse::Status::Complete(head_bytes) = parsed else {
        return Err(strange());
    };
    let body = String::from_utf8_lossy(&answer[head_bytes..]).into_owned();
    match response.code {
        Some(200) => Ok(body),
        Some(_) => Err(ControlError::Refused(body.trim_end().to_owned())),
        None => Err(strange()),
    }
}

fn exchange(path: &Path, asked: Asked<'_>) -> io::Result<Vec<u8>> {
    let (method, url, body) = match asked {
        Asked::Get(url) => ("GET", url, ""),
        Asked::Post(url, body) => ("POST", url, body),
    };
    let mut stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    write!(
        stream,
        "{method} {url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer)?;
    Ok(answer)
}
