//! An export that keeps its data in memory: what the server costs when the device costs nothing, and
//! a device for tests.

use crate::pacing::Pacer;
use crate::protocol::constants::{NBD_STATE_HOLE, NBD_STATE_ZERO};
use crate::server::{Completions, Export, Extents, Features, Request};
use crate::{Command, NbdError};
use ftlab_base::LatencyHistogram;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::RwLock;
use std::time::Duration;

/// Bytes that are allocated together.
const CHUNK_BYTES: u64 = 64 << 10;

type Chunk = RwLock<Box<[u8]>>;

/// Service time of a request.
type Delay = Box<dyn Fn(&Request) -> Duration + Send + Sync>;

/// Requests that leave later, each as `Result` says.
type Leaving = Pacer<(Request, Result<(), NbdError>)>;

/// A sparse device in memory.
pub struct MemoryExport {
    size_bytes: u64,
    /// Chunks that hold something, by number.
    chunks: RwLock<BTreeMap<u64, Chunk>>,
    pace: Option<(Delay, Leaving)>,
}

impl MemoryExport {
    /// A device that answers at once.
    #[must_use]
    pub fn new(size_bytes: u64) -> MemoryExport {
        MemoryExport {
            size_bytes,
            chunks: RwLock::default(),
            pace: None,
        }
    }

    /// A device that answers each request so long after its arrival.
    ///
    /// # Errors
    /// When there is no thread for the pacer.
    pub fn with_delay(
        size_bytes: u64,
        delay: impl Fn(&Request) -> Duration + Send + Sync + 'static,
    ) -> std::io::Result<MemoryExport> {
        let leaving = Pacer::new(|due| {
            let mut completions = Completions::default();
            for (request, result) in due {
                completions.complete(request, result);
            }
        })?;
        Ok(MemoryExport {
            pace: Some((Box::new(delay), leaving)),
            ..MemoryExport::new(size_bytes)
        })
    }

    /// Lateness of the answers, if requests have a service time.
    #[must_use]
    pub fn lateness(&self) -> Option<LatencyHistogram> {
        self.pace.as_ref().map(|(_, leaving)| leaving.lateness())
    }

    fn perform(&self, request: &mut Request) -> Result<(), NbdError> {
        let from = request.offset_bytes();
        let range = from..from + u64::from(request.length_bytes());
        match request.command() {
            Command::Read => self.read(from, request.data_mut()),
            Command::Write => self.write(from, request.data()),
            Command::Trim => self.clear(range),
            Command::WriteZeroes if request.no_hole() && request.fast_zero() => {
                return Err(NbdError::NotSup);
            }
            Command::WriteZeroes if request.no_hole() => self.zero(range),
            Command::WriteZeroes => self.clear(range),
            // Memory is as safe as it gets, and as near.
            Command::Flush | Command::Cache | Command::BlockStatus => {}
        }
        Ok(())
    }

    fn read(&self, from: u64, into: &mut [u8]) {
        let chunks = self.chunks.read().expect("no panic holds the chunks");
        let mut into = into;
        for (number, part) in parts(from..from + into.len() as u64) {
            let (here, rest) = into.split_at_mut(part.len());
            match chunks.get(&number) {
                Some(chunk) => {
                    let chunk = chunk.read().expect("no panic holds a chunk");
                    here.copy_from_slice(&chunk[part]);
                }
                None => here.fill(0),
            }
            into = rest;
        }
    }

    fn write(&self, from: u64, data: &[u8]) {
        self.change(from..from + data.len() as u64, |part, at| {
            let length = part.len();
            part.copy_from_slice(&data[at..at + length]);
        });
    }

    fn zero(&self, range: Range<u64>) {
        self.change(range, |part, _| part.fill(0));
    }

    /// Has `change` make the bytes of each chunk anew; its second argument is their offset in the range, in bytes.
    fn change(&self, range: Range<u64>, change: impl Fn(&mut [u8], usize)) {
        let mut at = 0;
        for (number, part) in parts(range) {
            let length = part.len();
            let in_place = |chunk: &Chunk| {
                let mut chunk = chunk.write().expect("no panic holds a chunk");
                change(&mut chunk[part.clone()], at);
            };
            let chunks = self.chunks.read().expect("no panic holds the chunks");
            if let Some(chunk) = chunks.get(&number) {
                in_place(chunk);
            } else {
                drop(chunks);
                let mut chunks = self.chunks.write().expect("no panic holds the chunks");
                let fresh = || RwLock::new(vec![0; CHUNK_BYTES as usize].into_boxed_slice());
                in_place(chunks.entry(number).or_insert_with(fresh));
            }
            at += length;
        }
    }

    /// Forgets whole chunks, and zeroes parts of those that there are.
    fn clear(&self, range: Range<u64>) {
        let whole = range.start.div_ceil(CHUNK_BYTES)..range.end / CHUNK_BYTES;
        let mut chunks = self.chunks.write().expect("no panic holds the chunks");
        if whole.start < whole.end {
            let mut from = chunks.split_off(&whole.start);
            chunks.append(&mut from.split_off(&whole.end));
        }
        let edges = [range.start, range.end - 1].map(|at| at / CHUNK_BYTES);
        for number in edges {
            let first = number * CHUNK_BYTES;
            let from = range.start.max(first) - first;
            let to = range.end.min(first + CHUNK_BYTES) - first;
            if let Some(chunk) = chunks.get_mut(&number) {
                let chunk = chunk.get_mut().expect("no panic holds a chunk");
                chunk[from as usize..to as usize].fill(0);
            }
        }
    }
}

/// The chunks that a range touches, with the part of each.
fn parts(range: Range<u64>) -> impl Iterator<Item = (u64, Range<usize>)> {
    let numbers = range.start / CHUNK_BYTES..range.end.div_ceil(CHUNK_BYTES);
    numbers.map(move |number| {
        let first = number * CHUNK_BYTES;
        let from = range.start.max(first) - first;
        let to = range.end.min(first + CHUNK_BYTES) - first;
        (number, from as usize..to as usize)
    })
}

impl Export for MemoryExport {
    fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    fn features(&self) -> Features {
        Features {
            rotational: false,
            trim: true,
            fast_zero: true,
        }
    }

    fn description(&self) -> String {
        "memory".into()
    }

    fn submit(&self, mut request: Request) {
        let result = self.perform(&mut request);
        match &self.pace {
            None => request.complete(result),
            Some((delay, leaving)) => {
                let due = request.arrived_at() + delay(&request);
                leaving.schedule(due, (request, result));
            }
        }
    }

    fn block_status(&self, offset_bytes: u64, extents: &mut Extents) {
        let chunks = self.chunks.read().expect("no panic holds the chunks");
        let mut at = offset_bytes;
        let mut told = |to: u64, flags: u32| {
            extents.push(to.saturating_sub(at), flags);
            at = at.max(to);
            extents.left_bytes() > 0
        };
        for (number, _) in chunks.range(offset_bytes / CHUNK_BYTES..) {
            let first = number * CHUNK_BYTES;
            let more = told(first, NBD_STATE_HOLE | NBD_STATE_ZERO);
            if !more || !told(first + CHUNK_BYTES, 0) {
                return;
            }
        }
        told(self.size_bytes, NBD_STATE_HOLE | NBD_STATE_ZERO);
    }
}
