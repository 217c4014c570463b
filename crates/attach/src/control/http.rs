//! Receives a request of HTTP whole, or refuses it, and sends the answer.
//!
//! One `Content-Length` of digits alone says the length of a body. A request with anything else is refused and
//! not guessed at, as is one that ends early or goes on behind its end. Both directions have a deadline that
//! trickling bytes do not move.

use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// The longest request line with all headers.
const HEAD_BYTES_MAX: usize = 16 << 10;

/// Most headers of a request.
const HEADERS_MAX: usize = 64;

/// Longest body of a request, in bytes.
const BODY_BYTES_MAX: usize = 64 << 10;

/// Time for which a refused client may go on sending, so that it reads the reason instead of a broken pipe.
const LINGER: Duration = Duration::from_secs(1);

/// A request that came whole.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    pub url: String,
    pub body: String,
}

/// A status, and a body with its type.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub kind: &'static str,
    pub text: String,
}

impl Answer {
    /// Something is wrong, which a line says.
    pub fn wrong(status: u16, why: impl std::fmt::Display) -> Answer {
        Answer {
            status,
            kind: "text/plain; charset=utf-8",
            text: format!("{why}\n"),
        }
    }
}

/// Failure to receive a request.
#[derive(Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The client is gone, and had not begun one.
    Silent,
    /// The client sent something else. The answer says so.
    Refused(Answer),
}

/// Receives a request from a client that has `patience` to send it.
pub fn receive(stream: &UnixStream, patience: Duration) -> Result<Request, RequestError> {
    let mut incoming = Incoming {
        stream,
        bytes: Vec::new(),
        deadline: Instant::now() + patience,
        patience,
    };
    loop {
        // A client that is gone before it said anything only wanted to know whether somebody is here.
        if !incoming.read_some()? {
            return Err(match incoming.bytes[..] {
                [] => RequestError::Silent,
                _ => refused(400, "the request ends before its headers do"),
            });
        }
        if let Some(head) = Head::parse(&incoming.bytes)? {
            return incoming.body(head);
        }
    }
}

fn refused(status: u16, why: impl std::fmt::Display) -> RequestError {
    RequestError::Refused(Answer::wrong(status, why))
}

/// The part of a request that has arrived.
struct Incoming<'a> {
    stream: &'a UnixStream,
    bytes: Vec<u8>,
    deadline: Instant,
    patience: Duration,
}

impl Incoming<'_> {
    /// Reads some more; false at the end.
    fn read_some(&mut self) -> Result<bool, RequestError> {
        let mut some = [0; 4096];
        match read_before(self.stream, &mut some, self.deadline) {
            Ok(count) => {
                self.bytes.extend_from_slice(&some[..count]);
                Ok(count > 0)
            }
            Err(error) if error.kind() == ErrorKind::TimedOut => {
                let seconds = self.patience.as_secs_f64();
                let why = format!("the request did not come whole within {seconds} s");
                Err(refused(408, why))
            }
            Err(_) => Err(RequestError::Silent),
        }
    }

    fn body(mut self, head: Head) -> Result<Request, RequestError> {
        let end = head.bytes + head.body_bytes;
        while self.bytes.len() < end {
            if !self.read_some()? {
                let came = self.bytes.len() - head.bytes;
                let why = format!("{came} of the {} bytes of the body came", head.body_bytes);
                return Err(refused(400, why));
            }
        }
        if self.bytes.len() > end {
            let why = "more came than Content-Length says; a connection takes one request";
            return Err(refused(400, why));
        }
        let body = String::from_utf8(self.bytes.split_off(head.bytes));
        Ok(Request {
            method: head.method,
            url: head.url,
            body: body.map_err(|_| refused(400, "the body is no text in UTF-8"))?,
        })
    }
}

/// Request line and headers.
struct Head {
    method: String,
    url: String,
    /// Length of the head, in bytes.
    bytes: usize,
    body_bytes: usize,
}

