//! Addresses that hold nothing.
//!
//! T. Frankie, G. Hughes and K. Kreutz-Delgado, "A mathematical model of the trim command in
//! NAND-flash SSDs", 2012, and arXiv 1208.1794: write amplification depends on the addresses in use
//! alone, so every closed form holds with [`alpha_in_use`] in place of α. WA counts a host write; a
//! trim is none.

use crate::{OutOfDomain, alpha_fits, domain};

/// Share s of the addresses in use when a share q of the requests trims a random address *in use*
/// and the others write uniformly over all addresses: s = (1 − 2q)/(1 − q).
///
/// Births (1 − q)(1 − s) and deaths q are in balance.
///
/// # Errors
/// q is not from 0 to below ½, where nothing stays in use.
pub fn in_use_after_trims_of_used(trims: f64) -> Result<f64, OutOfDomain> {
    let fits = (0.0..0.5).contains(&trims);
    domain("the share of trims", trims, fits, "from 0 to below 1/2")?;
    Ok((1.0 - 2.0 * trims) / (1.0 - trims))
}

/// Share s of the addresses in use when a share q of the requests trims a random address of *all*,
/// in use or not, and the others write uniformly over all addresses: s = 1 − q.
///
/// Births (1 − q)(1 − s) and deaths q s are in balance. Two fio jobs side by side, `rw=randwrite`
/// and `rw=randtrim`, are this load.
///
/// # Errors
/// q is not from 0 to below 1.
pub fn in_use_after_trims_of_any(trims: f64) -> Result<f64, OutOfDomain> {
    let fits = (0.0..1.0).contains(&trims);
    domain("the share of trims", trims, fits, "from 0 to below 1")?;
    Ok(1.0 - trims)
}

/// α of a drive of whose addresses a share s is in use, after TRIM or because it was never full:
/// α/s.
///
/// # Errors
/// α is not above 1, or s not above 0 and at most 1.
pub fn alpha_in_use(alpha: f64, in_use: f64) -> Result<f64, OutOfDomain> {
    alpha_fits(alpha)?;
    let fits = in_use > 0.0 && in_use <= 1.0;
    domain("the share in use", in_use, fits, "above 0 and at most 1")?;
    Ok(alpha / in_use)
}
