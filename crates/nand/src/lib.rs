//! The NAND array's state: what is programmed, what is legal, what is worn, what fails.
//!
//! The array decides once, when an operation is issued, whether it is legal and what it changes,
//! and appends it to an [`OpBatch`]. It knows neither data nor time: a page store may carry the
//! bytes and a scheduler may price the operations, and a run that needs neither leaves them out.

mod array;
mod bit_errors;
mod op;
mod reliability;
mod wear;

pub use array::{
    Array, ArrayState, FaultCounters, InjectionRefused, NandCounters, StateError, Status,
};
pub use bit_errors::{BitErrors, ErrorParams, HOURS_A_YEAR, REFERENCE_CELSIUS, Stress};
pub use op::{Cause, DataMove, Fence, NandOp, OpBatch, OpKind, OpWord, Order};
pub use reliability::{Endurance, Reliability};
pub use wear::WearHistogram;
