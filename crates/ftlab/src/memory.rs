//! How much memory drives may take, as it is typed, and how much they do take.

use ftlab_base::amount::binary;
use ftlab_bench::machine;

/// Reads what `--memory` says: GiB, of which a part may be given. A drive that needs more runs alone.
pub fn gib(text: &str) -> Result<u64, String> {
    let gib: Option<f64> = text.parse().ok();
    match gib.filter(|gib| gib.is_finite() && *gib > 0.0) {
        Some(gib) => Ok((gib * (1_u64 << 30) as f64) as u64),
        None => Err("give GiB, more than 0, for example 4 or 0.5".to_owned()),
    }
}

/// Warns that drives will take `bytes` of memory, if that is more than half of this machine's.
pub fn note(bytes: u64) -> Option<String> {
    machine::total_mib().and_then(|mib| note_of(bytes, mib << 20))
}

fn note_of(bytes: u64, machine_bytes: u64) -> Option<String> {
    (bytes > machine_bytes / 2).then(|| {
        format!(
            "note: the tables of the drives take up to {}, and this machine has {} of memory: where fewer runs at a time \
             (--jobs) are not enough, --set nand.blocks_per_die=N makes a drive smaller\n",
            binary(bytes as f64, "B"),
            binary(machine_bytes as f64, "B")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{gib, note_of};

    #[test]
    fn gib_may_have_a_part_and_are_more_than_none() {
        assert_eq!(gib("4"), Ok(4 << 30));
        assert_eq!(gib("0.5"), Ok(1 << 29));
        for wrong in ["0", "-1", "much", "inf", "nan", ""] {
            assert!(gib(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn more_than_half_of_the_memory_is_said() {
        assert_eq!(note_of(4 << 30, 8 << 30), None);
        let note = note_of((4 << 30) + 1, 8 << 30).unwrap();
        assert!(
            note.contains("up to 4.00 GiB") && note.contains("8.00 GiB"),
            "{note}"
        );
    }
}
