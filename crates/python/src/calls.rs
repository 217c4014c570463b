//! Python's callables in the middle of a simulation: called on its threads, with what they raise for whoever waits.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    /// Python's number of this thread, which takes longer to ask for than many a call.
    static NUMBER: OnceCell<u64> = const { OnceCell::new() };
}

fn number_of_thread(py: Python<'_>) -> PyResult<u64> {
    NUMBER.with(|number| match number.get() {
        Some(known) => Ok(*known),
        None => {
            let asked = py
                .import("threading")?
                .call_method0("get_ident")?
                .extract()?;
            Ok(*number.get_or_init(|| asked))
        }
    })
}

/// The callables of a run, and the exception that one of them raised.
#[derive(Debug, Default)]
pub struct Calls {
    /// Nobody wants an answer any more.
    is_over: AtomicBool,
    /// The first exception of any of them.
    raised: Mutex<Option<PyErr>>,
    /// Python's numbers of the threads that are inside of one.
    inside: Mutex<Vec<u64>>,
}

impl Calls {
    /// True once nobody wants an answer any more: the run is to end.
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Calls something of Python's, with the interpreter's lock; gives nothing once the run is to end. An exception is kept,
    /// and ends the run.
    pub fn make<R>(&self, call: impl FnOnce(Python<'_>) -> PyResult<R>) -> Option<R> {
        if self.is_over() {
            return None;
        }
        let end = Python::attach(|py| {
            let thread = number_of_thread(py)?;
            self.inside().push(thread);
            let end = call(py);
            let mut inside = self.inside();
            if let Some(at) = inside.iter().position(|other| *other == thread) {
                inside.swap_remove(at);
            }
            end
        });
        let kept = |error: PyErr| {
            self.is_over.store(true, Ordering::Relaxed);
            let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
            raised.get_or_insert(error);
        };
        end.map_err(kept).ok()
    }

    /// Ends the run at its next call, and the calls that are under way: in each, Python raises an interrupt.
    pub fn end(&self, py: Python<'_>) -> PyResult<()> {
        self.is_over.store(true, Ordering::Relaxed);
        let inside = self.inside().clone();
        if inside.is_empty() {
            return Ok(());
        }
        let ctypes = py.import("ctypes")?;
        let raise = ctypes
            .getattr("pythonapi")?
            .getattr("PyThreadState_SetAsyncExc")?;
        let interrupt = ctypes
            .getattr("py_object")?
            .call1((py.get_type::<PyKeyboardInterrupt>(),))?;
        for thread in inside {
            let thread = ctypes.getattr("c_ulong")?.call1((thread,))?;
            raise.call1((thread, &interrupt))?;
        }
        Ok(())
    }

    /// Takes the exception that a callable raised, which the end of the run raises again.
    pub fn take_raised(&self) -> Option<PyErr> {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        raised.take()
    }

    fn inside(&self) -> MutexGuard<'_, Vec<u64>> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
