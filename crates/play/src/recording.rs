//! A recorded trace as a load: what of it is replayed, how fast, and where its addresses lie.

use ftlab_base::Nanos;
use ftlab_base::amount::{decimal, grouped};
use ftlab_trace::{Fit, Format, Look, Places, Scan, Selected, TraceError};
use ftlab_workload::JobFile;
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

/// Time of issue of the requests of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Pace {
    /// At their own times, whatever the drive does: an open loop. Latency counts from there.
    #[default]
    Original,
    /// At their own times, all divided by a factor.
    Scaled(f64),
    /// A fixed number at a time, the next when one has ended: a closed loop.
    Closed(u32),
    /// As fast as the drive takes them, in a queue that never runs dry.
    Asap,
}

/// Requests outstanding when a trace is replayed as fast as the drive takes it: more than a drive takes at a time.
pub const ASAP_DEPTH: u32 = 256;

/// The most that an open loop has outstanding: what comes then waits in the host, and its latency goes on.
pub const OPEN_DEPTH: u32 = 1 << 16;

/// Reads `original`, `scaled=2x`, `closed=N` or `asap`; an error lists them.
impl FromStr for Pace {
    type Err = String;

    fn from_str(text: &str) -> Result<Pace, String> {
        let (word, value) = text
            .split_once('=')
            .map_or((text, None), |(word, value)| (word, Some(value)));
        match (word, value) {
            ("original", None) => Ok(Pace::Original),
            ("asap", None) => Ok(Pace::Asap),
            ("closed", None) => Ok(Pace::Closed(1)),
            ("closed", Some(depth)) => match depth.parse() {
                Ok(depth @ 1..=65_536) => Ok(Pace::Closed(depth)),
                _ => Err("closed=N takes a depth from 1 to 65536".to_owned()),
            },
            ("scaled", Some(factor)) => match factor.trim_end_matches('x').parse::<f64>() {
                Ok(factor) if (1e-6..=1e9).contains(&factor) => Ok(Pace::Scaled(factor)),
                _ => Err(
                    "scaled=2x is twice as fast; give a factor from 0.000001 to 1000000000"
                        .to_owned(),
                ),
            },
            _ => Err("give original, scaled=2x, closed=N or asap".to_owned()),
        }
    }
}

impl Pace {
    /// The most requests outstanding.
    #[must_use]
    pub fn depth(self) -> u32 {
        match self {
            Pace::Original | Pace::Scaled(_) => OPEN_DEPTH,
            Pace::Closed(depth) => depth,
            Pace::Asap => ASAP_DEPTH,
        }
    }

    /// Divisor of the times; none in a closed loop, which has no times.
    #[must_use]
    pub fn factor(self) -> Option<f64> {
        match self {
            Pace::Original => Some(1.0),
            Pace::Scaled(factor) => Some(factor),
            Pace::Closed(_) | Pace::Asap => None,
        }
    }

    /// Returns the pace as a part of a sentence.
    fn words(self) -> String {
        match self {
            Pace::Original => "at their own times".to_owned(),
            Pace::Scaled(factor) => format!("at their own times divided by {factor}"),
            Pace::Closed(1) => "one after the other".to_owned(),
            Pace::Closed(depth) => format!("{depth} at a time"),
            Pace::Asap => "as fast as the drive takes them".to_owned(),
        }
    }
}

/// Opens a trace from its beginning.
pub type Open = dyn Fn() -> Result<Selected, TraceError> + Send + Sync;

/// A recorded trace, to be replayed.
pub struct Recording {
    /// The file, for messages.
    pub file: String,
    /// Format of the file.
    pub format: Format,
    /// Counts of its requests.
    pub scan: Scan,
    /// Time of issue of its requests.
    pub pace: Pace,
    /// Treatment of addresses that do not fit a drive.
    pub fit: Fit,
    /// The file of the job that asks for it; none where the trace itself is the load.
    pub job: Option<Arc<JobFile>>,
    open: Arc<Open>,
    /// Its places on drives of each capacity so far.
    places: Arc<Mutex<BTreeMap<u64, Arc<Places>>>>,
}

