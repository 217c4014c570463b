//! The block with the fewest valid pages first.

use crate::{OutOfDomain, alpha_fits, block_fits};

/// Valid pages of the victims of greedy collection.
#[derive(Debug, Clone, Copy)]
struct Victims {
    /// A share `fewer` of them holds `most − 1` valid pages, the others `most`.
    most: u32,
    fewer: f64,
}

/// WA of greedy collection under uniform random writes, in blocks of b pages:
///
/// WA = b / (b − j − 1 + q), where victims hold j valid pages (a share q of them) or j + 1, and j, q
/// solve q/(j + 1) + H_b − H_(j+1) = α (b − j − 1 + q)/b, H_n the harmonic numbers.
///
/// From α = H_b on, a block without valid pages is always at hand and WA = 1.
///
/// The stationary point of the mean field of all blocks: W. Bux and I. Iliadis, "Performance of
/// greedy garbage collection in flash-based solid-state drives", Perform. Evaluation 67(11), 2010,
/// for many blocks; Desnoyers 2014; also the limit d → ∞ of [`crate::choices`].
///
/// # Errors
/// α is not above 1, or b is 0.
pub fn greedy(alpha: f64, pages_per_block: u32) -> Result<f64, OutOfDomain> {
    let victims = victims(alpha, pages_per_block)?;
    let b = f64::from(pages_per_block);
    Ok(b / (b - victims.mean()))
}

/// Shares of the blocks that hold 0, 1, … b valid pages under greedy collection.
///
/// With λ = α/WA: m_i = 1/(λ i) for i ≥ j + 2, q/(λ (j + 1)) for i = j + 1, and none below; a victim
/// is taken the moment it has fewer. From α = H_b on, the rest are blocks without valid pages.
///
/// # Errors
/// α is not above 1, or b is 0.
pub fn greedy_occupancy(alpha: f64, pages_per_block: u32) -> Result<Vec<f64>, OutOfDomain> {
    let victims = victims(alpha, pages_per_block)?;
    let b = f64::from(pages_per_block);
    let lambda = alpha * (b - victims.mean()) / b;
    let share = |i: u32| match i {
        0 => 0.0,
        i if i < victims.most => 0.0,
        i if i == victims.most => victims.fewer / (lambda * f64::from(i)),
        i => 1.0 / (lambda * f64::from(i)),
    };
    let mut shares: Vec<f64> = (0..=pages_per_block).map(share).collect();
    if victims.most == 0 {
        shares[0] = (1.0 - shares.iter().sum::<f64>()).max(0.0);
    }
    Ok(shares)
}

impl Victims {
    fn mean(self) -> f64 {
        f64::from(self.most) - self.fewer
    }
}

fn victims(alpha: f64, pages_per_block: u32) -> Result<Victims, OutOfDomain> {
    alpha_fits(alpha)?;
    block_fits(pages_per_block)?;
    let per_page = alpha / f64::from(pages_per_block);
    // The equation says that 1/i, averaged over the pages that a victim has lost, is α/b. The
    // average grows as more are lost, so the first step over α/b is the one.
    let mut lost = 0.0;
    for most in (1..=pages_per_block).rev() {
        let (gained, of_page) = (f64::from(pages_per_block - most), 1.0 / f64::from(most));
        if lost + of_page >= per_page * (gained + 1.0) {
            let fewer = (per_page * gained - lost) / (of_page - per_page);
            return Ok(Victims { most, fewer });
        }
        lost += of_page;
    }
    Ok(Victims {
        most: 0,
        fewer: 0.0,
    })
}
