//! Long work: without the interpreter's lock, ended by Ctrl-C, and with its panics as exceptions.

use crate::calls::Calls;
use crate::errors::{input_error, run_error};
use ftlab_console::machine;
use ftlab_lab::Lab;
use ftlab_states::watch::Stopped;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Interval at which Python is asked for signals and hears of progress.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// The way between work and whoever waits for it: progress one way, the wish to stop the other.
pub struct Way<'c> {
    /// The callables that are asked meanwhile.
    calls: &'c Calls,
    is_over: AtomicBool,
    /// Number of parts that are done.
    done: AtomicUsize,
    /// Number of parts in all.
    total: AtomicUsize,
}

impl Way<'_> {
    /// Asks whether the work is to go on.
    pub fn ask(&self) -> Result<(), Stopped> {
        match self.is_over.load(Ordering::Relaxed) || self.calls.is_over() {
            true => Err(Stopped),
            false => Ok(()),
        }
    }

    /// So much of all is done now.
    pub fn set(&self, done: usize, total: usize) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
    }

    /// One part more of all is done: what several threads may say at once.
    pub fn one_more(&self, total: usize) {
        self.total.store(total, Ordering::Relaxed);
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

/// Work that asks no callables of Python's.
pub fn work<R: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Way<'_>) -> R + Send,
) -> PyResult<R> {
    work_with(py, &Calls::default(), progress, work)
}

/// Does work on a thread of its own while this one waits for it and for signals. `progress` is called with what is done
/// and what there is to do. An exception of either, or of a call that the work makes, ends the work, which is waited for.
pub fn work_with<R: Send>(
    py: Python<'_>,
    calls: &Calls,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Way<'_>) -> R + Send,
) -> PyResult<R> {
    let progress = progress.map(|call| call.clone().unbind());
    let way = Way {
        calls,
        is_over: AtomicBool::new(false),
        done: AtomicUsize::new(0),
        total: AtomicUsize::new(0),
    };
    py.detach(|| {
        std::thread::scope(|scope| {
            let (tell, told) = channel();
            let way = &way;
            let worker = scope.spawn(move || {
                let end = catch_unwind(AssertUnwindSafe(|| work(way)));
                // Who no longer listens has its own reason.
                let _ = tell.send(());
                end
            });
            let mut raised = None;
            let mut last = 0;
            loop {
                let over = told.recv_timeout(ASK_EVERY) != Err(RecvTimeoutError::Timeout);
                if raised.is_none() {
                    let asked = Python::attach(|py| {
                        py.check_signals()?;
                        let done = way.done.load(Ordering::Relaxed);
                        if let (Some(call), true) = (&progress, done != last) {
                            last = done;
                            call.call1(py, (done, way.total.load(Ordering::Relaxed)))?;
                        }
                        Ok(())
                    });
                    if let Err(error) = asked {
                        way.is_over.store(true, Ordering::Relaxed);
                        raised = Some(error);
                    }
                } else {
                    // The reason to end is there already; a call that cannot be ended goes on to its own end.
                    let _ = Python::attach(|py| calls.end(py));
                }
                if over {
                    break;
                }
            }
            let end = worker.join().unwrap_or_else(Err);
            match (raised.or_else(|| calls.take_raised()), end) {
                (Some(error), _) => Err(error),
                (None, Ok(result)) => Ok(result),
                (None, Err(panic)) => Err(run_error(&words(panic.as_ref()))),
            }
        })
    })
}

/// Returns the message for a panic: the program's own fault, with the panic's words.
fn words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or(panic.downcast_ref::<&str>().copied());
    format!(
        "ftlab itself is at fault: {}; please report it",
        text.unwrap_or("a panic without words")
    )
}

/// Warns before work whose drives take much of this machine's memory, as the command line notes it.
pub fn warn_of_memory(py: Python<'_>, bytes: u64) -> PyResult<()> {
    let Some(note) = machine::note(bytes) else {
        return Ok(());
    };
    let note = CString::new(note).map_err(|error| run_error(&error))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &note, 2)
}

/// Settings of how runs are spread over this machine.
#[derive(Debug, Clone, Copy)]
pub struct Machine {
    pub threads: usize,
    pub memory_bytes: u64,
}

impl Machine {
    /// As asked for, else as the command line does.
    pub fn of(threads: Option<usize>, memory_gib: Option<f64>) -> PyResult<Machine> {
        let threads = threads.map(|asked| machine::threads(Some(asked)));
        let threads = threads.transpose();
        let threads = threads.map_err(|why| input_error(&format!("threads: {why}")))?;
        let memory_bytes = match memory_gib {
            None => machine::half_of_free(),
            Some(gib) if gib.is_finite() && gib > 0.0 => (gib * (1_u64 << 30) as f64) as u64,
            Some(_) => {
                let why = "memory_gib: give GiB, more than 0, for example 4 or 0.5";
                return Err(input_error(&why));
            }
        };
        Ok(Machine {
            threads: threads.unwrap_or_else(machine::cores),
            memory_bytes,
        })
    }

    pub fn lab(self) -> PyResult<Lab> {
        Lab::new(self.threads, self.memory_bytes).map_err(|error| run_error(&error))
    }
}