impl Debug for Recording {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("file", &self.file)
            .field("format", &self.format)
            .field("scan", &self.scan)
            .field("pace", &self.pace)
            .field("fit", &self.fit)
            .finish_non_exhaustive()
    }
}

impl Recording {
    /// A trace that `open` opens, of which `scan` has counted what that gives.
    #[must_use]
    pub fn new(
        file: String,
        format: Format,
        scan: Scan,
        pace: Pace,
        fit: Fit,
        open: Box<Open>,
    ) -> Recording {
        Recording {
            file,
            format,
            scan,
            pace,
            fit,
            job: None,
            open: open.into(),
            places: Arc::default(),
        }
    }

    /// The trace that `open` opens, which is read once to its end.
    ///
    /// # Errors
    /// When something in it cannot be read.
    pub fn read(
        look: &Look,
        pace: Pace,
        fit: Fit,
        open: Box<Open>,
    ) -> Result<Recording, TraceError> {
        let scan = Scan::of(open()?)?;
        let (file, format) = (look.file.clone(), look.format);
        Ok(Recording::new(file, format, scan, pace, fit, open))
    }

    /// Returns the trace for the one job of a file.
    #[must_use]
    pub fn of_job(self, file: JobFile) -> Recording {
        Recording {
            job: Some(Arc::new(file)),
            ..self
        }
    }

    /// Returns the trace at another pace.
    #[must_use]
    pub fn at(&self, pace: Pace) -> Recording {
        Recording {
            file: self.file.clone(),
            format: self.format,
            scan: self.scan.clone(),
            pace,
            fit: self.fit,
            job: self.job.clone(),
            open: Arc::clone(&self.open),
            places: Arc::clone(&self.places),
        }
    }

    /// Its requests, from the first on.
    ///
    /// # Errors
    /// When it cannot be opened any more.
    pub fn requests(&self) -> Result<Selected, TraceError> {
        (self.open)()
    }

    /// Returns the places of its addresses on a drive.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn places(&self, capacity_bytes: u64) -> Result<Arc<Places>, TraceError> {
        // Held meanwhile: several runs on drives of a size need them once.
        let mut known = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(places) = known.get(&capacity_bytes) {
            return Ok(Arc::clone(places));
        }
        let again = || self.requests();
        let places = Places::new(&self.scan, capacity_bytes, self.fit, again, &self.file)?;
        let places = Arc::new(places);
        known.insert(capacity_bytes, Arc::clone(&places));
        Ok(places)
    }

    /// Describes the requests and the pace in a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        let kinds = ["reads", "writes", "TRIMs", "flushes"];
        let counts = kinds
            .into_iter()
            .zip(self.scan.requests)
            .zip(self.scan.bytes);
        let told = counts
            .filter(|((_, count), _)| *count > 0)
            .map(|((kind, count), bytes)| match bytes {
                0 => format!("{} {kind}", grouped(count)),
                bytes => format!("{} {kind} ({})", grouped(count), decimal(bytes as f64, "B")),
            });
        let told: Vec<String> = told.collect();
        let devices = match self.scan.devices_used() {
            0 | 1 => String::new(),
            many => format!(" on {many} devices"),
        };
        format!(
            "{}{devices} over {} of a trace ({}), replayed {}.",
            told.join(", "),
            Nanos(self.scan.span_ns()),
            self.format.spec().title,
            self.pace.words()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;

    #[test]
    fn paces_are_read_or_refused_with_what_to_give() {
        for (text, pace) in [
            ("original", Pace::Original),
            ("asap", Pace::Asap),
            ("closed", Pace::Closed(1)),
            ("closed=8", Pace::Closed(8)),
            ("scaled=2x", Pace::Scaled(2.0)),
            ("scaled=0.5", Pace::Scaled(0.5)),
        ] {
            assert_eq!(text.parse(), Ok(pace), "{text}");
        }
        for text in [
            "fast",
            "closed=0",
            "scaled",
            "scaled=0x",
            "original=2",
            "scaled=infx",
        ] {
            assert!(text.parse::<Pace>().is_err(), "{text}");
        }
    }
}
