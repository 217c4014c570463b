//! A recorded trace as a load: what of it is replayed, how fast, and where its addresses lie.

use ftlab_base::Nanos;
use ftlab_base::amount::{decimal, grouped};
use ftlab_trace::{Fit, Format, Places, Scan, Selected, TraceError};
use std::collections::BTreeMap;
use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Mutex, PoisonError};

/// When the requests of a trace are issued.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Pace {
    /// At their own times, whatever the drive does: an open loop. Latency counts from there.
    #[default]
    Original,
    /// The same with all times divided by a factor.
    Scaled(f64),
    /// So many at a time, the next when one has ended: a closed loop.
    Closed(u32),
    /// As fast as the drive takes them, in a queue that never runs dry.
    Asap,
}

/// Requests outstanding when a trace is replayed as fast as the drive takes it: more than a drive takes at a time.
pub const ASAP_DEPTH: u32 = 256;

/// The most that an open loop has outstanding: what comes then waits in the host, and its latency goes on.
pub const OPEN_DEPTH: u32 = 1 << 16;

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

    /// By what times are divided; none in a closed loop, which has none.
    #[must_use]
    pub fn factor(self) -> Option<f64> {
        match self {
            Pace::Original => Some(1.0),
            Pace::Scaled(factor) => Some(factor),
            Pace::Closed(_) | Pace::Asap => None,
        }
    }

    /// How it is called in a sentence.
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

/// A recorded trace.
pub struct Recording {
    /// The file, for messages.
    pub file: String,
    /// Its format.
    pub format: Format,
    /// What is in it.
    pub scan: Scan,
    /// When its requests are issued.
    pub pace: Pace,
    /// What is done where it does not fit a drive.
    pub fit: Fit,
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
            open: open.into(),
            places: Arc::default(),
        }
    }

    /// The same trace at another pace.
    #[must_use]
    pub fn at(&self, pace: Pace) -> Recording {
        Recording {
            file: self.file.clone(),
            format: self.format,
            scan: self.scan.clone(),
            pace,
            fit: self.fit,
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

    /// Where its addresses lie on a drive.
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

    /// What is replayed and how, a sentence.
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
