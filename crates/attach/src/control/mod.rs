//! The control socket: what NBD has no words for, as HTTP over a Unix socket.
//!
//! | | |
//! |---|---|
//! | `GET /statistics` | a [`Report`] as JSON |
//! | `GET /metrics` | the same for Prometheus |
//! | `POST /erase` | ATA SECURITY ERASE UNIT |
//! | `POST /trim` | `{"offset_bytes": …, "bytes": …}`, or everything |
//! | `POST /fault` | a [`FlashFault`]: something goes wrong in the flash |
//! | `POST /vanish`, `/return` | the drive leaves its bus, and comes back |
//! | `POST /rest` | `{"hours": …, "celsius": …}`: the drive lies without power, and its data age |
//!
//! What fails is answered with a status and a line that says why.

mod client;
mod metrics;
mod report;

pub use client::{Asked, ControlError, ask};
pub use report::{DriveReport, Report, Requests, SmartAttribute, Times, Wear};

use crate::engine::{Ask, Engine, Stopped, What};
use ftlab_base::SECTOR_BYTES;
use ftlab_image::FlashFault;
use ftlab_nbd::NbdError;
use serde::{Deserialize, Serialize};
use std::fs::Permissions;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use tiny_http::{Method, Request, Response, Server};

/// The longest body that is read.
const BODY_BYTES_MAX: u64 = 64 << 10;

/// What to trim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Trim {
    /// From where on.
    pub offset_bytes: u64,
    /// How much; everything from there on if left out.
    pub bytes: Option<u64>,
}

/// How a drive lies without power.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rest {
    /// For so long.
    pub hours: f64,
    /// As warm as that.
    pub celsius: f64,
}

