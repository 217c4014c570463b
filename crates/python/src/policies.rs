//! Victim and pacing policies that are Python's callables.

use crate::calls::Calls;
use crate::errors::input_error;
use ftlab_base::SuperblockId;
use ftlab_drive::{OwnPolicies, PolicyNameError};
use ftlab_ftl::page::{self, PacingPolicy, VictimPolicy};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// A callable, under the name that results have for it.
#[derive(Debug, Clone)]
pub struct Callable {
    pub name: String,
    call: Arc<Py<PyAny>>,
}

impl Callable {
    pub fn new(call: &Bound<'_, PyAny>) -> PyResult<Callable> {
        if !call.is_callable() {
            let shown = call.repr()?;
            return Err(input_error(&format!(
                "{shown} is no policy; give a function"
            )));
        }
        let own = call.getattr("__name__");
        let name = own.or_else(|_| call.get_type().getattr("__name__"))?;
        Ok(Callable {
            name: format!("python:{name}"),
            call: Arc::new(call.clone().unbind()),
        })
    }
}

/// The callables of a drive.
#[derive(Debug, Clone, Default)]
pub struct Callables {
    pub victim: Option<Callable>,
    pub pacing: Option<Callable>,
}

impl Callables {
    /// As policies that a drive file may name, for a run that keeps what they raise.
    ///
    /// # Errors
    /// When one is called as no policy can be.
    pub fn for_run(&self, calls: &Arc<Calls>) -> Result<OwnPolicies, PolicyNameError> {
        let mut own = OwnPolicies::default();
        let callback = |callable: &Callable| Callback {
            callable: callable.clone(),
            calls: Arc::clone(calls),
        };
        if let Some(victim) = &self.victim {
            let victim_of = callback(victim);
            own.add_victim(&victim.name, move |_| Box::new(Victim(victim_of.clone())))?;
        }
        if let Some(pacing) = &self.pacing {
            let pacing_of = callback(pacing);
            own.add_pacing(&pacing.name, move || Box::new(Pacing(pacing_of.clone())))?;
        }
        Ok(own)
    }
}

/// A callable that is asked, and the run that it is asked in.
#[derive(Debug, Clone)]
struct Callback {
    callable: Callable,
    calls: Arc<Calls>,
}

impl Callback {
    /// Asks the callable of a view, and reads its answer; gives nothing once the run is to end, which an exception brings
    /// about.
    fn ask<R>(
        &self,
        wanted: &str,
        view: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> Option<R>,
    ) -> Option<R> {
        self.calls.make(|py| {
            let said = self.callable.call.bind(py).call1((view(py)?,))?;
            match read(&said) {
                Some(answer) => Ok(answer),
                None => {
                    let (name, said) = (&self.callable.name, said.repr()?);
                    Err(input_error(&format!(
                        "the policy {name} said {said}; it must say {wanted}"
                    )))
                }
            }
        })
    }
}

/// A full superblock that may be collected.
#[pyclass(frozen, eq, module = "ftlab")]
#[derive(Debug, PartialEq)]
pub struct Candidate(page::Candidate);

#[pymethods]
impl Candidate {
    /// Its number.
    #[getter]
    fn superblock(&self) -> u32 {
        self.0.superblock.0
    }

    /// Slots that would have to be copied.
    #[getter]
    fn valid_slots(&self) -> u32 {
        self.0.valid_slots
    }

    /// Superblocks that the whole drive has closed since this one was. No two of a view are of one age.
    #[getter]
    fn age(&self) -> u64 {
        self.0.age
    }

    fn __repr__(&self) -> String {
        let page::Candidate {
            superblock,
            valid_slots,
            age,
        } = self.0;
        format!(
            "<ftlab.Candidate {}: {valid_slots} valid slots, age {age}>",
            superblock.0
        )
    }
}

/// The superblocks of a group of dies as a victim policy sees them.
#[pyclass(frozen, module = "ftlab")]
pub struct VictimView {
    candidates: Py<PyTuple>,
    slots_per_superblock: u32,
}

