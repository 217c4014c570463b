//! Sectors of a slot, as a mask.

/// Sectors of a slot, one bit each.
pub type SectorMask = u128;

/// Sectors `first..first + sectors`, one bit each.
#[must_use]
pub fn mask_of(first: u32, sectors: u32) -> SectorMask {
    let ones = if sectors >= 128 {
        SectorMask::MAX
    } else {
        (1 << sectors) - 1
    };
    ones << first
}

/// The runs of sectors in a mask: the first sector, and how many.
pub fn runs(mut mask: SectorMask) -> impl Iterator<Item = (usize, usize)> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let first = mask.trailing_zeros();
        let sectors = (!(mask >> first)).trailing_zeros();
        mask &= !mask_of(first, sectors);
        Some((first as usize, sectors as usize))
    })
}
