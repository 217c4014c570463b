//! What a drive file says is to go wrong.

use super::build::layout;
use super::schema::{FaultKeys, SsdFile};
use crate::ssd::{DieFailure, LostWaking};
use ftlab_base::{DieId, RootSeed};

/// That everything is there that a fault needs; the error says what is missing.
pub(super) fn check(ssd: &SsdFile) -> Result<(), String> {
    let Some(faults) = &ssd.faults else {
        return Ok(());
    };
    if faults.lost_waking.is_some() && ssd.power.is_none() {
        return Err("faults.lost_waking needs [power], which says when the drive sleeps".into());
    }
    let keeps_parity = ssd.raise.as_ref().is_some_and(|raise| raise.parity);
    if faults.die_fails_after.is_some() && ssd.reliability.is_none() && !keeps_parity {
        return Err(
            "faults.die_fails_after needs [reliability], which says how blocks fail, or parity \
             (raise.parity)"
                .into(),
        );
    }
    let of_blocks = faults.bad_blocks.is_some() || faults.unreadable_pages.is_some();
    if of_blocks && ssd.reliability.is_none() {
        return Err(
            "faults.bad_blocks and faults.unreadable_pages need [reliability], which says how \
             blocks fail"
                .into(),
        );
    }
    Ok(())
}

pub(super) fn lost_waking(faults: &FaultKeys, seed: RootSeed) -> Option<LostWaking> {
    let one_in = faults.lost_waking.as_ref()?.get();
    Some(LostWaking {
        one_in,
        seed: seed.derive("waking"),
    })
}

/// The seed says which die it is.
pub(super) fn die_failure(faults: &FaultKeys, ssd: &SsdFile, seed: RootSeed) -> Option<DieFailure> {
    let after_host_bytes = faults.die_fails_after.as_ref()?.get();
    let dies = layout(ssd).ok()?.geometry.dies();
    let RootSeed(draw) = seed.derive("dead die");
    Some(DieFailure {
        die: DieId((draw % u64::from(dies)) as u16),
        after_host_bytes,
    })
}
