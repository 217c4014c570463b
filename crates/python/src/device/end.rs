//! The end of a command.

use ftlab_device::{BitFlip, Outcome, Split};
use pyo3::prelude::*;

/// The end of a command.
#[pyclass(frozen, module = "ftlab")]
pub struct Completion {
    #[pyo3(get)]
    id: u64,
    #[pyo3(get)]
    at_ns: u64,
    outcome: Outcome,
    split: Option<Split>,
    pub(super) bit_flip: Option<BitFlip>,
}

/// The word of an outcome.
pub fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Good => "good",
        Outcome::WriteFault => "write-fault",
        Outcome::Unrecoverable => "unrecoverable",
        _ => "gone",
    }
}

impl From<&ftlab_device::Completion> for Completion {
    fn from(end: &ftlab_device::Completion) -> Completion {
        Completion {
            id: end.id,
            at_ns: end.at_ns,
            outcome: end.outcome,
            split: end.split,
            bit_flip: end.flip,
        }
    }
}

#[pymethods]
impl Completion {
    #[getter]
    fn outcome(&self) -> &'static str {
        word(self.outcome)
    }

    #[getter]
    fn is_good(&self) -> bool {
        self.outcome == Outcome::Good
    }

    #[getter]
    fn flip(&self) -> Option<(u64, u8)> {
        self.bit_flip.map(|flip| (flip.offset, flip.bit))
    }

    #[getter]
    fn host_ns(&self) -> Option<u64> {
        self.split.map(|split| split.host_ns)
    }

    #[getter]
    fn controller_ns(&self) -> Option<u64> {
        self.split.map(|split| split.controller_ns)
    }

    #[getter]
    fn link_ns(&self) -> Option<u64> {
        self.split.map(|split| split.link_ns)
    }

    #[getter]
    fn flash_ns(&self) -> Option<u64> {
        self.split.map(|split| split.flash_ns)
    }

    fn __repr__(&self) -> String {
        let outcome = word(self.outcome);
        format!("<Completion {}: {outcome} at {} ns>", self.id, self.at_ns)
    }
}
