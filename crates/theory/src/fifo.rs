//! The oldest block first.

use crate::{Class, OutOfDomain, block_fits, fifo_mixed};

/// WA of FIFO collection (also: LRU cleaning, a log) under uniform random writes, for any block
/// size:
///
/// 1 − 1/WA = exp(−α/WA), or WA = α / (α + W₀(−α e^−α)) with the principal Lambert W.
///
/// J. Menon, "A performance comparison of RAID-5 and log-structured arrays", HPDC 1995; L. Xiang and
/// B. Kurkoski, arXiv 1110.4245 (2012); P. Desnoyers, "Analytic models of SSD write performance",
/// ACM Trans. Storage 10(2), 2014.
///
/// # Errors
/// α is not above 1.
pub fn fifo(alpha: f64) -> Result<f64, OutOfDomain> {
    fifo_mixed(alpha, &[Class::ALL])
}

/// Shares of the blocks of a FIFO log that hold 0, 1, … b valid pages.
///
/// A block's age is uniform over its stay, and a page of age a (1: about to be collected) is still
/// valid with probability p = e^(−xa). So the share is the binomial of b and p averaged over a,
/// which integrates to
///
/// m_i = P(Bin(b, e^−x) < i) / (x i) for i ≥ 1, and m_0 is what is left.
///
/// The integral is this project's; it also follows from the balance of blocks that fall from i to
/// i − 1 valid pages and are collected.
///
/// # Errors
/// α is not above 1, or b is 0.
pub fn fifo_occupancy(alpha: f64, pages_per_block: u32) -> Result<Vec<f64>, OutOfDomain> {
    block_fits(pages_per_block)?;
    let x = alpha / fifo(alpha)?;
    let at_collection = binomial(pages_per_block, x);
    let mut below = 0.0;
    let mut shares = vec![0.0];
    for i in 1..=pages_per_block as usize {
        below += at_collection[i - 1];
        shares.push(below / (x * i as f64));
    }
    shares[0] = (1.0 - shares.iter().sum::<f64>()).max(0.0);
    Ok(shares)
}

/// The binomial distribution of `n` trials that succeed with probability e^−x.
fn binomial(n: u32, x: f64) -> Vec<f64> {
    let fails_ln = (-(-x).exp_m1()).ln();
    let mut ways_ln = 0.0;
    let term = |i: u32| {
        if i > 0 {
            ways_ln += (f64::from(n - i + 1) / f64::from(i)).ln();
        }
        (ways_ln - x * f64::from(i) + fails_ln * f64::from(n - i)).exp()
    };
    (0..=n).map(term).collect()
}
