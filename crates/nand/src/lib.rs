//! The NAND array's state: what is programmed, what is legal, what is worn.
//!
//! The array decides once, when an operation is issued, whether it is legal and what it changes,
//! and appends it to an [`OpBatch`]. It knows neither data nor time: a page store may carry the
//! bytes and a scheduler may price the operations, and a run that needs neither leaves them out.

mod array;
mod op;

pub use array::{Array, ArrayState, NandCounters, StateError};
pub use op::{Cause, DataMove, Fence, NandOp, OpBatch, OpKind, OpWord, Order};