/// A status and a body.
type Told = (u16, &'static str, String);

const JSON: &str = "application/json";
const PLAIN: &str = "text/plain; charset=utf-8";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A control socket that is served. It ends when it is dropped.
pub struct Control {
    server: Arc<Server>,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
}

impl Control {
    /// Serves what there is to know of an engine, to its owner alone. Nothing changes a drive that is
    /// read-only.
    ///
    /// # Errors
    /// When there can be no socket.
    pub fn start(engine: Arc<Engine>, path: &Path, read_only: bool) -> io::Result<Control> {
        ftlab_nbd::remove_stale_socket(path)?;
        let server = Server::http_unix(path).map_err(io::Error::other)?;
        std::fs::set_permissions(path, Permissions::from_mode(0o600))?;
        let server = Arc::new(server);
        let thread = thread::Builder::new().name("control".into()).spawn({
            let server = Arc::clone(&server);
            move || {
                // An error is what ends it.
                while let Ok(request) = server.recv() {
                    answer(&engine, read_only, request);
                }
            }
        })?;
        Ok(Control {
            server,
            thread: Some(thread),
            path: path.to_owned(),
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        // Somebody may have removed it.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn answer(engine: &Engine, read_only: bool, mut request: Request) {
    let mut body = String::new();
    let read = request
        .as_reader()
        .take(BODY_BYTES_MAX)
        .read_to_string(&mut body);
    let changes = ["/erase", "/trim", "/rest", "/fault"].contains(&request.url());
    let (status, kind, text) = match read {
        Ok(_) if read_only && changes => (403, PLAIN, "the drive is served read-only\n".to_owned()),
        Ok(_) => route(engine, request.method(), request.url(), &body),
        Err(error) => (400, PLAIN, format!("the body cannot be read: {error}\n")),
    };
    let header = tiny_http::Header::from_bytes("Content-Type", kind).expect("ASCII");
    let response = Response::from_string(text)
        .with_status_code(status)
        .with_header(header);
    // Whoever asked may be gone.
    let _ = request.respond(response.with_chunked_threshold(usize::MAX));
}

fn route(engine: &Engine, method: &Method, url: &str, body: &str) -> Told {
    let done = match (method, url) {
        (Method::Get, "/statistics") => Report::of(engine).map(|(report, _)| {
            let text = serde_json::to_string(&report).expect("numbers and names");
            (200, JSON, text + "\n")
        }),
        (Method::Get, "/metrics") => Report::of(engine)
            .map(|(report, counted)| (200, OPEN_METRICS, metrics::text(report, counted))),
        (Method::Post, "/erase") => engine
            .quietly(|drive| drive.secure_erase().map_err(|error| error.to_string()))
            .map(told),
        (Method::Post, "/vanish" | "/return") => {
            engine.set_presence(url == "/return");
            Ok(told(Ok(())))
        }
        (Method::Post, "/trim") => match parsed::<Trim>(body) {
            Ok(trim) => Ok(told(self::trim(engine, &trim))),
            Err(wrong) => return wrong,
        },
        (Method::Post, "/fault") => match parsed::<FlashFault>(body) {
            Ok(fault) => {
                let broken = engine.quietly(move |drive| drive.inject(fault));
                broken.map(|broken| told(broken.map_err(|error| error.to_string())))
            }
            Err(wrong) => return wrong,
        },
        (Method::Post, "/rest") => match parsed::<Rest>(body) {
            Ok(Rest { hours, celsius }) => {
                if !(hours >= 0.0 && hours.is_finite() && celsius.is_finite()) {
                    return (
                        400,
                        PLAIN,
                        format!("{hours} hours at {celsius} °C cannot be\n"),
                    );
                }
                let rest = engine.quietly(move |drive| drive.rest(hours, celsius));
                rest.map(|rest| told(rest.map_err(|error| error.to_string())))
            }
            Err(wrong) => return wrong,
        },
        (
            _,
            "/statistics" | "/metrics" | "/erase" | "/trim" | "/fault" | "/vanish" | "/return"
            | "/rest",
        ) => {
            return (405, PLAIN, format!("{method} is not what {url} is for\n"));
        }
        _ => {
            let known = "GET /statistics, GET /metrics, POST /erase, POST /trim, POST /fault, POST \
                         /vanish, POST /return, POST /rest";
            return (
                404,
                PLAIN,
                format!("there is no {url}; there are {known}\n"),
            );
        }
    };
    done.unwrap_or_else(|Stopped| (503, PLAIN, format!("{Stopped}\n")))
}

fn parsed<T: for<'a> Deserialize<'a>>(body: &str) -> Result<T, Told> {
    let body = if body.trim().is_empty() { "{}" } else { body };
    serde_json::from_str(body).map_err(|error| (400, PLAIN, format!("the body: {error}\n")))
}

fn told(result: Result<(), String>) -> Told {
    match result {
        Ok(()) => (200, JSON, "{}\n".to_owned()),
        Err(why) => (409, PLAIN, why + "\n"),
    }
}

fn trim(engine: &Engine, trim: &Trim) -> Result<(), String> {
    if engine.trim_sectors().is_none() {
        return Err("the drive takes no trims".to_owned());
    }
    let size = engine.size_bytes();
    let rest = size.saturating_sub(trim.offset_bytes);
    let bytes = trim.bytes.unwrap_or(rest);
    let is_whole = |bytes: u64| bytes.is_multiple_of(SECTOR_BYTES);
    if bytes == 0 || bytes > rest || !is_whole(trim.offset_bytes) || !is_whole(bytes) {
        return Err(format!(
            "{bytes} bytes from {} on are not whole sectors of the drive, which has {size} bytes",
            trim.offset_bytes
        ));
    }
    let first = trim.offset_bytes / SECTOR_BYTES;
    let (tell, told) = mpsc::sync_channel(1);
    let answer = Box::new(move |result: Result<Vec<u8>, NbdError>| {
        // Whoever asked waits.
        let _ = tell.send(result.map(drop));
    });
    let range = first..first + bytes / SECTOR_BYTES;
    engine.ask(Ask::local(What::Trim, range, true, Vec::new(), answer));
    let result = told.recv().map_err(|_| Stopped.to_string())?;
    result.map_err(|error| error.to_string())
}