impl Head {
    /// Reads it from what has come so far; nothing if it goes on.
    fn parse(bytes: &[u8]) -> Result<Option<Head>, RequestError> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut request = httparse::Request::new(&mut headers);
        let head_bytes = match request.parse(bytes) {
            Ok(httparse::Status::Complete(head_bytes)) => head_bytes,
            Ok(httparse::Status::Partial) if bytes.len() < HEAD_BYTES_MAX => return Ok(None),
            Ok(httparse::Status::Partial) => {
                let why = format!("the headers are longer than {HEAD_BYTES_MAX} bytes");
                return Err(refused(431, why));
            }
            Err(httparse::Error::TooManyHeaders) => {
                return Err(refused(
                    431,
                    format!("there are more than {HEADERS_MAX} headers"),
                ));
            }
            Err(error) => return Err(refused(400, format!("this is no HTTP: {error}"))),
        };
        let body_bytes = body_bytes(request.headers)?;
        Ok(Some(Head {
            method: request.method.unwrap_or_default().to_owned(),
            url: request.path.unwrap_or_default().to_owned(),
            bytes: head_bytes,
            body_bytes,
        }))
    }
}

/// Length of the body in bytes, if the headers leave no doubt about it.
fn body_bytes(headers: &[httparse::Header<'_>]) -> Result<usize, RequestError> {
    let called = |name: &'static str| {
        let of_name = move |header: &&httparse::Header<'_>| header.name.eq_ignore_ascii_case(name);
        headers.iter().filter(of_name).map(|header| header.value)
    };
    let mut lengths = called("Content-Length");
    let (length, second) = (lengths.next(), lengths.next());
    if called("Transfer-Encoding").next().is_some() {
        return Err(match length {
            Some(_) => refused(400, "Transfer-Encoding contradicts Content-Length"),
            None => refused(411, "Transfer-Encoding is not taken: send a Content-Length"),
        });
    }
    if second.is_some() {
        return Err(refused(400, "there is more than one Content-Length"));
    }
    let Some(length) = length else { return Ok(0) };
    let is_number = !length.is_empty() && length.iter().all(u8::is_ascii_digit);
    if !is_number {
        let length = String::from_utf8_lossy(length);
        return Err(refused(
            400,
            format!("Content-Length {length:?} is no number"),
        ));
    }
    // A number too large for the type is too large for the limit.
    let bytes = std::str::from_utf8(length)
        .ok()
        .and_then(|text| text.parse().ok());
    match bytes {
        Some(bytes) if bytes <= BODY_BYTES_MAX => Ok(bytes),
        _ => Err(refused(
            413,
            format!("the body is longer than {BODY_BYTES_MAX} bytes"),
        )),
    }
}

/// Sends the answer to a client that has `patience` to take it.
pub fn send(stream: &UnixStream, answer: &Answer, patience: Duration) -> io::Result<()> {
    let deadline = Instant::now() + patience;
    let Answer { status, kind, text } = answer;
    let (reason, length) = (reason(*status), text.len());
    let message = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{text}"
    );
    let mut left = message.as_bytes();
    while !left.is_empty() {
        stream.set_write_timeout(Some(until(deadline)?))?;
        let mut stream = stream;
        match stream.write(left) {
            Ok(count) => left = &left[count..],
            Err(error) => go_on(error)?,
        }
    }
    Ok(())
}

/// Waits until a client that was refused has read why, or a second.
pub fn linger(stream: &UnixStream) {
    let deadline = Instant::now() + LINGER;
    let mut unread = [0; 4096];
    // Whatever fails here, the client is gone.
    let _ = stream.shutdown(Shutdown::Write);
    while read_before(stream, &mut unread, deadline).is_ok_and(|count| count > 0) {}
}

fn read_before(mut stream: &UnixStream, into: &mut [u8], deadline: Instant) -> io::Result<usize> {
    loop {
        stream.set_read_timeout(Some(until(deadline)?))?;
        match stream.read(into) {
            Ok(count) => return Ok(count),
            Err(error) => go_on(error)?,
        }
    }
}

/// Time left until a deadline.
///
/// # Errors
/// [`ErrorKind::TimedOut`] when the deadline has passed.
fn until(deadline: Instant) -> io::Result<Duration> {
    match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(ErrorKind::TimedOut.into()),
        left => Ok(left),
    }
}

/// Nothing, of an error after which the deadline decides.
fn go_on(error: io::Error) -> io::Result<()> {
    match error.kind() {
        ErrorKind::Interrupted | ErrorKind::WouldBlock => Ok(()),
        _ => Err(error),
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => unreachable!("no other status is given"),
    }
}

#[cfg(test)]
mod tests;
