//! What this machine has to run drives on: memory and cores.

use std::num::NonZeroUsize;

/// Where the system says.
const MEMORY: &str = "/proc/meminfo";

/// Where it does not say: enough for the largest drive on any machine of today.
const OTHERWISE: u64 = 4 << 30;

/// Half of the bytes that are free now.
pub fn half_of_free() -> u64 {
    let text = std::fs::read_to_string(MEMORY).unwrap_or_default();
    available(&text).map_or(OTHERWISE, |bytes| bytes / 2)
}

/// All memory of the machine in MiB, where the system says.
pub fn total_mib() -> Option<u64> {
    let text = std::fs::read_to_string(MEMORY).ok()?;
    field(&text, "MemTotal:").map(|bytes| bytes >> 20)
}

/// How many threads run at a time.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Reads what `--memory` says: GiB, of which a part may be given. A drive that needs more runs alone.
pub fn gib(text: &str) -> Result<u64, String> {
    let gib: Option<f64> = text.parse().ok();
    match gib.filter(|gib| gib.is_finite() && *gib > 0.0) {
        Some(gib) => Ok((gib * (1_u64 << 30) as f64) as u64),
        None => Err("give GiB, more than 0, for example 4 or 0.5".to_owned()),
    }
}

/// What the system says is available.
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
    use super::{available, gib};

    #[test]
    fn gib_may_have_a_part_and_are_more_than_none() {
        assert_eq!(gib("4"), Ok(4 << 30));
        assert_eq!(gib("0.5"), Ok(1 << 29));
        for wrong in ["0", "-1", "much", "inf", "nan", ""] {
            assert!(gib(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_available_is_read() {
        let text = "MemTotal:       24584 kB\nMemAvailable:   22000 kB\nBuffers: 1 kB\n";
        assert_eq!(available(text), Some(22_000 << 10));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
        assert_eq!(available("MemAvailable: much\n"), None);
    }
}
