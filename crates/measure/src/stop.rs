//! A user's Ctrl-C, which ends the program that is at work and then the measurement.

use rustix::process::{Pid, Signal, kill_process};
use std::io;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Whether the measurement is to end, and the program that it waits for.
#[derive(Debug, Default)]
pub struct Stop {
    is_called: AtomicBool,
    at_work: Mutex<Option<Pid>>,
}

impl Stop {
    /// Ends the program that is at work. What was measured before is kept.
    pub fn call(&self) {
        self.is_called.store(true, Ordering::SeqCst);
        self.signal(Signal::INT);
        // One that is paused hears of it when it goes on.
        self.signal(Signal::CONT);
    }

    /// Sends a signal to the program that is at work, if there is one.
    pub(crate) fn signal(&self, signal: Signal) {
        let at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pid) = *at_work {
            // One that has just ended needs no signal.
            let _ = kill_process(pid, signal);
        }
    }

    /// Returns true if the measurement is to end.
    #[must_use]
    pub fn is_called(&self) -> bool {
        self.is_called.load(Ordering::SeqCst)
    }

    /// Waits for a program.
    ///
    /// # Errors
    /// When the system does not wait for it.
    pub fn while_at_work(&self, child: &mut Child) -> io::Result<ExitStatus> {
        *self.at_work.lock().unwrap_or_else(PoisonError::into_inner) = Some(Pid::from_child(child));
        if self.is_called() {
            self.call();
        }
        let ended = child.wait();
        *self.at_work.lock().unwrap_or_else(PoisonError::into_inner) = None;
        ended
    }
}
