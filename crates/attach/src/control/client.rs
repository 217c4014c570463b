//! The other side: a question to a control socket.

use ftlab_base::Blame;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest wait for an answer: an erase waits for the requests under way.
const PATIENCE: Duration = Duration::from_secs(120);

/// The longest answer that is read.
const ANSWER_BYTES_MAX: u64 = 16 << 20;

/// A request to a control socket: its path, and the body of a POST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlRequest<'a> {
    /// Reads a report from a path; nothing changes.
    Get(&'a str),
    /// Carries out an action. Has the path and the body.
    Post(&'a str, &'a str),
}

/// Error of a request to a control socket.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Nobody serves the socket.
    #[error("{path}: nobody answers: {source}")]
    Socket {
        /// Path of the socket.
        path: PathBuf,
        /// Error of the connection.
        source: io::Error,
    },
    /// The answer is not HTTP, or was cut off.
    #[error("{0}: what answers is no control socket of ftlab, or was stopped amid its answer")]
    Strange(PathBuf),
    /// The drive or the server says no.
    #[error("{0}")]
    Refused(String),
}

/// A refusal of a drive at work is the fault of the request, as without a server.
impl Blame for ControlError {}

/// Asks a control socket; gives the body of what it says.
///
/// # Errors
/// When nobody answers, or what was asked for cannot be done.
pub fn ask(path: &Path, request: ControlRequest<'_>) -> Result<String, ControlError> {
    let answer = exchange(path, request).map_err(|source| ControlError::Socket {
        path: path.to_owned(),
        source,
    })?;
    let (status, body) = parse(&answer).ok_or_else(|| ControlError::Strange(path.to_owned()))?;
    match status {
        200 => Ok(body),
        _ => Err(ControlError::Refused(body.trim_end().to_owned())),
    }
}

fn exchange(path: &Path, request: ControlRequest<'_>) -> io::Result<Vec<u8>> {
    let (method, url, body) = match request {
        ControlRequest::Get(url) => ("GET", url, ""),
        ControlRequest::Post(url, body) => ("POST", url, body),
    };
    let mut stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let length = body.len();
    let sent = write!(
        stream,
        "{method} {url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let mut answer = Vec::new();
    let read = stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer);
    // A server that refuses a request may hang up before all of it is sent: what it said counts.
    match answer.is_empty() {
        true => sent.and(read).map(|_| answer),
        false => Ok(answer),
    }
}

/// The status and the body of an answer that came whole.
fn parse(answer: &[u8]) -> Option<(u16, String)> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(head_bytes) = response.parse(answer).ok()? else {
        return None;
    };
    let mut headers = response.headers.iter();
    let length = headers.find(|header| header.name.eq_ignore_ascii_case("Content-Length"))?;
    let length: usize = std::str::from_utf8(length.value).ok()?.parse().ok()?;
    let body = &answer[head_bytes..];
    if body.len() != length {
        return None;
    }
    Some((response.code?, String::from_utf8_lossy(body).into_owned()))
}
