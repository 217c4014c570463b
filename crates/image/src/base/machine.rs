//! The boot of the machine that wrote last to an image on a base.

use crate::storage::Storage;
use std::io;
use xxhash_rust::xxh3::xxh3_64;

/// Position of that note, in bytes.
const MACHINE_AT: u64 = 32 << 10;

pub(super) fn read(above: &dyn Storage) -> io::Result<Option<u64>> {
    let mut bytes = [0; 16];
    above.read_at(MACHINE_AT, &mut bytes)?;
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    Ok((xxh3_64(&bytes[..8]) == word(8)).then(|| word(0)))
}

pub(super) fn write(above: &mut dyn Storage) -> io::Result<()> {
    let mut bytes = above.machine().unwrap_or_default().to_le_bytes().to_vec();
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    above.write_at(MACHINE_AT, &bytes)
}
