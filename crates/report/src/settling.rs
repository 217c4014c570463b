//! The mark on figures of runs that ended before garbage collection had settled.

use ftlab_result::Run;

/// The sign behind such a figure.
const MARK: char = '*';

/// The meaning of the mark, below a table that has it.
pub const NOTE: &str = "* Garbage collection had not settled when the run ended: in the steady state this figure \
                        differs. The option --state steady-fast starts there.";

/// Tells if figures of a run are to be marked.
#[must_use]
pub fn is_unsettled(run: &Run) -> bool {
    run.inside().and_then(|inside| inside.settled) == Some(false)
}

/// A figure in words, marked if it has to be.
#[must_use]
pub fn marked(mut words: String, unsettled: bool) -> String {
    words.extend(unsettled.then_some(MARK));
    words
}
