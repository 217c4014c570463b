//! The files of a trace's CPUs as one stream, by time.

use crate::error::TraceError;
use crate::formats::blktrace::Blktrace;
use crate::formats::{Action, Seen};
use crate::input::{Input, Records};
use crate::record::Record;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};

/// The files of all CPUs, of which one is given: `sda.blktrace.0`, `sda.blktrace.1`, … None for a file of another name.
pub fn siblings(path: &Path) -> Option<Vec<PathBuf>> {
    let name = path.file_name()?.to_str()?;
    let (stem, cpu) = name.rsplit_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !stem.ends_with(".blktrace") || !is_number(cpu) {
        return None;
    }
    let folder = match path.parent()? {
        folder if folder.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let mut files: Vec<(u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        let of_cpu = entry.file_name().to_str().and_then(|name| {
            let (other, cpu) = name.rsplit_once('.')?;
            (other == stem && is_number(cpu))
                .then(|| cpu.parse().ok())
                .flatten()
        });
        if let Some(cpu) = of_cpu {
            files.push((cpu, path.with_file_name(entry.file_name())));
        }
    }
    files.sort();
    Some(files.into_iter().map(|(_, path)| path).collect())
}

/// The requests of several files, the earliest first.
pub struct Merge {
    files: Vec<Blktrace>,
    /// The next request of each file, by time and file.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    waiting: Vec<Option<(Record, u64)>>,
    has_begun: bool,
}

impl Merge {
    /// Those of the file at a path, which is open, and of its siblings.
    pub fn of(path: &Path, input: Input, action: Action) -> Result<Merge, TraceError> {
        let mut given = Some(input);
        let mut files = Vec::new();
        for file in siblings(path).unwrap_or_else(|| vec![path.to_owned()]) {
            let input = match given.take_if(|_| file == path) {
                Some(input) => input,
                // A CPU that did nothing has an empty file.
                None if std::fs::metadata(&file).is_ok_and(|meta| meta.len() == 0) => continue,
                None => Input::open(&file)?,
            };
            files.push(Blktrace::new(Records::of(input), action));
        }
        Ok(Merge {
            waiting: files.iter().map(|_| None).collect(),
            files,
            next: BinaryHeap::new(),
            has_begun: false,
        })
    }

    fn refill(&mut self, file: usize, seen: &mut Seen) -> Result<(), TraceError> {
        self.waiting[file] = self.files[file].next(seen)?;
        if let Some((record, _)) = &self.waiting[file] {
            self.next.push(Reverse((record.at_ns, file)));
        }
        Ok(())
    }

    /// The next request; none at the end of all files.
    pub fn next(&mut self, seen: &mut Seen) -> Result<Option<(Record, u64)>, TraceError> {
        if !self.has_begun {
            self.has_begun = true;
            for file in 0..self.files.len() {
                self.refill(file, seen)?;
            }
        }
        let Some(Reverse((_, file))) = self.next.pop() else {
            return Ok(None);
        };
        let next = self.waiting[file].take();
        self.refill(file, seen)?;
        Ok(next)
    }
}
