//! The replay of recorded traces: the reader of their files, and their pace.

use super::{ReadError, TraceFile};
use ftlab_play::recording::{Pace, Recording};
use ftlab_trace::{Action, Fit, Format, Look, Opening, Reader, Selected, Selection, TraceError};
use ftlab_workload::JobSpec;
use std::any::Any;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3Default;

/// The rules by which recorded traces are replayed.
#[derive(Debug, Clone)]
pub struct Replay {
    /// The format of the file, and the event of a request that counts.
    pub opening: Opening,
    /// The requests that are kept of it.
    pub selection: Selection,
    /// The pace of its requests; none for that of the job that replays it, or else their own times.
    pub pace: Option<Pace>,
    /// The treatment of requests that do not fit a drive.
    pub fit: Fit,
    /// The settings of the job that replays it, if one does.
    pub job: Option<OfJob>,
}

/// The settings of a job that replays a trace.
#[derive(Debug, Clone, Copy)]
pub struct OfJob {
    /// Requests come as fast as the depth allows, whatever their times.
    pub no_stall: bool,
    /// The rate at which they come, in percent of their own.
    pub time_scale_percent: u64,
    /// Requests outstanding at once.
    pub iodepth: u32,
}

impl Replay {
    /// As the trace itself has it.
    pub const NONE: Replay = Replay {
        opening: Opening {
            format: None,
            action: Action::Issued,
        },
        selection: Selection {
            devices: Vec::new(),
            from_ns: None,
            until_ns: None,
            share: None,
            skips: Vec::new(),
            scale: 0,
            align_bytes: 0,
        },
        pace: None,
        fit: Fit::Refuse,
        job: None,
    };

    /// These rules for the trace of a job, which decides whatever nothing else does.
    #[must_use]
    pub fn of_job(&self, job: &JobSpec) -> Replay {
        let words = &job.replay;
        let mut replay = self.clone();
        replay.selection.skips.clone_from(&words.skips);
        replay.selection.scale = words.scale;
        replay.selection.align_bytes = words.align_bytes;
        replay.job = Some(OfJob {
            no_stall: words.no_stall,
            time_scale_percent: words.time_scale_percent,
            iodepth: job.submission.iodepth,
        });
        replay
    }

    /// The requests that are kept of a file.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(&self, path: &Path) -> Result<Selected, TraceError> {
        let reader = Reader::open(path, &self.opening)?;
        Ok(Selected::of(reader, self.selection.clone()))
    }

    /// The trace of a file as a load, which is read once to its end.
    ///
    /// # Errors
    /// When it is none, or cannot be read.
    pub fn recording(
        &self,
        path: &Path,
        before: &dyn Fn(&Look, &Path) -> Box<dyn Any>,
    ) -> Result<Recording, TraceError> {
        let look = Look::at(path, &self.opening)?;
        let signs = before(&look, path);
        let (own, replay) = (path.to_owned(), self.clone());
        let open = Box::new(move || replay.open(&own));
        let recording = Recording::read(&look, self.pace_of(look.format), self.fit, open);
        drop(signs);
        let recording = recording?;
        // A log of version 2 without waits says nothing of times: as in fio, the depth alone holds requests back.
        let has_no_times = look.format == Format::FioV2 && recording.scan.span_ns() == 0;
        Ok(match recording.pace {
            Pace::Original if has_no_times && self.pace.is_none() => {
                recording.at(Pace::Closed(self.depth()))
            }
            _ => recording,
        })
    }

    /// The pace of a trace of that format: the one asked for, else the job's, else its own times.
    fn pace_of(&self, format: Format) -> Pace {
        let of_job = self.job.map(|job| match job.time_scale_percent {
            _ if job.no_stall => Pace::Closed(job.iodepth),
            100 => Pace::Original,
            // fio leaves the waits of that version as they are.
            _ if format == Format::FioV2 => Pace::Original,
            percent => Pace::Scaled(percent as f64 / 100.0),
        });
        self.pace.or(of_job).unwrap_or_default()
    }

    /// The number of requests outstanding where the depth alone holds them back.
    fn depth(&self) -> u32 {
        self.job.map_or(1, |job| job.iodepth)
    }
}

impl TraceFile {
    /// The trace of a file, which has to have this hash if one is known.
    pub(super) fn at(path: &Path, known: Option<&str>) -> Result<TraceFile, ReadError> {
        let wrong =
            |why: String| ReadError::Refused(format!("cannot read {}: {why}", path.display()));
        let hash = hash_of(path).map_err(|error| wrong(error.to_string()))?;
        match known {
            Some(known) if known != hash => Err(wrong(
                "its bytes are not those that the load was made of; give the load anew".to_owned(),
            )),
            _ => Ok(TraceFile {
                path: path.to_owned(),
                hash,
            }),
        }
    }
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Xxh3Default::new();
    let mut bytes = vec![0; 1 << 20];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(format!("{:032x}", hash.digest128())),
            n => hash.update(&bytes[..n]),
        }
    }
}
