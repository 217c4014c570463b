//! Progress of long work: it says now and then how far it is, and whoever waits for it listens, and may end it.

use ftlab_base::Blame;
use thiserror::Error;

/// Whoever waited for the work has ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("it was stopped")]
pub struct Stopped;

impl Blame for Stopped {
    fn is_input(&self) -> bool {
        false
    }
}

/// Hears what is being done and, where it is known, which share of that is done, from 0 to 1. Work that is [`Stopped`]
/// ends there, with nothing to show.
pub type Watch<'a> = dyn Fn(&str, Option<f64>) -> Result<(), Stopped> + Sync + 'a;

/// For work that nobody waits for.
///
/// # Errors
/// Never.
pub fn nobody(_what: &str, _share: Option<f64>) -> Result<(), Stopped> {
    Ok(())
}
