//! The best of a few blocks drawn at random.

use crate::solve::root;
use crate::{OutOfDomain, alpha_fits, block_fits, domain};

/// WA when victims are drawn at random, uniform writes, any block size: α / (α − 1).
///
/// Full blocks are drawn too: they cost b copies and gain nothing.
///
/// # Errors
/// α is not above 1.
pub fn random(alpha: f64) -> Result<f64, OutOfDomain> {
    alpha_fits(alpha)?;
    Ok(alpha / (alpha - 1.0))
}

/// WA when the victim is the one with the fewest valid pages among d blocks drawn at random (the
/// same block may be drawn twice), uniform writes, blocks of b pages.
///
/// With m_i the share of blocks with i valid pages, p_i the share of victims and λ = α/WA:
///
/// λ[(i + 1) m_(i+1) − i m_i] = p_i, p_i = (Σ_(l≥i) m_l)^d − (Σ_(l>i) m_l)^d, Σ i m_i = b/α.
///
/// B. Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based
/// solid state drives", SIGMETRICS 2013. d = 1 is [`random`], d → ∞ is [`crate::greedy`].
///
/// # Errors
/// α is not above 1, or b or d is 0.
pub fn choices(alpha: f64, pages_per_block: u32, draws: u32) -> Result<f64, OutOfDomain> {
    Ok(alpha / lambda(alpha, pages_per_block, draws)?)
}

/// Shares of the blocks that hold 0, 1, … b valid pages when the best of d is collected.
///
/// # Errors
/// α is not above 1, or b or d is 0.
pub fn choices_occupancy(
    alpha: f64,
    pages_per_block: u32,
    draws: u32,
) -> Result<Vec<f64>, OutOfDomain> {
    let lambda = lambda(alpha, pages_per_block, draws)?;
    let mut shares = Vec::new();
    let empty = each_share(lambda, pages_per_block, draws, |_, share| {
        shares.push(share);
    });
    shares.push(empty);
    shares.reverse();
    Ok(shares)
}

fn lambda(alpha: f64, pages_per_block: u32, draws: u32) -> Result<f64, OutOfDomain> {
    alpha_fits(alpha)?;
    block_fits(pages_per_block)?;
    domain("blocks drawn", f64::from(draws), draws > 0, "at least 1")?;
    // More deaths between two collections, fewer valid pages; WA = 1 at λ = α.
    let wanted = f64::from(pages_per_block) / alpha;
    let excess = |lambda: f64| {
        let mut valid = 0.0;
        each_share(lambda, pages_per_block, draws, |i, share| {
            valid += f64::from(i) * share;
        });
        wanted - valid
    };
    Ok(root(0.0, alpha, excess))
}

/// Passes on m_b, m_(b−1), … m_1 as they follow from λ, and returns m_0.
///
/// The balances of i = 0 … k − 1 add up to λ k m_k = 1 − (Σ_(l≥k) m_l)^d, one equation for m_k once
/// those above are known.
fn each_share(
    lambda: f64,
    pages_per_block: u32,
    draws: u32,
    mut share_of: impl FnMut(u32, f64),
) -> f64 {
    let mut below = 1.0;
    for i in (1..=pages_per_block).rev() {
        let share = share(lambda * f64::from(i), below, f64::from(draws));
        share_of(i, share);
        below -= share;
    }
    below
}

/// Solves rate · m = 1 − (1 − below + m)^d for m between 0 and `below`.
fn share(rate: f64, below: f64, draws: f64) -> f64 {
    // Convex and rising in m, so Newton from the right end never passes the root.
    let mut m = below;
    loop {
        let rest_ln = (m - below).ln_1p();
        let value = rate * m + (draws * rest_ln).exp_m1();
        let slope = rate + draws * ((draws - 1.0) * rest_ln).exp();
        let next = (m - value / slope).max(0.0);
        if next >= m {
            return m;
        }
        m = next;
    }
}
