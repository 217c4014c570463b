//! Memory and cores that this machine has for drives.

use ftlab_base::amount::binary;
use std::num::NonZeroUsize;

/// File in which Linux reports memory.
const MEMORY: &str = "/proc/meminfo";

/// Memory where the system does not say, in bytes: enough for the largest drive on any machine of today.
const OTHERWISE: u64 = 4 << 30;

/// Half of the bytes that are free now.
#[must_use]
pub fn half_of_free() -> u64 {
    let text = std::fs::read_to_string(MEMORY).unwrap_or_default();
    available(&text).map_or(OTHERWISE, |bytes| bytes / 2)
}

/// All memory of the machine in MiB, where the system says.
#[must_use]
pub fn total_mib() -> Option<u64> {
    let text = std::fs::read_to_string(MEMORY).ok()?;
    field(&text, "MemTotal:").map(|bytes| bytes >> 20)
}

/// Warns before work whose drives take more than half of this machine's memory; `bytes` is the most that they take.
#[must_use]
pub fn note(bytes: u64) -> Option<String> {
    total_mib().and_then(|mib| note_of(bytes, mib << 20))
}

fn note_of(bytes: u64, machine_bytes: u64) -> Option<String> {
    (bytes > machine_bytes / 2).then(|| {
        format!(
            "the tables of the drives take up to {}, and this machine has {} of memory: fewer runs at a time take less, and a \
             smaller nand.blocks_per_die makes a drive smaller",
            binary(bytes as f64, "B"),
            binary(machine_bytes as f64, "B")
        )
    })
}

/// Returns the number of threads that run at a time.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// More than any machine has cores for; starting very many would take longer than what they are to do.
const THREADS_MAX: usize = 1024;

/// As many threads as `asked`, which is nothing if it was no whole number.
///
/// # Errors
/// When that is no number of threads.
pub fn threads(asked: Option<usize>) -> Result<usize, String> {
    let within = asked.filter(|threads| (1..=THREADS_MAX).contains(threads));
    within.ok_or_else(|| format!("give a whole number from 1 to {THREADS_MAX}"))
}

/// Returns the available memory that the system reports, in bytes.
fn available(text: &str) -> Option<u64> {
    field(text, "MemAvailable:")
}

/// Bytes that the system states.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}

#[cfg(test)]
mod tests {
    use super::{available, note_of};

    #[test]
    fn more_than_half_of_the_memory_is_said() {
        assert_eq!(note_of(4 << 30, 8 << 30), None);
        let note = note_of((4 << 30) + 1, 8 << 30).unwrap();
        assert!(
            note.contains("up to 4.00 GiB") && note.contains("8.00 GiB"),
            "{note}"
        );
    }

    #[test]
    fn what_is_available_is_read() {
        let text = "MemTotal:       24584 kB\nMemAvailable:   22000 kB\nBuffers: 1 kB\n";
        assert_eq!(available(text), Some(22_000 << 10));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
        assert_eq!(available("MemAvailable: much\n"), None);
    }
}
