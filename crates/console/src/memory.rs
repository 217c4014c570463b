//! Memory limit of drives, as it is typed, and the warning that they take much.

use crate::machine;
use crate::progress::Signs;

/// Reads what `--memory` says: GiB, of which a part may be given. A drive that needs more runs alone.
///
/// # Errors
/// When that is no number above 0.
pub fn gib(text: &str) -> Result<u64, String> {
    let gib: Option<f64> = text.parse().ok();
    match gib.filter(|gib| gib.is_finite() && *gib > 0.0) {
        Some(gib) => Ok((gib * (1_u64 << 30) as f64) as u64),
        None => Err("give GiB, more than 0, for example 4 or 0.5".to_owned()),
    }
}

/// Says before work begins that its drives will take `bytes` of memory, if that is much for this machine.
pub fn tell(signs: Signs, bytes: u64) {
    if let Some(note) = machine::note(bytes) {
        signs.tell(&format!("note: {note}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::gib;

    #[test]
    fn gib_may_have_a_part_and_are_more_than_none() {
        assert_eq!(gib("4"), Ok(4 << 30));
        assert_eq!(gib("0.5"), Ok(1 << 29));
        for wrong in ["0", "-1", "much", "inf", "nan", ""] {
            assert!(gib(wrong).is_err(), "{wrong}");
        }
    }
}
