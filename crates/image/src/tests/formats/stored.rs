//! Images as they are stored for tests: sparse files, of which only what was written is kept, packed by zstd alone, so that a
//! change of a format of ours changes nothing of what an earlier one wrote.

use crate::storage::{Memory, Storage};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes that are looked at together: what has none but zeros is left out.
const PART_BYTES: usize = 512;
const LEVEL: i32 = 19;

/// The folder with a folder for each format that an image has had since formats are kept.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats")
}

/// A file that is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Stored {
    /// Its name in the folder of its image.
    pub(super) name: String,
    bytes: u64,
    /// What was written, by position.
    written: Vec<(u64, Vec<u8>)>,
}

impl Stored {
    /// Everything written on a storage whose size is `bytes`.
    pub(super) fn of(name: &str, storage: &dyn Storage, bytes: u64) -> Stored {
        let mut written: Vec<(u64, Vec<u8>)> = Vec::new();
        let (mut at, mut part) = (0, [0; PART_BYTES]);
        while let Some(data) = storage.next_data(at).unwrap().filter(|data| *data < bytes) {
            let from = data / PART_BYTES as u64 * PART_BYTES as u64;
            storage.read_at(from, &mut part).unwrap();
            at = from + PART_BYTES as u64;
            if part.iter().all(|&byte| byte == 0) {
                continue;
            }
            match written.last_mut() {
                Some((start, run)) if *start + run.len() as u64 == from => run.extend(part),
                _ => written.push((from, part.to_vec())),
            }
        }
        Stored {
            name: name.to_owned(),
            bytes,
            written,
        }
    }

    /// A file that has no holes.
    pub(super) fn dense(name: &str, bytes: &[u8]) -> Stored {
        Stored {
            name: name.to_owned(),
            bytes: bytes.len() as u64,
            written: vec![(0, bytes.to_vec())],
        }
    }

    /// Writes it into a folder.
    pub(super) fn unpack(&self, folder: &Path) -> PathBuf {
        let path = folder.join(&self.name);
        let file = File::create_new(&path).unwrap();
        for (at, bytes) in &self.written {
            file.write_all_at(bytes, *at).unwrap();
        }
        file.set_len(self.bytes).unwrap();
        path
    }
}

impl Stored {
    /// What it holds, in memory.
    pub(super) fn memory(&self) -> Memory {
        let mut memory = Memory::default();
        for (at, bytes) in &self.written {
            memory.write_at(*at, bytes).unwrap();
        }
        memory
    }
}

/// Files that belong together, and what each of the images among them may hold.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) files: Vec<Stored>,
    pub(super) held: Vec<Held>,
}

/// What an image may hold: by slot, a checksum of each version that it may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Held {
    /// The file, as it is named among those that belong together.
    pub(super) file: String,
    pub(super) slots: Vec<Vec<u64>>,
}

impl Kept {
    /// Keeps it for this format.
    pub(super) fn write(&self, format: u32, name: &str) {
        let folder = folder().join(format.to_string());
        std::fs::create_dir_all(&folder).unwrap();
        let bytes = postcard::to_stdvec(self).unwrap();
        let packed = zstd::encode_all(&bytes[..], LEVEL).unwrap();
        std::fs::write(folder.join(name), packed).unwrap();
    }

    /// Everything that is kept of a format, with its name.
    pub(super) fn all_of(format: &Path) -> Vec<(String, Kept)> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(format)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        let read = |path: PathBuf| {
            let packed = std::fs::read(&path).unwrap();
            let bytes = zstd::decode_all(&packed[..]).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, postcard::from_bytes(&bytes).unwrap())
        };
        files.into_iter().map(read).collect()
    }
}
