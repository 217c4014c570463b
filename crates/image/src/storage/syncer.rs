//! Waiting for the machine's storage beside other work: a thread that does nothing else.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

/// Called when a wait has ended.
pub(crate) type Wake = Box<dyn Fn() + Send>;

/// Waits for the storage once.
pub(super) type Sync = Box<dyn Fn() -> io::Result<()> + Send + std::marker::Sync>;

/// State of a wait.
#[derive(Debug)]
enum Wait {
    /// There is no wait.
    None,
    /// It is to begin.
    Wanted,
    /// The wait goes on.
    Begun,
    /// It has ended, and nobody has asked how.
    Ended(io::Result<()>),
}

#[derive(Debug)]
struct State {
    wait: Wait,
    /// A wait has ended that the thread knows nothing of.
    owes_a_call: bool,
    is_closed: bool,
}

struct Shared {
    sync: Sync,
    state: Mutex<State>,
    changed: Condvar,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// The thread, and one wait at a time.
#[derive(Debug)]
pub(super) struct Syncer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Syncer {
    pub(super) fn start(sync: Sync, wake: Wake) -> io::Result<Syncer> {
        let shared = Arc::new(Shared {
            sync,
            state: Mutex::new(State {
                wait: Wait::None,
                owes_a_call: false,
                is_closed: false,
            }),
            changed: Condvar::new(),
        });
        let of_thread = Arc::clone(&shared);
        let run = move || {
            while of_thread.wait_once() {
                wake();
            }
        };
        let thread = thread::Builder::new().name("sync".into()).spawn(run)?;
        Ok(Syncer {
            shared,
            thread: Some(thread),
        })
    }

    /// Begins to wait; the one before has ended.
    pub(super) fn begin(&self) {
        self.shared.state().wait = Wait::Wanted;
        self.shared.changed.notify_all();
    }

    pub(super) fn is_under_way(&self) -> bool {
        matches!(self.shared.state().wait, Wait::Wanted | Wait::Begun)
    }

    /// Ends the wait, and returns its result.
    pub(super) fn end(&self) -> io::Result<()> {
        let mut state = self.shared.state();
        loop {
            match std::mem::replace(&mut state.wait, Wait::None) {
                Wait::None => return Ok(()),
                Wait::Ended(result) => return result,
                Wait::Wanted => {
                    state.owes_a_call = true;
                    self.shared.changed.notify_all();
                    drop(state);
                    return (self.shared.sync)();
                }
                Wait::Begun => {
                    state.wait = Wait::Begun;
                    state = self.shared.wait(state);
                }
            }
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic holds the state")
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).expect("no panic holds the state")
    }

    /// Waits as soon as somebody wants that, until a wait has ended; false at the end.
    fn wait_once(&self) -> bool {
        let mut state = self.state();
        while !matches!(state.wait, Wait::Wanted) {
            if std::mem::take(&mut state.owes_a_call) {
                return true;
            }
            if state.is_closed {
                return false;
            }
            state = self.wait(state);
        }
        state.wait = Wait::Begun;
        drop(state);
        let result = (self.sync)();
        self.state().wait = Wait::Ended(result);
        self.changed.notify_all();
        true
    }
}

impl Drop for Syncer {
    fn drop(&mut self) {
        self.shared.state().is_closed = true;
        self.shared.changed.notify_all();
        // It holds the file, and with that the lock on it, until it has ended.
        let thread = self.thread.take().expect("it is dropped once");
        if thread.thread().id() != thread::current().id() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(60);

    /// Whoever is called may wait for somebody who waits for the machine's storage himself.
    #[test]
    fn each_wait_ends_with_a_call_also_one_that_began_during_a_call() {
        let file = tempfile::tempfile().unwrap();
        let (tell, told) = mpsc::channel();
        let (go, gone) = mpsc::channel::<()>();
        let wake = move || {
            tell.send(()).unwrap();
            let _ = gone.recv_timeout(PATIENCE);
        };
        let syncer = Syncer::start(Box::new(move || file.sync_data()), Box::new(wake)).unwrap();
        syncer.end().unwrap();
        syncer.begin();
        told.recv_timeout(PATIENCE).expect("the first call");
        assert!(!syncer.is_under_way());
        syncer.end().unwrap();
        // The thread is still at its call.
        syncer.begin();
        assert!(syncer.is_under_way());
        syncer.end().unwrap();
        assert!(!syncer.is_under_way());
        go.send(()).unwrap();
        told.recv_timeout(PATIENCE).expect("the second call");
        drop(go);
        drop(syncer);
        assert!(told.recv_timeout(PATIENCE).is_err(), "no third call");
    }
}