#[pymethods]
impl VictimView {
    /// The full superblocks that may be collected, by number.
    #[getter]
    fn candidates(&self, py: Python<'_>) -> Py<PyTuple> {
        self.candidates.clone_ref(py)
    }

    /// Slots of a superblock: with that many valid ones, a candidate gains nothing.
    #[getter]
    fn slots_per_superblock(&self) -> u32 {
        self.slots_per_superblock
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let count = self.candidates.bind(py).as_any().len().unwrap_or_default();
        format!("<ftlab.VictimView of {count} candidates>")
    }
}

#[derive(Debug, Clone)]
struct Victim(Callback);

impl VictimPolicy for Victim {
    fn name(&self) -> &'static str {
        "python"
    }

    fn choose(&mut self, view: &page::VictimView<'_>) -> Option<SuperblockId> {
        let shown = |py: Python<'_>| {
            let candidates: PyResult<Vec<_>> = view
                .candidates()
                .map(|candidate| Bound::new(py, Candidate(candidate)))
                .collect();
            let shown = VictimView {
                candidates: PyTuple::new(py, candidates?)?.unbind(),
                slots_per_superblock: view.slots_per_superblock(),
            };
            Ok(Py::new(py, shown)?.into_any())
        };
        let read = |said: &Bound<'_, PyAny>| {
            let chosen = said.cast::<Candidate>().ok().map(|chosen| chosen.get().0);
            let is_here =
                chosen.filter(|chosen| view.candidate(chosen.superblock) == Some(*chosen));
            is_here.map(|chosen| chosen.superblock)
        };
        self.0.ask("one of view.candidates", shown, read)
    }

    fn boxed(&self) -> Box<dyn VictimPolicy> {
        Box::new(self.clone())
    }
}

/// The collection that is under way in a group, as a pacing policy sees it.
#[pyclass(frozen, module = "ftlab")]
pub struct PacingView(page::PacingView);

#[pymethods]
impl PacingView {
    /// Slots that the group can still write before anything more is collected.
    #[getter]
    fn writable_slots(&self) -> u32 {
        self.0.writable_slots
    }

    /// A group begins to collect with as many writable slots, or fewer.
    #[getter]
    fn low_slots(&self) -> u32 {
        self.0.low_slots
    }

    /// Valid slots of the victim that are still to be copied; at least one.
    #[getter]
    fn left_slots(&self) -> u32 {
        self.0.left_slots
    }

    /// Slots that are copied together.
    #[getter]
    fn row_slots(&self) -> u32 {
        self.0.row_slots
    }

    /// Slots of the victim that were valid when it was chosen.
    #[getter]
    fn valid_slots(&self) -> u32 {
        self.0.valid_slots
    }

    /// Slots that were not: what its collection gains.
    #[getter]
    fn gain_slots(&self) -> u32 {
        self.0.gain_slots
    }

    /// Copies that the host's writes have earned since, and that were not made.
    #[getter]
    fn owed_slots(&self) -> f64 {
        self.0.owed_slots
    }

    /// Whether less is writable than even the end of a cycle leaves.
    #[getter]
    fn is_behind(&self) -> bool {
        self.0.is_behind
    }

    fn __repr__(&self) -> String {
        let (left, owed) = (self.0.left_slots, self.0.owed_slots);
        format!("<ftlab.PacingView: {left} slots left to copy, {owed:.2} owed>")
    }
}

#[derive(Debug, Clone)]
struct Pacing(Callback);

impl PacingPolicy for Pacing {
    fn copies(&mut self, view: &page::PacingView) -> bool {
        let shown = |py: Python<'_>| Ok(Py::new(py, PacingView(*view))?.into_any());
        let read = |said: &Bound<'_, PyAny>| said.extract::<bool>().ok();
        self.0.ask("True or False", shown, read).unwrap_or(true)
    }

    fn boxed(&self) -> Box<dyn PacingPolicy> {
        Box::new(self.clone())
    }
}
